"""Write ``optima.json``: ``python -m benchmarks.make_optima [RESULT FILE...]``.

The optima of the synthetic functions are computed to 1e-9; those of the real problems are the best
value ever seen: of 2,000 random points, of the result files given, and of the file as it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks import results, synthetic
from benchmarks.problems import LEARNING, OPTIMA, problem, stored_optima

SIZES = (6, 25, 50, 100)
RANDOM_POINTS = 2000


def exact() -> dict[str, float]:
    found = {
        f"{family}-{count}": synthetic.optimum(family, count)
        for family in ("ackley", "2d", "alpine")
        for count in SIZES
    }
    return {
        **found,
        "groups-14": synthetic.optimum("groups", 14),
        "jenatton": synthetic.JENATTON_OPTIMUM,
    }


def best_seen(files: list[Path], points: int) -> dict[str, float]:
    best: dict[str, float] = {}
    rows, _ = results.read_all(files)
    for name in LEARNING:
        its = problem(name)
        values = [its.evaluate(point) for point in its.random_points(points, stream=1)]
        values += [max(row["values"]) for row in rows if row["problem"] == name]
        if name in stored_optima():
            values.append(stored_optima()[name])
        best[name] = max(values)
        print(f"{name}: {best[name]:.6g}", file=sys.stderr, flush=True)
    return best


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.make_optima", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--points", type=int, default=RANDOM_POINTS, help="random points each")
    options = parser.parse_args(argv)
    try:
        content = {"exact": exact(), "best_seen": best_seen(options.files, options.points)}
    except results.ResultFileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    OPTIMA.write_text(json.dumps(content, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
