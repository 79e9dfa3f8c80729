"""Finds the column of each variable, although names differ: capitals, spaces, umlauts, units, beginnings."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bestdo.causal.variable import BOTH, Variable
from bestdo.errors import shown

if TYPE_CHECKING:
    from bestdo.data.profile import ColumnProfile

__all__ = ["Match", "left_out", "marked_number", "matched", "named_variable", "same_name", "split_unit"]

_UNIT = re.compile(r"(?P<name>.*\S)\s*(?:\((?P<round>[^()]{1,20})\)|\[(?P<square>[^\[\]]{1,20})\])")
_ALIKE = 0.75
"""The similarity by difflib from which a column is proposed for a variable. Chosen, not measured."""
_SHORTEST = 3
"""Letters that a beginning must have to be one. Chosen, not measured."""
_BEGINNING = 0.7
"""The share of the shorter name with which the longer one must begin. Chosen, not measured."""
_LONGEST = 200
"""Characters of a name, as many as a variable may have."""
_MOST_COMPARED = 100_000
"""The most pairs of a variable and a column that are compared for similarity: 3 s on a busy machine."""
_CACHED = 4096
"""Names whose forms are kept in memory."""
_MOST_MARKED = 12
"""The most labels such as "5 mg" that are taken as they are. Chosen, not measured."""
_MARKED = re.compile(r"[^\d\w]{0,4}(?:[A-Z]{3}\s)?[-+]?\d[\d.,' ]*\s?[^\d\s]{0,6}")
"""A number with a percent sign, a currency, a unit or separators of thousands."""
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_IDS = {"id", "nr", "no", "nummer", "number", "index", "idx", "key", "uuid", "guid", "row", "zeile", "case", "fall",
        "record", "name", "patient", "pid", "unnamed"}  # fmt: skip


@dataclass(frozen=True)
class Match:
    """The column that was found for a variable."""

    variable: str
    column: str | None
    """The column; None where no column is like the variable."""
    sure: bool
    """Whether the names are the same but for how they are written; otherwise it is a proposal."""


def split_unit(heading: str) -> tuple[str, str]:
    """The name and the unit of a heading such as "weight (kg)"; the unit is empty where there is none."""
    found = _UNIT.fullmatch(heading.strip())
    return (heading.strip(), "") if found is None else (found["name"], (found["round"] or found["square"]).strip())


def matched(variables: Sequence[str], columns: Sequence[str], said: Mapping[str, str]) -> dict[str, Match]:
    """The column of each variable: the one that is said, one of the same name, or the most similar of those left.

    An empty name says that a variable has no column.
    """
    found = {name: Match(name, column or None, sure=True) for name, column in said.items()}
    free = [c for c in columns if c not in said.values()]
    for forms in (_as_it_stands, _forms):
        by_form: dict[str, list[str]] = {}
        for column in free:
            for form in forms(column):
                by_form.setdefault(form, []).append(column)
        like = {n: {c for form in forms(n) for c in by_form.get(form, ())} for n in variables if n not in found}
        wanted_by = Counter(column for those in like.values() for column in those)
        for name, those in like.items():
            if len(those) == 1 and wanted_by[next(iter(those))] == 1:
                found[name] = Match(name, those.pop(), sure=True)
        free = [c for c in free if c not in {match.column for match in found.values()}]
    left = [name for name in variables if name not in found]
    if len(left) * len(free) > _MOST_COMPARED:
        left = []
    scores = sorted(
        ((score, name, c) for name in left for c in free if (score := _similar(name, c))), key=lambda item: -item[0]
    )
    taken: set[str] = set()
    for _, name, column in scores:
        if name not in found and column not in taken:
            found[name] = Match(name, column, sure=False)
            taken.add(column)
    return {name: found.get(name, Match(name, None, sure=True)) for name in variables}


def same_name(name: str, other: str) -> bool:
    """Whether names differ in capitals, spaces, marks, umlauts and a unit at most."""
    return bool(_forms(name) & _forms(other))


def _as_it_stands(name: str) -> frozenset[str]:
    """The name without outer spaces."""
    return frozenset((name.strip(),))


@lru_cache(maxsize=_CACHED)
def _forms(name: str) -> frozenset[str]:
    """The letters and digits of a name in lower case, with and without its unit; umlauts as "ae" and as "a"."""
    texts = {name, split_unit(name)[0]}
    folded = {t.casefold().translate(_GERMAN) for t in texts} | {t.casefold().replace("ß", "ss") for t in texts}
    plain = ("".join(c for c in unicodedata.normalize("NFKD", t) if c.isalnum()) for t in folded)
    return frozenset(t for t in plain if t)


@lru_cache(maxsize=_CACHED)
def _words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case."""
    spaced = re.sub(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])", " ", split_unit(name)[0])
    return tuple(w.casefold().translate(_GERMAN) for w in re.split(r"[\W_]+", spaced) if w)


