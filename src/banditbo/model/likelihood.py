"""How well hyper-parameters explain one block: likelihood, gradient, Fisher information.

Notation
--------
    z      (n,)     values on the modelled scale
    K      (n, n)   covariance of the observations, noise included; R = chol(K)^-1
    alpha  (n,)     K^-1 z
    G      (n, n)   (K^-1 - alpha alpha^T) / 2: the derivative of the loss by K
Cost: n^3 for the factor and its inverse, n^2 (d + J) for the gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditbo.model.covariance import arm_factor, cholesky, inverse_factor, same_arm
from banditbo.model.kernels import squared_distance
from banditbo.model.setting import Hyper, ModelSetting

__all__ = ["BlockData", "Terms", "covariance_terms", "fisher", "loss", "whiten"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class BlockData:
    """Observations of one block: x (n, d), codes (n, J), row (n,), known noise variance (n,)."""

    x: Array
    codes: Ints
    row: Ints
    noise: Array

    @property
    def d(self) -> int:
        """Number of numeric parameters."""
        return int(self.x.shape[1])

    @property
    def j(self) -> int:
        """Number of decisions that tell the arms apart."""
        return int(self.codes.shape[1])


@dataclass(frozen=True, slots=True)
class Terms:
    """The covariance and the pieces of it that its derivatives need."""

    total: Array
    function: Array  # s2 * arms * k(x, x')
    steep: Array  # s2 * arms * slope
    same: NDArray[np.bool_] | None
    hyper: Hyper


def covariance_terms(theta: Array, data: BlockData, setting: ModelSetting) -> Terms:
    """Build K at theta (p,), keeping the pieces."""
    hyper = setting.unpack(theta[None], data.d, data.j)
    scaled = data.x / hyper.lengthscale[0]
    function, steep = setting.kernel_function.value_and_slope(squared_distance(scaled, scaled))
    same: NDArray[np.bool_] | None = None
    if setting.arm_effect or setting.sharing == "shared":
        same = same_arm(data.row, data.row)
    factor: Array | None
    if setting.sharing == "shared":
        factor = np.asarray(same, dtype=float)
    else:
        factor = arm_factor(data.codes, data.codes, hyper.rho[0])
    if factor is not None:
        function *= factor
        steep *= factor
    function *= hyper.signal[0]
    steep *= hyper.signal[0]
    total = function + hyper.arm[0] * same if same is not None else function.copy()
    total[np.diag_indices_from(total)] += hyper.noise[0] + data.noise
    return Terms(total, function, steep, same, hyper)


def loss(
    theta: Array, data: BlockData, z: Array, setting: ModelSetting, prior: tuple[Array, Array]
) -> tuple[float, Array]:
    """Negative log posterior of theta up to a constant, and its gradient (p,)."""
    terms = covariance_terms(theta, data, setting)
    factor, _ = cholesky(terms.total)
    inverse = inverse_factor(factor)
    white = inverse @ z
    alpha = white @ inverse
    g = inverse.T @ inverse
    g -= np.outer(alpha, alpha)
    g *= 0.5
    mean, precision = prior
    gap = theta - mean
    value = 0.5 * float(white @ white) + float(np.sum(np.log(np.diagonal(factor))))
    value += 0.5 * float(gap @ (precision * gap))
    return value, _gradient(terms, g, data, setting, len(theta)) + precision * gap


def _gradient(terms: Terms, g: Array, data: BlockData, setting: ModelSetting, p: int) -> Array:
    """Contract G with dK/dtheta, entry by entry."""
    out = np.empty(p)
    w = g * terms.steep
    # sum_ij w_ij (x_id - x_jd)^2 for every d at once, as matrix products
    apart = 2.0 * (data.x**2).T @ w.sum(axis=1) - 2.0 * np.einsum("id,id->d", data.x, w @ data.x)
    by_scale = -2.0 * apart / terms.hyper.lengthscale[0] ** 2
    at = min(data.d, 1) if setting.isotropic else data.d
    out[:at] = by_scale.sum() if setting.isotropic else by_scale
    gf = g * terms.function
    out[at] = gf.sum()
    at += 1
    if setting.arm_effect:
        out[at] = terms.hyper.arm[0] * float(g[terms.same].sum())
        at += 1
    if setting.sharing == "correlated":
        for j in range(data.j):
            differ = data.codes[:, None, j] != data.codes[None, :, j]
            out[at] = (1.0 - terms.hyper.rho[0, j]) * float(gf[differ].sum())
            at += 1
    out[at] = terms.hyper.noise[0] * float(np.trace(g))
    return out


def fisher(theta: Array, data: BlockData, setting: ModelSetting) -> Array:
    """Fisher information of theta (p, p): tr(K^-1 dK_i K^-1 dK_j) / 2; never indefinite.

    Cost: p n^3.
    """
    terms = covariance_terms(theta, data, setting)
    inverse = inverse_factor(cholesky(terms.total)[0])
    slopes: list[Array] = []
    pieces = [
        -2.0
        * terms.steep
        * (data.x[:, None, d] - data.x[None, :, d]) ** 2
        / terms.hyper.lengthscale[0, d] ** 2
        for d in range(data.d)
    ]
    slopes += [np.sum(pieces, axis=0)] if setting.isotropic and pieces else pieces
    slopes.append(terms.function)
    if setting.arm_effect:
        slopes.append(terms.hyper.arm[0] * np.asarray(terms.same, dtype=float))
    if setting.sharing == "correlated":
        for j in range(data.j):
            differ = data.codes[:, None, j] != data.codes[None, :, j]
            slopes.append((1.0 - terms.hyper.rho[0, j]) * terms.function * differ)
    slopes.append(terms.hyper.noise[0] * np.eye(len(data.x)))
    whitened = np.stack([inverse @ s @ inverse.T for s in slopes]).reshape(len(slopes), -1)
    return np.asarray(0.5 * whitened @ whitened.T)


def whiten(theta: Array, data: BlockData, setting: ModelSetting) -> tuple[Array, float]:
    """Return R and log det K / 2, for the likelihoods of several transforms of the values."""
    factor, _ = cholesky(covariance_terms(theta, data, setting).total)
    return inverse_factor(factor), float(np.sum(np.log(np.diagonal(factor))))
