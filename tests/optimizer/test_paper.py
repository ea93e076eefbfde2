"""``model="paper", policy="thompson"`` against the published algorithm, written out slowly.

Algorithm 1 of the paper: a Gaussian process an arm, squared exponential with one lengthscale,
fitted by maximum likelihood to that arm's values (standardised over all arms); one function drawn
from every posterior; the arm whose draw has the highest maximum, at the point where it is.
Nothing of the package is used for it; draws are exact ones, on a grid.
"""

import numpy as np
import pytest
from scipy.optimize import minimize

from banditbo import Choice, Float, Optimizer, Space

GRID = np.linspace(0.0, 1.0, 201)
SPACE = Space({"arm": Choice({c: {"x": Float(0, 1)} for c in "abc"})})
#: 22 values, the last three one an arm: the fit's chain has a link there, for all arms together.
ORDER = "cabcabcabcabcabcabcabc"


def make_data(seed):
    """Values of a sine with an offset, its own for every arm, at 7 or 8 points."""
    rng = np.random.default_rng(seed)
    waves = {
        c: [rng.uniform(2, 6), rng.uniform(5, 10), rng.uniform(0, 6), rng.uniform(0, 3)]
        for c in "abc"
    }
    points = {c: rng.random(8).round(2) for c in "abc"}
    data = []
    for i, c in enumerate(ORDER):
        size, frequency, phase, level = np.round(waves[c], 1)
        x = float(points[c][ORDER[:i].count(c)])
        data.append((c, x, float(size * np.sin(frequency * x + phase) + level)))
    return data


DATA = make_data(8)


def kernel(x, y, lengthscale):
    return np.exp(-0.5 * ((x[:, None] - y[None, :]) / lengthscale) ** 2)


def negative_log_likelihood(theta, x, z):
    lengthscale, signal, noise = np.exp(theta)
    k = signal * kernel(x, x, lengthscale) + noise * np.eye(len(x))
    factor = np.linalg.cholesky(k)
    white = np.linalg.solve(factor, z)
    return 0.5 * white @ white + np.log(np.diag(factor)).sum()


def maximum_likelihood(x, z):
    bounds = np.log([(0.01, 20.0), (1e-3, 1e2), (1e-6, 2.0)])
    starts = [
        np.log([a, b, c]) for a in (0.05, 0.2, 0.6, 2.0) for b in (0.3, 3.0) for c in (1e-5, 1e-2)
    ]
    found = [
        minimize(negative_log_likelihood, s, (x, z), method="L-BFGS-B", bounds=bounds)
        for s in starts
    ]
    return np.exp(min(found, key=lambda f: f.fun).x)


def published(data, n, seed=0):
    """Arm and point of n proposals of Algorithm 1."""
    values = np.array([v for _, _, v in data])
    z = (values - values.mean()) / values.std()
    rng = np.random.default_rng(seed)
    peaks, places, thetas = [], [], []
    for arm in "abc":
        mine = [i for i, d in enumerate(data) if d[0] == arm]
        x = np.array([data[i][1] for i in mine])
        lengthscale, signal, noise = theta = maximum_likelihood(x, z[mine])
        thetas.append(theta)
        k = signal * kernel(x, x, lengthscale) + noise * np.eye(len(x))
        v = signal * kernel(GRID, x, lengthscale)
        mean = v @ np.linalg.solve(k, z[mine])
        covariance = signal * kernel(GRID, GRID, lengthscale) - v @ np.linalg.solve(k, v.T)
        value, vector = np.linalg.eigh(covariance)
        root = vector * np.sqrt(np.maximum(value, 0.0))
        draws = mean + rng.standard_normal((n, len(GRID))) @ root.T
        peaks.append(draws.max(axis=1))
        places.append(GRID[draws.argmax(axis=1)])
    arm = np.argmax(peaks, axis=0)
    return arm, np.array(places)[arm, np.arange(n)], thetas


def told(data, seed=0):
    opt = Optimizer(SPACE, seed=seed, model="paper", policy="thompson")
    for arm, x, value in data:
        opt.tell({"arm": arm, "x": x}, value)
    return opt


def proposals(opt, n):
    trials = [opt.propose(opt._next + i) for i in range(n)]
    return np.array([t.arm.index for t in trials]), np.array([t.params["x"] for t in trials])


def test_hyper_parameters_are_those_of_maximum_likelihood():
    _, _, thetas = published(DATA, 1)
    fit = told(DATA)._belief().fit
    assert fit.n == len(DATA)
    for block, theta in zip(fit.blocks, thetas, strict=True):
        got = np.exp(block.theta)
        np.testing.assert_allclose(got[:2], theta[:2], rtol=0.05)


@pytest.mark.parametrize("n", [500, pytest.param(5000, marks=pytest.mark.slow)])
def test_arms_and_points_have_the_published_distribution(n):
    arm, x, _ = published(DATA, 20_000)
    expected = np.bincount(arm, minlength=3) / len(arm)
    assert (expected > 0.1).sum() >= 2  # or there is nothing to agree on
    got_arm, got_x = proposals(told(DATA), n)
    share = np.bincount(got_arm, minlength=3) / n
    error = np.sqrt(expected * (1 - expected) * (1 / n + 1 / 20_000))
    assert (np.abs(share - expected) < 3.5 * error + 1e-9).all()
    for c in range(3):
        mine, theirs = got_x[got_arm == c], x[arm == c]
        if len(mine) > 50:
            spread = theirs.std() / np.sqrt(len(mine)) + 0.005  # half a step of the grid
            assert abs(mine.mean() - theirs.mean()) < 3.5 * spread
            assert mine.std() == pytest.approx(theirs.std(), rel=0.35, abs=0.02)


def test_two_random_points_an_arm_come_first():
    opt = Optimizer(SPACE, seed=1, model="paper", policy="thompson")
    first = []
    for _ in range(6):
        (trial,) = opt.ask()
        first.append(trial.params["arm"])
        assert trial.why["by"] == "start"
        opt.tell(trial, 1.0)
    assert sorted(first) == [*"aabbcc"]
    assert opt.ask()[0].why["by"] == "Thompson"
    assert len({r.params["x"] for r in opt.trials}) == 7
