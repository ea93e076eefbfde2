"""Ray Tune and Dask, really run (``make test-ray``, ``make test-dask``), and the one line."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.ray
def test_ray() -> None:
    pytest.importorskip("ray")
    command = [sys.executable, str(EXAMPLES / "optuna_ray.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    line = done.stdout.strip().splitlines()[-1]
    found = re.fullmatch(r"24 trials, 0 errors, best (\{.*\}): ([0-9.e-]+)", line)
    assert found, done.stdout[-3000:]
    assert float(found[2]) < 0.25


@pytest.mark.dask
@pytest.mark.filterwarnings("ignore")
def test_dask() -> None:
    pytest.importorskip("distributed")
    pytest.importorskip("optuna_integration")
    study = example("optuna_dask").main(4, 40)
    assert len(study.trials) == 40
    assert study.best_value < 0.1
    values = [t.params["C"] for t in study.trials if "C" in t.params]
    assert len(set(values)) == len(values)


def test_the_one_line_example(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    module = example("optuna_one_line")
    monkeypatch.setattr(module, "N_TRIALS", 25)
    monkeypatch.setattr(module, "N_SEEDS", 2)
    module.main(str(tmp_path / "figure.png"))
    assert (tmp_path / "figure.png").stat().st_size > 10_000
