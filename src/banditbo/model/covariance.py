"""The covariance between observations of arms that share one Gaussian process.

Notation
--------
    S, n, m   blocks, observations of one, other points
    x         (S, n, D)   points in the unit cube
    codes     (S, n, J)   levels of the decisions that tell the arms of the block apart
    row       (S, n)      which arm of the block

    k((c, x), (c', x')) = s2 * prod_j rho_j^[c_j != c'_j] * k(x, x') + a2 * [c = c']

A correlation rho of 0 is the paper's independence, 1 one function common to all arms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

__all__ = ["arm_factor", "cholesky", "inverse_factor", "same_arm"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

#: Relative jitters tried in turn until a covariance factorises.
JITTERS = (0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)


def arm_factor(codes: Ints, other: Ints, rho: Array) -> Array | None:
    """Correlation between arms: product over decisions of rho_j where they differ.

    Returns None when there is nothing to multiply by.

    >>> a = np.array([[[0, 0], [0, 1]]])
    >>> arm_factor(a, a, np.array([[0.5, 0.2]]))[0].tolist()
    [[1.0, 0.2], [0.2, 1.0]]
    """
    out: Array | None = None
    for j in range(codes.shape[-1]):
        equal = codes[..., :, None, j] == other[..., None, :, j]
        factor = np.where(equal, 1.0, rho[..., j][..., None, None])
        out = factor if out is None else np.multiply(out, factor, out=out)
    return out


def same_arm(row: Ints, other: Ints) -> NDArray[np.bool_]:
    """Tell which pairs of observations are of one arm."""
    return np.asarray(row[..., :, None] == other[..., None, :])


def cholesky(k: Array) -> tuple[Array, float]:
    """Lower Cholesky factor of one matrix or of a stack, and the relative jitter it took.

    >>> cholesky(np.ones((2, 2)))[1] > 0.0
    True
    """
    diagonal = np.einsum("...ii->...i", k)
    scale = float(np.max(diagonal)) if diagonal.size else 1.0
    for jitter in JITTERS if np.isfinite(k).all() else ():
        if jitter:
            k = k + jitter * scale * np.eye(k.shape[-1])
        if k.ndim == 2:
            factor, info = lapack.dpotrf(k, lower=1, clean=1)
            if info == 0:
                return np.asarray(factor), jitter
        else:
            try:
                return np.asarray(np.linalg.cholesky(k), dtype=np.float64), jitter
            except np.linalg.LinAlgError:
                continue
    # A matrix with infinities or nans in it: independence is what is left.
    eye = np.eye(k.shape[-1])
    return np.asarray(
        np.broadcast_to(eye * np.sqrt(scale if np.isfinite(scale) else 1.0), k.shape)
    ), 1.0


def inverse_factor(factor: Array) -> Array:
    """Inverse of a lower Cholesky factor, or of a stack of them."""
    if factor.ndim == 3:
        if len(factor) > 1:
            return np.asarray(np.linalg.inv(factor)) if factor.size else factor
        return inverse_factor(factor[0])[None]
    if factor.shape[-1] == 0:
        return factor
    inverse, _ = lapack.dtrtri(factor, lower=1)
    return np.asarray(inverse)
