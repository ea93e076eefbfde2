"""``maximize`` and ``minimize`` as a study that resumes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import optuna
import pytest

from banditbo import Choice, Float, Int, InvalidSpaceError, InvalidStateError, Space
from banditbo.optuna.study import run_study

SPACE = Space({"f": Choice({"hill": {"x": Float(-2, 2)}, "flat": {"n": Int(1, 9)}})})


def f(f: str, x: float = 0.0, n: int = 0) -> float:
    return 1.0 - x * x if f == "hill" else 0.05 * n


def url(path: Path) -> str:
    return f"sqlite:///{path}/study.db"


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    first = run_study(f, SPACE, "maximize", 8, url(tmp_path), "s", seed=0)
    assert first.stopped == "n_trials"
    result = run_study(f, SPACE, "maximize", 20, url(tmp_path), "s", seed=0)
    whole = run_study(f, SPACE, "maximize", 20, None, "s", seed=0)
    assert len(result.study.trials) == 20
    assert [t.params for t in result.study.trials] == [t.params for t in whole.study.trials]
    assert result.best.value > 0.99
    assert len(result.history) == 20
    again = run_study(f, SPACE, "maximize", 20, url(tmp_path), "s", seed=0)
    assert len(again.study.trials) == 20


def test_another_direction_is_refused(tmp_path: Path) -> None:
    run_study(f, SPACE, "maximize", 2, url(tmp_path))
    with pytest.raises(InvalidStateError, match="another study_name"):
        run_study(f, SPACE, "minimize", 2, url(tmp_path))


def test_failures_callbacks_batches_and_limits() -> None:
    def fails(f: str, x: float = 0.0, n: int = 0) -> float:
        if f == "flat":
            raise RuntimeError("flat is out")
        return float("nan") if x > 1 else -x * x

    seen: list[int] = []
    result = run_study(
        fails,
        SPACE,
        "maximize",
        20,
        None,
        batch_size=4,
        callbacks=[lambda _, record: seen.append(record.number)],
        seed=0,
    )
    assert seen == list(range(20))
    errors = [t.user_attrs["error"] for t in result.study.trials if "error" in t.user_attrs]
    assert "RuntimeError: flat is out" in errors
    stopped = run_study(f, SPACE, "maximize", 20, None, callbacks=[lambda *_: True], seed=0)
    assert stopped.stopped == "callback"
    assert run_study(f, SPACE, "maximize", 20, None, time_limit=1e-9).stopped == "time_limit"


def test_a_finite_space_ends() -> None:
    small = Space({"n": Int(1, 6)})
    result = run_study(lambda n: n, small, "minimize", 50, None, seed=0)
    assert result.stopped == "exhausted"
    assert result.best.params == {"n": 1}


def test_an_interrupt_leaves_nothing_running() -> None:
    def stops(f: str, **_: Any) -> float:
        raise KeyboardInterrupt

    result = run_study(stops, SPACE, "maximize", 20, None, batch_size=3, seed=0)
    assert result.stopped == "interrupted"
    assert all(t.state.is_finished() for t in result.study.trials)


def test_names_that_a_study_cannot_keep() -> None:
    space = Space({"f": Choice({"a": {"x": Float(0, 1)}, "b": {"x": Int(0, 5)}})})
    with pytest.raises(InvalidSpaceError, match="rename one of them"):
        run_study(f, space, "maximize", 5, None)


KILLED = """
import os, sys, time
from banditbo import Float, Space
from banditbo.optuna.study import run_study
def f(x):
    time.sleep(0.02)
    return -(x - 0.3) ** 2
run_study(f, Space({"x": Float(0, 1)}), "maximize", 25, sys.argv[1], "s", seed=0)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_it_goes_on(tmp_path: Path) -> None:
    storage = url(tmp_path)
    optuna.create_study(storage=storage, study_name="s", direction="maximize")
    command = [sys.executable, "-W", "ignore", "-c", KILLED, storage]
    process = subprocess.Popen(command, env=dict(os.environ, OMP_NUM_THREADS="1"))
    study = optuna.load_study(storage=storage, study_name="s")
    deadline = time.monotonic() + 30
    while len(study.get_trials(deepcopy=False)) < 8 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    before = [t.params for t in study.get_trials() if t.state.is_finished()]
    assert before
    subprocess.run(command, check=True, timeout=60, env=dict(os.environ, OMP_NUM_THREADS="1"))
    done = [t for t in study.get_trials() if t.state.is_finished()]
    assert len(done) == 25
    assert [t.params for t in done][: len(before)] == before
    assert study.best_value > -1e-4
