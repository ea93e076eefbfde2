"""Result files: one JSON line a finished run, only ever appended to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 1
Key = tuple[str, str, int, int, int, int]
_FIELDS = ("problem", "method", "seed", "start", "batch", "evaluations")


class ResultFileError(ValueError):
    """A result file that must not be read or appended to."""


def key(row: dict[str, Any]) -> Key:
    """Return what makes a run: problem, method, seed, start, batch, evaluations."""
    return tuple(row[name] for name in _FIELDS)


@dataclass(frozen=True)
class Contents:
    """What a file holds: finished runs, and the lines that are broken."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)  # line numbers
    ends_cleanly: bool = True  # whether the next line may follow directly


def read(path: Path) -> Contents:
    """Return a file's runs; a file that is of another version or no result file is refused."""
    if not path.exists():
        return Contents()
    text = path.read_bytes().decode("utf-8", errors="replace")
    rows, broken = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            broken.append(number)
            continue
        if row.get("format") != FORMAT:
            raise ResultFileError(
                f"{path}, line {number}: format {row.get('format')!r}, this code reads {FORMAT}; "
                "give another --out, or read the file with the commit that wrote it"
            )
        missing = [name for name in (*_FIELDS, "values") if name not in row]
        if missing:
            raise ResultFileError(f"{path}, line {number}: no field {missing[0]!r}; nothing done")
        rows.append(row)
    if broken and not rows and len(broken) > 1:
        raise ResultFileError(f"{path} is no result file of these benchmarks; give another --out")
    return Contents(rows, broken, not text or text.endswith("\n"))


def _row(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def append(path: Path, row: dict[str, Any], *, fresh_line: bool = False) -> None:
    """Append a finished run in one write; ``fresh_line`` first ends a line that was cut off."""
    line = ("\n" if fresh_line else "") + json.dumps(row, separators=(",", ":")) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, line.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_all(paths: Iterable[Path]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the runs of several files, each run once (the first), and what was wrong."""
    rows: dict[Key, dict[str, Any]] = {}
    remarks = []
    for path in paths:
        if not path.exists():
            raise ResultFileError(f"no result file {path}; make it with python -m benchmarks.run")
        contents = read(path)
        remarks += [f"{path}, line {number}: broken, left out" for number in contents.broken]
        for row in contents.rows:
            rows.setdefault(key(row), row)
    return list(rows.values()), remarks
