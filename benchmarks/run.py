"""Run methods on problems: ``python -m benchmarks.run --problems ... --methods ... --out ...``.

Every finished run is one line of the result file; finished runs are skipped, so a killed command
goes on where it was when it is given again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks import optimizers, problems, results
from benchmarks.adapters.base import Budget, MissingPackageError

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Job:
    """One run, in terms that any process understands."""

    problem: str
    method: str
    seed: int
    start: int
    batch: int
    evaluations: int

    @property
    def key(self) -> results.Key:
        return (self.problem, self.method, self.seed, self.start, self.batch, self.evaluations)


@lru_cache(maxsize=1)
def commit() -> str | None:
    """Return the commit the code is at, marked if files differ from it."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError):
            return None
        return done.stdout.strip()

    head = git("rev-parse", "--verify", "HEAD")
    return (
        f"{head}-dirty"
        if head and git("status", "--porcelain", "src", "benchmarks/*.py")
        else head
    )


def execute(job: Job) -> dict[str, Any]:
    """Do one run and return its line; seconds are those of ask and tell, never of evaluations."""
    problem, method = problems.problem(job.problem), optimizers.parse(job.method)
    start = problem.start(job.seed, job.start)
    adapter = method.make(problem, job.seed, Budget(len(start) + job.evaluations, job.batch))
    values = [problem.evaluate(point) for point in start]
    for point, value in zip(start, values, strict=True):
        adapter.tell(point, value)
    seconds: list[float] = []
    while (left := len(start) + job.evaluations - len(values)) > 0:
        count = min(job.batch, left)
        begun = time.perf_counter()
        points = adapter.ask(count)
        spent = time.perf_counter() - begun
        found = [problem.evaluate(point) for point in points]
        begun = time.perf_counter()
        for point, value in zip(points, found, strict=True):
            adapter.tell(point, value)
        spent += time.perf_counter() - begun
        seconds += [spent / count] * count
        values += found
    return {
        "format": results.FORMAT,
        "problem": job.problem,
        "C": len(problem.arms()),
        "method": job.method,
        "seed": job.seed,
        "start": job.start,
        "started": len(start),
        "batch": job.batch,
        "evaluations": job.evaluations,
        "values": values,
        "versions": method.versions(),
        "seconds_median": round(statistics.median(seconds), 6) if seconds else None,
        "seconds_mean": round(statistics.fmean(seconds), 6) if seconds else None,
        "commit": commit(),
    }


def plan(options: argparse.Namespace) -> list[Job]:
    """Return the jobs in order: seed by seed, and the cheap methods of a seed first."""
    chosen = problems.select(options.problems)
    methods = sorted(optimizers.select(options.methods), key=lambda method: method.entry.cost)
    for method in methods:  # whatever is missing or misspelt is said before anything runs
        method.make(chosen[0], 0, Budget(options.evaluations, options.batch))
    return [
        Job(p.name, m.name, seed, options.start, options.batch, options.evaluations)
        for seed in seeds(options.seeds)
        for m in methods
        for p in chosen
    ]


def seeds(text: str) -> list[int]:
    """Return the seeds of a text such as ``0-4,9``."""
    found: list[int] = []
    for part in text.split(","):
        low, dash, high = part.partition("-")
        try:
            found += range(int(low), int(high if dash else low) + 1)
        except ValueError:
            raise ValueError(f"--seeds {text!r}: write seeds as 0-9 or 0,3,5-7") from None
    return list(dict.fromkeys(found))


def outcomes(jobs: list[Job], processes: int) -> Iterator[tuple[Job, dict[str, Any]]]:
    """Do the jobs, in this process or in several."""
    if processes == 1:
        for job in jobs:
            yield job, execute(job)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        futures = {pool.submit(execute, job): job for job in jobs}
        for future in as_completed(futures):
            yield futures[future], future.result()


class Progress:
    """A line on stderr after each run, with the time left from the runs so far."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._begun = total, 0, time.monotonic()

    def step(self, job: Job, row: dict[str, Any]) -> None:
        self._done += 1
        spent = time.monotonic() - self._begun
        left = spent / self._done * (self._total - self._done)
        name = f"{job.problem} {job.method} seed {job.seed}"
        best = max(row["values"])
        say(f"[{self._done}/{self._total}] {name}: best {best:.5g}; {left / 60:.1f} min left")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.run", description=__doc__)
    parser.add_argument("--problems", required=True, help="names, or 'learning' for all real ones")
    parser.add_argument("--methods", required=True, help="names, each with :key=value,... or not")
    parser.add_argument("--seeds", default="0-9")
    parser.add_argument("--start", type=int, default=0, help="random points an arm; 0: nothing")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--evaluations", type=int, default=100, help="those after the start")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(argv)
    if options.start < 0 or min(options.batch, options.evaluations, options.jobs) < 1:
        parser.error("--start must be at least 0; --batch, --evaluations and --jobs at least 1")
    return options


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    try:
        contents = results.read(options.out)
        jobs = plan(options)
    except (ValueError, MissingPackageError) as error:
        say(f"error: {error}")
        return 2
    for number in contents.broken:
        say(f"{options.out}, line {number}: broken; left as it is, its run is done again")
    done = {results.key(row) for row in contents.rows}
    missing = [job for job in jobs if job.key not in done]
    say(f"{len(jobs)} runs, {len(jobs) - len(missing)} of them finished before")
    progress = Progress(len(missing))
    fresh_line = not contents.ends_cleanly
    for job, row in outcomes(missing, options.jobs):
        results.append(options.out, row, fresh_line=fresh_line)
        fresh_line = False
        progress.step(job, row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
