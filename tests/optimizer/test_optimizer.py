import math
import random

import numpy as np
import pytest

from banditbo import Categorical, Choice, Float, Int, ModelSetting, Optimizer, Oracle, Space
from banditbo.bandit import POLICIES
from banditbo.errors import InvalidStateError, InvalidTrialError, InvalidValueError


def test_finds_the_best_arm_and_point(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 40)
    assert opt.best.params["model"] == "svm"
    assert opt.best.params["scale"] == "std"
    assert opt.best.value > 1.09
    assert str(opt.best.arm) == "model=svm, scale=std"


def test_minimises(space, tools):
    opt = Optimizer(space, "minimize", seed=0)
    tools.run(opt, 40, sign=-1.0)
    assert opt.best.value < -1.09
    assert opt.best_observed.value == min(r.value for r in opt.trials)


def test_minimising_is_maximising_minus_f(space, tools):
    up, down = Optimizer(space, seed=4), Optimizer(space, "minimize", seed=4)
    assert tools.run(up, 15) == tools.run(down, 15, sign=-1.0)
    assert up.best.params == down.best.params
    assert up.best.mean == -down.best.mean
    for a, b in zip(up.arms, down.arms, strict=True):
        assert a["arm"] == b["arm"]
        assert a["optimum"] == -b["optimum"]
        assert (a["low"], a["high"]) == (-b["high"], -b["low"])
        assert a["probability"] == b["probability"]


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_runs(space, tools, name):
    opt = Optimizer(space, seed=1, policy=name)
    asked = tools.run(opt, 12)
    for params in asked:
        assert space.validate(params) == params
    assert opt.explain(11).startswith("trial 11: model=")


@pytest.mark.parametrize("model", ["auto", "correlated", "shared", "independent", "paper"])
@pytest.mark.parametrize("policy", ["auto", "thompson"])
def test_every_model_runs(space, tools, model, policy):
    tools.run(Optimizer(space, seed=1, model=model, policy=policy, n_init=1), 10)


def test_the_seed_decides(space, tools):
    first = tools.run(Optimizer(space, seed=5), 12)
    assert first == tools.run(Optimizer(space, seed=5), 12)
    assert first != tools.run(Optimizer(space, seed=6), 12)


def test_without_a_seed_runs_differ(space):
    asked = [Optimizer(space).ask()[0].params for _ in range(8)]
    assert any(a != asked[0] for a in asked)


def test_global_random_state_is_neither_read_nor_touched(space, tools):
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    first = tools.run(Optimizer(space, seed=5), 8)
    assert random.getstate() == before[0]
    np.testing.assert_array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002
    np.random.seed(99)  # noqa: NPY002
    assert tools.run(Optimizer(space, seed=5), 8) == first


def test_a_batch_differs_and_has_its_numbers(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 10)
    batch = opt.ask(6)
    assert [t.number for t in batch] == list(range(10, 16))
    assert len({str(t.params) for t in batch}) == 6
    assert opt.pending == batch
    assert [r.status for r in opt.trials[10:]] == ["pending"] * 6


def test_a_batch_member_depends_on_its_number_alone(space, tools):
    """Workers need not know of one another: pending trials change nothing but exact repeats."""
    opt, other = Optimizer(space, seed=0), Optimizer(space, seed=0)
    tools.run(opt, 12)
    tools.run(other, 12)
    batch = opt.ask(3)
    assert [other.propose(t.number).params for t in batch] == [t.params for t in batch]


