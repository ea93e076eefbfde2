import numpy as np
import pytest
from hypothesis import given, settings

from banditbo.errors import InvalidSpaceError
from banditbo.space import Categorical, Choice, Float, Int, Space


def space():
    kernel = Choice({"rbf": {"gamma": Float(0, 1)}, "linear": None}, default="rbf")
    return Space(
        {
            "model": Choice({"svm": {"kernel": kernel}, "svr": {"kernel": kernel}}),
            "scale": Categorical(["none", "minmax"]),
        }
    )


def test_an_alternative_is_added_last():
    grown = space().with_alternative("model", "knn", {"k": Int(1, 9)})
    assert list(grown.parameters["model"].alternatives) == ["svm", "svr", "knn"]
    assert grown.encode({"model": "knn", "k": 3, "scale": "none"})[0].choices["model"] == "knn"
    grown = space().with_alternative("scale", None).with_alternative("scale", "std", {})
    assert grown.parameters["scale"] == Categorical(["none", "minmax", None, "std"])


def test_a_path_tells_equal_names_apart():
    grown = space().with_alternative("model.svr.kernel", "poly", {"degree": Int(2, 5)})
    alternatives = grown.parameters["model"].alternatives
    assert alternatives["svm"] == space().parameters["model"].alternatives["svm"]
    assert alternatives["svr"]["kernel"] == Choice(
        {"rbf": {"gamma": Float(0, 1)}, "linear": None, "poly": {"degree": Int(2, 5)}},
        default="rbf",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("modle", "knn"), "'modle' is not a Choice or Categorical of this space; did you mean"),
        (("gamma", "knn"), "'gamma' is not a Choice or Categorical of this space"),
        (
            ("kernel", "poly"),
            "'kernel' occurs 2 times: give its path, one of model.svm.kernel, model.svr.kernel",
        ),
        (("model", "svm", {}), "model has the alternative 'svm' already"),
        (("scale", "none"), "scale has the alternative 'none' already"),
        (("scale", "std", {"x": Int(0, 1)}), "scale is a Categorical, whose alternatives have no"),
        (("model", (1,)), "an alternative must be a str"),
        (("model", "knn", {"scale": Int(0, 1)}), "the name 'scale' would be active twice"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(InvalidSpaceError) as error:
        space().with_alternative(*arguments)
    assert message in str(error.value)


def test_true_beside_one():
    choice = Space({"m": Choice({1: None}), "c": Categorical([1])})
    with pytest.raises(InvalidSpaceError, match="m cannot hold True beside an alternative"):
        choice.with_alternative("m", True)
    assert choice.with_alternative("c", True).parameters["c"] == Categorical([1, True])


@settings(max_examples=50, deadline=None)
@given(space=...)
def test_old_params_are_params_of_the_grown_space(space: Space):
    names = [name for name in space.parameters if hasattr(space.parameters[name], "choices")]
    params = [space.sample(np.random.default_rng(i)) for i in range(3)]
    for name in names:
        space = space.with_alternative(name, "new alternative")
    assert [space.validate(old) for old in params] == params
