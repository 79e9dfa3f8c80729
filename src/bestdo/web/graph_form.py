"""A problem as a form: variables with their values, arrows, the reward, limits, what may be set and what it costs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from bestdo.bandit.goal import FIND, GOALS
from bestdo.bandit.limit import CONTEXT
from bestdo.causal.number import NUMBERS
from bestdo.errors import BestdoError

__all__ = ["MOST_ROWS", "FormError", "GraphForm", "LimitRow", "Row", "cuts_of", "drawn_form", "read_form"]

MOST_ROWS, _MOST_ARROWS = 200, 2000
"""The largest graph that the form shows; larger ones are edited as text. Chosen, not measured."""
_MOST_LIMITS, _MOST_WORTHS = 20, 60
"""The most limits, and the most values of the reward that are worth a number, in the form. Chosen, not measured."""

_BETWEEN = re.compile(r"\s*;\s*|,\s+|\s+")
"""Between the cuts of a variable; a comma without a space after it is a decimal comma."""


@dataclass(frozen=True)
class Row:
    """A row of the form: a variable as it is typed."""

    name: str = ""
    values: str = ""
    """Separated by commas."""
    settable: bool = False
    hidden: bool = False
    cost: str = ""
    """The cost of a round that sets it; 1, as that of a round that sets nothing, when empty."""
    description: str = ""
    unit: str = ""
    kind: str = "values"
    """The measure: `values`, `cut` (a number that is cut into values), a kind of number (`NUMBERS`), or `grid` (evenly
    spaced numbers)."""
    cut: str = ""
    """The borders between the values, separated by semicolons or spaces."""
    low: str = ""
    high: str = ""
    spread: str = ""
    first: str = ""
    last: str = ""
    steps: str = ""
    before: bool = False
    """Whether it is seen before the action is chosen."""
    x: str = ""
    y: str = ""
    """The place in the drawing that a person chose; empty where the drawing decides."""
    stated: Mapping[str, str] = field(default_factory=dict)
    """The further statements about a number, by their keys (`Number.asked`)."""

    @property
    def is_number(self) -> bool:
        """Whether the variable is a number, of one of the kinds that there are."""
        return self.kind in NUMBERS


_TICKED = ("settable", "hidden", "before")
_TYPED = tuple(part.name for part in fields(Row) if part.name not in (*_TICKED, "stated"))
"""The fields of a row that are text."""
_ASKED = tuple(dict.fromkeys(asked.key for kind in NUMBERS.values() for asked in kind.asked))
_KINDS = ("values", "cut", "grid", *NUMBERS)


@dataclass(frozen=True)
class LimitRow:
    """A limit as it is typed."""

    variable: str = ""
    value: str = ""
    """The value that is limited; of a number, the quantity, as in `OF_A_NUMBER`."""
    beside: str = ""
    """The number that belongs to the quantity of a number."""
    side: str = "at_most"
    bound: str = ""
    safe: str = ""
    """The actions that are known to keep the limit, with semicolons between; it then holds while exploring, too."""
    over: str = CONTEXT
    """The people over whom it is kept on average."""


@dataclass(frozen=True)
class GraphForm:
    """The contents of the form of a graph and its problem."""

    rows: tuple[Row, ...]
    arrows: tuple[tuple[str, str, str], ...]
    """The arrows: from, `->` or `<->`, to."""
    reward: str = ""
    success: str = ""
    at_most: int = 1
    """The most variables that a round may set."""
    wanted: str = "success"
    """The kind of a reward with values: `success`, one of them is; or `worth`, each is worth a number."""
    worth: tuple[tuple[str, str], ...] = ()
    """The values of the reward, and the number that each is worth."""
    aim: str = ""
    """`maximise` or `minimise` the mean of a number, or of a worth."""
    limits: tuple[LimitRow, ...] = ()
    sure: str = ""
    """The probability in per cent with which a recommended action must keep all limits; 90 when empty."""
    goal: str = FIND
    """`find`, where the action kept at the end counts, or `earn`, where every round does."""

    def as_data(self) -> dict[str, Any]:
        """The form as plain data, to be sent to the sandbox as JSON."""
        return asdict(self)

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> GraphForm:
        """The form from what `as_data` returned."""
        rows = tuple(Row(**row) for row in data["rows"])
        arrows = tuple((str(a), str(m), str(b)) for a, m, b in data["arrows"])
        worth = tuple((str(v), str(n)) for v, n in data["worth"])
        limits = tuple(LimitRow(**limit) for limit in data["limits"])
        plain = {name: data[name] for name in ("reward", "success", "at_most", "wanted", "aim", "sure", "goal")}
        return cls(rows, arrows, worth=worth, limits=limits, **plain)


class FormError(BestdoError):
    """An error in one row, arrow or limit of the form."""

    def __init__(
        self, message: str, row: int | None = None, arrow: int | None = None, limit: int | None = None
    ) -> None:
        super().__init__(message, row, arrow, limit)
        self.message = message
        self.where = {"row": row, "arrow": arrow, "limit": limit}


def read_form(fields: Mapping[str, str]) -> GraphForm:
    """The form from the fields that a browser sends: name-0, values-0, …, from-0, mark-0, to-0.

    A button may add or remove a row. A variable that was renamed (was-0 is its old name) keeps its arrows, and stays
    the reward if it was.
    """
    rows = []
    renamed: dict[str, str] = {}
    for i in range(_count(fields, "rows", MOST_ROWS)):
        typed = {k: fields.get(f"{k}-{i}", "").strip() for k in _TYPED}
        if typed["kind"] not in _KINDS:
            typed["kind"] = "values"
        stated = {key: text for key in _ASKED if (text := fields.get(f"{key}-{i}", "").strip())}
        if fields.get("take") != f"row-{i}":
            ticked = {key: f"{key}-{i}" in fields for key in _TICKED}
            rows.append(Row(**ticked, **typed, stated=stated))  # type: ignore[arg-type]  # text and yes or no by their names
            renamed[fields.get(f"was-{i}", "")] = typed["name"]
    arrows = []
    for i in range(_count(fields, "arrows", _MOST_ARROWS)):
        a, b = (renamed.get(fields.get(f"{end}-{i}", ""), "") for end in ("from", "to"))
        if fields.get("take") != f"arrow-{i}" and (bool(a) == bool(b) or fields.get("take", "") == ""):
            arrows.append((a, fields.get(f"mark-{i}", "->"), b))
    for i, row in enumerate(rows if not fields.get("take") else ()):
        cause = fields.get(f"cause-{i}", "")
        mark = "<->" if cause.startswith("<->") else "->"
        if cause and renamed.get(cause.removeprefix("<->")):
            arrows.append((renamed[cause.removeprefix("<->")], mark, row.name))
    if fields.get("add") == "row":
        taken = {row.name for row in rows}
        free = next(f"variable {k}" for k in range(len(rows) + 1, 2 * len(rows) + 3) if f"variable {k}" not in taken)
        rows.append(Row(free, "no, yes"))
    limits = []
    for i in range(_count(fields, "limits", _MOST_LIMITS)):
        typed = {
            k: fields.get(f"limit-{k}-{i}", "").strip() for k in ("value", "beside", "side", "bound", "safe", "over")
        }
        typed |= {"side": typed["side"] or "at_most", "over": typed["over"] or CONTEXT}
        if fields.get("take") != f"limit-{i}":
            limits.append(LimitRow(renamed.get(fields.get(f"limit-of-{i}", "").strip(), ""), **typed))
    if fields.get("add") == "limit":
        limits.append(LimitRow())
    most = fields.get("at_most", "1")
    worths = _count(fields, "worths", _MOST_WORTHS)
    return GraphForm(
        tuple(rows),
        tuple(arrows),
        renamed.get(fields.get("reward", ""), ""),
        fields.get("success", ""),
        int(most) if most in ("1", "2", "3") else 1,
        "worth" if fields.get("wanted") == "worth" else "success",
        tuple((fields.get(f"worth-of-{i}", ""), fields.get(f"worth-{i}", "").strip()) for i in range(worths)),
        fields.get("aim", ""),
        tuple(limits),
        fields.get("sure", "").strip(),
        fields["goal"] if fields.get("goal") in GOALS else FIND,
    )


def drawn_form(form: GraphForm, drawing: Mapping[str, Any]) -> GraphForm:
    """The form with the variables, arrows and reward of a drawing.

    The drawing has `nodes` (name, was, values, settable, hidden, before, x, y), `arrows` (from, mark, to), `reward`,
    `success` and `aim`. What it does not show of a variable, as cuts and costs, stays as it was under its old name, `was`.
    """
    old = {row.name: row for row in form.rows}
    rows, renamed = [], dict[str, str]()
    try:
        for node in list(drawing["nodes"])[:MOST_ROWS]:
            was = str(node.get("was") or "")
            renamed[was] = name = str(node["name"]).strip()
            row = replace(old.get(was, Row(values="no, yes")), name=name, x=_place(node["x"]), y=_place(node["y"]))
            if row.kind == "values":
                row = replace(row, values=", ".join(str(value).strip() for value in node["values"]))
            rows.append(replace(row, **{key: bool(node[key]) for key in _TICKED}))  # type: ignore[arg-type]
        arrows = tuple((str(a), str(mark), str(b)) for a, mark, b in list(drawing["arrows"])[:_MOST_ARROWS])
        reward, success, aim = (str(drawing[key]) for key in ("reward", "success", "aim"))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BestdoError("the drawing cannot be understood: load the page again") from None
    limits = tuple(replace(limit, variable=renamed.get(limit.variable, "")) for limit in form.limits)
    return replace(
        form, rows=tuple(rows), arrows=arrows, reward=reward, success=success, aim=aim or form.aim, limits=limits
    )


def _place(number: Any) -> str:
    """A coordinate in whole pixels as text; empty where there is none."""
    return "" if number is None else str(round(float(number)))


def cuts_of(text: str) -> tuple[str, ...]:
    """The cuts that were typed: "18; 25", or "18,5"."""
    return tuple(part for part in _BETWEEN.split(text.strip()) if part)


def _count(fields: Mapping[str, str], name: str, most: int) -> int:
    """The whole number in a field; 0 where there is none, and at most so many."""
    text = fields.get(name, "")
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) <= 6 else 0
