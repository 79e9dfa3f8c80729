"""Sums of products of tables, done in the cheapest order that is found (tensor contraction)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import opt_einsum
from numpy.typing import NDArray

from bestdo.errors import TooLarge, shown

__all__ = ["Factor", "contract"]

MOST_NUMBERS = 2**27  # 1 GiB of floats in the largest table of a contraction

Path = tuple[tuple[int, ...], ...]


class Factor(NamedTuple):
    """A table whose axes are variables."""

    names: tuple[str, ...]
    table: NDArray[np.float64]


def contract(factors: Sequence[Factor], out: Sequence[str], sizes: Mapping[str, int]) -> NDArray[np.float64]:
    """The product of the tables, summed over all variables but `out`: float[*sizes of out].

    Refused with the size of its largest table before anything is allocated when that would not fit.
    """
    if not factors:
        return np.ones([])
    number = {n: i for i, n in enumerate(dict.fromkeys((*out, *(n for f in factors for n in f.names))))}
    terms = tuple(tuple(number[n] for n in f.names) for f in factors)
    dims = tuple(sizes[n] for n in number)
    path = _path(terms, len(out), dims, tuple(number))
    arguments: list[object] = []
    for factor, term in zip(factors, terms, strict=True):
        arguments += [factor.table, list(term)]
    result = opt_einsum.contract(*arguments, list(range(len(out))), optimize=list(path))
    return np.asarray(result, np.float64)


@lru_cache(maxsize=512)
def _path(terms: tuple[tuple[int, ...], ...], out: int, dims: tuple[int, ...], names: tuple[str, ...]) -> Path:
    """The order of pairwise products whose largest table is smallest, of those tried."""
    best: Path | None = None
    smallest: tuple[int, tuple[int, ...]] | None = None
    for order in (_greedy(terms, out, dims), _greedy(terms, out, dims, fill=True)):
        path, largest = _as_path(terms, range(out), order, dims)
        if smallest is None or largest[0] < smallest[0]:
            best, smallest = path, largest
        if smallest[0] <= MOST_NUMBERS // 64:
            break
    assert best is not None
    assert smallest is not None
    if smallest[0] > MOST_NUMBERS:
        listed = ", ".join(shown(names[i]) for i in smallest[1][:6])
        more = f" and {len(smallest[1]) - 6} more variables" if len(smallest[1]) > 6 else ""
        raise TooLarge(
            f"exact inference would need a table of {smallest[0]:,} numbers "
            f"({_bytes(8 * smallest[0])}) over {listed}{more}; at most {MOST_NUMBERS:,} fit"
        )
    return best


def _bytes(count: int) -> str:
    units = ["bytes", "kB", "MB", "GB", "TB", "PB"]
    size, unit = float(count), 0
    while size >= 1000 and unit < len(units) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {units[unit]}" if size < 1000 else f"{size:.1e} {units[unit]}"


def _greedy(terms: Iterable[tuple[int, ...]], out: int, dims: tuple[int, ...], fill: bool = False) -> list[int]:
    """An order in which to sum variables out: smallest next table first, or fewest new neighbours first."""
    near: dict[int, set[int]] = {i: set() for i in range(len(dims))}
    for term in terms:
        for i in term:
            near[i].update(term)
    for i, others in near.items():
        others.discard(i)
    logs = np.log2(dims)

    def cost(i: int) -> tuple[float, float]:
        size = float(logs[i] + sum(logs[j] for j in near[i]))
        if not fill:
            return size, 0.0
        around = list(near[i])
        missing = sum(logs[j] * logs[k] for a, j in enumerate(around) for k in around[a + 1 :] if k not in near[j])
        return float(missing), size

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
        touched = set(around)
        if fill:
            for i in around:
                touched |= near[i]
        for i in touched & left:
            costs[i] = cost(i)
    return order


def _as_path(
    terms: tuple[tuple[int, ...], ...], out: Iterable[int], order: Sequence[int], dims: tuple[int, ...]
) -> tuple[Path, tuple[int, tuple[int, ...]]]:
    """Pairwise products that follow the order, smallest tables first, and the largest table on the way."""
    kept = set(out)
    live = [frozenset(t) for t in terms]
    uses = [0] * len(dims)
    for term in live:
        for i in term:
            uses[i] += 1
    largest: tuple[int, tuple[int, ...]] = (1, ())

    def size(names: Iterable[int]) -> int:
        total = 1
        for i in names:
            total *= dims[i]  # Python integers: no overflow
        return total

    path: list[tuple[int, ...]] = []

    def multiply(where: list[int]) -> None:
        nonlocal largest
        joined = frozenset().union(*(live[w] for w in where))
        for w in where:
            for i in live[w]:
                uses[i] -= 1
        rest = frozenset(i for i in joined if i in kept or uses[i] > 0)
        for i in rest:
            uses[i] += 1
        if (total := size(rest)) > largest[0]:
            largest = (total, tuple(sorted(rest)))
        path.append(tuple(where))
        for w in sorted(where, reverse=True):
            live.pop(w)
        live.append(rest)

    for variable in order:
        while len(where := [w for w, t in enumerate(live) if variable in t]) > 1:
            where.sort(key=lambda w: size(live[w]))
            multiply(sorted(where[:2]))
    while len(live) > 1:
        where = sorted(range(len(live)), key=lambda w: size(live[w]))[:2]
        multiply(sorted(where))
    if len(terms) == 1:
        path.append((0,))
    if (total := size(kept)) > largest[0]:
        largest = (total, tuple(sorted(kept)))
    return tuple(path), largest
