"""What the child process does: reads what people send, and says what the graph says, under limits of time and memory.

`python -m bestdo.web.errand` reads one order per line and writes one answer per line, both JSON; it ends by itself when
nobody asks any more.
"""

from __future__ import annotations

import base64
import json
import os
import select
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.design.optimal import optimal_design
from bestdo.design.outlook import Outlook
from bestdo.errors import BestdoError, FileError
from bestdo.experiments.comparison import knowing
from bestdo.files import Contents, parsed
from bestdo.files.toml import write
from bestdo.learners.planned import estimated, plan
from bestdo.report import outlook as report
from bestdo.report.drawing import Remark, draw
from bestdo.report.plan import filled_as_data, plan_as_data
from bestdo.report.study import best_as_data
from bestdo.study.auto import choose
from bestdo.study.study import Best
from bestdo.web.draft import Draft, Place, draft_of, text_of

__all__ = ["answered"]

_MOST_MEMORY = 2 * 2**30
_IDLE = 300.0
_MOST_DRAWN = 300
_MOST_ACTIONS = 60
_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}


def checked(order: Mapping[str, Any]) -> dict[str, Any]:
    """What a text says: the forms of it, the drawing, the answer of `bestdo check`; or where it is wrong."""
    data = base64.b64decode(order["data"]) if "data" in order else str(order["text"]).encode()
    text = data.decode("utf-8", "replace").replace("\r\n", "\n") if not data.startswith(b"\x1f\x8b") else ""
    try:
        contents = parsed(data, str(order.get("name") or "text"))
    except FileError as error:
        return {"error": {"message": error.message, "line": error.line, "column": error.column}, "text": text}
    return {"text": text or write(contents), **_answer(contents, order)}


def built(order: Mapping[str, Any]) -> dict[str, Any]:
    """The same of the forms: they become the text."""
    draft = Draft.of_data(order["draft"])
    old = None
    try:
        old = parsed(str(order["text"]).encode(), "text") if order["text"] else None
        text = text_of(draft, old)
    except Place as error:
        where = {"message": error.message, "row": error.row, "arrow": error.arrow}
        return {"error": where, "text": order["text"], "draft": draft.as_data(), "faithful": True}
    except FileError:
        text = text_of(draft, None)
    except BestdoError as error:
        whole = {"message": str(error), "row": None, "arrow": None}
        return {"error": whole, "text": order["text"], "draft": draft.as_data(), "faithful": True}
    answer = checked({**order, "text": text})
    return {**answer, "draft": draft.as_data()} if answer.get("error") is None else answer


