import copy
import pickle
import subprocess
import sys
import types

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from banditbo.errors import InvalidSpaceError, InvalidValueError
from banditbo.space import Categorical, Choice, Float, Int, Space

fast = settings(max_examples=100, deadline=None)
seeds = st.integers(0, 2**32).map(np.random.default_rng)


def automl():
    return Space(
        {
            "lr": Float(1e-5, 1, log=True),
            "model": Choice(
                {
                    "svm": {
                        "kernel": Choice({"rbf": {"gamma": Float(0, 1)}, "linear": None}),
                        "C": Float(0.1, 10),
                    },
                    "forest": {"n": Int(10, 50), "gamma": Float(0, 2, step=0.5)},
                }
            ),
            "scale": Categorical(["none", "minmax", None]),
        }
    )


FOREST = {"lr": 0.1, "model": "forest", "n": 20, "gamma": 1.5, "scale": None}


# --- round trips --------------------------------------------------------------------------


@fast
@given(space=..., rng=seeds)
def test_what_is_sampled_validates_and_comes_back_from_its_point(
    space: Space, rng: np.random.Generator
):
    params = space.sample(rng)
    assert repr(space.validate(params)) == repr(params)
    arm, point = space.encode(params)
    group = space.groups[arm.group]
    assert set(params) == {*arm.choices, *group.names}  # an inactive one never appears
    assert point.shape == (len(group.names),)
    assert np.all((point >= 0) & (point <= 1))
    assert repr(space.decode(arm, point)) == repr(params)


@fast
@given(space=..., rng=seeds)
def test_snap_is_what_encode_makes_of_decode(space: Space, rng: np.random.Generator):
    arm = space.arms[rng.integers(len(space.arms))]
    group = space.groups[arm.group]
    point = rng.uniform(size=len(group.names))
    params = space.decode(arm, point)
    found, again = space.encode(params)
    assert found is arm
    on_grid = np.isfinite(group.cells)
    assert np.array_equal(group.snap(point)[on_grid], again[on_grid])
    assert np.array_equal(group.snap(point)[~on_grid], point[~on_grid])
    assert repr(space.decode(arm, again)) == repr(params)


@fast
@given(space=..., rng=seeds, data=st.data())
def test_validate_refuses_every_wrong_set_of_names(
    space: Space, rng: np.random.Generator, data: st.DataObject
):
    params = space.sample(rng)
    name = data.draw(st.sampled_from(list(params)))
    less = {other: value for other, value in params.items() if other != name}
    with pytest.raises(InvalidValueError, match=r"is missing|is not active"):
        space.validate(less)
    with pytest.raises(InvalidValueError, match="'zz' is not a parameter of this space"):
        space.encode(params | {"zz": 1})
    inactive = [other for other in space._names if other not in params]
    if inactive:
        with pytest.raises(InvalidValueError, match="is not active in arm"):
            space.validate(params | {inactive[0]: 1})


def test_every_alternative_is_equally_likely():
    space = automl()
    rng = np.random.default_rng(0)
    drawn = [space.sample(rng) for _ in range(3000)]
    svm = [params for params in drawn if params["model"] == "svm"]
    assert len(svm) == pytest.approx(1500, abs=100)
    assert sum(p["kernel"] == "rbf" for p in svm) == pytest.approx(len(svm) / 2, abs=80)
    assert sum(p["lr"] < 10**-2.5 for p in drawn) == pytest.approx(1500, abs=100)
    assert drawn[:2] == [space.sample(rng) for rng in [np.random.default_rng(0)] for _ in "ab"]


# --- values -------------------------------------------------------------------------------


def test_validate_returns_the_space_s_own_values_in_tree_order():
    space = automl()
    given = {"scale": None, "gamma": 1, "n": np.int64(20), "lr": 1, "model": np.str_("forest")}
    found = space.validate(types.MappingProxyType(given))
    expected = {"lr": 1.0, "model": "forest", "n": 20, "gamma": 1.0, "scale": None}
    assert repr(found) == repr(expected)
    assert str(space.arm_of(given)) == "model=forest, scale=None"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gama": 1.5, "gamma": ...}, "'gama' is not a parameter of this space; did you mean 'ga"),
        ({"modle": "svm", "model": ...}, "'modle' is not a parameter of this space; did you mean"),
        ({"other": 1}, "'other' is not a parameter of this space"),
        ({"n": ...}, "'n' is missing, which is active with model=forest: give it a value"),
        ({"lr": ...}, "'lr' is missing: give it a value"),
        (
            {"kernel": "rbf"},
            "'kernel' = 'rbf' is not active in arm (model=forest, scale=None): leave it out (it",
        ),
        ({"model": "svn"}, "'model' = 'svn' is not one of 'svm', 'forest'; did you mean 'svm'?"),
        ({"n": 51}, "'n' = 51 is outside its range 10 to 50: give a value inside, or widen the"),
        ({"n": 10.5}, "'n' = 10.5 is not on the grid of its step 1: give 10 or 11"),
        ({"gamma": 0.6}, "'gamma' = 0.6 is not on the grid of its step 0.5: give 0.5 or 1.0"),
        ({"lr": float("nan")}, "'lr' must be finite, not nan"),
        ({"lr": "0.1"}, "'lr' must be a number, not '0.1' (str): leave out the quotes"),
        ({1: 2}, "1 is not a parameter of this space"),
    ],
)
def test_params_that_are_refused(change, message):
    params = {k: v for k, v in (FOREST | change).items() if v is not ...}
    for method in (automl().validate, automl().arm_of, automl().encode):
        with pytest.raises(InvalidValueError) as error:
            method(params)
        assert message in str(error.value)


