"""Failures are information: never a value, never the end of a run."""

import numpy as np
import pytest

from banditbo import Choice, Float, InvalidStateError, Optimizer, Space

SPACE = Space(
    {
        "f": Choice(
            {"good": {"x": Float(0, 1)}, "bad": {"x": Float(0, 1)}, "other": {"y": Float(0, 1)}}
        )
    }
)


@pytest.mark.parametrize("policy", ["auto", "thompson", "gp-ucb", "ucb1", "exp3", "round-robin"])
@pytest.mark.parametrize("model", ["auto", "paper"])
def test_all_trials_may_fail(policy, model):
    opt = Optimizer(SPACE, seed=0, policy=policy, model=model)
    for _ in range(15):
        (trial,) = opt.ask()
        opt.tell(trial, failed=True)
    assert [r.status for r in opt.trials] == ["failed"] * 15
    with pytest.raises(InvalidStateError, match="no value has been told yet"):
        _ = opt.best
    assert all(r["best"] is None for r in opt.arms)
    opt.tell(opt.ask()[0], 1.0)
    assert opt.best.value == 1.0


def test_a_failure_is_never_a_value():
    opt = Optimizer(SPACE, seed=0)
    for i, trial in enumerate(opt.ask(6)):
        if i % 2:
            opt.tell(trial, -5.0 - i)
        else:
            opt.tell(trial, error="no convergence")
    assert opt.best_observed.value == -6.0
    assert len(opt._history.observations()) == 3
    assert opt.trials[0].value is None
    assert opt.trials[0].error == "no convergence"


def share_of(opt, arm, n=40):
    trials = [opt.propose(opt._next + i) for i in range(n)]
    return np.mean([t.params["f"] == arm for t in trials])


@pytest.mark.parametrize("policy", ["auto", "thompson", "gp-ucb"])
def test_an_arm_that_fails_is_played_less(policy):
    plain, careful = (Optimizer(SPACE, seed=0, policy=policy) for _ in range(2))
    rng = np.random.default_rng(0)
    for opt in (plain, careful):
        for x in rng.random(5):
            opt.tell({"f": "good", "x": x}, 0.5 + 0.1 * x)
            opt.tell({"f": "bad", "x": x}, 0.5 + 0.1 * x)
            opt.tell({"f": "other", "y": x}, 0.0)
        rng = np.random.default_rng(0)
    points = np.random.default_rng(1).random(12)
    careful.tell([{"f": "bad", "x": x} for x in points], failed=True)
    assert share_of(careful, "bad") < 0.5 * share_of(plain, "bad")


def test_the_neighbourhood_of_failures_is_avoided():
    """The values rise to the right, where evaluations fail."""
    space = Space({"x": Float(0, 1)})
    shares = []
    for failing in (False, True):
        opt = Optimizer(space, seed=0, policy="thompson")
        for x in (0.1, 0.2, 0.3, 0.4, 0.5):
            opt.tell({"x": x}, x)
        for x in (0.85, 0.9, 0.95, 1.0, 0.97, 0.92):
            if failing:
                opt.tell({"x": x}, failed=True)
        xs = np.array([opt.propose(50 + i).params["x"] for i in range(80)])
        shares.append(np.mean(xs > 0.8))
    assert shares[1] < 0.7 * shares[0]


def test_a_run_with_failures_still_finds_the_optimum():
    opt = Optimizer(SPACE, seed=1)
    for _ in range(35):
        (trial,) = opt.ask()
        p = trial.params
        if p["f"] == "bad" or p.get("x", 0.0) > 0.8:
            opt.tell(trial, failed=True, error="crash")
        elif p["f"] == "good":
            opt.tell(trial, 1.0 - (p["x"] - 0.7) ** 2)
        else:
            opt.tell(trial, 0.3 * p["y"])
    assert opt.best.params["f"] == "good"
    assert opt.best.value > 0.995
