"""Draws are functions, and their moments are those of the exact posterior."""

import numpy as np
import pytest
from scipy.stats import norm

from banditbo.model import Layout, ModelSetting, Observations, draw
from banditbo.model.fit import Belief, BlockFit, Fit
from banditbo.model.layout import stacks
from banditbo.model.transforms import EXPONENTS


def check_moments(case, tools, n, features=32):
    """Mean and covariance of n draws against the exact ones, each within its standard error.

    With m entries in all, the largest of m standard normals is below the bound with a
    probability of 0.9999; the fourth moments of a draw are those of a scale mixture of normals,
    for which the factor of 1.5 on the standard error of a covariance is generous.
    """
    rng = np.random.default_rng(11)
    arms, x = tools.probes(case.layout, rng, 10)
    posterior = case.posterior
    mean, _ = posterior.mean_variance(arms, x)
    covariance = posterior.covariance(arms, x)
    values = np.array(
        [draw(posterior, np.random.default_rng([1, i]), features).value(arms, x) for i in range(n)]
    )
    sd = np.sqrt(np.diag(covariance))
    bound = norm.isf(0.5e-4 / 65)
    error = np.abs(values.mean(axis=0) - mean) / (sd / np.sqrt(n))
    assert error.max() < bound
    off = values - mean
    got = off.T @ off / n
    width = np.sqrt((np.outer(sd, sd) ** 2 + covariance**2) / n)
    assert (np.abs(got - covariance) / width).max() < 1.5 * bound
    # of other groups' arms, independent
    apart = case.layout.group[arms][:, None] != case.layout.group[arms]
    assert (covariance[apart] == 0.0).all()


def test_moments(case, tools):
    check_moments(case, tools, 400)


@pytest.mark.parametrize(
    "model",
    [
        ModelSetting(estimate="map"),
        ModelSetting(estimate="map", sharing="shared", arm_effect=False),
        ModelSetting(estimate="map", sharing="independent", kernel="se", isotropic=True),
    ],
    ids=lambda m: m.sharing,
)
def test_moments_of_3000(model, tools):
    check_moments(tools.make_case(model, noise=3.0), tools, 3000)


@pytest.mark.slow
def test_moments_of_20000(case, tools):
    check_moments(case, tools, 20_000)


def test_moments_where_the_levels_are_no_full_table(tools):
    """Many decisions, few arms: the arms' correlation takes its other way (a Cholesky factor)."""
    model = ModelSetting(estimate="map")
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=(5, 6))
    layout = Layout.of([(1, np.arange(5), codes)], "correlated")
    data = Observations(
        np.array([0, 1, 3]), rng.random((3, 1)), rng.standard_normal(3), np.zeros(3)
    )
    theta = model.prior(1, 6)[0]
    theta[3:9] = 2.0
    stacked, _ = stacks(layout, data)
    fit = Fit(3, (BlockFit(theta, np.eye(len(theta))),), np.zeros(len(EXPONENTS)))
    posterior = Belief(model, layout, data, fit, tuple(stacked), ()).posterior()
    arms, x = np.arange(5), rng.random((5, 1))
    exact = posterior.covariance(arms, x)
    values = np.array(
        [draw(posterior, np.random.default_rng(i), 32).value(arms, x) for i in range(4000)]
    )
    got = np.cov(values.T)
    np.testing.assert_allclose(got, exact, atol=6 * np.max(np.diag(exact)) / np.sqrt(4000))
    assert exact[2, 4] > 0.05


def test_gradient(case, tools, rng):
    arms, x = tools.probes(case.layout, rng, 12)
    function = draw(case.posterior, rng)
    value, slope = function.value_and_slope(arms, x)
    np.testing.assert_array_equal(value, function.value(arms, x))
    active = np.arange(3) < case.layout.dims[arms][:, None]
    numeric = tools.slope(lambda y: function.value(arms, y), x)
    np.testing.assert_allclose(slope[active], numeric[active], atol=1e-4, rtol=1e-5)


def test_screen_is_the_value(case, tools, rng):
    points = tools.shared_points(case.layout, rng)
    function = draw(case.posterior, rng)
    screened = function.screen(points)
    n_arms, m = screened.shape
    arms = np.repeat(np.arange(n_arms), m)
    x = points[case.layout.group].reshape(n_arms * m, -1)
    np.testing.assert_allclose(screened.ravel(), function.value(arms, x), atol=1e-9)


def test_draws_pass_near_data_without_noise(tools):
    case = tools.make_case(ModelSetting(estimate="map", transform="standard"))
    for theta in case.thetas:
        theta[-1] = np.log(1e-6)
    posterior = case.posterior
    z = posterior.warp.z
    for seed in range(5):
        value = draw(posterior, np.random.default_rng(seed)).value(case.data.arm, case.data.point)
        # not the arm with two values at one point, nor the one with 21 values close together
        apart = (case.data.arm != 1) & (case.data.arm != 2)
        np.testing.assert_allclose(value[apart], z[apart], atol=0.02)


def test_a_draw_is_one_function(case, tools, rng):
    arms, x = tools.probes(case.layout, rng, 6)
    function = draw(case.posterior, np.random.default_rng(3))
    np.testing.assert_array_equal(function.value(arms, x), function.value(arms, x))
    again = draw(case.posterior, np.random.default_rng(3))
    np.testing.assert_array_equal(function.value(arms, x), again.value(arms, x))
    other = draw(case.posterior, np.random.default_rng(4))
    assert (np.abs(function.value(arms, x) - other.value(arms, x)) > 1e-6).all()
