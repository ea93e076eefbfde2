"""Spaces as JSON and YAML text; errors say the line and the column where the format can tell."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from banditbo.errors import InvalidSpaceError
from banditbo.space.choices import Parameter
from banditbo.space.plain import PlainDataError, read_parameters, write_parameters

if TYPE_CHECKING:
    import yaml

__all__ = ["from_json", "from_yaml", "read", "to_json", "to_yaml"]


def to_json(parameters: Mapping[str, Parameter]) -> str:
    """Return a tree of parameters as JSON text."""
    return json.dumps(write_parameters(parameters), indent=2, ensure_ascii=False)


def from_json(text: str) -> dict[str, Parameter]:
    """Return the tree of parameters that JSON text holds."""
    try:
        data = json.loads(text, object_pairs_hook=_no_key_twice)
    except json.JSONDecodeError as error:
        raise InvalidSpaceError(
            f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
        ) from None
    except RecursionError:
        raise InvalidSpaceError(TOO_DEEP) from None
    return read_parameters(data)


TOO_DEEP = "the space is nested more deeply than can be read"


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidSpaceError(f"the key {twice!r} is given twice: leave one out")
    return result


def to_yaml(parameters: Mapping[str, Parameter]) -> str:
    """Return a tree of parameters as YAML text."""
    text: str = _yaml().safe_dump(
        write_parameters(parameters),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=99,
    )
    return text


def from_yaml(text: str) -> dict[str, Parameter]:
    """Return the tree of parameters that YAML text holds; nothing in it is ever run."""
    yaml = _yaml()
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            raise InvalidSpaceError("the text is empty: a space needs at least one parameter")
        _refuse_keys_twice(node)
        data = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        problem = error.problem or error.context or "cannot be read"
        raise InvalidSpaceError(f"{_at(error.problem_mark)}not YAML: {problem}") from None
    except InvalidSpaceError:
        raise
    except (yaml.YAMLError, ValueError) as error:  # a control character, the 30th of February
        raise InvalidSpaceError(f"not YAML: {error}") from None
    except RecursionError:
        raise InvalidSpaceError(TOO_DEEP) from None
    try:
        return read_parameters(data)
    except PlainDataError as error:
        place = _at(_mark(node, error.keys))
        raise InvalidSpaceError(f"{place}{error}") from None
    except RecursionError:  # an anchor that holds its own alias
        raise InvalidSpaceError(TOO_DEEP) from None


def read(path: str | Path) -> dict[str, Parameter]:
    """Return the tree of parameters in a .yaml, .yml or .json file."""
    path = Path(path)
    formats = {".yaml": from_yaml, ".yml": from_yaml, ".json": from_json}
    if path.suffix.lower() not in formats:
        raise InvalidSpaceError(
            f"cannot tell the format of {str(path)!r}: name it .yaml, .yml or .json"
        )
    try:
        return formats[path.suffix.lower()](path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidSpaceError(f"{path}: not UTF-8 text: {error}") from None
    except InvalidSpaceError as error:
        raise InvalidSpaceError(f"{path}: {error}") from None


def _yaml() -> Any:
    try:
        import yaml
    except ImportError as error:
        raise ImportError(
            'YAML needs PyYAML: pip install "banditbo[yaml]", or write the space as JSON'
        ) from error
    return yaml


def _at(mark: yaml.Mark | None) -> str:
    return "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "


def _children(node: Any) -> list[tuple[Any, Any]]:
    """Return the (key node or number, value node) pairs of a YAML node."""
    if node.id == "mapping":
        return list(node.value)
    return list(enumerate(node.value)) if node.id == "sequence" else []


def _refuse_keys_twice(root: Any) -> None:
    """Refuse a mapping with the same key twice: PyYAML would drop the first in silence."""
    stack, seen = [root], set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        keys = set()
        for key, value in _children(node):
            stack.append(value)
            if node.id == "mapping" and key.id == "scalar" and key.value != "<<":
                if (key.tag, key.value) in keys:
                    raise InvalidSpaceError(
                        f"{_at(key.start_mark)}the key {key.value!r} is given twice: leave one out"
                    )
                keys.add((key.tag, key.value))


def _mark(node: Any, keys: tuple[Any, ...]) -> yaml.Mark:
    """Return where the last of `keys` stands in the text."""
    constructor = _yaml().SafeLoader("")
    mark: yaml.Mark = node.start_mark
    for wanted in keys:
        for key, value in _children(node):
            found = key if node.id == "sequence" else constructor.construct_object(key, deep=True)
            if found == wanted and type(found) is type(wanted):
                mark = value.start_mark if node.id == "sequence" else key.start_mark
                node = value
                break
        else:
            break
    return mark
