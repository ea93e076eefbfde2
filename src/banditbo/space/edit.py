"""A tree with one alternative more; what was measured under the old one stays valid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from banditbo.errors import InvalidSpaceError
from banditbo.space.choices import Categorical, Choice, Decision, Parameter
from banditbo.space.values import Value, did_you_mean, key

__all__ = ["with_alternative"]


def with_alternative(
    tree: Mapping[str, Parameter],
    name: str,
    alternative: Value,
    parameters: Mapping[str, Parameter] | None,
) -> dict[str, Parameter]:
    """Return `tree` with `alternative` as the last one of the decision `name` (or its path)."""
    places = dict(_decisions(tree, ""))
    found = [path for path in places if name in (path, places[path][0])]
    if not found:
        raise InvalidSpaceError(
            f"{name!r} is not a Choice or Categorical of this space{did_you_mean(name, places)}"
        )
    if len(found) > 1 and name not in found:
        raise InvalidSpaceError(
            f"{name!r} occurs {len(found)} times: give its path, one of {', '.join(found)}"
        )
    path = name if name in found else found[0]
    grown = _grown(path, places[path][1], alternative, parameters)
    return _replaced(tree, "", path, grown)


def _decisions(
    tree: Mapping[str, Parameter], path: str
) -> Iterator[tuple[str, tuple[str, Decision]]]:
    """Yield every decision's path, with its name and itself."""
    for name, parameter in tree.items():
        if isinstance(parameter, Categorical | Choice):
            yield path + name, (name, parameter)
        if isinstance(parameter, Choice):
            for value, below in parameter.alternatives.items():
                yield from _decisions(below, f"{path}{name}.{value}.")


def _grown(
    path: str, decision: Decision, alternative: Value, parameters: Mapping[str, Parameter] | None
) -> Decision:
    if key(alternative) in decision.by_key:
        raise InvalidSpaceError(f"{path} has the alternative {alternative!r} already")
    if isinstance(decision, Categorical):
        if parameters:
            raise InvalidSpaceError(
                f"{path} is a Categorical, whose alternatives have no parameters: make it a Choice"
            )
        return Categorical((*decision.choices, alternative), default=decision.default)
    if alternative in decision.alternatives:
        raise InvalidSpaceError(
            f"{path} cannot hold {alternative!r} beside an alternative that Python takes to be "
            "equal to it: write one of them as a string"
        )
    alternatives: dict[Any, Any] = {**decision.alternatives, alternative: parameters}
    return Choice(alternatives, default=decision.default)


def _replaced(
    tree: Mapping[str, Parameter], here: str, path: str, decision: Decision
) -> dict[str, Parameter]:
    """Return `tree` with `decision` in the place of the one at `path`."""
    result: dict[str, Parameter] = dict(tree)
    for name, parameter in tree.items():
        if here + name == path and isinstance(parameter, Categorical | Choice):
            result[name] = decision
        elif isinstance(parameter, Choice) and path.startswith(here + name + "."):
            below = {
                value: _replaced(inner, f"{here}{name}.{value}.", path, decision)
                for value, inner in parameter.alternatives.items()
            }
            result[name] = Choice(below, default=parameter.default)
    return result
