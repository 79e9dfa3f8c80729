"""The numbers along the x axis: where something is, whole where only whole numbers make sense, never into each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bestdo.report.text_size import breadth

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["apart", "put_ticks", "whole_ticks"]

_FEW = 8
_SIZE = 11


def put_ticks(figure: Figure, axes: Iterable[Axes], values: Sequence[float | str], log: bool) -> None:
    """Ticks for the values of a table, once all else is in its place."""
    numbers = [v for v in values if not isinstance(v, str)]
    if not numbers:
        return
    if log or len(numbers) == 1 or (_whole(numbers) and len(numbers) <= _FEW):
        figure.draw_without_rendering()  # only now it is known how wide the panels are
        for ax in axes:
            places = ax.transData.transform([(v, 0.0) for v in numbers])[:, 0] / figure.dpi
            labels = [f"{v:g}" for v in numbers]
            kept = apart(labels, places.tolist())
            ax.set_xticks(numbers, [text if i in kept else "" for i, text in enumerate(labels)])
            ax.minorticks_off()
    elif _whole(numbers):
        for ax in axes:
            whole_ticks(ax)


def whole_ticks(ax: Axes) -> None:
    """Ticks at whole numbers alone."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))


def apart(labels: Sequence[str], places: Sequence[float]) -> set[int]:
    """Which labels can be written at these places, in inches, without touching: from the left, as many as go."""
    kept: set[int] = set()
    end = float("-inf")
    for i, (text, place) in enumerate(zip(labels, places, strict=True)):
        half = breadth(text, _SIZE) / 2
        if place - half >= end + 0.1:
            kept.add(i)
            end = place + half
    return kept


def _whole(numbers: Sequence[float]) -> bool:
    return all(float(v).is_integer() for v in numbers)
