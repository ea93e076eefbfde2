import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from banditbo.errors import InvalidSpaceError
from banditbo.space import Categorical, Choice, Float, Int, Space

cs = pytest.importorskip("ConfigSpace")


def configspace(*things):
    space = cs.ConfigurationSpace(seed=0)
    space.add(*things)
    return space


def test_a_shared_parameter_is_one_hyperparameter_with_an_in_condition():
    c = Float(0.01, 100, log=True)
    space = Space(
        {
            "model": Choice({"svm": {"C": c}, "ridge": {"a": Int(1, 3), "C": c}, "mean": None}),
            "scale": Categorical(["none", "minmax"]),
        }
    )
    found = space.to_configspace()
    assert sorted(found) == ["C", "a", "model", "scale"]
    assert sorted(map(str, found.conditions)) == [
        "C | model in {'svm', 'ridge'}",
        "a | model == 'ridge'",
    ]
    assert (found["C"].lower, found["C"].upper, found["C"].log) == (0.01, 100.0, True)
    assert Space.from_configspace(found) == space


def test_names_that_occur_with_different_ranges_get_names_of_their_own():
    space = Space(
        {
            "m": Choice(
                {
                    "a": {"k": Choice({"p": {"x": Int(0, 1)}, "q": {"x": Int(0, 2)}})},
                    "b": {"x": Int(0, 1)},
                    "c": {"x": Int(0, 1)},
                }
            ),
            "b:x": Int(0, 5),
        }
    )
    found = space.to_configspace()
    assert sorted(found) == ["a:p:x", "a:q:x", "b:x", "b:x#2", "k", "m"]
    assert Space.from_configspace(found) == space


