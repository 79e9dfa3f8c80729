"""Draws the estimates of a study: their means over the rounds, and their intervals now."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bestdo.bandit.confidence import interval_name
from bestdo.bandit.estimate import of_each
from bestdo.data.optional_libraries import matplotlib
from bestdo.errors import BestdoError, shown
from bestdo.report.figure_style import GREY, MORE_COLOURS, STYLE
from bestdo.report.heading import LEGEND, columns_of
from bestdo.report.notebook_figure import notebook_figure
from bestdo.report.reward_scale import UNKNOWN, RewardScale, axis_of
from bestdo.report.text_size import wrap
from bestdo.report.ticks import whole_ticks
from bestdo.text import chance, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bestdo.bandit.estimate import Estimates
    from bestdo.causal.action import Actions, Intervention
    from bestdo.study.estimate_history import EstimateHistory

__all__ = ["draw_estimates", "intervals_figure", "study_figure"]

_LINES = 6
"""The number of actions that have a line of their own colour."""
_BARS = 20
"""The most actions that are drawn."""
_WIDTH = 10.4
"""The width of the picture, in inches."""
_LEAST_HEIGHT, _AROUND, _BAR_HEIGHT, _LEGEND_HEIGHT = 3.9, 1.4, 0.27, 0.3
"""The least height without the legend, the height around the intervals, that of each interval, and that of the legend."""
_FAINT = "#BDBDBD"
"""The colour of the other lines."""


def draw_estimates(
    path: str | Path, title: str, actions: Actions, best: Intervention, moved: EstimateHistory, now: Estimates
) -> None:
    """Draws FILE.svg or FILE.png: the means of up to 20 actions over the rounds, and their intervals now."""
    if Path(path).suffix.lower() not in (".svg", ".png"):
        raise BestdoError(f"{shown(str(path), 300)}: give a name that ends in .svg or .png")
    figure = study_figure(title, actions, best, moved, now)
    with matplotlib().rc_context(STYLE):
        try:
            figure.savefig(path, dpi=160, metadata={"Title": title})
        except OSError as error:
            raise BestdoError(f"cannot write {shown(str(path), 300)}: {error.strerror}") from None


def study_figure(title: str, actions: Actions, best: Intervention, moved: EstimateHistory, now: Estimates) -> Figure:
    """The means of up to 20 actions over the rounds, and their intervals now, as a figure."""
    order = _by_rank(actions, best, now)
    with matplotlib().rc_context(STYLE):
        return _figure(title, actions, order, moved, now)


def intervals_figure(now: Estimates) -> Figure:
    """The intervals of up to 20 actions as a figure, the recommended one first."""
    assert now.actions is not None
    assert now.best is not None
    order = _by_rank(now.actions, now.actions[now.best], now)[:_BARS]
    with matplotlib().rc_context(STYLE):
        figure = notebook_figure((_WIDTH * 0.62, max(2.2, _AROUND + _BAR_HEIGHT * len(order))))
        _plot_intervals(figure.subplots(), now.actions, order, now, _colours(order))
        return figure


def _colours(order: list[int]) -> dict[int, str]:
    """The colours of the first actions."""
    return {i: MORE_COLOURS[k] if k else "#D55E00" for k, i in enumerate(order[:_LINES])}


def _by_rank(actions: Actions, best: Intervention, now: Estimates) -> list[int]:
    """The indices of the actions: the recommended one, then by their means; those without a mean last."""
    means = np.nan_to_num(now.mean[0], nan=-np.inf)  # as learners have them: more is better, whatever the aim
    return sorted(range(len(actions)), key=lambda i: (actions[i] != best, -means[i]))


def _figure(title: str, actions: Actions, order: list[int], moved: EstimateHistory, now: Estimates) -> Figure:
    """The picture: lines over the rounds on the left, intervals on the right, the legend below."""
    shown_ = order[:_BARS]
    heading = wrap(
        f"{title}: after {counted(int(moved.told[-1]), 'round')}, {actions[order[0]]}", _WIDTH - 0.3, 13, bold=True
    )
    height = max(_LEAST_HEIGHT, _AROUND + _BAR_HEIGHT * len(shown_)) + _LEGEND_HEIGHT
    figure = notebook_figure((_WIDTH, height))
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    figure.suptitle("\n".join(heading), fontsize=13, weight="bold", x=0.012, ha="left")
    colours = _colours(order)
    _plot_means(left, actions, moved, colours, shown_[_LINES:])
    _plot_intervals(right, actions, shown_, now, colours)
    lines, names = left.get_legend_handles_labels()
    columns = columns_of(names, _WIDTH - 0.3)
    figure.legend(lines, names, loc="outside lower left", ncols=columns, **LEGEND)
    return figure


def _plot_means(ax: Axes, actions: Actions, moved: EstimateHistory, colours: dict[int, str], others: list[int]) -> None:
    """Draws the means over the rounds: coloured lines, and faint ones for the other actions."""
    for rank, (i, colour) in enumerate(colours.items()):
        (line,) = ax.plot(moved.told, moved.mean[:, i], color=colour, label=str(actions[i]), zorder=3 - rank / 10)
        line.set_linewidth(2.6 if rank == 0 else 1.5)
    for k, i in enumerate(others):
        label = None if k else str(actions[i]) if len(others) == 1 else f"and {len(others)} more"
        ax.plot(moved.told, moved.mean[:, i], color=_FAINT, linewidth=1.0, zorder=1.5, label=label)
    ax.set_title("how the estimates moved", fontsize=11, loc="left")
    ax.set_xlabel("rounds told")
    ax.set_ylabel(actions.graph.rewarded.label)
    ax.set_ylim(*axis_of(actions.graph, moved.mean[:, [*colours, *others]].ravel().tolist()).span)
    ax.margins(x=0.02)
    whole_ticks(ax)


def _plot_intervals(ax: Axes, actions: Actions, shown_: list[int], now: Estimates, colours: dict[int, str]) -> None:
    """Draws the mean, the interval and the probability of being best of each action."""
    lines = of_each(now, actions)
    least, most = RewardScale.of(actions.graph, [lines[i] for i in shown_]).axis.span
    at: dict[str, Any] = {
        "va": "center",
        "fontsize": 9,
        "color": GREY,
        "transform": ax.get_yaxis_transform(),
    }  # x in parts of the width
    for place, i in enumerate(shown_):
        colour = colours.get(i, _FAINT)
        one = lines[i]
        if math.isfinite(one.low) and math.isfinite(one.high):
            ends = [max(one.low, least), min(one.high, most)]
            ax.plot(ends, [place, place], color=colour, linewidth=3, alpha=0.45)
        else:
            ax.text(0.5, place, UNKNOWN, ha="center", **at)
        ax.plot([one.mean], [place], "o", color=colour)
        ax.text(1.02, place, ", ".join([chance(one.p_best), *one.limits.columns(chance(one.keeps))]), **at)
    ax.text(1.02, -1, ", ".join(["P(best)", *now.limits.columns("P(keeps limits)")]), **at)
    ax.set_yticks(range(len(shown_)), [str(actions[i]) for i in shown_])
    ax.set_ylim(len(shown_) - 0.5, -1.5)
    ax.set_xlim(least, most)
    more = len(actions) - len(shown_)
    ax.set_title(f"now, with {interval_name()}s", fontsize=11, loc="left")
    ax.set_xlabel(
        actions.graph.rewarded.label + (f"\n(of {counted(more, 'more action')} nothing is drawn)" if more else "")
    )
