import numpy as np
import pytest

from banditbo.model import Feasibility, Layout


@pytest.fixture
def feasibility(tools, rng):
    layout = Layout.of(tools.groups, "correlated")
    arm = rng.choice([0, 3, 5, 1, 2, 4], 30)
    point = rng.random((30, 3))
    point[np.arange(3) >= layout.dims[arm][:, None]] = 0.5
    return Feasibility(layout, arm, point, (rng.random(30) < 0.4).astype(float))


def test_failure_is_its_formula(feasibility, tools, rng):
    arms, x = tools.probes(feasibility.layout, rng)
    p, _ = feasibility.failure(arms, x)
    group = feasibility.layout.group
    for i, (c, at) in enumerate(zip(arms, x, strict=True)):
        total, lost = 0.5, 0.02 * 0.5
        for d, point, failed in zip(
            feasibility.arm, feasibility.point, feasibility.failed, strict=True
        ):
            near = np.exp(-0.5 * np.sum(((at - point) / 0.25) ** 2))
            weight = 0.2 + 0.8 * near if c == d else 0.25 * near * (group[c] == group[d])
            total += weight
            lost += weight * failed
        assert p[i] == pytest.approx(lost / total, rel=1e-12)


def test_screen_is_failure(feasibility, tools, rng):
    points = tools.shared_points(feasibility.layout, rng)
    screened = feasibility.screen(points)
    for c in range(10):
        p, _ = feasibility.failure(np.full(7, c), points[feasibility.layout.group[c]])
        np.testing.assert_allclose(screened[c], p, rtol=1e-10)


def test_gradient(feasibility, tools, rng):
    arms, x = tools.probes(feasibility.layout, rng)
    _, slope = feasibility.failure(arms, x)
    numeric = tools.slope(lambda y: feasibility.failure(arms, y)[0], x)
    np.testing.assert_allclose(slope, numeric, atol=1e-7)


def test_it_is_a_probability(feasibility, tools, rng):
    for failed in (np.zeros(30), np.ones(30), feasibility.failed):
        other = Feasibility(feasibility.layout, feasibility.arm, feasibility.point, failed)
        p = other.screen(tools.shared_points(feasibility.layout, rng))
        assert ((p > 0.0) & (p < 1.0)).all()


def test_an_arm_that_always_fails_is_believed_to_fail_everywhere(tools, rng):
    layout = Layout.of(tools.groups, "correlated")
    n = 30
    arm = np.where(np.arange(n) < 15, 4, 6)
    point = rng.random((n, 3))
    feasibility = Feasibility(layout, arm, point, (arm == 4).astype(float))
    p = feasibility.screen(tools.shared_points(layout, rng, 50))
    assert p[4].min() > 0.7
    assert p[6].max() < 0.2
    assert p[2].max() < 0.05  # another group knows nothing of it


def test_failures_in_a_corner_stay_there(tools):
    layout = Layout.of(tools.groups, "correlated")
    rng = np.random.default_rng(0)
    point = np.full((60, 3), 0.5)
    point[:, :2] = rng.random((60, 2))
    failed = ((point[:, 0] > 0.6) & (point[:, 1] > 0.6)).astype(float)
    feasibility = Feasibility(layout, np.zeros(60, dtype=int), point, failed)
    corner, opposite = np.array([[0.9, 0.9, 0.5]]), np.array([[0.1, 0.1, 0.5]])
    zero = np.zeros(1, dtype=int)
    assert feasibility.failure(zero, corner)[0] > 2.0 * feasibility.failure(zero, opposite)[0]
