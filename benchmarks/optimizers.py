"""The methods: one table of names, resolved lazily so that a missing package costs one method.

A name may carry options, as in ``bandit:model=independent,policy=ucb``.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.adapters.base import Adapter, Budget
from benchmarks.problems import Problem, UnknownNameError


@dataclass(frozen=True)
class Entry:
    """Where a method's adapter lives, what it stands on, and how dear a run is."""

    module: str
    adapter: str
    packages: tuple[str, ...]
    cost: int  # order of seconds per suggestion: cheap methods run first


METHODS: dict[str, Entry] = {
    "random": Entry("uniform", "Random", (), 0),
    "tpe": Entry("optuna_tpe", "TPE", ("optuna",), 1),
    "tpe-group": Entry("optuna_tpe", "GroupTPE", ("optuna",), 1),
    "bandit": Entry("bandit", "Bandit", ("banditbo",), 2),
    "bandit-thompson": Entry("bandit", "Thompson", ("banditbo",), 2),
    "bandit-paper": Entry("bandit", "Paper", ("banditbo",), 3),
    "hyperopt": Entry("hyperopt_tpe", "Hyperopt", ("hyperopt",), 3),
    "smac": Entry("smac_forest", "SMAC", ("smac", "ConfigSpace"), 4),
}
COMMON_PACKAGES = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Method:
    """A method and its options; ``name`` writes both in one canonical way."""

    base: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        options = ",".join(f"{key}={value}" for key, value in sorted(self.options.items()))
        return f"{self.base}:{options}" if options else self.base

    @property
    def entry(self) -> Entry:
        return METHODS[self.base]

    def make(self, problem: Problem, seed: int, budget: Budget) -> Adapter:
        """Return the adapter; a package that is missing is an error that says how to get it."""
        module = importlib.import_module(f"benchmarks.adapters.{self.entry.module}")
        adapter: Adapter = getattr(module, self.entry.adapter)(
            problem, seed, budget, dict(self.options)
        )
        return adapter

    def versions(self) -> dict[str, str]:
        """Return the versions of the packages on which a run of this method depends."""
        packages = (*COMMON_PACKAGES, *self.entry.packages)
        return {package: importlib.metadata.version(package) for package in packages}


def parse(text: str) -> Method:
    """Return the method of a text such as ``bandit:model=independent,policy=ucb``."""
    base, _, rest = text.partition(":")
    if base not in METHODS:
        raise UnknownNameError("method", base, list(METHODS))
    options = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise ValueError(f"method {text!r}: an option is written key=value, not {item!r}")
        options[key] = _literal(value)
    return Method(base, options)


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def select(text: str) -> list[Method]:
    """Return the methods of a comma-separated list; ``key=value`` belongs to the one before."""
    parts: list[str] = []
    for piece in text.split(","):
        if "=" in piece and ":" not in piece and parts:
            parts[-1] += f",{piece}"
        else:
            parts.append(piece)
    return list({method.name: method for method in map(parse, parts)}.values())
