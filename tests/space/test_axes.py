import math
import sys

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

from banditbo.space import Float, Int

MAX = sys.float_info.max
fast = settings(max_examples=300, deadline=None)
unit = st.floats(0, 1)
edges = st.sampled_from([1e-17, 1e-12, 0.5, 1 - 1e-12, 1 - 2**-53])


@fast
@given(st.from_type(Float), unit | edges)
@example(Float(-MAX, MAX), 0.7)
@example(Float(-MAX, MAX), 1 - 2**-53)
@example(Float(-MAX, MAX, step=MAX / 7), 0.7)
@example(Float(5e-324, MAX, log=True), 0.3)
@example(Float(1e-300, 1e300, log=True), 0.3)
@example(Float(1e300, MAX, log=True), 1 - 2**-53)
@example(Float(-1, 0.1 + 0.2), 1 - 2**-53)
@example(Float(1e6, 1e6 + 1e-9), 0.3)
@example(Float(1e6, 1e6 + 1e-6, log=True), 0.3)
@example(Float(1 / 3, 2 / 3), 1e-17)
@example(Float(0, 5e-324), 0.3)
@example(Float(1e-310, 1e-309), 0.3)
def test_what_was_decoded_once_decodes_to_itself(parameter, u):
    axis = parameter.axis
    value = axis.decode(u)
    assert type(value) is float
    assert parameter.low <= value <= parameter.high
    assert 0 <= axis.encode(value) <= 1
    assert axis.decode(axis.encode(value)) == value
    assert parameter.check("x", value) == value


@fast
@given(st.from_type(Int), unit | edges)
@example(Int(1, 2**40, log=True), 1 - 2**-53)
@example(Int(2**40, 2**41 - 1, log=True), 0.3)
@example(Int(-(2**39), 2**39 - 1), 0.7)
def test_integers_come_back(parameter, u):
    axis = parameter.axis
    value = axis.decode(u)
    assert type(value) is int
    assert parameter.low <= value <= parameter.high
    assert (value - parameter.low) % parameter.step == 0
    assert axis.decode(axis.encode(value)) == value


@fast
@given(st.integers(1, 10**12 - 1), st.integers(-12, 0), st.booleans())
def test_twelve_digits_come_back_from_a_range_that_starts_at_zero(mantissa, exponent, log):
    value = float(f"{mantissa}e{exponent - 12}")
    axis = Float(1e-30, 2, log=True).axis if log else Float(0, 2).axis
    assert axis.decode(axis.encode(value)) == value


@fast
@given(st.integers(-(10**12), 10**12), st.sampled_from([(-1, 1), (-1, 10), (-3.3, 1e2)]))
def test_twelve_decimals_come_back_from_a_range_around_zero(mantissa, ends):
    value = mantissa / 10**12
    axis = Float(*ends).axis
    value = round(value, 12 if ends != (-3.3, 1e2) else 11)
    assert axis.decode(axis.encode(value)) == value


@given(st.from_type(Float) | st.from_type(Int))
def test_the_ends_of_the_range_come_back(parameter):
    axis = parameter.axis
    last = parameter.high if math.isinf(axis.cells) else axis.value(axis.cells - 1)
    for end in (parameter.low, last):
        assert axis.decode(axis.encode(end)) == end


@fast
@given(st.from_type(Float) | st.from_type(Int), st.lists(unit, min_size=1, max_size=40))
def test_snap_is_encode_of_decode_to_the_last_bit_and_idempotent(parameter, coordinates):
    axis = parameter.axis
    u = np.array(coordinates)
    snapped = axis.snap(u)
    assert np.array_equal(axis.snap(snapped), snapped)
    assert np.array_equal(axis.snap(np.repeat(u, 3)[::3]), snapped)
    if np.isfinite(axis.cells):
        assert snapped.tolist() == [axis.encode(axis.decode(x)) for x in coordinates]
    else:
        assert np.array_equal(snapped, u)


def test_a_log_axis_is_a_log():
    axis = Float(0.01, 100, log=True).axis
    assert [axis.decode(u) for u in (0, 0.25, 0.5, 0.75, 1)] == [
        0.01,
        0.1,
        1.0,
        10.0,
        100.0,
    ]


def test_steps_give_the_values_that_a_person_would_write():
    axis = Float(-0.3, 0.6, step=0.1).axis
    assert [axis.value(k) for k in range(axis.cells)] == [
        *(-0.3, -0.2, -0.1, 0.0, 0.1),
        *(0.2, 0.3, 0.4, 0.5, 0.6),
    ]
    assert math.copysign(1, axis.value(3)) == 1
    axis = Float(0, 0.1 * 3, step=0.1).axis
    assert [axis.value(k) for k in range(axis.cells)] == [0, 0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        (Int(0, 10, step=4), [0, 4, 8]),
        (Float(0, 1, step=0.3), [0, 0.3, 0.6, 0.9]),
        (Float(0, 1, step=5), [0]),
        (Int(3, 3), [3]),
        (Float(3, 3), [3]),
        (Int(3, 3, log=True), [3]),
    ],
)
def test_the_grid_ends_at_the_last_value_not_above_high(parameter, values):
    axis = parameter.axis
    assert axis.cells == len(values)
    assert [axis.value(k) for k in range(len(values))] == values
    assert axis.decode(1.0) == values[-1]
    assert axis.decode(axis.encode(values[-1])) == values[-1]


@pytest.mark.parametrize("parameter", [Int(1, 6), Int(0, 9, step=2), Float(0, 1, step=0.25)])
def test_a_uniform_coordinate_gives_uniform_values(parameter):
    axis = parameter.axis
    u = (np.arange(600) + 0.5) / 600
    counts = np.unique([axis.decode(x) for x in u], return_counts=True)[1]
    assert set(counts.tolist()) == {600 // axis.cells}
    assert axis.encode(axis.value(0)) == 0.5 / axis.cells


def test_a_log_integer_has_the_cell_that_rounds_to_it():
    axis = Int(1, 100, log=True).axis
    for k, u in [(1, 0.0), (2, math.log(1.5001 / 0.5) / math.log(201)), (100, 1.0)]:
        assert axis.decode(u) == k
    assert axis.encode(7) == pytest.approx(math.log(7 / 0.5) / math.log(201), rel=1e-14)
