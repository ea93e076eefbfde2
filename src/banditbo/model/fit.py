"""Hyper-parameters of every block and the exponent of the transform, from the observations.

The fit is a chain: at certain lengths of the history (all up to DENSE_UNTIL, then growing by
GROWTH) every block that has news is fitted, starting from where it was at the length before.
It is therefore a function of the history alone, in whatever process it is computed, and a
fit that another process did before can be had again. What is kept here is a cache and may be
lost at any time. Maximum likelihood, the paper's, has no chain: every arm is fitted anew.

Notation
--------
    theta    (p,)   hyper-parameters of a block; their posterior is taken as normal around the
                    maximum, with the Fisher information and the prior as its precision
    weights  (E,)   posterior probabilities of the exponents, given the thetas
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from banditbo.model.layout import Layout, Observations, Stack, stacks, thin
from banditbo.model.likelihood import BlockData, fisher, loss, whiten
from banditbo.model.posterior import Posterior, condition
from banditbo.model.setting import Hyper, ModelSetting
from banditbo.model.transforms import EXPONENTS, Warp, warp

__all__ = ["Belief", "BlockFit", "Fit", "Model", "checkpoints"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

#: The chain has a link for every observation up to here, then links growing by GROWTH.
DENSE_UNTIL = 16
GROWTH = 1.15

#: Lengthscales from which a likelihood without a prior, which has many maxima, is climbed.
ML_STARTS = (0.1, 0.3, 1.0)

#: Up to so many observations of a block its fit is also started from the prior.
RESTART_UNTIL = 100

#: Hyper-parameters are fitted on at most this many observations of a block.
FIT_LIMIT = 300


def checkpoints(n: int) -> list[int]:
    """Lengths of the history at which there is a fit, up to n.

    >>> checkpoints(3), checkpoints(20)[-3:]
    ([1, 2, 3], [15, 16, 19])
    """
    out = list(range(1, min(n, DENSE_UNTIL) + 1))
    while out and out[-1] >= DENSE_UNTIL and (following := int(np.ceil(out[-1] * GROWTH))) <= n:
        out.append(following)
    return out


@dataclass(frozen=True, slots=True)
class BlockFit:
    """The posterior of one block's hyper-parameters: maximum, and L with L^-T eps its spread."""

    theta: Array
    precision_factor: Array

    def draw(self, rng: np.random.Generator, bounds: Array) -> Array:
        """Draw theta, kept inside its bounds."""
        step = solve_triangular(
            self.precision_factor, rng.standard_normal(len(self.theta)), lower=True, trans=1
        )
        return np.clip(self.theta + step, bounds[:, 0], bounds[:, 1])


@dataclass(frozen=True, slots=True)
class Fit:
    """One link of the chain: a fit for every block, and what is believed of the exponent."""

    n: int
    blocks: tuple[BlockFit, ...]
    log_weights: Array

    @property
    def exponent(self) -> float:
        """The most probable exponent."""
        return float(EXPONENTS[int(np.argmax(self.log_weights))])


@dataclass(frozen=True, slots=True)
class Belief:
    """Everything known of the functions and hyper-parameters, given a history."""

    setting: ModelSetting
    layout: Layout
    data: Observations
    fit: Fit
    stacked: tuple[Stack, ...]
    notes: tuple[str, ...]

    def posterior(self, rng: np.random.Generator | None = None) -> Posterior:
        """Condition under drawn hyper-parameters and transform; at their maximum without rng."""
        setting, layout = self.setting, self.layout
        drawn = rng if setting.estimate == "drawn" else None
        warped = self._warp(drawn)
        factor = 1.0
        if drawn is not None and drawn.random() < setting.shorten:
            factor = float(drawn.choice((0.5, 0.25)))
        thetas: list[Array] = []
        for block, fitted in zip(layout.blocks, self.fit.blocks, strict=True):
            bounds = setting.prior(block.d, block.codes.shape[1])[2]
            if drawn is None:
                thetas.append(fitted.theta)
            else:
                thetas.append(fitted.draw(drawn, bounds))
        noise = warped.noise(self.data.noise)
        hyper = [self._hyper(stack, thetas, factor) for stack in self.stacked]
        return condition(
            layout, setting.kernel_function, list(self.stacked), hyper, warped, noise, self.notes
        )

    def _warp(self, rng: np.random.Generator | None) -> Warp:
        kind, exponent = self.setting.transform, self.fit.exponent
        if kind == "mixture":
            kind = "power" if rng is None or rng.random() < 0.5 else "ranks"
        if rng is not None and kind == "power":
            weight = np.exp(self.fit.log_weights - self.fit.log_weights.max())
            exponent = float(rng.choice(EXPONENTS, p=weight / weight.sum()))
        return warp(self.data.value, kind, exponent)

    def _hyper(self, stack: Stack, thetas: Sequence[Array], factor: float) -> Hyper:
        """Hyper-parameters of the cells of a stack, padded to its width."""
        s, width, j = len(stack.block), stack.x.shape[2], stack.codes.shape[2]
        out = Hyper(np.ones((s, width)), np.ones(s), np.ones(s), np.zeros((s, j)), np.ones(s))
        for i, b in enumerate(stack.block):
            block = self.layout.blocks[b]
            own = self.setting.unpack(thetas[b][None], block.d, block.codes.shape[1])
            out.lengthscale[i, : block.d] = own.lengthscale[0] * factor
            out.rho[i, : own.rho.shape[1]] = own.rho[0]
            out.signal[i], out.arm[i], out.noise[i] = own.signal[0], own.arm[0], own.noise[0]
        return out


