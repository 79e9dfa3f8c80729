"""The columns of a regression on the causes of the reward: each value of each cause, and products of two causes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.errors import TooLarge

__all__ = ["MOST_COLUMNS", "Design", "RowSets"]

MOST_COLUMNS = 200
"""The most columns with products of causes; where there would be more, fewer pairs have them. Solving takes their cube."""
_MOST_MAIN = 400
"""The most columns of single causes."""


class RowSets(NamedTuple):
    """Tables of one cause, or of two, that may be all that matters; the rows of all tables one after the other."""

    set_of: Ints
    """int[R]: the table of each row."""
    causes: Ints
    """int[T]: the number of causes of each table, 1 or 2."""
    row: Floats
    """float[R, D]: each row's indicator as a combination of the columns."""


@dataclass(frozen=True)
class Design:
    """The columns of causes with so many values each, and of products of pairs of causes.

    The first column is 1. A cause of two values has one column, minus and plus √½; others have an indicator of each value.
    A pair has the products of the columns of both causes.
    """

    sizes: tuple[int, ...]
    """The numbers of values of the causes."""
    pairs: tuple[tuple[int, int], ...] = ()
    """The pairs of causes whose products are columns."""
    seen: tuple[int, ...] = ()
    """The causes that are seen first, and that no action can change."""

    @classmethod
    def of(cls, sizes: Sequence[int], wanted: Sequence[Sequence[tuple[int, int]]], seen: Sequence[int] = ()) -> Design:
        """The design with as many of the wanted pairs as there is room for; groups of pairs stay together."""
        pairs: list[tuple[int, int]] = []
        found = cls(tuple(sizes), seen=tuple(seen))
        if found.main > _MOST_MAIN:
            raise TooLarge(
                f"the causes of the reward have {found.main:,} columns; at most {_MOST_MAIN:,} are solved for"
            )
        for group in wanted:
            more = cls(tuple(sizes), tuple(sorted([*pairs, *group])), tuple(seen))
            if more.size <= MOST_COLUMNS:
                pairs, found = list(more.pairs), more
        return found

    @cached_property
    def codings(self) -> tuple[Floats, ...]:  # float[values, columns] each
        """The columns of each cause for each of its values."""
        two = np.array([[-math.sqrt(0.5)], [math.sqrt(0.5)]])
        return tuple(two if size == 2 else np.eye(size) for size in self.sizes)

    @cached_property
    def start(self) -> Ints:  # int[P + 1]
        """The first column of each cause."""
        return np.cumsum([1, *(coding.shape[1] for coding in self.codings)])

    @property
    def main(self) -> int:
        """The number of columns without those of pairs."""
        return int(self.start[-1])

    @cached_property
    def start_of_pairs(self) -> Ints:  # int[pairs + 1]
        """The first column of each pair."""
        widths = np.diff(self.start)
        return np.cumsum([self.main, *(widths[i] * widths[j] for i, j in self.pairs)])

    @property
    def size(self) -> int:
        """D: the number of columns."""
        return int(self.start_of_pairs[-1])

    @cached_property
    def of_pair(self) -> tuple[Ints, Ints]:  # int[D - main] each
        """The two columns whose product each column of a pair is."""
        one, two = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for i, j in self.pairs:
            left, right = (np.arange(self.start[k], self.start[k + 1]) for k in (i, j))
            one.append(np.repeat(left, len(right)))
            two.append(np.tile(right, len(left)))
        return np.concatenate(one), np.concatenate(two)

    def columns(self, codes: Ints) -> Floats:  # float[R, D]
        """The columns of states, given by the value of each cause (int[R, P])."""
        main = np.ones((len(codes), 1))
        main = np.concatenate([main, *(coding[codes[:, k]] for k, coding in enumerate(self.codings))], axis=1)
        return np.concatenate([main, self.products(main)], axis=1)

    def products(self, columns: Floats) -> Floats:  # float[..., D - main]
        """The products of pairs, where columns (float[..., D or main]) are known or their causes independent."""
        one, two = self.of_pair
        return np.asarray(columns[..., one] * columns[..., two])

    @cached_property
    def _indicators(self) -> list[Floats]:  # float[values, D] each
        """The indicator of each value of each cause as a combination of the columns."""
        found = []
        for k, size in enumerate(self.sizes):
            rows = np.zeros((size, self.size))
            own = slice(self.start[k], self.start[k + 1])
            rows[:, own] = self.codings[k] if size == 2 else np.eye(size)
            rows[:, 0] = 0.5 if size == 2 else 0.0
            found.append(rows)
        return found

    @cached_property
    def row_sets(self) -> RowSets:
        """The tables of each cause, and of each pair whose products are columns."""
        rows: list[Floats] = []
        set_of: list[int] = []
        causes: list[int] = []
        for k in range(len(self.sizes)):
            rows.append(self._indicators[k])
            set_of += [len(causes)] * self.sizes[k]
            causes.append(1)
        for (i, j), first in zip(self.pairs, self.start_of_pairs, strict=False):
            rows.append(self._of_two(i, j, int(first)))
            set_of += [len(causes)] * len(rows[-1])
            causes.append(2)
        return RowSets(np.array(set_of, np.int64), np.array(causes, np.int64), np.concatenate(rows))

    @cached_property
    def tables_of_seen(self) -> Bools:  # bool[T]
        """Which tables are of nothing but causes that are seen first."""
        return np.array(
            [set(causes) <= set(self.seen) for causes in [*((k,) for k in range(len(self.sizes))), *self.pairs]]
        )

    def _of_two(self, i: int, j: int, first: int) -> Floats:  # float[values × values, D]
        """The indicators of the joint values of two causes: products of sums of columns, multiplied out."""
        one, two = self._indicators[i], self._indicators[j]
        left, right = (np.arange(self.start[k], self.start[k + 1]) for k in (i, j))
        own = slice(first, first + len(left) * len(right))
        found = np.zeros((len(one), len(two), self.size))
        found += one[:, None, :1] * two[None]  # the constant of the first times the second
        found[..., left] += one[:, None][..., left] * two[None, :, :1]
        found[..., own] = (one[:, None][..., left][..., :, None] * two[None][..., right][..., None, :]).reshape(
            len(one), len(two), -1
        )
        return found.reshape(-1, self.size)

    @cached_property
    def is_pair(self) -> Bools:  # bool[D]
        """Which columns are products."""
        return np.arange(self.size) >= self.main

    @cached_property
    def seen_in(self) -> Ints:  # int[D]
        """The number of causes of each column that are seen first: up to 1, of products up to 2."""
        widths, seen = np.diff(self.start), np.isin(np.arange(len(self.sizes)), self.seen).astype(np.int64)
        of_two = [seen[i] + seen[j] for i, j in self.pairs]
        pairs = np.repeat(np.array(of_two, np.int64), np.diff(self.start_of_pairs))
        return np.concatenate([[0], np.repeat(seen, widths), pairs])


def pairs_by_promise(
    sizes: Sequence[int], always: Sequence[bool], settable: Sequence[bool]
) -> list[list[tuple[int, int]]]:
    """All pairs of causes in groups: what is always set with what is sometimes set, then both of one kind, then the rest.

    What is always set is what is seen first in a problem with contexts.
    """
    groups: dict[int, list[tuple[int, int]]] = {0: [], 1: [], 2: []}
    for i, j in itertools.combinations(range(len(sizes)), 2):
        both = settable[i] and settable[j]
        groups[2 if not both else 0 if always[i] != always[j] else 1].append((i, j))
    return list(groups.values())
