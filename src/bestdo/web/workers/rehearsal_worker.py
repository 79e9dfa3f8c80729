"""A long piece of work in a child process: one order in, progress and an answer out, a line of JSON each."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from typing import Any

from bestdo.errors import BestdoError
from bestdo.study import Study
from bestdo.usecases.compose import compose
from bestdo.usecases.known_learners import names_by_title
from bestdo.usecases.rehearse import Rehearsal, advice, rehearse_problem, rehearse_study
from bestdo.usecases.simulation import Simulation
from bestdo.web.workers.sandbox_worker import limit

__all__ = ["rehearsed"]

_WORLDS = 1000


def rehearsed(order: Mapping[str, Any]) -> dict[str, Any]:
    """The experiment, or the rest of a study, on many worlds: a line for each learner and number of rounds; the advice."""
    simulation = Simulation(_WORLDS, progress=_say())
    if "study" in order:
        study = Study.open(str(order["url"]), str(order["study"]))
        return _said(rehearse_study(study, order["rounds"], simulation))
    known = compose(str(order["text"]).encode(), graph_only=bool(order["graph_only"]))
    return _said(rehearse_problem(known.problem, order["rounds"], simulation, known=known.tables))


def _said(found: Rehearsal) -> dict[str, Any]:
    keys = names_by_title()
    rows = [
        {
            "learner": str(row["learner"]),
            "key": keys.get(row["learner"], ""),
            "rounds": float(row["horizon"]),
            "regret": float(row["regret"]),
            "error": float(row["standard_error"]),
            "p_best": float(row["p_best"]),
        }
        for row in found.rows
    ]
    return {"rows": rows, "left_out": [str(refusal) for refusal in found.refused], "advice": advice(found.rows)}


class _say:  # noqa: N801
    """Writes how far it is, a few times a second."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._last > 0.2:
            self._last = time.monotonic()
            _write({"done": done, "of": total})


def _write(data: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(data) + "\n")
    sys.stdout.flush()


def main() -> None:
    """One order."""
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
