"""The picture of a study says whose line is whose, and what it leaves out."""

from typing import Any

import numpy as np
import pytest

from bestdo.bandit.estimate import Estimates
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.number import Number
from bestdo.report.estimate_plot import _by_rank, _figure
from bestdo.report.reward_scale import UNKNOWN
from bestdo.study.estimate_history import EstimateHistory


def drawn(variables: int, rounds: int) -> tuple[Actions, Any]:
    graph = Graph.parse("; ".join(f"x{i} -> Y" for i in range(variables)), reward="Y")
    actions = Actions(graph, ["do()", *(f"do(x{i}={v})" for i in range(variables) for v in (0, 1))])
    mean = np.linspace(0.9, 0.1, len(actions))
    told = np.arange(rounds + 1)
    now = Estimates(mean[None], mean[None] - 0.1, mean[None] + 0.1, mean[None] * 9, mean[None] * 9)
    figure = _figure(
        "wheat", actions, list(range(len(actions))), EstimateHistory(told, np.tile(mean, (len(told), 1))), now
    )
    figure.draw_without_rendering()
    return actions, figure


@pytest.mark.parametrize(
    ("variables", "more", "undrawn"), [(2, None, 0), (3, None, 0), (4, "and 3 more", 0), (15, "and 14 more", 11)]
)
def test_every_line_has_a_name_or_is_counted(variables: int, more: str | None, undrawn: int) -> None:
    actions, figure = drawn(variables, 2)
    left, right = figure.axes
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[:5] == [str(a) for a in actions[:5]]
    assert names[-1] == (more or str(actions[-1]))
    assert len(left.lines) == min(len(actions), 20)
    assert (f"of {undrawn} more actions nothing is drawn" in right.get_xlabel()) == bool(undrawn)


@pytest.mark.parametrize("rounds", [1, 2, 3, 40])
def test_rounds_are_whole_numbers(rounds: int) -> None:
    ticks = drawn(2, rounds)[1].axes[0].get_xticks()
    assert all(float(t).is_integer() for t in ticks)


def test_legend_and_labels_keep_apart() -> None:
    for variables in (2, 15):
        _, figure = drawn(variables, 3)
        legend = figure.legends[0].get_window_extent()
        assert legend.x1 <= figure.bbox.x1
        assert not [ax for ax in figure.axes if ax.get_tightbbox().overlaps(legend)]


def test_numbers_have_their_own_axes_and_unit() -> None:
    """Means far from 0 to 1, to be minimised: the axes fit them, the smallest is on top, and no end is infinite."""
    variables = [Variable("x"), Variable("loss", number=Number(), unit="t/ha")]
    graph = Graph.of(variables, [("x", "loss")], reward="loss", aim="minimise")
    actions = Actions.single(graph)
    mean, end = (
        -np.array([[120.0, 80.0, 100.0]]),
        np.array([[5.0, 4.0, np.inf]]),
    )  # as learners have them: more is better
    now = Estimates(mean, mean - end, mean + end, mean * 0 + 3, mean * 0 + 3, bounded=False)
    moved = EstimateHistory(np.arange(3), np.array([[np.nan] * 3, [120.0, np.nan, np.nan], [120.0, 80.0, 100.0]]))
    order = _by_rank(actions, actions[1], now)
    assert order == [1, 2, 0]
    figure = _figure("wheat", actions, order, moved, now)
    figure.draw_without_rendering()
    left, right = figure.axes
    assert left.get_ylabel() == right.get_xlabel() == "mean loss, t/ha"
    assert left.get_ylim() == (80, 120)
    assert right.get_xlim()[0] <= 76
    assert right.get_xlim()[1] >= 125
    assert UNKNOWN in [text.get_text() for text in right.texts]
