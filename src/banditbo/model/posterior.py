"""What the model believes of every arm's function under one set of hyper-parameters.

Notation
--------
    A, G, M, P   arms, groups, candidates, pairs of an arm and a point
    z            values on the modelled scale; ``warp`` leads back to the scale they were told on
    K            covariance of the observations of a cell; R = chol(K)^-1, alpha = K^-1 z
    v            covariance of a point's function value with the observations of its cell
    mean = v . alpha,  variance = k(x, x) - |R v|^2

Cost: n^3 / 3 a cell once; then n a pair for the mean, n^2 for the variance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from banditbo.model.covariance import arm_factor, cholesky, inverse_factor, same_arm
from banditbo.model.kernels import Kernel, squared_distance
from banditbo.model.layout import Layout, Stack
from banditbo.model.screening import variances
from banditbo.model.setting import Hyper
from banditbo.model.transforms import Warp

__all__ = ["Cell", "Moments", "Posterior", "Screened", "condition"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Cell:
    """A stack of cells, conditioned.

    ``inverse`` (S, n, n) is R; ``alpha``, ``noise`` (variances, 1 where padded) and ``fitted``
    (posterior mean at the observations) are (S, n).
    """

    stack: Stack
    hyper: Hyper
    inverse: Array
    alpha: Array
    noise: Array
    fitted: Array

    @property
    def prior_variance(self) -> Array:
        """Variance of a function value before any observation (S,)."""
        return np.asarray(self.hyper.signal + self.hyper.arm)


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and variance of P function values (P,), and their gradients by the point (P, D)."""

    mean: Array
    variance: Array
    mean_slope: Array
    variance_slope: Array


@dataclass(frozen=True, slots=True)
class Screened:
    """Mean (A, M) and variance (A, M) of all arms at their group's candidates.

    Where ``exact`` is False the variance is an upper bound.
    """

    mean: Array
    variance: Array
    exact: bool


@dataclass(frozen=True, slots=True)
class Posterior:
    """Independent Gaussian processes, one a cell; immutable."""

    layout: Layout
    kernel: Kernel
    cells: tuple[Cell, ...]
    warp: Warp
    notes: tuple[str, ...] = ()
    _where: tuple[Ints, Ints, Ints] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shape = len(self.layout.block)
        c, s, row = (np.zeros(shape, dtype=np.intp) for _ in range(3))
        for i, cell in enumerate(self.cells):
            at_s, at_row = np.nonzero(cell.stack.arms >= 0)
            arms = cell.stack.arms[at_s, at_row]
            c[arms], s[arms], row[arms] = i, at_s, at_row
        object.__setattr__(self, "_where", (c, s, row))

    def place(self, arms: Ints) -> Iterator[tuple[Cell, int, Ints, Ints]]:
        """Yield every cell that some of the arms belong to: (cell, s, which arms, their rows)."""
        c, s, row = (w[arms] for w in self._where)
        key = c * (1 + max((len(cell.stack.block) for cell in self.cells), default=0)) + s
        for k in np.unique(key):
            which = np.nonzero(key == k)[0]
            yield self.cells[c[which[0]]], int(s[which[0]]), which, row[which]

    def cross(self, cell: Cell, s: int, rows: Ints, x: Array) -> tuple[Array, Array]:
        """Covariance v (P, n) of pairs with the cell's observations, and its slope by r2."""
        stack, hyper = cell.stack, cell.hyper
        ls = hyper.lengthscale[s]
        v, slope = self.kernel.value_and_slope(squared_distance(x / ls, stack.x[s] / ls))
        same = same_arm(rows, stack.row[s])
        factor = _factor(stack.arm_codes[s][rows], stack.codes[s], hyper.rho[s], same, stack)
        scale = hyper.signal[s] if factor is None else hyper.signal[s] * factor
        v *= scale
        slope *= scale
        v += hyper.arm[s] * same
        there = stack.there[s]
        return v * there, slope * there

    def mean_variance(self, arms: Ints, x: Array) -> tuple[Array, Array]:
        """Mean and variance (P,) of the functions of arms (P,) at points x (P, D)."""
        mean, variance = np.empty(len(arms)), np.empty(len(arms))
        for cell, s, which, rows in self.place(arms):
            v, _ = self.cross(cell, s, rows, x[which])
            mean[which] = v @ cell.alpha[s]
            w = v @ cell.inverse[s].T
            variance[which] = cell.prior_variance[s] - np.einsum("pn,pn->p", w, w)
        return mean, np.maximum(variance, 1e-12)

    def covariance(self, arms: Ints, x: Array) -> Array:
        """Joint covariance (P, P) of the functions of arms (P,) at points x (P, D)."""
        out = np.zeros((len(arms), len(arms)))
        for cell, s, which, rows in self.place(arms):
            stack, hyper = cell.stack, cell.hyper
            scaled = x[which] / hyper.lengthscale[s]
            same = same_arm(rows, rows)
            codes = stack.arm_codes[s][rows]
            factor = _factor(codes, codes, hyper.rho[s], same, stack)
            prior = hyper.signal[s] * self.kernel.value(squared_distance(scaled, scaled))
            prior = (prior if factor is None else prior * factor) + hyper.arm[s] * same
            w = self.cross(cell, s, rows, x[which])[0] @ cell.inverse[s].T
            out[np.ix_(which, which)] = prior - w @ w.T
        return out

    def moments(self, arms: Ints, x: Array) -> Moments:
        """Mean and variance with gradients, for a few pairs."""
        p, d = x.shape
        mean, variance = np.empty(p), np.empty(p)
        dmean, dvariance = np.empty((p, d)), np.empty((p, d))
        for cell, s, which, rows in self.place(arms):
            v, slope = self.cross(cell, s, rows, x[which])
            w = v @ cell.inverse[s].T
            mean[which] = v @ cell.alpha[s]
            variance[which] = cell.prior_variance[s] - np.einsum("pn,pn->p", w, w)
            # dv_i/dx_d = slope_i * 2 (x_d - x_id) / l_d^2
            for out, weight in (
                (dmean, slope * cell.alpha[s]),
                (dvariance, -2.0 * slope * (w @ cell.inverse[s])),
            ):
                part = x[which] * weight.sum(axis=1)[:, None] - weight @ cell.stack.x[s]
                out[which] = 2.0 * part / cell.hyper.lengthscale[s] ** 2
        return Moments(mean, np.maximum(variance, 1e-12), dmean, dvariance)

    def screen(self, points: Array) -> Screened:
        """Mean and variance (bound) of all arms at the candidates of their group (G, M, D)."""
        n_arms, m = len(self.layout.block), points.shape[1]
        mean, variance = np.empty((n_arms, m)), np.empty((n_arms, m))
        exact = True
        for cell in self.cells:
            at_s, at_row = np.nonzero(cell.stack.arms >= 0)
            arms = cell.stack.arms[at_s, at_row]
            x = points[self.layout.group[cell.stack.arms[:, 0]]]
            k, same, factor = self._to_arms(cell, x)
            mean[arms] = _mean(cell, cell.alpha, k, same, factor)[at_s, at_row]
            spread, is_exact = variances(cell, k, same, factor)
            variance[arms] = spread[at_s, at_row]
            exact &= is_exact
        return Screened(mean, np.maximum(variance, 1e-12), exact)

    def cell_mean(self, cell: Cell, x: Array, alpha: Array) -> Array:
        """Kernel expansion (S, R, M) of weights alpha (S, n) at candidates x (S, M, D)."""
        return _mean(cell, alpha, *self._to_arms(cell, x))

    def _to_arms(self, cell: Cell, x: Array) -> tuple[Array, NDArray[np.bool_], Array | None]:
        """Covariance (S, M, n) of x (S, M, D) with the observations; arms' part (S, R, n)."""
        stack, hyper = cell.stack, cell.hyper
        ls = hyper.lengthscale[:, None, :]
        k = self.kernel.value(squared_distance(x / ls, stack.x / ls))
        k *= hyper.signal[:, None, None]
        k *= stack.there[:, None, :]
        rows = np.broadcast_to(np.arange(stack.arms.shape[1]), stack.arms.shape)
        same = same_arm(rows, stack.row) & stack.there[:, None, :]
        return k, same, _factor(stack.arm_codes, stack.codes, hyper.rho, same, stack)

    def observed(self) -> tuple[Ints, Array]:
        """Index of every modelled observation, and the posterior mean there."""
        index = [c.stack.index[c.stack.there] for c in self.cells]
        fitted = [c.fitted[c.stack.there] for c in self.cells]
        return np.concatenate(index), np.concatenate(fitted)


