"""A line on standard error, now and then, from work that takes long: nobody waits without a word."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

__all__ = ["still_working"]


def _seconds(text: str, usual: float = 4.0) -> float:
    """The seconds that a text says; the usual number where it says none."""
    try:
        found = float(text)
    except ValueError:
        return usual
    return found if 0 <= found < threading.TIMEOUT_MAX else usual


_FIRST_WORD = _seconds(os.environ.get("BESTDO_FIRST_WORD", ""))
"""Seconds after which the first line is written; the next ones follow after twice as long each. Chosen: five seconds without
a word look like a program that hangs. Programs that read standard error can set another number in the environment."""


@contextlib.contextmanager
def still_working(words: Callable[[float], str], first: float = _FIRST_WORD) -> Iterator[None]:
    """Writes what `words` says of the seconds that have passed, as long as the work inside goes on."""
    ended, started = threading.Event(), time.monotonic()

    def say() -> None:
        pause = first
        while not ended.wait(pause):
            with contextlib.suppress(OSError, ValueError):  # standard error is closed
                print(words(time.monotonic() - started), file=sys.stderr, flush=True)  # noqa: T201
            pause = max(2 * pause, 1.0)  # also after a first word at once

    thread = threading.Thread(target=say, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
