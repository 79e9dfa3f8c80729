"""A long piece of work in a child process: one order in, progress and an answer out, a line of JSON each."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from bestdo.errors import BestdoError
from bestdo.experiments.engine.experiment import Row
from bestdo.learners import by_title
from bestdo.study import Study
from bestdo.usecases.compose import compose
from bestdo.usecases.rehearse import SENSIBLE, advice, rehearse, what_more_rounds_buy
from bestdo.web.workers.sandbox_worker import limit

__all__ = ["rehearsed"]

_WORLDS = 1000


def rehearsed(order: Mapping[str, Any]) -> dict[str, Any]:
    """The experiment, or the rest of a study, on many worlds: a line for each learner and number of rounds; the advice."""
    if "study" in order:
        study = Study.open(str(order["url"]), str(order["study"]))
        return _said(what_more_rounds_buy(study, order["rounds"], _WORLDS, progress=_say()))
    known = compose(str(order["text"]).encode(), graph_only=bool(order["graph_only"]))
    return _said(rehearse(known.problem, order["rounds"], worlds=_WORLDS, known=known.tables, progress=_say()))


def _said(table: Sequence[Row]) -> dict[str, Any]:
    keys = {title: name for name in SENSIBLE for title in by_title(name)}
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
