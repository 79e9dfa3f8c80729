"""The pages of a study: where it stands, what to do now, what was told; each form is one verb of `Study`."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError, Conflict, Finished, Waiting
from bestdo.report.drawing import draw
from bestdo.study import Study
from bestdo.study.round import checked, reason
from bestdo.web.desk import Desk, named_by, segment
from bestdo.web.errors import code_of
from bestdo.web.forms import Form, Sent
from bestdo.web.guard import named
from bestdo.web.rendering import shown_page
from bestdo.web.standing import Standings

__all__ = ["pages"]

_MOST_DRAWN = 300


def pages(desk: Desk, standings: Standings) -> APIRouter:
    """The routes."""
    router = APIRouter(include_in_schema=False)
    view = _View(desk, standings)

    @router.get("/")
    def studies(request: Request) -> HTMLResponse:
        found = [standings.of(name) for name in desk.names()]
        here = [s for s in found if not s.status["archived"]]
        return shown_page(request, "studies.html", studies=here, away=[s for s in found if s.status["archived"]])

    @router.get("/studies/{part}")
    def study(request: Request, part: str, round: int | None = None, told: int | None = None) -> HTMLResponse:  # noqa: A002
        return view.page(request, named_by(part), chosen=round, told=told)

    @router.get("/studies/{part}/live")
    def live(request: Request, part: str, seen: str = "", round: int | None = None) -> Response:  # noqa: A002
        if desk.version(named_by(part)) == seen:
            return Response(status_code=204)
        return view.page(request, named_by(part), chosen=round, template="live.html")

    @router.post("/studies/{part}/ask")
    def ask(request: Request, part: str) -> Response:
        name = named_by(part)
        try:
            (asked,) = desk.study(name).ask(_who(request))
        except (Waiting, Finished) as error:
            return view.page(request, name, code=409, problem=str(error))
        return _to(f"/studies/{segment(name)}?round={asked.number}#now")

    @router.post("/studies/{part}/rounds/{number}")
    def tell(request: Request, part: str, number: int, form: Form) -> Response:
        name = named_by(part)
        study = desk.study(name)
        try:
            study.tell(number, form.values(), who=_who(request), happened=form.get("happened") == "yes")
        except BestdoError as error:
            return view.page(request, name, code=code_of(error), chosen=number, problem=str(error), form=form)
        return _to(f"/studies/{segment(name)}{_next(study, _who(request), form)}told={number}#now")

    @router.post("/studies/{part}/rounds/{number}/check")
    def check(request: Request, part: str, number: int, form: Form) -> HTMLResponse:
        study = desk.study(named_by(part))
        row = _round(study, number)
        problem = ""
        values: dict[str, str] = {}
        try:
            values, _ = checked(study.problem, row["action"], form.values(), form.get("happened") == "yes")
        except BestdoError as error:
            problem = str(error)
        return shown_page(request, "checked_round.html", problem=problem, values=values)

    @router.get("/studies/{part}/rounds/{number}")
    def one_round(request: Request, part: str, number: int) -> HTMLResponse:
        name = named_by(part)
        return view.round(request, name, number)

    @router.post("/studies/{part}/rounds/{number}/amend")
    def amend(request: Request, part: str, number: int, form: Form) -> Response:
        name = named_by(part)
        try:
            why = form.get("why") or "corrected on the page"
            happened = form.get("happened") == "yes"
            desk.study(name).amend(number, form.values(), why, who=_who(request), happened=happened)
        except BestdoError as error:
            return view.round(request, name, number, str(error), form, code_of(error))
        return _to(f"/studies/{segment(name)}?told={number}#now")

    @router.post("/studies/{part}/rounds/{number}/withdraw")
    def withdraw(request: Request, part: str, number: int, form: Form) -> Response:
        name, lost = named_by(part), form.get("lost") != "no"
        try:
            why = form.get("why") or ("lost" if lost else "never played")
            desk.study(name).withdraw(number, why, lost=lost, who=_who(request))
        except BestdoError as error:
            return view.page(request, name, code=code_of(error), problem=str(error))
        return _to(f"/studies/{segment(name)}#now")

    @router.post("/studies/{part}/note")
    def note(request: Request, part: str, form: Form) -> Response:
        name = named_by(part)
        if form.get("text"):
            number = form.get("round")
            desk.study(name).note(
                form.get("text")[:10_000], int(number) if number.isdigit() else None, who=_who(request)
            )
        return _to(f"/studies/{segment(name)}#log")

    @router.post("/me")
    def me(request: Request, form: Form) -> Response:
        back = form.get("back")
        answer = _to(back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/")
        name = named(form.get("who"))
        if name:
            cookie = f"{request.app.state.access.cookie}-who"
            answer.set_cookie(cookie, quote(name), max_age=365 * 86_400, httponly=True, samesite="strict")
        return answer

    return router


class _View:
    """The study's page in all its states."""

    def __init__(self, desk: Desk, standings: Standings) -> None:
        self._desk = desk
        self._standings = standings

    def page(
        self,
        request: Request,
        name: str,
        *,
        code: int = 200,
        chosen: int | None = None,
        told: int | None = None,
        problem: str = "",
        form: Sent | None = None,
        template: str = "study.html",
    ) -> HTMLResponse:
        """The page; `chosen` is the round whose form is open, `form` what was typed there."""
        study, standing = self._desk.study(name), self._standings.of(name)
        who = _who(request)
        out = standing.status["open"]
        mine = [r for r in out if r["number"] == chosen] or [r for r in out if r["worker"] == who]
        now = self._now(study, mine[0]) if mine else None
        action = Intervention.parse(mine[0]["action"]) if mine else None
        return shown_page(
            request,
            template,
            code,
            name=name,
            graph=study.problem.graph,
            standing=standing,
            now=now,
            out=[r for r in out if not mine or r["number"] != mine[0]["number"]],
            drawing=_drawn(study, action),
            told=_told(study, told),
            problem=problem,
            typed=form.values() if form else {},
            variables=_variables(study, action),
        )

    def _now(self, study: Study, row: dict[str, Any]) -> dict[str, Any]:
        action = Intervention.parse(row["action"])
        why = reason(study.problem, study.estimates(), action)
        return {"number": row["number"], "action": action, "worker": row["worker"], "why": why}

    def round(
        self, request: Request, name: str, number: int, problem: str = "", form: Sent | None = None, code: int = 200
    ) -> HTMLResponse:
        """One round, to be read, amended or withdrawn."""
        study = self._desk.study(name)
        row = _round(study, number)
        action = Intervention.parse(row["action"])
        return shown_page(
            request,
            "round.html",
            code,
            name=name,
            graph=study.problem.graph,
            row=row,
            action=action,
            problem=problem,
            typed=form.values() if form else row.get("values", {}),
            variables=_variables(study, action),
            now={"number": number, "action": action},
        )


