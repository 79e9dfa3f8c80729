"""Counts of the tables of every candidate graph at once: each family, a variable with some parents, is counted once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph
from bestdo.causal.graph_spaces import Listed, Ordered, Unordered
from bestdo.causal.graphs import Graphs, OneGraph
from bestdo.causal.parent_sets import MOST_CELLS, parent_sets
from bestdo.memory_cache import memory_cache
from bestdo.statistics.summing import count_in_parts
from bestdo.statistics.tables import ROUNDS_AT_ONCE, Cells, cells_of, cells_of_rounds

__all__ = ["CandidateFamilies", "CandidateTables", "Family", "families_of", "families_of_sets"]


class Family(NamedTuple):
    """A variable and its parents in a table; counted over the rounds that set none of some variables, and all of others."""

    name: str
    parents: tuple[str, ...]
    """The parents, in the order of the graph's variables."""
    not_set: frozenset[str]
    all_set: frozenset[str] = frozenset()

    @property
    def watched(self) -> Family:
        """The family over the rounds that set none of these variables; a law under a setting is expected to be near it."""
        return Family(self.name, self.parents, self.not_set | self.all_set)


class CandidateFamilies(NamedTuple):
    """The families of all candidates, each of them once, and where the counts of their tables stand."""

    names: tuple[str, ...]
    """The variables that are counted: the reward, those whose parents differ between candidates, and all causes of these."""
    families: tuple[Family, ...]
    """Every family: first those of a variable and its parents, then those of variables with hidden common causes."""
    plain: int
    """The number of families of a variable and its parents."""
    of: Ints
    """int[K, N]: the number of the family of each variable and its parents, hidden ones left out, in each candidate; none
    where candidates are not listed."""
    scored: Floats
    """float[K, F]: 1 for the families whose marginal likelihoods make up that of a candidate, 0 for the others."""
    cells: Cells
    """The cells of the tables of all families, one after the other."""
    needed: Bools
    """bool[V, F]: which variables of the graph a round must know to count in a family: all that may be parents, by any
    candidate. So all families of a variable count the same rounds, and what they say of these can be compared."""
    counted: Bools
    """bool[A, F]: in which families the rounds of each action count."""
    centre: Ints
    """int[F]: for a law under a setting of variables with hidden common causes the number of the family of rounds that set
    none of them, near which it is expected to be; -1 for the others."""
    closed: Ints
    """int[·]: the candidates in which no hidden variable causes the reward, so that means follow from tables."""
    before: Floats = np.zeros(0)
    """float[F]: where candidates are not listed, the weight of each family of a variable before the first round; its
    probability where no arrows can make a cycle."""


def families_of(candidates: Sequence[Graph], actions: Actions | None = None) -> CandidateFamilies:
    """The families of some graphs with the same variables and reward, for rounds of these actions (of do() by default).

    Variables that share hidden causes (a district, Tian & Pearl 2002) are given their own parents and those of the district
    before them. Their laws where some of them are set may differ from those where none is, and are expected to be near them
    (`CandidateFamilies.centre`). So what can only be watched says the same with a hidden cause beside an arrow and without
    it, and does not count for either: how many parameters a graph needs would decide otherwise, whatever is true.
    """
    whole = candidates[0]
    actions = Actions(whole, [do()]) if actions is None else actions
    place = {n: i for i, n in enumerate(whole.names)}
    hidden = set(whole.hidden)
    settings = sorted({frozenset(action) for action in actions}, key=lambda names: (len(names), sorted(names)))
    own = [{n: _ordered(set(g.parents[n]) - hidden, place) for n in g.observed} for g in candidates]
    links = [_links(g) for g in candidates]
    names = _that_matter(whole, own, links)
    plain = dict.fromkeys(Family(n, sets[n], frozenset([n])) for n in names for sets in own)
    scored = [
        _scored(g, sets, link, names, settings, place) for g, sets, link in zip(candidates, own, links, strict=True)
    ]
    others = dict.fromkeys(f for each in scored for f in each)
    families = tuple({**plain, **others, **dict.fromkeys(f.watched for f in others if f.all_set)})
    number = {family: f for f, family in enumerate(families)}
    may_be = {n: {p for f in families if f.name == n for p in f.parents} for n in names}
    needed = np.zeros((len(whole.names), len(families)), bool)
    for f, family in enumerate(families):
        needed[[place[n] for n in (family.name, *may_be[family.name])], f] = True
    member = np.zeros((len(candidates), len(families)))
    for k, each in enumerate(scored):
        member[k, [number[family] for family in each]] = 1
    of = [[number[Family(n, sets[n], frozenset([n]))] for n in names] for sets in own]
    counted = [[f.all_set <= set(a) and not f.not_set & set(a) for f in families] for a in actions]
    closed = [k for k, g in enumerate(candidates) if g.causes_seen]
    return CandidateFamilies(
        names,
        families,
        len(plain),
        np.array(of, np.int64).reshape(len(candidates), len(names)),
        member,
        cells_of(whole, [(f.name, f.parents) for f in families], MOST_CELLS),
        needed,
        np.array(counted, bool).reshape(len(actions), len(families)),
        np.array([number[f.watched] if f.all_set else -1 for f in families], np.int64),
        np.array(closed, np.int64),
    )


