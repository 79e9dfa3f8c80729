"""Routes of the verbs that answer nothing, for programs: each is made from a verb and from the JSON that it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel

from bestdo.bandit.problem import Problem
from bestdo.errors import BestdoError
from bestdo.study import Study
from bestdo.study.verbs.actions_and_cuts import AddAction, Recut
from bestdo.study.verbs.corrections import Amend, Undo, Withdraw
from bestdo.study.verbs.ends import Archive, Close, Reopen, Unarchive
from bestdo.study.verbs.horizon_and_learner import ChangeLearner, Extend
from bestdo.study.verbs.note import Note
from bestdo.study.verbs.observe import Unobserve
from bestdo.study.verbs.tell import Tell
from bestdo.study.verbs.verb import RoundVerb, Verb
from bestdo.usecases.known_learners import registered
from bestdo.web import api_orders as orders
from bestdo.web.study_cache import Missing, StudyCache, from_slug

__all__ = ["BY", "VERBS", "Name", "RoundNumber", "VerbRoute", "fits", "tell", "there", "verb_routes"]

Name = Annotated[str, Path(description="The study's name; a slash in it is written ~2F, a tilde ~7E.", min_length=1)]
RoundNumber = Annotated[orders.Number, Path(description="The round.")]
BY = "the JSON interface"
"""Who did something, in the log, where the program does not say it."""

Said = dict[str, Any]
"""The fields of a request."""


def _as_sent(study: Study, said: Said) -> Said:
    """The fields as they were sent."""
    return said


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


class VerbRoute(NamedTuple):
    """The route of a verb."""

    name: str
    verb: type[Verb[None]]
    order: type[BaseModel]
    """The JSON that is sent; it has the fields of the verb, without the number of a round."""
    about: str
    checked: Callable[[Study, Said], Said] = _as_sent


VERBS = (
    VerbRoute(
        "tell",
        Tell,
        orders.Telling,
        "Tell what a round showed. The same again does nothing; other values are a conflict.",
        _values_as_text,
    ),
    VerbRoute(
        "amend",
        Amend,
        orders.Amending,
        "Correct what was told of a round; values that are not given stay, and the log keeps both.",
        _values_as_text,
    ),
    VerbRoute("undo", Undo, orders.Undoing, "Take back that a round was told: it is out again, as before."),
    VerbRoute("withdraw", Withdraw, orders.Withdrawing, "Take a round back."),
    VerbRoute("note", Note, orders.Noting, "Keep a remark in the log."),
    VerbRoute(
        "extend",
        Extend,
        orders.Extending,
        "Set another number of rounds, or another budget, for the whole study.",
        _in_its_unit,
    ),
    VerbRoute(
        "learner",
        ChangeLearner,
        orders.Switching,
        "Let another learner go on; it is told everything so far.",
        _of_a_known_learner,
    ),
    VerbRoute("add", AddAction, orders.Adding, "Allow a further action from now on."),
    VerbRoute(
        "recut",
        Recut,
        orders.Recutting,
        "Cut the numbers of a variable at other borders; all rounds so far are counted again.",
    ),
    VerbRoute("close", Close, orders.Closing, "Hand out no more rounds; what is out can still be told."),
    VerbRoute("reopen", Reopen, orders.Closing, "Hand out rounds again."),
    VerbRoute("archive", Archive, orders.Closing, "Put the study away: closed, and left out of lists."),
    VerbRoute("unarchive", Unarchive, orders.Closing, "Bring the study back from the archive."),
    VerbRoute("unobserve", Unobserve, orders.Unobserving, "Take old data out of a study again."),
)
_TELL = VERBS[0]


def verb_routes(cache: StudyCache) -> APIRouter:
    """The routes of all verbs that answer nothing."""
    router = APIRouter(prefix="/studies/{name}")
    for route in VERBS:
        on_round = issubclass(route.verb, RoundVerb)
        router.add_api_route(
            f"/rounds/{{number}}/{route.verb.path}" if on_round else f"/{route.verb.path}",
            (_on_round if on_round else _on_study)(cache, route),
            methods=["POST"],
            status_code=204,
            name=route.name,
            description=route.about,
        )
    return router


def tell(cache: StudyCache, name: str, order: orders.TellingOne) -> None:
    """Tells what one of several rounds showed."""
    there(cache, name, order.number)
    _carry_out(cache, name, _TELL, order.model_dump())


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


def _on_study(cache: StudyCache, route: VerbRoute) -> Callable[..., Response]:
    """The function of a route about a whole study."""

    def carry_out(name: Name, order: Any) -> Response:
        _carry_out(cache, name, route, order.model_dump())
        return Response(status_code=204)

    carry_out.__annotations__["order"] = route.order
    return carry_out


def _on_round(cache: StudyCache, route: VerbRoute) -> Callable[..., Response]:
    """The function of a route about a round, which must be there."""

    def carry_out(name: Name, number: RoundNumber, order: Any) -> Response:
        there(cache, name, number)
        _carry_out(cache, name, route, {"number": number, **order.model_dump()})
        return Response(status_code=204)

    carry_out.__annotations__["order"] = route.order
    return carry_out


def _carry_out(cache: StudyCache, name: str, route: VerbRoute, said: Said) -> None:
    """Changes a study by what was sent."""
    study = cache.study(from_slug(name))
    study.do(route.verb(**route.checked(study, {**said, "who": said["who"] or BY})))
