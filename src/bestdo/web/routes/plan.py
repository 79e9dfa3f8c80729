"""Routes of a fixed plan: its chart, its sheet to fill in, and the estimates from the filled sheet."""

from __future__ import annotations

import base64
import zlib
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from bestdo.bandit.estimate import Estimate
from bestdo.bandit.limit import Limit
from bestdo.bandit.limits import Limits
from bestdo.bandit.prices import RoundPrices
from bestdo.causal.action import Intervention
from bestdo.data.table_files import is_table
from bestdo.errors import BestdoError
from bestdo.files import Contents
from bestdo.files.toml import write
from bestdo.report.reward_scale import Axis, RewardScale
from bestdo.report.sections.actions import ranked
from bestdo.web.forms import Form, Sent
from bestdo.web.rendering import shown_page
from bestdo.web.slow_routes import slow
from bestdo.web.study_cache import StudyCache, from_slug
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["plan_routes"]

_MOST_TEXT = 2 * 2**20
"""Bytes of the largest graph. Chosen, not measured."""

_GZIP = b"\x1f\x8b"
"""The first bytes of a file that is packed with gzip."""

_ROUNDS, _MOST_ROUNDS = 60, 100_000
"""Rounds that the form shows before a person types a number, and the longest plan. Chosen, not measured."""


def _ordered(sandbox: Sandbox, form: Sent, verb: str, **more: Any) -> dict[str, Any]:
    """The sandbox's answer to an order about the problem in the form."""
    text, rounds = form.fields.get("text", ""), form.get("rounds_", str(_ROUNDS))
    if len(text) > _MOST_TEXT:
        raise BestdoError(f"more than {_MOST_TEXT // 2**20} MB is too much for a graph")
    if not rounds.isdecimal() or len(rounds) > 6 or not 1 <= int(rounds) <= _MOST_ROUNDS:
        raise BestdoError(f"how many rounds has the plan? Give a whole number from 1 to {_MOST_ROUNDS}")
    separator = form.get("separator") or "comma"
    return sandbox.run({"verb": verb, "text": text, "rounds": int(rounds), "separator": separator, **more})


def _page(request: Request, form: Sent, code: int = 200, **values: Any) -> HTMLResponse:
    """The page of fixed plans, with what was typed."""
    common: dict[str, Any] = {"answer": None, "estimated": None, "problem": "", "lines": [], "old": False}
    common["prices"] = RoundPrices(())  # a sheet says nothing of costs
    typed = {"rounds": form.get("rounds_") or str(_ROUNDS), "separator": form.get("separator") or "comma"}
    typed["sheet_name"] = form.get("sheet_name")
    planned = {"text": form.fields.get("planned", ""), "rounds": form.get("planned_rounds")}
    if values.get("answer") and not values.get("old"):
        planned = {"text": form.fields.get("text", ""), "rounds": typed["rounds"]}
    if "hx-request" in request.headers:
        code = 200
    shown: dict[str, Any] = {"text": form.fields.get("text", ""), "typed": typed, "planned": planned}
    return shown_page(request, "plan.html", code, **shown, **{**common, **values})


def _last_plan(sandbox: Sandbox, form: Sent) -> dict[str, Any]:
    """The plan that was on the page, to be shown again; nothing where there was none."""
    text, rounds = form.fields.get("planned", ""), form.get("planned_rounds")
    if not text.strip():
        return {}
    try:
        answer = _ordered(sandbox, Sent({**form.fields, "text": text, "rounds_": rounds}), "plan")
    except BestdoError:
        return {}
    old = (text, rounds) != (form.fields.get("text", ""), form.get("rounds_"))
    return {} if answer["error"] else {"answer": answer, "old": old}


def plan_routes(cache: StudyCache, sandbox: Sandbox) -> APIRouter:
    """Routes of the page of fixed plans."""
    router = APIRouter(include_in_schema=False)

    @router.get("/plan")
    def plan(request: Request, study: str = "") -> HTMLResponse:
        text = ""
        if study:
            problem = cache.study(from_slug(study)).problem
            text = write(Contents(problem.graph, problem))
        return _page(request, Sent({"text": text}))

    @router.post("/plan")
    @slow
    def planned(request: Request, form: Form) -> Response:
        try:
            if "file" in form.files:
                form = Sent({**form.fields, "text": _text(*form.files["file"])}, form.files)
            answer = _ordered(sandbox, form, "plan")
        except BestdoError as error:
            return _page(request, form, 422, problem=str(error), **_last_plan(sandbox, form))
        if answer["error"]:
            return _page(request, form, 422, problem=_placed(answer["error"]), **_last_plan(sandbox, form))
        if form.get("via") == "sheet":
            headers = {"Content-Disposition": 'attachment; filename="plan.csv"'}
            return Response(base64.b64decode(answer["sheet"]), media_type="text/csv; charset=utf-8", headers=headers)
        return _page(request, form, answer=answer)

    @router.post("/plan/estimate")
    @slow
    def estimate(request: Request, form: Form) -> Response:
        try:
            if "sheet" not in form.files:
                raise BestdoError("choose the sheet that was filled in")
            name, data = form.files["sheet"]
            found = _ordered(
                sandbox, form, "estimate", name=name, data=base64.b64encode(data).decode(), sheet=form.get("sheet_name")
            )
        except BestdoError as error:
            return _page(request, form, 422, problem=str(error), **_last_plan(sandbox, form))
        if found["error"]:
            return _page(request, form, 422, problem=_placed(found["error"]), **_last_plan(sandbox, form))
        scale = RewardScale(**{**found["scale"], "axis": Axis(tuple(found["scale"]["axis"]["ticks"]))})
        limits = Limits(Limit(**one) for one in found["limited"])
        each = (Estimate.of_data(one, limits) for one in found["actions"])
        lines = ranked(each, Intervention.parse(found["action"]), scale)
        said = {"estimated": found["words"], "sheet": found["sheet"], "lines": lines, "scale": scale}
        return _page(request, form, **said, **_last_plan(sandbox, form))

    return router


def _text(name: str, data: bytes) -> str:
    """The text of a file that holds a problem, packed or not."""
    if is_table(name, data):
        raise BestdoError(f"{name} is a table, not a problem: bring a sheet that was filled in under step 3")
    try:
        if data.startswith(_GZIP):
            data = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, _MOST_TEXT + 1)
    except zlib.error as error:
        raise BestdoError(f"{name} is packed with gzip, but cannot be unpacked: {error}") from None
    if len(data) > _MOST_TEXT:
        raise BestdoError(f"{name} has more than {_MOST_TEXT // 2**20} MB, which is too much for a graph")
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _placed(error: dict[str, Any]) -> str:
    """The message of an error, with its line where it has one."""
    line = error.get("line")
    return f"line {line}: {error['message']}" if line else str(error["message"])
