from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import multivariate_normal, yeojohnson

from banditbo.model import MODELS, Model, ModelSetting, Observations
from banditbo.model.fit import DENSE_UNTIL, BlockFit, checkpoints
from banditbo.model.kernels import KERNELS, squared_distance
from banditbo.model.likelihood import BlockData, covariance_terms, loss
from banditbo.model.transforms import EXPONENTS, power_inverse

ONE = [(2, np.array([0]), np.zeros((1, 0), dtype=np.intp))]
TWO = [(2, np.array([0, 1]), np.array([[0], [1]]))]


def data_of(tools, n=40, seed=0):
    case = tools.make_case(ModelSetting(), seed=seed)
    d = case.data
    return Observations(d.arm[:n], d.point[:n], d.value[:n], d.noise[:n])


def sample(n, lengthscale, noise, seed, kernel="matern52", rho=None):
    """A function of the prior on n points of the unit square, in one arm or in two."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, 2))
    arm = np.zeros(n, dtype=np.intp) if rho is None else rng.integers(2, size=n)
    scaled = x / lengthscale
    k = KERNELS[kernel].value(squared_distance(scaled, scaled))
    if rho is not None:
        k = k * np.where(arm[:, None] == arm, 1.0, rho)
    z = np.linalg.cholesky(k + noise * np.eye(n)) @ rng.standard_normal(n)
    return Observations(arm, x, z, np.zeros(n))


def same(a, b):
    assert a.n == b.n
    np.testing.assert_array_equal(a.log_weights, b.log_weights)
    for one, other in zip(a.blocks, b.blocks, strict=True):
        np.testing.assert_array_equal(one.theta, other.theta)
        np.testing.assert_array_equal(one.precision_factor, other.precision_factor)


def test_checkpoints_are_those_of_every_shorter_history():
    whole = checkpoints(500)
    assert whole[:DENSE_UNTIL] == list(range(1, DENSE_UNTIL + 1))
    assert checkpoints(0) == []
    for n in range(200):
        assert checkpoints(n) == [c for c in whole if c <= n]
    assert all(b <= max(a + 1, np.ceil(1.15 * a)) for a, b in pairwise(whole))


@pytest.mark.parametrize("model", ["auto", "shared", "paper"])
def test_the_fit_is_a_function_of_the_history_alone(tools, model):
    data = data_of(tools, 30)
    warm = Model(tools.groups, MODELS[model])
    for n in (0, 1, 2, 5, 9, 17, 23, 30):
        last = warm.believe(data.first(n)).fit
    cold = Model(tools.groups, MODELS[model]).believe(data).fit
    same(cold, last)
    warm._chain.clear()
    same(cold, warm.believe(data).fit)


def test_another_history_leaves_no_trace(tools):
    data, other = data_of(tools, 20), data_of(tools, 20, seed=5)
    model = Model(tools.groups, MODELS["auto"])
    model.believe(other)
    model.believe(data.first(12))
    model.believe(other.first(7))
    same(model.believe(data).fit, Model(tools.groups, MODELS["auto"]).believe(data).fit)


def test_every_part_of_an_observation_counts(tools):
    data = data_of(tools, 6)
    first = Model(tools.groups, MODELS["auto"]).believe(data).fit
    for part in ("arm", "point", "value", "noise"):
        changed = {p: getattr(data, p).copy() for p in ("arm", "point", "value", "noise")}
        changed[part][0] = changed[part][0] + 1 if part != "arm" else changed[part][1]
        model = Model(tools.groups, MODELS["auto"])
        model.believe(data)
        fit = model.believe(Observations(**changed)).fit
        same(fit, Model(tools.groups, MODELS["auto"]).believe(Observations(**changed)).fit)
        gap = [
            np.abs(a.theta - b.theta).max() for a, b in zip(fit.blocks, first.blocks, strict=True)
        ]
        assert max(gap) > 0.0 or (fit.log_weights != first.log_weights).any()


def test_only_the_prior_without_data(setting, tools):
    belief = Model(tools.groups, setting).believe(data_of(tools, 0))
    for block, fit in zip(belief.layout.blocks, belief.fit.blocks, strict=True):
        np.testing.assert_array_equal(fit.theta, setting.prior(block.d, block.codes.shape[1])[0])
    rng = np.random.default_rng(0)
    arms, x = tools.probes(belief.layout, rng)
    mean, variance = belief.posterior(rng).mean_variance(arms, x)
    assert (mean == 0.0).all()
    assert (variance > 0.0).all()


def test_a_block_without_news_stays_where_it_was(tools):
    data = data_of(tools, 20)
    model = Model(tools.groups, MODELS["auto"])
    before = model.believe(data).fit
    more = Observations(
        np.append(data.arm, 2),
        np.vstack([data.point, [[0.3, 0.5, 0.5]]]),
        np.append(data.value, 100.0),
        np.append(data.noise, 0.0),
    )
    after = model.believe(
        Observations(*[getattr(more, p)[:21] for p in ("arm", "point", "value", "noise")])
    ).fit
    if after.n == before.n:  # 21 is no checkpoint: the fit is that of the link before
        same(before, after)
    model._chain.clear()
    data16, data15 = data.first(16), data.first(15)
    a, b = model.believe(data15).fit, model.believe(data16).fit
    block = model.layout.block[data.arm[15]]
    for i, (one, other) in enumerate(zip(a.blocks, b.blocks, strict=True)):
        if i != block:
            assert one is other
        else:
            assert one is not other


@pytest.mark.parametrize("kernel", ["matern52", "se"])
def test_recovers_lengthscales_and_noise(kernel):
    setting = ModelSetting(
        kernel=kernel, sharing="independent", transform="standard", arm_effect=False
    )
    found = []
    for seed in range(3):
        data = sample(150, np.array([0.15, 0.6]), 0.01, seed, kernel)
        theta = Model(ONE, setting).believe(data).fit.blocks[0].theta
        scale = np.var(data.value)
        found.append([theta[0], theta[1], theta[2] + np.log(scale), theta[3] + np.log(scale)])
    got = np.exp(np.mean(found, axis=0))
    expected = np.array([0.15, 0.6, 1.0, 0.01])
    assert (np.abs(np.log(got / expected)) < np.log([1.6, 1.8, 2.5, 1.8])).all()


def test_recovers_the_correlation_of_arms():
    setting = ModelSetting(transform="standard", arm_effect=False)
    at = setting.layout(2, 1).index("correlation")
    rho = {}
    for true in (0.02, 0.98):
        thetas = [
            Model(TWO, setting).believe(sample(80, 0.3, 0.01, seed, rho=true)).fit.blocks[0].theta
            for seed in range(3)
        ]
        rho[true] = 1 / (1 + np.exp(-np.mean([t[at] for t in thetas])))
    assert rho[0.02] < 0.4
    assert rho[0.98] > 0.8


def test_the_fit_is_a_maximum():
    data = sample(40, 0.3, 0.01, 0, "se")
    for setting in (MODELS["paper"], ModelSetting(transform="standard", sharing="independent")):
        belief = Model(ONE, setting).believe(data)
        z = belief.posterior().warp.z
        block = BlockData(data.point, np.zeros((40, 0), int), np.zeros(40, int), np.zeros(40))
        mean, precision, bounds = setting.prior(2, 0)
        # the last link of the chain is at 34 of the 40 or so
        n = belief.fit.n
        part = data.first(n)
        z = Model(ONE, setting).believe(part).posterior().warp.z
        block = BlockData(block.x[:n], block.codes[:n], block.row[:n], block.noise[:n])
        theta = belief.fit.blocks[0].theta
        at = loss(theta, block, z, setting, (mean, precision))[0]
        rng = np.random.default_rng(0)
        for _ in range(200):
            other = np.clip(
                theta + rng.choice([0.05, 0.5, 2.0]) * rng.standard_normal(len(theta)), *bounds.T
            )
            assert loss(other, block, z, setting, (mean, precision))[0] > at - 1e-3


def test_maximum_likelihood_ignores_the_prior():
    data = sample(60, 0.3, 0.01, 0)
    setting = ModelSetting(
        sharing="independent", transform="standard", estimate="ml", arm_effect=False
    )
    shifted = {
        **setting.priors,
        "lengthscale": type(setting.priors["noise"])(np.log(0.5), 0.05, *np.log([0.01, 20.0])),
    }
    other = ModelSetting(
        sharing="independent",
        transform="standard",
        estimate="ml",
        arm_effect=False,
        priors=shifted,
    )
    a, b = (Model(ONE, s).believe(data).fit.blocks[0].theta for s in (setting, other))
    np.testing.assert_allclose(a, b, atol=0.05)
    as_map = ModelSetting(
        sharing="independent", transform="standard", arm_effect=False, priors=shifted
    )
    c = Model(ONE, as_map).believe(data).fit.blocks[0].theta
    assert np.abs(np.exp(c[0]) - 0.5) < 0.1


@pytest.mark.parametrize(
    ("make", "low", "high"),
    [
        (lambda z: power_inverse(0.49 * z / np.abs(z).max(), 4.0), 1.7, 9.0),
        (lambda z: z, 0.7, 1.5),
        (lambda z: np.exp(1.5 * z), 0.3, 0.7),
    ],
    ids=["bad ones far away", "even", "good ones far away"],
)
def test_the_exponent_that_undoes_the_making_of_the_data_is_preferred(make, low, high):
    setting = ModelSetting(sharing="independent", arm_effect=False)
    logs = []
    for seed in range(4):
        z = sample(80, 0.4, 1e-4, seed)
        fit = Model(ONE, setting).believe(Observations(z.arm, z.point, make(z.value), z.noise)).fit
        logs.append(np.log(fit.exponent))
    assert low < np.exp(np.mean(logs)) < high


def test_exponents_are_weighed_by_likelihood_jacobian_and_prior():
    """z_e is what exponent e makes of the values: p(y | e) = N(z_e; 0, K) prod dz_e / dy."""
    setting = ModelSetting(sharing="independent", arm_effect=False)
    data = sample(12, 0.3, 0.01, 3)
    y = np.exp(data.value)
    fit = Model(ONE, setting).believe(Observations(data.arm, data.point, y, data.noise)).fit
    block = BlockData(data.point, np.zeros((12, 0), int), np.zeros(12, int), np.zeros(12))
    k = covariance_terms(fit.blocks[0].theta, block, setting).total
    u = (y - y.mean()) / y.std()
    h = 1e-6
    expected = []
    for e in EXPONENTS:
        z = yeojohnson(u, e)
        slope = (yeojohnson(u + h, e) - yeojohnson(u - h, e)) / (2 * h) / z.std()
        z = (z - z.mean()) / z.std()
        prior = -0.5 * (np.log(e) / np.log(3.0)) ** 2
        expected.append(multivariate_normal(cov=k).logpdf(z) + np.log(slope).sum() + prior)
    expected = np.array(expected) - max(expected)
    np.testing.assert_allclose(fit.log_weights, expected, atol=1e-4)


def test_drawn_hyper_parameters_have_the_spread_of_the_fit():
    factor = np.linalg.cholesky(np.array([[4.0, 1.0], [1.0, 2.0]]))
    fit = BlockFit(np.array([0.5, -0.5]), factor)
    rng = np.random.default_rng(0)
    wide = np.array([[-50.0, 50.0]] * 2)
    drawn = np.array([fit.draw(rng, wide) for _ in range(4000)])
    expected = np.linalg.inv(factor @ factor.T)
    np.testing.assert_allclose(drawn.mean(axis=0), fit.theta, atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), expected, atol=0.04)
    narrow = np.array([[0.4, 0.6], [-0.6, -0.4]])
    kept = np.array([fit.draw(rng, narrow) for _ in range(100)])
    assert (kept >= narrow[:, 0]).all()
    assert (kept <= narrow[:, 1]).all()


def lengthscales(belief, rng):
    return np.concatenate([c.hyper.lengthscale.ravel() for c in belief.posterior(rng).cells])


def test_hyper_parameters_are_drawn_for_every_suggestion_or_not(tools):
    data = data_of(tools, 20)
    rngs = [np.random.default_rng(i) for i in range(3)]
    drawn = Model(tools.groups, ModelSetting(shorten=0.0)).believe(data)
    a, b, _ = (lengthscales(drawn, r) for r in rngs)
    assert (a != b).any()
    np.testing.assert_array_equal(a, lengthscales(drawn, np.random.default_rng(0)))
    for estimate in ("map", "ml"):
        fixed = Model(tools.groups, ModelSetting(estimate=estimate)).believe(data)
        np.testing.assert_array_equal(lengthscales(fixed, rngs[0]), lengthscales(fixed, None))


def test_lengthscales_are_shortened_in_a_share_of_the_draws():
    data = sample(30, 0.3, 0.01, 0)
    for share in (0.0, 0.3, 1.0):
        setting = ModelSetting(sharing="independent", transform="standard", shorten=share)
        belief = Model(ONE, setting).believe(data)
        theta = belief.fit.blocks[0].theta
        certain = BlockFit(theta, np.eye(len(theta)) * 1e9)
        belief = type(belief)(
            belief.setting,
            belief.layout,
            belief.data,
            type(belief.fit)(belief.fit.n, (certain,), belief.fit.log_weights),
            belief.stacked,
            belief.notes,
        )
        seen = [
            belief.posterior(np.random.default_rng(i)).cells[0].hyper.lengthscale[0, 0]
            / np.exp(theta[0])
            for i in range(300)
        ]
        factors = {round(float(f), 4) for f in seen}
        assert factors <= {1.0, 0.5, 0.25}
        assert np.mean(np.array(seen) < 0.9) == pytest.approx(share, abs=0.09)


def test_exponents_are_drawn_from_their_posterior():
    data = sample(25, 0.3, 0.01, 0)
    belief = Model(ONE, ModelSetting(sharing="independent")).believe(data)
    weight = np.exp(belief.fit.log_weights)
    weight /= weight.sum()
    drawn = [belief.posterior(np.random.default_rng(i)).warp.exponent for i in range(600)]
    for e, w in zip(EXPONENTS, weight, strict=True):
        error = np.sqrt(w * (1 - w) / 600) + 1e-3
        assert abs(np.mean(np.isclose(drawn, e)) - w) < 4.5 * error
    assert belief.posterior().warp.exponent == belief.fit.exponent


def test_the_mixture_draws_ranks_half_of_the_time():
    data = sample(10, 0.3, 0.01, 0)
    belief = Model(ONE, ModelSetting(transform="mixture")).believe(data)
    ranked = [
        belief.posterior(np.random.default_rng(i)).warp.knots is not None for i in range(200)
    ]
    assert np.mean(ranked) == pytest.approx(0.5, abs=0.15)


HARD = {
    "none": [],
    "one": [3.0],
    "constant": [2.0] * 12,
    "zeros": [0.0] * 12,
    "tiny": list(1e-300 * np.arange(1.0, 13.0)),
    "huge": list(1e300 * np.linspace(-1.0, 1.0, 12)),
    "largest": [-1.7e308, 1.7e308] * 6,
    "all sizes": [1e-300, 1.0, 1e300, -1e300] * 3,
    "subnormal": [0.0, 5e-324, 1e-323] * 4,
    "outlier": [1.0, 2.0, 3.0, -1e15] * 3,
    "integers": [0.0, 1.0] * 6,
}


@pytest.mark.parametrize("model", ["auto", "shared", "paper", ModelSetting(transform="mixture")])
@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("name", HARD)
def test_never_singular_at_the_user(tools, model, repeated, name):
    value = np.array(HARD[name])
    n = len(value)
    rng = np.random.default_rng(0)
    arm = rng.choice([0, 1, 3], n)
    layout_width = 3
    point = np.full((n, layout_width), 0.5)
    if not repeated:
        point[arm != 1, :2] = rng.random((int(np.sum(arm != 1)), 2))
    data = Observations(arm, point, value, np.zeros(n))
    setting = MODELS[model] if isinstance(model, str) else model
    belief = Model(tools.groups, setting).believe(data)
    arms, x = tools.probes(belief.layout, rng)
    for seed in (None, 0, 1, 2):
        posterior = belief.posterior(None if seed is None else np.random.default_rng(seed))
        mean, variance = posterior.mean_variance(arms, x)
        assert np.isfinite(mean).all()
        assert (variance > 0.0).all()
        assert np.isfinite(variance).all()
        assert np.isfinite(posterior.warp.inverse(mean + np.sqrt(variance))).all()
        assert np.isfinite(posterior.warp.inverse(mean - np.sqrt(variance))).all()


def test_a_jitter_is_noted(tools):
    setting = ModelSetting(estimate="map", transform="standard")
    case = tools.make_case(setting)
    for theta in case.thetas:
        theta[-1] = -80.0
    n = len(case.data)
    case.data = Observations(case.data.arm, np.full((n, 3), 0.5), case.data.value, case.data.noise)
    notes = case.posterior.notes
    assert notes
    assert all("needed jitter" in note for note in notes)


@pytest.mark.slow
def test_2000_observations_of_an_arm(tools):
    rng = np.random.default_rng(0)
    n = 2500
    x = np.full((n, 3), 0.5)
    x[:, 0] = rng.random(n)
    data = Observations(
        np.full(n, 2), x, np.sin(9 * x[:, 0]) + 0.1 * rng.standard_normal(n), np.zeros(n)
    )
    for size, notes in ((2000, ()), (2500, ("2500 observations of one arm: 2000 of them used",))):
        belief = Model(tools.groups, MODELS["auto"]).believe(data.first(size))
        assert belief.notes == notes
        posterior = belief.posterior()
        grid = np.full((20, 3), 0.5)
        grid[:, 0] = np.linspace(0.05, 0.95, 20)
        mean, variance = posterior.mean_variance(np.full(20, 2), grid)
        np.testing.assert_allclose(posterior.warp.inverse(mean), np.sin(9 * grid[:, 0]), atol=0.1)
        assert (variance < 0.01).all()


@pytest.mark.slow
def test_12000_observations_of_correlated_arms(tools):
    rng = np.random.default_rng(0)
    n = 12_000
    arm = rng.choice([0, 3, 5, 7], n)
    x = np.full((n, 3), 0.5)
    x[:, :2] = rng.random((n, 2))
    value = np.sin(6 * x[:, 0]) + x[:, 1] + 0.1 * arm + 0.05 * rng.standard_normal(n)
    belief = Model(tools.groups, MODELS["auto"]).believe(Observations(arm, x, value, np.zeros(n)))
    assert belief.notes[0] == "12000 observations in 4 correlated arms: modelled arm by arm"
    assert sum("of one arm: 2000 of them used" in note for note in belief.notes) == 4
    posterior = belief.posterior()
    probe = np.full((10, 3), 0.5)
    probe[:, :2] = rng.random((10, 2))
    mean, _ = posterior.mean_variance(np.full(10, 3), probe)
    expected = np.sin(6 * probe[:, 0]) + probe[:, 1] + 0.3
    np.testing.assert_allclose(posterior.warp.inverse(mean), expected, atol=0.15)
