"""The pictures of the suite's report: regret on a world, places with intervals, strengths by kind of world."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from bestdo.data.optional_libraries import matplotlib
from bestdo.report.figure_style import GREY, MORE_COLOURS, STYLE, looks_of
from bestdo.report.heading import LEGEND, columns_of
from bestdo.report.text_size import text_width
from bestdo.research.report.suite_tables import times_text
from bestdo.research.suite.suite_standings import FAMILY, Rank, Ratio, Standings, WorldResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "highlighted",
    "on_page",
    "on_white",
    "rank_picture",
    "save_pdf",
    "strength_picture",
    "svg_of",
    "unit_of",
    "world_picture",
]


class _Panel(NamedTuple):
    """The room around the plot of a world, and its height, in inches."""

    left: float
    right: float
    above: float
    plot: float
    below: float


_INK, _FAINT, _OWN = "#222222", "#b9c2cc", "#D55E00"
_STRONG = "#1b6e8c"
"""The colour of strength in the table of kinds."""
_STYLE = {**STYLE, "text.color": _INK, "pdf.fonttype": 42, "font.size": 9}
_FONTS = "'DejaVu Sans', Verdana, Arial, sans-serif"
"""The letters of pictures, in the order in which a browser looks for them."""
_ERRORS = 2
"""The length of the bars in each direction, in standard errors."""
_OTHERS = 3
"""The number of the best other learners that have a colour on a world."""
_WEAK = 10.0
"""A regret of so many times the first's has no colour in the table of kinds."""
_WIDE, _LEGEND_LINE = 4.0, 0.17
"""The width of the picture of a world, and the height of a line of its legend, in inches."""
_LINE = 0.2
"""The height of a learner's line in the pictures of places and strengths, in inches."""
_PAGE_COLOURS = {
    **{
        _INK: "var(--ink)",
        "#000000": "var(--ink)",
        GREY: "var(--soft)",
        "#e6e6e6": "var(--grid)",
        _FAINT: "var(--faint)",
    },
    _STRONG: _STRONG,
}
"""The colours that stand for some colours of pictures on a page that is light or dark."""
_PANEL = _Panel(0.62, 0.14, 0.3, 1.8, 0.5)
_DARK = 0.16
"""Colours of less luminance are made lighter on a dark ground."""


def highlighted(world: WorldResult, own: Sequence[str], rivals: Sequence[str] = ()) -> list[str]:
    """The learners that have a colour: those the report is about, its rivals, this library's choice, and the best others."""
    chosen = [name for name in (*own, *rivals, FAMILY[world.goal]) if name in world.curves]
    best = [name for name in world.order if name not in chosen][:_OTHERS]
    return [*dict.fromkeys([*chosen, *best])]


def unit_of(world: WorldResult) -> str:
    """The unit of the horizons of a world."""
    return "budget" if world.kind == "costs" else "rounds"


