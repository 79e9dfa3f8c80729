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
from bestdo.web.routes.api import api_routes
from bestdo.web.routes.downloads import download_routes
from bestdo.web.routes.new_study import new_study_routes
from bestdo.web.routes.observe import observe_routes
from bestdo.web.routes.plan import plan_routes
from bestdo.web.routes.rehearse import rehearse_routes
from bestdo.web.routes.rounds import rounds_routes
from bestdo.web.routes.settings import settings_routes
from bestdo.web.routes.studies import studies_routes
from bestdo.web.study_cache import StudyCache
from bestdo.web.study_page import StudyPage
from bestdo.web.study_snapshot import SnapshotCache
from bestdo.web.workers.rehearsal_queue import RehearsalQueue
from bestdo.web.workers.sandbox_client import Sandbox

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
    sandbox, rehearsals = Sandbox(), RehearsalQueue()

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = _THREADS
        warm()
        yield
        sandbox.close()
        rehearsals.close()

    app = FastAPI(
        title="bestdo",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=life,
    )
    cache = StudyCache(url)
    snapshots = SnapshotCache(cache)
    app.state.access = access
    guard = Guard(GZipMiddleware(app, minimum_size=800, compresslevel=5), access)
    errors.install(app)
    study_page = StudyPage(cache, snapshots)
    app.include_router(studies_routes(cache, snapshots, study_page))
    app.include_router(rounds_routes(cache, study_page))
    app.include_router(new_study_routes(cache, sandbox))
    app.include_router(download_routes(cache, snapshots, sandbox))
    app.include_router(plan_routes(cache, sandbox))
    app.include_router(observe_routes(cache, sandbox))
    app.include_router(rehearse_routes(cache, sandbox, rehearsals))
    app.include_router(settings_routes(cache))
    app.include_router(api_routes(cache, sandbox))

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
