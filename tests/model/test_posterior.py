import numpy as np
import pytest

from banditbo.model import Layout, Observations, screening
from banditbo.model.fit import Model
from banditbo.model.setting import ModelSetting


def everywhere(layout, points):
    """Every arm at every candidate of its group: arms (A M,), x (A M, D)."""
    n_arms, m = len(layout.group), points.shape[1]
    return np.repeat(np.arange(n_arms), m), points[layout.group].reshape(n_arms * m, -1)


def test_mean_and_variance_are_the_textbook_ones(case, tools, rng):
    arms, x = tools.probes(case.layout, rng, 40)
    mean, covariance = case.dense(arms, x)
    got_mean, got_variance = case.posterior.mean_variance(arms, x)
    np.testing.assert_allclose(got_mean, mean, atol=1e-9)
    np.testing.assert_allclose(got_variance, np.diag(covariance), atol=1e-9)


def test_covariance_is_the_textbook_one(case, tools, rng):
    arms, x = tools.probes(case.layout, rng, 25)
    got = case.posterior.covariance(arms, x)
    np.testing.assert_allclose(got, case.dense(arms, x)[1], atol=1e-9)
    np.testing.assert_allclose(np.diag(got), case.posterior.mean_variance(arms, x)[1], atol=1e-9)


def test_moments_and_their_gradients(case, tools, rng):
    arms, x = tools.probes(case.layout, rng, 12)
    posterior = case.posterior
    at = posterior.moments(arms, x)
    mean, variance = posterior.mean_variance(arms, x)
    np.testing.assert_allclose(at.mean, mean, atol=1e-12)
    np.testing.assert_allclose(at.variance, variance, atol=1e-12)
    active = np.arange(3) < case.layout.dims[arms][:, None]
    for got, i in ((at.mean_slope, 0), (at.variance_slope, 1)):
        numeric = tools.slope(lambda y, i=i: posterior.mean_variance(arms, y)[i], x)
        np.testing.assert_allclose(got[active], numeric[active], atol=1e-5)


def test_screen_is_exact_where_it_says_so(case, tools, rng):
    points = tools.shared_points(case.layout, rng)
    seen = case.posterior.screen(points)
    mean, variance = case.posterior.mean_variance(*everywhere(case.layout, points))
    assert seen.exact
    np.testing.assert_allclose(seen.mean.ravel(), mean, atol=1e-9)
    np.testing.assert_allclose(seen.variance.ravel(), variance, atol=1e-9)


def test_screen_is_an_upper_bound_where_it_is_not(case, tools, rng, monkeypatch):
    points = tools.shared_points(case.layout, rng, 30)
    posterior = case.posterior
    # some candidates lie on observations, where the bound is tight
    for i in range(10):
        points[case.layout.group[case.data.arm[i]], i] = case.data.point[i]
    exact = posterior.screen(points)
    monkeypatch.setattr(screening, "DENSE", 0)
    bound = posterior.screen(points)
    assert not bound.exact
    np.testing.assert_allclose(bound.mean, exact.mean, atol=1e-12)
    assert (bound.variance >= exact.variance - 1e-9).all()
    prior = [case.hyper(a)["signal"] + case.hyper(a)["arm"] for a in range(10)]
    assert (bound.variance <= np.array(prior)[:, None] + 1e-9).all()
    observed = np.unique(case.data.arm)
    tighter = bound.variance[observed] < 0.9 * np.array(prior)[observed, None]
    assert tighter.any(axis=1).mean() > 0.7  # it says something: not the prior everywhere


