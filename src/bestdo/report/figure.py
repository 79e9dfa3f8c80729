"""The picture of a table of regrets, from its files alone: NAME.csv and the manifest NAME.json."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestdo.errors import BestdoError, shown
from bestdo.report.research import matplotlib, polars
from bestdo.report.words import counted

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["GREY", "MORE_COLOURS", "STYLE", "draw"]

_LOOKS = {  # the colours of Okabe & Ito, which colour-blind people can tell apart; the same learner looks the same everywhere
    "Algorithm 1": ("#0072B2", "o"),
    "Algorithm 1 as in the paper": ("#56B4E9", "p"),
    "Algorithm 1 as in the authors' code": ("#000000", "h"),
    "Algorithm 2": ("#D55E00", "s"),
    "Algorithm 2 as in the paper": ("#000000", "*"),
    "Algorithm 2 as in the authors' code": ("#E69F00", "D"),
    "Uniform": ("#7F7F7F", "v"),
    "Watching": ("#7F7F7F", "d"),
    "Successive Rejects": ("#009E73", "^"),
    "Sequential Halving": ("#CC79A7", "D"),
    "Successive Elimination": ("#009E73", ">"),
    "UCB": ("#E69F00", "X"),
    "Thompson sampling": ("#56B4E9", "P"),
    "Top-two Thompson sampling": ("#7F7F7F", "P"),
    "Causal top-two": ("#000000", "o"),
}
MORE_COLOURS = ("#000000", "#56B4E9", "#E69F00", "#CC79A7", "#009E73", "#0072B2", "#D55E00", "#7F7F7F")
_MORE_MARKERS = ("<", "H", "8", "*", "d", ">", "h", "p", "X", "P")
GREY = "#555555"
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": "#222222",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.8,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "svg.hashsalt": "bestdo",
}


def draw(folder: str | Path, name: str) -> tuple[Path, Path]:
    """Draws NAME.svg and NAME.png beside the table NAME.csv and its manifest NAME.json."""
    folder = Path(folder)
    table, manifest = _read(folder, name)
    library = matplotlib()
    with library.rc_context(STYLE):
        figure = _figure(table, manifest)
        paths = folder / f"{name}.svg", folder / f"{name}.png"
        try:
            figure.savefig(paths[0], metadata={"Date": None, "Title": manifest["title"]})
            figure.savefig(paths[1], dpi=160, metadata={"Software": None, "Title": manifest["title"]})
        except OSError as error:
            raise BestdoError(f"cannot write into {folder}: {error.strerror}") from None
    return paths


def _read(folder: Path, name: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    library = polars()
    try:
        manifest = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        table = library.read_csv(folder / f"{name}.csv", infer_schema_length=None)
    except FileNotFoundError as error:
        raise BestdoError(f"there is no file {shown(error.filename, 300)}, which the picture is drawn from") from None
    return table, manifest


def _figure(table: pl.DataFrame, manifest: dict[str, Any]) -> Figure:
    from matplotlib.figure import Figure

    panels = table["panel"].fill_null("").unique(maintain_order=True).to_list()
    ys = [manifest["y"], *({"column": c, "label": t} for c, t in manifest.get("beside", {}).items())]
    cells = [(panel, y) for panel in panels for y in ys]
    learners = _in_order(table["learner"].unique(maintain_order=True).to_list(), manifest)
    columns = min(len(panels), 3) if len(ys) == 1 else len(ys)
    rows = -(-len(cells) // columns)
    width = 6.4 if columns == 1 else 4.0 * columns + 0.6
    words = _Words(manifest, learners, width)
    height = 3.1 * rows + 0.3 + words.height
    figure = Figure(figsize=(width, height))
    figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - words.height / height))
    axes = figure.subplots(rows, columns, sharex=True, sharey=True if len(ys) == 1 else "col", squeeze=False)
    looks = _looks(learners)
    for ax, (panel, y) in zip(axes.flat, cells, strict=False):
        _panel(ax, table.filter(table["panel"].fill_null("") == panel), manifest, y, looks)
        ax.set_title(panel if y is ys[0] else "", fontsize=11, loc="left")
        ax.tick_params(labelbottom=True)
        if len(ys) > 1:
            ax.set_ylabel(y["label"], fontsize=11)
    for ax in axes.flat[len(cells) :]:
        ax.set_visible(False)
    for ax in axes[0]:
        ax.set_ylim(bottom=0)  # of all that share it
    values = table["x"].unique().sort().to_list()
    if manifest["x"]["log"] or (len(values) == 1 and not isinstance(values[0], str)):  # ticks where something is
        for ax in axes.flat:
            ax.set_xticks(values, [f"{v:g}" for v in values])
            ax.minorticks_off()
    figure.supxlabel(manifest["x"]["label"], fontsize=11)
    if len(ys) == 1:
        figure.supylabel(manifest["y"]["label"], fontsize=11)
    words.write(figure, axes.flat, height)
    return figure


class _Words:
    """What stands above the panels: the title, what was simulated, and which line is whose."""

    def __init__(self, manifest: dict[str, Any], learners: list[str], width: float) -> None:
        about = f"mean of {counted(manifest['sims'], 'simulation')}, bars: ± 3 standard errors"
        caption = f"{manifest['caption']}; {about}" if manifest["caption"] else about
        self.title = manifest["title"]
        self.learners = learners
        self.caption = textwrap.wrap(caption, int(15.2 * width))
        self.columns = _columns(learners, width)
        self.legend_at = 0.5 + 0.19 * len(self.caption)
        self.height = self.legend_at + 0.24 * -(-len(learners) // self.columns) + 0.1

    def write(self, figure: Figure, axes: Iterable[Axes], height: float) -> None:
        """Writes them into the space that was left free."""
        figure.text(0.012, 1 - 0.12 / height, self.title, fontsize=13, weight="bold", va="top")
        figure.text(
            0.012, 1 - 0.42 / height, "\n".join(self.caption), fontsize=9, color=GREY, va="top", linespacing=1.3
        )
        lines: dict[Any, Any] = {}
        for ax in axes:
            lines |= {label: line for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
        figure.legend(
            [lines[name] for name in self.learners],
            self.learners,
            loc="upper left",
            bbox_to_anchor=(0.008, 1 - self.legend_at / height),
            borderaxespad=0,
            ncols=self.columns,
            frameon=False,
            fontsize=11,
            handletextpad=0.4,
            columnspacing=1.4,
        )


def _columns(learners: list[str], width: float) -> int:
    """How many columns the legend can have: column by column, as wide as its longest name, in inches."""
    for columns in range(len(learners), 1, -1):
        rows = -(-len(learners) // columns)
        lots = [learners[i : i + rows] for i in range(0, len(learners), rows)]
        if len(lots) == columns and sum(0.7 + 0.08 * max(map(len, lot)) for lot in lots) <= width:
            return columns
    return 1


def _looks(learners: list[str]) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each learner: its own, or one that no other has; a colour of its own as long as it goes."""
    taken = {_LOOKS[name][0] for name in learners if name in _LOOKS}
    colours = sorted(MORE_COLOURS, key=taken.__contains__)
    markers = zip(*(_MORE_MARKERS[i:] + _MORE_MARKERS[:i] for i in range(len(colours))), strict=True)
    free = [look for row in markers for look in zip(colours, row, strict=True) if look not in _LOOKS.values()]
    others = [name for name in learners if name not in _LOOKS]
    return {name: _LOOKS[name] if name in _LOOKS else free[others.index(name) % len(free)] for name in learners}


def _in_order(learners: list[str], manifest: dict[str, Any]) -> list[str]:
    """As the experiment names them, not as they happen to appear: one may be left out of the first settings."""
    order = list(manifest.get("learners", ()))
    return sorted(learners, key=lambda name: order.index(name) if name in order else len(order))


def _panel(
    ax: Axes, table: pl.DataFrame, manifest: dict[str, Any], y: dict[str, str], looks: dict[str, tuple[str, str]]
) -> None:
    for i, (name, (colour, marker)) in enumerate(looks.items()):
        rows = table.filter(table["learner"] == name)
        if not len(rows):
            continue
        x, means = rows["x"].to_list(), rows[y["column"]].to_list()
        errors = rows[y["error"]].to_list() if "error" in y else [None] * len(x)
        bars = [3 * e if e is not None and e == e else 0.0 for e in errors]
        lower = [min(b, m) for b, m in zip(bars, means, strict=True)]  # a regret is never below 0
        thin = i / max(1, len(looks) - 1)  # the first is thickest, so that it can be seen behind others
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
            clip_on=False,  # a regret of 0 is drawn on the axis, whole
            zorder=3,
        )
    if manifest["x"]["log"]:
        ax.set_xscale("log")
    ax.margins(x=0.03, y=0.06)
