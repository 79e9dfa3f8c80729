"""Checks the type of values in a TOML file; a wrong type is an error at the place of the value."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from bestdo.errors import unknown
from bestdo.files.declarations import Source
from bestdo.files.toml_positions import Path

__all__ = ["label", "number", "sequence", "table", "text", "truth"]

_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "a table",
    type(None): "nothing",
}


def _wrong(source: Source, path: Path, value: object, wanted: str) -> Exception:
    """The error for a value of a wrong type."""
    name = ".".join(str(p) for p in path if isinstance(p, str)) or "the file"
    return source.error(f"{name[:100]} must be {wanted}, not {_KINDS.get(type(value), 'a date or time')}", path)


def table(source: Source, path: Path, value: object, keys: Collection[str] | None = None) -> dict[str, Any]:
    """The value, which must be a table; where `keys` are given, it may have no others."""
    if not isinstance(value, dict):
        raise _wrong(source, path, value, "a table")
    for key in value if keys is not None else ():
        if key not in (keys or ()):
            raise source.error(unknown("key", key, keys or ()), (*path, key))
    return value


def sequence(source: Source, path: Path, value: object) -> list[Any]:
    """The value, which must be a list."""
    if not isinstance(value, list):
        raise _wrong(source, path, value, "a list")
    return value


def text(source: Source, path: Path, value: object) -> str:
    """The value, which must be a text."""
    if not isinstance(value, str):
        raise _wrong(source, path, value, "text in quotes")
    return value


def label(source: Source, path: Path, value: object) -> str:
    """A value of a variable: the value must be a text, or a whole number, of which the digits are taken."""
    if type(value) is int and abs(value) < 10**18:
        return str(value)
    if not isinstance(value, str):
        raise _wrong(source, path, value, "text in quotes or a whole number of at most 18 digits")
    return value


def truth(source: Source, path: Path, value: object) -> bool:
    """The value, which must be true or false."""
    if not isinstance(value, bool):
        raise _wrong(source, path, value, "true or false")
    return value


def number(source: Source, path: Path, value: object) -> float:
    """The value as a float, which must be a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong(source, path, value, "a number")
    try:
        return float(value)
    except OverflowError:
        raise source.error("this number is too large", path) from None
