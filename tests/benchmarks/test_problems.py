import math

import numpy as np
import pytest
from benchmarks.problems import (
    LEARNING,
    UnknownNameError,
    known_names,
    problem,
    select,
    stored_optima,
)
from benchmarks.spaces import arms, parse, sample

from benchmarks import learning, synthetic


def at(family_point, c):
    return {"c": str(c), **{f"x{i}": x for i, x in enumerate(family_point)}}


def test_functions_at_known_points():
    assert synthetic.ackley(at([0.0] * 5, 0)) == pytest.approx(0.0, abs=1e-12)
    assert synthetic.ackley(at([-2.0] * 5, 2)) == pytest.approx(-2.0, abs=1e-12)
    ones = 20 * math.exp(-0.2) + math.e - 20 - math.e
    assert synthetic.ackley(at([1.0] * 5, 0)) == pytest.approx(ones)
    peak = 1.0 + math.exp(-1.6) + 0.2
    assert synthetic.two(at([2.0], 0)) == pytest.approx(peak)
    assert synthetic.two(at([0.0], 2)) == pytest.approx(
        math.exp(-(2.1**2)) + math.exp(-(6.1**2) / 10) + 1 / 1.01 + 1
    )
    factor = math.sqrt(5.0) * math.sin(5.0)
    assert synthetic.alpine(at([3.0] * 4, 1)) == pytest.approx(factor**4 + 2)
    leaf = {"x1": "1", "x3": "0", "x6": 0.5, "r9": 0.25}
    assert synthetic.jenatton(leaf) == pytest.approx(-(0.25 + 0.3 + 0.25))


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("ackley", [0, 0, 0, 0]),
        ("2d", [3.8410, 13.2562, 25.7288, 50.7157]),
        ("alpine", [309.055, 3317.11, 11174.7, 42541.6]),
    ],
)
def test_optima_of_the_paper(family, expected):
    for count, value in zip((6, 25, 50, 100), expected, strict=True):
        assert synthetic.optimum(family, count) == pytest.approx(value, rel=4e-6, abs=5e-5)


def test_stored_optima_are_those_computed():
    stored = stored_optima()
    if not stored:
        pytest.skip("no optima.json yet")
    for name in ("2d-6", "alpine-25", "groups-14", "jenatton"):
        assert stored[name] == pytest.approx(problem(name).optimum, abs=1e-9)
    assert set(LEARNING) <= set(stored)


@pytest.mark.parametrize("name", ["ackley-6", "2d-25", "alpine-6", "groups-14", "jenatton"])
def test_nothing_exceeds_the_optimum(name):
    its = problem(name)
    values = [its.evaluate(point) for point in its.random_points(300)]
    assert max(values) <= its.optimum <= its.bound


def test_start_has_each_arm_and_depends_on_the_seed_alone():
    its = problem("jenatton")
    points = its.start(3, 2)
    assert points == problem("jenatton").start(3, 2)
    assert points != its.start(4, 2)
    decisions = [{k: v for k, v in p.items() if isinstance(v, str)} for p in points]
    assert decisions == its.arms() * 2


def test_arms_are_the_cross_product_where_active():
    assert len(problem("ackley-25").arms()) == 25
    space = {
        "a": {"choice": {"p": {"k": {"categorical": [1, 2]}}, "q": {}}},
        "b": {"categorical": ["u", "v"]},
    }
    assert len(arms(parse(space))) == 6


def test_sampled_integers_fill_their_range_evenly():
    nodes = parse({"n": {"int": [1, 4]}, "m": {"int": [1, 100], "log": True}})
    rng = np.random.default_rng(0)
    points = [sample(nodes, rng) for _ in range(2000)]
    counts = np.bincount([p["n"] for p in points], minlength=5)[1:]
    assert np.all(np.abs(counts - 500) < 100)
    assert {p["m"] for p in points} >= {1, 100}


def test_unknown_names_say_what_is_near():
    with pytest.raises(UnknownNameError, match="did you mean 'jenatton'"):
        problem("jenaton")
    assert [p.name for p in select("2d-6,learning")] == ["2d-6", *LEARNING]
    assert "ackley-6" in known_names()


@pytest.mark.parametrize("name", LEARNING)
def test_model_evaluations_are_finite_and_cached(name, monkeypatch):
    its = problem(name)
    point = its.start(0, 1)[0]
    value = its.evaluate(point)
    assert math.isfinite(value)
    assert value <= its.bound
    assert learning.compute(name, point) == value
    monkeypatch.setattr(learning, "compute", lambda *_: pytest.fail("not from the cache"))
    assert its.evaluate(point) == value


def test_every_alternative_can_do_better_than_the_worst():
    """An estimator that always fails would hide behind the worst loss."""
    for name in ("friedman", "digits"):
        its = problem(name)
        worst = learning.TASKS[name].value(math.inf)
        arms = its.arms()
        points = its.start(1, 2)
        for number, arm in enumerate(arms):
            assert max(map(its.evaluate, points[number :: len(arms)])) > worst, arm


def test_ill_settings_have_the_worst_value(monkeypatch):
    def broken(params):
        raise ValueError("ill")

    task = learning.TASKS["noisy"]
    monkeypatch.setitem(
        learning.TASKS,
        "noisy",
        learning.Task(task.space, task.data, broken, task.loss, task.worst),
    )
    assert learning.compute("noisy", {"model": "lda"}) == -task.worst
