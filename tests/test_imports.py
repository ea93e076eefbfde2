"""Rooms import only what DESIGN.md allows, and the package loads little."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import banditbo

ROOT = Path(banditbo.__file__).parent
#: The rooms, in the order in which data flows; every one may import those before it.
ROOMS = ["errors", "space", "model", "bandit", "optimizer"]
OUTSIDE = {
    "errors": set(),
    "space": {"numpy"},
    "model": {"numpy", "scipy", "threadpoolctl"},
    "bandit": {"numpy", "scipy"},
    "optimizer": {"numpy"},
}
#: What is loaded only where it is needed, inside a function: never with its room.
LAZY = {"space": {"yaml", "ConfigSpace"}, "optimizer": {"tqdm"}}


def imports(path):
    """Yield (module, at the top level) of everything a file imports, types left aside."""
    tree = ast.parse(path.read_text())
    inside = set()
    typing_only = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside.update(map(id, ast.walk(node)))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            typing_only.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        top = id(node) not in inside
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, top
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module, top


def room_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


FILES = [p for p in sorted(ROOT.rglob("*.py")) if room_of(p) in ROOMS]


def test_there_are_files():
    assert {room_of(p) for p in FILES} == set(ROOMS)
    assert len(FILES) > 30


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_only_earlier_rooms(path):
    room = room_of(path)
    for module, top in imports(path):
        first = module.split(".")[0]
        if first == "banditbo":
            other = module.split(".")[1] if "." in module else None
            assert other in ROOMS, f"{path} imports {module}"
            assert ROOMS.index(other) <= ROOMS.index(room), f"{path} imports {module}"
        elif first not in sys.stdlib_module_names:
            lazy = room == "space" and path.name == "configspace.py"  # a module loaded lazily
            allowed = OUTSIDE[room] | (LAZY.get(room, set()) if lazy or not top else set())
            assert first in allowed, f"{path} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_private_name_crosses_a_room(path):
    room = room_of(path)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("banditbo."):
            private = [a.name for a in node.names if a.name.startswith("_")]
            assert node.module.split(".")[1] == room or not private, f"{path}: {private}"


def run(code):
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    ).stdout


HEAVY = [
    "optuna",
    "sklearn",
    "pandas",
    "plotly",
    "torch",
    "yaml",
    "ConfigSpace",
    "matplotlib",
    "tqdm",
    "smac",
    "hypothesis",
]


def test_import_loads_nothing_heavy():
    code = f"import sys, banditbo; print([m for m in {HEAVY} if m in sys.modules])"
    assert run(code).strip() == "[]"


def test_import_takes_little_more_than_numpy_and_scipy():
    timed = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
    ours = timed.format("import banditbo")
    theirs = timed.format(
        "import numpy, scipy.special, scipy.linalg, scipy.optimize, scipy.sparse"
    )
    run(ours)
    extra = min(float(run(ours)) for _ in range(3)) - min(float(run(theirs)) for _ in range(3))
    assert extra < 0.3


def test_public_names_are_there():
    for name in banditbo.__all__:
        assert getattr(banditbo, name) is not None
    with pytest.raises(AttributeError):
        _ = banditbo.nothing
