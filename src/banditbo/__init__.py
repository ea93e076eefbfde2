"""Bayesian optimization for search spaces with a choice in them."""

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
from banditbo.optimizer import Optimizer, Result, Stop, Trial, maximize, minimize
from banditbo.space import Categorical, Choice, Float, Int, Space

__all__ = [
    "BanditBOError",
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

__version__ = "0.1.0"
