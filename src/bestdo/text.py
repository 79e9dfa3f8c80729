"""Text in and out: a scanner with a line and a column for every error, quoting, plurals, numbers with their decimals."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import NamedTuple, NoReturn

from bestdo.errors import FileError, shown

__all__ = [
    "Scanner",
    "Token",
    "but_for_capitals",
    "capital",
    "chance",
    "counted",
    "decimals_of",
    "frequency",
    "in_quotes",
    "language",
    "left_out",
    "percent",
    "place",
    "quoted",
    "rounded",
    "sentence",
    "share",
    "with_error",
    "with_interval",
]

_TWO_DIGITS = 35  # the largest error, in units of its second digit, that is shown with two digits: usual in physics
_MOST_DECIMALS = 6  # with so many a number is hard to read; chosen, not measured
_AS_GOOD_AS = 1e-9  # this near to 0 or 1 a share is shown as that: rounding errors of sums; chosen, not measured
_MOST_DECIMALS = (
    6  # with so many decimals a number is shown with a power of ten where it needs one; chosen, not measured
)
_LARGE = 1e9  # and so is a number from here on; chosen, not measured
_BARE = re.compile(r"\w[\w.]*")  # what needs no quotes


class Token(NamedTuple):
    """A token: a word, a quoted string, a punctuation mark, or the end of the text."""

    kind: str
    """`word`, `string`, `mark` or `end`."""
    text: str
    """The token's text, without its quotes."""
    offset: int
    """The token's place in the text."""


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the plural unless it is 1: 1 round, 1,000 rounds."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return f"{text[:1].upper()}{text[1:]}"


def sentence(text: str) -> str:
    """A remark as a sentence, with a capital and a full stop; empty where there is none."""
    return f"{capital(text)}." if text else ""


def left_out(rows: int) -> str:
    """A note that so many rows are left out."""
    return f"{counted(rows, 'row')} {'is' if rows == 1 else 'are'} left out"


def decimals_of(error: float) -> int:
    """The decimals that a number deserves that is known up to this error: 2 for 0.12 and 0.04, 4 for 0.0012 and 0.0004.

    The error itself is shown with two digits where they are below 36, otherwise with one, so that rounding adds at most
    about a seventh to it.
    """
    if not (math.isfinite(error) and error > 0):
        return 0
    place = math.floor(math.log10(error))
    two = round(error / 10.0 ** (place - 1)) <= _TWO_DIGITS
    return min(max(1 - place if two else -place, 0), _MOST_DECIMALS)


def with_error(number: float, error: float, least: int = 0) -> str:
    """A number and its error, with as many decimals as the error deserves: 0.0612 ± 0.0004."""
    decimals = max(decimals_of(error), least)
    return f"{number:.{decimals}f} ± {error:.{decimals}f}"


