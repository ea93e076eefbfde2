import math

import pytest
from optuna.distributions import (
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from banditbo import Float, Int, InvalidValueError
from banditbo.optuna.cuts import cut, simplest
from banditbo.optuna.ranges import (
    external,
    few_values,
    is_in,
    labels,
    newest,
    newest_by_value,
    numeric,
)

A, B, C = FloatDistribution(0, 1), FloatDistribution(0, 2), FloatDistribution(0, 5)


def test_numeric_distributions_become_the_engines_parameters() -> None:
    assert numeric(FloatDistribution(1e-5, 1, log=True)) == Float(1e-5, 1.0, log=True)
    assert numeric(FloatDistribution(0, 1, step=0.25)) == Float(0, 1, step=0.25)
    assert numeric(IntDistribution(1, 64, log=True)) == Int(1, 64, log=True)


def test_an_integer_too_large_for_cells_is_as_good_as_continuous() -> None:
    huge = IntDistribution(0, 2**60)
    assert numeric(huge) == Float(0, 2.0**60)
    value = external(huge, 1e17 + 0.3)
    assert isinstance(value, int)
    assert is_in(huge, value)


def test_something_that_is_no_number_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="not a distribution"):
        numeric(CategoricalDistribution(["a"]))
    with pytest.raises(InvalidValueError, match="no list of values"):
        labels(A)


@pytest.mark.parametrize(
    ("distribution", "value", "inside"),
    [
        (A, 0.5, True),
        (A, 1.5, False),
        (A, "0.5", False),
        (A, True, False),
        (IntDistribution(0, 4), 2, True),
        (IntDistribution(0, 4), 9, False),
        (CategoricalDistribution([True, "a"]), True, True),
        (CategoricalDistribution([1, "a"]), True, False),
        (CategoricalDistribution([None, 1.5]), None, True),
    ],
)
def test_is_in(distribution: FloatDistribution, value: object, inside: bool) -> None:
    assert is_in(distribution, value) is inside


def test_what_may_decide() -> None:
    assert few_values(CategoricalDistribution([True, False]))
    assert few_values(IntDistribution(1, 5))
    assert few_values(IntDistribution(0, 1000, step=100))
    assert not few_values(IntDistribution(1, 100))
    assert not few_values(CategoricalDistribution(["only"]))
    assert not few_values(A)


def test_the_newest_range_counts() -> None:
    assert newest({A: 3}) == A
    assert newest({A: 3, B: 9, C: 5}) == B


def test_a_newer_kind_counts() -> None:
    assert newest({A: 3, IntDistribution(0, 3): 9}) == IntDistribution(0, 3)


def test_a_range_that_always_changes_is_the_union() -> None:
    ranges = {FloatDistribution(0, k): k for k in range(1, 7)}
    assert newest(ranges) == FloatDistribution(0, 6)


def test_a_value_not_tried_since_a_change_takes_part_in_it() -> None:
    # "a" went from A to B; "b" has had A only, earlier
    assert newest_by_value({"a": {A: 3, B: 9}, "b": {A: 5}}) == {"a": B, "b": B}
    # "b" has always had a range of its own
    assert newest_by_value({"a": {A: 3, B: 9}, "b": {C: 5}}) == {"a": B, "b": C}


def test_cuts_lie_between_and_cover_the_range() -> None:
    log = FloatDistribution(1e-4, 1, log=True)
    ranges = cut(log, [[(0.1, 1.0)], [(1e-4, 1e-3), (2e-4, 5e-3)], [None, (0.02, 0.03)]])
    assert ranges is not None
    assert ranges[1][0] == 1e-4
    assert ranges[0][1] == 1.0
    assert ranges[1][1] == ranges[2][0]
    assert ranges[2][1] == ranges[0][0]
    assert 5e-3 <= ranges[1][1] <= 0.02


def test_no_cut_where_values_mix_or_are_not_known_or_are_whole() -> None:
    assert cut(A, [[(0.1, 0.7)], [(0.6, 0.9)]]) is None
    assert cut(A, [[(0.1, 0.3)], [None]]) is None
    assert cut(IntDistribution(0, 9), [[(1, 2)], [(5, 6)]]) is None


def test_the_simplest_fraction() -> None:
    assert simplest(0.49, 0.51) == 0.5
    assert simplest(0.26, 0.49) == 0.375
    low, high = 0.3, math.nextafter(0.3, 1)
    assert low <= simplest(low, high) <= high
