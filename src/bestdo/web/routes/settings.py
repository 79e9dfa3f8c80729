"""Routes of a study's settings: more rounds, another learner, a further action, closing and deleting it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from bestdo.errors import BestdoError, unknown
from bestdo.study import Study
from bestdo.study.study import VERBS
from bestdo.study.verbs.ends import Archive, Close, Reopen, Unarchive
from bestdo.study.verbs.verb import Verb
from bestdo.usecases.known_learners import registered, taken_by
from bestdo.web.error_answers import code_of
from bestdo.web.forms import Form, Sent
from bestdo.web.graph_form import cuts_of
from bestdo.web.guard import who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.study_cache import StudyCache, from_slug, to_slug

__all__ = ["settings_routes"]


def settings_routes(cache: StudyCache) -> APIRouter:
    """Routes of the settings page."""
    router = APIRouter(include_in_schema=False)

    def page(request: Request, name: str, problem: str = "", code: int = 200) -> HTMLResponse:
        """The settings page."""
        study = cache.study(name)
        values: dict[str, Any] = {"status": study.status(), "unit": study.problem.unit}
        values["cut"] = [v for v in study.problem.graph.variables if v.cut]
        forms = {verb: verb.choices(study.problem) for verb in VERBS if verb.heading}
        values["forms"] = {verb: fields for verb, fields in forms.items() if all(fields.values())}
        return shown_page(
            request, "settings.html", code, name=name, problem=problem, learners=taken_by(study), **values
        )

    @router.get("/studies/{slug}/settings")
    def shown(request: Request, slug: str) -> HTMLResponse:
        return page(request, from_slug(slug))

    @router.post("/studies/{slug}/settings")
    def change(request: Request, slug: str, form: Form) -> Response:
        name = from_slug(slug)
        study = cache.study(name)
        try:
            _changed(study, form, who(request))
        except BestdoError as error:
            return page(request, name, str(error), code_of(error))
        if form.get("verb") == "archive":
            return on_to(f"/?{urlencode({'gone': name})}")
        gone = form.get("verb") == "delete"
        return on_to("/" if gone else f"/studies/{to_slug(name)}")

    return router


def _changed(study: Study, form: Sent, who: str) -> None:
    """Calls the verb of `Study` that belongs to the button that was pressed."""
    verb, why = form.get("verb"), form.get("why") or "on the page"
    if verb == "extend":
        horizon: dict[str, Any] = {study.problem.unit.argument: _number(form.get("horizon"), "rounds")}
        study.extend(why=why, who=who, **horizon)
    elif verb == "learner":
        study.change_learner(registered(form.get("learner")), why, who=who)
    elif verb == "add":
        cost = _number(form.get("cost"), "cost") if form.get("cost") else None
        study.add_action(form.get("action"), why, cost=cost, who=who)
    elif verb == "recut":
        study.recut(form.get("variable"), cuts_of(form.get("cut")), why, who=who)
    elif verb in _PLAIN:
        own: dict[str, Any] = {name: form.get(name) for name in _PLAIN[verb].choices(study.problem)}
        own |= {"why": why, "who": who}
        study.do(_PLAIN[verb](**own))
    elif verb == "delete":
        if form.get("name") != study.name:
            raise BestdoError("type the study's name to delete it; nothing was deleted")
        study.delete()
    else:
        raise BestdoError(unknown("verb", verb, ["extend", "learner", "add", "recut", *_PLAIN, "delete"]))


_PLAIN: dict[str, type[Verb[Any]]] = {
    verb.command: verb for verb in VERBS if verb.heading or verb in (Close, Reopen, Archive, Unarchive)
}
"""The verbs whose fields a form sends as they are."""


def _number(text: str, what: str) -> float:
    """The number in a field; `what` names the field in errors."""
    try:
        return float(text)
    except ValueError:
        raise BestdoError(f"the {what} must be a number, not {text!r:.60}") from None
