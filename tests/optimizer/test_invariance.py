"""What must not matter, does not: units of the values, names of parameters, order of the arms."""

import numpy as np
import pytest

from banditbo import Choice, Float, Int, Optimizer, Space

ARMS = {
    "p": {"x": Float(0, 1), "y": Float(0, 1)},
    "q": {"x": Float(0, 1), "y": Float(0, 1)},
    "r": {"n": Int(1, 30)},
}
LEVEL = {"p": 0.0, "q": 0.4, "r": 0.1}


def value_of(arm, *numbers):
    x = [n / 30 if isinstance(n, int) else n for n in numbers]
    return LEVEL[arm] + float(np.sin(6 * x[0]) - (x[-1] - 0.6) ** 2)


def proposals(n=14, *, scale=1.0, shift=0.0, direction="maximize", **settings):
    opt = Optimizer(Space({"f": Choice(ARMS)}), direction, seed=2, **settings)
    out = []
    for _ in range(n):
        (trial,) = opt.ask()
        arm, *numbers = trial.params.values()
        out.append([arm, *numbers])
        opt.tell(trial, scale * value_of(arm, *numbers) + shift)
    return out


MODELS = pytest.mark.parametrize(
    "settings", [{}, {"model": "paper", "policy": "thompson"}, {"policy": "ucb1"}], ids=str
)


@MODELS
@pytest.mark.parametrize("scale", [2.0**-30, 0.5, 2.0, 2.0**100])
def test_units_that_are_powers_of_two(settings, scale):
    assert proposals(scale=scale, **settings) == proposals(**settings)


def agree(a, b, n):
    """The first n proposals are the same but for rounding."""
    for one, other in zip(a[:n], b[:n], strict=True):
        assert one[0] == other[0]
        np.testing.assert_allclose(one[1:], other[1:], atol=1e-3)


@MODELS
@pytest.mark.parametrize(("scale", "shift"), [(3.7, 11.0), (1.0, -1e3), (1e-8, 0.0)])
def test_affine_changes_of_the_values(settings, scale, shift):
    agree(proposals(scale=scale, shift=shift, **settings), proposals(**settings), 9)


@MODELS
def test_minimising_minus_f(settings):
    a = proposals(scale=-1.0, direction="minimize", **settings)
    assert a == proposals(**settings)


@MODELS
def test_renamed_parameters(settings):
    """Points and arms stay. (The start's order of visits is keyed by the name of the choice.)"""
    renamed = {
        "p": {"a": Float(0, 1), "b": Float(0, 1)},
        "q": {"a": Float(0, 1), "b": Float(0, 1)},
        "r": {"c": Int(1, 30)},
    }
    opt = Optimizer(Space({"f": Choice(renamed)}), seed=2, **settings)
    got = []
    for _ in range(14):
        (trial,) = opt.ask()
        arm, *numbers = trial.params.values()
        got.append([arm, *numbers])
        opt.tell(trial, value_of(arm, *numbers))
    assert got == proposals(**settings)


@MODELS
def test_renamed_alternatives(settings):
    names = {"p": "one", "q": 2, "r": None}
    back = {v: k for k, v in names.items()}
    space = Space({"f": Choice({names[k]: v for k, v in ARMS.items()})})
    opt = Optimizer(space, seed=2, **settings)
    got = []
    for _ in range(14):
        (trial,) = opt.ask()
        arm, *numbers = trial.params.values()
        got.append([back[arm], *numbers])
        opt.tell(trial, value_of(back[arm], *numbers))
    assert got == proposals(**settings)


def test_permuted_arms():
    """The same history in a space whose alternatives are in another order: the same proposals.

    For scores that do not draw arm by arm, that is; drawn functions are drawn in the arms' order,
    and the start visits arms by their place. What is expected is a score's peak, the same for
    every order of the arms of one group.
    """
    orders = [["p", "q", "r"], ["q", "p", "r"]]
    rng = np.random.default_rng(0)
    history = []
    for _ in range(20):
        arm = "pqr"[rng.integers(3)]
        numbers = [int(rng.integers(1, 31))] if arm == "r" else rng.random(2).round(6).tolist()
        history.append((arm, numbers))
    proposed = []
    for order in orders:
        opt = Optimizer(Space({"f": Choice({c: ARMS[c] for c in order})}), seed=5)
        for arm, numbers in history:
            params = {"f": arm, **dict(zip(ARMS[arm], numbers, strict=True))}
            opt.tell(params, value_of(arm, *numbers))
        proposed.append([[*opt.propose(50 + i).params.values()] for i in range(6)])
    agree(*proposed, 6)


def test_the_order_of_telling_matters_little():
    """The fit is a chain along the history, so the order may move proposals, but not beliefs."""
    rng = np.random.default_rng(0)
    told = [
        ({"f": "p", "x": float(x), "y": float(y)}, value_of("p", x, y))
        for x, y in rng.random((30, 2))
    ]
    means = []
    for order in (range(30), rng.permutation(30)):
        opt = Optimizer(Space({"f": Choice(ARMS)}), seed=0)
        for i in order:
            opt.tell(*told[i])
        x = rng.random((1, 2)) * 0 + 0.4
        posterior = opt.posterior()
        means.append(
            float(posterior.warp.inverse(posterior.mean_variance(np.array([0]), x)[0])[0])
        )
    assert means[0] == pytest.approx(means[1], abs=0.05)
    assert means[0] == pytest.approx(value_of("p", 0.4, 0.4), abs=0.1)