def thought_through(order: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of `bestdo check`, for programs."""
    contents = parsed(str(order["problem"]).encode("utf-8", "replace"), "problem", order["reward"], order["success"])
    problem = contents.problem
    if problem is None:
        if contents.graph.reward is None:
            raise BestdoError("the problem names no reward: say reward and success")
        problem = Problem(contents.graph, Actions.single(contents.graph))
    return report.as_data(Outlook.of(problem, contents.model))


def planned(order: Mapping[str, Any]) -> dict[str, Any]:
    """The optimal fixed plan, and its sheet."""
    from bestdo.files.sheet import sheet

    problem = _known(order)
    plays = plan(problem, int(order["rounds"]))
    data = plan_as_data(problem, optimal_design(problem), plays, 0)
    data["actions"].sort(key=lambda row: -row["rounds"])
    made = sheet(problem, plays, _SEPARATORS[order["separator"]])
    return {"error": None, **data, "total": len(problem.actions), "sheet": base64.b64encode(made).decode()}


def estimated_(order: Mapping[str, Any]) -> dict[str, Any]:
    """What a filled sheet says."""
    from bestdo.files.sheet import read_sheet

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
    best = Best.of(problem.actions[kept], kept, found, filled.empty)
    graph = {"reward": problem.graph.reward, "success": problem.graph.success}
    data = best_as_data(best, found, problem.actions)
    return {"error": None, **data, "sheet": filled_as_data(filled), "graph": graph}


def _known(order: Mapping[str, Any]) -> Problem:
    """The problem with the law of the reward's parents."""
    contents = parsed(str(order["text"]).encode(), "text")
    problem = contents.problem
    if problem is None:
        if contents.graph.reward is None:
            raise BestdoError("the text names no reward: say which variable counts, and which value is success")
        problem = Problem(contents.graph, Actions.single(contents.graph))
    if contents.model is not None:
        problem = knowing(problem, contents.model).problem
    if problem.law is None:
        raise BestdoError(
            "a fixed plan needs to know how often each value occurs by itself: give a table for every variable under "
            "[tables]. Where nobody knows, begin a study: it learns that as it goes"
        )
    return problem


def _answer(contents: Contents, order: Mapping[str, Any]) -> dict[str, Any]:
    graph = contents.graph
    draft, faithful = draft_of(contents)
    answer: dict[str, Any] = {"error": None, "draft": draft.as_data(), "faithful": faithful, "words": [], "actions": []}
    problem = contents.problem
    if problem is None and graph.reward is not None:
        problem = Problem(graph, Actions.single(graph))
    settable = set[str]().union(*problem.actions) if problem else set[str]()
    remarks: dict[str, Remark] = {}
    if problem is not None and order.get("outlook", True):
        found = Outlook.of(problem, contents.model)
        answer["words"] = report.words(found)
        answer["actions"] = _actions(found)
        remarks = _remarks(found)
    if problem is not None:
        answer["learner"], answer["learner_why"] = choose(problem, int(order.get("rounds", 40)))
    answer["total"] = len(problem.actions) if problem else 0
    answer["problem"] = write(Contents(graph, problem)) if problem else None
    answer["svg"] = draw(graph, settable, remarks=remarks, styled=False) if len(graph.names) <= _MOST_DRAWN else ""
    return answer


def _actions(found: Outlook) -> list[dict[str, Any]]:
    """A line for each action, the first of them."""
    rows = []
    for way in found.ways[:_MOST_ACTIONS]:
        never = found.never_best.get(way.intervention)
        rows.append(
            {
                "action": str(way.intervention),
                "how": way.how,
                "words": way.in_words,
                "never": never.reason if never else "",
            }
        )
    return rows


def _remarks(found: Outlook) -> dict[str, Remark]:
    """A word on each variable that may be set: how it is learned, or that setting it is never the best."""
    remarks: dict[str, Remark] = {}
    ways: dict[str, list[Any]] = {}
    for way in found.ways:
        for name in way.intervention:
            ways.setdefault(name, []).append(way)
    for name, those in ways.items():
        hows = {way.how for way in those}
        if all(way.intervention in found.never_best for way in those):
            remarks[name] = Remark("idle", "never the best to set")
        elif "doing" in hows:
            remarks[name] = Remark("fair", "learned only by doing")
        elif hows == {"seeing"}:
            remarks[name] = Remark("good", "learned by watching")
        else:
            remarks[name] = Remark("good", "by watching, adjusted")
    return remarks


VERBS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "check": checked,
    "build": built,
    "outlook": thought_through,
    "plan": planned,
    "estimate": estimated_,
}


def answered(order: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to an order; whatever a person can put right is in it as words."""
    try:
        return VERBS[str(order["verb"])](order)
    except BestdoError as error:
        return {"error": {"message": str(error), "line": None, "column": None}, "text": order.get("text", "")}
    except MemoryError:
        return {"error": {"message": "this needs more memory than one check may use", "line": None, "column": None}}
    except RecursionError:
        return {"error": {"message": "this is nested too deeply", "line": None, "column": None}}


def limit() -> None:
    if os.name != "posix":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answers until the input ends, or nobody has asked for a while."""
    limit()
    lines = sys.stdin.buffer
    while select.select([lines], [], [], _IDLE)[0]:
        line = lines.readline()
        if not line:
            return
        answer = json.dumps(answered(json.loads(line)), allow_nan=False)
        sys.stdout.buffer.write(answer.encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
