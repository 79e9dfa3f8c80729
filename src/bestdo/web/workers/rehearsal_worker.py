"""A rehearsal in a child process: one order in, progress and an answer out, a line of JSON each."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from typing import Any

from bestdo.bandit.problem import Problem
from bestdo.data.compose import compose
from bestdo.errors import BestdoError
from bestdo.report.comparison_table import regret_of
from bestdo.report.sections.recommendation import as_things_stand
from bestdo.report.sections.rehearsal import advice, amount
from bestdo.study import Study
from bestdo.text import percent
from bestdo.usecases.known_learners import names_by_title
from bestdo.usecases.rehearse import Rehearsal, rehearse_problem, rehearse_study
from bestdo.usecases.simulation import Simulation
from bestdo.web.workers.sandbox_worker import limit

__all__ = ["rehearsed"]

_WORLDS = 1000
"""Worlds on which each learner is simulated: half of what `bestdo rehearse` takes, as a person waits. Not measured."""

_SECONDS_BETWEEN = 0.2
"""Progress is written at most this often. Chosen, not measured."""


def rehearsed(order: Mapping[str, Any]) -> dict[str, Any]:
    """The rehearsal of an experiment, or of the rest of a study: a row for each learner and number of rounds, and advice."""
    simulation = Simulation(_WORLDS, progress=_Progress())
    if "study" in order:
        study = Study.open(str(order["study"]), str(order["url"]))
        return _as_data(rehearse_study(study, order["rounds"], simulation), study.problem)
    known = compose(str(order["text"]).encode(), graph_only=bool(order["graph_only"]))
    found = rehearse_problem(known.problem, order["rounds"], simulation, known=known.tables)
    return _as_data(found, known.problem)


def _as_data(found: Rehearsal, problem: Problem) -> dict[str, Any]:
    """The rehearsal as JSON."""
    keys = names_by_title()
    rows = [
        {
            "panel": str(row["panel"]),
            "learner": str(row["learner"]),
            "key": keys.get(row["learner"], ""),
            "rounds": float(row["horizon"]),
            "regret": amount(row, regret_of(row)[0]),
            "error": amount(row, 2 * regret_of(row)[1]),
            "p_best": float(row["p_best"]),
        }
        for row in found.rows
    ]
    left_out = [str(refusal) for refusal in found.refused]
    return {
        "rows": rows,
        "left_out": left_out,
        "advice": advice(found.rows),
        "worlds": found.worlds,
        "now": "" if found.now is None else as_things_stand(found.now, percent),
        "unit": problem.graph.rewarded.unit,
        "rule": problem.contexts.answer == "rule",
        "earns": problem.goal.every_round,
        "kept": problem.contexts.answer,
        "lost": problem.goal.measure.lost,
    }


class _Progress:
    """Writes how much is done, a few times a second."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._last > _SECONDS_BETWEEN:
            self._last = time.monotonic()
            _write({"done": done, "of": total})


def _write(data: Mapping[str, Any]) -> None:
    """Writes a line of JSON."""
    sys.stdout.write(json.dumps(data) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Carries out the order on the standard input."""
    limit()
    try:
        answer = rehearsed(json.loads(sys.stdin.readline()))
    except BestdoError as error:
        answer = {"error": str(error)}
    except MemoryError:
        answer = {"error": "this needs more memory than a rehearsal may use"}
    _write({"answer": answer})


if __name__ == "__main__":
    main()