def world_picture(
    world: WorldResult, titles: Mapping[str, str], own: Sequence[str], rivals: Sequence[str] = ()
) -> Figure:
    """Regret against rounds, or the budget, on one world: a few learners with bars, all others as thin lines."""
    coloured = highlighted(world, own, rivals)
    looks = _looks(coloured, titles, own)
    columns = min(2, columns_of([titles[name] for name in coloured], _WIDE - 0.2))
    legend = _LEGEND_LINE * -(-len(coloured) // columns)
    height = _PANEL.above + _PANEL.plot + _PANEL.below + legend
    with matplotlib().rc_context(_STYLE):
        from matplotlib.collections import LineCollection

        figure, ax = _empty((_WIDE, height), layout=None)
        bottom = (_PANEL.below + legend) / height
        ax.set_position((_PANEL.left / _WIDE, bottom, 1 - (_PANEL.left + _PANEL.right) / _WIDE, _PANEL.plot / height))
        others = [
            [(c.horizon, c.regret) for c in curve] for name, curve in world.curves.items() if name not in coloured
        ]
        ax.add_collection(LineCollection(others, colors=_FAINT, linewidths=0.7, zorder=1))
        for name in reversed(coloured):
            curve = world.curves[name]
            colour, marker = looks[name]
            ax.errorbar(
                [c.horizon for c in curve],
                [c.regret for c in curve],
                yerr=[[min(_ERRORS * c.error, max(c.regret, 0)) for c in curve], [_ERRORS * c.error for c in curve]],
                color=colour,
                marker=marker,
                markersize=6 if name in own else 4.5,
                linewidth=2.2 if name in own else 1.3,
                elinewidth=0.9,
                capsize=1.8,
                label=titles[name],
                clip_on=False,
                zorder=4 if name in own else 3,
            )
        ax.set_xscale("log")
        horizons = sorted({cell.horizon for curve in world.curves.values() for cell in curve})
        ax.set_xticks(horizons, [f"{h:g}" for h in horizons])
        ax.minorticks_off()
        ax.margins(x=0.05)
        ax.set_ylim(0, _top(world, coloured))
        ax.set_title(world.name, loc="left", fontsize=10.5)
        ax.set_xlabel(unit_of(world))
        ax.set_ylabel(world.measure)
        handles, labels = ax.get_legend_handles_labels()
        figure.legend(
            handles[::-1],
            labels[::-1],
            loc="lower left",
            bbox_to_anchor=(0.1 / _WIDE, 0.04 / height),
            ncols=columns,
            **{**LEGEND, "fontsize": 8, "labelspacing": 0.3},
        )
    return figure


def _looks(coloured: Sequence[str], titles: Mapping[str, str], own: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The colour and marker of each learner in one picture: its own, unless its colour is already there."""
    known = looks_of([titles[name] for name in coloured])
    looks: dict[str, tuple[str, str]] = {}
    for name in coloured:
        look = (_OWN, "o") if name in own else known[titles[name]]
        taken = {colour for colour, _ in looks.values()}
        free = [colour for colour in (look[0], *MORE_COLOURS) if colour not in taken]
        looks[name] = (free[0] if free else look[0], look[1])
    return looks


def _top(world: WorldResult, coloured: Sequence[str]) -> float:
    """The end of the y axis: all coloured lines are whole, and one that is far above all others does not press them down."""
    most = max((c.regret + _ERRORS * c.error for name in coloured for c in world.curves[name]), default=0.0)
    middle = sorted(max(c.regret for c in curve) for curve in world.curves.values())
    return 1.08 * max(most, 1.5 * middle[len(middle) // 2]) or 1.0


def rank_picture(ranks: Sequence[Rank], standing: Standings) -> Figure:
    """The place of each learner with its interval."""
    shown = [rank for rank in ranks if rank.place is not None]
    titles = [standing.titles[rank.learner] for rank in shown]
    with matplotlib().rc_context(_STYLE):
        from matplotlib.ticker import MaxNLocator

        figure, ax = _empty((6.4, 0.75 + _LINE * len(shown)))
        for y, rank in enumerate(shown):
            place = rank.place or 0
            low, high = rank.low or place, rank.high or place
            own, family = rank.learner in standing.own, rank.learner in FAMILY.values()
            colour = _OWN if own else _INK if family else GREY
            ax.plot([low, high], [y, y], color=colour, linewidth=3 if own else 1.6, alpha=0.55, zorder=2)
            ax.plot([place], [y], "o", color=colour, markersize=6 if own else 4.5, zorder=3)
        _names(ax, titles, [rank.learner for rank in shown], standing)
        interval = any(rank.low is not None for rank in shown)
        ax.set_xlabel("place, and its 95 % interval over worlds" if interval else "place")
        ax.set_xlim(0.2, len(shown) + 0.8)
        ax.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))  # there is no place 2.5
        ax.grid(axis="y", visible=False)
    return _settled(figure)


def strength_picture(strengths: Mapping[str, Mapping[str, Ratio]], order: Sequence[str], standing: Standings) -> Figure:
    """The regret of each learner on each kind of world as a multiple of the first's; the darker, the stronger."""
    kinds = list(dict.fromkeys(kind for name in order for kind in strengths[name]))
    kinds.sort(key=[world.kind for world in standing.worlds].index)
    with matplotlib().rc_context({**_STYLE, "axes.grid": False}):
        from matplotlib.patches import Rectangle

        longest = max(text_width(standing.titles[name], 9) for name in order)
        figure, ax = _empty((longest + 0.5 + 0.78 * len(kinds), 0.6 + _LINE * len(order)))
        for y, name in enumerate(order):
            for x, kind in enumerate(kinds):
                ratio = strengths[name].get(kind)
                if ratio is None:
                    continue
                strong = max(0.0, 1 - math.log(ratio.value) / math.log(_WEAK))
                ax.add_patch(
                    Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=_STRONG, alpha=0.04 + 0.96 * strong, linewidth=0)
                )
                text = times_text(min(ratio.value, 999))
                star = "*" if ratio.worlds < ratio.of else ""
                ax.text(
                    x, y, text + star, ha="center", va="center", fontsize=8, color="#fefefe" if strong > 0.55 else _INK
                )
        _names(ax, [standing.titles[name] for name in order], order, standing)
        ax.set_xlim(-0.5, len(kinds) - 0.5)
        ax.set_xticks(range(len(kinds)), [kind.replace(" ", "\n") for kind in kinds])
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
    return _settled(figure)


def _names(ax: Axes, titles: Sequence[str], learners: Sequence[str], standing: Standings) -> None:
    """The learners' names beside their lines, the first above; those that the report is about stand out."""
    ax.set_yticks(range(len(titles)), titles)
    ax.set_ylim(len(titles) - 0.5, -0.5)
    for label, name in zip(ax.get_yticklabels(), learners, strict=True):
        own = name in standing.own
        label.set_color(_OWN if own else _INK)
        label.set_fontweight("bold" if own or name in FAMILY.values() else "normal")


def _empty(size: tuple[float, float], layout: Literal["constrained"] | None = "constrained") -> tuple[Figure, Axes]:
    """A figure of this width and height in inches, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout=layout)
    return figure, figure.subplots()


def _settled(figure: Figure) -> Figure:
    """The figure with all in its place, so that it is not arranged again for each file."""
    with matplotlib().rc_context(_STYLE):
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def svg_of(figure: Figure, name: str) -> str:
    """The picture as SVG on no ground, with letters as text; the same text for the same picture."""
    stream = io.StringIO()
    with matplotlib().rc_context({**_STYLE, "svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", stream.getvalue(), flags=re.S)
    return text.replace("'DejaVu Sans'", _FONTS)


def on_white(svg: str) -> str:
    """A picture of `svg_of` as a file of its own, on white."""
    start = svg.index(">", svg.index("<svg")) + 1
    return f'{svg[:start]}<rect width="100%" height="100%" fill="#ffffff"/>{svg[start:]}'


def on_page(svg: str) -> str:
    """A picture of `svg_of` for a page of HTML: its colours follow light and dark."""
    text = re.sub(r"#[0-9a-f]{6}\b", lambda colour: _page_colour(colour[0]), svg)
    return text.replace("<svg ", '<svg style="fill: var(--ink)" ', 1)


def save_pdf(figures: Iterable[Figure], path: Path) -> None:
    """Writes a PDF with a page for each picture, the same bytes for the same pictures; its letters are embedded once."""
    matplotlib()
    from matplotlib.backends.backend_pdf import PdfPages

    with (
        matplotlib().rc_context(_STYLE),
        PdfPages(path, metadata={"CreationDate": None, "Title": path.stem}) as pages,
    ):
        for figure in figures:
            pages.savefig(figure)


def _page_colour(colour: str) -> str:
    """A colour of a picture in CSS, lighter on a dark ground where it is dark."""
    if colour in _PAGE_COLOURS:
        return _PAGE_COLOURS[colour]
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    if 0.2126 * (red / 255) ** 2.2 + 0.7152 * (green / 255) ** 2.2 + 0.0722 * (blue / 255) ** 2.2 > _DARK:
        return colour
    lighter = "".join(f"{(part + 255) // 2:02x}" for part in (red, green, blue))
    return f"light-dark({colour}, #{lighter})"
