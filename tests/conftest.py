"""Random nested spaces: ``st.from_type(Space)`` in every test."""

import math

import hypothesis.strategies as st
from hypothesis import reject

from banditbo.errors import InvalidSpaceError
from banditbo.space import Categorical, Choice, Float, Int, Space
from banditbo.space.values import NO_DEFAULT, key

finite = st.floats(allow_nan=False, allow_infinity=False)
decimals = st.integers(-10_000, 10_000).map(lambda n: n / 100)
values = st.none() | st.booleans() | st.integers(-3, 9) | decimals | st.text(max_size=5)
unit = st.floats(0, 1)


def ends(draw, elements):
    return sorted([draw(elements), draw(elements)])


@st.composite
def floats(draw):
    low, high = ends(draw, draw(st.sampled_from([decimals, finite])))
    log = low > 0 and draw(st.booleans())
    step = None
    if not log and abs(low) < 1e4 and 1e-3 < high - low < 1e4 and draw(st.booleans()):
        step = draw(st.sampled_from([0.1, 0.25, 1 / 3, 0.007, 3.0]))
    parameter = Float(low, high, log=log, step=step)
    default = parameter.axis.decode(draw(unit)) if draw(st.booleans()) else None
    return Float(low, high, log=log, step=step, default=default)


@st.composite
def ints(draw):
    low, high = ends(draw, draw(st.sampled_from([st.integers(-9, 99), st.integers(1, 2**40)])))
    log = low > 0 and draw(st.booleans())
    step = 1 if log else draw(st.sampled_from([1, 1, 2, 7]))
    parameter = Int(low, high, log=log, step=step)
    default = parameter.axis.decode(draw(unit)) if draw(st.booleans()) else None
    return Int(low, high, log=log, step=step, default=default)


@st.composite
def categoricals(draw):
    choices = draw(st.lists(values, min_size=1, max_size=4, unique_by=key))
    default = draw(st.sampled_from([NO_DEFAULT, *choices]))
    return Categorical(choices, default=default)


@st.composite
def choices(draw, names, depth):
    alternatives = draw(st.lists(values, min_size=1, max_size=3, unique=True))
    default = draw(st.sampled_from([NO_DEFAULT, *alternatives]))
    shared = draw(st.lists(floats() | ints(), min_size=1, max_size=1))
    below = {value: draw(scopes(names, depth - 1, shared)) for value in alternatives}
    return Choice(below, default=default)


@st.composite
def scopes(draw, names, depth, shared=()):
    """A mapping of parameters, each with names of its own to use below it."""
    n = draw(st.integers(0, min(3, len(names))))
    chosen = draw(st.permutations(names))[:n] if n else []
    rest = [name for name in names if name not in chosen]
    scope = {}
    for i, name in enumerate(chosen):
        leaf = floats() | ints() | categoricals()
        if shared:
            leaf = leaf | st.sampled_from(shared)
        scope[name] = draw(leaf if depth == 0 else leaf | choices(rest[i::n], depth))
    return scope


@st.composite
def spaces(draw):
    scope = draw(scopes([*"abcdefghij", "ä b", "yes"], 3))
    try:
        return Space(scope or {"a": draw(floats())})
    except InvalidSpaceError as error:
        if "arms" not in str(error):
            raise
        return reject()


st.register_type_strategy(Float, floats())
st.register_type_strategy(Int, ints())
st.register_type_strategy(Space, spaces())


def pytest_assertrepr_compare(op, left, right):
    if isinstance(left, float) and isinstance(right, float) and op == "==":
        return [f"{left!r} == {right!r}, {abs(left - right) / math.ulp(left)} ulp apart"]
    return None
