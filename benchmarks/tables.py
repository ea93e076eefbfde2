"""Markdown tables of result files: ``python -m benchmarks.tables FILE... --at 30,60,100``.

With ``--write PAGE --section NAME`` they replace what stands in the page between
``<!-- benchmark:NAME -->`` and ``<!-- /benchmark:NAME -->``.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import optimizers, results
from benchmarks.measures import (
    Mean,
    Run,
    Scale,
    evaluations_to_reach,
    interval,
    paired,
    scales,
)

KINDS = ("best", "regret", "gain", "paired", "reach")
Measure = Callable[[Run, int], float]


def number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.4g}" if abs(value) >= 10 or value == 0 else f"{value:.3f}"


def with_error(mean: Mean) -> str:
    error = "" if math.isnan(mean.error) else f" ± {number(mean.error)}"
    return number(mean.mean) + error


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in header[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))


def _of(runs: Sequence[Run], name: str, method: str) -> list[Run]:
    return [run for run in runs if run.problem == name and run.method == method]


class Report:
    """All tables of one set of runs, at the same evaluation counts."""

    def __init__(self, runs: Sequence[Run], at: Sequence[int], methods: Sequence[str]) -> None:
        self.runs = runs
        self.at = at
        self.methods = methods
        self.scales = scales(runs)
        self.problems = list(self.scales)

    def _header(self, first: str) -> list[str]:
        return [first, *(str(count) for count in self.at), "runs"]

    def _means(self, name: str, method: str, measure: Measure) -> list[Mean]:
        own = _of(self.runs, name, method)
        return [Mean.of([measure(run, count) for run in own]) for count in self.at]

    def _one(self, name: str, measure: Measure) -> str:
        rows = []
        for method in self.methods:
            own = _of(self.runs, name, method)
            if own:
                means = self._means(name, method, measure)
                rows.append([method, *map(with_error, means), str(len(own))])
        return markdown(self._header("method"), rows)

    def best(self) -> str:
        tables = [
            f"Best value on {name} (mean and standard error)\n\n"
            + self._one(name, lambda run, count: run.best(count))
            for name in self.problems
        ]
        return "\n\n".join(tables)

    def regret(self) -> str:
        exact = [name for name in self.problems if self.scales[name].exact]
        tables = [
            f"Simple regret on {name} (optimum {self.scales[name].optimum:.10g})\n\n"
            + self._one(name, self.scales[name].regret)
            for name in exact
        ]
        return "\n\n".join(tables)

    def gain(self) -> str:
        """Each problem's gains, and their average for the methods that ran on all of them."""
        tables = [
            f"Normalised gain on {name} (zero: {self._zero(self.scales[name])}, "
            f"one: {self.scales[name].optimum:.6g})\n\n" + self._one(name, self.scales[name].gain)
            for name in self.problems
        ]
        rows = []
        for method in self.methods:
            if all(_of(self.runs, name, method) for name in self.problems):
                columns = zip(
                    *(self._means(name, method, self.scales[name].gain) for name in self.problems),
                    strict=True,
                )
                means = [Mean.over(column) for column in columns]
                rows.append([method, *map(with_error, means), str(max(m.count for m in means))])
        title = f"Normalised gain, average over {len(self.problems)} problems"
        return "\n\n".join([f"{title}\n\n{markdown(self._header('method'), rows)}", *tables])

    @staticmethod
    def _zero(scale: Scale) -> str:
        return "the best of the start" if scale.median is None else f"{scale.median:.6g}"

    def paired(self, ours: str) -> str:
        """The differences in gain between one method and each other, per problem and pooled."""
        tables = []
        for other in self.methods:
            if other == ours:
                continue
            rows = [self._difference(name, [name], ours, other) for name in self.problems]
            rows.append(self._difference("**all**", self.problems, ours, other))
            rows = [row for row in rows if row[-1] != "0"]
            if rows:
                title = f"Gain of {ours} less that of {other} (paired by seed; 95% interval)"
                tables.append(f"{title}\n\n{markdown(self._header('problem'), rows)}")
        return "\n\n".join(tables)

    def _difference(self, label: str, names: Sequence[str], ours: str, other: str) -> list[str]:
        pairs = [
            pair
            for name in names
            for pair in paired(_of(self.runs, name, ours), _of(self.runs, name, other))
        ]
        cells = []
        for count in self.at:
            differences = [
                self.scales[a.problem].gain(a, count) - self.scales[b.problem].gain(b, count)
                for a, b in pairs
            ]
            low, high = interval(differences)
            mean = Mean.of(differences).mean
            cells.append(f"{number(mean)} [{number(low)}, {number(high)}]")
        return [label, *cells, str(len(pairs))]

    def reach(self, ours: str) -> str:
        """Median evaluations at which one method has what another has at the last count."""
        last = self.at[-1]
        rows = []
        for other in self.methods:
            pairs = [
                pair
                for name in self.problems
                for pair in paired(_of(self.runs, name, ours), _of(self.runs, name, other))
            ]
            if other != ours and pairs:
                needed = evaluations_to_reach(pairs, last)
                cell = "never" if math.isinf(needed) else f"{needed:g}"
                rows.append([other, cell, str(len(pairs))])
        title = f"Evaluations that {ours} needs for a method's value at {last} (median)"
        return f"{title}\n\n{markdown(['method', 'evaluations', 'runs'], rows)}"

    def render(self, kinds: Sequence[str], ours: str) -> str:
        parts: dict[str, Callable[[], str]] = {
            "best": self.best,
            "regret": self.regret,
            "gain": self.gain,
            "paired": lambda: self.paired(ours),
            "reach": lambda: self.reach(ours),
        }
        return "\n\n".join(filter(None, (parts[kind]() for kind in kinds)))


