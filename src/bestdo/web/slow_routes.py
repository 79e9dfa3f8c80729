"""Threads of their own for routes that wait for a child process, so that they keep no thread from quick ones."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

__all__ = ["slow"]

_THREADS = 8
"""Routes that wait for child processes at once; a waiting thread costs little. Chosen, not measured."""

_limit = CapacityLimiter(_THREADS)

_P = ParamSpec("_P")
_T = TypeVar("_T")


def slow(route: Callable[_P, _T]) -> Callable[_P, Awaitable[_T]]:
    """The route as one that runs in a thread for slow ones."""

    @functools.wraps(route)
    async def beside(*args: _P.args, **named: _P.kwargs) -> _T:
        return await run_sync(functools.partial(route, *args, **named), limiter=_limit)

    return beside
