"""Bad input is refused by an error that names the thing, the value and the remedy."""

import math
from fractions import Fraction

import numpy as np
import pytest

from banditbo import (
    BanditBOError,
    Float,
    InvalidSpaceError,
    InvalidTrialError,
    InvalidValueError,
    Optimizer,
    Space,
)

SVM = {"model": "svm", "scale": "std", "C": 1.0, "gamma": 0.5}


def without(name):
    return {k: v for k, v in SVM.items() if k != name}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({**SVM, "depth": 3}, r"'depth' is not a parameter of this space"),
        ({**SVM, "gama": 3}, r"'gama' is not a parameter of this space.*did you\s+mean 'gamma'"),
        ({**SVM, "trees": 30}, r"'trees' = 30 is not active in arm \(model=svm, scale=std\)"),
        (without("C"), r"'C' is missing, which is active with model=svm"),
        (without("model"), r"'model' is missing"),
        ({**SVM, "model": "knn"}, r"'model' = 'knn' is not one of 'svm', 'forest', 'bayes'"),
        ({**SVM, "C": 1000.0}, r"'C' = 1000\.0.*0\.01.*100"),
        ({**SVM, "C": 0.0}, r"'C' = 0"),
        ({**SVM, "gamma": math.nan}, r"'gamma' must be finite, not nan"),
        ({**SVM, "gamma": math.inf}, r"'gamma' must be finite, not inf"),
        (
            {**SVM, "gamma": "0.5"},
            r"'gamma' must be a number, not '0\.5' \(str\): leave out the quotes",
        ),
        ({**SVM, "gamma": True}, r"'gamma' must be a number, not True"),
        ({**SVM, "gamma": None}, r"'gamma' must be a number, not None"),
        ({"model": "forest", "scale": "std", "trees": 30.5, "share": 0.1}, r"'trees' = 30\.5"),
        ({"model": "forest", "scale": "std", "trees": 51, "share": 0.1}, r"'trees' = 51"),
        ({"model": "forest", "scale": "std", "trees": 30, "share": 0.2}, r"'share' = 0\.2"),
        ({}, r"'model' is missing"),
    ],
)
def test_params(opt, params, message):
    opt.tell(opt.ask()[0], 1.0)
    before = opt.to_json()
    with pytest.raises(InvalidValueError, match=message):
        opt.tell(params, 1.0)
    assert opt.to_json() == before


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "trial 0: the value nan cannot be ranked: tell failed=True"),
        (math.inf, "the value inf cannot be ranked"),
        (-math.inf, "the value -inf cannot be ranked"),
        (np.float64("nan"), "the value nan cannot be ranked"),
        (10**400, "cannot be ranked"),
        ("0.5", "trial 0: the value '0.5' is a str, not a number: tell a float, or failed=True"),
        (True, "the value True is a bool, not a number"),
        (np.bool_(True), "the value True is a bool, not a number"),
        (None, "the value None is a NoneType, not a number"),
        ([0.5], "is a list, not a number"),
        (1j, "is a complex, not a number"),
        (np.array([1.0, 2.0]), "is a ndarray, not a number"),
    ],
)
def test_values(opt, value, message):
    (trial,) = opt.ask()
    before = opt.to_json()
    with pytest.raises(InvalidValueError, match=message):
        opt.tell(trial, value)
    assert opt.to_json() == before
    opt.tell(trial, 0.5)


@pytest.mark.parametrize(
    "value", [1, 0.5, np.float32(0.5), np.int64(3), np.array(0.5), np.array([0.5]), Fraction(1, 2)]
)
def test_values_that_are_numbers(opt, value):
    opt.tell(opt.ask()[0], value)
    assert type(opt.trials[0].value) is float
    assert opt.trials[0].value == float(np.asarray(value, dtype=float).reshape(-1)[0])


def test_failed_with_a_value(opt):
    (trial,) = opt.ask()
    with pytest.raises(InvalidValueError, match=r"trial 0 is told failed and has the value 1\.0"):
        opt.tell(trial, 1.0, failed=True)
    with pytest.raises(InvalidValueError, match="leave one of them out"):
        opt.tell(trial, 1.0, error="but why")


