"""Variances of all arms of a cell at shared candidates, as cheaply as the cell allows.

Notation
--------
    u   (M, n)   s2 k(x, x_i): covariance of a candidate with the observations, arms left aside
    P   (n, n)   K^-1
    v            covariance of arm c at x with the observations: u_i times the arms' correlation,
                 plus a2 where observation i is of arm c

With one decision the correlation is rho + (1 - rho) [c_i = c], so v = rho u + (1 - rho) D_c u +
a2 1_c, where D_c keeps the observations of arm c. Then v'Pv is a sum of six terms, none of which
needs more than products of the size n^2 M for all arms together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from banditbo.model.posterior import Cell

__all__ = ["DENSE", "variances"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Multiplications that variances arm by arm may cost.
DENSE = 1e8

#: A matrix with a smaller share of entries than this is multiplied entry by entry.
SPARSE = 0.1


def variances(cell: Cell, u: Array, same: Bools, factor: Array | None) -> tuple[Array, bool]:
    """Variances (S, R, M) of all arms, u (S, M, n); exact, or upper bounds.

    ``same`` (S, R, n) tells which observations are of the arm, ``factor`` their correlation.
    """
    s, m, n = u.shape
    r, j = same.shape[1], cell.stack.codes.shape[2]
    if s == 1 and j == 1 and r > 2 and n > 0:
        return _one_decision(cell, u[0], same[0]), True
    if s * r * m * n**2 <= DENSE:
        return _each_arm(cell, u, same, factor), True
    return _bound(cell, u, same), False


def _each_arm(cell: Cell, u: Array, same: Bools, factor: Array | None) -> Array:
    """Exact variances, one solve a pair. Cost: R M n^2."""
    s, m, n = u.shape
    v = u[:, None] if factor is None else u[:, None] * factor[:, :, None, :]
    v = v + (cell.hyper.arm[:, None, None] * same)[:, :, None, :]
    w = v.reshape(s, v.shape[1] * m, n) @ np.swapaxes(cell.inverse, 1, 2)
    gone = np.einsum("spn,spn->sp", w, w).reshape(s, v.shape[1], m)
    return np.asarray(cell.prior_variance[:, None, None] - gone)


def _one_decision(cell: Cell, u: Array, same: Bools) -> Array:
    """Exact variances where one decision tells the arms apart. Cost: n^2 M for all arms."""
    rho, level = float(cell.hyper.rho[0, 0]), float(cell.hyper.arm[0])
    lower, _ = lapack.dlauum(cell.inverse[0], lower=1)
    p = np.tril(lower) + np.tril(lower, -1).T
    row = cell.stack.row[0]
    own = p * (row[:, None] == row[None, :])
    by_own = u @ own if np.count_nonzero(own) > SPARSE * own.size else (csr_array(own) @ u.T).T
    member = same.astype(float)  # (R, n)
    common = u * (u @ p)  # its sum is u'Pu, its sums by arm u'D_c P u
    by_arm = 2.0 * rho * common
    by_arm += (1.0 - rho) * u * by_own
    by_arm += (2.0 * level * own.sum(axis=1)) * u
    gone = (1.0 - rho) * (member @ by_arm.T)
    gone += rho**2 * common.sum(axis=1)
    to_arm = p @ member.T  # P 1_c for every arm (n, R)
    gone += 2.0 * level * rho * (u @ to_arm).T
    gone += level**2 * np.einsum("rn,nr->r", member, to_arm)[:, None]
    return np.asarray(cell.prior_variance[0] - gone)[None]


def _bound(cell: Cell, u: Array, same: Bools) -> Array:
    """Upper bounds: the variance that the arm's nearest observation alone leaves."""
    s, m, _ = u.shape
    known = np.zeros((s, same.shape[1], m))
    for i in range(s):
        there = cell.stack.there[i]
        order = np.argsort(cell.stack.row[i][there], kind="stable")
        present, start = np.unique(cell.stack.row[i][there][order], return_index=True)
        if len(present):
            own = u[i][:, there][:, order]
            own += cell.hyper.arm[i]
            own /= np.sqrt(cell.prior_variance[i] + cell.noise[i][there][order])
            known[i, present] = np.maximum.reduceat(own, start, axis=1).T
    return np.asarray(cell.prior_variance[:, None, None] - known**2)
