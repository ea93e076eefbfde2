"""Many at once: threads, processes, batches; the same as one after another."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import optuna
import pytest

from banditbo.optuna import BanditSampler


def in_rounds(objective: Any, workers: int, rounds: int = 5, batch: int = 8) -> list[Any]:
    """Run synchronous batches: begun in order, then evaluated at once."""
    study = optuna.create_study(sampler=BanditSampler(seed=0))
    with ThreadPoolExecutor(workers) as pool:
        for _ in range(rounds):
            trials = [study.ask() for _ in range(batch)]
            values = list(pool.map(objective, trials))
            for trial, value in zip(trials, values, strict=True):
                study.tell(trial, value)
    return [(t.params, t.value) for t in study.trials]


def test_synchronous_batches_are_the_same_at_one_and_at_eight_workers(objective: Any) -> None:
    assert in_rounds(objective, 1) == in_rounds(objective, 8)


def test_the_same_in_a_space_of_finite_arms_only() -> None:
    def finite(trial: optuna.Trial) -> float:
        if trial.suggest_categorical("f", ["a", "b", "c", "d"]) == "a":
            return trial.suggest_int("n", 1, 40) / 10
        return 1.0 + trial.suggest_int("m", 1, 40) / 10

    one, eight = in_rounds(finite, 1, rounds=4), in_rounds(finite, 8, rounds=4)
    assert one == eight
    assert len({tuple(sorted(p.items())) for p, _ in one[8:]}) >= 22


def test_told_in_another_order_the_next_round_is_the_same(objective: Any) -> None:
    def run(backwards: bool) -> list[Any]:
        study = optuna.create_study(sampler=BanditSampler(seed=0))
        for _ in range(4):
            trials = [study.ask() for _ in range(6)]
            values = [objective(t) for t in trials]
            done = list(zip(trials, values, strict=True))
            for trial, value in reversed(done) if backwards else done:
                study.tell(trial, value)
        return [t.params for t in study.trials]

    assert run(False) == run(True)


def test_workers_with_a_pickled_copy_propose_different_points(objective: Any) -> None:
    study = optuna.create_study(sampler=BanditSampler())
    study.optimize(objective, n_trials=12)
    points = set()
    for _ in range(8):
        study.sampler = pickle.loads(pickle.dumps(study.sampler))
        trial = study.ask()
        objective(trial)
        points.add(tuple(sorted(trial.params.items())))
    assert len(points) == 8


def test_threads_share_a_sampler(objective: Any) -> None:
    study = optuna.create_study(sampler=BanditSampler(seed=0))
    study.optimize(objective, n_trials=80, n_jobs=8)
    assert len(study.trials) == 80
    assert all(t.state == optuna.trial.TrialState.COMPLETE for t in study.trials)
    svm = [tuple(t.params.values()) for t in study.trials if t.params["model"] == "svm"]
    assert len(set(svm)) == len(svm)
    assert study.best_value < 1e-2


def test_threads_with_several_studies_of_one_sampler(objective: Any) -> None:
    sampler = BanditSampler(seed=0)
    studies = [optuna.create_study(sampler=sampler) for _ in range(4)]
    failed: list[BaseException] = []

    def work(study: optuna.Study) -> None:
        try:
            study.optimize(objective, n_trials=12)
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work, args=(s,)) for s in studies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    first = [t.params for t in studies[0].trials]
    assert all([t.params for t in s.trials] == first for s in studies)


@pytest.mark.parametrize("batch", [4, 32])
def test_many_at_once_before_anything_is_known(batch: int) -> None:
    study = optuna.create_study(sampler=BanditSampler(seed=0))
    trials = [study.ask() for _ in range(batch)]
    points = {
        (t.suggest_categorical("f", ["a", "b", "c", "d"]), t.suggest_float("x", 0, 1))
        for t in trials
    }
    assert len(points) == batch
    assert {f for f, _ in points} == set("abcd")


def test_no_two_meet_in_a_corner() -> None:
    study = optuna.create_study(sampler=BanditSampler(seed=0))

    def f(trial: optuna.Trial) -> float:
        return trial.suggest_float("x", 0, 1) + trial.suggest_float("y", 1e-3, 1, log=True)

    study.optimize(f, n_trials=8)
    trials = [study.ask() for _ in range(8)]
    values = [f(t) for t in reversed(trials)]
    assert len({tuple(t.params.values()) for t in trials}) == 8
    assert min(values) < 0.05
