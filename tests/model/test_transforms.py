import numpy as np
import pytest
from scipy.stats import norm, rankdata, yeojohnson

from banditbo.model.transforms import EXPONENTS, power, power_inverse, ranks, scale_of, warp

KINDS = [("standard", 1.0), ("ranks", 1.0), *(("power", float(e)) for e in EXPONENTS[::3])]
U = np.array([-30.0, -3.0, -1.0, -0.2, 0.0, 1e-6, 0.3, 1.0, 2.5, 8.0])

EXTREMES = {
    "tiny": np.array([1e-300, 2e-300, 3.5e-300]),
    "huge": np.array([-1e300, 0.5e300, 1e300]),
    "largest": np.array([-1.7e308, 1.0, 1.7e308]),
    "the largest": np.array([1.7976931348623157e308, 0.0]),
    "mixed": np.array([1e-300, 1.0, 1e300]),
    "subnormal": np.array([5e-324, 1e-323, 0.0]),
    "constant": np.array([3.0, 3.0, 3.0]),
    "constant huge": np.array([1e300, 1e300]),
    "zeros": np.zeros(3),
    "almost constant": 1.0 + np.array([0.0, 1.0, 2.0]) * 2.3e-16,
    "one": np.array([-7.0]),
    "none": np.array([]),
    "mostly one value": np.array([1.0, 1.0, 1.0, 0.0]),
    "outlier": np.array([-1e12, 1.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_power_is_yeo_johnson(exponent):
    expected = yeojohnson(U, float(exponent))
    np.testing.assert_allclose(power(U, float(exponent))[0], expected, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("exponent", [*EXPONENTS, 2.0, 2.0 + 1e-10])
def test_power_round_trip_and_slope(exponent):
    z, log_slope = power(U, float(exponent))
    assert (np.diff(z) > 0).all()
    back = power_inverse(z, float(exponent))
    inside = U > -3.5 if exponent > 2.5 else -np.inf < U  # beyond, it is flat to the last bit
    np.testing.assert_allclose(back[inside], U[inside], rtol=1e-6, atol=1e-12)
    h = 1e-5 * np.maximum(np.abs(U), 1e-2)
    numeric = (power(U + h, float(exponent))[0] - power(U - h, float(exponent))[0]) / (2 * h)
    np.testing.assert_allclose(np.exp(log_slope)[inside], numeric[inside], rtol=1e-3)


def test_power_inverse_below_its_bound_is_minus_infinity():
    assert power_inverse(np.array([-10.0]), 4.0)[0] == -np.inf


def test_ranks_are_normal_scores():
    y = np.random.default_rng(0).integers(10, size=30).astype(float)
    expected = norm.ppf((rankdata(y) - 0.5) / 30)
    np.testing.assert_allclose(ranks(y), expected, rtol=1e-12)


@pytest.mark.parametrize(("kind", "exponent"), KINDS)
def test_warp_is_monotone_standardised_and_invertible(kind, exponent):
    y = 50.0 + 7.0 * np.random.default_rng(1).standard_normal(40)
    w = warp(y, kind, exponent)
    order = np.argsort(y)
    assert (np.diff(w.z[order]) > 0).all()
    if kind != "ranks":
        assert w.z.mean() == pytest.approx(0.0, abs=1e-12)
        assert w.z.std() == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(w.inverse(w.z), y, rtol=1e-7)


@pytest.mark.parametrize(("kind", "exponent"), [k for k in KINDS if k[0] != "ranks"])
def test_slope_and_log_jacobian_are_those_of_the_transform(kind, exponent):
    """Location and scale of u are taken as given: they are not part of what is compared."""
    y = 50.0 + 7.0 * np.random.default_rng(1).standard_normal(12)
    w = warp(y, kind, exponent)

    def forward(v):
        z = power(w.scale.forward(v), exponent)[0]
        return (z - w.mean) / w.sd

    h = 1e-5
    slope = (forward(y + h) - forward(y - h)) / (2 * h)
    np.testing.assert_allclose(w.slope, slope, rtol=1e-5, atol=1e-7 * slope.max())
    by_u = np.sum(np.log(w.slope * w.scale.sd * w.scale.unit))
    assert w.log_jacobian == pytest.approx(by_u, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("kind", "exponent"), KINDS)
@pytest.mark.parametrize("y", EXTREMES.values(), ids=EXTREMES)
def test_extremes(kind, exponent, y):
    w = warp(y, kind, exponent)
    assert w.z.shape == y.shape
    assert np.isfinite(w.z).all()
    assert not np.isnan(w.slope).any()
    assert np.isfinite(w.log_jacobian)
    assert (np.diff(w.z[np.argsort(y)]) >= 0).all()
    assert np.abs(w.z).max(initial=0.0) < 10.0
    back = w.inverse(w.z)
    assert not np.isnan(back).any()
    assert np.isfinite(w.inverse(np.array([-1.0, 0.0, 1.0]))).all()
    assert not np.isnan(w.inverse(np.array([-50.0, 50.0]))).any()


@pytest.mark.parametrize("name", ["tiny", "huge", "largest", "constant", "one", "almost constant"])
def test_extremes_come_back(name):
    y = EXTREMES[name]
    np.testing.assert_allclose(warp(y, "standard").inverse(warp(y, "standard").z), y, rtol=1e-9)


@pytest.mark.parametrize("kind", ["standard", "power"])
def test_an_outlier_leaves_the_rest_its_resolution(kind):
    rest = np.linspace(0.0, 1.0, 9)
    z = warp(np.append(rest, -1e9), kind, 3.0 if kind == "power" else 1.0).z
    assert np.ptp(z[:-1]) > 0.05  # of a range that holds the outlier, too: without care, 1e-9
    assert z[-1] < z[:-1].min()
    assert (np.diff(z[:-1]) > 0).all()


def test_known_noise_is_carried_over():
    y = np.array([1.0, 2.0, 4.0])
    w = warp(y, "power", 2.0)
    np.testing.assert_allclose(w.noise(np.array([0.0, 0.1, 0.2])), ([0, 0.1, 0.2] * w.slope) ** 2)


def test_noise_beyond_all_bounds_is_finite():
    for y in EXTREMES.values():
        w = warp(y, "power", 3.0)
        assert np.isfinite(w.noise(np.full(y.shape, 1e300))).all()
        assert (w.noise(np.zeros(y.shape)) == 0.0).all()


def test_scale_does_not_depend_on_units_that_are_powers_of_two():
    y = np.random.default_rng(0).standard_normal(20)
    for unit in (2.0**-40, 2.0**3, 2.0**200):
        np.testing.assert_array_equal(scale_of(y).forward(y), scale_of(y * unit).forward(y * unit))