@pytest.mark.parametrize("params", [None, [("lr", 1)], "lr"])
def test_params_that_are_no_mapping(params):
    with pytest.raises(InvalidValueError, match="params must be a mapping from name to value"):
        automl().validate(params)


def test_clip_moves_numbers_and_nothing_else():
    space = automl()
    clipped = space.validate(FOREST | {"n": 99, "gamma": 0.6, "lr": 0}, clip=True)
    assert clipped == FOREST | {"n": 50, "gamma": 0.5, "lr": 1e-5}
    for change in ({"model": "svn"}, {"lr": np.nan}, {"kernel": "rbf"}, {"n": True}):
        with pytest.raises(InvalidValueError):
            space.validate(FOREST | change, clip=True)


def test_decode_refuses_another_space_s_arm_and_a_wrong_point():
    space = automl()
    arm = space.arm_of(FOREST)
    with pytest.raises(InvalidValueError, match="is not one of this space's arms"):
        Space({"x": Float(0, 1)}).decode(arm, [0.5])
    message = r"has 3 coordinates in \[0, 1\] \(lr, n, gamma\), not"
    for point in ([0.5], [[0.5, 0.5, 0.5]], [0.5, 0.5, np.nan]):
        with pytest.raises(InvalidValueError, match=message):
            space.decode(arm, point)
    assert space.decode(arm, [-1, 2, 1])["n"] == 50
    assert space.decode(automl().arms[arm.index], [0, 0, 0])["lr"] == 1e-5  # an equal space


# --- the tree -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "a space needs at least one parameter"),
        (None, "space: give a mapping from name to parameter, not None"),
        ([("x", Float(0, 1))], "space: give a mapping from name to parameter"),
        ({"x": (0, 1)}, "'x' must be a Float, Int, Categorical or Choice, not (0, 1) (tuple)"),
        ({"": Float(0, 1)}, "a parameter's name must be a str that is not empty, not ''"),
        (
            {"x": Float(0, 1), "m": Choice({"a": {"x": Float(0, 1)}})},
            "the name 'x' would be active twice at once, as x and as m.a.x",
        ),
        (
            {"m": Choice({"a": {"m": Categorical([1])}})},
            "the name 'm' would be active twice at once, as m and as m.a.m",
        ),
        (
            {"m": Choice({"a": {"k": Choice({"b": {"m": Int(0, 1)}})}})},
            "as m and as m.a.k.b.m",
        ),
        (
            {"m": Choice({"a": {"x": Int(0, 1)}}), "k": Choice({"b": {"x": Int(0, 1)}})},
            "as m.a.x and as k.b.x",
        ),
    ],
)
def test_trees_that_are_refused(parameters, message):
    with pytest.raises(InvalidSpaceError) as error:
        Space(parameters)
    assert message in str(error.value)


def test_a_name_may_occur_in_several_alternatives():
    space = Space({"m": Choice({"a": {"x": Int(0, 1)}, "b": {"x": Float(0, 9)}, "c": None})})
    assert space.validate({"m": "b", "x": 8}) == {"m": "b", "x": 8.0}


def test_nested_a_hundred_deep():
    tree = {"x": Float(0, 1)}
    for depth in range(100):
        tree = {f"m{depth}": Choice({"in": tree, "out": None})}
    space = Space(tree)
    assert len(space.arms) == 101
    params = space.sample(np.random.default_rng(0))
    assert space.decode(*space.encode(params)) == params
    assert Space.from_json(space.to_json()) == space
    assert pickle.loads(pickle.dumps(space)) == space


def test_a_space_is_read_only_ordered_unhashable_and_picklable():
    space = automl()
    assert space == automl() == pickle.loads(pickle.dumps(space)) == copy.deepcopy(space)
    assert space != Space(dict(reversed(space.parameters.items())))
    assert space != 3
    assert pickle.loads(pickle.dumps(space.arms)) == space.arms
    with pytest.raises(TypeError, match="unhashable"):
        hash(space)
    with pytest.raises(AttributeError, match="a Space is read-only"):
        space.arms = ()
    with pytest.raises(TypeError, match="read-only"):
        space.parameters["x"] = Int(0, 1)


def test_nothing_heavy_is_imported():
    code = (
        "import sys; before = set(sys.modules); import banditbo.space; "
        "new = {m.split('.')[0] for m in set(sys.modules) - before}; "
        "print(sorted(new & {'yaml', 'ConfigSpace', 'optuna', 'pandas'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
