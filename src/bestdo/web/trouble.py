"""Errors of the JSON interface as RFC 9457 has them: `application/problem+json`."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

__all__ = ["MEDIA_TYPE", "as_problem", "trouble"]

MEDIA_TYPE = "application/problem+json"


def as_problem(code: int, kind: str, words: str) -> dict[str, Any]:
    """An error as data for JSON."""
    title = HTTPStatus(code).phrase
    return {"type": f"urn:bestdo:{kind}", "title": title, "status": code, "detail": words, "kind": kind}


def trouble(code: int, kind: str, words: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The answer that says why something was not done."""
    return JSONResponse(as_problem(code, kind, words), code, dict(headers or {}), MEDIA_TYPE)