def test_proposals_of_one_batch_are_independent(tools):
    """No correlation of points of members k and k + 1 over many seeds, the history the same."""
    space = Space({"f": Choice({"a": {"x": Float(0, 1)}, "b": {"y": Float(0, 1)}})})
    n = 150
    points = np.empty((n, 2, 2))
    for seed in range(n):
        opt = Optimizer(space, seed=seed, model="paper", policy="thompson")
        for x in (0.1, 0.6):
            opt.tell({"f": "a", "x": x}, x)
            opt.tell({"f": "b", "y": x}, x)
        for k, trial in enumerate(opt.ask(2)):
            points[seed, k] = trial.arm.index, trial.params.get("x", trial.params.get("y"))
    for i in range(2):
        for j in range(2):
            r = np.corrcoef(points[:, 0, i], points[:, 1, j])[0, 1]
            assert abs(r) < 3.5 / np.sqrt(n)
    assert 0.05 < points[:, :, 0].mean() < 0.95


def test_values_enter_the_proposals(space, tools):
    opt, other = Optimizer(space, seed=0), Optimizer(space, seed=0)
    a = tools.run(opt, 12)
    b = tools.run(other, 12, function=lambda **p: -tools.value_of(**p))
    assert a[:5] == b[:5]  # the start
    assert a[5:] != b[5:]


def test_tell_in_any_order(space, tools):
    opt = Optimizer(space, seed=0)
    batch = opt.ask(6)
    for trial in reversed(batch):
        opt.tell(trial, tools.value_of(**trial.params))
    assert opt.pending == []
    assert [r.number for r in opt.trials] == list(range(6))
    assert [r.value for r in opt.trials] == [tools.value_of(**t.params) for t in batch]
    opt.ask()


def test_tell_many_at_once(space, tools):
    opt, single = Optimizer(space, seed=0), Optimizer(space, seed=0)
    batch = opt.ask(5)
    opt.tell(batch, [tools.value_of(**t.params) for t in batch])
    tools.run(single, 5, batch=5)
    assert opt.ask(2) == single.ask(2)
    elsewhere = [{"model": "bayes", "scale": s} for s in ("none", "std")]
    opt.tell([*opt.pending, *elsewhere], np.array([0.5, 0.6, 0.1, 0.2]))
    assert [r.value for r in opt.trials[-2:]] == [0.1, 0.2]


def test_tell_many_is_all_or_nothing(space):
    opt = Optimizer(space, seed=0)
    batch = opt.ask(3)
    before = opt.to_json()
    with pytest.raises(InvalidValueError, match="trial 1: the value nan cannot be ranked"):
        opt.tell(batch, [1.0, math.nan, 2.0])
    with pytest.raises(InvalidTrialError, match="trial 0 is in the list twice"):
        opt.tell([batch[0], batch[1], batch[0]], [1.0, 2.0, 3.0])
    with pytest.raises(InvalidValueError, match="3 trials and 2 values: give one value a trial"):
        opt.tell(batch, [1.0, 2.0])
    with pytest.raises(InvalidValueError, match="'C' is missing"):
        opt.tell([batch[0], {"model": "svm", "scale": "std", "gamma": 0.1}], [1.0, 2.0])
    assert opt.to_json() == before


def test_what_was_measured_elsewhere_counts(space, tools):
    opt = Optimizer(space, seed=0)
    for c in (0.1, 1.0, 10.0):
        for gamma in (0.1, 0.3, 0.8):
            params = {"model": "svm", "scale": "std", "C": c, "gamma": gamma}
            opt.tell(params, tools.value_of(**params))
    assert [r.number for r in opt.trials] == list(range(9))
    assert opt.best.params == {"model": "svm", "C": 1.0, "gamma": 0.3, "scale": "std"}
    assert opt.explain(3).endswith("was measured elsewhere and told.")
    assert opt.ask()[0].number == 9


def test_clip_moves_what_was_measured_outside(space):
    opt = Optimizer(space, seed=0)
    outside = {"model": "svm", "scale": "std", "C": 1e5, "gamma": -0.2}
    with pytest.raises(InvalidValueError, match=r"'C' = 100000\.0"):
        opt.tell(outside, 1.0)
    opt.tell(outside, 1.0, clip=True)
    assert opt.trials[0].params == {"model": "svm", "C": 100.0, "gamma": 0.0, "scale": "std"}


