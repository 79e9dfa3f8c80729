"""The positions of keys and list items in a TOML text, which tomllib does not report."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Path", "Places"]

Path = tuple[str | int, ...]
"""A key, or an item of a list, by the keys and indices that lead to it."""

_TOKEN = re.compile(
    r"(?:[ \t\r]|#[^\n]*)*+(?:"
    r'(?P<text>"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}|' + r"'''(?:[^']++|'(?!''))*+'{3,5}|"
    r'"(?:[^"\\\n]++|\\.)*+"|' + r"'[^'\n]*+')|"
    r"(?P<mark>[\[\]{},=\n])|(?P<bare>[^\s\[\]{},=#\"']+)|\Z)",
    re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    text: str
    offset: int


class Places:
    """The offset of each path in a text that tomllib has accepted; the text is scanned when first asked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[Path, int] | None = None

    def __call__(self, path: object) -> int:
        """The offset of a key or item, or of the innermost one around it that has an offset."""
        if not isinstance(path, tuple) or not path:
            return 0
        if self._found is None:
            try:
                self._found = _walk(self._text)
            except (
                RecursionError,
                StopIteration,
                IndexError,
            ):  # scanned otherwise than tomllib does: errors are about the whole file
                self._found = {}
        while path and path not in self._found:
            path = path[:-1]
        return self._found.get(path, 0)


def _tokens(text: str) -> Iterator[_Token]:
    """The tokens of the text, without white space and comments."""
    offset = 0
    while match := _TOKEN.match(text, offset):
        if match.lastgroup is None:
            return
        yield _Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))
        offset = match.end()


def _walk(text: str) -> dict[Path, int]:
    """The offsets of all paths, statement by statement; a statement is a [header] or a key with its value."""
    offsets: dict[Path, int] = {}
    tokens = [*_tokens(text), _Token("mark", "\n", len(text))]
    tokens.reverse()  # the next token is the last of the list
    table: Path = ()
    times = Counter[Path]()  # how often each [[header]] stood so far
    while tokens:
        if tokens[-1].text == "\n":
            tokens.pop()
        elif tokens[-1].text == "[" and tokens[-1].kind == "mark":
            start, brackets = tokens[-1].offset, 0
            while tokens[-1].text == "[":
                tokens.pop()
                brackets += 1
            table = _key(tokens, (), offsets)
            if brackets > 1:
                times[table] += 1
                table = (*table, times[table] - 1)
                offsets[table] = start
            while tokens[-1].text == "]":
                tokens.pop()
        else:
            path = _key(tokens, table, offsets)
            tokens.pop()  # the =
            _value(tokens, path, offsets)
    return offsets


def _key(tokens: list[_Token], path: Path, found: dict[Path, int]) -> Path:
    """Reads a key of one or more parts, with the offset of each into `found`, and returns its path."""
    while tokens[-1].kind != "mark":
        token = tokens.pop()
        if token.kind == "bare":
            parts = [(part[0], part.start()) for part in re.finditer(r"[^.]+", token.text)]
        elif "\\" in token.text and token.text[0] == '"':
            parts = [(tomllib.loads(f"key = {token.text}")["key"], 1)]
        else:
            parts = [(token.text[1:-1], 1)]
        for part, offset in parts:
            path = (*path, part)
            found.setdefault(path, token.offset + offset)
    return path


def _value(tokens: list[_Token], path: Path, found: dict[Path, int]) -> None:
    """Reads a value (a text, a number, a list or an inline table), with the offsets of what is in it into `found`."""
    token = tokens.pop()
    if token.text == "[":
        index = 0
        while _skip(tokens) != "]":
            found[(*path, index)] = tokens[-1].offset + (tokens[-1].kind == "text")
            _value(tokens, (*path, index), found)
            index += 1
        tokens.pop()
    elif token.text == "{":
        while _skip(tokens) != "}":
            inner = _key(tokens, path, found)
            tokens.pop()  # the =
            _value(tokens, inner, found)
        tokens.pop()
    elif token.kind == "bare":  # a date and a time may be separated by a space
        while tokens[-1].kind == "bare":
            tokens.pop()


def _skip(tokens: list[_Token]) -> str:
    """Skips commas and line ends and returns the text of the next token."""
    while tokens[-1].text in (",", "\n"):
        tokens.pop()
    return tokens[-1].text
