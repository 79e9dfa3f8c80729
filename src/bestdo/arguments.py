"""Checks of the arguments that people give in Python, with errors that say what is allowed."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from bestdo.errors import BestdoError, shown

__all__ = [
    "listed",
    "mapping",
    "of_type",
    "path_of",
    "probability",
    "real_number",
    "seed_number",
    "shown_value",
    "text_of",
    "whole_number",
]


def shown_value(value: object, most: int = 60) -> str:
    """The value given, for a message: text in quotes, other things as Python writes them, shortened."""
    if isinstance(value, str):
        return shown(value, most)
    try:
        written = repr(value)
    except Exception:  # a number of more than 4,300 digits; an object of a broken class
        written = f"a {type(value).__name__}"
    return written if len(written) <= most else f"{written[:most]}…"


def _is_number(value: Any) -> bool:
    """Whether a value is a finite number, of Python or numpy; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of more than 308 digits
        return True


def whole_number(what: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """The value as a whole number from `least` to `most`; `what` names it in the error, as "the number of rounds"."""
    if not _is_number(value) or value != int(value) or value < least or (most is not None and value > most):
        large = _is_number(value) and most is not None and value > most
        range_ = f"from {least} to {most:,}" if large else f"of at least {least}"
        raise BestdoError(f"{what} is a whole number {range_}, not {shown_value(value)}")
    return int(value)


def real_number(what: str, value: Any) -> float:
    """The value as a finite number; `what` names it in the error."""
    try:
        if _is_number(value):
            return float(value)
    except OverflowError:
        pass
    raise BestdoError(f"{what} is a finite number, not {shown_value(value)}")


def probability(what: str, value: Any, zero: bool = False) -> float:
    """The value as a number above 0 (or from 0 on, with `zero`) and below 1; `what` names it in the error."""
    if not _is_number(value) or not (0 < value < 1 or (zero and value == 0)):
        raise BestdoError(
            f"{what} is a number {'of at least' if zero else 'above'} 0 and below 1, as 0.95 is, not {shown_value(value)}"
        )
    return float(value)


def seed_number(value: Any) -> int:
    """A seed of random numbers: a whole number of at least 0."""
    return whole_number("a seed", value, least=0)


def text_of(what: str, value: Any) -> str:
    """The value, if it is text; `what` names it in the error."""
    if not isinstance(value, str):
        raise BestdoError(f"{what} is text, not {shown_value(value)}")
    return value


def of_type(what: str, value: Any, kind: type | tuple[type, ...], make: str) -> None:
    """Raises an error unless the value is of this class; `make` says how one is made."""
    if not isinstance(value, kind):
        raise BestdoError(f"{what} is made by {make}; {shown_value(value)} is none")


def mapping(what: str, value: Any, example: str) -> Mapping[Any, Any]:
    """The value, if it is a mapping; `what` and `example` are for the error."""
    if not isinstance(value, Mapping):
        raise BestdoError(f"{what} is a mapping, as {example}, not {shown_value(value)}")
    return value


def path_of(what: str, value: Any) -> str:
    """The path as text; `what` names it in the error."""
    if not isinstance(value, str | os.PathLike):
        raise BestdoError(f"{what} is a path, as 'out/farm.toml', not {shown_value(value)}")
    return os.fsdecode(value)


def listed(what: str, value: Any, example: str) -> list[Any]:
    """The items of a list, or the one item that was given instead of a list; `what` and `example` are for the error."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    try:
        return list(value)
    except TypeError as error:
        raise BestdoError(f"{what} is a list, as {example}, not {shown_value(value)} ({error})") from None