def test_a_trial_told_twice(opt):
    a, b = opt.ask(2)
    opt.tell(a, 1.0)
    opt.tell(b, failed=True)
    with pytest.raises(InvalidTrialError, match=r"trial 0 was told already \(the value 1\.0\)"):
        opt.tell(a, 2.0)
    with pytest.raises(
        InvalidTrialError, match=r"trial 1 was told already \(failed\): it is kept"
    ):
        opt.tell(b, 2.0)
    assert [r.value for r in opt.trials] == [1.0, None]


def test_a_trial_of_another_optimizer(opt, space):
    other = Optimizer(space, seed=99)
    opt.ask()
    foreign = other.ask(2)
    for trial in foreign:
        with pytest.raises(
            InvalidTrialError,
            match=f"trial {trial.number} was not asked of this optimizer: tell its parameters",
        ):
            opt.tell(trial, 1.0)
    assert len(opt.pending) == 1
    opt.tell(foreign[0].params, 1.0)


@pytest.mark.parametrize("what", [5, None, "trial 0", 1.5])
def test_what_is_no_trial(opt, what):
    with pytest.raises(InvalidTrialError, match="is not a trial: tell a Trial from ask"):
        opt.tell(what, 1.0)
    with pytest.raises(InvalidTrialError, match="is not a trial"):
        opt.tell([what], [1.0])


@pytest.mark.parametrize("values", [1.0, "ab", 7])
def test_a_list_of_trials_needs_a_list_of_values(opt, values):
    with pytest.raises(InvalidValueError, match="is not a list: give one value a trial"):
        opt.tell(opt.ask(2), values)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"direction": "max"}, "direction='max': use 'maximize' or 'minimize'"),
        ({"seed": -1}, "seed=-1: use an integer of at least 0"),
        ({"seed": 1.5}, r"seed=1\.5: use an integer"),
        ({"seed": True}, "seed=True"),
        ({"seed": "0"}, "seed='0'"),
        ({"n_init": -1}, "n_init=-1: use an integer of at least 0"),
        ({"n_init": 2.0}, r"n_init=2\.0"),
        ({"n_init": "two"}, "n_init='two'"),
        ({"model": "gp"}, "model 'gp' is unknown: use one of auto, correlated"),
        ({"policy": "greedy"}, "policy 'greedy' is unknown: use one of auto, thompson"),
        ({"policy": "oracle"}, "an Oracle must be told the best arm"),
        ({"policy": 3}, "policy 3 is not one: use a name or a policy object"),
        ({"noise": -0.1}, r"noise=-0\.1: a standard deviation is at least 0"),
        ({"noise": math.nan}, "noise=nan: a standard deviation is at least 0 and finite"),
        ({"noise": math.inf}, "noise=inf"),
        ({"noise": "much"}, "noise='much': use a number"),
        ({"noise": True}, "noise=True"),
    ],
)
def test_settings(space, settings, message):
    with pytest.raises(InvalidValueError, match=message):
        Optimizer(space, **settings)


@pytest.mark.parametrize("n", [0, -1, 1.0, "1", True, None])
def test_how_many(opt, n):
    with pytest.raises(InvalidValueError, match=f"n={n!r}: use an integer of at least 1"):
        opt.ask(n)


@pytest.mark.parametrize("space", [None, {"x": Float(0, 1)}, "space"])
def test_what_is_no_space(space):
    with pytest.raises(InvalidValueError, match="space must be a Space, not"):
        Optimizer(space)


@pytest.mark.parametrize("noise", [-1.0, math.nan, "a"])
def test_noise_of_a_value(opt, noise):
    with pytest.raises(InvalidValueError, match="noise="):
        opt.tell(opt.ask()[0], 1.0, noise=noise)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Float(1, 0),
        lambda: Float(0, 1, log=True),
        lambda: Float(math.nan, 1),
        lambda: Space({}),
    ],
)
def test_spaces_that_cannot_be(make):
    with pytest.raises(InvalidSpaceError):
        make()


def test_every_error_is_a_builtin_too(opt):
    for error in (InvalidSpaceError, InvalidTrialError, InvalidValueError):
        assert issubclass(error, BanditBOError)
        assert issubclass(error, ValueError)
