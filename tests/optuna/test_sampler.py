"""What the sampler does in an ordinary study."""

import pickle
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState, create_trial

import banditbo
from banditbo import Choice, Float, Int, InvalidValueError, Space
from banditbo.optuna import BanditSampler, suggest
from banditbo.optuna.explain import NOTE


def run(objective: Any, n: int, **settings: Any) -> optuna.Study:
    study = optuna.create_study(sampler=BanditSampler(**{"seed": 0, **settings}))
    study.optimize(objective, n_trials=n, catch=(RuntimeError,))
    return study


def test_the_tree_is_learned_and_the_optimum_found(objective: Any) -> None:
    study = run(objective, 40)
    assert study.best_params["model"] == "svm"
    assert study.best_params["kernel"] == "rbf"
    assert study.best_value < 1e-3
    space = study.sampler.optimizer(study).space
    assert len(space.arms) == 4
    assert {g.names for g in space.groups} == {("C",), ("C", "gamma"), ("n",), ()}


def test_maximising_is_minimising_the_negative(objective: Any) -> None:
    least = run(objective, 20)
    most = optuna.create_study(direction="maximize", sampler=BanditSampler(seed=0))
    most.optimize(lambda t: -objective(t), n_trials=20)
    assert [t.params for t in least.trials] == [t.params for t in most.trials]


def test_the_first_trials_visit_every_alternative_without_any_coordination() -> None:
    alternatives = list("abcdefg")

    def first(number: int) -> tuple[str, float]:
        study = optuna.create_study(sampler=BanditSampler(seed=3))
        for _ in range(number):
            study.ask()
        trial = study.ask()
        return trial.suggest_categorical("f", alternatives), trial.suggest_float("x", 0, 1)

    seen = [first(number) for number in range(14)]
    assert {f for f, _ in seen[:7]} == {f for f, _ in seen[7:]} == set(alternatives)
    assert len({int(8 * x) for _, x in seen[:8]}) == 8
    again = optuna.create_study(sampler=BanditSampler(seed=4)).ask()
    assert again.suggest_float("x", 0, 1) != seen[0][1]


def test_after_the_start_an_alternative_never_tried_competes() -> None:
    def objective(trial: optuna.Trial) -> float:
        k = int(trial.suggest_categorical("f", [str(i) for i in range(12)]))
        return (trial.suggest_float(f"x{k}", 0, 1) - 0.5) ** 2 + (11 - k) / 10

    study = run(objective, 40)
    assert study.best_params["f"] == "11"
    assert sum(t.params["f"] == "11" for t in study.trials) >= 4


def test_the_start_can_be_set_by_hand(objective: Any) -> None:
    study = run(objective, 12, n_startup_trials=8)
    notes = [t.system_attrs[NOTE]["by"] for t in study.trials]
    assert notes == ["start"] * 8 + ["Auto"] * 4
    study = run(objective, 7)
    assert [t.system_attrs[NOTE]["by"] for t in study.trials] == ["start"] * 5 + ["Auto"] * 2


def test_one_small_attribute_a_trial_and_none_a_study(objective: Any) -> None:
    study = run(objective, 12)
    assert not study._storage.get_study_system_attrs(study._study_id)
    for trial in study.trials:
        assert list(trial.system_attrs) == [NOTE]
        assert len(repr(trial.system_attrs)) < 600


def test_a_plan_is_a_function_of_trials_seed_and_number(objective: Any) -> None:
    study = run(objective, 15)
    expected = study.ask()
    copied = optuna.create_study(sampler=BanditSampler(seed=0))
    copied.add_trials(study.trials[:15])
    found = copied.ask()
    assert objective(expected) == objective(found)
    assert expected.params == found.params


def test_more_than_one_study(objective: Any) -> None:
    sampler = BanditSampler(seed=0)
    studies = [optuna.create_study(sampler=sampler) for _ in range(2)]
    for _ in range(12):
        for study in studies:
            study.optimize(objective, n_trials=1)
    alone = run(objective, 12)
    for study in studies:
        assert [t.params for t in study.trials] == [t.params for t in alone.trials]


