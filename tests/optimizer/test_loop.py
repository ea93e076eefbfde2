import math
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from banditbo import (
    Choice,
    Float,
    Int,
    InvalidValueError,
    ModelSetting,
    Space,
    Stop,
    maximize,
    minimize,
)

SPACE = Space({"f": Choice({"hill": {"x": Float(-2, 2)}, "slope": {"y": Float(0, 1)}})})


def hill(f, x=0.0, y=0.0):
    return 1.0 - (x - 0.5) ** 2 if f == "hill" else 0.8 * y


def fragile(f, x=0.0, y=0.0):
    if f == "slope" and y > 0.7:
        raise ZeroDivisionError(f"y is {y:.1f}")
    if x > 1.5:
        return math.nan
    if x < -1.5:
        return "no number"
    return hill(f, x, y)


def outcomes(result):
    return [(r.number, r.params, r.status, r.value, r.error) for r in result.optimizer.trials]


def test_maximize():
    result = maximize(hill, SPACE, n_trials=20, seed=0)
    assert result.stopped == "n_trials"
    assert result.best.params["f"] == "hill"
    assert result.best.value > 0.99
    assert len(result.history) == 20
    assert len(result.arms) == 2
    assert result.optimizer.pending == []


def test_minimize_is_maximize_of_minus_f():
    down = minimize(lambda **p: -hill(**p), SPACE, n_trials=12, seed=0)
    up = maximize(hill, SPACE, n_trials=12, seed=0)
    assert [r.params for r in down.optimizer.trials] == [r.params for r in up.optimizer.trials]
    assert down.best.value == -up.best.value


def test_settings_are_passed_on():
    setting = ModelSetting(kernel="se")
    for run in (maximize, minimize):
        opt = run(
            hill, SPACE, 2, seed=7, n_init=1, model=setting, policy="ucb1", noise=0.1
        ).optimizer
        assert (opt.seed, opt.n_init, opt.model, opt.policy, opt.noise) == (
            7,
            1,
            setting,
            "ucb1",
            0.1,
        )
        assert opt.direction == f"{run.__name__}"


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_executor_changes_nothing(pool):
    serial = maximize(fragile, SPACE, n_trials=14, batch_size=4, seed=0)
    with pool(2) as executor:
        parallel = maximize(fragile, SPACE, n_trials=14, batch_size=4, executor=executor, seed=0)
    assert outcomes(parallel) == outcomes(serial)
    assert {r.status for r in serial.optimizer.trials} >= {"complete"}


def test_batches_are_evaluated_at_the_same_time():
    barrier = threading.Barrier(3, timeout=20)

    def meet(**params):
        barrier.wait()
        return hill(**params)

    with ThreadPoolExecutor(3) as executor:
        result = maximize(meet, SPACE, n_trials=6, batch_size=3, executor=executor, seed=0)
    assert [r.status for r in result.optimizer.trials] == ["complete"] * 6


def test_members_of_a_batch_do_not_see_one_another():
    one = maximize(hill, SPACE, n_trials=12, batch_size=1, seed=0)
    four = maximize(hill, SPACE, n_trials=12, batch_size=4, seed=0)
    assert [r.params for r in one.optimizer.trials[:5]] == [
        r.params for r in four.optimizer.trials[:5]
    ]
    assert [r.params for r in one.optimizer.trials] != [r.params for r in four.optimizer.trials]


def test_exceptions_and_nan_become_failed_trials_with_their_text():
    result = maximize(fragile, SPACE, n_trials=40, seed=1, policy="uniform")
    errors = [r.error for r in result.optimizer.trials if r.status == "failed"]
    assert any(e.startswith("ZeroDivisionError: y is ") for e in errors)
    assert any("the value nan cannot be ranked" in e for e in errors)
    assert any("the value 'no number' is a str" in e for e in errors)
    assert result.best.value <= 1.0
    assert len(result.history) == 40


def test_a_function_that_always_fails():
    def broken(**params):
        raise RuntimeError("nothing works")

    result = maximize(broken, SPACE, n_trials=12, seed=0)
    assert [r.error for r in result.optimizer.trials] == ["RuntimeError: nothing works"] * 12


def test_a_time_limit():
    start = time.monotonic()
    result = maximize(
        lambda **p: time.sleep(0.05) or hill(**p), SPACE, n_trials=10_000, time_limit=0.5, seed=0
    )
    assert result.stopped == "time_limit"
    assert time.monotonic() - start < 8.0
    assert 1 <= len(result.history) <= 10
    assert result.optimizer.pending == []


def test_callbacks_are_called_after_every_trial_and_may_stop():
    seen, heard = [], []

    def watch(optimizer, record):
        seen.append((record.number, record.value, len(optimizer.history)))
        return record.number == 6

    def also(optimizer, record):
        heard.append(record.number)

    result = maximize(hill, SPACE, n_trials=30, batch_size=4, callbacks=[watch, also], seed=0)
    assert result.stopped == "callback"
    assert [s[0] for s in seen] == list(range(8))  # the round is finished
    assert heard == list(range(8))  # by every callback, whatever another says
    assert all(v is not None for _, v, _ in seen)


