"""The web application: the pages, the JSON interface and the static files, behind the guard."""

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
from bestdo.web.routes.api import API, api_routes, described
from bestdo.web.routes.downloads import download_routes
from bestdo.web.routes.new_study import new_study_routes
from bestdo.web.routes.observe import observe_routes
from bestdo.web.routes.plan import plan_routes
from bestdo.web.routes.rehearse import rehearse_routes
from bestdo.web.routes.rounds import rounds_routes
from bestdo.web.routes.settings import settings_routes
from bestdo.web.routes.studies import studies_routes
from bestdo.web.routes.study_list import study_list_routes
from bestdo.web.study_cache import StudyCache
from bestdo.web.study_page import StudyPage
from bestdo.web.study_snapshot import SnapshotCache
from bestdo.web.workers.rehearsal_queue import RehearsalQueue
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["application"]

_THREADS = 4
"""Threads that answer requests. Each keeps a database connection with its cache, and they share one interpreter, so that
more cost memory and are not faster. Chosen; time and memory with it are measured in `benchmarks/page.py`."""

_SECONDS_KEPT = 31_536_000
"""A year: how long browsers may keep static files, whose addresses change with their contents."""

_SECONDS_KEPT_STYLE = 86_400
"""A day: how long browsers may keep the style of drawings, whose address does not change. Chosen, not measured."""

_LEAST_COMPRESSED, _COMPRESSION = 800, 5
"""Answers of fewer bytes are not compressed, and the level of gzip. Chosen; sizes are measured in `benchmarks/page.py`."""


class _Files(StaticFiles):
    """Static files, which browsers keep for a year: their addresses change with their contents."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        answer = super().file_response(*args, **kwargs)
        answer.headers["Cache-Control"] = f"public, max-age={_SECONDS_KEPT}, immutable"
        return answer


def application(url: str, access: Access) -> Guard:
    """The application for the studies of a database, with the guard in front."""
    sandbox, rehearsals = Sandbox(), RehearsalQueue()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = _THREADS
        warm()
        yield
        sandbox.close()
        rehearsals.close()

    app = FastAPI(
        title="bestdo",
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
        lifespan=lifespan,
    )
    cache = StudyCache(url)
    snapshots = SnapshotCache(cache)
    app.state.access = access
    guard = Guard(GZipMiddleware(app, minimum_size=_LEAST_COMPRESSED, compresslevel=_COMPRESSION), access)
    errors.install(app)
    study_page = StudyPage(cache, snapshots)
    app.include_router(studies_routes(cache, study_page))
    app.include_router(study_list_routes(cache, snapshots))
    app.include_router(rounds_routes(cache, study_page))
    app.include_router(new_study_routes(cache, sandbox))
    app.include_router(download_routes(cache, snapshots, sandbox))
    app.include_router(plan_routes(cache, sandbox))
    app.include_router(observe_routes(cache, sandbox))
    app.include_router(rehearse_routes(cache, sandbox, rehearsals))
    app.include_router(settings_routes(cache))
    app.include_router(api_routes(cache, sandbox, rehearsals))
    app.openapi = lambda: described(app, access)  # type: ignore[method-assign]

    @app.get("/static/graph.css", include_in_schema=False)
    def graph_style() -> Response:
        return Response(
            STYLE, media_type="text/css", headers={"Cache-Control": f"public, max-age={_SECONDS_KEPT_STYLE}"}
        )

    @app.post("/enter", include_in_schema=False)
    def enter(request: Request, form: Form) -> Response:
        role = access.of_token(form.get("token"))
        if role is None:
            return errors.said(request, 401, "this token is not valid")
        return guard.welcome(request.scope, role, "/")

    app.mount("/static", _Files(directory=str(files("bestdo.web").joinpath("static"))), name="static")
    return guard
