"""The optimizer as text: plain JSON, checked when it is read. Reading it never runs code.

What is written is the history and the settings; everything else follows from them. A check sum
tells a state that was cut off or changed from one that was not.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import TYPE_CHECKING, Any

from banditbo.bandit import POLICIES, Oracle, Policy
from banditbo.errors import BanditBOError, InvalidStateError, InvalidValueError
from banditbo.model import MODELS, ModelSetting
from banditbo.model.setting import Gaussian
from banditbo.optimizer.checks import check_noise, check_number, check_value
from banditbo.optimizer.history import Record, Trial
from banditbo.space import Arm, Space

if TYPE_CHECKING:
    from banditbo.optimizer.optimizer import Optimizer

__all__ = ["FORMAT", "VERSION", "dump", "load"]

FORMAT = "banditbo-optimizer"
VERSION = 1

_KEYS = frozenset(
    [
        "format",
        "version",
        "space",
        "direction",
        "seed",
        "n_init",
        "model",
        "policy",
        "noise",
        "next",
        "retired",
        "told",
        "pending",
    ]
)


def dump(opt: Optimizer) -> str:
    """Write an optimizer as JSON."""
    history = opt._history
    state = {
        "format": FORMAT,
        "version": VERSION,
        "space": opt.space.to_dict(),
        "direction": opt.direction,
        "seed": opt.seed,
        "n_init": opt.n_init,
        "model": _plain_model(opt.model),
        "policy": _plain_policy(opt.policy),
        "noise": opt.noise,
        "next": opt._next,
        "retired": opt._retired,
        "told": [dataclasses.asdict(record) for record in history.told],
        "pending": [
            {"number": t.number, "params": t.params, "why": dict(t.why)}
            for t in history.pending.values()
        ],
    }
    return json.dumps({"checksum": _checksum(state), **state}, allow_nan=False)


def load(text: str, kind: type[Optimizer]) -> Optimizer:
    """Read an optimizer, or say what is wrong with the text."""
    state = _parse(text)
    try:
        opt = kind(
            Space.from_dict(state["space"]),
            state["direction"],
            seed=state["seed"],
            n_init=state["n_init"],
            model=_read_model(state["model"]),
            policy=_read_policy(state["policy"]),
            noise=state["noise"],
        )
        for row in state["told"]:
            opt._history.add(_read_record(row))
        for row in state["pending"]:
            trial = _read_trial(row, opt.space)
            if trial.number in opt._history.pending:
                raise InvalidStateError(f"trial numbers occur twice: {trial.number} is pending")
            opt._history.pending[trial.number] = trial
        opt._next = check_number("next", state["next"], 0)
        opt._retire(list(state["retired"]))
        _check_numbers(opt)
    except (KeyError, TypeError, ValueError, AttributeError, BanditBOError) as error:
        raise InvalidStateError(
            f"the state cannot be used: {type(error).__name__}: {error}; "
            "read an unchanged copy of it"
        ) from error
    return opt


def _parse(text: str) -> dict[str, Any]:
    try:
        state = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidStateError(
            f"the state is not JSON, perhaps it was cut off ({error}): "
            "read the text that to_json() gave, whole"
        ) from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise InvalidStateError(
            f"this JSON is not the state of an optimizer: its format is not {FORMAT!r}"
        )
    if state.get("version") != VERSION:
        raise InvalidStateError(
            f"the state has version {state.get('version')!r}, this banditbo reads {VERSION}: "
            "read it with the banditbo that wrote it"
        )
    checksum = state.pop("checksum", None)
    if missing := _KEYS - state.keys():
        raise InvalidStateError(
            f"the state lacks {', '.join(sorted(missing))}: read an unchanged copy of it"
        )
    if checksum is not None and checksum != _checksum(state):
        raise InvalidStateError(
            "the state was changed after it was written (its check sum differs): read an "
            "unchanged copy, or remove the entry 'checksum' if the change is meant"
        )
    return state


def _check_numbers(opt: Optimizer) -> None:
    numbers = [r.number for r in opt._history]
    if len(set(numbers)) < len(numbers) or (numbers and max(numbers) >= opt._next):
        raise InvalidStateError("trial numbers occur twice or exceed the next one")


def _read_trial(row: dict[str, Any], space: Space) -> Trial:
    """Read a pending trial; one that has no place in the space any more has no arm, either."""
    number, params, why = check_number("number", row["number"], 0), row["params"], row["why"]
    if not isinstance(params, dict) or not isinstance(why, dict):
        raise InvalidValueError(f"trial {number} has no params")
    try:
        arm = space.arm_of(params)
    except InvalidValueError:
        arm = Arm(-1, {}, -1, -1)
    return Trial(number, arm, params, why)


def _read_record(row: dict[str, Any]) -> Record:
    record = Record(**row)
    number = check_number("number", record.number, 0)
    if record.status not in ("complete", "failed") or (record.status == "failed") != (
        record.value is None
    ):
        raise InvalidValueError(
            f"trial {number} has status {record.status!r} and value {record.value!r}"
        )
    check_noise(record.noise)
    if record.value is not None:
        check_value(record.value, f"trial {number}")
    if not isinstance(record.params, dict) or not isinstance(record.why, dict):
        raise InvalidValueError(f"trial {number} has no params")
    return record


def _plain_model(model: str | ModelSetting) -> Any:
    if isinstance(model, str):
        return model
    plain = {f.name: getattr(model, f.name) for f in dataclasses.fields(model)}
    priors = {name: dataclasses.asdict(g) for name, g in model.priors.items()}
    return plain | {"priors": priors}


def _read_model(plain: Any) -> str | ModelSetting:
    if isinstance(plain, str):
        if plain not in MODELS:
            raise InvalidValueError(f"model {plain!r} is unknown")
        return plain
    priors = {name: Gaussian(**g) for name, g in plain["priors"].items()}
    return ModelSetting(**{**plain, "priors": priors})


def _plain_policy(policy: str | Policy) -> Any:
    if isinstance(policy, str):
        return policy
    names = {kind: name for name, kind in POLICIES.items()} | {Oracle: "oracle"}
    if type(policy) not in names:
        raise InvalidStateError(
            f"policy {policy!r} cannot be written as JSON: "
            f"use one of {', '.join(POLICIES)} to save the state"
        )
    return {"name": names[type(policy)], **dataclasses.asdict(policy)}  # type: ignore[call-overload]


def _read_policy(plain: Any) -> str | Policy:
    if isinstance(plain, str):
        return plain
    settings = {k: v for k, v in plain.items() if k != "name"}
    kind = Oracle if plain["name"] == "oracle" else POLICIES[plain["name"]]
    return kind(**settings)


def _checksum(state: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(state, sort_keys=True).encode(), digest_size=8).hexdigest()
