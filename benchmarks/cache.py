"""Values of dear evaluations by exact parameters, in one SQLite file that processes may share."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

_TABLE = "CREATE TABLE IF NOT EXISTS value (key TEXT PRIMARY KEY, value REAL NOT NULL)"


def folder() -> Path:
    """Return the cache folder: BANDITBO_BENCH_CACHE, or ~/.cache/banditbo-benchmarks."""
    given = os.environ.get("BANDITBO_BENCH_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "banditbo-benchmarks"


@lru_cache(maxsize=4)
def _connection(path: str, process: int) -> sqlite3.Connection:
    """One connection a process: SQLite's must not cross a fork."""
    connection = sqlite3.connect(path, timeout=120.0, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute(_TABLE)
    return connection


def cached(key: str, compute: Callable[[], float]) -> float:
    """Return the value stored for key, computing and storing it the first time."""
    where = folder()
    where.mkdir(parents=True, exist_ok=True)
    connection = _connection(str(where / "values.sqlite"), os.getpid())
    row = connection.execute("SELECT value FROM value WHERE key = ?", (key,)).fetchone()
    if row is not None:
        return float(row[0])
    value = float(compute())
    connection.execute("INSERT OR IGNORE INTO value VALUES (?, ?)", (key, value))
    return value
