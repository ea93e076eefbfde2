import numpy as np
import pytest
from scipy.spatial.distance import cdist

from banditbo.model.kernels import KERNELS, squared_distance

FORMULAS = {
    "matern52": lambda r: (1 + 5**0.5 * r + 5 / 3 * r**2) * np.exp(-(5**0.5) * r),
    "se": lambda r: np.exp(-(r**2) / 2),
}


@pytest.fixture(params=sorted(KERNELS))
def kernel(request):
    return KERNELS[request.param], FORMULAS[request.param]


def test_values_are_the_formula(kernel):
    k, formula = kernel
    r = np.array([0.0, 1e-9, 0.01, 0.3, 1.0, 2.5, 10.0, 60.0])
    np.testing.assert_allclose(k.value(r**2), formula(r), rtol=1e-14, atol=0)
    np.testing.assert_allclose(k.value_and_slope(r**2)[0], formula(r), rtol=1e-14, atol=0)
    assert k.value(np.zeros(1))[0] == 1.0


def test_arguments_are_left_alone(kernel):
    r2 = np.array([[0.5, 2.0]])
    kernel[0].value(r2)
    kernel[0].value_and_slope(r2)
    assert r2.tolist() == [[0.5, 2.0]]


def test_slope_is_the_derivative_by_the_squared_distance(kernel):
    k, formula = kernel
    r2 = np.array([0.01, 0.3, 1.0, 2.5, 10.0])
    h = 1e-6
    expected = (formula(np.sqrt(r2 + h)) - formula(np.sqrt(r2 - h))) / (2 * h)
    np.testing.assert_allclose(k.value_and_slope(r2)[1], expected, rtol=1e-5)


def test_slope_at_zero_is_finite(kernel):
    k, formula = kernel
    h = 1e-4
    expected = (formula(h) - 1.0) / h**2
    assert k.value_and_slope(np.zeros(1))[1][0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_positive_definite(kernel, d):
    x = np.random.default_rng(d).random((60, d))
    k = kernel[0].value(squared_distance(x / 0.3, x / 0.3))
    np.testing.assert_allclose(k, k.T, atol=1e-14)
    assert np.linalg.eigvalsh(k).min() > -1e-12


@pytest.mark.parametrize("d", [1, 3])
def test_frequencies_reproduce_the_kernel(kernel, d):
    k, formula = kernel
    n = 200_000
    rng = np.random.default_rng(d)
    omega = k.frequencies(rng, n, d)
    assert omega.shape == (n, d)
    for r in (0.2, 0.7, 1.5, 3.0):
        along = rng.standard_normal(d)
        along *= r / np.linalg.norm(along)
        cosine = np.cos(omega @ along)
        error = cosine.std() / np.sqrt(n)
        assert abs(cosine.mean() - formula(r)) < 4.5 * error


def test_squared_distance_is_that_of_scipy():
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 4, 9, 3)), rng.random((2, 4, 5, 3))
    got = squared_distance(x, y)
    assert got.shape == (2, 4, 9, 5)
    for i in np.ndindex(2, 4):
        np.testing.assert_allclose(got[i], cdist(x[i], y[i], "sqeuclidean"), atol=1e-14)


def test_squared_distance_is_never_negative():
    x = np.random.default_rng(0).random((50, 4)) + 1e6
    assert (squared_distance(x, x) >= 0.0).all()


def test_squared_distance_without_coordinates_or_rows():
    assert squared_distance(np.zeros((3, 0)), np.zeros((2, 0))).tolist() == [[0.0] * 2] * 3
    assert squared_distance(np.zeros((0, 2)), np.zeros((4, 2))).shape == (0, 4)
