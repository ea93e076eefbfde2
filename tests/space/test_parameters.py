import copy
import dataclasses
import fractions
import pickle

import numpy as np
import pytest

from banditbo.errors import InvalidSpaceError, InvalidValueError
from banditbo.space import Float, Int


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Float(1, 0), "low=1.0 is above high=0.0: swap them"),
        (lambda: Float("0", 1), "low must be a number, not '0' (str): leave out the quotes"),
        (lambda: Float(0, True), "high must be a number, not True (bool)"),
        (lambda: Float(0, None), "high must be a number, not None (NoneType)"),
        (lambda: Float(0, float("nan")), "high must be finite, not nan"),
        (lambda: Float(0, 10**400), "high must be finite, not inf"),
        (lambda: Float(0, 1, log=True), "log=True needs low above 0, not 0.0"),
        (lambda: Float(0, 1, log="yes"), "log must be True or False, not 'yes'"),
        (lambda: Float(0, 1, step=0), "step must be above 0, not 0.0"),
        (lambda: Float(1, 2, log=True, step=1), "log=True and step=1.0 exclude one another"),
        (lambda: Float(0, 1, step=1e-13), "step=1e-13 is too fine for the range 0.0 to 1.0"),
        (lambda: Float(1e9, 1e9 + 1, step=1e-7), "step=1e-07 is too fine"),
        (lambda: Float(0, 1, default=2), "'default' = 2 is outside its range 0.0 to 1.0"),
        (lambda: Float(0, 1, step=0.5, default=0.7), "not on the grid of its step 0.5"),
        (lambda: Int(0.5, 1), "low of an Int must be a whole number, not 0.5"),
        (lambda: Int(0, 9, step=-1), "step must be above 0, not -1"),
        (lambda: Int(0, 9, step=None), "step must be a number, not None (NoneType)"),
        (lambda: Int(0, 9, log=True), "log=True needs low at least 1, not 0"),
        (lambda: Int(1, 9, log=True, step=2), "log=True and step=2 exclude one another"),
        (lambda: Int(0, 2**41), "integers that a float cannot tell apart"),
        (lambda: Int(2**60, 2**60 + 1), "use a Float"),
        (lambda: Int(0, 9, default=0.5), "'default' = 0.5 is not on the grid of its step 1"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InvalidSpaceError) as error:
        make()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        (Float(0, 1), 1.5, "'x' = 1.5 is outside its range 0.0 to 1.0: give a value inside"),
        (Float(0, 1), float("nan"), "'x' must be finite, not nan"),
        (Float(0, 1), np.float64("inf"), "'x' must be finite, not inf"),
        (Float(0, 1), 10**30, "outside its range"),
        (Float(0, 1), "0.5", "'x' must be a number, not '0.5' (str): leave out the quotes"),
        (Float(0, 1), True, "'x' must be a number, not True (bool)"),
        (Float(0, 1), np.True_, "(bool)"),
        (Float(0, 1), [1], "'x' must be a number, not [1] (list)"),
        (Float(0, 1, step=0.3), 1.0, "not on the grid of its step 0.3: give 0.9"),
        (Float(0, 1, step=0.25), 0.3, "give 0.25 or 0.5"),
        (Int(1, 9), 0, "'x' = 0 is outside its range 1 to 9"),
        (Int(1, 9), 2.5, "'x' = 2.5 is not on the grid of its step 1: give 2 or 3"),
        (Int(1, 9, log=True), 2.5, "give 2 or 3"),
        (Int(1, 9, step=3), 6, "not on the grid of its step 3: give 4 or 7"),
        (Int(1, 9), None, "'x' must be a number, not None (NoneType)"),
    ],
)
def test_a_value_that_is_refused(parameter, value, message):
    with pytest.raises(InvalidValueError) as error:
        parameter.check("x", value)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("parameter", "value", "checked"),
    [
        (Float(0, 1), 1, 1.0),
        (Float(0, 1), -0.0, 0.0),
        (Float(0, 1), np.float32(0.5), 0.5),
        (Float(0, 1), np.array(0.5), 0.5),
        (Float(0, 1), fractions.Fraction(1, 4), 0.25),
        (Float(0, 1, step=0.1), 0.1 * 3, 0.3),
        (Float(0, 4, step=2), 2, 2.0),
        (Int(1, 9), np.int64(3), 3),
        (Int(1, 9), 3.0, 3),
        (Int(1, 9, log=True), 3.0, 3),
        (Int(1, 9, step=2), 5, 5),
    ],
)
def test_a_value_in_the_space_s_own_form(parameter, value, checked):
    found = parameter.check("x", value)
    assert repr(found) == repr(checked)


@pytest.mark.parametrize(
    ("parameter", "value", "clipped"),
    [
        (Float(0, 1), 1.5, 1.0),
        (Float(0, 1, step=0.3), 1.5, 0.9),
        (Float(0, 1, step=0.3), 0.4, 0.3),
        (Int(1, 9), -(10**30), 1),
        (Int(1, 9), 2.4, 2),
        (Int(1, 9), 99.5, 9),
        (Int(1, 9, step=3), 9, 7),
        (Int(1, 9, step=3), 99, 7),
    ],
)
def test_clip_moves_to_the_border_and_to_the_grid(parameter, value, clipped):
    assert repr(parameter.check("x", value, clip=True)) == repr(clipped)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1", True])
@pytest.mark.parametrize("parameter", [Float(0, 1), Int(0, 1)])
def test_clip_repairs_nothing_else(parameter, value):
    with pytest.raises(InvalidValueError):
        parameter.check("x", value, clip=True)


def test_parameters_are_plain_frozen_values():
    assert Float(0, 1) == Float(0.0, np.float64(1.0)) != Float(0, 1, default=0.5)
    assert Float(0, 1).range == Float(0, 1, default=0.5).range != Float(0, 1, step=0.5).range
    assert Float(0, 1) != Int(0, 1)
    assert Float(0, 1).range != Int(0, 1).range
    assert len({Int(0, 1), Int(0, 1.0), Int(0, 1, default=1)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Int(0, 1).low = 3
    wider = dataclasses.replace(Int(0, 1), high=9)
    assert wider == Int(0, 9)
    assert wider.axis.cells == 10
    for parameter in (Float(1, 2, log=True), Float(0, 1, step=0.1), Int(1, 9, log=True)):
        assert pickle.loads(pickle.dumps(parameter)) == copy.deepcopy(parameter) == parameter


def test_repr_can_be_evaluated():
    for parameter in (Float(1, 2, log=True, default=1.5), Int(1, 9, step=2), Float(0, 1, step=1)):
        assert eval(repr(parameter)) == parameter
