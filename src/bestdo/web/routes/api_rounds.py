"""Routes of the rounds of a study, for programs: ask, tell, amend, undo, withdraw, and what is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from bestdo.errors import BestdoError
from bestdo.report import study_report as report
from bestdo.study.exchange import exported
from bestdo.web import api_answers as answers
from bestdo.web import api_orders as orders
from bestdo.web.error_answers import problem_of
from bestdo.web.study_cache import Missing, StudyCache, from_slug

__all__ = ["BY", "Name", "rounds_routes"]

Name = Annotated[str, Path(description="The study's name; a slash in it is written ~2F, a tilde ~7E.", min_length=1)]
After = Annotated[int, Query(ge=0, le=2**31 - 1, description="Only those with a larger number.")]
Most = Annotated[int, Query(ge=1, le=10_000, description="At most so many.")]
RoundNumber = Annotated[orders.Number, Path(description="The round.")]
BY = "the JSON interface"
"""Who did something, in the log, where the program does not say it."""


def rounds_routes(cache: StudyCache) -> APIRouter:
    """Routes of rounds and results."""
    router = APIRouter(prefix="/studies/{name}")
    _verbs(router, cache)

    @router.get("/rounds")
    def rounds(name: Name, after: After = 0, most: Most = 1_000) -> list[answers.Round]:
        """Rounds and what became of them, in their order."""
        return [_round(each) for each in cache.study(from_slug(name)).rounds(after, most)]

    @router.get("/rounds/{number}")
    def one_round(name: Name, number: RoundNumber) -> answers.Round:
        """A round and what became of it."""
        return _round(_there(cache, name, number))

    @router.get("/best", response_model_exclude_unset=True)
    def best(name: Name) -> answers.Best:
        """The recommended action, and what is known of all."""
        found = cache.study(from_slug(name)).findings()
        return answers.Best(**report.best_as_data(found.best, found.estimates, found.problem.actions, found.arrows))

    @router.get("/history")
    def history(name: Name, after: After = 0, most: Most = 1_000) -> list[answers.Event]:
        """The log, oldest first."""
        return [answers.Event(**each) for each in cache.study(from_slug(name)).history(after, most)]

    @router.get("/export")
    def export(name: Name) -> dict[str, Any]:
        """The whole study; `import` takes it."""
        return exported(cache.study(from_slug(name)))

    return router


def _verbs(router: APIRouter, cache: StudyCache) -> None:
    """Adds the routes that change rounds."""

    @router.post("/ask")
    def ask(name: Name, order: orders.Asking) -> answers.AskedRounds:
        """The next rounds for this worker: those that are out already first."""
        asked = cache.study(from_slug(name)).ask(order.worker or BY, order.n, context=order.context, key=order.key)
        rounds = [answers.Asked(**report.asked_as_data(each)) for each in asked]
        return answers.AskedRounds(rounds=rounds, fewer=asked.fewer)

    @router.post("/tell")
    def tell_many(name: Name, order: orders.TellingMany) -> list[answers.ToldOne]:
        """Tell what several rounds showed, in one request; those that cannot be taken do not keep the others back."""
        return [_told(cache, name, each) for each in order.rounds]

    @router.post("/rounds/{number}/tell", status_code=204)
    def tell(name: Name, number: RoundNumber, order: orders.Telling) -> Response:
        """Tell what a round showed. The same again does nothing; other values are a conflict."""
        _tell(cache, name, number, order)
        return Response(status_code=204)

    @router.post("/rounds/{number}/amend", status_code=204)
    def amend(name: Name, number: RoundNumber, order: orders.Amending) -> Response:
        """Correct what was told of a round; values that are not given stay, and the log keeps both."""
        _there(cache, name, number)
        study, values = cache.study(from_slug(name)), _as_text(order.values)
        study.amend(number, values, order.why, whole=order.whole, who=order.who or BY, happened=order.happened)
        return Response(status_code=204)

    @router.post("/rounds/{number}/undo", status_code=204)
    def undo(name: Name, number: RoundNumber, order: orders.Undoing) -> Response:
        """Take back that a round was told: it is out again, as before."""
        _there(cache, name, number)
        cache.study(from_slug(name)).undo(number, order.why, who=order.who or BY)
        return Response(status_code=204)

    @router.post("/rounds/{number}/withdraw", status_code=204)
    def withdraw(name: Name, number: RoundNumber, order: orders.Withdrawing) -> Response:
        """Take a round back."""
        _there(cache, name, number)
        cache.study(from_slug(name)).withdraw(number, order.why, lost=order.lost, who=order.who or BY)
        return Response(status_code=204)


def _told(cache: StudyCache, name: str, order: orders.TellingOne) -> answers.ToldOne:
    """What became of one of several results."""
    try:
        _tell(cache, name, order.number, order)
    except BestdoError as error:
        return answers.ToldOne(number=order.number, trouble=answers.Trouble(**problem_of(error)))
    return answers.ToldOne(number=order.number, trouble=None)


def _tell(cache: StudyCache, name: str, number: int, order: orders.Telling) -> None:
    """Tells what a round showed."""
    _there(cache, name, number)
    study, values = cache.study(from_slug(name)), _as_text(order.values)
    study.tell(number, values, key=order.key, who=order.who or BY, happened=order.happened)


def _there(cache: StudyCache, name: str, number: int) -> dict[str, Any]:
    """A round of a study; raises Missing where there is none."""
    found = cache.study(from_slug(name)).rounds(number - 1, 1)
    if not found or found[0]["number"] != number:
        raise Missing(f"there is no round {number}; ask for one first")
    return found[0]


def _as_text(values: Mapping[str, str | float]) -> dict[str, str]:
    """The values with numbers as text, as people would write them."""
    return {name: str(value) for name, value in values.items()}


def _round(row: dict[str, Any]) -> answers.Round:
    """A round as JSON."""
    told = {k: row[k] for k in ("values", "deviated", "late") if k in row}
    plain = {k: row[k] for k in ("number", "action", "worker", "status", "context") if k in row}
    return answers.Round(**plain, told=answers.Known(**told) if told else None)