def _variables(study: Study, action: Intervention | None) -> list[Any]:
    """What a person can say of a round: the reward last, what is set left out."""
    graph = study.problem.graph
    names = [n for n in graph.observed if n != graph.reward and (action is None or n not in action)]
    return [graph.variable(n) for n in [*names, graph.reward or ""]]


def _drawn(study: Study, action: Intervention | None) -> str:
    graph = study.problem.graph
    if len(graph.names) > _MOST_DRAWN:
        return ""
    return draw(graph, set[str]().union(*study.problem.actions), action, 640.0, styled=False)


def _round(study: Study, number: int) -> dict[str, Any]:
    found = study.rounds(number - 1, 1)
    if not found or found[0]["number"] != number:
        raise BestdoError(f"there is no round {number}; ask for one first")
    return found[0]


def _told(study: Study, number: int | None) -> dict[str, Any] | None:
    """The round that was just told, to be undone."""
    if number is None:
        return None
    found = study.rounds(number - 1, 1)
    return found[0] if found and found[0]["number"] == number and found[0]["status"] == "told" else None


def _next(study: Study, who: str, form: Sent) -> str:
    """Where to go after a round was told: on to the next one, if that is wanted and there is one."""
    if form.get("then") != "next":
        return "?"
    try:
        (asked,) = study.ask(who)
    except (Waiting, Finished, Conflict):
        return "?"
    return f"?round={asked.number}&"


def _who(request: Request) -> str:
    return str(request.scope["who"])


def _to(address: str) -> RedirectResponse:
    return RedirectResponse(address, 303)
