"""Exact inference as a list of multiplications: made once per graph, then run on many sets of tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.inference import Axes, least_work
from bestdo.errors import TooLarge

__all__ = ["Circuit", "circuit"]

# The most multiplications of one circuit, which takes 12 bytes for each: 6 MB. A limit of memory and of time per run;
# the number was not tuned by measurement.
_MOST_PRODUCTS = 2**19

Places = NDArray[np.uint32]
"""Positions in the list of numbers that a circuit works on."""


class Circuit(NamedTuple):
    """A list of multiplications: for each k in turn, number[out[k]] += number[one[k]] × number[two[k]].

    The first numbers are given, the next is 1, the others start at 0; the last is the result. The result is linear in
    each table, so going through the list backwards gives its derivative by every given number.
    """

    out: Places
    one: Places
    two: Places
    given: int
    """The number of numbers that are given."""
    size: int
    """The number of all numbers."""


def circuit(tables: Sequence[tuple[Axes, NDArray[np.integer]]], dims: Axes, given: int) -> Circuit:
    """The circuit of the sum, over all variables, of the product of the tables.

    A table is a pair: the numbers of its variables, and an array with an axis for each of them that says where its
    numbers stand among the `given` ones. `dims` says how many values each variable has.
    """
    terms = tuple(axes for axes, _ in tables)
    steps, products = least_work(terms, dims)
    if products > _MOST_PRODUCTS:
        raise TooLarge(
            f"the mean of an action takes {products:,} multiplications; at most {_MOST_PRODUCTS:,} are allowed"
        )
    where = [np.asarray(places, np.uint32) for _, places in tables]
    size = given + 1
    listed: list[tuple[Places, Places, Places]] = []
    for made, (a, b) in enumerate(steps.pairs, len(tables)):
        shape = [dims[i] for i in steps.axes[made]]
        where.append(size + np.arange(np.prod(shape, dtype=np.int64), dtype=np.uint32).reshape(shape))
        size += where[-1].size
        joined = (*steps.axes[made], *sorted({*steps.axes[a], *steps.axes[b]} - {*steps.axes[made]}))
        whole = [dims[i] for i in joined]
        parts = [_spread(where[t], steps.axes[t], joined, whole) for t in (made, a, b)]
        listed.append((parts[0], parts[1], parts[2]))
    last = where[-1].reshape(-1)
    listed.append((np.full_like(last, size), last, np.full_like(last, given)))
    out, one, two = (np.concatenate(parts) for parts in zip(*listed, strict=True))
    return Circuit(out, one, two, given, size + 1)


def _spread(places: Places, axes: Axes, joined: Axes, whole: list[int]) -> Places:
    """The positions of a table's numbers, repeated for every state of the variables `joined`: one flat array."""
    order = sorted(range(len(axes)), key=lambda k: joined.index(axes[k]))
    missing = tuple(k for k, i in enumerate(joined) if i not in axes)
    return np.ascontiguousarray(np.broadcast_to(np.expand_dims(places.transpose(order), missing), whole)).reshape(-1)
