"""The view of a study: its standing, the recommendation, the estimates and how they moved."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np

from bestdo.report.interval_pictures import lines_svg
from bestdo.report.reward_scale import axis_of
from bestdo.report.study_report import status_in_words
from bestdo.report.views import answer_view
from bestdo.report.views.card import Raw, card, listed, paragraph, wide
from bestdo.report.views.rows_frame import Rows
from bestdo.study.estimate_history import moved
from bestdo.study.exchange import round_columns, round_rows
from bestdo.study.study import Study
from bestdo.text import counted

__all__ = ["figure", "html", "rows"]

_MOST_ROWS = 8
"""The most actions in the table. Chosen, not measured."""
_MOST_LINES = 6
"""The most actions in the chart. Chosen, not measured."""
_MOST_TOLD, _MOST_ACTIONS = 300, 40
"""Rounds and actions of the largest study whose chart is drawn, for which the log is read: examples/farm.toml takes 0.1 s
at 300 rounds."""
_POINTS = 16
"""Points of each line of the chart."""


def html(study: Study) -> str:
    """The status in a line, the recommendation, a table and a chart."""
    status, found = study.status(), study.findings()
    question, out = found.problem.question, status["open"]
    waiting = [f"round {each['number']}: {each['action']}" for each in out]
    return card(
        paragraph(f"{study.name}: {question[0].lower()}{question[1:]}", "title"),
        paragraph(status_in_words(status), "soft"),
        paragraph(Raw(f"out: {listed(waiting, 4)}"), "soft") if waiting else "",
        *answer_view.parts(found, _MOST_ROWS),
        _chart(study, status["told"], len(found.problem.actions)),
    )


def _chart(study: Study, told: int, actions: int) -> Raw:
    """The chart of the means over time, or a sentence where that would take long."""
    if told < 2:
        return Raw("")
    slow = bool(study.problem.limits) or not study.problem.graph.two_values  # examples/psa.toml takes 0.7 s
    if slow or told > _MOST_TOLD or actions > _MOST_ACTIONS:
        return paragraph(f"study.plot() draws how the estimates moved over {counted(told, 'round')}", "soft")
    problem, history = study.problem, moved(study, _POINTS)
    found = study.estimates()
    means = np.nan_to_num(found.mean[0], nan=-np.inf)
    order = sorted(range(actions), key=lambda i: (i != found.best, -means[i]))[:_MOST_LINES]
    lines = [(str(problem.actions[i]), [None if np.isnan(m) else float(m) for m in history.mean[:, i]]) for i in order]
    axis = axis_of(problem.graph, [m for _, by in lines for m in by if m is not None])
    return wide(lines_svg(history.told.tolist(), lines, f"The {problem.graph.rewarded.label} over the rounds", axis))


def rows(study: Study) -> Rows:
    """A row for each round, with the columns of the CSV export; what is missing is null, and times are times."""
    columns = {column.name: column.kind for column in round_columns(study.problem.graph)}
    return Rows([{n: _cell(value, columns[n]) for n, value in row.items()} for row in round_rows(study)], columns)


def _cell(value: Any, kind: type) -> Any:
    """A cell of the export as a value of its kind; None where it is empty."""
    if value in ("", None):
        return None
    return datetime.fromisoformat(value) if kind is datetime else value


def figure(study: Study) -> Any:
    """The figure of the estimates over time, and their intervals now."""
    from bestdo.report.estimate_plot import study_figure

    found = study.findings()
    return study_figure(study.name, found.problem.actions, found.best.action, moved(study), found.estimates)
