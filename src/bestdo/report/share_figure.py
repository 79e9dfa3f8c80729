"""Draws the shares of a design as bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bestdo.data.optional_libraries import matplotlib
from bestdo.report.figure_style import GREY, STYLE
from bestdo.report.notebook_figure import notebook_figure
from bestdo.text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["share_figure"]

_BARS = 30
"""The number of actions drawn, those with the largest shares."""
_WIDTH, _AROUND, _BAR_HEIGHT = 6.4, 1.1, 0.27
"""The width of the picture, the height around the bars and that of each bar, in inches."""


def share_figure(shares: Mapping[str, float], about: str) -> Figure:
    """The shares of the actions that are played, the largest first, as a figure."""
    found = sorted(((share, name) for name, share in shares.items() if share > 0), key=lambda pair: -pair[0])
    drawn, more = found[:_BARS], len(found) - _BARS
    with matplotlib().rc_context(STYLE):
        figure = notebook_figure((_WIDTH, _AROUND + _BAR_HEIGHT * len(drawn)))
        ax = figure.subplots()
        ax.barh(range(len(drawn)), [share for share, _ in drawn], color="#0072B2", height=0.62)
        for place, (share, _) in enumerate(drawn):
            ax.text(share, place, f" {share:.1%}", va="center", fontsize=9, color=GREY)
        ax.set_yticks(range(len(drawn)), [name for _, name in drawn])
        ax.set_ylim(len(drawn) - 0.4, -0.6)
        ax.margins(x=0.12)
        ax.grid(visible=False, axis="y")
        ax.set_title(f"share of the rounds; {about}", fontsize=11, loc="left")
        if more > 0:
            ax.set_xlabel(f"{counted(more, 'more action')} with smaller shares")
        return figure
