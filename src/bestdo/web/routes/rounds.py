"""Routes of one round: ask for it, tell it, check what is typed, amend it, undo that it was told, withdraw it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from bestdo.errors import BestdoError, Conflict, Deviates, Finished, Unusual, Waiting
from bestdo.study import Study
from bestdo.study.round import checked, understood
from bestdo.study.unusual_numbers import ask_whether_right
from bestdo.web.error_answers import code_of
from bestdo.web.forms import Form, Sent
from bestdo.web.guard import who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.study_cache import StudyCache, from_slug, to_slug
from bestdo.web.study_page import StudyPage, confirmations, round_of

__all__ = ["rounds_routes"]

_LONGEST_KEPT = 4000
"""Characters of the longest address that carries what was recorded before *Undo* back into the form. Chosen, not measured."""


def rounds_routes(cache: StudyCache, study_page: StudyPage) -> APIRouter:
    """Routes of single rounds."""
    router = APIRouter(include_in_schema=False)
    _playing(router, cache, study_page)
    _changing(router, cache, study_page)
    return router


def _playing(router: APIRouter, cache: StudyCache, study_page: StudyPage) -> None:
    """Adds the routes that ask for a round, check what is typed, and tell it."""

    @router.post("/studies/{slug}/ask")
    def ask(request: Request, slug: str, form: Form) -> Response:
        name = from_slug(slug)
        study = cache.study(name)
        try:
            seen = study.problem.contexts.columns(form.values())
            (asked,) = study.ask(who(request), context=next(iter(seen), None))
        except (Waiting, Finished) as error:
            return study_page.render(request, name, code=409, error=error)
        except BestdoError as error:
            return study_page.render(request, name, code=code_of(error), error=error, form=form)
        return on_to(f"/studies/{to_slug(name)}?round={asked.number}#now")

    @router.post("/studies/{slug}/rounds/{number}")
    def tell(request: Request, slug: str, number: int, form: Form) -> Response:
        name = from_slug(slug)
        study = cache.study(name)
        try:
            happened, sure = _confirmed(form, "happened"), _confirmed(form, "sure")
            study.tell(number, form.values(), who=who(request), happened=happened, sure=sure)
        except BestdoError as error:
            return study_page.render(request, name, code=code_of(error), chosen=number, error=error, form=form)
        return on_to(f"/studies/{to_slug(name)}{_next(study, who(request), form)}told={number}#told")

    @router.post("/studies/{slug}/rounds/{number}/check")
    def check(request: Request, slug: str, number: int, form: Form) -> HTMLResponse:
        study = cache.study(from_slug(slug))
        row = round_of(study, number)
        problem, offered, values = "", "", dict[str, str]()
        happened, sure = _confirmed(form, "happened"), _confirmed(form, "sure")
        try:
            values, deviated = checked(study.problem, row["action"], understood(study.problem, form.values()), happened)
            offered = "happened" if deviated else ""
            if not deviated:
                with study.reading() as log:
                    ask_whether_right(log, study.problem, number, values)
        except Unusual as error:
            problem, offered = "" if sure else str(error), "sure"
        except BestdoError as error:
            problem, offered = str(error), "happened" if isinstance(error, Deviates) else ""
        shown: dict[str, Any] = {"problem": problem, "values": values, "offered": confirmations(form, offered)}
        return shown_page(request, "checked_round.html", **shown)


def _changing(router: APIRouter, cache: StudyCache, study_page: StudyPage) -> None:
    """Adds the routes that show a round, amend it, undo that it was told, and withdraw it."""

    @router.get("/studies/{slug}/rounds/{number}")
    def one_round(request: Request, slug: str, number: int) -> HTMLResponse:
        return study_page.render_round(request, from_slug(slug), number)

    @router.post("/studies/{slug}/rounds/{number}/amend")
    def amend(request: Request, slug: str, number: int, form: Form) -> Response:
        name = from_slug(slug)
        try:
            why = form.get("why") or "corrected on the page"
            happened, sure = _confirmed(form, "happened"), _confirmed(form, "sure")
            study = cache.study(name)
            study.amend(number, form.values(), why, whole=True, who=who(request), happened=happened, sure=sure)
        except BestdoError as error:
            return study_page.render_round(request, name, number, error, form, code_of(error))
        return on_to(f"/studies/{to_slug(name)}?told={number}#told")

    @router.post("/studies/{slug}/rounds/{number}/undo")
    def undo(request: Request, slug: str, number: int) -> Response:
        name = from_slug(slug)
        try:
            study = cache.study(name)
            told = round_of(study, number).get("values", {})
            study.undo(number, who=who(request))
        except BestdoError as error:
            return study_page.render(request, name, code=code_of(error), error=error)
        kept = urlencode({f"v:{variable}": value for variable, value in told.items()})  # the form is as it was
        kept = f"&{kept}" if len(kept) <= _LONGEST_KEPT else ""
        return on_to(f"/studies/{to_slug(name)}?round={number}&undone={number}{kept}#told")

    @router.post("/studies/{slug}/rounds/{number}/withdraw")
    def withdraw(request: Request, slug: str, number: int, form: Form) -> Response:
        name, lost = from_slug(slug), form.get("lost") != "no"
        try:
            why = form.get("why") or ("lost" if lost else "never played")
            cache.study(name).withdraw(number, why, lost=lost, who=who(request))
        except BestdoError as error:
            return study_page.render(request, name, code=code_of(error), error=error)
        return on_to(f"/studies/{to_slug(name)}#now")


def _confirmed(form: Sent, what: str) -> bool:
    """Whether a form confirms that what was told happened, or that its numbers are right."""
    return form.get(what) == "yes"


def _next(study: Study, worker: str, form: Sent) -> str:
    """The query of the page after a round was told, with the next round if that is wanted and there is one."""
    if "next" not in study.problem.contexts.without(form.get("then")):
        return "?"
    try:
        (asked,) = study.ask(worker)
    except (Waiting, Finished, Conflict):
        return "?"
    return f"?round={asked.number}&"