def _factor(
    codes: Ints, other: Ints, rho: Array, same: NDArray[np.bool_], stack: Stack
) -> Array | None:
    """Correlation between arms; None when every pair is of one and the same arm."""
    if stack.arms.shape[1] == 1:
        return None
    factor = arm_factor(codes, other, rho)
    return same.astype(float) if factor is None else factor


def _mean(
    cell: Cell, alpha: Array, k: Array, same: NDArray[np.bool_], factor: Array | None
) -> Array:
    """Sum of alpha_i v_i (S, R, M)."""
    weighted = alpha[:, None, :] if factor is None else factor * alpha[:, None, :]
    level = cell.hyper.arm[:, None] * np.einsum("srn,sn->sr", same, alpha)
    return np.asarray(weighted @ np.swapaxes(k, 1, 2) + level[..., None])


def condition(
    layout: Layout,
    kernel: Kernel,
    stacked: list[Stack],
    hyper: list[Hyper],
    warp: Warp,
    known_noise: Array,
    notes: tuple[str, ...] = (),
) -> Posterior:
    """Condition every stack on its observations: K = chol chol^T, alpha = K^-1 z."""
    cells: list[Cell] = []
    said = list(notes)
    for stack, h in zip(stacked, hyper, strict=True):
        there = stack.there
        ls = h.lengthscale[:, None, :]
        scaled = stack.x / ls
        k = kernel.value(squared_distance(scaled, scaled))
        k *= h.signal[:, None, None]
        same = same_arm(stack.row, stack.row)
        factor = _factor(stack.codes, stack.codes, h.rho, same, stack)
        if factor is not None:
            k *= factor
        k += h.arm[:, None, None] * same
        k *= there[:, :, None] & there[:, None, :]
        noise = np.where(there, h.noise[:, None] + known_noise[stack.index], 1.0)
        diagonal = np.arange(k.shape[1])
        k[:, diagonal, diagonal] += noise
        chol, jitter = cholesky(k if len(k) > 1 else k[0])
        if jitter:
            said.append(f"covariance of {k.shape[1]} observations needed jitter {jitter:g}")
        inverse = inverse_factor(chol.reshape(k.shape))
        z = np.where(there, warp.z[stack.index], 0.0) if len(warp.z) else np.zeros(there.shape)
        white = np.einsum("sij,sj->si", inverse, z)
        alpha = np.einsum("sij,si->sj", inverse, white)
        cells.append(Cell(stack, h, inverse, alpha, noise, z - noise * alpha))
    return Posterior(layout, kernel, tuple(cells), warp, tuple(said))
