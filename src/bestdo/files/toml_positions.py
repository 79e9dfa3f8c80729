"""Where in a TOML text each key and each item of a list stands; tomllib does not say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Path", "Places"]

Path = tuple[str | int, ...]

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
    """The places in a text that tomllib has accepted; looked up when first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[Path, int] | None = None

    def __call__(self, path: object) -> int:
        """The offset of a key or an item, or of the nearest thing around it that has a place."""
        if not isinstance(path, tuple) or not path:
            return 0
        if self._found is None:
            try:
                self._found = _walk(self._text)
            except (
                RecursionError,
                StopIteration,
                IndexError,
            ):  # not quite TOML: complain about the whole file
                self._found = {}
        while path and path not in self._found:
            path = path[:-1]
        return self._found.get(path, 0)


def _tokens(text: str) -> Iterator[_Token]:
    offset = 0
    while match := _TOKEN.match(text, offset):
        if match.lastgroup is None:
            return
        yield _Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))
        offset = match.end()


def _walk(text: str) -> dict[Path, int]:
    """All places: statement by statement, each a [header] or a key with its value."""
    found: dict[Path, int] = {}
    tokens = [*_tokens(text), _Token("mark", "\n", len(text))]
    tokens.reverse()  # the next token is the last of the list
    table: Path = ()
    while tokens:
        if tokens[-1].text == "\n":
            tokens.pop()
        elif tokens[-1].text == "[" and tokens[-1].kind == "mark":
            while tokens[-1].text == "[":
                tokens.pop()
            table = _key(tokens, (), found)
            while tokens[-1].text == "]":
                tokens.pop()
        else:
            path = _key(tokens, table, found)
            tokens.pop()  # the =
            _value(tokens, path, found)
    return found


def _key(tokens: list[_Token], path: Path, found: dict[Path, int]) -> Path:
    """A key of one or more parts."""
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
    """A value: a text, a number, a list or an inline table."""
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
    elif token.kind == "bare":  # a date and a time may stand apart
        while tokens[-1].kind == "bare":
            tokens.pop()


def _skip(tokens: list[_Token]) -> str:
    """The next mark or text after commas and line ends."""
    while tokens[-1].text in (",", "\n"):
        tokens.pop()
    return tokens[-1].text
