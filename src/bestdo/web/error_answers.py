"""Errors as HTTP answers: the same words as on the command line, with a status code."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bestdo.errors import BestdoError, Conflict, Finished, StorageError, Waiting
from bestdo.web.rendering import shown_page
from bestdo.web.study_cache import Missing
from bestdo.web.trouble import as_problem, trouble

__all__ = ["code_of", "install", "problem_of", "said"]

_CODES: dict[type[BestdoError], tuple[int, str]] = {
    Missing: (404, "missing"),
    Conflict: (409, "conflict"),
    Waiting: (409, "waiting"),
    Finished: (409, "finished"),
    StorageError: (503, "storage"),
}


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
        first = next(
            (e for e in errors if e["type"] == "finite_number"), errors[0]
        )  # of the kinds that a value can have
        parts = [str(part) for part in first["loc"]]
        where = ".".join(part for part in parts if not part.startswith(("dict[", "list[")))  # kinds that it may have
        allowed = _allowed(request) if first["type"] == "extra_forbidden" and len(first["loc"]) == 2 else ""
        return _answer(request, 422, "invalid", f"{where}: {first['msg']}{allowed}")

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        kind = {404: "missing", 405: "method", 408: "slow", 413: "large"}.get(error.status_code, "invalid")
        answer = _answer(request, error.status_code, kind, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer


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
