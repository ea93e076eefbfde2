"""From what trials asked for to the engine's space, and back."""

from typing import Any

import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from banditbo import Categorical, Choice, Float, Int, Space
from banditbo.optuna.given import as_tree
from banditbo.optuna.grow import MAX_ARMS, grow
from banditbo.optuna.sightings import Sightings
from banditbo.optuna.slots import PATTERN
from banditbo.optuna.tree import Tree

UNIT = FloatDistribution(0, 1)
F = CategoricalDistribution(["a", "b", "c"])


def seen(*trials: tuple[dict[str, Any], dict[str, BaseDistribution]]) -> Sightings:
    sightings = Sightings()
    for number, (params, distributions) in enumerate(trials):
        sightings.add(number, params, distributions)
    return sightings


def grown(*trials: tuple[dict[str, Any], dict[str, BaseDistribution]]) -> Tree:
    tree = grow(seen(*trials))
    assert tree is not None
    return tree


def test_an_alternative_never_seen_is_one_without_parameters() -> None:
    tree = grown(({"f": "a", "x": 0.5}, {"f": F, "x": UNIT}), ({"f": "b"}, {"f": F}))
    assert tree.space == Space({"f": Choice({"a": {"x": Float(0, 1)}, "b": {}, "c": {}})})


def test_nothing_seen_nothing_to_choose() -> None:
    assert grow(Sightings()) is None
    assert grow(seen(({"x": 1.0}, {"x": FloatDistribution(1, 1)}))) is None


def test_ranges_belong_to_arms() -> None:
    wide = FloatDistribution(1, 100, log=True)
    tree = grown(
        ({"f": "a", "x": 0.5}, {"f": F, "x": UNIT}),
        ({"f": "b", "x": 10.0}, {"f": F, "x": wide}),
        ({"f": "a", "x": 0.7}, {"f": F, "x": UNIT}),
    )
    parameters = tree.space.parameters["f"].alternatives  # type: ignore[union-attr]
    assert parameters["a"] == {"x": Float(0, 1)}
    assert parameters["b"] == {"x": Float(1, 100, log=True)}
    assert tree.decode({"f": "b", "x": 10.0})["x"] == (10.0, wide)


def test_a_range_that_changed_for_all_is_one_range() -> None:
    wide = FloatDistribution(0, 10)
    tree = grown(
        ({"f": "a", "x": 0.5}, {"f": F, "x": UNIT}),
        ({"f": "b", "x": 0.5}, {"f": F, "x": UNIT}),
        ({"f": "a", "x": 7.0}, {"f": F, "x": wide}),
    )
    assert tree.space == Space({"f": Categorical(["a", "b", "c"]), "x": Float(0, 10)})


def test_the_newest_of_float_and_int_counts_and_the_rest_is_left_out() -> None:
    whole = IntDistribution(0, 30)
    tree = grown(({"x": 0.5}, {"x": UNIT}), ({"x": 3}, {"x": whole}))
    assert tree.space == Space({"x": Int(0, 30)})
    assert tree.encode({"x": 3}) == {"x": 3}
    _, point = tree.space.encode({"x": 3})
    assert point.shape == (1,)


def test_integers_and_bools_decide() -> None:
    n, b = IntDistribution(1, 3), CategoricalDistribution([True, False])
    tree = grown(
        ({"n": 1, "u0": 0.1, "b": False}, {"n": n, "u0": UNIT, "b": b}),
        (
            {"n": 2, "u0": 0.1, "u1": 0.2, "b": True, "m": 0.5},
            {"n": n, "u0": UNIT, "u1": UNIT, "b": b, "m": UNIT},
        ),
        ({"n": 2, "u0": 0.1, "u1": 0.2, "b": False}, {"n": n, "u0": UNIT, "u1": UNIT, "b": b}),
        ({"n": 1, "u0": 0.1, "b": True, "m": 0.5}, {"n": n, "u0": UNIT, "b": b, "m": UNIT}),
    )
    unit = Float(0, 1)
    assert tree.space.parameters["n"] == Choice({1: {}, 2: {"u1": unit}, 3: {}})
    assert tree.space.parameters["b"] == Choice({True: {"m": unit}, False: {}})
    assert tree.decode({"n": 3, "u0": 0.5, "b": True, "m": 0.1})["n"] == (3, n)


