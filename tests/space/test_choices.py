import pickle

import numpy as np
import pytest

from banditbo.errors import InvalidSpaceError, InvalidValueError
from banditbo.space import Categorical, Choice, Float, Int


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Categorical([]), "a Categorical needs at least one alternative"),
        (lambda: Categorical("abc"), "choices must be a list of values, not 'abc'"),
        (lambda: Categorical(3), "choices must be a list of values, not 3"),
        (lambda: Categorical(["a", "b", "a"]), "the alternative 'a' is given twice"),
        (lambda: Categorical([1, np.int64(1)]), "the alternative 1 is given twice"),
        (lambda: Categorical([(1, 2)]), "not (1, 2) (tuple): name it by a string"),
        (lambda: Categorical([float("inf")]), "inf cannot be an alternative: write it as"),
        (lambda: Categorical(["a"], default="b"), "'default' = 'b' is not one of 'a'"),
        (lambda: Categorical(["a"], default=None), "'default' = None is not one of 'a'"),
        (lambda: Choice({}), "a Choice needs at least one alternative"),
        (lambda: Choice(["a", "b"]), "alternatives without parameters make a Categorical"),
        (lambda: Choice({"a": [1]}), "alternative 'a': give a mapping from name to parameter"),
        (lambda: Choice({"a": {"x": (0, 1)}}), "'x' must be a Float, Int, Categorical or Choice"),
        (lambda: Choice({"a": {"": Int(0, 1)}}), "name must be a str that is not empty, not ''"),
        (lambda: Choice({"a": {3: Int(0, 1)}}), "name must be a str that is not empty, not 3"),
        (lambda: Choice({("a",): None}), "an alternative must be a str, bool, int, float or None"),
        (lambda: Choice({"a": None}, default="b"), "'default' = 'b' is not one of 'a'"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InvalidSpaceError) as error:
        make()
    assert message in str(error.value)


def test_true_one_and_one_point_zero_are_three_alternatives():
    decision = Categorical([True, 1, 1.0, "1", None])
    assert [repr(decision.check("x", v)) for v in (1.0, True, 1, "1", None)] == [
        *("1.0", "True", "1", "'1'", "None"),
    ]
    assert Categorical([True]) != Categorical([1]) != Categorical([1.0])
    assert hash(Categorical([1, 2])) == hash(Categorical(np.array([1, 2])))
    assert Choice({True: None}) != Choice({1: None})


def test_none_as_default_is_not_no_default():
    assert Categorical([None, 1]) != Categorical([None, 1], default=None)
    assert repr(Categorical([None, 1])) == "Categorical([None, 1])"
    assert repr(Categorical([None, 1], default=None)) == "Categorical([None, 1], default=None)"


def test_the_space_s_own_object_is_returned():
    own = "".join(["r", "b", "f"])
    found = Categorical([own]).check("kernel", np.str_("rbf"))
    assert found is own
    assert Choice({own: None}).check("kernel", np.array("rbf")) is own


@pytest.mark.parametrize(
    "decision", [Categorical(["rbf", "poly"]), Choice({"rbf": {}, "poly": {}})]
)
def test_a_value_that_is_refused(decision):
    with pytest.raises(
        InvalidValueError, match="'k' = 'RBF' is not one of 'rbf', 'poly'; did you"
    ):
        decision.check("k", "RBF")
    with pytest.raises(InvalidValueError, match=r"'k' = \['rbf'\] is not one of"):
        decision.check("k", ["rbf"])
    with pytest.raises(InvalidValueError, match=r"\.\.\. \(99 in all\)"):
        Categorical(range(99)).check("k", "rbf")


def test_a_choice_is_frozen_ordered_and_picklable():
    given = {"b": {"x": Float(0, 1)}, "a": None}
    choice = Choice(given)
    given["b"]["y"] = Int(0, 1)
    assert choice == Choice({"b": {"x": Float(0, 1)}, "a": {}})
    assert choice != Choice({"a": {}, "b": {"x": Float(0, 1)}})
    assert pickle.loads(pickle.dumps(choice)) == choice
    assert eval(repr(choice)) == choice
    for change in ("clear", "popitem"):
        with pytest.raises(TypeError, match="read-only"):
            getattr(choice.alternatives, change)()
    with pytest.raises(TypeError, match="read-only"):
        choice.alternatives["b"]["x"] = Int(0, 1)
