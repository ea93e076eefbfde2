"""Ask, tell, best: Algorithm 1 of the paper and the loops around it."""

from banditbo.optimizer.history import Record, Trial
from banditbo.optimizer.loop import Callback, Result, Stop, run
from banditbo.optimizer.optimizer import Optimizer
from banditbo.optimizer.tables import Best, Rows

__all__ = [
    "Best",
    "Callback",
    "Optimizer",
    "Record",
    "Result",
    "Rows",
    "Stop",
    "Trial",
    "run",
]
