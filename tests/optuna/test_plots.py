from typing import Any

import optuna
import pytest

from banditbo import InvalidValueError
from banditbo.optuna import BanditSampler, plots


@pytest.fixture(autouse=True)
def few_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "LOOKS", 4)


FIGURES = ["allocation", "probability", "optima"]


@pytest.fixture(scope="module")
def study() -> optuna.Study:
    def f(trial: optuna.Trial) -> float:
        k = trial.suggest_int("k", 1, 3)
        if k == 3:
            raise RuntimeError
        return k + (trial.suggest_float(f"x{k}", 0, 1) - 0.5) ** 2

    study = optuna.create_study(sampler=BanditSampler(seed=0))
    study.optimize(f, n_trials=15, catch=(RuntimeError,))
    return study


@pytest.mark.parametrize("name", FIGURES)
def test_matplotlib(study: optuna.Study, name: str, tmp_path: Any) -> None:
    pytest.importorskip("matplotlib")
    axes = getattr(plots, name)(study, backend="matplotlib")
    axes.figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000
    assert axes.get_title()


@pytest.mark.parametrize("name", FIGURES)
def test_plotly(study: optuna.Study, name: str) -> None:
    pytest.importorskip("plotly")
    figure = getattr(plots, name)(study)
    assert len(figure.data) >= 2
    assert figure.layout.title.text
    assert figure.to_json()


@pytest.mark.parametrize("name", FIGURES)
def test_what_cannot_be_plotted(study: optuna.Study, name: str) -> None:
    with pytest.raises(InvalidValueError, match="backend='paper'"):
        getattr(plots, name)(study, backend="paper")
    with pytest.raises(InvalidValueError, match="no finished trial"):
        getattr(plots, name)(optuna.create_study(sampler=BanditSampler()))


def test_many_arms_and_another_sampler() -> None:
    pytest.importorskip("matplotlib")
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    choices = [f"an alternative with a rather long name, number {i}" for i in range(22)]
    study.optimize(
        lambda t: t.suggest_float("x", 0, 1) + len(t.suggest_categorical("f", choices)),
        n_trials=12,
    )
    for name in FIGURES:
        axes = getattr(plots, name)(study, backend="matplotlib")
        if name != "probability":
            labels = [label.get_text() for label in axes.get_yticklabels()]
            assert len(labels) == plots.SHOWN
            assert max(map(len, labels)) <= 44
