"""The protocol of an adapter, and what they all share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from benchmarks.problems import Problem
from benchmarks.spaces import Params, canonical

T = TypeVar("T")


@dataclass(frozen=True)
class Budget:
    """What a method may know of the run: some plan their start by it."""

    evaluations: int  # all of them, the start included
    batch: int = 1


class Adapter(Protocol):
    """An optimizer of one problem: told of evaluated points, it proposes the next."""

    def __init__(
        self, problem: Problem, seed: int, budget: Budget, options: dict[str, Any]
    ) -> None: ...

    def tell(self, params: Params, value: float) -> None: ...

    def ask(self, n: int) -> list[Params]: ...


class OptionError(ValueError):
    """An option that a method does not have."""


class MissingPackageError(ImportError):
    """A method's package is not installed."""


class Pending(Generic[T]):
    """Proposals not yet told of, found again by their parameters (equal ones in order)."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[T]] = {}

    def add(self, params: Params, proposal: T) -> None:
        self._waiting.setdefault(canonical(params), []).append(proposal)

    def pop(self, params: Params) -> T | None:
        """Return the proposal of that point, or nothing: it was measured elsewhere."""
        waiting = self._waiting.get(canonical(params))
        return waiting.pop(0) if waiting else None


def take(options: dict[str, Any], method: str, **defaults: Any) -> dict[str, Any]:
    """Return the defaults overridden by the options, all of which must be known."""
    unknown = sorted(set(options) - set(defaults))
    if unknown:
        raise OptionError(
            f"method {method!r} has no option {unknown[0]!r}; it has: "
            + (", ".join(sorted(defaults)) or "none")
        )
    return {**defaults, **options}


@contextmanager
def needs(package: str) -> Iterator[None]:
    """Turn a failed import within into a message that names the remedy."""
    try:
        yield
    except ImportError as error:
        raise MissingPackageError(
            f"this method needs the package {package!r}, which cannot be imported ({error}); "
            f"install it: pip install {package}"
        ) from error