def replace_section(page: str, section: str, text: str) -> str:
    """Return the page with the text between the two marks of a section."""
    begin, end = f"<!-- benchmark:{section} -->", f"<!-- /benchmark:{section} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if len(pattern.findall(page)) != 1:
        raise ValueError(f"the page must have one section {begin} ... {end}; nothing written")
    return pattern.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", page)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.tables", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--at", default="30,60,100", help="evaluations after the start")
    parser.add_argument("--problems", help="only these; default all that occur")
    parser.add_argument("--methods", help="only these; default all that occur")
    parser.add_argument("--ours", default="bandit", help="the method that is paired with others")
    parser.add_argument("--start", type=int, help="only runs with so many points an arm")
    parser.add_argument("--batch", type=int, help="only runs with this batch size")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"of {', '.join(KINDS)}")
    parser.add_argument("--write", type=Path, help="a markdown page to write into")
    parser.add_argument("--section", help="the page's section to be replaced")
    options = parser.parse_args(argv)
    if (options.write is None) != (options.section is None):
        parser.error("--write and --section go together")
    unknown = [kind for kind in options.kinds.split(",") if kind not in KINDS]
    if unknown:
        parser.error(f"unknown kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    return options


def method_names(text: str | None) -> list[str]:
    """Return the names of a comma-separated list as result files write them."""
    return [method.name for method in optimizers.select(text)] if text else []


def selected(options: argparse.Namespace) -> list[Run]:
    """Return the runs asked for; runs of several starts or batch sizes must not be mixed."""
    rows, remarks = results.read_all(options.files)
    for remark in remarks:
        print(remark, file=sys.stderr)
    methods = method_names(options.methods)
    chosen = [
        row
        for row in rows
        if (options.start is None or row["start"] == options.start)
        and (options.batch is None or row["batch"] == options.batch)
        and (not options.problems or row["problem"] in options.problems.split(","))
        and (not methods or row["method"] in methods)
    ]
    if not chosen:
        raise ValueError("no run in these files is what was asked for")
    for name in ("start", "batch"):
        found = sorted({row[name] for row in chosen})
        if len(found) > 1:
            raise ValueError(f"runs with {name} {found} are mixed; choose one with --{name}")
    return [Run.of(row) for row in chosen]


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    try:
        runs = selected(options)
        at = [int(count) for count in options.at.split(",")]
        methods = method_names(options.methods) or dict.fromkeys(run.method for run in runs)
        report = Report(runs, at, list(methods))
        kinds = options.kinds.split(",")
        if options.ours not in report.methods:
            kinds = [kind for kind in kinds if kind not in ("paired", "reach")]
        text = report.render(kinds, options.ours)
        if options.write is not None:
            page = options.write.read_text(encoding="utf-8")
            options.write.write_text(
                replace_section(page, options.section, text), encoding="utf-8"
            )
            return 0
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
