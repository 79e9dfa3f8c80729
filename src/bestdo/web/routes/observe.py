"""Routes that take a file of old data into a study, and take it out again; the sandbox reads the file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from bestdo.data.workbook import SPREADSHEETS
from bestdo.errors import BestdoError
from bestdo.web.error_answers import code_of
from bestdo.web.forms import Form, Sent
from bestdo.web.guard import who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.slow_routes import slow
from bestdo.web.study_cache import StudyCache, from_slug, to_slug
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["observe_routes"]

_FIELDS = ("sheet", "missing", "same", "columns", "ignore", "probability", "chosen")
"""The fields of the form that say how a file is read."""


def observe_routes(cache: StudyCache, sandbox: Sandbox) -> APIRouter:
    """Routes of a study's old data."""
    router = APIRouter(include_in_schema=False)

    def page(request: Request, name: str, code: int = 200, **values: Any) -> HTMLResponse:
        """The page of old data, with what was found in a file or what is wrong with it."""
        values = {"problem": "", "found": None, "reading": {}, "old": cache.study(name).old_data(), **values}
        return shown_page(request, "old.html", code, name=name, **values)

    @router.get("/studies/{slug}/old")
    def old(request: Request, slug: str) -> HTMLResponse:
        return page(request, from_slug(slug))

    @router.post("/studies/{slug}/observe")
    @slow
    def observe(request: Request, slug: str, form: Form) -> Response:
        name = from_slug(slug)
        cache.study(name)
        typed = {key: form.get(key) for key in _FIELDS}
        if "file" not in form.files:
            return page(request, name, 422, problem="choose a file of old data", reading=typed)
        said, data = form.files["file"]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"data{_extension(said)}"
            path.write_bytes(data)
            order: dict[str, Any] = {
                "verb": "observe",
                "url": cache.url,
                "study": name,
                "path": str(path),
                "name": said,
            }
            try:
                order |= {"who": who(request), "force": form.get("force") == "yes", "reading": _reading(form)}
                found = sandbox.run(order)
            except BestdoError as error:
                return page(request, name, 422, problem=str(error), reading=typed)
        if found["error"]:
            code = 409 if found["error"].get("conflict") else 422
            return page(request, name, code, problem=found["error"]["message"], reading=typed)
        return page(request, name, found=found)

    @router.post("/studies/{slug}/unobserve")
    def unobserve(request: Request, slug: str, form: Form) -> Response:
        name = from_slug(slug)
        try:
            why = form.get("why") or "on the page"
            cache.study(name).unobserve(form.get("fingerprint"), why, who=who(request))
        except BestdoError as error:
            return page(request, name, code_of(error), problem=str(error))
        return on_to(f"/studies/{to_slug(name)}")

    return router


def _extension(name: str) -> str:
    """The file's extension, if it is one that is read."""
    stem, extension = os.path.splitext(name.lower())
    more = os.path.splitext(stem)[1] if extension == ".gz" else ""
    return f"{more}{extension}" if extension in (".csv", ".tsv", ".txt", ".parquet", ".gz", *SPREADSHEETS) else ".csv"


def _reading(form: Sent) -> dict[str, Any]:
    """The reading of the file, as the form says it; lists are separated by commas."""
    lists = ("missing", "same", "ignore", "chosen")
    listed = {key: [t for t in map(str.strip, form.get(key).split(",")) if t] for key in lists}
    pairs = [each.partition("=") for each in form.get("columns").split(",") if each.strip()]
    for name, equals, column in pairs:
        if not (name.strip() and equals and column.strip()):
            raise BestdoError(f"columns of other names are given as variable=column, not as {name.strip()!r:.60}")
    columns = {name.strip(): column.strip() for name, _, column in pairs}
    return {**listed, "columns": columns, "sheet": form.get("sheet"), "probability": form.get("probability").strip()}
