"""Routes of the verbs that answer nothing, for programs: each is made from its verb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response

from bestdo.bandit.problem import Problem
from bestdo.errors import BestdoError
from bestdo.study import Study
from bestdo.study.remote_answers import NOTHING
from bestdo.study.study import VERBS
from bestdo.study.verbs.corrections import Amend
from bestdo.study.verbs.horizon_and_learner import ChangeLearner, Extend
from bestdo.study.verbs.tell import Tell
from bestdo.study.verbs.verb import RoundVerb, Verb
from bestdo.usecases.known_learners import registered
from bestdo.web.api_orders import Number
from bestdo.web.study_cache import Missing, StudyCache, from_slug
from bestdo.web.verb_orders import order_of, takes

__all__ = ["BY", "ROUTED", "Name", "RoundNumber", "fits", "tell", "there", "verb_routes"]

Name = Annotated[str, Path(description="The study's name; a slash in it is written ~2F, a tilde ~7E.", min_length=1)]
RoundNumber = Annotated[Number, Path(description="The round.")]
BY = "the JSON interface"
"""Who did something, in the log, where the program does not say it."""

Said = dict[str, Any]
"""The fields of a request."""


def _values_as_text(study: Study, said: Said) -> Said:
    """The fields with numbers that were seen as text, as people would write them."""
    return {**said, "values": {name: str(value) for name, value in said["values"].items()}}


def _of_a_known_learner(study: Study, said: Said) -> Said:
    """The fields, where the learner is one that is registered."""
    return {**said, "learner": registered(said["learner"])}


def _in_its_unit(study: Study, said: Said) -> Said:
    """The fields, where the horizon is said in the unit of the study."""
    fits(study.problem, said["budget"] is not None)
    return said


_CHECKED: dict[type[Verb[Any]], Callable[[Study, Said], Said]] = {
    Tell: _values_as_text,
    Amend: _values_as_text,
    Extend: _in_its_unit,
    ChangeLearner: _of_a_known_learner,
}
"""The checks of the server beyond kinds and lengths, by verb."""
ROUTED = tuple(verb for verb in VERBS if verb.shape is NOTHING)
"""The verbs that answer nothing."""


def verb_routes(cache: StudyCache) -> APIRouter:
    """The routes of all verbs that answer nothing."""
    router = APIRouter(prefix="/studies/{name}")
    for verb in ROUTED:
        on_round = issubclass(verb, RoundVerb)
        router.add_api_route(
            f"/rounds/{{number}}/{verb.path}" if on_round else f"/{verb.path}",
            takes(order_of(verb))((_on_round if on_round else _on_study)(cache, verb)),
            methods=["POST"],
            status_code=204,
            name=verb.command,
            description=verb.about,
        )
    return router


def tell(cache: StudyCache, name: str, order: Any) -> None:
    """Tells what one of several rounds showed."""
    there(cache, name, order.number)
    _carry_out(cache, name, Tell, order.model_dump())


def there(cache: StudyCache, name: str, number: int) -> dict[str, Any]:
    """A round of a study; raises Missing where there is none."""
    found = cache.study(from_slug(name)).rounds(number - 1, 1)
    if not found or found[0]["number"] != number:
        raise Missing(f"there is no round {number}; ask for one first")
    return found[0]


def fits(problem: Problem, budget: bool) -> None:
    """Raises where a budget is said and actions have no costs, or the other way round."""
    if budget != (problem.cost is not None):
        raise BestdoError("actions have no costs: say rounds" if budget else "actions have costs: say budget")


def _on_study(cache: StudyCache, verb: type[Verb[Any]]) -> Callable[..., Response]:
    """The function of a route about a whole study."""

    def carry_out(name: Name, order: Any) -> Response:
        _carry_out(cache, name, verb, order.model_dump())
        return Response(status_code=204)

    return carry_out


def _on_round(cache: StudyCache, verb: type[Verb[Any]]) -> Callable[..., Response]:
    """The function of a route about a round, which must be there."""

    def carry_out(name: Name, number: RoundNumber, order: Any) -> Response:
        there(cache, name, number)
        _carry_out(cache, name, verb, {"number": number, **order.model_dump()})
        return Response(status_code=204)

    return carry_out


def _carry_out(cache: StudyCache, name: str, verb: type[Verb[Any]], said: Said) -> None:
    """Changes a study by what was sent."""
    study = cache.study(from_slug(name))
    fields = {**said, "who": said["who"] or BY}
    study.do(verb(**_CHECKED[verb](study, fields) if verb in _CHECKED else fields))
