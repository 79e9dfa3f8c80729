"""The verbs of a study for programs: JSON in, JSON out; `/api/openapi.json` describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from bestdo.errors import BestdoError
from bestdo.files import parse
from bestdo.report import study_report as report
from bestdo.study import Study
from bestdo.study.exchange import exported
from bestdo.usecases.begin import begin as begin_study
from bestdo.usecases.known_learners import registered
from bestdo.web import api_models as models
from bestdo.web.slow_routes import slow
from bestdo.web.study_cache import StudyCache, from_slug
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["api_routes"]

_WORDS = {
    400: "What was sent is not JSON.",
    401: "The token is missing or wrong.",
    403: "Another page sent this, or the token only allows looking.",
    404: "There is no such study, or no such address.",
    409: "A conflict with what was told; or no round can be handed out before others are told; or finished.",
    413: "Too much was sent.",
    421: "The page is not served under that name.",
    422: "What was sent is not valid; the message says why.",
    503: "The storage failed; nothing was half-written.",
}
_TROUBLE: dict[int | str, dict[str, Any]] = {
    code: {"model": models.Trouble, "description": words} for code, words in _WORDS.items()
}
Name = Annotated[str, Path(description="The study's name; a slash in it is written ~2F, a tilde ~7E.", min_length=1)]
After = Annotated[int, Query(ge=0, le=2**31 - 1, description="Only those with a larger number.")]
Most = Annotated[int, Query(ge=1, le=10_000, description="At most so many.")]
RoundNumber = Annotated[models.Number, Path(description="The round.")]
_BY = "the JSON interface"


def api_routes(cache: StudyCache, sandbox: Sandbox) -> APIRouter:
    """Routes of the JSON interface, below /api."""
    router = APIRouter(prefix="/api", responses=_TROUBLE)

    @router.post("/check")
    @slow
    def check(order: models.Checking) -> dict[str, Any]:
        """What the graph implies before the first round: the answer of `bestdo check -f json`."""
        answer = sandbox.run({"verb": "outlook", **order.model_dump()})
        if answer.get("error"):
            raise BestdoError(answer["error"]["message"])
        return answer

    _studies(router, cache, sandbox)
    _rounds(router, cache)
    _results(router, cache)
    return router


def _studies(router: APIRouter, cache: StudyCache, sandbox: Sandbox) -> None:
    """Adds the routes of whole studies."""

    @router.get("/studies")
    def studies() -> list[models.Status]:
        """All studies."""
        return [_status(cache.study(name)) for name in cache.names()]

    @router.post("/studies", status_code=201)
    @slow
    def begin(order: models.Begun) -> models.Status:
        """Begin a study.

        Every single action is taken where the problem names none. The tables that it gives for variables other than the
        reward are known to the learner, unless `graph_only` says that they are not.
        """
        said = order.model_dump(include={"problem", "reward", "success", "worth", "aim", "rounds", "graph_only"})
        stated = sandbox.run({"verb": "state", **said})
        if stated["error"]:
            raise BestdoError(stated["error"]["message"])
        problem = parse(stated["problem"].encode(), "problem.toml").problem
        assert problem is not None
        learner, who = registered(order.learner or stated["learner"]), order.who or _BY
        return _status(
            begin_study(cache.url, order.name, problem, order.rounds, learner, seed=order.seed, who=who).study
        )

    @router.get("/studies/{name}")
    def status(name: Name) -> models.Status:
        """The state of a study."""
        return _status(cache.study(from_slug(name)))

    @router.get("/studies/{name}/version")
    def version(name: Name) -> models.Version:
        """A text that changes whenever anything happens in the study; fast to ask for."""
        return models.Version(version=cache.version(from_slug(name)))

    @router.post("/studies/{name}/notes", status_code=204)
    def note(name: Name, order: models.Noted) -> Response:
        """Keep a remark in the log."""
        cache.study(from_slug(name)).note(order.text, order.round, who=order.who or _BY)
        return Response(status_code=204)

    @router.post("/studies/{name}/extend", status_code=204)
    def extend(name: Name, order: models.Extended) -> Response:
        """Set another number of rounds for the whole study."""
        cache.study(from_slug(name)).extend(order.rounds, order.why, who=order.who or _BY)
        return Response(status_code=204)

    @router.post("/studies/{name}/close", status_code=204)
    def close(name: Name, order: models.Closed) -> Response:
        """Hand out no more rounds; what is out can still be told."""
        cache.study(from_slug(name)).close(order.why, who=order.who or _BY)
        return Response(status_code=204)

    @router.delete("/studies/{name}", status_code=204)
    def delete(name: Name) -> Response:
        """Forget the study and all its rounds."""
        cache.study(from_slug(name)).delete()
        return Response(status_code=204)


def _rounds(router: APIRouter, cache: StudyCache) -> None:
    """Adds the routes of rounds."""

    @router.post("/studies/{name}/ask")
    def ask(name: Name, order: models.Asking) -> list[models.Asked]:
        """The next rounds for this worker: those that are out already first."""
        asked = cache.study(from_slug(name)).ask(order.worker or _BY, order.n)
        return [models.Asked(**report.asked_as_data(each)) for each in asked]

    @router.get("/studies/{name}/rounds")
    def rounds(name: Name, after: After = 0, most: Most = 1_000) -> list[models.Round]:
        """Rounds and what became of them, in their order."""
        return [_round(each) for each in cache.study(from_slug(name)).rounds(after, most)]

    @router.post("/studies/{name}/rounds/{number}/tell", status_code=204)
    def tell(name: Name, number: RoundNumber, order: models.Told) -> Response:
        """Tell what a round showed. The same again does nothing; other values are a conflict."""
        study = cache.study(from_slug(name))
        study.tell(number, _as_text(order.values), key=order.key, who=order.who or _BY, happened=order.happened)
        return Response(status_code=204)

    @router.post("/studies/{name}/rounds/{number}/amend", status_code=204)
    def amend(name: Name, number: RoundNumber, order: models.Amended) -> Response:
        """Correct what was told of a round; the log keeps both."""
        study = cache.study(from_slug(name))
        study.amend(number, _as_text(order.values), order.why, who=order.who or _BY, happened=order.happened)
        return Response(status_code=204)

    @router.post("/studies/{name}/rounds/{number}/withdraw", status_code=204)
    def withdraw(name: Name, number: RoundNumber, order: models.Withdrawn) -> Response:
        """Take a round back."""
        cache.study(from_slug(name)).withdraw(number, order.why, lost=order.lost, who=order.who or _BY)
        return Response(status_code=204)


def _results(router: APIRouter, cache: StudyCache) -> None:
    """Adds the routes of what is known: the recommendation, the log, the export."""

    @router.get("/studies/{name}/best", response_model_exclude_unset=True)
    def best(name: Name) -> models.Best:
        """The recommended action, and what is known of all."""
        found = cache.study(from_slug(name)).findings()
        return models.Best(**report.best_as_data(found.best, found.estimates, found.problem.actions))

    @router.get("/studies/{name}/history")
    def history(name: Name, after: After = 0, most: Most = 1_000) -> list[models.Event]:
        """The log, oldest first."""
        return [models.Event(**each) for each in cache.study(from_slug(name)).history(after, most)]

    @router.get("/studies/{name}/export")
    def export(name: Name) -> dict[str, Any]:
        """The whole study; `bestdo import` reads it."""
        return exported(cache.study(from_slug(name)))


def _status(study: Study) -> models.Status:
    """The state of a study as JSON."""
    found = study.status()
    return models.Status(**{name: found[name] for name in models.Status.model_fields})


def _as_text(values: Mapping[str, str | float]) -> dict[str, str]:
    """The values with numbers as text, as people would write them."""
    return {name: str(value) for name, value in values.items()}


def _round(row: dict[str, Any]) -> models.Round:
    """A round as JSON."""
    told = {k: row[k] for k in ("values", "deviated", "late") if k in row}
    plain = {k: row[k] for k in ("number", "action", "worker", "status")}
    return models.Round(**plain, told=models.Known(**told) if told else None)