def test_values_that_are_no_plain_scalars_come_back_as_they_were() -> None:
    with pytest.warns(UserWarning, match="persistent"):
        layers = CategoricalDistribution([(64,), (64, 32), None])
    tree = grown(({"l": (64, 32), "x": 0.5}, {"l": layers, "x": UNIT}))
    encoded = tree.encode({"l": (64, 32), "x": 0.5})
    assert encoded == {"l": "(64, 32)", "x": 0.5}
    assert tree.decode(encoded)["l"] == ((64, 32), layers)


def test_what_nothing_explains_is_an_arm_by_itself() -> None:
    tree = grown(
        ({"x": 0.2, "z": 0.1}, {"x": UNIT, "z": UNIT}),
        ({"x": 0.3, "y": 0.5, "z": 0.9}, {"x": UNIT, "y": UNIT, "z": UNIT}),
        ({"x": 0.25, "y": 0.5, "z": 0.05}, {"x": UNIT, "y": UNIT, "z": UNIT}),
        ({"x": 0.27, "z": 0.5}, {"x": UNIT, "z": UNIT}),
    )
    assert tree.loose == {"y"}
    assert len(tree.space.arms) == 2
    assert tree.encode({"x": 0.3, "y": 0.5, "z": 0.9}) == {
        "x": 0.3,
        "z": 0.9,
        "y": 0.5,
        PATTERN: "y",
    }


def test_a_number_that_separates_is_cut() -> None:
    tree = grown(
        ({"x": 0.2}, {"x": UNIT}),
        ({"x": 0.4}, {"x": UNIT}),
        ({"x": 0.9, "y": 0.5}, {"x": UNIT, "y": UNIT}),
        ({"x": 0.6, "y": 0.1}, {"x": UNIT, "y": UNIT}),
    )
    ranges = [g.parameters[g.names.index("x")] for g in tree.space.groups]
    assert {(p.low, p.high) for p in ranges} == {(0.0, 0.5), (0.5, 1.0)}


def test_many_categoricals_become_dimensions() -> None:
    names = [f"c{i}" for i in range(5)]
    each = CategoricalDistribution(list("abcdef"))
    tree = grown(
        ({**dict.fromkeys(names, "a"), "x": 0.5}, {**dict.fromkeys(names, each), "x": UNIT})
    )
    assert 1 < len(tree.space.arms) <= MAX_ARMS
    assert tree.dimensions
    params = {**{n: "abcdef"[i] for i, n in enumerate(names)}, "x": 0.25}
    encoded = tree.encode(params)
    assert encoded is not None
    tree.space.encode(encoded)
    assert {n: v for n, (v, _) in tree.decode(encoded).items()} == params


def test_a_failed_trial_tells_only_what_no_other_tells() -> None:
    sightings = seen(({"f": "a", "x": 0.5}, {"f": F, "x": UNIT}))
    sightings.add(1, {"f": "a"}, {"f": F}, complete=False)
    sightings.add(2, {"f": "b", "y": 0.5}, {"f": F, "y": UNIT}, complete=False)
    tree = grow(sightings)
    assert tree is not None
    unit = Float(0, 1)
    assert tree.space == Space({"f": Choice({"a": {"x": unit}, "b": {"y": unit}, "c": {}})})
    assert tree.encode({"f": "a"}) is None
    assert tree.encode({"f": "a"}, partial=True) == {"f": "a", "x": 0.5}


def test_a_given_space_is_its_own_tree() -> None:
    space = Space({"f": Choice({"a": {"x": Float(0, 1)}, "b": {"n": Int(1, 5)}})})
    tree = as_tree(space)
    assert tree.space is space
    assert tree.decode({"f": "b", "n": 3}) == {
        "f": ("b", CategoricalDistribution(["a", "b"])),
        "n": (3, IntDistribution(1, 5)),
    }
    assert tree.arms_with("x", {}) == [{"f": "a"}]
    assert tree.given({"f": "a", "x": 0.5, "other": 1}) == {"f": "a", "x": 0.5}
