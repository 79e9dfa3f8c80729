"""The JSON interface under `/api/v1`; `/api/v1/openapi.json` describes it."""

from __future__ import annotations

import base64
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi

from bestdo.errors import BestdoError
from bestdo.web import api_answers as answers
from bestdo.web import api_orders as orders
from bestdo.web.access import Access
from bestdo.web.routes.api_rounds import rounds_routes
from bestdo.web.routes.api_studies import studies_routes
from bestdo.web.routes.api_verbs import verb_routes
from bestdo.web.slow_routes import slow
from bestdo.web.study_cache import StudyCache
from bestdo.web.trouble import MEDIA_TYPE
from bestdo.web.workers.rehearsal_queue import RehearsalQueue
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["API", "api_routes", "described"]

API = "/api/v1"
"""Where the JSON interface is."""

_WORDS = {
    400: "What was sent is not JSON.",
    401: "The token is missing or wrong.",
    403: "Another page sent this, or the token only allows looking.",
    404: "There is no such study, round or rehearsal, or no such address.",
    408: "The rest of the request did not come.",
    409: "A conflict with what was told; or no round can be handed out before others are told; or finished.",
    413: "Too much was sent.",
    421: "The page is not served under that name.",
    422: "What was sent is not valid; the message says why.",
    503: "The storage failed; nothing was half-written.",
}
_TROUBLE: dict[int | str, dict[str, Any]] = {code: {"description": words} for code, words in _WORDS.items()}


def api_routes(cache: StudyCache, sandbox: Sandbox, rehearsals: RehearsalQueue) -> APIRouter:
    """Routes of the JSON interface."""
    router = APIRouter(prefix=API, responses=_TROUBLE)

    @router.post("/check")
    @slow
    def check(order: orders.Checking) -> dict[str, Any]:
        """What the graph implies before the first round: the answer of `bestdo check -f json`."""
        return answered(sandbox, {"verb": "outlook", **order.model_dump()})

    @router.post("/plan")
    @slow
    def plan(order: orders.Planning) -> answers.Plan:
        """The optimal fixed plan, and its sheet to fill in, as `bestdo design` writes it."""
        said = {"verb": "plan", "text": order.problem, "rounds": order.rounds, "separator": order.separator}
        found = answered(sandbox, said)
        return answers.Plan(**{**found, "sheet": base64.b64decode(found["sheet"]).decode()})

    @router.post("/estimate")
    @slow
    def estimate(order: orders.Estimating) -> dict[str, Any]:
        """The recommendation from the filled sheet of a fixed plan, as `bestdo estimate -f json` gives it."""
        data = base64.b64encode(order.sheet.encode("utf-8", "replace")).decode()
        said = {"verb": "estimate", "text": order.problem, "name": "sheet", "data": data}
        found = answered(sandbox, said)
        del found["scale"]
        return found

    router.include_router(studies_routes(cache, sandbox, rehearsals))
    router.include_router(rounds_routes(cache))
    router.include_router(verb_routes(cache))
    return router


def answered(sandbox: Sandbox, order: dict[str, Any]) -> dict[str, Any]:
    """The sandbox's answer to an order; raises what it says is wrong."""
    found = sandbox.run(order)
    if error := found.pop("error", None):
        line = error.get("line")
        raise BestdoError(f"line {line}: {error['message']}" if line else error["message"])
    return found


def described(app: FastAPI, access: Access) -> dict[str, Any]:
    """The description of the JSON interface, with the ways to say who one is and the media type of errors."""
    if app.openapi_schema is None:
        about = get_openapi(
            title="bestdo", version="1", summary="The verbs of a study, for programs.", routes=app.routes
        )
        about.setdefault("components", {})["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer", "description": "The token that bestdo serve prints."},
            "cookie": {
                "type": "apiKey",
                "in": "cookie",
                "name": access.cookie,
                "description": "What a browser gets for the token in the address.",
            },
        }
        about["security"] = [{"token": []}, {"cookie": []}]
        for operations in about["paths"].values():
            for operation in operations.values():
                for code, answer in operation["responses"].items():
                    if code >= "400":  # not by `responses` of the router: that builds ten models for each route
                        answer["content"] = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Trouble"}}}
        schemas = about["components"]["schemas"]
        schemas["Trouble"] = answers.Trouble.model_json_schema()
        about["components"]["schemas"] = dict(sorted(schemas.items()))
        app.openapi_schema = about
    return app.openapi_schema
