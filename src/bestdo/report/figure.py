"""Draws the picture of a table of results from its files: NAME.csv and the manifest NAME.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestdo.data.optional_libraries import matplotlib, polars
from bestdo.errors import BestdoError, shown
from bestdo.report.figure_style import STYLE, looks_of
from bestdo.report.heading import Heading
from bestdo.report.notebook_figure import notebook_figure
from bestdo.report.ratio_picture import ratio_picture
from bestdo.report.text_size import wrap
from bestdo.report.ticks import put_ticks

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "figure_of"]

_WIDTHS = {1: 7.6, 2: 8.6, 3: 11.4}
"""The width of a picture in inches, by the number of panels beside each other."""
_PANEL_HEIGHT, _SINGLE_PANEL_HEIGHT, _X_LABEL_HEIGHT = 3.1, 3.7, 0.3
"""The height of a panel in inches, that of a panel alone, and that of the label of the x axis."""
_ERRORS = 3
"""The length of the bars in each direction, in standard errors."""


def draw(folder: str | Path, name: str) -> tuple[Path, Path]:
    """Draws NAME.svg and NAME.png beside the table NAME.csv and its manifest NAME.json."""
    folder = Path(folder)
    table, manifest = _read(folder, name)
    with matplotlib().rc_context(STYLE):
        figure = ratio_picture(table, manifest) if manifest.get("judged") else _figure(table, manifest)
        paths = folder / f"{name}.svg", folder / f"{name}.png"
        try:
            figure.savefig(paths[0], metadata={"Date": None, "Title": manifest["title"]})
            figure.savefig(paths[1], dpi=160, metadata={"Software": None, "Title": manifest["title"]})
        except OSError as error:
            raise BestdoError(f"cannot write into {folder}: {error.strerror}") from None
    return paths


def figure_of(rows: Sequence[Mapping[str, Any]], manifest: dict[str, Any]) -> Figure:
    """The picture of rows of results; of the manifest it needs the texts, and how many simulations there were."""
    table = polars().DataFrame(list(rows), infer_schema_length=None)
    with matplotlib().rc_context(STYLE):
        return _figure(table, manifest)


def _read(folder: Path, name: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The table and the manifest."""
    library = polars()
    try:
        manifest = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        table = library.read_csv(folder / f"{name}.csv", infer_schema_length=None)
    except FileNotFoundError as error:
        raise BestdoError(f"there is no file {shown(error.filename, 300)}, which the picture is drawn from") from None
    return table, manifest


def _figure(table: pl.DataFrame, manifest: dict[str, Any]) -> Figure:
    """The picture: the heading, and a panel for each panel of the table, or for each column that is drawn."""
    panels = table["panel"].fill_null("").unique(maintain_order=True).to_list()
    ys = [manifest["y"], *({"column": c, "label": t} for c, t in manifest.get("beside", {}).items())]
    cells = [(panel, y) for panel in panels for y in ys]
    learners = _in_order(table["learner"].unique(maintain_order=True).to_list(), manifest)
    columns = len(ys) if len(ys) > 1 else {4: 2}.get(len(panels), min(len(panels), 3))
    rows = -(-len(cells) // columns)
    width = _WIDTHS[min(columns, 3)]
    heading = Heading.of(manifest, learners, width)
    below = (_PANEL_HEIGHT if columns > 1 else _SINGLE_PANEL_HEIGHT) * rows + _X_LABEL_HEIGHT
    height = below + heading.height
    figure = notebook_figure((width, height))
    figure.set_layout_engine("constrained", rect=(0, 0, 1, below / height))
    axes = figure.subplots(rows, columns, sharex=True, sharey=True if len(ys) == 1 else "col", squeeze=False)
    xs = table["x"].unique()
    if len(xs) == 1 and manifest["x"]["log"]:
        axes[0, 0].set_xlim(xs[0] / 2, xs[0] * 2)  # one point alone has no range
    looks = looks_of(learners)
    for ax, (panel, y) in zip(axes.flat, cells, strict=False):
        _panel(ax, table.filter(table["panel"].fill_null("") == panel), manifest, y, looks)
        ax.set_title("\n".join(wrap(panel if y is ys[0] else "", width / columns - 0.7, 11)), fontsize=11, loc="left")
        ax.tick_params(labelbottom=True)
        if len(ys) > 1:
            ax.set_ylabel(y["label"], fontsize=11)
    for ax in axes.flat[len(cells) :]:
        ax.set_visible(False)
    for ax in axes[0]:
        ax.set_ylim(bottom=0)  # also for the panels that share this axis
    figure.supxlabel("\n".join(wrap(manifest["x"]["label"], width - 0.8, 11)), fontsize=11)
    if len(ys) == 1:  # beside the middle of the panels, not of the picture
        label = "\n".join(wrap(manifest["y"]["label"], below - 0.2, 11))
        figure.supylabel(label, y=below / height / 2, va="center", fontsize=11)
    heading.write(figure, axes.flat)
    put_ticks(figure, axes.flat, table["x"].unique().sort().to_list(), manifest["x"]["log"])
    return figure


def _in_order(learners: list[str], manifest: dict[str, Any]) -> list[str]:
    """The learners in the order of the manifest: in the table one may be missing from the first settings."""
    order = list(manifest.get("learners", ()))
    return sorted(learners, key=lambda name: order.index(name) if name in order else len(order))


def _panel(
    ax: Axes, table: pl.DataFrame, manifest: dict[str, Any], y: dict[str, str], looks: dict[str, tuple[str, str]]
) -> None:
    """Draws a line with error bars for each learner."""
    for i, (name, (colour, marker)) in enumerate(looks.items()):
        rows = table.filter(table["learner"] == name)
        if not len(rows):
            continue
        x, means = rows["x"].to_list(), rows[y["column"]].to_list()
        errors = rows[y["error"]].to_list() if "error" in y else [None] * len(x)
        bars = [_ERRORS * e if e is not None and e == e else 0.0 for e in errors]
        lower = [min(b, m) if m >= 0 else b for b, m in zip(bars, means, strict=True)]  # a regret is never below 0
        thin = i / max(1, len(looks) - 1)  # the first line is the thickest, so that it is visible behind others
        if manifest.get("band"):
            wide = [manifest["band"] * e if e is not None and e == e else 0.0 for e in errors]
            low, high = ([m + sign * w for m, w in zip(means, wide, strict=True)] for sign in (-1, 1))
            ax.fill_between(x, low, high, color=colour, alpha=0.25, linewidth=0)
            ax.plot(x, means, color=colour, marker=marker, markevery=(0.03 * i, 0.12), markersize=5, label=name)
            continue
        ax.errorbar(
            x,
            means,
            yerr=[lower, bars],
            color=colour,
            marker=marker,
            markersize=7 - 2.5 * thin,
            linewidth=2.4 - 1.1 * thin,
            elinewidth=1.1,
            capsize=2,
            label=name,
            clip_on=False,  # a marker on the axis, at a regret of 0, is drawn whole
            zorder=3,
        )
    if manifest["x"]["log"]:
        ax.set_xscale("log")
    ax.margins(x=0.03, y=0.06)
