"""Errors as HTTP answers: the same words as on the command line, with a status code."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bestdo.errors import BestdoError, Conflict, Deviates, Finished, StorageError, Unusual, Waiting
from bestdo.web.rendering import shown_page
from bestdo.web.study_cache import Missing
from bestdo.web.trouble import as_problem, trouble

__all__ = ["code_of", "install", "problem_of", "said"]

_CODES: dict[type[BestdoError], tuple[int, str]] = {
    Missing: (404, "missing"),
    Conflict: (409, "conflict"),
    Deviates: (422, "deviates"),
    Unusual: (422, "unusual"),
    Waiting: (409, "waiting"),
    Finished: (409, "finished"),
    StorageError: (503, "storage"),
}

_IN_PARTS = ("body.context", "body.rounds")
"""Lists in requests that can be sent in several requests."""


def code_of(error: BestdoError) -> int:
    """The HTTP status code of an error: 404, 409, 503, or 422 for what a person can put right."""
    return _CODES.get(type(error), (422, ""))[0]


def problem_of(error: BestdoError) -> dict[str, Any]:
    """An error as data for JSON."""
    return as_problem(*_CODES.get(type(error), (422, "invalid")), str(error))


def install(app: FastAPI) -> None:
    """Registers the handlers that turn errors into answers, so that routes need not catch them."""

    @app.exception_handler(BestdoError)
    def ours(request: Request, error: BestdoError) -> Response:
        code, kind = _CODES.get(type(error), (422, "invalid"))
        return _answer(request, code, kind, str(error))

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> Response:
        errors = error.errors()
        telling = (e for e in errors if e["type"] in ("finite_number", "too_long"))
        first = next(telling, errors[0])  # of the kinds that a value can have
        parts = [str(part) for part in first["loc"]]
        where = ".".join(part for part in parts if not part.startswith(("dict[", "list[")))  # kinds that it may have
        allowed = _allowed(request) if first["type"] == "extra_forbidden" and len(first["loc"]) == 2 else ""
        words = _too_many(first, where) if first["type"] == "too_long" else first["msg"]
        return _answer(request, 422, "invalid", f"{where}: {words}{allowed}")

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        kind = {404: "missing", 405: "method", 408: "slow", 413: "large"}.get(error.status_code, "invalid")
        answer = _answer(request, error.status_code, kind, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer


def _too_many(error: dict[str, Any], where: str) -> str:
    """The most entries that a part of a request may have, the number that it has where that is known, and a remedy."""
    most, found = error["ctx"]["max_length"], error["ctx"].get("actual_length")
    words = f"at most {most:,} entries in one request" + (f", not {found:,}" if found else "")
    in_parts = error["ctx"]["field_type"] == "List" and where in _IN_PARTS
    return f"{words}; send the rest in further requests" if in_parts else words


def _allowed(request: Request) -> str:
    """The fields that the body of a request may have, for a message."""
    body = getattr(request.scope.get("route"), "body_field", None)
    fields = getattr(getattr(body, "field_info", None), "annotation", None)
    names = getattr(fields, "model_fields", {})
    return f"; allowed: {', '.join(names)}" if names else ""


def _answer(request: Request, code: int, kind: str, words: str) -> Response:
    """An error as JSON below /api, and as a page elsewhere."""
    if request.url.path.startswith("/api"):
        return trouble(code, kind, words)
    return shown_page(request, "error.html", code, words=words, code_=code)


def said(request: Request, code: int, words: str) -> Response:
    """A refusal of a token, in words."""
    return _answer(request, code, "token", words)