def with_interval(number: float, low: float, high: float) -> str:
    """A number and its interval, with as many decimals as the interval deserves: 0.0612 (0.0608 to 0.0616)."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{number:.3g} ({low:.3g} to {high:.3g})"
    decimals = decimals_of((high - low) / 2)
    return f"{number:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})"


def rounded(number: float, decimals: int) -> str:
    """A number with this many decimals; with a power of ten where it needs one."""
    plain = decimals < _MOST_DECIMALS and abs(number) < _LARGE
    return f"{number:.{decimals}f}" if plain else f"{number:.4g}"


def share(number: float, decimals: int) -> str:
    """A number from 0 to 1 with this many decimals, or up to four where fewer make it 0 or 1 and it is neither."""
    if number <= _AS_GOOD_AS or number >= 1 - _AS_GOOD_AS:
        return f"{number:.{decimals}f}"
    for more in range(decimals, max(decimals, 4) + 1):
        if 0 < float(text := f"{number:.{more}f}") < 1:
            return text
    return f"<{10.0**-more:.{more}f}" if number < 0.5 else f">{1 - 10.0**-more:.{more}f}"


def chance(probability: float) -> str:
    """A probability for a person: 0.87, 0.998, >0.999; it is never shown as sure."""
    if not math.isfinite(probability):
        return "–"
    if 0.01 <= round(probability, 4) <= 0.99:
        return f"{probability:.2f}"
    return "<0.001" if probability < 0.0005 else ">0.999" if probability >= 0.9995 else f"{probability:.3f}"


def percent(probability: float) -> str:
    """A probability in percent for a person: 87 %, 99.8 %, >99.9 %; it is never shown as sure."""
    if not math.isfinite(probability):
        return "–"
    if 0.01 <= round(probability, 4) <= 0.99:
        return f"{100 * probability:.0f} %"
    return "<0.1 %" if probability < 0.0005 else ">99.9 %" if probability >= 0.9995 else f"{100 * probability:.1f} %"


def frequency(share: float) -> str:
    """The share of some simulations, in percent: 87%, 99.8%, and 100% where it is all of them."""
    return f"{share:.0%}" if share in (0, 1) else percent(share).replace(" ", "")


def language(marks: str, word: str, skip: str) -> re.Pattern[str]:
    """The regular expression for the tokens of a language, from those for its marks, its words and what is skipped."""
    string = r'"(?P<string>[^"\\]*+(?:\\.[^"\\]*+)*+)"'
    either = rf"{string}|(?P<mark>{marks})|(?P<word>{word})|(?P<end>\Z)|(?P<bad>.)"
    return re.compile(rf"(?:{skip})*+(?:{either})", re.DOTALL)


def but_for_capitals(text: str, words: Collection[str]) -> str:
    """The word that differs from the text by capitals and spaces around alone, otherwise the text itself."""
    alike = [word for word in words if word.casefold() == text.strip().casefold()]
    return alike[0] if text not in words and len(alike) == 1 else text


def quoted(text: str) -> str:
    """The text as written in a file: without quotes when it is a plain word, otherwise in quotes."""
    return text if _BARE.fullmatch(text) else in_quotes(text)


def in_quotes(text: str) -> str:
    """The text in quotes; quotes and backslashes inside it are escaped."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def place(text: str, offset: int) -> tuple[int, int]:
    """The line and the column of an offset in the text, both counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


class Scanner:
    """Reads the tokens of a text one after the other, looking one token ahead."""

    def __init__(self, text: str, tokens: re.Pattern[str], source: str, hint: str = "") -> None:
        """`hint` is said where a token cannot be read, or is not what is wanted."""
        self._text = text
        self._hint = hint
        self._match = tokens.match
        self._source = source
        self._next = self._read(0)

    def _read(self, offset: int) -> Token:
        """The token that starts at or after an offset."""
        match = self._match(self._text, offset)
        assert match is not None
        kind = match.lastgroup
        assert kind is not None
        text = match[kind]
        if kind == "bad":
            start = match.start(kind)
            if text == '"':
                self._raise("the quotes that open here are never closed", start)
            self._raise(f"cannot read {shown(self._text[start : start + 20])} here{self._hint}", start)
        if kind == "string":
            text = re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) if "\\" in text else text
        self._after = match.end()
        return Token(kind, text, match.start(kind))

    def _raise(self, message: str, offset: int) -> NoReturn:
        raise FileError(message, self._source, *place(self._text, offset))

    def fail(self, message: str, token: Token | None = None) -> NoReturn:
        """Raises FileError at a token (the next one when none is given)."""
        self._raise(message, (token or self._next).offset)

    @property
    def next(self) -> Token:
        """The next token, without taking it."""
        return self._next

    def take(self) -> Token:
        """Takes the next token and returns it."""
        token = self._next
        if token.kind != "end":
            self._next = self._read(self._after)
        return token

    def sees(self, *marks: str) -> bool:
        """Whether the next token is one of these marks."""
        return self._next.kind == "mark" and self._next.text in marks

    def accept(self, *marks: str) -> Token | None:
        """Takes and returns the next token when it is one of these marks; otherwise returns None."""
        return self.take() if self.sees(*marks) else None

    def expect(self, *marks: str) -> Token:
        """Takes and returns the next token, which must be one of these marks."""
        if not self.sees(*marks):
            self.unexpected(" or ".join(shown(mark) for mark in marks))
        return self.take()

    def name(self, what: str) -> Token:
        """Takes and returns the next token, which must be a word or a quoted string."""
        if self._next.kind not in ("word", "string"):
            self.unexpected(what)
        return self.take()

    def keyword(self, words: Collection[str]) -> Token:
        """Takes and returns the next token, which must be one of these words."""
        if self._next.kind != "word" or self._next.text not in words:
            self.unexpected(" or ".join(shown(word) for word in words))
        return self.take()

    def unexpected(self, wanted: str) -> NoReturn:
        """Raises FileError because the next token is not what is wanted."""
        token = "the end of the text" if self._next.kind == "end" else shown(self._next.text)
        self.fail(f"found {token}, expected {wanted}{self._hint}")
