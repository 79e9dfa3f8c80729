"""A long piece of work in a child process: one order in, progress and an answer out, a line of JSON each."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from typing import Any

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.errors import BestdoError
from bestdo.experiments.rehearsal import SENSIBLE, advice, rehearse
from bestdo.experiments.titles import called
from bestdo.files import parsed
from bestdo.web.errand import limit

__all__ = ["rehearsed"]

_WORLDS = 1000


def rehearsed(order: Mapping[str, Any]) -> dict[str, Any]:
    """The experiment on many worlds: a line for each learner and number of rounds, and the advice."""
    contents = parsed(str(order["text"]).encode(), "text")
    problem = contents.problem or Problem(contents.graph, Actions.single(contents.graph))
    tables = contents.model.tables if contents.model is not None else contents.tables
    known = {n: t for n, t in tables.items() if n != problem.graph.reward}
    keys = {title: name for name in SENSIBLE for title in called(name)}
    rounds = [int(t) for t in order["rounds"]]
    table = rehearse(problem, rounds, worlds=_WORLDS, known=known, progress=_say())
    rows = [
        {
            "learner": str(row["learner"]),
            "key": keys.get(row["learner"], ""),
            "rounds": float(row["horizon"]),
            "regret": float(row["regret"]),
            "error": float(row["standard_error"]),
            "p_best": float(row["p_best"]),
        }
        for row in table
    ]
    return {"rows": rows, "advice": advice(table)}


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
