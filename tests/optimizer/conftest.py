"""A space with arms of their own parameters, and a function on it."""

import math

import pytest

from banditbo import Categorical, Choice, Float, Int, Optimizer, Space

SPACE = Space(
    {
        "model": Choice(
            {
                "svm": {"C": Float(0.01, 100.0, log=True), "gamma": Float(0.0, 1.0)},
                "forest": {"trees": Int(10, 50), "share": Float(0.1, 0.9, step=0.2)},
                "bayes": None,
            }
        ),
        "scale": Categorical(["none", "std"]),
    }
)


def value_of(model, scale, C=None, gamma=None, trees=None, share=None):
    bonus = 0.1 * (scale == "std")
    if model == "svm":
        return 1.0 - 0.1 * math.log10(C) ** 2 - (gamma - 0.3) ** 2 + bonus
    if model == "forest":
        return 0.7 - ((trees - 35) / 40) ** 2 - (share - 0.5) ** 2 + bonus
    return 0.2 + bonus


def run(opt, n, batch=1, function=value_of, sign=1.0):
    """Ask and tell n trials; return all params."""
    asked = []
    while len(asked) < n:
        trials = opt.ask(min(batch, n - len(asked)))
        for trial in trials:
            opt.tell(trial, sign * function(**trial.params))
        asked += [t.params for t in trials]
    return asked


@pytest.fixture(scope="session")
def space():
    return SPACE


@pytest.fixture
def opt():
    return Optimizer(SPACE, seed=3)


@pytest.fixture(scope="session")
def tools():
    class Tools:
        run = staticmethod(run)
        value_of = staticmethod(value_of)

    return Tools
