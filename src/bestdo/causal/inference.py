"""Exact inference: sums of products of tables (tensor contraction) in a cheap order, and their derivatives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats
from bestdo.errors import TooLarge, shown

__all__ = ["Factor", "contract", "derivatives", "least_work"]

# The most numbers in the largest table of a contraction: 1 GiB of floats. A limit of memory.
MOST_NUMBERS = 2**27
# A second order of products is tried where the largest table has more than MOST_NUMBERS / 64 numbers (16 MB). It trades
# the time of the search for a smaller table; not measured.
_SECOND_ORDER = 64
# The product of two tables' sizes up to which np.einsum multiplies them, else opt_einsum, which can call BLAS. Measured on
# two products of each size: opt_einsum takes 30 µs to start, einsum less up to 2**20, so the number is on the safe side.
_PLAIN_EINSUM = 2**15
_USED = np.zeros(0)  # in the place of a table that is no longer needed

Axes = tuple[int, ...]


class Factor(NamedTuple):
    """A table whose axes are named by variables."""

    names: tuple[str, ...]
    table: Floats
    owner: str = ""
    """The variable whose conditional table the factor is; empty for others."""


class _Steps(NamedTuple):
    """An order of products: each pair says which two tables are multiplied next.

    The given tables come first in the numbering; the k-th step makes the k-th table after them.
    """

    pairs: tuple[tuple[int, int], ...]
    axes: tuple[Axes, ...]
    """The variables of every table, given or made."""


def contract(factors: Sequence[Factor], out: Sequence[str], sizes: Mapping[str, int]) -> Floats:
    """The product of the tables, summed over all variables but `out`: float[*sizes of out].

    Raises TooLarge, before anything is allocated, when a table on the way would not fit.
    """
    if not factors:
        return np.ones([])
    tables, steps = _multiply_all(factors, out, sizes, keep=False)
    return _product(tables[-1], steps.axes[-1], np.ones([]), (), tuple(range(len(out))))


def derivatives(factors: Sequence[Factor], sizes: Mapping[str, int]) -> tuple[float, list[Floats]]:
    """The sum of the product of the tables over all variables, and its derivative by each table.

    By one pass forward and one in reverse. The sum is linear in each table, so the derivative gives its value for any
    other table in the same place.
    """
    tables, steps = _multiply_all(factors, (), sizes, keep=True)
    dims = {
        i: n for axes, table in zip(steps.axes, tables, strict=True) for i, n in zip(axes, table.shape, strict=True)
    }
    by: list[Floats] = [np.ones([])] * len(tables)
    by[-1] = np.ones(tables[-1].shape)
    for made in range(len(tables) - 1, len(factors) - 1, -1):
        one, two = steps.pairs[made - len(factors)]
        for mine, other in ((one, two), (two, one)):
            axes = steps.axes[mine]
            near = {*steps.axes[made], *steps.axes[other]}
            part = _product(
                by[made],
                steps.axes[made],
                tables[other],
                steps.axes[other],
                tuple(i for i in axes if i in near),
            )
            whole = np.expand_dims(part, tuple(k for k, i in enumerate(axes) if i not in near))
            by[mine] = np.broadcast_to(whole, [dims[i] for i in axes])
    return float(tables[-1].sum()), by[: len(factors)]


def _multiply_all(
    factors: Sequence[Factor], out: Sequence[str], sizes: Mapping[str, int], keep: bool
) -> tuple[list[Floats], _Steps]:
    """The tables, given ones and those made on the way, and the steps; the last table is the product.

    Without `keep` a table is dropped as soon as it has been used; with it, all of them together must fit into memory.
    """
    number = {n: i for i, n in enumerate(dict.fromkeys((*out, *(n for f in factors for n in f.names))))}
    terms = tuple(tuple(number[n] for n in f.names) for f in factors)
    steps = _steps(terms, len(out), tuple(sizes[n] for n in number), tuple(number))
    if keep:
        dims = {number[n]: sizes[n] for n in number}
        total = sum(math.prod(dims[i] for i in axes) for axes in steps.axes[len(factors) :])
        if 2 * total > MOST_NUMBERS:
            raise TooLarge(f"exact derivatives would keep {2 * total:,} numbers; at most {MOST_NUMBERS:,} fit")
    tables = [f.table for f in factors]
    for made, (a, b) in enumerate(steps.pairs, len(factors)):
        tables.append(_product(tables[a], steps.axes[a], tables[b], steps.axes[b], steps.axes[made]))
        if not keep:
            tables[a] = tables[b] = _USED
    return tables, steps


def _product(a: Floats, a_axes: Axes, b: Floats, b_axes: Axes, out: Axes) -> Floats:
    """The product of two tables, summed over the axes that are not in `out`."""
    local = {i: k for k, i in enumerate(dict.fromkeys((*a_axes, *b_axes)))}
    one, two, three = ([local[i] for i in axes] for axes in (a_axes, b_axes, out))
    if a.size * b.size <= _PLAIN_EINSUM:
        return np.asarray(np.einsum(a, one, b, two, three))  # type: ignore[arg-type]
    import opt_einsum

    return np.asarray(opt_einsum.contract(a, one, b, two, three))


@lru_cache(maxsize=512)
def _steps(terms: tuple[Axes, ...], out: int, dims: Axes, names: tuple[str, ...]) -> _Steps:
    """The order of products whose largest table is smallest, of one or two greedy orders; TooLarge if it does not fit."""
    best, largest = _follow(terms, out, _order(terms, out, dims, by_fill=False), dims)
    if math.prod(dims[i] for i in largest) > MOST_NUMBERS // _SECOND_ORDER:
        other, least = _follow(terms, out, _order(terms, out, dims, by_fill=True), dims)
        if math.prod(dims[i] for i in least) < math.prod(dims[i] for i in largest):
            best, largest = other, least
    needed = math.prod(dims[i] for i in largest)
    if needed > MOST_NUMBERS:
        listed = ", ".join(shown(names[i]) for i in largest[:6])
        more = f" and {len(largest) - 6} more variables" if len(largest) > 6 else ""
        raise TooLarge(
            f"exact inference would need a table of {needed:,} numbers ({_bytes(8 * needed)}) over {listed}{more}; "
            f"at most {MOST_NUMBERS:,} fit"
        )
    return best


def least_work(terms: tuple[Axes, ...], dims: Axes) -> tuple[_Steps, int]:
    """The order of products with fewer multiplications, of two greedy orders, and their number; sums over all variables."""
    tried = []
    for by_fill in (False, True):
        steps, _ = _follow(terms, 0, _order(terms, 0, dims, by_fill), dims)
        joined = ({*steps.axes[a], *steps.axes[b]} for a, b in steps.pairs)
        tried.append((steps, sum(math.prod(dims[i] for i in axes) for axes in joined)))
    return min(tried, key=lambda each: each[1])


def _bytes(count: int) -> str:
    """A number of bytes as text, like "1.07 GB"."""
    units = ["bytes", "kB", "MB", "GB", "TB", "PB"]
    unit = min(len(units) - 1, len(str(count)) // 3 if count >= 1000 else 0)
    return f"{count / 1000**unit:.3g} {units[unit]}"


def _order(terms: Iterable[Axes], out: int, dims: Axes, by_fill: bool) -> list[int]:
    """A greedy order of elimination: smallest next table first, or (`by_fill`) fewest new neighbours first."""
    near: dict[int, set[int]] = {i: set() for i in range(len(dims))}
    for term in terms:
        for i in term:
            near[i].update(term)
    for i, others in near.items():
        others.discard(i)
    logs = [math.log2(d) for d in dims]

    def cost(i: int) -> tuple[float, float]:
        size = logs[i] + sum(logs[j] for j in near[i])
        if not by_fill:
            return size, 0.0
        around = list(near[i])
        missing = sum(logs[j] * logs[k] for a, j in enumerate(around) for k in around[a + 1 :] if k not in near[j])
        return missing, size

    left = set(range(out, len(dims)))
    costs = {i: cost(i) for i in left}
    order = []
    while left:
        chosen = min(left, key=lambda i: (costs[i], i))
        left.discard(chosen)
        order.append(chosen)
        around = near.pop(chosen)
        for i in around:
            near[i] |= around
            near[i] -= {i, chosen}
        touched = around.union(*(near[i] for i in around)) if by_fill else around
        for i in touched & left:
            costs[i] = cost(i)
    return order


def _follow(terms: tuple[Axes, ...], out: int, order: Sequence[int], dims: Axes) -> tuple[_Steps, Axes]:
    """The products that eliminate variables in this order, and the variables of the largest table on the way."""
    axes = [tuple(t) for t in terms]
    live = set(range(len(axes)))
    holders: list[set[int]] = [set() for _ in dims]
    for t, term in enumerate(axes):
        for i in term:
            holders[i].add(t)
    size = [math.prod(dims[i] for i in t) for t in axes]  # Python integers: no overflow
    pairs: list[tuple[int, int]] = []

    def multiply(a: int, b: int) -> None:
        joined = dict.fromkeys((*axes[a], *axes[b]))
        for t in (a, b):
            live.discard(t)
            for i in axes[t]:
                holders[i].discard(t)
        rest = tuple(i for i in joined if i < out or holders[i])
        made = len(axes)
        for i in rest:
            holders[i].add(made)
        live.add(made)
        axes.append(rest)
        size.append(math.prod(dims[i] for i in rest))
        pairs.append((a, b))

    for variable in order:
        while len(holders[variable]) > 1:
            a, b = sorted(holders[variable], key=lambda t: (size[t], t))[:2]
            multiply(a, b)
    while len(live) > 1:
        a, b = sorted(live, key=lambda t: (size[t], t))[:2]
        multiply(a, b)
    largest = max(range(len(axes)), key=size.__getitem__)
    biggest = axes[largest] if size[largest] >= math.prod(dims[:out]) else tuple(range(out))
    return _Steps(tuple(pairs), tuple(axes)), biggest