def test_the_callers_dicts_are_his_own(space, tools):
    """Popping the choice off the params is what people do."""
    opt = Optimizer(space, seed=0)
    (trial,) = opt.ask()
    whole = dict(trial.params)
    params = trial.params
    params.pop("model")
    with pytest.raises(InvalidTrialError, match="was not asked of this optimizer"):
        opt.tell(trial, 1.0)
    opt.tell(opt.pending[0], 1.0)
    assert opt.trials[0].params == whole
    opt.best.params.pop("model")
    assert opt.best.params == whole
    given = {"model": "bayes", "scale": "std"}
    opt.tell(given, 0.5)
    given["model"] = "forest"
    assert opt.trials[1].params["model"] == "bayes"
    opt.history[0].clear()
    assert opt.history[0]["value"] == 1.0


def test_best_is_the_best_mean_and_best_observed_the_best_value():
    space = Space({"x": Float(0, 1)})
    opt = Optimizer(space, seed=0)
    rng = np.random.default_rng(0)
    for x in np.repeat([0.2, 0.5, 0.8], 12):
        level = {0.2: 0.0, 0.5: 1.0, 0.8: 0.0}[float(x)]
        opt.tell({"x": float(x)}, level + 0.3 * rng.standard_normal())
    opt.tell({"x": 0.2}, 2.5)  # luck
    assert opt.best.params == {"x": 0.5}
    assert opt.best.mean == pytest.approx(1.0, abs=0.25)
    assert opt.best_observed.params == {"x": 0.2}
    assert opt.best_observed.value == 2.5
    exact = Optimizer(space, seed=0, noise=0.0)
    exact.tell([{"x": 0.2}, {"x": 0.5}], [2.5, 1.0])
    assert exact.best == exact.best_observed


def test_known_noise_is_used():
    space = Space({"x": Float(0, 1)})
    opt = Optimizer(space, seed=0)
    for x in (0.1, 0.3, 0.5, 0.7, 0.9):
        opt.tell({"x": x}, -abs(x - 0.3))
    opt.tell({"x": 0.95}, 3.0, noise=10.0)
    assert opt.best.params["x"] != 0.95
    assert opt.best_observed.params["x"] == 0.95
    assert opt.history[5]["noise"] == 10.0
    assert Optimizer(space, noise=0.5).noise == 0.5


def test_nothing_is_best_before_a_value_is_told(space):
    opt = Optimizer(space, seed=0)
    for what in ("best", "best_observed"):
        with pytest.raises(InvalidStateError, match="no value has been told yet"):
            getattr(opt, what)
    assert opt.best_so_far is None
    assert len(opt.arms) == 6
    assert opt.history == []


def test_arms(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 30)
    waiting = opt.ask()[0]
    opt.tell(opt.ask()[0], failed=True)
    rows = opt.arms
    assert len(rows) == 6
    assert list(rows[0]) == [
        "arm",
        "pulls",
        "failed",
        "pending",
        "best",
        "optimum",
        "low",
        "high",
        "probability",
        "retired",
    ]
    assert sum(r["pulls"] for r in rows) == 31
    assert sum(r["failed"] for r in rows) == 1
    assert [r["arm"] for r in rows if r["pending"]] == [str(waiting.arm)]
    assert sum(r["probability"] for r in rows) == pytest.approx(1.0)
    assert rows[0]["arm"] == "model=svm, scale=std"
    assert rows[0]["probability"] > 0.5
    for row in rows:
        values = [
            r.value
            for r in opt.trials
            if r.value is not None and str(space.arm_of(r.params)) == row["arm"]
        ]
        assert row["best"] == (max(values) if values else None)
        assert row["low"] <= row["optimum"] <= row["high"] or row["low"] <= row["high"]
    assert opt.arms == rows
    assert len(str(rows).splitlines()) == 7
    assert str(rows).startswith("arm ")


