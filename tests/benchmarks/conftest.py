"""The benchmarks stand beside the package, so their parent folder must be on the path."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
pytest.importorskip("sklearn")
pytest.importorskip("threadpoolctl")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BANDITBO_BENCH_CACHE", str(tmp_path / "cache"))
