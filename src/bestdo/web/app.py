"""The application: pages, the JSON interface, files, behind one gate."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from bestdo.report.drawing import STYLE
from bestdo.web import error_answers as errors
from bestdo.web.access import Access
from bestdo.web.forms import Form
from bestdo.web.guard import Guard
from bestdo.web.rendering import warm
from bestdo.web.routes.api import api
from bestdo.web.routes.downloads import papers
from bestdo.web.routes.new_study import creating
from bestdo.web.routes.observe import observing
from bestdo.web.routes.plan import planning
from bestdo.web.routes.rehearse import rehearsing
from bestdo.web.routes.rounds import playing
from bestdo.web.routes.settings import settings
from bestdo.web.routes.studies import pages
from bestdo.web.study_cache import Desk
from bestdo.web.study_page import View
from bestdo.web.study_snapshot import Standings
from bestdo.web.workers.rehearsal_queue import Jobs
from bestdo.web.workers.sandbox_client import Errands

__all__ = ["application"]

_THREADS = 4  # each keeps a connection with its cache; they share one interpreter, so that more would not be faster


class _Files(StaticFiles):
    """Our files: their address changes with what they hold, so they are kept for good."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        answer = super().file_response(*args, **kwargs)
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return answer


def application(url: str, access: Access) -> Guard:
    """Everything behind the gate."""
    errands, jobs = Errands(), Jobs()

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = _THREADS
        warm()
        yield
        errands.close()
        jobs.close()

    app = FastAPI(
        title="bestdo",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=life,
    )
    desk = Desk(url)
    standings = Standings(desk)
    app.state.access = access
    guard = Guard(GZipMiddleware(app, minimum_size=800, compresslevel=5), access)
    errors.install(app)
    view = View(desk, standings)
    app.include_router(pages(desk, standings, view))
    app.include_router(playing(desk, view))
    app.include_router(creating(desk, errands))
    app.include_router(papers(desk, standings, errands))
    app.include_router(planning(desk, errands))
    app.include_router(observing(desk, errands))
    app.include_router(rehearsing(desk, errands, jobs))
    app.include_router(settings(desk))
    app.include_router(api(desk, errands))

    @app.get("/static/graph.css", include_in_schema=False)
    def graph_style() -> Response:
        return Response(STYLE, media_type="text/css", headers={"Cache-Control": "public, max-age=86400"})

    @app.post("/enter", include_in_schema=False)
    def enter(request: Request, form: Form) -> Response:
        role = access.of_token(form.get("token"))
        if role is None:
            return errors.said(request, 401, "this token opens nothing here")
        return guard.welcome(role, "/", request.scope["who"])

    app.mount("/static", _Files(directory=str(files("bestdo.web").joinpath("static"))), name="static")
    return guard
