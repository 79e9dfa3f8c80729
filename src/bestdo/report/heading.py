"""The heading of a picture, above its panels: the title, the caption and the legend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from bestdo.report.figure_style import GREY
from bestdo.report.text_size import text_width, wrap
from bestdo.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LEGEND", "Heading", "columns_of"]

# In inches, chosen by eye; that nothing overlaps is checked in tests/report/test_figure.py.
_EDGE = 0.12
"""The space to the edges of the picture."""
_TITLE, _CAPTION, _ENTRY = 0.25, 0.19, 0.225
"""The height of a line of the title, of the caption and of the legend."""
_ABOVE_CAPTION, _ABOVE_LEGEND, _BELOW_LEGEND = 0.05, 0.06, 0.12
"""The space above the caption, above the legend and below it."""
_SAMPLE = 2.6
"""The width of the line in front of a name of the legend, with the space around it, in parts of the font's size."""
LEGEND = {"frameon": False, "fontsize": 10, "handletextpad": 0.4, "columnspacing": 1.4, "borderaxespad": 0.0}
"""The arguments of matplotlib's legend."""


class Heading(NamedTuple):
    """The texts of a heading, broken into lines that fit the width of the picture."""

    title: list[str]
    caption: list[str]
    learners: list[str]
    columns: int
    """The number of columns of the legend."""

    @staticmethod
    def of(manifest: dict[str, Any], learners: list[str], width: float) -> Heading:
        """The heading of a picture that is so many inches wide."""
        wide = f"bands: ±\u00a0{manifest['band']:g}" if manifest.get("band") else "bars: ±\u00a03"
        bars = "" if manifest.get("judged") else f", {wide}\u00a0standard\u00a0errors"
        about = f"mean of {counted(manifest['sims'], 'simulation')}{bars}"
        caption = f"{manifest['caption']}; {about}" if manifest["caption"] else about
        room = width - 2 * _EDGE
        title = wrap(manifest["title"], room, 13, bold=True)
        return Heading(title, wrap(caption, room, 9), learners, columns_of(learners, room))

    @property
    def height(self) -> float:
        """The height of the heading in inches."""
        return self._legend_at + _ENTRY * -(-len(self.learners) // self.columns) + _BELOW_LEGEND

    @property
    def _caption_at(self) -> float:
        """The distance of the caption from the upper edge in inches."""
        return _EDGE + _TITLE * len(self.title) + _ABOVE_CAPTION

    @property
    def _legend_at(self) -> float:
        """The distance of the legend from the upper edge in inches."""
        return self._caption_at + _CAPTION * len(self.caption) + _ABOVE_LEGEND

    def write(self, figure: Figure, axes: Iterable[Axes]) -> None:
        """Writes the heading into the space at the top of a picture, with the lines of its axes in the legend."""
        width, height = figure.get_size_inches()
        left = _EDGE / width
        at = {"x": left, "va": "top", "linespacing": 1.3}
        figure.text(y=1 - _EDGE / height, s="\n".join(self.title), fontsize=13, weight="bold", **at)
        figure.text(y=1 - self._caption_at / height, s="\n".join(self.caption), fontsize=9, color=GREY, **at)
        lines: dict[Any, Any] = {}
        for ax in axes:
            lines |= {label: line for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
        figure.legend(
            [lines[name] for name in self.learners],
            self.learners,
            loc="upper left",
            bbox_to_anchor=(left, 1 - self._legend_at / height),
            ncols=self.columns,
            **LEGEND,
        ).set_in_layout(False)


def columns_of(names: Sequence[str], room: float) -> int:
    """The largest useful number of columns of a legend in so many inches; a column is as wide as its longest name."""
    em = LEGEND["fontsize"] / 72
    for columns in range(len(names), 1, -1):
        rows, longer = divmod(len(names), columns)
        if longer and -(-len(names) // (columns - 1)) == rows + 1:
            continue  # one column less is no higher
        ends = [sum(rows + (k < longer) for k in range(upto)) for upto in range(columns + 1)]
        by_column = [names[a:b] for a, b in pairwise(ends)]
        wide = sum(_SAMPLE * em + max(text_width(name, LEGEND["fontsize"]) for name in column) for column in by_column)
        if wide + (columns - 1) * LEGEND["columnspacing"] * em <= room:
            return columns
    return 1
