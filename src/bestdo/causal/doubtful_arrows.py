"""Doubtful arrows: two variables, what may be between them, and how probable it is."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from bestdo.arguments import listed, shown_value
from bestdo.causal.candidates import arrows_of, with_arrows
from bestdo.causal.doubt_kinds import DEFAULTS, FORWARD, KINDS, LINES, SHARED, Arrow, claimed, stated
from bestdo.causal.graph import BOTH, Graph
from bestdo.errors import DoubtError, GraphError, shown, unknown
from bestdo.text import quoted

__all__ = ["Doubt", "checked_doubts", "doubts_in_order"]

_MOST_CHECKED = 100
"""The most doubts among which an impossible one is looked for: more leave too many graphs anyway. Chosen, not measured."""


class Doubt(NamedTuple):
    """A doubtful arrow between two variables.

    kind: `?->` (there or not), `?-?` (in either direction, or not there), `?<->` (a hidden common cause, or none); and what
    other programs leave open: `--` (there, in either direction, as in a CPDAG), `@->` (an arrow or a hidden common cause) and
    `@-@` (an arrow in either direction, or a hidden common cause), the circle marks of a PAG.
    probability: that it is there, in whatever direction; 0.5, or 2/3 of `?-?`, unless said; 1 of the last three kinds.

    >>> import bestdo
    >>> print(bestdo.Doubt("shade", "?->", "yield", 0.3))
    shade ?0.3-> yield
    """

    a: str
    kind: str
    b: str
    probability: float

    def __str__(self) -> str:
        return f"{quoted(self.a)} {self.mark} {quoted(self.b)}"

    @property
    def mark(self) -> str:
        """The mark between the two names in a text, with the probability where it is not the usual one."""
        usual = DEFAULTS[self.kind] == self.probability
        return self.kind if usual else f"?{self.probability!r}{self.kind[1:]}"


def doubts_in_order(times: Iterable[Iterable[str]], known: Iterable[Arrow]) -> list[Arrow]:
    """A doubtful arrow for every pair that an order leaves open: `?->` from the earlier to the later, `?-?` at the same time.

    `known` are arrows with their marks, in doubt or not. A pair is left open where at most a hidden common cause is known of
    it. Raises DoubtError, with its place among `known`, at an arrow that is against the order.
    """
    time = {name: i for i, names in enumerate(times) for name in names}
    joined = set[frozenset[str]]()
    for place, (a, mark, b) in enumerate(known):
        if mark in ("->", *FORWARD) and a in time and b in time and time[a] > time[b]:
            against = f"{quoted(a)} {mark} {quoted(b)} is against the order, in which {shown(b)} is earlier"
            raise DoubtError(against, place)
        if mark not in (BOTH, *SHARED):
            joined.add(frozenset((a, b)))
    pairs = (pair for pair in itertools.combinations(time, 2) if frozenset(pair) not in joined)
    return [(a, "?->" if time[a] < time[b] else "?-?", b) for a, b in pairs]


def checked_doubts(sure: Graph, arrows: Iterable[Sequence[Any]]) -> list[Doubt]:
    """The doubtful arrows, each with its probability; raises DoubtError at the one that cannot be."""
    checked: list[Doubt] = []
    known, names = dict.fromkeys(arrows_of(sure), "is stated"), set(sure.names)
    for place, given in enumerate(listed("arrows", arrows, "[('shade', '?->', 'yield', 0.3)]")):
        if (
            not isinstance(given, tuple | list)
            or len(given) not in (3, 4)
            or not all(isinstance(x, str) for x in given[:3])
        ):
            raise DoubtError(f"a doubt looks like ('shade', '?->', 'yield', 0.3), not {shown_value(given)}", place)
        a, kind, b = given[:3]
        if kind not in DEFAULTS:
            raise DoubtError(unknown("kind of doubt", kind, DEFAULTS), place)
        doubt = Doubt(a, kind, b, _probability(given, place))
        for name in (a, b):
            if name not in names:
                raise DoubtError(unknown("variable", name, sure.names), place)
        if a == b:
            raise DoubtError(f"{doubt}: a variable can neither cause itself nor share a cause with itself", place)
        own_arrows = claimed(kind, a, b)
        for arrow in own_arrows:
            if arrow in known:
                own = f"{quoted(arrow[0])} {arrow[1]} {quoted(arrow[2])}"
                raise DoubtError(f"{doubt}: {own} {known[arrow]} already: leave one of them out", place)
        known |= dict.fromkeys(own_arrows, "is in doubt")
        checked.append(doubt)
    for place, doubt in enumerate(checked if len(checked) <= _MOST_CHECKED else ()):
        _check_allowed(sure, doubt, place)
    return checked


def _probability(given: Sequence[Any], place: int) -> float:
    """The probability of a doubtful arrow: that which was given, checked, or the usual one."""
    a, kind, b = given[:3]
    usual = DEFAULTS[kind]
    value = given[3] if len(given) == 4 and given[3] is not None else usual
    if kind in LINES:
        if value != usual:
            raise DoubtError(f"{quoted(a)} {kind} {quoted(b)} is there for sure, and has no probability", place)
        return usual
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise DoubtError(
            f"the probability of {quoted(a)} {kind} {quoted(b)} is {shown_value(value)}; it is above 0 and below 1: an arrow "
            f"that is there for sure is written {kind.replace('?', '') or '->'}, one that is not is left out",
            place,
        )
    return float(value)


def _check_allowed(sure: Graph, doubt: Doubt, place: int) -> None:
    """Raises DoubtError where no graph can have the doubtful arrow: a cycle with what is sure, or a number as a cause."""
    forms = KINDS[doubt.kind].forms
    if doubt.kind in LINES or BOTH in forms:
        return
    wrong = ""
    for cause, _, effect in (stated(form, doubt.a, doubt.b) for form in forms):
        made = with_arrows(sure, [(cause, effect)])
        try:
            Graph(made.variables, dict(made.parents), made.reward, made.success, made.worth, made.aim)
            return
        except GraphError as error:
            wrong = str(error)
    if doubt.kind == "?->" and doubt.b in sure.parents[doubt.a]:
        wrong += (
            f". Is it which way round? Then write {Doubt(doubt.a, '--', doubt.b, 1.0)}, or "
            f"{Doubt(doubt.a, '?-?', doubt.b, DEFAULTS['?-?'])} where it may not be there, in place of both"
        )
    raise DoubtError(f"{doubt} can be in no graph: {wrong}", place)
