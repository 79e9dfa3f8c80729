"""The JSON that programs send for a verb of a study: made from the fields of the verb, with limits on lengths and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Annotated, Any, TypeVar, get_type_hints

import pydantic
from pydantic import BaseModel, StringConstraints, create_model

from bestdo.study.verbs.tell import Tell
from bestdo.study.verbs.verb import RoundVerb, Verb
from bestdo.web.api_orders import (
    NO_NUL,
    Amount,
    Budget,
    Context,
    Horizon,
    Label,
    Number,
    Order,
    Parameters,
    Text,
    Values,
    Who,
    Why,
)

__all__ = ["TELLING_MANY", "order_of", "takes"]

_F = TypeVar("_F", bound=Callable[..., object])

_SHORT = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)]
_LONG = Annotated[str, StringConstraints(min_length=1, max_length=10_000, pattern=NO_NUL)]
_LIMITS: dict[str, Any] = {
    "action": _LONG,
    "budget": Budget,
    "context": Context | Annotated[list[Context], pydantic.Field(max_length=1_000)],
    "cost": Budget,
    "cut": Annotated[list[Amount], pydantic.Field(min_length=1, max_length=1_000)],
    "fingerprint": Label,
    "key": _SHORT,
    "learner": Label,
    "n": Annotated[int, pydantic.Field(ge=1, le=1_000)],
    "parameters": Parameters,
    "round": Number,
    "rounds": Horizon,
    "text": _LONG,
    "values": Values,
    "variable": Label,
    "who": Who,
    "why": Text,
    "worker": Who,
}
"""The kinds and limits of fields by name, the same for all verbs; other fields are as the verb has them. Limits keep requests
small; they were chosen, not measured."""


@cache
def order_of(verb: type[Verb[Any]]) -> type[BaseModel]:
    """The JSON that is sent for a verb: its fields, without the number of a round, which stands in the address."""
    hints, on_round = get_type_hints(verb), issubclass(verb, RoundVerb)
    each: dict[str, Any] = {
        field.name: _sent(field, hints[field.name])
        for field in fields(verb)
        if not (on_round and field.name == "number")
    }
    return create_model(verb.__name__, __base__=Order, __doc__=verb.__doc__, **each)


def _sent(field: Field[Any], hint: Any) -> tuple[Any, Any]:
    """The kind of a field, and its default; a reason that must be given is not empty."""
    if field.default is MISSING and field.default_factory is MISSING:
        return Why if field.name == "why" else _LIMITS.get(field.name, hint), ...
    kind = _LIMITS.get(field.name, hint)
    if field.default_factory is not MISSING:
        return kind, pydantic.Field(default_factory=field.default_factory)
    return kind if field.default is not None else kind | None, field.default


def takes(order: type[BaseModel]) -> Callable[[_F], _F]:
    """A decorator of the function of a route: its argument `order` is this JSON."""

    def of(function: _F) -> _F:
        function.__annotations__["order"] = order
        return function

    return of


_TELLING_ONE = create_model(
    "TellingOne", __base__=order_of(Tell), __doc__="The result of one of several rounds.", number=(Number, ...)
)
_SEVERAL: Any = Annotated[list[_TELLING_ONE], pydantic.Field(min_length=1, max_length=10_000)]  # type: ignore[valid-type]
TELLING_MANY = create_model(
    "TellingMany", __base__=Order, __doc__="The results of several rounds.", rounds=(_SEVERAL, ...)
)
"""The JSON that is sent for several results in one request."""
