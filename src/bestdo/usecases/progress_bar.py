"""A progress bar for simulations: in a terminal, and in a notebook; nothing is shown elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any, Protocol

from bestdo.display import Told
from bestdo.usecases.still_working import still_working

__all__ = ["progress_bar"]

_PATIENCE = 0.5
"""Seconds after which a bar is shown: what is done earlier leaves no trace. Chosen, not measured."""
_PAUSE = 0.1
"""Seconds between two updates: in a notebook each one is a message to the browser. Chosen, not measured."""


class _Bar(Protocol):
    """A bar on some screen."""

    def show(self, done: int, total: int, seconds: float) -> None:
        """Shows how many parts are done, of how many, after so many seconds."""

    def vanish(self) -> None:
        """Takes the bar away."""


@contextlib.contextmanager
def progress_bar(name: str, progress: bool | Told = True) -> Iterator[Told]:
    """A function that updates a progress bar on standard error or in a notebook; it vanishes at the end.

    With `progress=False` nothing is shown; a function of one's own is called instead of a bar.
    """
    if callable(progress):
        yield progress
        return
    bar = _bar(name) if progress else None
    if progress and bar is None:
        with _in_lines(name) as told:
            yield told
        return
    started = last = time.monotonic()
    shown = False

    def update(done: int, total: int) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if bar is not None and now - started >= _PATIENCE and now - last >= _PAUSE:
            last, shown = now, True
            bar.show(done, total, now - started)

    try:
        yield update
    finally:
        if bar is not None and shown:
            bar.vanish()


@contextlib.contextmanager
def _in_lines(name: str) -> Iterator[Told]:
    """A line on standard error now and then, where it is a file or a pipe."""
    so_far = [0, 0]

    def update(done: int, total: int) -> None:
        so_far[:] = done, total

    def words(seconds: float) -> str:
        done, total = so_far
        parts = f", {done:,} of {total:,} done" if total else ""
        parts += f", about {seconds * (total - done) / done:.0f} s left" if done else ""
        return f"{name}: still working after {seconds:.0f} s{parts}"

    with still_working(words):
        yield update


def _bar(name: str) -> _Bar | None:
    """The bar for where this runs; None where nobody looks."""
    shell = _notebook()
    if shell is not None:
        return _InNotebook(name, shell)
    return _InTerminal(name) if sys.stderr is not None and sys.stderr.isatty() else None


def _notebook() -> Any:
    """The functions of IPython that show things, where this runs in a notebook; None elsewhere."""
    library = sys.modules.get("IPython")
    shell = None if library is None else library.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    import IPython.display as shown

    return shown


class _InNotebook:
    """A bar that the browser draws, in the colours of the notebook's theme."""

    def __init__(self, name: str, shown: Any) -> None:
        self._name = name
        self._shown = shown
        self._handle: Any = None

    def show(self, done: int, total: int, seconds: float) -> None:
        from html import escape

        left = f", about {seconds * (total - done) / done:.0f} s left" if done else ""
        bar = f'<progress value="{done}" max="{total}" style="width:20em;vertical-align:middle"></progress>'
        page = self._shown.HTML(f"<div>{escape(self._name)} {bar} {done:,} of {total:,}{left}</div>")
        if self._handle is None:
            self._handle = self._shown.display(page, display_id=True)
        else:
            self._handle.update(page)

    def vanish(self) -> None:
        self._handle.update(self._shown.HTML(""))


class _InTerminal:
    """A bar on standard error."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bar: Any = None

    def show(self, done: int, total: int, seconds: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        if self._bar is None:
            columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task(self._name, total=total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=done, total=total)

    def vanish(self) -> None:
        self._bar.stop()
