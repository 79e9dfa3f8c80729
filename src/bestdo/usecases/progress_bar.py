"""A progress bar for simulations: in a terminal, and in a notebook; nothing is shown elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Progress", "progress_bar"]

Progress = Callable[[int, int], None]
"""Called with how many parts are done, and of how many."""

_PATIENCE = 0.5
"""Seconds after which a notebook shows a bar: what is done earlier leaves no trace in it. Chosen, not measured."""
_PAUSE = 0.1
"""Seconds between two updates in a notebook: each one is a message to the browser. Chosen, not measured."""


@contextlib.contextmanager
def progress_bar(name: str, progress: bool | Progress = True) -> Iterator[Progress]:
    """A function that updates a progress bar on standard error or in a notebook; it vanishes at the end.

    With `progress=False` nothing is shown; a function of one's own is called instead of a bar.
    """
    if callable(progress):
        yield progress
    elif progress and (shell := _notebook()) is not None:
        with _in_notebook(name, shell) as update:
            yield update
    elif progress and sys.stderr is not None and sys.stderr.isatty():
        with _in_terminal(name) as update:
            yield update
    else:
        yield lambda done, total: None


def _notebook() -> Any:
    """The functions of IPython that show things, where this runs in a notebook; None elsewhere."""
    library = sys.modules.get("IPython")
    shell = None if library is None else library.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    import IPython.display as shown

    return shown


@contextlib.contextmanager
def _in_notebook(name: str, shown: Any) -> Iterator[Progress]:
    """A bar that the browser draws, in the colours of the notebook's theme."""
    from html import escape

    started = last = time.monotonic()
    handle = None

    def update(done: int, total: int) -> None:
        nonlocal handle, last
        now = time.monotonic()
        if now - started < _PATIENCE or now - last < _PAUSE:
            return
        last, left = now, (now - started) * (total - done) / done if done else None
        about = "" if left is None else f", about {left:.0f} s left"
        bar = f'<progress value="{done}" max="{total}" style="width:20em;vertical-align:middle"></progress>'
        page = shown.HTML(f"<div>{escape(name)} {bar} {done} of {total}{about}</div>")
        if handle is None:
            handle = shown.display(page, display_id=True)
        else:
            handle.update(page)

    try:
        yield update
    finally:
        if handle is not None:
            handle.update(shown.HTML(""))


@contextlib.contextmanager
def _in_terminal(name: str) -> Iterator[Progress]:
    """A bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