def families_of_sets(doubts: Graphs, actions: Actions, most: int = MOST_CELLS) -> CandidateFamilies:
    """The families of doubts whose graphs are not listed: every variable with each of its possible sets of parents."""
    sets = parent_sets(doubts.sure, doubts.arrows)
    names = doubts.sure.names
    families = tuple(Family(n, parents, frozenset([n])) for n in names for parents, _ in sets[n])
    weights = np.array([weight for n in names for _, weight in sets[n]])
    return _not_listed(doubts, actions, families, weights, most)


def _whole_families(doubts: Graphs, actions: Actions) -> CandidateFamilies:
    """The families of all variables with all their possible parents: counts with fewer parents are sums of theirs."""
    place = {n: i for i, n in enumerate(doubts.sure.names)}
    families = tuple(Family(n, _ordered(doubts.may_cause[n], place), frozenset([n])) for n in place)
    return _not_listed(doubts, actions, families, np.ones(len(families)), MOST_CELLS)


def _not_listed(
    doubts: Graphs, actions: Actions, families: tuple[Family, ...], before: Floats, most: int
) -> CandidateFamilies:
    """Families of doubts whose graphs are not listed; a round counts where all possible parents are seen."""
    names, may = doubts.sure.names, doubts.may_cause
    counted = [[f.name not in a for f in families] for a in actions]
    return CandidateFamilies(
        names,
        families,
        len(families),
        np.zeros((0, len(names)), np.int64),
        np.zeros((0, len(families))),
        cells_of(doubts.sure, [(f.name, f.parents) for f in families], most),
        np.array([[n == f.name or n in may[f.name] for f in families] for n in names], bool),
        np.array(counted, bool).reshape(len(actions), len(families)),
        np.full(len(families), -1),
        np.zeros(0, np.int64),
        before,
    )


def _ordered(names: Iterable[str], place: dict[str, int]) -> tuple[str, ...]:
    return tuple(sorted(names, key=place.__getitem__))


def _links(graph: Graph) -> tuple[frozenset[str], ...]:
    """The variables that share a hidden cause, for each hidden variable with more than one effect."""
    effects = {frozenset(graph.children[h]) - set(graph.hidden) for h in graph.hidden}
    return tuple(link for link in effects if len(link) > 1)


def _that_matter(
    whole: Graph, own: Sequence[dict[str, tuple[str, ...]]], links: Sequence[tuple[frozenset[str], ...]]
) -> tuple[str, ...]:
    """The reward, the variables whose families differ between candidates, and all causes of these."""
    tied = {n for link in links for each in link for n in each}
    open_names = [n for n in own[0] if n == whole.reward or n in tied or any(sets[n] != own[0][n] for sets in own)]
    matter = set(open_names)
    while open_names:
        name = open_names.pop()
        more = {p for sets in own for p in sets[name]} - matter
        matter |= more
        open_names += more
    return tuple(n for n in whole.names if n in matter)


def _scored(
    graph: Graph,
    own: dict[str, tuple[str, ...]],
    links: tuple[frozenset[str], ...],
    names: tuple[str, ...],
    settings: Sequence[frozenset[str]],
    place: dict[str, int],
) -> list[Family]:
    """The families that a candidate's marginal likelihood is made of."""
    tied = frozenset(n for link in links for n in link)
    families = [Family(n, own[n], frozenset([n])) for n in names if n not in tied]
    for district in _districts(tied, links):
        for set_here in dict.fromkeys(names & district for names in settings):
            free = district - set_here
            for part in _districts(free, links):
                before: list[str] = []
                for name in (n for n in graph.order if n in part):
                    families.append(Family(name, _ordered({*before, *own[name]}, place), free, frozenset(set_here)))
                    before.append(name)
    return families


def _districts(names: frozenset[str], links: tuple[frozenset[str], ...]) -> list[frozenset[str]]:
    """The variables given, in parts that are connected by hidden common causes among them."""
    parts = [frozenset([n]) for n in sorted(names)]
    for link in links:
        joined = [part for part in parts if part & link]
        if joined:
            parts = [part for part in parts if not part & link] + [frozenset().union(*joined)]
    return parts


def _of_candidates(graphs: Graphs, actions: Actions) -> CandidateFamilies:
    return families_of(graphs.candidates, actions)


_FAMILIES: dict[type, Callable[[Graphs, Actions], CandidateFamilies]] = {
    OneGraph: _of_candidates,
    Listed: _of_candidates,
    Ordered: families_of_sets,
    Unordered: _whole_families,
}
"""The families of each kind of possible graphs."""


@memory_cache
def _families(problem: Problem) -> CandidateFamilies:
    return _FAMILIES[type(problem.graphs.space)](problem.graphs, problem.actions)


@dataclass(frozen=True)
class CandidateTables:
    """Counts of each cell (family, state of its parents, value), over the rounds that did not set the family's variable.

    A round that set a variable tells nothing about its parents. Where variables share hidden causes, rounds are counted by
    which of them were set. A round counts in the families of a variable where the
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
        """Counts of each cell, and the rewards of those rounds."""
        return count_in_parts(rounds, lanes, self.cells.total, ROUNDS_AT_ONCE, self._cells_of)

    def _cells_of(self, rounds: Rounds) -> tuple[Ints, Ints]:
        """The round and the cell of every count that the rounds add."""
        return cells_of_rounds(self.problem, self.cells, self.families.needed, rounds, self.families.counted)
