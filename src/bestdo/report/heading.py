"""What stands above the panels of a picture: the title, what was simulated, and which line is whose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from bestdo.report.colours import GREY
from bestdo.report.text_size import breadth, wrapped
from bestdo.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LEGEND", "Heading", "columns_of"]

_EDGE = 0.12
_TITLE, _CAPTION, _ENTRY = 0.25, 0.19, 0.225  # the heights of a line of each, in inches
LEGEND = {"frameon": False, "fontsize": 10, "handletextpad": 0.4, "columnspacing": 1.4, "borderaxespad": 0.0}


class Heading(NamedTuple):
    """Words in lines that fit the width of the picture, and how high all of them are together."""

    title: list[str]
    caption: list[str]
    learners: list[str]
    columns: int

    @staticmethod
    def of(manifest: dict[str, Any], learners: list[str], width: float) -> Heading:
        """For a picture that is so many inches wide."""
        about = f"mean of {counted(manifest['sims'], 'simulation')}, bars: ±\u00a03\u00a0standard\u00a0errors"
        caption = f"{manifest['caption']}; {about}" if manifest["caption"] else about
        room = width - 2 * _EDGE
        title = wrapped(manifest["title"], room, 13, bold=True)
        return Heading(title, wrapped(caption, room, 9), learners, columns_of(learners, room))

    @property
    def height(self) -> float:
        """In inches."""
        return self._legend_at + _ENTRY * -(-len(self.learners) // self.columns) + 0.12

    @property
    def _caption_at(self) -> float:
        return _EDGE + _TITLE * len(self.title) + 0.05

    @property
    def _legend_at(self) -> float:
        return self._caption_at + _CAPTION * len(self.caption) + 0.06

    def write(self, figure: Figure, axes: Iterable[Axes]) -> None:
        """Writes them into the space that was left free, at the top."""
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
    """How many columns a legend can have in so many inches: each is as wide as its longest name."""
    em = LEGEND["fontsize"] / 72
    for columns in range(len(names), 1, -1):
        rows, longer = divmod(len(names), columns)
        if longer and -(-len(names) // (columns - 1)) == rows + 1:
            continue  # one column less is no higher
        ends = [sum(rows + (k < longer) for k in range(upto)) for upto in range(columns + 1)]
        lots = [names[a:b] for a, b in pairwise(ends)]
        wide = sum(2.6 * em + max(breadth(name, LEGEND["fontsize"]) for name in lot) for lot in lots)
        if wide + (columns - 1) * LEGEND["columnspacing"] * em <= room:
            return columns
    return 1
