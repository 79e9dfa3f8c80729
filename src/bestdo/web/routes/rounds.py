"""One round on the page: asked for, told, checked while it is typed, amended, withdrawn."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from bestdo.errors import BestdoError, Conflict, Finished, Waiting
from bestdo.study import Study
from bestdo.study.round import checked
from bestdo.web.error_answers import code_of
from bestdo.web.forms import Form, Sent
from bestdo.web.guard import who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.study_cache import Desk, named_by, segment
from bestdo.web.study_page import View, round_of

__all__ = ["playing"]


def playing(desk: Desk, view: View) -> APIRouter:
    """The routes."""
    router = APIRouter(include_in_schema=False)

    @router.post("/studies/{part}/ask")
    def ask(request: Request, part: str) -> Response:
        name = named_by(part)
        try:
            (asked,) = desk.study(name).ask(who(request))
        except (Waiting, Finished) as error:
            return view.page(request, name, code=409, problem=str(error))
        return on_to(f"/studies/{segment(name)}?round={asked.number}#now")

    @router.post("/studies/{part}/rounds/{number}")
    def tell(request: Request, part: str, number: int, form: Form) -> Response:
        name = named_by(part)
        study = desk.study(name)
        try:
            study.tell(number, form.values(), who=who(request), happened=form.get("happened") == "yes")
        except BestdoError as error:
            return view.page(request, name, code=code_of(error), chosen=number, problem=str(error), form=form)
        return on_to(f"/studies/{segment(name)}{_next(study, who(request), form)}told={number}#now")

    @router.post("/studies/{part}/rounds/{number}/check")
    def check(request: Request, part: str, number: int, form: Form) -> HTMLResponse:
        study = desk.study(named_by(part))
        row = round_of(study, number)
        problem = ""
        values: dict[str, str] = {}
        try:
            values, _ = checked(study.problem, row["action"], form.values(), form.get("happened") == "yes")
        except BestdoError as error:
            problem = str(error)
        return shown_page(request, "checked_round.html", problem=problem, values=values)

    @router.get("/studies/{part}/rounds/{number}")
    def one_round(request: Request, part: str, number: int) -> HTMLResponse:
        return view.round(request, named_by(part), number)

    @router.post("/studies/{part}/rounds/{number}/amend")
    def amend(request: Request, part: str, number: int, form: Form) -> Response:
        name = named_by(part)
        try:
            why = form.get("why") or "corrected on the page"
            happened = form.get("happened") == "yes"
            desk.study(name).amend(number, form.values(), why, who=who(request), happened=happened)
        except BestdoError as error:
            return view.round(request, name, number, str(error), form, code_of(error))
        return on_to(f"/studies/{segment(name)}?told={number}#now")

    @router.post("/studies/{part}/rounds/{number}/withdraw")
    def withdraw(request: Request, part: str, number: int, form: Form) -> Response:
        name, lost = named_by(part), form.get("lost") != "no"
        try:
            why = form.get("why") or ("lost" if lost else "never played")
            desk.study(name).withdraw(number, why, lost=lost, who=who(request))
        except BestdoError as error:
            return view.page(request, name, code=code_of(error), problem=str(error))
        return on_to(f"/studies/{segment(name)}#now")

    return router


def _next(study: Study, worker: str, form: Sent) -> str:
    """Where to go after a round was told: on to the next one, if that is wanted and there is one."""
    if form.get("then") != "next":
        return "?"
    try:
        (asked,) = study.ask(worker)
    except (Waiting, Finished, Conflict):
        return "?"
    return f"?round={asked.number}&"
