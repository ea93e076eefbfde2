"""Finite spaces are enumerated to the last point, and then say so."""

import math

import pytest

from banditbo import Categorical, Choice, Float, Int, Optimizer, Space, SpaceExhaustedError
from banditbo.bandit import POLICIES

SMALL = Space({"f": Choice({"a": {"n": Int(1, 4)}, "b": {"x": Float(0, 1, step=0.5)}, "c": None})})
#: More points than there are candidates.
LARGE = Space({"n": Int(1, 30), "m": Int(1, 25), "c": Categorical(["p", "q"])})


def exhaust(opt, value=lambda p: float(len(str(p)))):
    seen = []
    while True:
        try:
            (trial,) = opt.ask()
        except SpaceExhaustedError as error:
            return seen, str(error)
        seen.append(trial.params)
        opt.tell(trial, value(trial.params))


@pytest.mark.parametrize("model", ["auto", "paper"])
@pytest.mark.parametrize("policy", POLICIES)
def test_to_the_last_point(model, policy):
    seen, said = exhaust(Optimizer(SMALL, seed=0, model=model, policy=policy))
    assert len(seen) == 8
    assert len({str(p) for p in seen}) == 8
    assert said.startswith("all points of the 3 open arms have been evaluated or are pending")
    assert said.endswith("widen the space, or stop")


def test_more_points_than_candidates():
    opt = Optimizer(LARGE, seed=0)
    everything = [
        {"n": n, "m": m, "c": c} for n in range(1, 31) for m in range(1, 26) for c in "pq"
    ]
    kept = [p for i, p in enumerate(everything) if i % 250 != 7]
    opt.tell(kept, [math.sin(p["n"]) + math.cos(p["m"]) for p in kept])
    seen, _ = exhaust(opt)
    left = [p for p in everything if p not in kept]
    assert len(left) == 6
    assert sorted(map(str, seen)) == sorted(map(str, left))


def test_a_batch_takes_what_there_is():
    opt = Optimizer(SMALL, seed=0)
    assert len(opt.ask(20)) == 8
    with pytest.raises(SpaceExhaustedError):
        opt.ask()
    opt.tell(opt.pending, [1.0] * 8)
    with pytest.raises(SpaceExhaustedError):
        opt.ask(3)


def test_failed_and_told_points_are_taken_too():
    opt = Optimizer(SMALL, seed=0)
    opt.tell({"f": "c"}, 1.0)
    opt.tell({"f": "c"}, 2.0)  # again: still one point
    for trial in opt.ask(3):
        opt.tell(trial, failed=True)
    seen, _ = exhaust(opt)
    assert len(seen) == 4
    assert {"f": "c"} not in seen


def test_retired_arms_are_left_out_and_a_wider_space_goes_on():
    opt = Optimizer(SMALL, seed=0)
    opt.retire(f="a")
    assert len(exhaust(opt)[0]) == 4
    opt.restore(f="a")
    assert len(exhaust(opt)[0]) == 4
    opt.add_arm("f", "d", {"n": Int(1, 2)})
    assert len(exhaust(opt)[0]) == 2


def test_an_exhausted_arm_leaves_the_others():
    space = Space({"f": Choice({"a": None, "b": {"x": Float(0, 1)}})})
    for policy in POLICIES:
        opt = Optimizer(space, seed=0, policy=policy, n_init=1)
        for _ in range(8):
            (trial,) = opt.ask()
            opt.tell(trial, 9.0 if trial.params["f"] == "a" else 0.0)
        assert [r["params_f"] for r in opt.history].count("a") == 1


@pytest.mark.parametrize("value", [math.sin, lambda n: 0.0, lambda n: float(n)])
def test_the_optimum_of_a_grid_is_found_early(value):
    space = Space({"n": Int(0, 99)})
    opt = Optimizer(space, seed=0)
    for _ in range(25):
        (trial,) = opt.ask()
        opt.tell(trial, value(trial.params["n"] / 15))
    best = max(value(n / 15) for n in range(100))
    assert opt.best_observed.value > best - 0.02