def test_history_rows(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 4)
    opt.tell(opt.ask()[0], error="out of memory")
    opt.ask()
    rows = opt.history
    assert [r["status"] for r in rows] == ["complete"] * 4 + ["failed", "pending"]
    assert rows[4]["error"] == "out of memory"
    assert rows[4]["value"] is None
    assert rows[0]["params_model"] in ("svm", "forest", "bayes")
    assert {k for r in rows for k in r} >= {"number", "value", "noise", "params_scale"}


def test_rows_go_into_pandas(space, tools):
    pandas = pytest.importorskip("pandas")
    opt = Optimizer(space, seed=0)
    tools.run(opt, 8)
    frame = pandas.DataFrame(opt.history)
    assert len(frame) == 8
    assert frame["value"].max() == opt.best_observed.value
    assert len(pandas.DataFrame(opt.arms)) == 6


def test_explanations(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 9)
    assert "is part of the start" in opt.explain(0)
    text = opt.explain(8)
    assert "the expected improvement" in text
    assert "Predicted there:" in text
    assert "Next best:" in text
    (trial,) = opt.ask()
    assert opt.explain(trial) == opt.explain(trial.number) == opt.explain(opt.record(trial.number))
    for policy, words in (("thompson", "one function drawn"), ("ucb1", "UCB1")):
        other = Optimizer(space, seed=0, policy=policy)
        tools.run(other, 7)
        assert words in other.explain(6)
    down = Optimizer(space, "minimize", seed=0)
    tools.run(down, 8, sign=-1.0)
    low, high = down.explain(7).split("within ")[1].split(" (")[0].split(" to ")
    assert float(low) <= float(high)
    with pytest.raises(InvalidTrialError, match="there is no trial 99: the last is 9"):
        opt.explain(99)


def test_a_default_is_the_first_point_of_its_arm():
    space = Space(
        {
            "f": Choice(
                {
                    "a": {"x": Float(0, 1, default=0.25), "y": Float(0, 1)},
                    "b": {"n": Int(1, 9, default=7)},
                }
            )
        }
    )
    for n_init in ("auto", 2):
        opt = Optimizer(space, seed=0, n_init=n_init)
        asked = [t.params for t in opt.ask(6)]
        a = [p["x"] for p in asked if p["f"] == "a"]
        b = [p["n"] for p in asked if p["f"] == "b"]
        assert a[0] == 0.25
        assert b[0] == 7
        assert 0.25 not in a[1:]


def test_so_many_random_points_an_arm_first(space):
    opt = Optimizer(space, seed=0, n_init=2)
    asked = []
    for i in range(10):
        (trial,) = opt.ask()
        asked.append(trial)
        opt.tell(trial, float(i))
    counts = np.bincount([t.arm.index for t in asked if t.why["by"] == "start"], minlength=6)
    # the arms without parameters have one point each
    assert counts.tolist() == [2, 2, 2, 2, 1, 1]
    opt = Optimizer(space, seed=0, n_init=0)
    assert opt.ask()[0].why["by"] != "start"


def test_an_arm_without_parameters_does_not_end_the_start_of_the_others():
    space = Space({"f": Choice({"none": None, "a": {"x": Float(0, 1)}, "b": {"x": Float(0, 1)}})})
    opt = Optimizer(space, seed=0, model="paper", policy="thompson")
    starts = []
    for _ in range(5):
        (trial,) = opt.ask()
        starts.append((trial.params["f"], trial.why["by"]))
        opt.tell(trial, 1.0)
    assert sorted(starts) == sorted([(f, "start") for f in ("none", "a", "a", "b", "b")])


