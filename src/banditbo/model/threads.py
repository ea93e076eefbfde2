"""One BLAS thread for small matrices, while they are being worked on and no longer.

Several threads slow products of this size down, and many workers on one machine to a crawl.
The limit belongs to the process, so entries are counted: the first sets it, the last one out
restores what was there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

__all__ = ["single_thread"]

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@lru_cache(maxsize=1)
def _controller() -> Any:
    """Find the BLAS libraries that are loaded, once."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def single_thread() -> Iterator[None]:
    """Limit BLAS to one thread inside the block.

    >>> with single_thread():
    ...     pass
    """
    global _inside, _limit
    with _lock:
        _inside += 1
        if _inside == 1:
            _limit = _controller().limit(limits=1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()
