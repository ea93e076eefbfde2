"""What can go wrong, one small tree: each error is also the builtin a caller would catch.

Every message says what was wrong, the value, and what to do about it.
"""

from __future__ import annotations

__all__ = [
    "BanditBOError",
    "InvalidSpaceError",
    "InvalidStateError",
    "InvalidTrialError",
    "InvalidValueError",
    "SpaceExhaustedError",
]


class BanditBOError(Exception):
    """The root of every error that banditbo raises on purpose."""


class InvalidSpaceError(BanditBOError, ValueError):
    """A parameter or a space that cannot be: low above high, no alternatives, too many arms."""


class InvalidValueError(BanditBOError, ValueError):
    """A value, or a setting, that is refused: out of range, unknown, missing, not a number."""


class InvalidTrialError(BanditBOError, ValueError):
    """A trial that was told twice, or that belongs to another optimizer."""


class InvalidStateError(BanditBOError, ValueError):
    """A saved state that cannot be read: truncated, edited, of another version."""


class SpaceExhaustedError(BanditBOError, RuntimeError):
    """Every point of a finite space has been evaluated: there is nothing left to propose."""
