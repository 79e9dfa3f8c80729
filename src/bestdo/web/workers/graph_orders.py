"""Orders about graphs, carried out in the sandbox: the form, the drawing and the check of a text, or where it is wrong."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from bestdo.causal.action import Intervention
from bestdo.causal.graph import Graph
from bestdo.causal.variable import AIMS
from bestdo.data.compose import Composed, compose
from bestdo.data.problem_options import problem_options
from bestdo.errors import BestdoError, FileError, NoAim, NoSuccess
from bestdo.files import Contents, parse
from bestdo.files.toml import write
from bestdo.report import check_report as report
from bestdo.report.drawing import Remark, draw
from bestdo.report.drawing.document import arrange
from bestdo.report.sections.check import words
from bestdo.study.default_learner import choose
from bestdo.usecases.check import Outlook, check
from bestdo.web.graph_form import FormError, GraphForm
from bestdo.web.graph_form_contents import form_as_data, form_of, text_of, which_aim, which_value

__all__ = ["asked", "built", "checked", "outlook", "stated"]

_MOST_DRAWN = 300
"""Variables of the largest graph that is drawn. Chosen, not measured."""

_WIDTH = 760.0
"""The width of the drawing in the editor, in pixels; larger graphs are wider. Chosen, not measured."""

_MOST_ACTIONS = 60
"""Actions in the table of the check. Chosen, not measured."""

_ROUNDS = 40
"""The horizon for which a learner is chosen when none was said. Chosen, not measured."""


def checked(order: Mapping[str, Any]) -> dict[str, Any]:
    """The form of a text, its drawing and the answer of `bestdo check`; or where the text is wrong."""
    data = base64.b64decode(order["data"]) if "data" in order else str(order["text"]).encode()
    text = data.decode("utf-8", "replace").replace("\r\n", "\n") if not data.startswith(b"\x1f\x8b") else ""
    name = str(order.get("name") or "text")
    try:
        contents = parse(data, name)
    except NoSuccess as error:
        return asked(parse(data, name, success=error.value), text, which_value, "success")
    except NoAim:
        return asked(parse(data, name, aim=AIMS[0]), text, which_aim, "aim")
    except FileError as error:
        return {"error": {"message": error.message, "line": error.line, "column": error.column}, "text": text}
    return {"text": text or write(contents), **_answer(contents, order)}


def asked(contents: Contents, text: str, question: Callable[[str], str], what: str) -> dict[str, Any]:
    """The form of a text that names the reward, and not its success or its aim, which is left to choose."""
    form, faithful = form_of(contents)
    form = replace(form, success="") if what == "success" else replace(form, aim="")
    row = next(i for i, r in enumerate(form.rows) if r.name == form.reward)
    where = {"message": question(form.reward), **FormError("", row=row).where}
    text = text or write(Contents(replace(contents.graph, reward=None, success=None, aim=None)))
    return {"error": where, "text": text, "draft": form_as_data(form), "faithful": faithful}


def built(order: Mapping[str, Any]) -> dict[str, Any]:
    """The answer for a form, with its text; or the row of the form that is wrong."""
    form = GraphForm.of_data(order["draft"])
    old = None
    with suppress(FileError):
        old = parse(str(order["text"]).encode(), "text") if order["text"] else None
    try:
        text = text_of(form, old)
    except FormError as error:
        where = {"message": error.message, **error.where}
        return {"error": where, "text": order["text"], "draft": form_as_data(form), "faithful": True}
    except BestdoError as error:
        whole = {"message": str(error), **FormError("").where}
        return {"error": whole, "text": order["text"], "draft": form_as_data(form), "faithful": True}
    answer = checked({**order, "text": text})
    return {**answer, "draft": form_as_data(form)} if answer.get("error") is None else answer


def outlook(order: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of `bestdo check -f json`."""
    return report.as_data(check(_composed(order).problem, rounds=order["rounds"]))


def stated(order: Mapping[str, Any]) -> dict[str, Any]:
    """The problem in bestdo's own format, and the learner that suits it."""
    problem = _composed(order).problem
    learner, _ = choose(problem, int(order["rounds"]))
    return {"error": None, "problem": write(Contents(problem.graph, problem)), "learner": learner}


def _composed(order: Mapping[str, Any]) -> Composed:
    """The problem of an order of the JSON interface."""
    text = str(order["problem"]).encode("utf-8", "replace")
    return compose(text, name="problem", **problem_options(order))


def _answer(contents: Contents, order: Mapping[str, Any]) -> dict[str, Any]:
    """The contents of the page about a graph or a problem."""
    graph = contents.graph
    form, faithful = form_of(contents)
    answer: dict[str, Any] = {
        "error": None,
        "draft": form_as_data(form),
        "faithful": faithful,
        "words": [],
        "actions": [],
    }
    known = compose(contents, graph_only=bool(order.get("graph_only"))) if graph.reward is not None else None
    problem = known.problem if known else None
    settable = set[str]().union(*problem.actions) if problem else set[str]()
    remarks: dict[str, Remark] = {}
    if problem is not None and order.get("outlook", True):
        planned = order.get(problem.unit.name)  # theorems are about rounds, not about money
        found = check(problem, rounds=None if planned is None else int(planned))
        answer["words"] = [*words(found), *(f"{note[0].upper()}{note[1:]}." for note in contents.notes)]
        answer["actions"] = _actions(found)
        remarks = _remarks(found)
    if problem is not None:
        answer["learner"], answer["learner_why"] = choose(problem, int(order.get("rounds", _ROUNDS)))
        answer["stressed"], answer["made"] = graph.rewarded.stressed, graph.rewarded.made
        answer["unit"] = problem.unit.name
    answer["settable"] = bool(settable)
    answer["gives_tables"] = contents.model is not None or bool(contents.tables)
    answer["total"] = len(problem.actions) if problem else 0
    answer["problem"] = write(Contents(graph, problem)) if problem else None
    answer["svg"] = ""
    if len(graph.names) <= _MOST_DRAWN:
        answer["svg"] = draw(
            graph, settable, remarks=remarks, styled=False, positions=contents.positions, doubts=contents.graphs.arrows
        )
        answer["places"] = _places(graph, settable, contents)
        answer["remarks"] = {name: remark.text for name, remark in remarks.items()}
    return answer


def _places(graph: Graph, settable: set[str], contents: Contents) -> dict[str, tuple[int, int]]:
    """The middle of each variable's box in the drawing, in pixels."""
    arranged = arrange(graph, settable, Intervention({}), _WIDTH, positions=contents.positions)
    return {
        node.name: (round(box.x), round(box.y)) for node, box in zip(arranged.nodes, arranged.layout.boxes, strict=True)
    }


def _actions(found: Outlook) -> list[dict[str, Any]]:
    """The ways to learn each of the first actions, and the reasons why it can never be the best, where that is so."""
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
    """A remark on each variable that may be set: how its effect can be learned, or that setting it is never the best."""
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