def test_arms_and_explanations(objective: Any) -> None:
    sampler = BanditSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    assert sampler.arms(study) == []
    study.optimize(objective, n_trials=20)
    rows = sampler.arms(study)
    assert {r["arm"] for r in rows} == {
        "model=svm, kernel=linear",
        "model=svm, kernel=rbf",
        "model=forest",
        "model=mean",
    } or {r["arm"] for r in rows} == {
        "kernel=linear, model=svm",
        "kernel=rbf, model=svm",
        "model=forest",
        "model=mean",
    }
    assert sum(r["pulls"] for r in rows) == 20
    assert rows[0]["probability"] == max(r["probability"] for r in rows)
    assert "part of the start" in sampler.explain(study, 0)
    text = sampler.explain(study, study.trials[-1])
    assert "expected improvement" in text
    assert "Planned arm" in text
    study.enqueue_trial({"model": "mean"})
    study.optimize(objective, n_trials=1)
    assert "Fixed beforehand: model=mean" in sampler.explain(study, 20)
    study.add_trial(create_trial(params={}, distributions={}, value=0.0))
    assert "not proposed by BanditSampler" in sampler.explain(study, 21)
    with pytest.raises(InvalidValueError, match="no trial 99"):
        sampler.explain(study, 99)


def test_failed_trials_make_their_arm_less_likely() -> None:
    def objective(trial: optuna.Trial) -> float:
        if trial.suggest_categorical("f", ["good", "broken"]) == "broken":
            trial.suggest_float("y", 0, 1)
            raise RuntimeError("no such thing")
        return (trial.suggest_float("x", 0, 1) - 0.5) ** 2

    study = run(objective, 30)
    failed = [t for t in study.trials if t.state == TrialState.FAIL]
    assert 1 <= len(failed) <= 20
    assert study.best_value < 1e-6
    row = next(r for r in study.sampler.arms(study) if r["arm"] == "f=broken")
    assert row["failed"] == len(failed)


def test_everything_fails_and_nothing_stops() -> None:
    def objective(trial: optuna.Trial) -> float:
        trial.suggest_float("x", 0, 1)
        raise RuntimeError("no such thing")

    study = run(objective, 12)
    assert len({t.params["x"] for t in study.trials}) == 12


def test_pruned_trials_count_only_if_asked() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.report((x - 0.7) ** 2, 1)
        raise optuna.TrialPruned

    ignored = run(objective, 12)
    assert [t.system_attrs[NOTE]["by"] for t in ignored.trials] == ["start"] * 12
    assert ignored.sampler.optimizer(ignored) is None
    used = run(objective, 25, pruned="last")
    assert min(abs(t.params["x"] - 0.7) for t in used.trials) < 0.01


def test_constraints_of_a_function_are_learned() -> None:
    def objective(trial: optuna.Trial) -> float:
        f = trial.suggest_categorical("f", ["allowed", "forbidden"])
        x = trial.suggest_float("x", 0, 1)
        trial.set_user_attr("c", 1.0 if f == "forbidden" else x - 0.6)
        return -x - (f == "forbidden")

    study = run(objective, 30, constraints_func=lambda t: (t.user_attrs["c"],))
    kept = [t for t in study.trials if t.user_attrs["c"] <= 0]
    assert len(kept) > 8
    assert min(t.value or 0.0 for t in kept) < -0.55


@pytest.mark.skipif(not hasattr(optuna.Trial, "set_constraint"), reason="Optuna 5 has it")
def test_constraints_of_a_trial_are_learned() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.set_constraint("small", x - 0.6)
        return -x

    study = run(objective, 25)
    kept = [t.params["x"] for t in study.trials if t.params["x"] <= 0.6]
    assert len(kept) > 8
    assert max(kept) > 0.55


def test_finite_arms_are_not_played_twice_at_once() -> None:
    sampler = BanditSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    alternatives = [str(i) for i in range(30)]
    for i in range(6):
        trial = study.ask()
        study.tell(trial, float(trial.suggest_categorical("f", alternatives)) + i)
    batch = [study.ask() for _ in range(8)]
    backwards = [t.suggest_categorical("f", alternatives) for t in reversed(batch)]
    assert len(set(backwards)) == 8
    assert not set(backwards) & {t.params["f"] for t in study.trials[:6]}


def test_an_exhausted_space_goes_on_with_what_is_best() -> None:
    study = run(lambda t: t.suggest_int("n", 1, 4), 12)
    assert len(study.trials) == 12
    assert {t.params["n"] for t in study.trials[:8]} == {1, 2, 3, 4}


