"""Data in and out of the child process: the sheet of a fixed plan, old data for a study, and how estimates moved."""

from __future__ import annotations

import base64
import math
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bestdo.bandit.problem import Problem
from bestdo.data.plan_sheet import read_sheet, sheet
from bestdo.design.optimal import optimal_design
from bestdo.errors import BestdoError, Conflict, FileError
from bestdo.learners.fixed_plan import estimated, plan
from bestdo.report.old_data_report import answers_as_data, answers_in_words
from bestdo.report.plan_report import filled_as_data, plan_as_data
from bestdo.report.study_report import best_as_data
from bestdo.study import Study
from bestdo.study.estimate_history import moved
from bestdo.study.queries import Best
from bestdo.usecases.compose import compose

__all__ = ["estimated_", "movement", "observed", "planned"]

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}


def planned(order: Mapping[str, Any]) -> dict[str, Any]:
    """The optimal fixed plan, and its sheet."""
    problem = _known(order)
    best = optimal_design(problem)
    plays = plan(problem, int(order["rounds"]), 0, best.eta)
    data = plan_as_data(problem, best, plays, 0, per="round")
    data["actions"].sort(key=lambda row: -row["rounds"])
    made = sheet(problem, plays, _SEPARATORS[order["separator"]])
    return {"error": None, **data, "total": len(problem.actions), "sheet": base64.b64encode(made).decode()}


def estimated_(order: Mapping[str, Any]) -> dict[str, Any]:
    """What a filled sheet says."""
    problem = _known(order)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sheet.csv"
        path.write_bytes(base64.b64decode(order["data"]))
        try:
            filled = read_sheet(problem, path)
        except FileError as error:
            error.file = str(order["name"])
            raise
        except BestdoError as error:
            raise BestdoError(str(error).replace(str(path), str(order["name"]))) from None
    kept, found = estimated(problem, filled.rounds)
    best = Best.of(problem.actions, kept, found, filled.empty)
    graph = {"reward": problem.graph.reward, "success": problem.graph.success}
    data = best_as_data(best, found, problem.actions)
    return {"error": None, **data, "sheet": filled_as_data(filled), "graph": graph}


def observed(order: Mapping[str, Any]) -> dict[str, Any]:
    """Takes old data into a study, and says what they answer by themselves."""
    study = Study.open(str(order["url"]), str(order["study"]))
    try:
        found = study.observe(str(order["path"]), force=bool(order["force"]), who=str(order["who"]))
    except BestdoError as error:
        message = str(error).replace(str(order["path"]), str(order["name"]))
        return {"error": {"message": message, "conflict": isinstance(error, Conflict)}}
    answers = study.answered(found)
    lines = [{**data, "how": a.how.in_words} for data, a in zip(answers_as_data(answers), answers, strict=True)]
    lines.sort(key=lambda line: (line["mean"] is None, -(line["mean"] or 0)))
    words = answers_in_words(answers) if answers else []
    return {"error": None, "rows": found.rows, "notes": list(found.notes), "lines": lines[:200], "words": words}


def movement(order: Mapping[str, Any]) -> dict[str, Any]:
    """How the estimates of a study moved: lines for the actions with the largest means in the end."""
    begun = time.process_time()
    study = Study.open(str(order["url"]), str(order["study"]))
    found = moved(study)
    last = found.mean[-1]
    largest = sorted(range(len(last)), key=lambda i: (math.isnan(last[i]), -last[i]))[: int(order["most"])]
    lines = [
        (str(study.problem.actions[i]), [None if math.isnan(m) else round(m, 4) for m in found.mean[:, i].tolist()])
        for i in sorted(largest)
    ]
    took = time.process_time() - begun
    return {"error": None, "rounds": found.told.tolist(), "lines": lines, "took": took}


def _known(order: Mapping[str, Any]) -> Problem:
    """The problem with the law of the reward's parents."""
    problem = compose(str(order["text"]).encode()).problem
    if problem.law is None:
        raise BestdoError(
            "a fixed plan needs to know how often each value occurs by itself: give a table for every variable under "
            "[tables]. Where nobody knows, begin a study: it learns that as it goes"
        )
    return problem
