"""Sums by name: several tallies over the same rounds, each for the part of a learner that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.tally import Tally

__all__ = ["added", "any_rounds", "by_name", "each_sum", "of_lanes", "side_by_side", "tallies"]

_S = TypeVar("_S")
"""A tally, or a named tuple of sums, which are tallies or such tuples again."""


def each_sum(function: Callable[..., Floats], *sums: _S) -> _S:
    """The results of a function of the arrays of all sums (float[L, K] each), under the names of the sums."""
    one: Any = sums[0]
    if isinstance(one, Tally):
        return cast("_S", Tally.each(function, *cast("tuple[Tally, ...]", sums)))
    parts: Any = zip(*cast("tuple[Any, ...]", sums), strict=True)
    return cast("_S", _named(one, (each_sum(function, *part) for part in parts)))


def _named(like: _S, parts: Iterable[Any]) -> _S:
    """Parts of sums under the names of other sums."""
    made: Any = type(like)
    return cast("_S", made(*parts) if hasattr(like, "_fields") else made(parts))


def tallies(sums: Any) -> Iterator[Tally]:
    """All tallies of some sums, in their order."""
    if isinstance(sums, Tally):
        yield sums
    else:
        for part in sums:
            yield from tallies(part)


def added(one: _S, other: _S) -> _S:
    """The sums over the rounds of both."""
    if isinstance(one, Tally):
        return one.plus(other)  # type: ignore[arg-type, return-value]
    return _named(one, map(added, one, other))  # type: ignore[call-overload]


def of_lanes(sums: _S, which: Ints) -> _S:
    """The sums of some of the lanes."""
    return each_sum(lambda part: np.asarray(part[which]), sums)


def any_rounds(sums: Any) -> bool:
    """Whether any round counted in any of the sums."""
    return any(bool(part.rounds.any()) for part in tallies(sums))


def side_by_side(sums: Any) -> Tally:
    """All tallies as one, their cells side by side, as logs keep them."""
    first, *others = tallies(sums)
    return first.beside(*others) if others else first


def by_name(cells: Tally, like: _S) -> _S:
    """Cells side by side, from a log, under the names of other sums with as many cells.

    Squares that are those of rewards of 0 and 1 are left out: they were written for the sake of their neighbours.
    """
    start, parts = 0, []
    for part in tallies(like):
        end = start + part.weight.shape[1]
        own = cells.cells(slice(start, end))
        plain = own.square is not None and np.array_equal(own.square, own.reward)
        parts.append(own._replace(square=None, square2=None) if plain else own)
        start = end
    return _filled(like, iter(parts))


def _filled(like: _S, parts: Iterator[Tally]) -> _S:
    """The next tallies under the names of other sums."""
    if isinstance(like, Tally):
        return next(parts)  # type: ignore[return-value]
    return _named(like, [_filled(part, parts) for part in like])  # type: ignore[attr-defined]