@pytest.mark.parametrize("sparse", [0.0, 1.0])
@pytest.mark.parametrize("sharing", ["correlated", "shared"])
@pytest.mark.parametrize("effect", [True, False])
def test_screen_of_many_arms_told_apart_by_one_decision(sharing, effect, sparse, rng, monkeypatch):
    """It has a way of its own, in products of the size n^2 M for all arms together."""
    monkeypatch.setattr(screening, "SPARSE", sparse)
    monkeypatch.setattr(screening, "DENSE", 0)
    arms = np.arange(6)
    model = Model(
        [(2, arms, arms[:, None])],
        ModelSetting(sharing=sharing, arm_effect=effect, estimate="map"),
    )
    arm = rng.choice(5, 25)  # the last is never tried
    data = Observations(
        arm, rng.random((25, 2)), rng.standard_normal(25) + arm, 0.3 * rng.random(25)
    )
    posterior = model.believe(data).posterior()
    points = rng.random((1, 9, 2))
    seen = posterior.screen(points)
    mean, variance = posterior.mean_variance(*everywhere(model.layout, points))
    assert seen.exact
    np.testing.assert_allclose(seen.mean.ravel(), mean, atol=1e-9)
    np.testing.assert_allclose(seen.variance.ravel(), variance, atol=1e-9)


def test_observed_is_the_mean_at_the_observations(case):
    posterior = case.posterior
    index, fitted = posterior.observed()
    assert sorted(index) == list(range(len(case.data)))
    mean, _ = posterior.mean_variance(case.data.arm[index], case.data.point[index])
    np.testing.assert_allclose(fitted, mean, atol=1e-9)


def test_an_arm_without_observations_keeps_its_prior_if_it_has_no_relatives(case, rng):
    arms, x = np.full(5, 9), rng.random((5, 3))
    mean, variance = case.posterior.mean_variance(arms, x)
    prior = case.hyper(9)["signal"] + case.hyper(9)["arm"]
    if case.setting.sharing == "correlated":
        assert (variance < prior).all()
        assert (np.abs(mean) > 0).any()
    else:
        np.testing.assert_allclose(variance, prior, rtol=1e-12)
        assert (mean == 0.0).all()


def test_values_enter_the_update(setting, tools):
    """A well-known library shipped for months without noticing that they did not."""
    case = tools.make_case(setting)
    changed = case.data.value.copy()
    i = int(np.argmax(case.data.arm == 4))
    changed[i] += 5.0
    other = type(case)(
        case.setting,
        case.layout,
        Observations(case.data.arm, case.data.point, changed, case.data.noise),
        case.thetas,
    )
    at = case.data.arm[[i]], case.data.point[[i]]
    means = [c.posterior.warp.inverse(c.posterior.mean_variance(*at)[0])[0] for c in (case, other)]
    assert means[1] > means[0] + 2.0


def test_known_noise_is_believed():
    setting = ModelSetting(estimate="map", transform="standard")
    layout = Layout.of([(1, np.array([0]), np.zeros((1, 0), dtype=int))], "correlated")
    x = np.array([[0.2], [0.5], [0.8]])
    means = []
    for sd in (0.0, 100.0):
        data = Observations(
            np.zeros(3, dtype=int), x, np.array([0.0, 10.0, 0.0]), np.array([0.0, sd, 0.0])
        )
        model = Model([(1, np.array([0]), np.zeros((1, 0), dtype=int))], setting)
        belief = model.believe(data)
        assert belief.layout.blocks[0].d == layout.blocks[0].d
        posterior = belief.posterior()
        means.append(
            posterior.warp.inverse(posterior.mean_variance(np.zeros(1, int), x[1:2])[0])[0]
        )
    assert means[0] > 9.0
    assert means[1] < 5.0


def test_repeated_points_average_their_noise(tools):
    case = tools.make_case(ModelSetting(estimate="map", transform="standard"))
    n = 30
    rng = np.random.default_rng(0)
    value = np.concatenate([rng.standard_normal(n), 5.0 + rng.standard_normal(n)])
    point = np.full((2 * n, 3), 0.5)
    point[:n, 0], point[n:, 0] = 0.1, 0.9
    data = Observations(np.full(2 * n, 2), point, value, np.zeros(2 * n))
    case.data, case.thetas[case.layout.block[2]][-1] = data, np.log(0.14)
    posterior = case.posterior
    mean, variance = posterior.mean_variance(np.array([2, 2]), point[[0, -1]])
    np.testing.assert_allclose(
        posterior.warp.inverse(mean), [value[:n].mean(), value[n:].mean()], atol=0.05
    )
    np.testing.assert_allclose(variance, 0.14 / n, rtol=0.1)


def test_a_posterior_is_frozen(case):
    with pytest.raises(AttributeError):
        case.posterior.cells = ()
