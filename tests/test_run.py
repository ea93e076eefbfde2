"""``maximize`` and ``minimize``: in memory, or as a study that goes on."""

import pytest

from banditbo import Choice, Float, InvalidValueError, Space, maximize, minimize

SPACE = Space({"f": Choice({"hill": {"x": Float(-2, 2)}, "flat": None})})


def hill(f, x=0.0):
    return 1.0 - x * x if f == "hill" else 0.5


def test_a_study_goes_on_where_it_was(tmp_path):
    pytest.importorskip("optuna").logging.set_verbosity(30)
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    first = maximize(hill, SPACE, 8, storage=storage, study_name="s", seed=0)
    assert len(first.history) == 8
    called = []

    def counted(**params):
        called.append(params)
        return hill(**params)

    second = maximize(counted, SPACE, 12, storage=storage, study_name="s", seed=0)
    assert len(called) == 4
    assert [r["value"] for r in second.history][:8] == [r["value"] for r in first.history]
    whole = maximize(hill, SPACE, 12, storage="sqlite:///:memory:", study_name="t", seed=0)
    assert [r["value"] for r in whole.history] == [r["value"] for r in second.history]


def test_a_study_of_the_other_direction_is_refused(tmp_path):
    pytest.importorskip("optuna").logging.set_verbosity(30)
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    maximize(hill, SPACE, 2, storage=storage, study_name="s", seed=0)
    with pytest.raises(ValueError, match="use another study_name"):
        minimize(hill, SPACE, 4, storage=storage, study_name="s", seed=0)


def test_a_study_name_needs_a_storage():
    with pytest.raises(InvalidValueError, match="without a storage"):
        maximize(hill, SPACE, 2, study_name="s")


@pytest.mark.parametrize("where", ["function", "callback"])
def test_an_interrupt_keeps_what_was_done_and_the_study_goes_on(tmp_path, where):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(30)
    storage = f"sqlite:///{tmp_path / 'study.db'}"

    def stop(*_, **__):
        raise KeyboardInterrupt

    calls = []

    def third_time(**params):
        calls.append(params)
        return stop() if where == "function" and len(calls) == 3 else hill(**params)

    def callback(optimizer, record):
        return stop() if where == "callback" and record.number == 2 else False

    first = maximize(third_time, SPACE, 9, storage=storage, seed=0, callbacks=[callback])
    assert first.stopped == "interrupted"
    assert len(first.history) == 3
    study = optuna.load_study(study_name=None, storage=storage)
    assert all(t.state.is_finished() for t in study.trials)
    assert maximize(hill, SPACE, 9, storage=storage, seed=0).stopped == "n_trials"
