"""The answers of `bestdo serve` to each verb of a study; anything else is the answer of somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bestdo.study.marks import MARKS, MARKS_AT_FIRST

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
    "Shape",
    "misfit",
]

SIGN = ("Bestdo-Api", "v1")
"""The header, and its value, by which every answer of `bestdo serve` is known, one without a body too."""


@dataclass(frozen=True)
class _OneOf:
    """A value of one of these kinds; true and false are no numbers."""

    kinds: tuple[type, ...]


@dataclass(frozen=True)
class _ListOf:
    """A list of things of one shape."""

    each: Shape


@dataclass(frozen=True)
class _Record:
    """An object with these fields, and maybe the optional ones; others may be there, too."""

    needed: Mapping[str, Shape]
    optional: Mapping[str, Shape] = field(default_factory=dict)


Shape = _OneOf | _ListOf | _Record

_NULL = type(None)
_TEXT, _FLAG, _WHOLE, _OBJECT = _OneOf((str,)), _OneOf((bool,)), _OneOf((int,)), _OneOf((dict,))
_NUMBER, _NUMBER_OR_NULL = _OneOf((int, float)), _OneOf((int, float, _NULL))
_TEXT_OR_NULL, _WHOLE_OR_NULL, _OBJECT_OR_NULL = _OneOf((str, _NULL)), _OneOf((int, _NULL)), _OneOf((dict, _NULL))

NOTHING = _OneOf((_NULL,))
"""An answer without a body: the order is done."""

_OPEN = _Record({"number": _WHOLE, "action": _TEXT, "worker": _TEXT}, {"context": _OBJECT})
STATUS = _Record(
    {
        **dict.fromkeys(("name", "learner", "unit"), _TEXT),
        **dict.fromkeys((*MARKS_AT_FIRST, "finished", "any_time"), _FLAG),
        **dict.fromkeys(("horizon", "used"), _NUMBER),
        "parameters": _OBJECT,
        "told": _WHOLE,
        "open": _ListOf(_OPEN),
        "at_once": _WHOLE_OR_NULL,
        "sure": _TEXT_OR_NULL,
        "alarms": _ListOf(_TEXT),
    },
    {
        **dict.fromkeys(MARKS, _FLAG),  # a later one is not known to older servers
        "first": _ListOf(_TEXT),
        "goal": _TEXT,
        "about_learner": _TEXT,
        "cautions": _ListOf(_TEXT),
        "repairs": _ListOf(_OBJECT),
        "about_alarm": _TEXT,
        "alarm": _OBJECT,
        "earned": _OBJECT_OR_NULL,
        "arrows": _ListOf(_OBJECT),
    },
)
STUDIES = _ListOf(STATUS)

_ROUND_OUT = _Record({"number": _WHOLE, "action": _TEXT, "reason": _TEXT, "expires": _TEXT}, {"context": _OBJECT})
ASKED = _Record({"rounds": _ListOf(_ROUND_OUT), "fewer": _TEXT_OR_NULL})

PROBLEM = _Record({"problem": _TEXT})
VERSION = _Record({"version": _TEXT})
OBSERVED = _Record({"rows": _WHOLE, "notes": _ListOf(_TEXT), "fingerprint": _TEXT})

_ESTIMATE: Mapping[str, Shape] = {
    "action": _TEXT,
    **dict.fromkeys(("mean", "low", "high", "p_best", "seen"), _NUMBER_OR_NULL),
    "played": _WHOLE,
}
_KEEPS: Mapping[str, Shape] = {"keeps_limits": _NUMBER_OR_NULL}
_LINE = _Record({**_ESTIMATE, "dropped": _FLAG, "can_be_best": _FLAG}, {**_KEEPS, "retired": _FLAG})
BEST = _Record(
    {"recommendation": _Record({"kind": _TEXT}), "left": _NUMBER, "actions": _ListOf(_LINE)},
    {
        **_ESTIMATE,
        **_KEEPS,
        "rule": _OBJECT_OR_NULL,
        "earned": _OBJECT_OR_NULL,
        "arrows": _ListOf(_OBJECT),
        "certainty": _TEXT,
    },
)

ROUNDS = _ListOf(
    _Record({"number": _WHOLE, "action": _TEXT, "worker": _TEXT, "status": _TEXT, "told": _OBJECT_OR_NULL})
)
_EVENT = _Record({"number": _WHOLE, "at": _TEXT, "who": _TEXT, "kind": _TEXT})
HISTORY = _ListOf(_EVENT)
TROUBLE = _Record({"kind": _TEXT, "detail": _TEXT})
"""The reason why something was not done."""
EXPORT = _Record({"bestdo study": _WHOLE, "name": _TEXT, "events": _ListOf(_OBJECT)})


def misfit(found: Any, shape: Shape, where: str = "the answer") -> str:
    """The first part of an answer that is not of its shape, in words; empty where all of it is."""
    if isinstance(shape, _OneOf):
        fits = isinstance(found, shape.kinds) and (bool in shape.kinds or not isinstance(found, bool))
        return "" if fits else f"{where} is {_kind(found)}"
    if isinstance(shape, _ListOf):
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
