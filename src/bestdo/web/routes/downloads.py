"""Routes of a study's report, exports and log, and of the chart of its estimates."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from bestdo.bandit.problem import Problem
from bestdo.report import study_report as report
from bestdo.report.drawing import draw
from bestdo.report.interval_pictures import COLOURS, lines_svg
from bestdo.report.reward_scale import Axis, axis_of
from bestdo.study import Study
from bestdo.study.exchange import exported, table
from bestdo.study.rule_file import rule_file
from bestdo.usecases.known_learners import descriptions
from bestdo.web.estimate_history import EstimateHistory, EstimateLines
from bestdo.web.rendering import shown_page
from bestdo.web.round_list import STATUSES
from bestdo.web.slow_routes import slow
from bestdo.web.study_cache import Missing, StudyCache, from_slug, problem_text
from bestdo.web.study_snapshot import SnapshotCache, StudySnapshot
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["download_routes"]

_LOG = 200
"""Lines on one page of the log. Chosen, not measured."""

_MOST_DRAWN = 60
"""Variables of the largest graph in the report: more cannot be read on paper. Chosen, not measured."""

_KINDS = {"json": "application/json", "csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
_RULE_KINDS = {"json": _KINDS["json"], "csv": _KINDS["csv"], "py": "text/x-python; charset=utf-8"}


def _file(data: bytes, name: str, kind: str) -> Response:
    """A file to be kept under this name."""
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe=' ')}"}
    return Response(data, media_type=kind, headers=headers)


def _what_was_done(study: Study) -> dict[str, Any]:
    """The report's words about the rounds: who told them, since when, how many came to nothing; old data, and the method."""
    rounds, (first, *_), learner = study.rounds(), study.history(0, 1), study.status()["learner"]
    about = descriptions().get(learner, learner)
    return {
        "people": sorted({str(r["worker"]) for r in rounds if r["status"] == "told" and r["worker"]}),
        "others": sorted(Counter(str(r["status"]) for r in rounds if r["status"] != "told").items()),
        "began": first["at"],
        "olds": study.old_data(),
        "method": f"{about.partition(' (to ')[0].rstrip('.')}.",
    }


def download_routes(cache: StudyCache, snapshots: SnapshotCache, sandbox: Sandbox) -> APIRouter:
    """Routes of a study's report, exports, log and chart."""
    router = APIRouter(include_in_schema=False)
    _pages(router, cache, snapshots)
    _files(router, cache)
    _charts(router, cache, EstimateHistory(cache, sandbox))
    return router


def _pages(router: APIRouter, cache: StudyCache, snapshots: SnapshotCache) -> None:
    """Adds the routes of the report and of the log."""

    @router.get("/studies/{slug}/report")
    def printable(request: Request, slug: str) -> HTMLResponse:
        name = from_slug(slug)
        study, snapshot = cache.study(name), snapshots.of(name)
        drawing = _drawn(study.problem, snapshot)
        shown: dict[str, Any] = {
            "name": name,
            "graph": study.problem.graph,
            "s": snapshot,
            "drawing": drawing,
            "statuses": STATUSES,
        }
        return shown_page(request, "report.html", **shown, **_what_was_done(study))

    @router.get("/studies/{slug}/log")
    def log(request: Request, slug: str, before: int | None = None) -> HTMLResponse:
        name = from_slug(slug)
        total = int(cache.version(name).partition(".")[2])
        upto = total if before is None else min(max(before - 1, 0), total)
        events = cache.study(name).history(max(0, upto - _LOG), min(_LOG, upto))
        return shown_page(request, "log.html", name=name, events=list(reversed(events)), total=total)


def _drawn(problem: Problem, snapshot: StudySnapshot) -> str:
    """The graph of a report as SVG, under the action that is recommended to everybody; empty where it is too large."""
    graph, settable = problem.graph, set[str]().union(*problem.actions)
    if len(graph.names) > _MOST_DRAWN:
        return ""
    action = next(iter(snapshot.drawn_under), None)
    look: dict[str, Any] = {"styled": False, "positions": problem.positions}
    return draw(graph, settable, action, 640.0, **look, doubts=problem.graphs.arrows, chances=snapshot.chances)


def _files(router: APIRouter, cache: StudyCache) -> None:
    """Adds the routes of files to be kept."""

    @router.get("/studies/{slug}/export.{kind}")
    def export(slug: str, kind: str) -> Response:
        study = cache.study(from_slug(slug))
        if kind not in _KINDS:
            raise Missing("a study is written as json, csv or parquet")
        if kind == "json":
            data = (json.dumps(exported(study), indent=2) + "\n").encode()
        else:
            data = (report.as_csv if kind == "csv" else report.as_parquet)(table(study))
        return _file(data, f"{study.name}.{kind}", _KINDS[kind])

    @router.get("/studies/{slug}/rule.{kind}")
    def rule(slug: str, kind: str) -> Response:
        study = cache.study(from_slug(slug))
        if kind not in _RULE_KINDS:
            raise Missing("a rule is written as json, csv or py")
        return _file(rule_file(study.rule(), f"rule.{kind}"), f"{study.name} rule.{kind}", _RULE_KINDS[kind])

    @router.get("/studies/{slug}/problem.toml")
    def problem(slug: str) -> Response:
        name = from_slug(slug)
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe=' ')}.toml"}
        return Response(problem_text(cache, name), media_type="text/plain; charset=utf-8", headers=headers)


def _charts(router: APIRouter, cache: StudyCache, estimates: EstimateHistory) -> None:
    """Adds the routes of the chart of the estimates, as data and as a picture."""

    def axis_for(slug: str, found: EstimateLines) -> tuple[Axis, str]:
        """The axis of the chart of a study's estimates, and what it shows."""
        graph = cache.study(from_slug(slug)).problem.graph
        return axis_of(graph, [m for _, means in found.lines for m in means if m is not None]), graph.rewarded.label

    @router.get("/studies/{slug}/moves.json")
    def moved(slug: str) -> Response:
        found = estimates.of(from_slug(slug))
        lines = [
            {"action": action, "colour": COLOURS[i % len(COLOURS)], "means": means}
            for i, (action, means) in enumerate(found.lines)
        ]
        axis, label = axis_for(slug, found)
        noun = cache.study(from_slug(slug)).problem.graph.rewarded.noun
        shown = {"span": axis.span, "label": label, "chance": noun == "chance"}
        return JSONResponse({"version": found.version, "rounds": list(found.rounds), "lines": lines, **shown})

    @router.get("/studies/{slug}/moves.svg")
    @slow
    def picture(slug: str) -> Response:
        found = estimates.of(from_slug(slug), wait=True)
        axis, label = axis_for(slug, found)
        title = f"The {label} of each action over the rounds"
        return Response(lines_svg(found.rounds, found.lines, title, axis), media_type="image/svg+xml")