class Model:
    """Fits histories of one space; remembers the links of the chain it has been through."""

    def __init__(self, groups: Sequence[tuple[int, Ints, Ints]], setting: ModelSetting) -> None:
        self.setting = setting
        self.layout = Layout.of(groups, setting.sharing)
        self._chain: dict[int, tuple[bytes, Fit]] = {}

    def believe(self, data: Observations) -> Belief:
        """Fit the history."""
        stacked, notes = stacks(self.layout, data)
        return Belief(
            self.setting, self.layout, data, self._fit(data), tuple(stacked), tuple(notes)
        )

    def _fit(self, data: Observations) -> Fit:
        if self.setting.estimate == "ml":
            return self._anew(data)
        links = checkpoints(len(data))
        seen = (n for n in reversed(links) if n in self._chain)
        known = next((n for n in seen if self._chain[n][0] == _fingerprint(data.first(n))), 0)
        fit = self._chain[known][1] if known else self._blank()
        for n in links:
            if n > known:
                fit = self._next(fit, data.first(n))
                self._chain[n] = (_fingerprint(data.first(n)), fit)
        return fit

    def _anew(self, data: Observations) -> Fit:
        """Fit every arm to all there is, from scratch, as the paper does: there is no chain."""
        digest = _fingerprint(data)
        if len(data) not in self._chain or self._chain[len(data)][0] != digest:
            fit = self._next(self._blank(), data) if len(data) else self._blank()
            self._chain = {len(data): (digest, fit)}
        return self._chain[len(data)][1]

    def _blank(self) -> Fit:
        by_shape: dict[tuple[int, int], BlockFit] = {}
        for block in self.layout.blocks:
            shape = (block.d, block.codes.shape[1])
            if shape not in by_shape:
                mean, precision, _ = self.setting.prior(*shape)
                by_shape[shape] = BlockFit(mean, np.diag(np.sqrt(np.maximum(precision, 1e-8))))
        fits = tuple(by_shape[b.d, b.codes.shape[1]] for b in self.layout.blocks)
        return Fit(0, fits, _exponent_prior())

    def _next(self, last: Fit, data: Observations) -> Fit:
        """Fit every block that has news since the last link, then weigh the exponents."""
        of_block = self.layout.block[data.arm]
        warped = warp(data.value, self._kind(), last.exponent)
        noise = warped.noise(data.noise)
        fits = list(last.blocks)
        for b in np.unique(of_block[last.n :]):
            members = np.nonzero(of_block == b)[0]
            if len(members) > FIT_LIMIT:
                members = thin(members, data.value, FIT_LIMIT)
            fits[b] = self._fit_block(
                fits[b], self._block_data(b, data, members, noise), warped.z[members]
            )
        log_weights = last.log_weights
        if self._kind() == "power":
            log_weights = self._weigh(fits, data, of_block, noise)
        return Fit(len(data), tuple(fits), log_weights)

    def _kind(self) -> str:
        return "power" if self.setting.transform == "mixture" else self.setting.transform

    def _block_data(self, b: int, data: Observations, members: Ints, noise: Array) -> BlockData:
        block = self.layout.blocks[b]
        row = self.layout.row[data.arm[members]]
        return BlockData(data.point[members, : block.d], block.codes[row], row, noise[members])

    def _fit_block(self, last: BlockFit, data: BlockData, z: Array) -> BlockFit:
        setting = self.setting
        mean, precision, bounds = setting.prior(data.d, data.j)
        starts = [last.theta]
        if setting.estimate == "ml":
            lengths = np.array([kind == "lengthscale" for kind in setting.layout(data.d, data.j)])
            starts = [np.where(lengths, np.log(scale), mean) for scale in ML_STARTS]
        elif len(z) <= RESTART_UNTIL and not np.array_equal(last.theta, mean):
            starts.append(mean)
        best, best_loss = last.theta, np.inf
        for start in starts:
            found = minimize(  # type: ignore[call-overload]  # the stubs know no array of bounds
                loss,
                start,
                args=(data, z, setting, (mean, precision)),
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={"maxiter": 40, "ftol": 1e-6, "gtol": 1e-3},
            )
            if np.isfinite(found.fun) and found.fun < best_loss - 1e-9:
                best, best_loss = found.x, float(found.fun)
        if setting.estimate != "drawn":
            return BlockFit(best, np.eye(len(best)))
        information = fisher(best, data, setting) + np.diag(precision)
        return BlockFit(best, np.asarray(np.linalg.cholesky(information), dtype=np.float64))

    def _weigh(
        self, fits: list[BlockFit], data: Observations, of_block: Ints, noise: Array
    ) -> Array:
        """Log posterior of every exponent, the thetas given: likelihood, Jacobian and prior."""
        warps = [warp(data.value, "power", e) for e in EXPONENTS]
        z = np.stack([w.z for w in warps], axis=1)
        out = np.array([w.log_jacobian for w in warps]) + _exponent_prior()
        for b in np.unique(of_block):
            members = np.nonzero(of_block == b)[0]
            if len(members) > FIT_LIMIT:
                members = thin(members, data.value, FIT_LIMIT)
            inverse, _ = whiten(
                fits[b].theta, self._block_data(b, data, members, noise), self.setting
            )
            white = inverse @ z[members]
            out -= 0.5 * np.einsum("ne,ne->e", white, white)
        return np.asarray(out - out.max())


def _exponent_prior() -> Array:
    """Log-normal around 1, weak: a factor of three either way costs half a unit."""
    return np.asarray(-0.5 * (np.log(EXPONENTS) / np.log(3.0)) ** 2)


def _fingerprint(data: Observations) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in (data.arm, data.point, data.value, data.noise):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.digest()
