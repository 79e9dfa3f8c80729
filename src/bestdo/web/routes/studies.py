"""Routes of the page of one study, its notes, and the person's name."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from bestdo.web.forms import Form, Sent
from bestdo.web.guard import keep, named, who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.round_list import find_rounds
from bestdo.web.study_cache import StudyCache, from_slug, to_slug
from bestdo.web.study_page import StudyPage

__all__ = ["studies_routes"]

_LONGEST_NOTE = 10_000
"""Characters of a note that are kept, as in the JSON interface. Chosen, not measured."""


def studies_routes(cache: StudyCache, study_page: StudyPage) -> APIRouter:
    """Routes of each study's page."""
    router = APIRouter(include_in_schema=False)

    @router.get("/studies/{slug}")
    def study(
        request: Request,
        slug: str,
        round: int | None = None,  # noqa: A002
        told: int | None = None,
        undone: int | None = None,
        find: str = "",
        sort: str = "mean",
        whole: str = "",
    ) -> HTMLResponse:
        chosen: dict[str, Any] = {"find": find, "sort": sort, "whole": whole == "yes"}
        if undone is not None:
            chosen["form"] = Sent(dict(request.query_params))
        return study_page.render(request, from_slug(slug), chosen=round, told=told, undone=undone, **chosen)

    @router.get("/studies/{slug}/actions")
    def actions(request: Request, slug: str, find: str = "", sort: str = "mean", whole: str = "") -> HTMLResponse:
        return study_page.render_actions(request, from_slug(slug), find, sort, whole == "yes")

    @router.get("/studies/{slug}/rounds")
    def rounds(request: Request, slug: str, find: str = "", status: str = "", page: str = "1") -> HTMLResponse:
        name = from_slug(slug)
        number = int(page) if page.isascii() and page.isdecimal() and len(page) < 10 else 1
        return study_page.render_rounds(request, name, find_rounds(cache.study(name), find, status, number))

    @router.get("/studies/{slug}/live")
    async def live(
        request: Request, slug: str, seen: str = "", now: str = "", find: str = "", sort: str = "mean", whole: str = ""
    ) -> Response:
        name = from_slug(slug)
        if cache.is_current(name, seen):  # most looks find nothing new: they wait for no thread
            return Response(status_code=204)
        return await run_in_threadpool(look, request, name, seen, now, (find, sort, whole == "yes"))

    def look(request: Request, name: str, seen: str, now: str, listed: tuple[str, str, bool]) -> Response:
        if cache.version(name) == seen:
            return Response(status_code=204)
        return study_page.render_live(request, name, now, *listed)

    @router.post("/studies/{slug}/note")
    def note(request: Request, slug: str, form: Form) -> Response:
        name = from_slug(slug)
        if form.get("text"):
            cache.study(name).note(form.get("text")[:_LONGEST_NOTE], who=who(request))
        return on_to(f"/studies/{to_slug(name)}#log")

    @router.post("/me")
    def me(request: Request, form: Form) -> Response:
        back = form.get("back")
        answer = on_to(back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/")
        name = named(form.get("who"))
        if name:
            keep(answer, f"{request.app.state.access.cookie}-who", quote(name))
        return answer

    @router.post("/me/leave")
    def leave(request: Request) -> Response:
        answer = shown_page(request, "left.html")
        cookie = request.app.state.access.cookie
        for kept in (cookie, f"{cookie}-who"):
            answer.delete_cookie(kept, httponly=True, samesite="lax")
        return answer

    return router
