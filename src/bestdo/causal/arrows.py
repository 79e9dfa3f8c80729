"""Reads graphs that are written as arrows: ``Z -> X -> Y; X <-> Y; Z ?0.3-> Y``."""

from __future__ import annotations

import re
from typing import NamedTuple

from bestdo.causal.doubt_kinds import KINDS
from bestdo.causal.variable import BOTH
from bestdo.errors import GraphError, shown
from bestdo.text import Scanner, Token, language

__all__ = ["DOUBT", "HEADLESS", "SIGNS", "Arrows", "doubt_of", "doubt_said", "forms_of", "parse"]

_ENDS = sorted((kind[1:] for kind in KINDS if kind.startswith("?")), key=len, reverse=True)
"""The ends of the marks that begin with `?`: a probability may stand between."""
_END = "|".join(map(re.escape, _ENDS))
_OTHER_ENDS = tuple(end for end in _ENDS if "->" not in end)
DOUBT = rf"\?(?:[-+]?[\w.,%/]+(?:[eE][-+]?\d+)?)?(?:{_END})|<-(?:[-+]?[\d.]+(?:[eE][-+]?\d+)?)?\?"
"""A pattern: the marks of doubtful arrows."""
HEADLESS = rf"\?\S*(?:{'|'.join(map(re.escape, _OTHER_ENDS))})"
"""A pattern: the marks of doubtful arrows that hold no `->`."""
SIGNS = ("->", "<-", *_OTHER_ENDS, "@-@")
"""The signs that a text holds arrows, one of them in each mark but `--`, which stands in other texts, too."""
_TOKENS = language(
    marks=rf"{DOUBT}|<->|->|<-@|<-|@->|@-@|--(?=\s|\Z)|;|\n", word=r"(?:[\w.]++|-(?!>))++", skip=r"[^\S\n]"
)
_HINT = (
    f": arrows are ->, <- and <->, and in doubt {', '.join([*KINDS][:-1])} and {[*KINDS][-1]}, with a probability ?0.3-> "
    "(without spaces); other names than plain words stand in quotes"
)
"""The hint where a text cannot be read."""
_MARK = re.compile(rf"\s*(?:{DOUBT}|--|@->|<-@|@-@)\s*")


class Arrows(NamedTuple):
    """The variables and arrows of a text."""

    names: list[str]
    """In order of appearance."""
    directed: list[tuple[str, str]]
    """Cause and effect."""
    both: list[tuple[str, str]]
    """Pairs that share a hidden cause."""
    doubts: list[tuple[str, str, str, float | None]]
    """Doubtful arrows: a name, the kind of doubt, a name, and the probability where one is said."""
    places: list[int]
    """The offset of each doubtful arrow."""


def doubt_of(scanner: Scanner, mark: Token, a: str, b: str) -> tuple[str, str, str, float | None]:
    """A doubtful arrow from its mark, as `?0.3->`, and its two ends."""
    text = mark.text
    if text in ("--", "@->", "@-@"):
        return a, text, b, None
    if text == "<-@":
        return b, "@->", a, None
    backward = text.startswith("<")
    number, kind = (text[2:-1], "?->") if backward else (re.sub(rf"(?:{_END})$", "", text)[1:], "")
    kind = kind or "?" + text[1 + len(number) :]
    ends = (b, kind, a) if backward else (a, kind, b)
    if not number:
        return *ends, None
    try:
        probability = float(number)
    except ValueError:
        scanner.fail(f"{number} is no probability: it is written with a point and without %, as in a ?0.3-> b", mark)
    if not 0 < probability < 1:
        scanner.fail(
            f"the probability of a doubtful arrow is {number}; it is above 0 and below 1: an arrow that is there for sure is "
            "written ->, one that is not is left out",
            mark,
        )
    return *ends, probability


def forms_of(mark: str) -> tuple[str, ...]:
    """The forms that an arrow with a mark can have, from its first name to its second; none where it is no mark."""
    if mark in ("->", BOTH):
        return (mark,)
    end = re.search(rf"(?:{_END})$", mark)
    kind = f"?{end[0]}" if end and mark.startswith("?") else mark
    return KINDS[kind].forms if kind in KINDS else ()


def doubt_said(said: str, mark: str, a: str, b: str) -> tuple[str, str, str, float | None]:
    """A doubtful arrow from what an attribute of it says: a mark such as `?0.3->`, a probability, or that there is a doubt.

    `mark` is what the arrow is where only a probability is said: `->` or `<->`.
    """
    text = said.strip()
    if not _MARK.fullmatch(text):
        text = f"?{'' if text.lower() in ('', 'true', 'yes') else text}{mark}"
    scanner = Scanner(text, _TOKENS, "<doubt>")
    token = scanner.take()
    if token.kind != "mark" or scanner.next.kind != "end":
        raise GraphError(f"doubt is {shown(said)}; it is a probability such as 0.3, a mark such as ?-> or ?-?, or true")
    return doubt_of(scanner, token, a, b)


def parse(text: str) -> Arrows:
    """The variables and arrows of a text of `A -> B`, `A <- B`, `A <-> B`, `A ?-> B`, chains and names.

    Statements end at `;` or at a line's end.
    """
    scanner = Scanner(text, _TOKENS, "<arrows>", _HINT)
    names: dict[str, None] = {}
    arrows = Arrows([], [], [], [], [])
    while scanner.next.kind != "end":
        if scanner.accept(";", "\n"):
            continue
        left = scanner.name("a variable").text
        names[left] = None
        while scanner.next.kind == "mark" and not scanner.sees(";", "\n"):
            mark = scanner.take()
            right = scanner.name("a variable").text
            names[right] = None
            if mark.text == "<->":
                arrows.both.append((left, right))
            elif mark.text in ("->", "<-"):
                arrows.directed.append((left, right) if mark.text == "->" else (right, left))
            else:
                arrows.doubts.append(doubt_of(scanner, mark, left, right))
                arrows.places.append(mark.offset)
            left = right
        if scanner.next.kind != "end":
            scanner.expect(";", "\n", "->", "<-", "<->")
    return arrows._replace(names=list(names))