def test_stop_when_little_is_left():
    result = maximize(
        hill, SPACE, n_trials=80, callbacks=[Stop(improvement=0.01, confidence=0.8)], seed=1
    )
    assert result.stopped == "callback"
    assert len(result.history) < 80
    assert len(result.history) % 5 == 0
    assert result.best.value > 0.98
    never = maximize(hill, SPACE, n_trials=12, callbacks=[Stop(improvement=1e-300)], seed=0)
    assert never.stopped == "n_trials"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Stop(), "needs improvement=, confidence= or both"),
        (lambda: Stop(confidence=0.9, every=0), "every=0: use an integer of at least 1"),
        (lambda: maximize(hill, SPACE, n_trials=0), "n_trials=0: use an integer"),
        (lambda: maximize(hill, SPACE, n_trials=2.5), r"n_trials=2\.5"),
        (lambda: maximize(hill, SPACE, batch_size=0), "batch_size=0"),
        (lambda: maximize(hill, SPACE, time_limit=0), "time_limit=0: use a number of seconds"),
        (lambda: maximize(hill, SPACE, time_limit=math.nan), "time_limit=nan"),
        (lambda: maximize(hill, SPACE, time_limit="1h"), "time_limit='1h'"),
        (lambda: maximize("hill", SPACE), "function must be callable, not 'hill'"),
        (lambda: maximize(hill, {"x": Float(0, 1)}), "space must be a Space"),
        (lambda: minimize(hill, SPACE, seed=-1), "seed=-1"),
    ],
)
def test_bad_settings(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_an_exhausted_space_ends_the_run():
    space = Space({"f": Choice({"a": {"n": Int(1, 4)}, "b": None})})
    result = maximize(lambda f, n=0: float(n), space, n_trials=50, batch_size=3, seed=0)
    assert result.stopped == "exhausted"
    assert len(result.history) == 5
    assert result.best.params == {"f": "a", "n": 4}


@pytest.mark.parametrize("batch_size", [1, 4])
def test_an_interruption_keeps_everything(batch_size):
    calls = []

    def interrupted(**params):
        calls.append(params)
        if len(calls) == 7:
            raise KeyboardInterrupt
        return hill(**params)

    result = maximize(interrupted, SPACE, n_trials=30, batch_size=batch_size, seed=0)
    assert result.stopped == "interrupted"
    done = [r for r in result.optimizer.trials if r.status == "complete"]
    assert [r.params for r in done] == calls[:6]
    assert len(result.optimizer.pending) == (1 if batch_size == 1 else 2)
    assert result.best.value == max(r.value for r in done) or result.best is not None


def test_an_interruption_while_waiting_for_workers_keeps_what_is_done():
    began = threading.Event()

    def slow(**params):
        if params["f"] == "hill" and not began.is_set():
            began.set()
            raise KeyboardInterrupt
        time.sleep(0.05)
        return hill(**params)

    with ThreadPoolExecutor(4) as executor:
        result = maximize(slow, SPACE, n_trials=8, batch_size=4, executor=executor, seed=0)
    assert result.stopped == "interrupted"
    assert len(result.optimizer.trials) == 4


def test_an_interruption_in_a_callback_keeps_the_result():
    def stop(optimizer, record):
        if record.number == 3:
            raise KeyboardInterrupt

    result = maximize(hill, SPACE, n_trials=20, callbacks=[stop], seed=0)
    assert result.stopped == "interrupted"
    assert [r.status for r in result.optimizer.trials] == ["complete"] * 4


def test_progress(capsys):
    pytest.importorskip("tqdm")
    maximize(hill, SPACE, n_trials=7, progress=True, seed=0)
    shown = capsys.readouterr().err
    assert "7/7" in shown
    assert "best 0." in shown
    assert "f=" in shown
    maximize(hill, SPACE, n_trials=3, progress=False, seed=0)
    maximize(hill, SPACE, n_trials=3, seed=0)  # no terminal here
    assert capsys.readouterr().err == ""


def test_progress_while_everything_fails(capsys):
    pytest.importorskip("tqdm")
    maximize(lambda **p: math.nan, SPACE, n_trials=3, progress=True, seed=0)
    assert "3/3" in capsys.readouterr().err


def test_progress_without_tqdm(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(InvalidValueError, match="progress=True needs tqdm: pip install"):
        maximize(hill, SPACE, n_trials=3, progress=True, seed=0)
    maximize(hill, SPACE, n_trials=3, seed=0)


def die(x: float) -> float:
    os._exit(1)


def test_a_worker_that_dies_ends_the_run_with_what_is_known():
    space = Space({"x": Float(0, 1)})
    with ProcessPoolExecutor(1) as pool:
        result = maximize(die, space, n_trials=5, executor=pool, seed=0)
    assert result.stopped == "broken executor"
    assert [row["status"] for row in result.history][:1] == ["failed"]
    assert "BrokenProcessPool" in result.history[0]["error"]
