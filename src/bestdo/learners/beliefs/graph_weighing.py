"""The weighing of possible graphs by rounds, for each kind of these: listed, with an order in time, or without one.

A further kind of possible graphs (`causal/graph_spaces.py`) has a class here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem
from bestdo.causal.graph_spaces import Listed, Ordered, Unordered
from bestdo.causal.graphs import Graphs, OneGraph
from bestdo.learners.beliefs.graph_scores import family_weights, graph_sums, graph_weights, set_weights
from bestdo.statistics.candidate_tables import CandidateFamilies, CandidateTables

__all__ = ["Weighing", "arrow_weights", "weighing_of"]


class Weighing(Protocol):
    """Weights of possible graphs by counts of the tables of their families (float[L, cells])."""

    @property
    def before(self) -> Floats:  # float[K], or float[F]
        """The weights before the first round."""
        ...

    def weights(self, counts: Floats) -> Floats:  # float[L, K], or float[L, F]
        """The weight of each candidate, or of each set of parents where candidates are not listed."""
        ...

    def arrows(self, counts: Floats) -> Floats:  # float[L, P]
        """The probability of each of the `possible` arrows; exact for every kind."""
        ...


@final
@dataclass(frozen=True)
class ByCandidate:
    """The probability of each candidate of a list."""

    graphs: Graphs
    families: CandidateFamilies

    @property
    def before(self) -> Floats:  # float[K]
        """The probability of each candidate before the first round."""
        return self.graphs.prior

    def weights(self, counts: Floats) -> Floats:  # float[L, K]
        """The probability of each candidate."""
        return graph_weights(self.families, self.graphs.prior, counts)

    def arrows(self, counts: Floats) -> Floats:  # float[L, P]
        """The probability of each of the `possible` arrows: the sum over the candidates that have it."""
        return np.asarray(self.weights(counts) @ self.graphs.there)


@final
@dataclass(frozen=True)
class ByParents:
    """The probability of each set of parents of each variable, where no arrows can make a cycle."""

    graphs: Graphs
    families: CandidateFamilies

    @property
    def before(self) -> Floats:  # float[F]
        """The probability of each set of parents before the first round."""
        return self.families.before

    def weights(self, counts: Floats) -> Floats:  # float[L, F]
        """The probability of each set of parents."""
        return family_weights(self.families, counts)

    def arrows(self, counts: Floats) -> Floats:  # float[L, P]
        """The probability of each of the `possible` arrows: the sum over the sets of parents that have it."""
        has = [[f.name == b and a in f.parents for a, _, b in self.graphs.possible] for f in self.families.families]
        return np.asarray(self.weights(counts) @ np.array(has, float))


@final
@dataclass(frozen=True)
class ByAcyclicSums:
    """The logarithm of the weight of each set of parents, where arrows can make a cycle: sums are over acyclic graphs."""

    graphs: Graphs
    families: CandidateFamilies

    @property
    def before(self) -> Floats:  # float[F]
        """The logarithm of the weight of each set of parents before the first round."""
        return np.asarray(self.weights(np.zeros((1, self.families.cells.total)))[0])

    def weights(self, counts: Floats) -> Floats:  # float[L, F]
        """The logarithm of the weight of each set of parents."""
        return set_weights(self.graphs, counts)

    def arrows(self, counts: Floats) -> Floats:  # float[L, P]
        """The probability of each of the `possible` arrows, by sums over all acyclic graphs."""
        place = {n: i for i, n in enumerate(self.graphs.sure.names)}
        cause, effect = ([place[arrow[end]] for arrow in self.graphs.possible] for end in (0, 2))
        return np.array([sums.arrows()[cause, effect] for sums in graph_sums(self.graphs, counts)])


_WEIGHING: dict[type, type[ByCandidate] | type[ByParents] | type[ByAcyclicSums]] = {
    OneGraph: ByCandidate,
    Listed: ByCandidate,
    Ordered: ByParents,
    Unordered: ByAcyclicSums,
}


def weighing_of(problem: Problem) -> Weighing:
    """The way in which rounds weigh the possible graphs of a problem; raises TooLarge where their tables are too large."""
    return _WEIGHING[type(problem.graphs.space)](problem.graphs, CandidateTables(problem).families)


def arrow_weights(graphs: Graphs, families: CandidateFamilies, counts: Floats) -> Floats:  # float[L, P]
    """The probability of each of the `possible` arrows, by counts of the tables of these families."""
    return _WEIGHING[type(graphs.space)](graphs, families).arrows(counts)
