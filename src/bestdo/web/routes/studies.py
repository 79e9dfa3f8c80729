"""The pages to look at: all studies, and where one stands; each form is one verb of `Study`."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from bestdo.web.forms import Form
from bestdo.web.guard import named, who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.study_cache import Desk, named_by, segment
from bestdo.web.study_page import View
from bestdo.web.study_snapshot import Standings

__all__ = ["pages"]


def pages(desk: Desk, standings: Standings, view: View) -> APIRouter:
    """The routes."""
    router = APIRouter(include_in_schema=False)

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

    @router.post("/studies/{part}/note")
    def note(request: Request, part: str, form: Form) -> Response:
        name = named_by(part)
        if form.get("text"):
            desk.study(name).note(form.get("text")[:10_000], who=who(request))
        return on_to(f"/studies/{segment(name)}#log")

    @router.post("/me")
    def me(request: Request, form: Form) -> Response:
        back = form.get("back")
        answer = on_to(back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/")
        name = named(form.get("who"))
        if name:
            cookie = f"{request.app.state.access.cookie}-who"
            answer.set_cookie(cookie, quote(name), max_age=365 * 86_400, httponly=True, samesite="strict")
        return answer

    return router
