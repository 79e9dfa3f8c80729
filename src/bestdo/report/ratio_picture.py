"""Draws one learner beside the best of all others: a line for each class of worlds, a point for each horizon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestdo.report.figure_style import GREY
from bestdo.report.heading import Heading
from bestdo.report.text_size import text_width, wrap

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

__all__ = ["ratio_picture"]

# In inches and points, chosen by eye.
_WIDTH, _LINE, _BELOW, _TEXT = 9.6, 0.165, 0.55, 8.5
"""The width of the picture, the height of a line, the space for the axis below them, and the size of the names."""
_SHADES = "#C6DBEF", "#6BAED6", "#2171B5", "#08306B"
"""The colours of the horizons, from the shortest to the longest."""
_WORSE = "#D55E00"
_ADDED = 0.001
"""Added to both regrets of a ratio: so a ratio of two negligible regrets is near 1. The axis' label says it."""


def ratio_picture(table: pl.DataFrame, manifest: dict[str, Any]) -> Figure:
    """The picture: ratios on a logarithmic axis; rings where it is significantly worse, red names where it stops to fall."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator

    names = table["panel"].unique(maintain_order=True).to_list()
    times = sorted(table["x"].unique().to_list())
    worse = "worse by more than 10 % and two standard errors"
    labels = [*(f"T = {x:g} K" for x in times), worse]
    heading = Heading.of(manifest, labels, _WIDTH)
    below = _LINE * len(names) + _BELOW
    height = below + heading.height
    figure = Figure(figsize=(_WIDTH, height))
    left = max(text_width(name, _TEXT) for name in names) + 0.2
    ax = figure.add_axes(
        (left / _WIDTH, _BELOW / height, (_WIDTH - left - 0.25) / _WIDTH, (below - _BELOW) / height), xscale="log"
    )
    for k in range(1, len(names), 2):
        ax.axhspan(k - 0.5, k + 0.5, color="#F6F6F6", zorder=0)
    ax.axvline(1, color=GREY, linewidth=1, zorder=1)
    for i, x in enumerate(times):
        rows = table.filter(table["x"] == x)
        ratios = ((rows["regret"] + _ADDED) / (rows["rival_regret"] + _ADDED)).to_list()
        lines = [names.index(name) for name in rows["panel"]]
        shade = _SHADES[min(i, len(_SHADES) - 1)]
        ax.plot(
            ratios, lines, "o", color=shade, markersize=5, markeredgecolor="white", markeredgewidth=0.4, label=labels[i]
        )
        bad = [(ratio, line) for ratio, line, is_bad in zip(ratios, lines, rows["worse"], strict=True) if is_bad]
        ax.plot([b[0] for b in bad], [b[1] for b in bad], "o", markersize=9, mfc="none", color=_WORSE, label=worse)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_yticks(range(len(names)), names, fontsize=_TEXT)
    stopped = set(table.filter(~table["falls"])["panel"])
    for name, text in zip(names, ax.get_yticklabels(), strict=True):
        text.set_color(_WORSE if name in stopped else "#222222")
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")
    ax.set_xlabel("\n".join(wrap(manifest["x"]["label"], _WIDTH - left, 10)), fontsize=10)
    heading.write(figure, [ax])
    return figure
