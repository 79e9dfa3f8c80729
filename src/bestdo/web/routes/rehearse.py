"""Routes that start, watch and cancel rehearsals: the experiment simulated many times before it is run."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from bestdo.errors import BestdoError
from bestdo.web.forms import Form
from bestdo.web.guard import who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.routes.new_study import horizon_of, understood
from bestdo.web.slow_routes import slow
from bestdo.web.study_cache import StudyCache, from_slug
from bestdo.web.workers.rehearsal_queue import RehearsalQueue, RehearsalRun
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["horizons", "rehearse_routes"]

_MOST_ROUNDS = 20_000
"""The longest experiment that is rehearsed on the page. Chosen, not measured."""

_FACTORS = (0.25, 0.5, 1, 2)
"""The number of rounds that a person plans is rehearsed times these. Chosen, not measured."""


def rehearse_routes(cache: StudyCache, sandbox: Sandbox, rehearsals: RehearsalQueue) -> APIRouter:
    """Routes of rehearsals."""
    router = APIRouter(include_in_schema=False)

    def answer(request: Request, rehearsal: RehearsalRun | None, problem: str = "", code: int = 200) -> HTMLResponse:
        """The rehearsal as a part of the page, or as a page of its own."""
        part = "hx-request" in request.headers
        template = "_rehearsal.html" if part else "rehearsal.html"
        return shown_page(request, template, 200 if part else code, rehearsal=rehearsal, problem=problem)

    def on(request: Request, rehearsal: RehearsalRun) -> Response:
        """The rehearsal as a part of the page, or a redirect to a page of its own for browsers without scripts."""
        return answer(request, rehearsal) if "hx-request" in request.headers else on_to(f"/rehearsals/{rehearsal.key}")

    @router.post("/rehearsals")
    @slow
    def begin(request: Request, form: Form) -> Response:
        try:
            found = understood(form, sandbox, who(request))
            if found["error"] is not None or not found.get("problem"):
                raise BestdoError("the graph is not complete yet: see above")
            planned = horizon_of(form.get("rounds_"))
            if not 1 <= planned <= _MOST_ROUNDS:
                raise BestdoError(f"how many rounds are planned? Give a number from 1 to {_MOST_ROUNDS}")
            rounds, graph_only = horizons(planned, found["unit"] == "rounds"), form.get("graph_only") == "yes"
            rehearsal = rehearsals.begin({"text": found["text"], "rounds": rounds, "graph_only": graph_only})
        except BestdoError as error:
            return answer(request, None, str(error), 422)
        return on(request, rehearsal)

    @router.post("/studies/{slug}/rehearse")
    def rest(request: Request, slug: str) -> Response:
        name = from_slug(slug)
        status = cache.study(name).status()
        left = status["horizon"] - status["used"]
        try:
            if left <= 0:
                raise BestdoError("no round is left")
            rehearsal = rehearsals.begin(
                {"url": cache.url, "study": name, "rounds": horizons(left, status["unit"] == "rounds")}
            )
        except BestdoError as error:
            return answer(request, None, str(error), 422)
        return on(request, rehearsal)

    @router.get("/rehearsals/{key}")
    def watch(request: Request, key: str) -> HTMLResponse:
        return answer(request, rehearsals.get(key))

    @router.post("/rehearsals/{key}/cancel")
    def cancel(request: Request, key: str) -> Response:
        rehearsal = rehearsals.get(key)
        rehearsal.cancel()
        return on(request, rehearsal)

    return router


def horizons(planned: float, whole: bool) -> list[float]:
    """The horizons to rehearse: the planned number of rounds (or budget), and some below and above it."""
    return sorted({max(1, int(planned * f)) if whole else planned * f for f in _FACTORS})
