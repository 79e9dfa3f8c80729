"""Text in and out: a scanner with a line and a column for every error, quoting, singular and plural."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple, NoReturn

from bestdo.errors import FileError, shown

__all__ = ["Scanner", "Token", "counted", "in_quotes", "language", "place", "quoted"]

_BARE = re.compile(r"\w[\w.]*")  # what needs no quotes


class Token(NamedTuple):
    """A token: a word, a quoted string, a punctuation mark, or the end of the text."""

    kind: str
    """`word`, `string`, `mark` or `end`."""
    text: str
    """What it says, without its quotes."""
    offset: int
    """Where it starts in the text."""


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the plural unless it is 1: 1 round, 1,000 rounds."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def language(marks: str, word: str, skip: str) -> re.Pattern[str]:
    """The regular expression for the tokens of a language, from those for its marks, its words and what is skipped."""
    string = r'"(?P<string>[^"\\]*+(?:\\.[^"\\]*+)*+)"'
    either = rf"{string}|(?P<mark>{marks})|(?P<word>{word})|(?P<end>\Z)|(?P<bad>.)"
    return re.compile(rf"(?:{skip})*+(?:{either})", re.DOTALL)


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

    def __init__(self, text: str, tokens: re.Pattern[str], source: str) -> None:
        self._text = text
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
            self._raise(f"cannot read {shown(self._text[start : start + 20])} here", start)
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
        found = "the end of the text" if self._next.kind == "end" else shown(self._next.text)
        self.fail(f"found {found}, expected {wanted}")
