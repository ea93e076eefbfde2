"""What many draws say of the arms' optima: which arm is best, what is still to be had.

Notation
--------
    N        draws, each under hyper-parameters and a transform of its own
    f*_c     maximum of a draw in arm c, over the candidates of its group
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditbo.bandit.candidates import Frame, best_points, candidates
from banditbo.model import Belief, draw

__all__ = ["Outlook", "outlook"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Outlook:
    """Beliefs on the scale of the values, to be maximised.

    probability (A,): that the arm is the best; mean, low, high (A,): of f* of the arm, with the
    5% and 95% points; improvement: expected gain of the best point there is over the recommended
    one; best: probability of the likeliest arm.
    """

    probability: Array
    mean: Array
    low: Array
    high: Array
    improvement: float

    @property
    def best(self) -> float:
        """Probability that the likeliest arm is the best."""
        return float(self.probability.max())


def outlook(
    belief: Belief, frame: Frame, open_arms: Bools, seed: np.random.Generator, n: int = 64
) -> Outlook:
    """Draw n functions for every arm and look at their maxima."""
    data = belief.data
    optimum = np.empty((n, len(frame.group)))
    gain, winner = np.empty(n), np.empty(n, dtype=np.intp)
    at_map = belief.posterior()
    unit = at_map.warp.scale.unit  # of the size of the values: nothing overflows
    index, fitted = at_map.observed()
    recommended = index[np.argmax(fitted)] if len(index) else None
    for i in range(n):
        posterior = belief.posterior(seed)
        anchors = best_points(frame, posterior, data.arm, data.point)
        points = candidates(frame, anchors, seed)
        # the anchors themselves are candidates: a maximum is never below the best point known
        known = np.minimum(anchors.count, points.shape[1])
        for g in np.nonzero(known)[0]:
            points[g, : known[g]] = anchors.point[g, : known[g]]
        function = draw(posterior, seed)
        peak = function.screen(points).max(axis=1)
        winner[i] = np.argmax(np.where(open_arms, peak, -np.inf))
        best = float(peak[winner[i]])
        optimum[i] = posterior.warp.inverse(peak) / unit
        gain[i] = 0.0
        if recommended is not None:
            arm, x = data.arm[[recommended]], data.point[[recommended]]
            here = float(function.value(arm, x)[0])
            both = posterior.warp.inverse(np.array([max(best, here), here]))
            gain[i] = both[0] / unit - both[1] / unit
    wins = np.bincount(winner, minlength=len(frame.group))
    low, high = np.quantile(optimum, (0.05, 0.95), axis=0) * unit
    improvement = float(np.mean(gain)) * unit if recommended is not None else np.inf
    return Outlook(wins / n, optimum.mean(axis=0) * unit, low, high, improvement)
