import numpy as np
import pytest
from scipy.stats import multivariate_normal

from banditbo.model.likelihood import BlockData, covariance_terms, fisher, loss, whiten
from banditbo.model.setting import ModelSetting


@pytest.fixture(params=[(2, 2), (0, 1), (3, 0), (1, 1)], ids=lambda s: f"d{s[0]}j{s[1]}")
def problem(request, setting):
    d, j = request.param
    j = 0 if setting.sharing == "independent" else j
    rng = np.random.default_rng(3)
    n = 9
    row = rng.integers(3, size=n) if j else np.zeros(n, dtype=np.intp)
    codes = np.array([[0, 0], [0, 1], [1, 1]])[row, :j] if j < 2 else row[:, None] // [2, 1] % 2
    data = BlockData(rng.random((n, d)), codes.reshape(n, j), row, 0.1 * rng.random(n))
    mean, precision, _ = setting.prior(d, j)
    theta = mean + 0.2 * rng.standard_normal(len(mean))
    theta[-1] = np.log(0.1)
    return setting, data, rng.standard_normal(n), theta, (mean, precision)


def covariance(theta, data, setting):
    """K, entry by entry, from its definition."""
    kinds = setting.layout(data.d, data.j)
    of = {k: [np.exp(t) for t, q in zip(theta, kinds, strict=True) if q == k] for k in kinds}
    out = np.zeros((len(data.x), len(data.x)))
    for a, b in np.ndindex(*out.shape):
        scale = of.get("lengthscale", [1.0])
        r = np.sqrt(np.sum(((data.x[a] - data.x[b]) / scale) ** 2)) if data.d else 0.0
        k = np.exp(-r * r / 2)
        if setting.kernel == "matern52":
            k = (1 + 5**0.5 * r + 5 * r * r / 3) * np.exp(-(5**0.5) * r)
        same = data.row[a] == data.row[b]
        if setting.sharing == "correlated":
            for i in range(data.j):
                odds = of["correlation"][i]
                k *= 1.0 if data.codes[a, i] == data.codes[b, i] else odds / (1 + odds)
        elif setting.sharing == "shared":
            k *= same
        out[a, b] = of["signal"][0] * k + (of["arm"][0] * same if "arm" in of else 0.0)
        out[a, b] += (of["noise"][0] + data.noise[a]) * (a == b)
    return out


def test_value_is_minus_the_log_density(problem):
    setting, data, z, theta, (mean, precision) = problem
    k = covariance(theta, data, setting)
    np.testing.assert_allclose(covariance_terms(theta, data, setting).total, k, atol=1e-12)
    log_density = multivariate_normal(cov=k).logpdf(z) + 0.5 * len(z) * np.log(2 * np.pi)
    prior = 0.5 * np.sum(precision * (theta - mean) ** 2)
    value, _ = loss(theta, data, z, setting, (mean, precision))
    assert value == pytest.approx(prior - log_density, rel=1e-10)


def test_gradient(problem):
    setting, data, z, theta, prior = problem
    _, slope = loss(theta, data, z, setting, prior)
    h = 1e-6
    numeric = [
        (
            loss(theta + h * e, data, z, setting, prior)[0]
            - loss(theta - h * e, data, z, setting, prior)[0]
        )
        / (2 * h)
        for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(slope, numeric, rtol=1e-5, atol=1e-7)


def test_fisher_is_its_formula(problem):
    setting, data, _, theta, _ = problem
    h = 1e-5
    inverse = np.linalg.inv(covariance(theta, data, setting))
    slopes = [
        (covariance(theta + h * e, data, setting) - covariance(theta - h * e, data, setting))
        / (2 * h)
        for e in np.eye(len(theta))
    ]
    expected = [[0.5 * np.trace(inverse @ a @ inverse @ b) for b in slopes] for a in slopes]
    got = fisher(theta, data, setting)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    assert np.linalg.eigvalsh(got).min() > -1e-10


def test_whiten(problem):
    setting, data, z, theta, _ = problem
    inverse, half_log_det = whiten(theta, data, setting)
    k = covariance(theta, data, setting)
    np.testing.assert_allclose(inverse.T @ inverse, np.linalg.inv(k), rtol=1e-8, atol=1e-9)
    assert 2 * half_log_det == pytest.approx(np.linalg.slogdet(k)[1], rel=1e-10)
    assert (inverse @ z) @ (inverse @ z) == pytest.approx(z @ np.linalg.solve(k, z), rel=1e-10)


def test_maximum_likelihood_has_no_prior():
    setting = ModelSetting(estimate="ml")
    assert (setting.prior(2, 1)[1] == 0.0).all()