def _similar(name: str, column: str) -> float:
    """The similarity of two names, 0 where they have none: beginnings, initials, or most letters in one order."""
    fewer, more = sorted((_words(name), _words(column)), key=lambda words: sum(map(len, words)))
    short, long = "".join(fewer), "".join(more)
    if len(short) >= _SHORTEST and (long.startswith(short) or short in more):
        return 0.9 + 0.1 * len(short) / len(long)
    if len(short) >= 2 and short == "".join(word[0] for word in more):
        return 0.85
    begin = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if begin > _SHORTEST and begin >= _BEGINNING * len(short):
        return 0.8 * begin / len(short)
    compared = _matcher("".join(_words(name)))
    compared.set_seq1("".join(_words(column)))
    for bound in (compared.real_quick_ratio, compared.quick_ratio, compared.ratio):  # the first ones are quick
        if (ratio := bound()) < _ALIKE:
            return 0.0
    return ratio


@lru_cache(maxsize=1)
def _matcher(name: str) -> difflib.SequenceMatcher[str]:
    """The matcher that compares other names with this one; difflib prepares one name for many comparisons."""
    return difflib.SequenceMatcher(None, "", name)


def left_out(column: ColumnProfile) -> str:
    """The reason why a column is no variable: "a date", "an identifier", "free text", "empty"; empty where it can be one."""
    if column.kind == "nothing":
        return "empty"
    if column.kind == "dates":
        return "a date or time"
    words = _words(column.name)
    if column.unique and column.kind in ("texts", "labels") and column.seen > 20 and not marked_number(column):
        return "different in every row"
    if column.unique and column.kind == "numbers" and _IDS & {w.rstrip("0123456789") for w in words}:
        return "an identifier"
    if column.unique and column.kind == "numbers" and _counts_up(column):
        return "a running number"
    if not column.name.strip() or "id" in words:
        return "an identifier"
    if example := marked_number(column):
        return f"no number that can be read, such as {shown(example)}"
    return "free text" if column.kind == "texts" else ""


def marked_number(column: ColumnProfile) -> str:
    """An example where many texts, most of a column, are numbers with marks, as "45 %" or "1.234,50"; empty otherwise."""
    if 0 < len(column.labels) <= _MOST_MARKED or column.kind not in ("texts", "labels"):
        return ""
    marked = [text for text in column.odd if _MARKED.fullmatch(text)]
    return marked[0] if marked and len(marked) > len(column.odd) / 2 else ""


def _counts_up(column: ColumnProfile) -> bool:
    """Whether the numbers of a column are a first one, the next one, and so on."""
    numbers = column.numbers
    return len(numbers) > 20 and float(numbers[-1] - numbers[0]) == column.seen - 1


def named_variable(column: ColumnProfile, taken: Collection[str]) -> Variable | None:
    """A variable for a column, with a name that is allowed, and the unit of its heading; None where no name is."""
    for wanted, unit in (split_unit(column.name), (column.name, "")):
        plain = ("'" if c in '"`' else c if c.isprintable() and c != "\\" else " " for c in wanted.replace(BOTH, " "))
        name = " ".join("".join(plain).split())
        if name and name not in taken and len(name) <= _LONGEST:
            return Variable(name, unit=unit)
    return None
