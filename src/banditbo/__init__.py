"""Bayesian optimization for search spaces with a choice in them."""

from typing import TYPE_CHECKING, Any

from banditbo.bandit import Oracle
from banditbo.errors import (
    BanditBOError,
    InvalidSpaceError,
    InvalidStateError,
    InvalidTrialError,
    InvalidValueError,
    SpaceExhaustedError,
)
from banditbo.model import ModelSetting
from banditbo.optimizer import Optimizer, Result, Stop, Trial
from banditbo.run import maximize, minimize
from banditbo.space import Categorical, Choice, Float, Int, Space

if TYPE_CHECKING:
    from banditbo.optuna import BanditSampler

__all__ = [
    "BanditBOError",
    "BanditSampler",
    "Categorical",
    "Choice",
    "Float",
    "Int",
    "InvalidSpaceError",
    "InvalidStateError",
    "InvalidTrialError",
    "InvalidValueError",
    "ModelSetting",
    "Optimizer",
    "Oracle",
    "Result",
    "Space",
    "SpaceExhaustedError",
    "Stop",
    "Trial",
    "maximize",
    "minimize",
]


def __getattr__(name: str) -> Any:
    if name == "BanditSampler":  # Optuna is loaded when its door is touched
        from banditbo.optuna import BanditSampler

        return BanditSampler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = "0.1.0"
