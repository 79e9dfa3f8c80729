"""The fields of *New study* that say how long a study is and how it is run, beside its problem."""

from __future__ import annotations

from typing import Any, NamedTuple

from bestdo.errors import BestdoError, shown
from bestdo.web.forms import Sent

__all__ = ["KEPT", "MORE", "begin_settings"]


class _Field(NamedTuple):
    """A field under *More settings*."""

    name: str
    label: str
    usual: str
    """The field's value when nothing was typed."""
    about: str
    """A sentence for people."""
    placeholder: str = ""


MORE = (
    _Field(
        "until_sure",
        "Stop when sure, in per cent",
        "",
        "The study ends as soon as one action is the best with this confidence, 95 say, however early that is.",
        "never",
    ),
    _Field(
        "at_once",
        "Rounds out at once",
        "",
        "At most so many rounds are handed out before their results are told; without a number there is no limit.",
        "no limit",
    ),
    _Field(
        "lease",
        "Days until a round is handed out again",
        "7",
        "A round that nobody has told after so many days is given to somebody else; a late result still counts.",
    ),
    _Field(
        "alarm",
        "False alarms about the graph, in per cent",
        "5",
        "How often rounds may seem to contradict a graph that is right, in the whole study; 0 means no alarm.",
    ),
    _Field("seed", "Seed of random numbers", "0", "The same seed, problem and results give the same rounds again."),
)
"""The fields that hold a number, as the options of `bestdo new` of the same names."""

KEPT = ("study", "rounds_", "learner", "graph_only", "wait", *(each.name for each in MORE))
"""The names of all fields, which are sent along while the part of the page that shows them is not there."""


def begin_settings(form: Sent) -> dict[str, Any]:
    """The arguments of `Study.create` that the form says; raises where a field cannot be understood."""
    sure, at_once, seed = (form.get(name) for name in ("until_sure", "at_once", "seed"))
    return {
        "until_sure": _number(form, "until_sure", 100) / 100 if sure else None,
        "at_once": _whole(form, "at_once") if at_once else None,
        "lease": _number(form, "lease"),
        "alarm": _number(form, "alarm", 100) / 100,
        "seed": _whole(form, "seed") if seed else 0,
        "wait": form.get("wait") == "yes",
    }


def _said(form: Sent, name: str) -> tuple[_Field, str]:
    """A field, and what was typed into it or is usual."""
    field = next(each for each in MORE if each.name == name)
    return field, form.get(name) or field.usual


def _number(form: Sent, name: str, below: float = float("inf")) -> float:
    """The number in a field, from 0 and below a bound; with a decimal point or comma."""
    field, text = _said(form, name)
    try:
        found = float(text.replace(",", "."))
    except ValueError:
        found = -1.0
    if not 0 <= found < below or (name == "until_sure" and not found):
        allowed = f"a number from 0 to below {below:g}" if below < float("inf") else "a number from 0"
        raise BestdoError(f"{field.label} (More settings) is {shown(text)}; give {allowed}")
    return found


def _whole(form: Sent, name: str) -> int:
    """The whole number in a field."""
    field, text = _said(form, name)
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise BestdoError(f"{field.label} (More settings) is {shown(text)}; give a whole number")
    return int(text)
