"""Routes that check the text, file or form of a problem, and begin a study of it."""

from __future__ import annotations

import base64
import json
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from bestdo.data.table_files import is_table
from bestdo.errors import BestdoError
from bestdo.files import parse
from bestdo.study import Study
from bestdo.usecases.known_learners import descriptions, registered
from bestdo.web.begin_form import KEPT, MORE, begin_settings
from bestdo.web.error_answers import code_of
from bestdo.web.forms import Form, Sent
from bestdo.web.graph_form import drawn_form, read_form
from bestdo.web.guard import who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.slow_routes import slow
from bestdo.web.study_cache import StudyCache, to_slug
from bestdo.web.workers.sandbox_client import Sandbox, Superseded

__all__ = ["horizon_of", "new_study_routes", "understood"]

_MOST_TEXT = 2 * 2**20
"""Bytes of the largest graph. Chosen, not measured."""

_ROUNDS = 40
"""Rounds that the form shows before a person types a number. Chosen, not measured."""

_NOT_TEXT = ("forms", "file", "drawing", "example")
"""The sources of a problem other than the text, which is then written anew."""

_EXAMPLE = """bestdo = 1

[variables.rain]
values = ["little", "much"]

[variables.shade]
values = ["no", "yes"]

[variables.irrigation]
values = ["off", "on"]

[variables.moisture]
values = ["dry", "wet"]

[variables.yield]
values = ["bad", "good"]

[graph]
edges = [
    "rain -> moisture",
    "irrigation -> moisture",
    "shade -> moisture",
    "shade -> yield",
    "moisture -> yield",
]
reward = "yield"
success = "good"

[actions]
set = ["shade", "irrigation"]
at_most = 2
"""
"""A graph to start from."""

_NOTHING_SETTABLE = "no variable may be set, so that there is nothing to choose. Mark at least one as “may be set”"

_MOST_HORIZON = 1e6
"""The largest horizon, as in the JSON interface. Chosen, not measured."""


def understood(form: Sent, sandbox: Sandbox, who: str) -> dict[str, Any]:
    """The sandbox's answer on the problem in the text, the file or the form, whichever was changed last."""
    via, file = form.get("via"), form.files.get("file")
    order: dict[str, Any] = {
        "text": form.fields.get("text", ""),
        "rounds": horizon_of(form.get("rounds_") or str(_ROUNDS)),
        "graph_only": form.get("graph_only") == "yes",
    }
    table = file is not None and is_table(*file)
    if len(order["text"]) > _MOST_TEXT or (file and len(file[1]) > _MOST_TEXT and not table):
        raise BestdoError(f"more than {_MOST_TEXT // 2**20} MB is too much for a graph")
    if via == "file" and file:
        verb = "table" if table else "check"
        order |= {"verb": verb, "name": file[0], "data": base64.b64encode(file[1]).decode()}
    elif via == "example":
        order |= {"verb": "check", "text": _EXAMPLE}
    elif via == "drawing":
        order |= {"verb": "build", "draft": drawn_form(read_form(form.fields), _drawing(form)).as_data()}
    elif (via == "forms" and (form.get("rows", "0") != "0" or form.get("add"))) or (
        via == "create" and form.get("faithful") == "yes"
    ):
        order |= {"verb": "build", "draft": read_form(form.fields).as_data()}
    elif not order["text"].strip():
        return {"empty": True, "text": "", "error": None}
    else:
        order |= {"verb": "check"}
    try:
        return sandbox.run(order, who)
    except Superseded:
        raise
    except BestdoError as error:
        if order["verb"] != "check":
            raise
        try:  # a graph that is too large to be checked may still be a problem
            late = sandbox.run({**order, "outlook": False}, who)
        except BestdoError:
            raise error from None
        return {**late, "words": [f"What the graph implies cannot be worked out here: {error}."]}


def _drawing(form: Sent) -> dict[str, Any]:
    """The drawing in a form; raises where it is none."""
    try:
        found = json.loads(form.fields.get("drawing", ""))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BestdoError("the drawing cannot be understood: load the page again")
    return found


def horizon_of(text: str) -> float:
    """The number of rounds or the budget that was typed."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= _MOST_HORIZON:
        raise BestdoError("how many rounds can be played? Give a number from 1 to 1000000")
    return int(found) if found == int(found) else found


def _for_editor(form: Sent, answer: dict[str, Any]) -> dict[str, Any]:
    """The part of an answer that the editor of the drawing needs."""
    about: dict[str, Any] = dict(answer)
    wanted = ("draft", "faithful", "places", "remarks", "empty")
    return {
        **{key: about[key] for key in wanted if key in about},
        "sequence": form.get("sequence") if form.get("via") == "drawing" else "",
    }


def _page(
    request: Request,
    form: Sent,
    answer: dict[str, Any],
    template: str = "new.html",
    code: int = 200,
    problem: str = "",
) -> HTMLResponse:
    """The page for a new study, or its part below the text, with what was typed."""
    return shown_page(
        request,
        template,
        code,
        answer=answer,
        text=answer.get("text") or form.fields.get("text", ""),
        changed=template == "checked.html" and form.get("via") in _NOT_TEXT and answer["error"] is None,
        drawing=_for_editor(form, answer),
        typed={**{name: form.get(name) for name in KEPT}, "rounds_": form.get("rounds_") or str(_ROUNDS)},
        more=MORE,
        nothing_settable=_NOTHING_SETTABLE,
        learners=descriptions(),
        problem=problem,
        part=template == "checked.html",
    )


def new_study_routes(cache: StudyCache, sandbox: Sandbox) -> APIRouter:
    """Routes of the page for a new study."""
    router = APIRouter(include_in_schema=False)

    @router.get("/new")
    def new(request: Request) -> HTMLResponse:
        sandbox.warm()
        return _page(request, Sent({}), {"empty": True, "text": "", "error": None})

    @router.post("/new/check")
    @slow
    def check(request: Request, form: Form) -> HTMLResponse:
        template = "checked.html" if "hx-request" in request.headers else "new.html"
        form = Sent({**form.fields, **request.query_params}, form.files)
        try:
            answer = understood(form, sandbox, who(request))
        except BestdoError as error:
            words = {"message": str(error), "line": None, "column": None}
            return _page(request, form, {"error": words, "text": form.fields.get("text", "")}, template)
        return _page(request, form, answer, template)

    @router.post("/new/leave")
    def leave(request: Request) -> Response:
        sandbox.leave(who(request))
        return Response(status_code=204)

    @router.post("/new/create")
    @slow
    def create(request: Request, form: Form) -> Response:
        answer: dict[str, Any] = {"text": form.fields.get("text", ""), "error": None, "empty": True}
        try:
            answer = understood(Sent({**form.fields, "via": "create"}), sandbox, who(request))
            if answer["error"] is not None or not answer.get("problem"):
                return _page(request, form, answer, code=422, problem="The study cannot begin yet: see below.")
            if not answer["settable"]:
                raise BestdoError(f"the study cannot begin: {_NOTHING_SETTABLE}")
            problem = parse(answer["problem"].encode(), "text.toml").problem
            assert problem is not None
            horizon: dict[str, Any] = {problem.unit.argument: horizon_of(form.get("rounds_"))}
            name = form.get("study")
            learner = registered(form.get("learner") or answer["learner"])
            by, settings = who(request), begin_settings(form)
            Study.create(problem, learner=learner, name=name, storage=cache.url, who=by, **horizon, **settings)
        except BestdoError as error:
            return _page(request, form, answer, code=code_of(error), problem=str(error))
        return on_to(f"/studies/{to_slug(name)}")

    return router
