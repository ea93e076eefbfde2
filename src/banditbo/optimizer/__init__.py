"""Ask, tell, best: Algorithm 1 of the paper and the loops around it."""

from banditbo.optimizer.history import Record, Trial
from banditbo.optimizer.loop import Result, Stop, maximize, minimize
from banditbo.optimizer.optimizer import Optimizer
from banditbo.optimizer.tables import Best, Rows

__all__ = [
    "Best",
    "Optimizer",
    "Record",
    "Result",
    "Rows",
    "Stop",
    "Trial",
    "maximize",
    "minimize",
]
