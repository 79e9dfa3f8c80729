"""Routes of the rounds of a study, for programs: ask, tell many, and what is known."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from bestdo.errors import BestdoError
from bestdo.report import study_report as report
from bestdo.study.exchange import exported
from bestdo.study.verbs.ask import Ask
from bestdo.web import api_answers as answers
from bestdo.web.error_answers import problem_of
from bestdo.web.routes.api_verbs import BY, Name, RoundNumber, tell, there
from bestdo.web.study_cache import StudyCache, from_slug
from bestdo.web.verb_orders import TELLING_MANY, order_of, takes

__all__ = ["rounds_routes"]

After = Annotated[int, Query(ge=0, le=2**31 - 1, description="Only those with a larger number.")]
Most = Annotated[int, Query(ge=1, le=10_000, description="At most so many.")]


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
        return _round(there(cache, name, number))

    @router.get("/best", response_model_exclude_unset=True)
    def best(name: Name) -> answers.Best:
        """The recommended action, and what is known of all."""
        found = cache.study(from_slug(name)).findings()
        return answers.Best(**found.as_data())

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
    """Adds the routes that ask for rounds, and tell several."""

    @router.post("/ask", description=Ask.about)
    @takes(order_of(Ask))
    def ask(name: Name, order: Any) -> answers.AskedRounds:
        asked = cache.study(from_slug(name)).ask(order.worker or BY, order.n, context=order.context, key=order.key)
        rounds = [answers.Asked(**report.asked_as_data(each)) for each in asked]
        return answers.AskedRounds(rounds=rounds, fewer=asked.fewer)

    @router.post("/tell")
    @takes(TELLING_MANY)
    def tell_many(name: Name, order: Any) -> list[answers.ToldOne]:
        """Tell what several rounds showed, in one request; those that cannot be taken do not keep the others back."""
        return [_told(cache, name, each) for each in order.rounds]


def _told(cache: StudyCache, name: str, order: Any) -> answers.ToldOne:
    """What became of one of several results."""
    try:
        tell(cache, name, order)
    except BestdoError as error:
        return answers.ToldOne(number=order.number, trouble=answers.Trouble(**problem_of(error)))
    return answers.ToldOne(number=order.number, trouble=None)


def _round(row: dict[str, Any]) -> answers.Round:
    """A round as JSON."""
    told = {k: row[k] for k in ("values", "deviated", "late") if k in row}
    plain = {k: row[k] for k in ("number", "action", "worker", "status", "context") if k in row}
    return answers.Round(**plain, told=answers.Known(**told) if told else None)
