"""Old data dropped as a file: read by the child process, and taken into the study there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from bestdo.errors import BestdoError
from bestdo.web.error_answers import code_of
from bestdo.web.forms import Form
from bestdo.web.guard import who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.study_cache import Desk, named_by, segment
from bestdo.web.workers.sandbox_client import Errands

__all__ = ["observing"]


def observing(desk: Desk, errands: Errands) -> APIRouter:
    """The routes."""
    router = APIRouter(include_in_schema=False)

    def page(request: Request, name: str, code: int = 200, **values: Any) -> HTMLResponse:
        values = {"problem": "", "found": None, "old": desk.study(name).old_data(), **values}
        return shown_page(request, "old.html", code, name=name, **values)

    @router.get("/studies/{part}/old")
    def old(request: Request, part: str) -> HTMLResponse:
        return page(request, named_by(part))

    @router.post("/studies/{part}/observe")
    def observe(request: Request, part: str, form: Form) -> Response:
        name = named_by(part)
        desk.study(name)
        if "file" not in form.files:
            return page(request, name, 422, problem="choose a file of old data")
        said, data = form.files["file"]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"data{_extension(said)}"
            path.write_bytes(data)
            order = {"verb": "observe", "url": desk.url, "study": name, "path": str(path), "name": said}
            try:
                found = errands.run({**order, "who": who(request), "force": form.get("force") == "yes"})
            except BestdoError as error:
                return page(request, name, 422, problem=str(error))
        if found["error"]:
            code = 409 if found["error"].get("conflict") else 422
            return page(request, name, code, problem=found["error"]["message"])
        return page(request, name, found=found)

    @router.post("/studies/{part}/unobserve")
    def unobserve(request: Request, part: str, form: Form) -> Response:
        name = named_by(part)
        try:
            why = form.get("why") or "on the page"
            desk.study(name).unobserve(form.get("fingerprint"), why, who=who(request))
        except BestdoError as error:
            return page(request, name, code_of(error), problem=str(error))
        return on_to(f"/studies/{segment(name)}")

    return router


def _extension(name: str) -> str:
    """The file's extension, if it is one that is read."""
    stem, extension = os.path.splitext(name.lower())
    more = os.path.splitext(stem)[1] if extension == ".gz" else ""
    return f"{more}{extension}" if extension in (".csv", ".tsv", ".txt", ".parquet", ".gz") else ".csv"
