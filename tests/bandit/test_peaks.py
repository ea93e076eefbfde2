import itertools

import numpy as np
import pytest

from banditbo.bandit import (
    DrawnFunction,
    ExpectedImprovement,
    Taken,
    UpperBound,
    best_points,
    candidates,
    find_peaks,
)
from banditbo.model import draw, screening

NOTHING = Taken(np.zeros(0, dtype=int), np.zeros((0, 3)))


def score_of(name, scene, seed=0):
    posterior = scene.belief.posterior()
    return {
        "draw": lambda: DrawnFunction(draw(posterior, np.random.default_rng(seed))),
        "ei": lambda: ExpectedImprovement.over_best_mean(posterior),
        "feasible ei": lambda: ExpectedImprovement.over_best_mean(posterior, scene.feasibility),
        "ucb": lambda: UpperBound(posterior, 2.0),
        "feasible ucb": lambda: UpperBound(posterior, 2.0, scene.feasibility),
    }[name]()


def peaks_of(score, scene, rng, open_arms=None, taken=NOTHING):
    data = scene.belief.data
    anchors = best_points(scene.frame, scene.belief.posterior(), data.arm, data.point)
    points = candidates(scene.frame, anchors, rng)
    n_arms = len(scene.frame.group)
    is_open = np.ones(n_arms, dtype=bool) if open_arms is None else open_arms
    return find_peaks(score, scene.frame, points, is_open, taken), points


def brute_force(score, scene, arm):
    """The maximum of a score in one arm, on a grid."""
    frame = scene.frame
    group = frame.space.groups[frame.group[arm]]
    axes = [
        np.linspace(0, 1, {1: 1001, 2: 81, 3: 201}[len(group.names)])
        if np.isinf(cells)
        else (np.arange(int(cells)) + 0.5) / cells
        for cells in group.cells
    ]
    grid = np.array(list(itertools.product(*axes))).reshape(-1 if axes else 1, len(axes))
    x = np.full((len(grid), frame.width), 0.5)
    x[:, : grid.shape[1]] = grid
    return score.value(np.full(len(x), arm), x).max()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", ["draw", "ei", "feasible ei", "ucb", "feasible ucb"])
def test_peaks_are_those_of_a_dense_grid(tools, name, seed):
    scene = tools.make_scene(n=14, seed=seed)
    score = score_of(name, scene, seed)
    peaks, _ = peaks_of(score, scene, np.random.default_rng(seed))
    best = np.array([brute_force(score, scene, arm) for arm in range(8)])
    order = np.argsort(-best)
    mixed = [4, 5]  # coordinates on a grid stay where the best candidate has them
    for arm in range(8):
        climbed = arm in order[:2] and arm not in mixed
        assert peaks.value[arm] > best[arm] - (0.01 if climbed else 0.8)
        assert peaks.value[arm] < best[arm] + 0.02
    if order[0] not in mixed:
        assert peaks.arm == order[0]
    np.testing.assert_allclose(
        score.value(np.arange(8), peaks.point), peaks.value, rtol=1e-9, atol=1e-9
    )


def test_bounds_are_replaced_by_values(tools, monkeypatch):
    for seed in range(4):
        scene = tools.make_scene(n=20, seed=seed)
        score = score_of("ei", scene)
        exact, _ = peaks_of(score, scene, np.random.default_rng(1))
        monkeypatch.setattr(screening, "DENSE", 0)
        got, _ = peaks_of(score, scene, np.random.default_rng(1))
        monkeypatch.undo()
        assert got.arm == exact.arm
        assert got.value.max() == pytest.approx(exact.value.max(), abs=0.01)
        at = np.isfinite(got.value)
        np.testing.assert_allclose(
            score.value(np.nonzero(at)[0], got.point[at]), got.value[at], atol=1e-9
        )


@pytest.mark.parametrize("name", ["draw", "ei", "ucb"])
def test_closed_arms_have_no_peak(scene, rng, name):
    open_arms = np.array([True, False] * 4)
    peaks, _ = peaks_of(score_of(name, scene), scene, rng, open_arms)
    assert np.isfinite(peaks.value).tolist() == open_arms.tolist()
    assert open_arms[peaks.arm]


@pytest.mark.parametrize("name", ["draw", "ei", "ucb"])
def test_peaks_are_points_of_the_space(scene, name):
    for seed in range(5):
        peaks, _ = peaks_of(score_of(name, scene, seed), scene, np.random.default_rng(seed))
        for arm in scene.frame.space.arms:
            group = scene.frame.space.groups[arm.group]
            d = len(group.names)
            point = peaks.point[arm.index]
            assert (point[d:] == 0.5).all()
            np.testing.assert_array_equal(point[:d], group.snap(point[:d]))


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("name", ["draw", "ei", "ucb"])
def test_taken_points_are_never_a_peak(scene, name, dense, monkeypatch):
    monkeypatch.setattr(screening, "DENSE", 1e8 if dense else 0)
    score = score_of(name, scene)
    arm, point = np.array([6, 7]), np.full((2, 3), 0.5)  # the arms without parameters
    for _ in range(6):
        taken = Taken(arm, point)
        peaks, _ = peaks_of(score, scene, np.random.default_rng(0), taken=taken)
        for c in range(8):
            assert not np.isfinite(peaks.value[c]) or not taken.has(c, peaks.point[c])
        assert not np.isfinite(peaks.value[6:]).any()
        arm = np.append(arm, peaks.arm)
        point = np.vstack([point, peaks.point[peaks.arm]])


def test_when_all_is_taken_nothing_is_left(scene, rng):
    score = score_of("ei", scene)
    open_arms = np.arange(8) >= 6
    taken = Taken(np.array([6, 7]), np.full((2, 3), 0.5))
    peaks, _ = peaks_of(score, scene, rng, open_arms, taken)
    assert (peaks.value == -np.inf).all()


def test_the_same_point_of_another_arm_is_free(scene, rng):
    taken = Taken(np.array([6]), np.full((1, 3), 0.5))
    peaks, _ = peaks_of(score_of("ei", scene), scene, rng, taken=taken)
    assert np.isfinite(peaks.value).tolist() == [True] * 6 + [False, True]
