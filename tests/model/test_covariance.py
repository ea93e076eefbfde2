import numpy as np
import pytest

from banditbo.model.covariance import arm_factor, cholesky, inverse_factor, same_arm


def test_arm_factor_is_a_product_over_decisions():
    rng = np.random.default_rng(0)
    codes, other = rng.integers(3, size=(2, 6, 2)), rng.integers(3, size=(2, 4, 2))
    rho = rng.random((2, 2))
    got = arm_factor(codes, other, rho)
    for s, i, j in np.ndindex(2, 6, 4):
        expected = 1.0
        for decision in range(2):
            if codes[s, i, decision] != other[s, j, decision]:
                expected *= rho[s, decision]
        assert got[s, i, j] == pytest.approx(expected, rel=1e-15)


def test_arm_factor_of_no_decision_is_none():
    assert arm_factor(np.zeros((3, 0), int), np.zeros((3, 0), int), np.zeros(0)) is None


def test_same_arm():
    assert same_arm(np.array([0, 1]), np.array([1, 1, 0])).tolist() == [
        [False, False, True],
        [True, True, False],
    ]


@pytest.mark.parametrize("shape", [(5, 5), (3, 5, 5), (0, 0), (2, 0, 0)])
def test_cholesky_and_its_inverse(shape):
    a = np.random.default_rng(0).standard_normal(shape)
    k = a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1])
    factor, jitter = cholesky(k)
    assert jitter == 0.0
    np.testing.assert_allclose(factor @ np.swapaxes(factor, -1, -2), k, atol=1e-12)
    np.testing.assert_array_equal(factor, np.tril(factor))
    expected = np.broadcast_to(np.eye(shape[-1]), shape)
    np.testing.assert_allclose(inverse_factor(factor) @ factor, expected, atol=1e-12)


@pytest.mark.parametrize("k", [np.ones((4, 4)), np.stack([np.eye(4), np.ones((4, 4))])])
def test_singular_matrices_take_a_jitter_that_is_told(k):
    before = k.copy()
    factor, jitter = cholesky(k)
    assert 0.0 < jitter <= 1e-6
    np.testing.assert_allclose(factor @ np.swapaxes(factor, -1, -2), k, atol=1e-5)
    np.testing.assert_array_equal(k, before)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("stack", [False, True])
def test_what_is_not_a_covariance_becomes_independence(bad, stack):
    k = np.eye(3)
    k[1, 1] = bad
    factor, jitter = cholesky(np.stack([k, k]) if stack else k)
    assert jitter == 1.0
    assert np.isfinite(factor).all()
