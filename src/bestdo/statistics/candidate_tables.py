"""Counts of the tables of every candidate graph at once: each family, a variable with some parents, is counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.errors import NotValid, shown
from bestdo.memory_cache import memory_cache
from bestdo.statistics.summing import count_in_parts
from bestdo.statistics.tables import ROUNDS_AT_ONCE, Cells, cells_of, cells_of_rounds

__all__ = ["CandidateFamilies", "CandidateTables", "families_of"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_MOST_CELLS = 2**16
"""The most cells of all families of all candidates: half a megabyte for each lane. Limits memory and time. Not measured."""


class CandidateFamilies(NamedTuple):
    """The families of all candidates, each of them once, and where the counts of their tables stand."""

    names: tuple[str, ...]
    """The variables that are counted: the reward, those whose parents differ between candidates, and all causes of these."""
    families: tuple[tuple[str, tuple[str, ...]], ...]
    """Every family: a variable and its parents, in the order of the graph's variables."""
    of: Ints
    """int[K, N]: the number of each variable's family in each candidate."""
    variable: Ints
    """int[F]: the number of each family's variable."""
    cells: Cells
    """The cells of the tables of all families, one after the other."""
    needed: Bools
    """bool[V, F]: which variables of the graph a round must know to count in a family: all that may be parents, by any
    candidate. So all families of a variable count the same rounds, and what they say of these can be compared."""


def families_of(candidates: Sequence[Graph]) -> CandidateFamilies:
    """The families of some graphs with the same variables and reward; raises NotValid where one that matters is hidden."""
    whole = candidates[0]
    place = {n: i for i, n in enumerate(whole.names)}
    sets = [{n: tuple(sorted(g.parents[n], key=place.__getitem__)) for n in g.names} for g in candidates]
    all_parents = {n: {p for own in sets for p in own[n]} for n in whole.names}
    wanted = [n for n in whole.names if n == whole.reward or any(own[n] != sets[0][n] for own in sets)]
    kept = set(wanted)
    while wanted:
        more = all_parents[wanted.pop()] - kept
        kept |= more
        wanted += more
    names = tuple(n for n in whole.names if n in kept)
    unseen = [n for n in names if n in whole.hidden]
    if unseen:
        raise NotValid(f"tables of all causes of the reward cannot be counted: {shown(unseen[0])} is hidden")
    number: dict[tuple[str, tuple[str, ...]], int] = {}
    for name in names:
        for own in sets:
            number.setdefault((name, own[name]), len(number))
    families = tuple(number)
    cells = cells_of(whole, families, _MOST_CELLS)
    needed = np.zeros((len(whole.names), len(families)), bool)
    for f, (name, _) in enumerate(families):
        needed[[place[n] for n in (name, *all_parents[name])], f] = True
    of = np.array([[number[n, own[n]] for n in names] for own in sets], np.int64).reshape(len(sets), len(names))
    variable = np.array([names.index(n) for n, _ in families], np.int64)
    return CandidateFamilies(names, families, of, variable, cells, needed)


@memory_cache
def _families(problem: Problem) -> CandidateFamilies:
    assert problem.doubts is not None
    return families_of(problem.doubts.candidates)


@dataclass(frozen=True)
class CandidateTables:
    """Counts of each cell (family, state of its parents, value), over the rounds that did not set the family's variable.

    A round that set a variable tells nothing about its parents. A round counts in the families of a variable where the
    variable was seen, together with all variables that are its parents in any candidate.
    """

    problem: Problem

    def __post_init__(self) -> None:
        _families(self.problem)

    @cached_property
    def families(self) -> CandidateFamilies:
        """The families of all candidates."""
        return _families(self.problem)

    @property
    def cells(self) -> Cells:
        """The cells of the statistic."""
        return self.families.cells

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """How often each cell was seen, and the rewards of those rounds."""
        return count_in_parts(rounds, lanes, self.cells.total, ROUNDS_AT_ONCE, self._cells_of)

    def _cells_of(self, rounds: Rounds) -> tuple[Ints, Ints]:
        """The round and the cell of every count that the rounds add."""
        return cells_of_rounds(self.problem, self.cells, self.families.needed, rounds)