def test_what_configspace_has_no_place_for_is_written_down():
    space = Space(
        {
            "step": Float(0, 1, step=0.1, default=0.3),
            "odd": Int(1, 9, step=2),
            "one": Float(2, 2),
            "fine": Float(1 / 3, 1e15 + 1 / 3),
            "none": Categorical([None, 1], default=None),
            "no default": Categorical(["a", "b"]),
        }
    )
    found = space.to_configspace()
    assert found["step"].sequence == (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
    assert found["one"].value == 2.0
    assert found["step"].default_value == 0.3
    assert Space.from_configspace(found) == space


def tamed(parameters):
    """The same tree, with the ranges of its floats made such that ConfigSpace can hold them."""
    result = {}
    for name, parameter in parameters.items():
        if isinstance(parameter, Float) and parameter.step is None:
            parameter = Float(0.1, 7.3, log=parameter.log)
        elif isinstance(parameter, Int):
            low = 1 + parameter.low % 100
            parameter = Int(low, low + (parameter.high - parameter.low) % 50, step=parameter.step)
        elif isinstance(parameter, Choice):
            alternatives = {v: tamed(below) for v, below in parameter.alternatives.items()}
            parameter = Choice(alternatives, default=parameter.default)
        elif len(set(parameter.choices if isinstance(parameter, Categorical) else [])) < len(
            getattr(parameter, "choices", [])
        ):
            parameter = Categorical(list(dict.fromkeys(parameter.choices)))  # True is 1 there
        if not (isinstance(parameter, Float) and parameter.axis.cells > 1000 and parameter.step):
            result[name] = parameter
    return result


@settings(max_examples=60, deadline=None)
@given(space=...)
def test_every_space_that_configspace_can_hold_comes_back(space: Space):
    parameters = tamed(space.parameters)
    assume(parameters)
    space = Space(parameters)
    found = space.to_configspace()
    assert Space.from_configspace(found) == space
    text = json.dumps(found.to_serialized_dict())
    again = cs.ConfigurationSpace.from_serialized_dict(json.loads(text))
    assert Space.from_configspace(again) == space


def test_what_configspace_samples_is_valid():
    space = Space(
        {
            "m": Choice({"a": {"x": Float(0, 1, step=0.25), "n": Int(1, 9, log=True)}, "b": None}),
            "y": Float(1e-5, 1, log=True),
            "c": Categorical(["u", "v"]),
        }
    )
    for configuration in space.to_configspace().sample_configuration(20):
        space.validate(dict(configuration))


# --- from others --------------------------------------------------------------------------


def parts():
    return (
        cs.CategoricalHyperparameter("model", ["svm", "ridge", "mean"], weights=[1, 2, 3]),
        cs.CategoricalHyperparameter("kernel", ["rbf", "poly"], default_value="poly"),
        cs.UniformFloatHyperparameter("gamma", 1e-3, 10, log=True, default_value=0.1),
        cs.UniformIntegerHyperparameter("degree", 2, 5, meta={"why": "test"}),
    )


def test_nested_conditions_conjunctions_along_a_path_and_negations():
    model, kernel, gamma, degree = parts()
    given = configspace(
        *(model, kernel, gamma, degree),
        cs.InCondition(kernel, model, ["svm", "ridge"]),
        cs.AndConjunction(
            cs.EqualsCondition(gamma, kernel, "rbf"), cs.EqualsCondition(gamma, model, "svm")
        ),
        cs.NotEqualsCondition(degree, model, "svm"),
    )
    gamma, degree = Float(1e-3, 10, log=True, default=0.1), Int(2, 5, default=4)
    space = Space.from_configspace(given)
    svm = Choice({"rbf": {"gamma": gamma}, "poly": None}, default="poly")
    ridge = Choice({"rbf": None, "poly": None}, default="poly")
    assert space.parameters["model"] == Choice(
        {
            "svm": {"kernel": svm},
            "ridge": {"degree": degree, "kernel": ridge},
            "mean": {"degree": degree},
        },
        default=given["model"].default_value,
    )
    for configuration in given.sample_configuration(30):
        space.validate(dict(configuration))
    back = space.to_configspace()
    assert Space.from_configspace(back) == space


def test_an_in_condition_on_one_hyperparameter_round_trips():
    model, _, gamma, _ = parts()
    given = configspace(model, gamma, cs.InCondition(gamma, model, ["svm", "mean"]))
    back = Space.from_configspace(given).to_configspace()
    assert list(back) == list(given)
    assert str(back.conditions) == str(given.conditions)


def test_or_on_one_parent_and_order_on_an_ordinal():
    model, _, gamma, degree = parts()
    size = cs.OrdinalHyperparameter("size", ["s", "m", "l"])
    given = configspace(
        *(model, gamma, degree, size),
        cs.OrConjunction(
            cs.EqualsCondition(gamma, model, "svm"), cs.EqualsCondition(gamma, model, "mean")
        ),
        cs.GreaterThanCondition(degree, size, "s"),
    )
    space = Space.from_configspace(given)
    assert [list(below) for below in space.parameters["model"].alternatives.values()] == [
        ["gamma"],
        [],
        ["gamma"],
    ]
    assert [list(below) for below in space.parameters["size"].alternatives.values()] == [
        [],
        ["degree"],
        ["degree"],
    ]


def test_ordinals_and_constants():
    given = configspace(
        cs.OrdinalHyperparameter("even", [2, 4, 6], default_value=4),
        cs.OrdinalHyperparameter("tenths", [0.1, 0.2, 0.3, 0.4]),
        cs.OrdinalHyperparameter("powers", [1, 2, 4]),
        cs.OrdinalHyperparameter("words", ["cold", "hot"]),
        cs.OrdinalHyperparameter("single", [3]),
        cs.Constant("seed", 7),
    )
    assert dict(Space.from_configspace(given).parameters) == {
        "even": Int(2, 6, step=2, default=4),
        "tenths": Float(0.1, 0.4, step=0.1, default=0.1),
        "powers": Categorical([1, 2, 4], default=1),
        "words": Categorical(["cold", "hot"], default="cold"),
        "single": Categorical([3], default=3),
        "seed": Categorical([7]),
    }


def forbidden():
    model, *_ = parts()
    return configspace(model, cs.ForbiddenEqualsClause(model, "svm"))


def on_a_number():
    _, _, gamma, degree = parts()
    return configspace(gamma, degree, cs.GreaterThanCondition(gamma, degree, 3))


def side_by_side():
    model, kernel, gamma, _ = parts()
    both = cs.EqualsCondition(gamma, model, "svm"), cs.EqualsCondition(gamma, kernel, "rbf")
    return configspace(model, kernel, gamma, cs.AndConjunction(*both))


def either():
    model, kernel, gamma, _ = parts()
    both = cs.EqualsCondition(gamma, model, "svm"), cs.EqualsCondition(gamma, kernel, "rbf")
    return configspace(model, kernel, gamma, cs.OrConjunction(*both))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: {"x": (0, 1)}, "expected a ConfigurationSpace, not {'x': (0, 1)}"),
        (forbidden, "the forbidden clause Forbidden: model == 'svm' cannot be expressed"),
        (on_a_number, "gamma: the condition gamma | degree > 3 is on a number"),
        (side_by_side, "gamma: its conditions are on kernel, model, of which none depends on the"),
        (either, "gamma: the condition (gamma | model == 'svm' || gamma | kernel == 'rbf') is on"),
        (
            lambda: configspace(cs.NormalFloatHyperparameter("x", 0, 1, lower=-1, upper=1)),
            "x: a NormalFloatHyperparameter cannot be expressed: make it a uniform one",
        ),
        (
            lambda: configspace(cs.BetaIntegerHyperparameter("x", 2, 2, lower=1, upper=9)),
            "x: a BetaIntegerHyperparameter cannot be expressed",
        ),
        (
            lambda: configspace(cs.CategoricalHyperparameter("x", [(1, 2), (3, 4)])),
            "x: an alternative must be a str, bool, int, float or None, not (1, 2) (tuple)",
        ),
    ],
)
def test_what_a_tree_cannot_express_is_refused_by_name(make, message):
    with pytest.raises(InvalidSpaceError) as error:
        Space.from_configspace(make())
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        (Categorical([True, 1]), "m.a.x: ConfigSpace cannot hold Categorical([True, 1])"),
        (Float(1e-20, 1, log=True), "m.a.x: ConfigSpace cannot hold Float(1e-20, 1.0, log=True)"),
        (Float(0, 1, step=1e-4), "has 10001 values, too many to list (at most 1000): leave out"),
    ],
)
def test_what_configspace_cannot_hold_is_refused_by_name(parameter, message):
    with pytest.raises(InvalidSpaceError) as error:
        Space({"m": Choice({"a": {"x": parameter}})}).to_configspace()
    assert message in str(error.value)


def test_numpy_defaults_are_read_as_python_values():
    hyperparameter = cs.UniformIntegerHyperparameter("n", 1, 9, default_value=np.int64(3))
    found = Space.from_configspace(configspace(hyperparameter)).parameters["n"]
    assert type(found.default) is int
    assert found == replace(Int(1, 9), default=3)
