"""The ticks of the x axis: at the values of the table where they are few, else at whole numbers, without overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bestdo.report.text_size import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["put_ticks", "whole_ticks"]

_FEW = 8
"""Up to so many whole values each get a tick; more are left to matplotlib."""
_SIZE = 11
"""The size of the numbers, in points."""
_BETWEEN = 0.1
"""The least space between two numbers, in inches."""


def put_ticks(figure: Figure, axes: Iterable[Axes], values: Sequence[float | str], log: bool) -> None:
    """Sets the ticks for the x values of a table; called when all else is in its place."""
    numbers = [v for v in values if not isinstance(v, str)]
    if not numbers:
        return
    if log or len(numbers) == 1 or (_whole(numbers) and len(numbers) <= _FEW):
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)  # computes how wide the panels are
        for ax in axes:
            places = ax.transData.transform([(v, 0.0) for v in numbers])[:, 0] / figure.dpi
            labels = [f"{v:g}" for v in numbers]
            kept = _fitting_labels(labels, places.tolist())
            ax.set_xticks(numbers, [text if i in kept else "" for i, text in enumerate(labels)])
            ax.minorticks_off()
    elif _whole(numbers):
        for ax in axes:
            whole_ticks(ax)


def whole_ticks(ax: Axes) -> None:
    """Sets ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))


def _fitting_labels(labels: Sequence[str], places: Sequence[float]) -> set[int]:
    """The indices of the labels that fit at these places, in inches, without overlaps: greedily from the left."""
    kept: set[int] = set()
    end = float("-inf")
    for i, (text, place) in enumerate(zip(labels, places, strict=True)):
        half = text_width(text, _SIZE) / 2
        if place - half >= end + _BETWEEN:
            kept.add(i)
            end = place + half
    return kept


def _whole(numbers: Sequence[float]) -> bool:
    """Whether all numbers are whole."""
    return all(float(v).is_integer() for v in numbers)
