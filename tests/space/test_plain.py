import json

import pytest
from hypothesis import given, settings

from banditbo.errors import InvalidSpaceError
from banditbo.space import Categorical, Choice, Float, Int, Space

fast = settings(max_examples=100, deadline=None)


def test_the_documented_form():
    data = {
        "model": {
            "choice": {
                "svm": {"C": {"float": [0.03125, 32768], "log": True}},
                "forest": {
                    "n": {"int": [10, 50]},
                    "mf": {"float": [0, 1], "default": 0.5},
                },
                "mean": None,
            }
        },
        "scale": {"categorical": ["none", "minmax"]},
    }
    space = Space(
        {
            "model": Choice(
                {
                    "svm": {"C": Float(0.03125, 32768, log=True)},
                    "forest": {"n": Int(10, 50), "mf": Float(0, 1, default=0.5)},
                    "mean": None,
                }
            ),
            "scale": Categorical(["none", "minmax"]),
        }
    )
    assert Space.from_dict(data) == space
    data["model"]["choice"]["mean"] = {}
    assert space.to_dict() == data


@pytest.mark.parametrize(
    ("parameter", "plain"),
    [
        (Float(0, 1, step=1), {"float": [0.0, 1.0], "step": 1.0}),
        (Float(0, 1, step=0.1, default=0), {"float": [0.0, 1.0], "step": 0.1, "default": 0.0}),
        (Int(0, 9, step=3, default=0), {"int": [0, 9], "step": 3, "default": 0}),
        (Int(1, 9, log=True), {"int": [1, 9], "log": True}),
        (Categorical([None], default=None), {"categorical": [None], "default": None}),
        (
            Choice({True: None, "a": {"x": Int(0, 1)}}, default=True),
            {"choice": [[True, {}], ["a", {"x": {"int": [0, 1]}}]], "default": True},
        ),
    ],
)
def test_each_parameter_both_ways(parameter, plain):
    assert repr(Space({"p": parameter}).to_dict()["p"]) == repr(plain)
    assert Space.from_dict({"p": plain}).parameters["p"] == parameter


def test_what_is_read_besides():
    read = Space.from_dict(
        {
            "x": {"float": ["1e-5", "1e0"], "log": True, "step": None, "default": "1e-3"},
            "n": {"int": [1, 9.0], "step": None, "default": None},
            "m": {"choice": {True: None, 2: {}}},
            "c": {"categorical": ("a", "1e5")},
        }
    )
    assert read == Space(
        {
            "x": Float(1e-5, 1, log=True, default=1e-3),
            "n": Int(1, 9),
            "m": Choice({True: None, 2: None}),
            "c": Categorical(["a", "1e5"]),
        }
    )


@fast
@given(space=...)
def test_every_space_comes_back(space: Space):
    again = Space.from_dict(json.loads(json.dumps(space.to_dict())))
    assert again == space
    assert again.arms == space.arms
    assert repr(again) == repr(space)


def nested(item):
    return {"model": {"choice": {"svm": {"C": item}}}}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "space: expected a mapping from name to parameter, not None"),
        ({}, "a space needs at least one parameter"),
        ({3: {"int": [0, 1]}}, "space: a parameter's name must be a string that is not empty, no"),
        ({"x": [0, 1]}, "x: expected {float: [0, 1]}, {int: [1, 9]}, {categorical: [a, b]} or {c"),
        ({"x": {}}, "x: needs one of float, int, categorical, choice, and has none"),
        (
            {"x": {"float": [0, 1], "int": [0, 1]}},
            "choice, and has float and int",
        ),
        (nested({"flaot": [0, 1]}), "model.svm.C: unknown key 'flaot'; did you mean 'float'?"),
        (nested({"float": [0, 1], "lgo": True}), "model.svm.C: unknown key 'lgo'; did you mean '"),
        (nested({"float": [0, 1], 3: True}), "model.svm.C: unknown key 3"),
        (nested({"categorical": [0, 1], "log": True}), "model.svm.C: unknown key 'log'"),
        (nested({"float": 3}), "model.svm.C: expected [low, high], not 3"),
        (nested({"float": [0, 1, 2]}), "model.svm.C: expected [low, high], not [0, 1, 2]"),
        (nested({"float": [1, 0]}), "model.svm.C: low=1.0 is above high=0.0"),
        (nested({"float": ["a", 0]}), "model.svm.C: low must be a number, not 'a'"),
        (nested({"float": [0, 1], "log": "yes"}), "model.svm.C: log must be True or False, not"),
        (nested({"float": [0, 1], "default": 2}), "model.svm.C: 'default' = 2 is outside"),
        (nested({"int": [0, 0.5]}), "model.svm.C: high of an Int must be a whole number, not 0.5"),
        (nested({"categorical": "ab"}), "model.svm.C: choices must be a list of values, not 'ab'"),
        (nested({"categorical": [[1]]}), "model.svm.C: an alternative must be a str"),
        (nested({"choice": 3}), "model.svm.C: expected a mapping from alternative to its param"),
        (nested({"choice": {}}), "model.svm.C: a Choice needs at least one alternative"),
        (
            nested({"choice": ["a"]}),
            "model.svm.C: expected a pair [alternative, {its para",
        ),
        (nested({"choice": [[[1], {}]]}), "model.svm.C: the alternative [1] is not a value"),
        (nested({"choice": [["a", {}], ["a", {}]]}), "model.svm.C: the alternative 'a' is given"),
        (nested({"choice": {"a": [1]}}), "model.svm.C.a: expected a mapping from name to param"),
        (nested({"choice": {"a": None}, "default": "b"}), "model.svm.C: 'default' = 'b' is not"),
    ],
)
def test_errors_name_the_path_the_key_and_the_nearest_right_one(data, message):
    with pytest.raises(InvalidSpaceError) as error:
        Space.from_dict(data)
    assert message in str(error.value)
