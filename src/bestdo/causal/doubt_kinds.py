"""The kinds of doubtful arrows: the probability that such an arrow is there, and the forms that it can have."""

from __future__ import annotations

from typing import NamedTuple

from bestdo.causal.variable import BOTH

__all__ = [
    "CODES",
    "DEFAULTS",
    "EITHER_WAY",
    "FORWARD",
    "KINDS",
    "LINES",
    "ONE_FORM",
    "SHARED",
    "Arrow",
    "DoubtKind",
    "claimed",
    "pair",
    "stated",
]

Arrow = tuple[str, str, str]
"""A cause, `->` and its effect; or two names in their order, with `<->` between them."""
CODES = {"->": 1, "<-": 2, BOTH: 4}
"""The forms of an arrow that is there, and the number of each."""


class DoubtKind(NamedTuple):
    """A kind of doubt about the arrow between two names."""

    probability: float
    """The probability that the arrow is there unless said: each of its forms is equally probable, its absence is one."""
    forms: tuple[str, ...]
    """The forms that it has where it is there, from its first name to its second."""
    open: tuple[int, ...] = ()
    """The ends (0 and 1) where an arrowhead is left open: there it must not meet another cause that is not joined."""


KINDS = {
    "?->": DoubtKind(0.5, ("->",)),
    "?-?": DoubtKind(2 / 3, ("->", "<-")),
    "?<->": DoubtKind(0.5, (BOTH,)),
    "--": DoubtKind(1.0, ("->", "<-"), (0, 1)),
    "@->": DoubtKind(1.0, ("->", BOTH), (0,)),
    "@-@": DoubtKind(1.0, ("->", "<-", BOTH), (0, 1)),
}
"""The kinds of doubt, by their marks."""
DEFAULTS = {mark: kind.probability for mark, kind in KINDS.items()}
"""The probability of each kind unless said."""
LINES = tuple(mark for mark, kind in KINDS.items() if kind.probability == 1)
"""The kinds that are there for sure, in a form that is not known."""
EITHER_WAY = tuple(mark for mark, kind in KINDS.items() if "<-" in kind.forms)
"""The kinds that may be an arrow in either direction: they are drawn without an arrowhead."""
FORWARD = tuple(mark for mark, kind in KINDS.items() if kind.forms == ("->",))
"""The kinds whose first name is the cause, whatever else is open."""
SHARED = tuple(mark for mark, kind in KINDS.items() if kind.forms == (BOTH,))
"""The kinds that are a hidden common cause, whatever else is open."""
ONE_FORM = tuple(mark for mark, kind in KINDS.items() if len(kind.forms) == 1)
"""The kinds of one form: there or not, and nothing else is open."""


def pair(a: str, b: str) -> Arrow:
    """A hidden common cause as an arrow."""
    return min(a, b), BOTH, max(a, b)


def stated(form: str, a: str, b: str) -> Arrow:
    """The form of an arrow from a to b as an arrow."""
    return pair(a, b) if form == BOTH else (a, "->", b) if form == "->" else (b, "->", a)


def claimed(mark: str, a: str, b: str) -> list[Arrow]:
    """The arrows between two names that a doubtful arrow leaves to no other statement: its one form, or both directions."""
    forms = KINDS[mark].forms
    return [stated(form, a, b) for form in (forms if mark in ONE_FORM else dict.fromkeys(("->", "<-", *forms)))]
