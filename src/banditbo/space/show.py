"""A space as text: its tree, its arms, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from banditbo.space.choices import Choice, Parameter
from banditbo.space.values import NO_DEFAULT

if TYPE_CHECKING:
    from banditbo.space.space import Space

__all__ = ["show"]

MAX_LINES = 60
MAX_ARMS = 8


def show(space: Space) -> str:
    """Return the tree of `space`, a line a parameter, then its arms; long ones are cut."""
    arms, groups = len(space.arms), len(space.groups)
    head = f"Space: {arms} arm{_s(arms)} in {groups} group{_s(groups)}"
    lines = list(_tree(space.parameters))
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], f"... {len(lines) - MAX_LINES} more lines"]
    lines += ["arms:", *(f"  {arm.index} {arm}" for arm in space.arms[:MAX_ARMS])]
    if arms > MAX_ARMS:
        lines.append(f"  ... {arms - MAX_ARMS} more")
    return "\n".join([head, *lines])


T = TypeVar("T")


def _branches(
    items: Iterable[tuple[object, T]], indent: str
) -> Iterator[tuple[object, T, str, str]]:
    """Yield each item with the line that leads to it and the indent of what is below it."""
    items = list(items)
    for number, (name, item) in enumerate(items):
        last = number == len(items) - 1
        yield name, item, indent + ("`- " if last else "|- "), indent + ("   " if last else "|  ")


def _s(n: int) -> str:
    return "" if n == 1 else "s"


def _tree(parameters: Mapping[str, Parameter], indent: str = "") -> Iterator[str]:
    for name, parameter, branch, below in _branches(parameters.items(), indent):
        if not isinstance(parameter, Choice):
            yield f"{branch}{name}: {parameter!r}"
            continue
        default = "" if parameter.default is NO_DEFAULT else f", default={parameter.default!r}"
        yield f"{branch}{name}: Choice{default}"
        for value, inner, twig, deeper in _branches(parameter.alternatives.items(), below):
            yield f"{twig}{value}"
            yield from _tree(inner, deeper)
