import numpy as np
import pytest
from scipy.integrate import quad

from banditbo.bandit import DrawnFunction, ExpectedImprovement, UpperBound
from banditbo.bandit.scores import log_improvement
from banditbo.model import draw


def exact_log_improvement(u):
    """log of phi(u) times the integral of t exp(u t - t^2/2): no cancellation for u < 0."""
    if u > -1:
        value = quad(
            lambda t: max(0.0, u + t) * np.exp(-t * t / 2), -u, 40, epsabs=0, epsrel=1e-12
        )
        return np.log(value[0] / np.sqrt(2 * np.pi))
    v = -u
    value = quad(lambda s: s * np.exp(-s - s * s / (2 * v * v)), 0, 60, epsabs=0, epsrel=1e-12)[0]
    return -0.5 * (v * v + np.log(2 * np.pi)) + np.log(value) - 2 * np.log(v)


@pytest.mark.parametrize(
    "u", [5.0, 1.0, 0.0, -0.5, -0.999, -1.0, -1.001, -3.0, -10.0, -40.0, -1e3, -9e3, -1.1e4, -1e6]
)
def test_log_improvement(u):
    got = log_improvement(np.array([u]), np.ones(1), 0.0)[0]
    assert got == pytest.approx(exact_log_improvement(u), rel=2e-15, abs=2e-8)


def test_log_improvement_of_another_scale():
    got = log_improvement(np.array([3.0]), np.array([0.5]), 2.0)[0]
    value = quad(
        lambda t: max(0.0, 1.0 + 0.5 * t) * np.exp(-t * t / 2) / np.sqrt(2 * np.pi), -2, 40
    )[0]
    assert got == pytest.approx(np.log(value), rel=1e-9)


def test_log_improvement_rises_with_the_mean():
    mean = -np.geomspace(1e5, 1e-3, 4000)
    value = log_improvement(mean, np.ones(4000), 0.0)
    assert np.isfinite(value).all()
    assert (np.diff(value) > 0).all()


def scores(scene, feasible):
    f = scene.feasibility if feasible else None
    posterior = scene.belief.posterior()
    return {
        "draw": DrawnFunction(draw(posterior, np.random.default_rng(0)), f),
        "ei": ExpectedImprovement.over_best_mean(posterior, f),
        "far ei": ExpectedImprovement(posterior, 6.0, f),
        "ucb": UpperBound(posterior, 2.5, f),
    }


@pytest.mark.parametrize("feasible", [False, True])
@pytest.mark.parametrize("name", ["draw", "ei", "far ei", "ucb"])
def test_gradients(scene, tools, rng, name, feasible):
    score = scores(scene, feasible)[name]
    arms, x = scene.probes(rng)
    value, slope = score.value_and_slope(arms, x)
    np.testing.assert_allclose(value, score.value(arms, x), rtol=1e-12)
    active = scene.frame.active[scene.frame.group[arms]]
    numeric = tools.slope(lambda y: score.value(arms, y), x)
    np.testing.assert_allclose(slope[active], numeric[active], rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("feasible", [False, True])
@pytest.mark.parametrize("name", ["draw", "ei", "far ei", "ucb"])
def test_screen_is_the_value_at_every_candidate(scene, rng, name, feasible):
    score = scores(scene, feasible)[name]
    n_groups, width = scene.frame.active.shape
    points = np.where(scene.frame.active[:, None, :], rng.random((n_groups, 9, width)), 0.5)
    screened, exact = score.screen(points)
    assert exact
    for arm, group in enumerate(scene.frame.group):
        value = score.value(np.full(9, arm), points[group])
        np.testing.assert_allclose(screened[arm], value, rtol=1e-9, atol=1e-9)


def test_failure_counts_as_the_worst_value_or_as_no_improvement(scene, rng):
    arms, x = scene.probes(rng)
    plain, careful = scores(scene, False), scores(scene, True)
    p, _ = scene.feasibility.failure(arms, x)
    worst = scene.belief.posterior().warp.z.min()
    assert worst < 0
    for name in ("draw", "ucb"):
        expected = (1 - p) * plain[name].value(arms, x) + p * worst
        np.testing.assert_allclose(careful[name].value(arms, x), expected, rtol=1e-9, atol=1e-9)
    expected = np.exp(plain["ei"].value(arms, x)) * (1 - p)
    np.testing.assert_allclose(np.exp(careful["ei"].value(arms, x)), expected, rtol=1e-9)


def test_upper_bound_is_mean_and_width(scene, rng):
    arms, x = scene.probes(rng)
    posterior = scene.belief.posterior()
    mean, variance = posterior.mean_variance(arms, x)
    got = UpperBound(posterior, 2.5).value(arms, x)
    np.testing.assert_allclose(got, mean + 2.5 * np.sqrt(variance), rtol=1e-12)


def test_the_incumbent_is_the_best_posterior_mean(scene):
    posterior = scene.belief.posterior()
    data = scene.belief.data
    mean, _ = posterior.mean_variance(data.arm, data.point)
    score = ExpectedImprovement.over_best_mean(posterior)
    assert score.incumbent == pytest.approx(mean.max(), rel=1e-9)
