"""Functions drawn from a posterior: cheap to evaluate anywhere, with gradients.

Pathwise conditioning (Wilson et al., 2020): a draw from the prior, made of random Fourier
features, is corrected by the exact kernel update so that it passes through the data:

    f(c, x) = f0(c, x) + v(c, x) . K^-1 (z - f0(data) - eps),     eps ~ N(0, noise)

    f0(c, x) = sqrt(2 s2 / F) sum_f w_cf cos(omega_f . x / l + phase_f)  +  sqrt(a2) u_c

The weights w of the arms of a cell have the arms' correlation as their covariance. Frequencies
are drawn anew for every function, so that mean and covariance over draws are those of the
exact posterior, for any number of features F.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditbo.model.covariance import arm_factor, cholesky
from banditbo.model.posterior import Cell, Posterior

__all__ = ["FEATURES", "Draw", "draw"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

#: Random features of one draw.
FEATURES = 256


@dataclass(frozen=True, slots=True)
class CellDraw:
    """A prior draw of a stack of cells and its correction.

    omega (S, F, D) is scaled by the lengthscales; weight (S, R, F); level (S, R);
    correction (S, n) is K^-1 (z - f0(data) - eps).
    """

    omega: Array
    phase: Array
    weight: Array
    level: Array
    correction: Array


@dataclass(frozen=True, slots=True)
class Draw:
    """One function for every arm, drawn together."""

    posterior: Posterior
    parts: tuple[CellDraw, ...]

    def screen(self, points: Array) -> Array:
        """Values (A, M) of all arms at the candidates of their group (G, M, D)."""
        posterior = self.posterior
        out = np.empty((len(posterior.layout.block), points.shape[1]))
        for cell, part in zip(posterior.cells, self.parts, strict=True):
            stack = cell.stack
            at_s, at_row = np.nonzero(stack.arms >= 0)
            x = points[posterior.layout.group[stack.arms[:, 0]]]
            values = part.weight @ np.swapaxes(_features(x, part), 1, 2) + part.level[:, :, None]
            mean = posterior.cell_mean(cell, x, part.correction)
            out[stack.arms[at_s, at_row]] = (values + mean)[at_s, at_row]
        return out

    def value(self, arms: Ints, x: Array) -> Array:
        """Values (P,) of the drawn functions of arms (P,) at points (P, D)."""
        return self.value_and_slope(arms, x)[0]

    def value_and_slope(self, arms: Ints, x: Array) -> tuple[Array, Array]:
        """Values (P,) and gradients (P, D)."""
        value, slope = np.empty(len(arms)), np.empty(x.shape)
        by_cell = {id(c): p for c, p in zip(self.posterior.cells, self.parts, strict=True)}
        for cell, s, which, rows in self.posterior.place(arms):
            part = by_cell[id(cell)]
            at = x[which]
            angle = at @ part.omega[s].T + part.phase[s]
            w = part.weight[s][rows]
            v, steep = self.posterior.cross(cell, s, rows, at)
            value[which] = (
                np.einsum("pf,pf->p", w, np.cos(angle))
                + part.level[s][rows]
                + v @ part.correction[s]
            )
            weight = steep * part.correction[s]
            pull = at * weight.sum(axis=1)[:, None] - weight @ cell.stack.x[s]
            slope[which] = -(w * np.sin(angle)) @ part.omega[s]
            slope[which] += 2.0 * pull / cell.hyper.lengthscale[s] ** 2
        return value, slope


def _features(x: Array, part: CellDraw) -> Array:
    """Fourier features (S, M, F)."""
    angle = x @ np.swapaxes(part.omega, 1, 2)
    angle += part.phase[:, None, :]
    return np.asarray(np.cos(angle, out=angle))


def draw(posterior: Posterior, rng: np.random.Generator, features: int = FEATURES) -> Draw:
    """Draw one function for every arm. Cost: n F (D + R) a cell."""
    return Draw(posterior, tuple(_draw_cell(posterior, c, rng, features) for c in posterior.cells))


def _draw_cell(
    posterior: Posterior, cell: Cell, rng: np.random.Generator, features: int
) -> CellDraw:
    stack, hyper = cell.stack, cell.hyper
    s, r = stack.arms.shape
    d = stack.x.shape[2]
    omega = posterior.kernel.frequencies(rng, s * features, d).reshape(s, features, d)
    omega = omega / hyper.lengthscale[:, None, :]
    phase = rng.uniform(0.0, 2.0 * np.pi, (s, features))
    noise = rng.standard_normal(stack.index.shape)
    level = np.sqrt(hyper.arm)[:, None] * rng.standard_normal((s, r))
    weight = np.stack([_arm_weights(cell, i, rng, features) for i in range(s)])
    weight *= np.sqrt(2.0 * hyper.signal / features)[:, None, None]
    prior = CellDraw(omega, phase, weight, level, np.zeros(stack.index.shape))
    own = np.take_along_axis(weight, stack.row[:, :, None], axis=1)
    at_data = np.einsum("snf,snf->sn", own, _features(stack.x, prior))
    at_data += np.take_along_axis(level, stack.row, axis=1) + np.sqrt(cell.noise) * noise
    at_data *= stack.there
    white = np.einsum("sij,sj->si", cell.inverse, at_data)
    correction = cell.alpha - np.einsum("sij,si->sj", cell.inverse, white)
    return CellDraw(omega, phase, weight, level, correction)


def _arm_weights(cell: Cell, s: int, rng: np.random.Generator, features: int) -> Array:
    """Standard normal weights (R, F) whose covariance over the arms is the arms' correlation.

    Where the decisions' levels make a full table, the square root of the correlation is applied
    one decision at a time: for one decision of q levels, (1 - rho) I + rho 11^T has the root
    sqrt(1 - rho) (I - 11^T / q) + sqrt(1 - rho + q rho) 11^T / q.
    """
    stack = cell.stack
    codes, rho = stack.arm_codes[s], cell.hyper.rho[s]
    r, j = codes.shape
    if r == 1 or not rho.any():
        return rng.standard_normal((r, features))
    sizes = codes.max(axis=0) + 1
    if np.prod(sizes, dtype=float) > 4.0 * r + 64.0:
        factor = arm_factor(codes, codes, rho)
        return np.asarray(cholesky(np.asarray(factor))[0] @ rng.standard_normal((r, features)))
    table = rng.standard_normal((*sizes, features))
    for k in range(j):
        mean = table.mean(axis=k, keepdims=True)
        spread, common = np.sqrt(1.0 - rho[k]), np.sqrt(1.0 - rho[k] + sizes[k] * rho[k])
        table = spread * (table - mean) + common * mean
    return np.asarray(table[tuple(codes.T)])