def test_a_space_given_is_used_from_the_first_trial() -> None:
    space = Space({"f": Choice({"a": {"x": Float(0, 1, default=0.25)}, "b": {"n": Int(1, 9)}})})
    sampler = BanditSampler(space, seed=0)
    study = optuna.create_study(sampler=sampler)
    batch = [study.ask() for _ in range(2)]
    params = [suggest(t, space) for t in batch]
    assert {p["f"] for p in params} == {"a", "b"}
    assert next(p for p in params if p["f"] == "a")["x"] == 0.25
    rows = sampler.arms(study)
    assert len(rows) == 2


def test_a_configspace_is_taken() -> None:
    configspace = pytest.importorskip("ConfigSpace")
    cs = configspace.ConfigurationSpace({"x": (0.0, 1.0), "f": ["a", "b"]})
    study = optuna.create_study(sampler=BanditSampler(cs, seed=0))
    study.optimize(
        lambda t: t.suggest_float("x", 0, 1) + (t.suggest_categorical("f", ["a", "b"]) == "a"),
        n_trials=8,
    )
    assert len(study.sampler.arms(study)) == 2
    with pytest.raises(InvalidValueError, match="must be a Space"):
        BanditSampler(7)


def test_pickles_without_its_cache_and_keeps_its_seed(objective: Any) -> None:
    study = optuna.create_study(sampler=BanditSampler())
    study.optimize(objective, n_trials=10)
    data = pickle.dumps(study.sampler)
    assert len(data) < 2000
    copy = pickle.loads(data)
    assert copy.seed == study.sampler.seed
    twin = optuna.create_study(sampler=copy)
    twin.add_trials(study.trials)
    a, b = study.ask(), twin.ask()
    assert objective(a) == objective(b)
    assert BanditSampler().seed != BanditSampler().seed


def test_settings_that_are_wrong_are_refused_at_once() -> None:
    for wrong in (
        {"seed": -1},
        {"n_startup_trials": -1},
        {"model": "nothing"},
        {"policy": "nothing"},
        {"pruned": "all"},
        {"noise": -1.0},
    ):
        with pytest.raises(InvalidValueError):
            BanditSampler(**wrong)  # type: ignore[arg-type]


def test_several_objectives_are_refused() -> None:
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=BanditSampler())
    with pytest.raises(ValueError, match="one objective"):
        study.optimize(lambda t: (t.suggest_float("x", 0, 1), 1.0), n_trials=1)


def test_the_package_gives_it_when_touched() -> None:
    assert banditbo.BanditSampler is BanditSampler


def test_many_categoricals_as_dimensions() -> None:
    names = [f"c{i}" for i in range(5)]
    letters = "abcdef"

    def objective(trial: optuna.Trial) -> float:
        return float(sum(trial.suggest_categorical(n, letters) != "c" for n in names))

    study = run(objective, 60)
    assert study.best_value <= 1
    free = [t.params for t in study.trials]
    assert len({tuple(p.values()) for p in free}) == 60


def test_the_same_name_with_other_ranges_in_other_arms() -> None:
    def objective(trial: optuna.Trial) -> float:
        if trial.suggest_categorical("f", ["narrow", "wide"]) == "narrow":
            return (trial.suggest_float("x", 0, 1) - 0.5) ** 2 + 0.1
        return float((np.log10(trial.suggest_float("x", 0.001, 1000)) - 2) ** 2)

    study = run(objective, 40)
    assert study.best_value < 0.01


def test_trials_of_another_sampler_are_used(objective: Any) -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(objective, n_trials=20)
    study.sampler = BanditSampler(seed=0)
    study.optimize(objective, n_trials=20)
    assert study.best_value < 1e-2
    assert all(t.system_attrs[NOTE]["by"] == "Auto" for t in study.trials[20:])


def test_a_value_that_is_infinite_is_no_value() -> None:
    study = optuna.create_study(sampler=BanditSampler(seed=0))
    for x, value in ((0.1, float("inf")), (0.5, 1.0)):
        study.add_trial(
            create_trial(
                params={"x": x, "f": "a"},
                distributions={
                    "x": FloatDistribution(0, 1),
                    "f": CategoricalDistribution(["a", "b"]),
                },
                value=value,
            )
        )
    assert [r.status for r in study.sampler.optimizer(study).trials] == ["failed", "complete"]