def test_retire_and_restore(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 8)
    opt.retire(model="svm")
    assert all(p["model"] != "svm" for p in tools.run(opt, 8))
    assert [r["retired"] for r in opt.arms].count(True) == 2
    assert all(r["probability"] == 0.0 for r in opt.arms if r["retired"])
    assert opt.best is not None
    with pytest.raises(InvalidValueError, match="was not retired"):
        opt.restore(model="forest")
    opt.restore(model="svm")
    assert any(p["model"] == "svm" for p in tools.run(opt, 8))
    with pytest.raises(InvalidValueError, match="names no arm"):
        opt.retire(model="lasso")
    with pytest.raises(InvalidValueError, match="would retire the last arm"):
        opt.retire()
    opt.retire(scale="std", model="svm")
    assert [r["arm"] for r in opt.arms if r["retired"]] == ["model=svm, scale=std"]


def test_retired_arms_are_not_part_of_the_start(space):
    opt = Optimizer(space, seed=0)
    opt.retire(model="bayes")
    opt.retire(model="forest")
    assert {t.params["model"] for t in opt.ask(6)} == {"svm"}


def test_a_space_may_gain_an_arm(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 10)
    before = opt.history
    opt.add_arm("model", "lasso", {"alpha": Float(0, 1)})
    assert len(opt.space.arms) == 8
    assert [r["value"] for r in opt.history] == [r["value"] for r in before]

    def function(model, alpha=None, **rest):
        return 2.0 + alpha if model == "lasso" else tools.value_of(model, **rest)

    tools.run(opt, 25, function=function)
    assert opt.best.params["model"] == "lasso"
    opt.add_arm("scale", "minmax")
    assert len(opt.space.arms) == 12


def test_a_widened_range_keeps_the_history(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 12)
    best = opt.best_observed
    parameters = dict(space.parameters)
    parameters["model"] = Choice(
        {
            "svm": {"C": Float(1e-4, 1e4, log=True), "gamma": Float(0.0, 2.0)},
            "forest": {"trees": Int(10, 100), "share": Float(0.1, 0.9, step=0.2)},
            "bayes": None,
        }
    )
    opt.change_space(Space(parameters))
    assert opt.best_observed.params == best.params
    assert sum(r["pulls"] for r in opt.arms) == 12
    tools.run(opt, 3)
    # narrowed: what has no place is kept, but does not count
    opt.change_space(Space({"model": Choice({"bayes": None}), "scale": Categorical(["std"])}))
    assert len(opt.history) == 15
    assert sum(r["pulls"] for r in opt.arms) < 15
    opt.change_space(space)
    assert sum(r["pulls"] for r in opt.arms) >= 12


def test_a_space_that_would_leave_no_open_arm_changes_nothing(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 6)
    opt.retire(model="svm")
    before = opt.to_json()
    with pytest.raises(InvalidValueError, match="would retire the last arm"):
        opt.change_space(Space({"model": Choice({"svm": {"C": Float(1, 2)}})}))
    assert opt.to_json() == before
    opt.ask()
    with pytest.raises(InvalidValueError, match="space must be a Space"):
        opt.change_space({"x": Float(0, 1)})


def test_an_oracle_plays_its_arm(space, tools):
    opt = Optimizer(space, seed=0, policy=Oracle(best={"model": "forest"}))
    tools.run(opt, 12)
    assert {t.params["model"] for t in opt.ask(4)} == {"forest"}


def test_a_model_setting_of_ones_own(space, tools):
    setting = ModelSetting(kernel="se", transform="mixture", shorten=0.0)
    tools.run(Optimizer(space, seed=0, model=setting), 10)


def test_outlook_and_posterior(space, tools):
    opt = Optimizer(space, seed=0)
    assert opt.outlook(8).improvement == math.inf
    tools.run(opt, 30)
    view = opt.outlook(32)
    assert view.improvement >= 0.0
    assert view.improvement < 0.2
    mean, _ = opt.posterior().mean_variance(np.array([4]), np.full((1, 2), 0.5))
    assert np.isfinite(mean).all()
