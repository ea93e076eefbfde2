import numpy as np
import pytest

from banditbo.bandit import Frame, best_points, candidates, how_many
from banditbo.bandit.candidates import ANCHORS, CANDIDATES, Anchors
from banditbo.space import Categorical, Choice, Float, Int, Space


def no_anchors(frame):
    return Anchors(
        np.full((len(frame.dims), ANCHORS, frame.width), 0.5), np.zeros(len(frame.dims), int)
    )


def test_frame_measures_the_space(scene, tools):
    frame = scene.frame
    assert frame.width == 3
    assert frame.dims.tolist() == [1, 2, 3, 0]
    assert frame.group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert frame.continuous.tolist() == [
        [True, False, False],
        [True, True, False],
        [False, False, True],
        [False, False, False],
    ]
    assert frame.active.sum(axis=1).tolist() == [1, 2, 3, 0]
    assert frame.finite.tolist() == [False, False, False, True]
    for arm in tools.space.arms:
        assert frame.arm_with(arm.choices) is arm


def test_alternatives_that_python_takes_to_be_equal_are_told_apart():
    space = Space({"a": Categorical([True, 1, 1.0, 0, False])})
    frame = Frame.of(space)
    assert [frame.arm_with(arm.choices).index for arm in space.arms] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("anchored", [False, True])
def test_candidates_are_points_of_their_group(scene, rng, anchored):
    frame = scene.frame
    data = scene.belief.data
    anchors = no_anchors(frame)
    if anchored:
        anchors = best_points(frame, scene.belief.posterior(), data.arm, data.point)
    points = candidates(frame, anchors, rng)
    assert points.shape == (4, CANDIDATES, 3)
    assert ((points >= 0.0) & (points <= 1.0)).all()
    for g, group in enumerate(frame.space.groups):
        d = len(group.names)
        assert (points[g, :, d:] == 0.5).all()
        np.testing.assert_array_equal(points[g, :, :d], group.snap(points[g, :, :d]))
    assert set(points[2, :, 0]) == {0.1, 0.3, 0.5, 0.7, 0.9}
    assert len(np.unique(points[1], axis=0)) > 0.8 * CANDIDATES


def test_half_of_the_candidates_are_near_the_anchors(scene, rng):
    frame = scene.frame
    anchors = no_anchors(frame)
    anchors.point[1, 0, :2] = 0.25, 0.75
    anchors.count[1] = 1
    points = candidates(frame, anchors, rng)
    gap = np.abs(points[1, :, :2] - [0.25, 0.75]).max(axis=1)
    near = gap < 0.03
    assert 0.25 < near[CANDIDATES // 2 :].mean() < 0.75
    assert near[: CANDIDATES // 2].mean() < 0.02
    uniform = points[1, : CANDIDATES // 2, :2]
    assert np.abs(uniform.mean(axis=0) - 0.5).max() < 4.5 * 0.289 / np.sqrt(CANDIDATES / 2)
    # a group without anchors is uniform all over
    assert np.abs(points[0, :, 0].mean() - 0.5) < 4.5 * 0.289 / np.sqrt(CANDIDATES)


def test_small_finite_groups_are_listed_in_full(rng):
    space = Space(
        {"c": Choice({"a": {"n": Int(1, 9), "m": Int(1, 100, log=True, default=3)}, "b": None})}
    )
    frame = Frame.of(space)
    assert frame.grids[0] is None  # 900 points
    space = Space({"c": Choice({"a": {"n": Int(1, 9), "m": Int(1, 50, log=True)}, "b": None})})
    frame = Frame.of(space)
    points = candidates(frame, no_anchors(frame), rng)
    found = {tuple(space.decode(space.arms[0], p).values()) for p in points[0]}
    assert len(found) == 450
    assert (points[1] == 0.5).all()


def test_best_points_have_the_highest_posterior_mean(tools):
    scene = tools.make_scene(n=60)
    frame, data = scene.frame, scene.belief.data
    posterior = scene.belief.posterior()
    anchors = best_points(frame, posterior, data.arm, data.point)
    mean, _ = posterior.mean_variance(data.arm, data.point)
    for g in range(4):
        members = np.nonzero(frame.group[data.arm] == g)[0]
        count = min(len(members), ANCHORS)
        assert anchors.count[g] == count
        best = members[np.argsort(-mean[members], kind="stable")][:count]
        got = {tuple(p) for p in anchors.point[g, :count]}
        if g != 3:
            assert got == {tuple(p) for p in data.point[best]}


def test_without_observations_there_are_no_anchors(tools):
    scene = tools.make_scene(n=0)
    data = scene.belief.data
    anchors = best_points(scene.frame, scene.belief.posterior(), data.arm, data.point)
    assert anchors.count.tolist() == [0, 0, 0, 0]


def test_a_wide_float_space(rng):
    space = Space({"x": Float(-1e308, 1e308), "y": Float(1e-300, 1e300, log=True)})
    frame = Frame.of(space)
    points = candidates(frame, no_anchors(frame), rng)
    for p in points[0, :20]:
        space.validate(space.decode(space.arms[0], p))


def test_many_observations_leave_fewer_candidates_and_grids_whole():
    free = Frame.of(Space({"x": Float(0, 1)}))
    assert [how_many(free, n) for n in (0, 250, 400, 10**6)] == [512, 512, 320, 64]
    listed = Frame.of(Space({"n": Int(1, 500)}))
    assert how_many(listed, 10**6) == 500


@pytest.mark.parametrize("m", [64, 151, 320])
def test_any_number_of_candidates(m):
    frame = Frame.of(Space({"x": Float(0, 1), "y": Float(0, 1)}))
    anchors = Anchors(np.full((1, ANCHORS, 2), 0.25), np.array([2]))
    assert candidates(frame, anchors, np.random.default_rng(0), m).shape == (1, m, 2)
