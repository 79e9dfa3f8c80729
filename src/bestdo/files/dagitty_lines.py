"""Reads the older form of DAGitty text: a line for each variable, an empty line, and a line of effects for each cause.

`X E @1.2,0.5` is the variable X, an exposure, at this position; `X Z @1,1 Y` says that X causes Z and Y. Instead of lines of
effects there may be a square of 0 and 1, in which a row lists the effects of its variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from bestdo.causal.graph import Variable
from bestdo.errors import shown, unknown
from bestdo.files.declarations import (
    MOST_ARROWS,
    Contents,
    Declarations,
    Position,
    Source,
    Wanted,
    check_count,
    contents_of,
)

__all__ = ["PLACED", "read"]

PLACED = re.compile(r"^[^\n@]*\S[ \t]+@[-+]?[\d.]+,[-+]?[\d.]+[ \t]*$", re.MULTILINE)
"""A line of a variable with its position, by which such a text is known."""
_EMPTY = re.compile(r"\n[ \t]*\n")
_SQUARE = re.compile(r"[\s01]+")
_LETTERS = {"E": "exposure", "O": "outcome", "A": "adjusted", "U": "latent"}
_MOST_WORDS = 40
"""The most words of a name: a limit of time. Chosen, not measured."""
_LARGEST_SQUARE = 500
"""The most variables of a square: a limit of memory. Chosen, not measured."""


class _Word(NamedTuple):
    """A word of the text, and its offset."""

    text: str
    offset: int


def read(source: Source, wanted: Wanted) -> Contents:
    """Reads variables with their marks and positions, and their arrows; two opposite arrows are `<->`."""
    text = source.text
    start = len(text) - len(text.lstrip())
    gap = _EMPTY.search(text, start)
    if gap is None:
        raise source.error("an empty line is missing between the variables and their effects", len(text.rstrip()))
    declared = Declarations()
    positions: dict[str, Position] = {}
    notes = [
        note
        for words in _lines(text, start, gap.start())
        for note in _variable(source, words, declared, positions, wanted)
    ]
    rest = text[gap.end() :]
    square = _SQUARE.fullmatch(rest)
    pairs = _square(source, gap.end(), list(declared.variables)) if square else _effects(source, gap.end(), declared)
    both: dict[tuple[str, str], int] = {}
    for count, (pair, offset) in enumerate(pairs):
        if count >= MOST_ARROWS:
            raise source.error(f"these are more than {MOST_ARROWS:,} arrows, which is the most allowed", offset)
        both[pair] = offset
    for (a, b), offset in both.items():
        if (b, a) not in both:
            declared.arrows[("->", a, b)] = offset
        elif a <= b:
            declared.arrows[("<->", a, b)] = offset
    contents = contents_of(source, declared, wanted)
    return Contents(contents.graph, contents.problem, positions=positions, notes=tuple(notes))


def _lines(text: str, start: int, end: int) -> Iterator[list[_Word]]:
    """The words of each line that is not empty, between two offsets."""
    for line in re.finditer(r"[^\n]+", text[start:end]):
        words = [_Word(word[0], start + line.start() + word.start()) for word in re.finditer(r"\S+", line[0])]
        if words:
            yield words


def _variable(
    source: Source, words: list[_Word], declared: Declarations, positions: dict[str, Position], wanted: Wanted
) -> Iterator[str]:
    """Adds the variable of a line `name marks @x,y`, whose marks and position may be missing; yields notes about it."""
    first = words[0]
    place = words.pop() if len(words) > 1 and words[-1].text.startswith("@") else None
    marks = words.pop() if len(words) > 1 else _Word("1", first.offset)
    name = unquote(" ".join(word.text for word in words))
    for letter in marks.text:
        if letter not in _LETTERS and not letter.isdigit() and letter not in ".-":
            known = ", ".join(f"{letter} ({word})" for letter, word in _LETTERS.items())
            raise source.error(
                f"unknown mark {shown(letter)}; the marks of a variable are {known} and 1 (none)", marks.offset
            )
    if name in declared.variables:
        raise source.error(f"variable {shown(name)} is declared twice", first.offset)
    check_count(source, len(declared.variables) + 1, first.offset)
    with source.at(first.offset):
        declared.variables[name] = Variable(name, hidden="U" in marks.text)
    if place is not None:
        positions[name] = _position(source, place)
    if "E" in marks.text:
        declared.settable[name] = first.offset
    if "O" in marks.text and wanted.reward in (None, name):
        if declared.reward is not None:
            both = f"{shown(declared.reward)} and {shown(name)}"
            raise source.error(f"{both} are both marked as the reward; choose one with reward=", marks.offset)
        declared.reward, declared.reward_at = name, marks.offset
    if "A" in marks.text:
        yield f"the mark A of {shown(name)} is not used: what to adjust for follows from the graph"


def _position(source: Source, word: _Word) -> Position:
    """The position in a word `@x,y`."""
    try:
        x, y = (float(part) for part in word.text[1:].split(","))
    except ValueError:
        raise source.error(f"the position {shown(word.text)} is not two numbers, as in @1.5,-2", word.offset) from None
    return x, y


def _square(source: Source, start: int, names: list[str]) -> Iterator[tuple[tuple[str, str], int]]:
    """The arrows (cause, effect) of a square of 0 and 1, with their offsets."""
    if len(names) > _LARGEST_SQUARE:
        raise source.error(f"a square is read for at most {_LARGEST_SQUARE} variables: write lines of effects", start)
    rows = list(_lines(source.text, start, len(source.text)))
    for number, row in enumerate(rows):
        if len(rows) != len(names) or len(row) != len(names):
            size = f"line {number + 1} of {len(rows)} has {len(row)} numbers"
            raise source.error(
                f"the square has a row and a column for each of {len(names)} variables; {size}", row[0].offset
            )
        for effect, word in zip(names, row, strict=True):
            if word.text != "0":
                yield (names[number], effect), word.offset


def _effects(source: Source, start: int, declared: Declarations) -> Iterator[tuple[tuple[str, str], int]]:
    """The arrows (cause, effect) of lines `cause effect effect …`, with their offsets; positions of bends are skipped."""
    for line in _lines(source.text, start, len(source.text)):
        words = [word for word in line if not word.text.startswith("@")]
        names: list[_Word] = []
        at = 0
        while at < len(words):
            ends = range(at + 1, min(len(words), at + _MOST_WORDS) + 1)
            tried = ((unquote(" ".join(word.text for word in words[at:end])), end) for end in ends)
            longest = next(((name, end) for name, end in tried if name in declared.variables), None)
            if longest is None:
                raise source.error(unknown("variable", words[at].text, declared.variables), words[at].offset)
            names.append(_Word(longest[0], words[at].offset))
            at = longest[1]
        for effect in names[1:]:
            yield (names[0].text, effect.text), effect.offset
