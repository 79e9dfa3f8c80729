"""What `bestdo serve` answers to each verb of a study; anything else is the answer of somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "ASKED",
    "BEST",
    "EXPORT",
    "HISTORY",
    "NOTHING",
    "OBSERVED",
    "PROBLEM",
    "ROUNDS",
    "SIGN",
    "STATUS",
    "STUDIES",
    "TROUBLE",
    "VERSION",
    "ListOf",
    "OneOf",
    "Record",
    "Shape",
    "misfit",
]

SIGN = ("Bestdo-Api", "v1")
"""The header, and its value, by which every answer of `bestdo serve` is known, one without a body too."""


@dataclass(frozen=True)
class OneOf:
    """A value of one of these kinds; true and false are no numbers."""

    kinds: tuple[type, ...]


@dataclass(frozen=True)
class ListOf:
    """A list of things of one shape."""

    each: Shape


@dataclass(frozen=True)
class Record:
    """An object with these fields, and maybe the optional ones; others may be there, too."""

    needed: Mapping[str, Shape]
    optional: Mapping[str, Shape] = field(default_factory=dict)


Shape = OneOf | ListOf | Record

_NULL = type(None)
_TEXT, _FLAG, _WHOLE, _OBJECT = OneOf((str,)), OneOf((bool,)), OneOf((int,)), OneOf((dict,))
_NUMBER, _NUMBER_OR_NULL = OneOf((int, float)), OneOf((int, float, _NULL))
_TEXT_OR_NULL, _WHOLE_OR_NULL, _OBJECT_OR_NULL = OneOf((str, _NULL)), OneOf((int, _NULL)), OneOf((dict, _NULL))

NOTHING = OneOf((_NULL,))
"""No body: what was sent is done."""

_OPEN = Record({"number": _WHOLE, "action": _TEXT, "worker": _TEXT}, {"context": _OBJECT})
STATUS = Record(
    {
        **dict.fromkeys(("name", "learner", "unit"), _TEXT),
        **dict.fromkeys(("closed", "finished", "archived", "any_time"), _FLAG),
        **dict.fromkeys(("horizon", "used"), _NUMBER),
        "parameters": _OBJECT,
        "told": _WHOLE,
        "open": ListOf(_OPEN),
        "at_once": _WHOLE_OR_NULL,
        "sure": _TEXT_OR_NULL,
        "alarms": ListOf(_TEXT),
    },
    {
        "first": ListOf(_TEXT),
        "goal": _TEXT,
        "about_learner": _TEXT,
        "cautions": ListOf(_TEXT),
        "repairs": ListOf(_OBJECT),
        "about_alarm": _TEXT,
        "alarm": _OBJECT,
        "earned": _OBJECT_OR_NULL,
        "arrows": ListOf(_OBJECT),
    },
)
STUDIES = ListOf(STATUS)

_ROUND_OUT = Record({"number": _WHOLE, "action": _TEXT, "reason": _TEXT, "expires": _TEXT}, {"context": _OBJECT})
ASKED = Record({"rounds": ListOf(_ROUND_OUT), "fewer": _TEXT_OR_NULL})

PROBLEM = Record({"problem": _TEXT})
VERSION = Record({"version": _TEXT})
OBSERVED = Record({"rows": _WHOLE, "notes": ListOf(_TEXT), "fingerprint": _TEXT})

_ESTIMATE: Mapping[str, Shape] = {
    "action": _TEXT,
    **dict.fromkeys(("mean", "low", "high", "p_best", "seen"), _NUMBER_OR_NULL),
    "played": _WHOLE,
}
_KEEPS: Mapping[str, Shape] = {"keeps_limits": _NUMBER_OR_NULL}
_LINE = Record({**_ESTIMATE, "dropped": _FLAG, "can_be_best": _FLAG}, {**_KEEPS, "retired": _FLAG})
BEST = Record(
    {"recommendation": Record({"kind": _TEXT}), "left": _NUMBER, "actions": ListOf(_LINE)},
    {
        **_ESTIMATE,
        **_KEEPS,
        "rule": _OBJECT_OR_NULL,
        "earned": _OBJECT_OR_NULL,
        "arrows": ListOf(_OBJECT),
        "certainty": _TEXT,
    },
)

ROUNDS = ListOf(Record({"number": _WHOLE, "action": _TEXT, "worker": _TEXT, "status": _TEXT, "told": _OBJECT_OR_NULL}))
_EVENT = Record({"number": _WHOLE, "at": _TEXT, "who": _TEXT, "kind": _TEXT})
HISTORY = ListOf(_EVENT)
TROUBLE = Record({"kind": _TEXT, "detail": _TEXT})
"""Why something was not done."""
EXPORT = Record({"bestdo study": _WHOLE, "name": _TEXT, "events": ListOf(_OBJECT)})


def misfit(found: Any, shape: Shape, where: str = "the answer") -> str:
    """The first part of an answer that is not of its shape, in words; empty where all of it is."""
    if isinstance(shape, OneOf):
        fits = isinstance(found, shape.kinds) and (bool in shape.kinds or not isinstance(found, bool))
        return "" if fits else f"{where} is {_kind(found)}"
    if isinstance(shape, ListOf):
        if not isinstance(found, list):
            return f"{where} is {_kind(found)}, not a list"
        each = (misfit(one, shape.each, f"{where}[{i}]") for i, one in enumerate(found))
        return next(filter(None, each), "")
    if not isinstance(found, dict):
        return f"{where} is {_kind(found)}, not an object"
    missing = [name for name in shape.needed if name not in found]
    if missing:
        return f"{where} has no {missing[0]!r}"
    known = {**shape.needed, **shape.optional}
    return next(filter(None, (misfit(found[k], s, f"{where}.{k}") for k, s in known.items() if k in found)), "")


def _kind(found: Any) -> str:
    """The kind of a value of JSON, in words."""
    names = {bool: "true or false", dict: "an object", list: "a list", str: "text", _NULL: "null"}
    return names.get(type(found), "a number")
