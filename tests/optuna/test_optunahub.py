"""The OptunaHub package, loaded from here."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import optuna
import pytest

from banditbo.optuna import BanditSampler

REGISTRY = Path(__file__).parents[2] / "optunahub" / "package"
PACKAGE = REGISTRY / "samplers" / "bandit_bo"


def by_path() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bandit_bo", PACKAGE / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_optunahub() -> ModuleType:
    optunahub = pytest.importorskip("optunahub")
    if not hasattr(optunahub, "load_local_module"):  # the folder of that name beside src
        pytest.skip("optunahub is not installed")
    module: ModuleType = optunahub.load_local_module(
        "samplers/bandit_bo", registry_root=str(REGISTRY)
    )
    return module


@pytest.mark.parametrize("load", [by_path, by_optunahub])
def test_it_loads_and_runs(load) -> None:  # type: ignore[no-untyped-def]
    module = load()
    assert module.BanditSampler is BanditSampler
    study = optuna.create_study(sampler=module.BanditSampler(seed=0))
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=7)
    assert study.best_value < 0.2


def test_the_front_matter_is_complete() -> None:
    text = (PACKAGE / "README.md").read_text()
    front = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert front is not None
    keys = {line.partition(":")[0] for line in front[1].splitlines()}
    assert keys == {"author", "title", "description", "tags", "optuna_versions", "license"}
    assert "MIT" in (PACKAGE / "LICENSE").read_text()
    compile((PACKAGE / "example.py").read_text(), "example.py", "exec")
