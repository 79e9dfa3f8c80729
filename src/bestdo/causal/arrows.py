"""Reads graphs that are written as arrows: ``Z -> X -> Y; X <-> Y``."""

from __future__ import annotations

from bestdo.text import Scanner, language

__all__ = ["Arrows", "join", "parse"]

_TOKENS = language(marks=r"<->|->|<-|;|\n", word=r"(?:[\w.]++|-(?!>))++", skip=r"[^\S\n]")

Arrows = tuple[list[str], list[tuple[str, str]], list[tuple[str, str]]]
"""Names in order of appearance, arrows (cause, effect), pairs that share a hidden cause."""


def join(mark: str, a: str, b: str, directed: list[tuple[str, str]], both: list[tuple[str, str]]) -> None:
    """Appends an arrow to the list of its kind: `directed` for -> and <-, `both` for <->."""
    if mark == "<->":
        both.append((a, b))
    else:
        directed.append((a, b) if mark == "->" else (b, a))


def parse(text: str) -> Arrows:
    """The variables and arrows of a text of `A -> B`, `A <- B`, `A <-> B`, chains and names, split by `;` or line ends."""
    scanner = Scanner(text, _TOKENS, "<arrows>")
    names: dict[str, None] = {}
    directed: list[tuple[str, str]] = []
    both: list[tuple[str, str]] = []
    while scanner.next.kind != "end":
        if scanner.accept(";", "\n"):
            continue
        left = scanner.name("a variable").text
        names[left] = None
        while mark := scanner.accept("->", "<-", "<->"):
            right = scanner.name("a variable").text
            names[right] = None
            join(mark.text, left, right, directed, both)
            left = right
        if scanner.next.kind != "end":
            scanner.expect(";", "\n", "->", "<-", "<->")
    return list(names), directed, both
