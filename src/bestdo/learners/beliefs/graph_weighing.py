"""The weighing of possible graphs by rounds, for each kind of these: listed, with an order in time, or without one.

A further kind of possible graphs (`causal/graph_spaces.py`) has a class here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem
from bestdo.causal.graph_spaces import Listed, Ordered, Unordered
from bestdo.causal.graphs import Graphs, OneGraph
from bestdo.learners.beliefs.graph_scores import family_weights, graph_sums, graph_weights, set_weights
from bestdo.statistics.candidate_tables import CandidateFamilies, CandidateTables

__all__ = ["weighing_of"]


@final
@dataclass(frozen=True)
class _ByCandidate:
    """The weights of possible graphs by counts of tables (float[L, cells]): the probability of each candidate of a list."""

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
class _ByParents:
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
class _ByAcyclicSums:
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


_WEIGHING: dict[type, type[_ByCandidate] | type[_ByParents] | type[_ByAcyclicSums]] = {
    OneGraph: _ByCandidate,
    Listed: _ByCandidate,
    Ordered: _ByParents,
    Unordered: _ByAcyclicSums,
}


def weighing_of(problem: Problem) -> _ByCandidate | _ByParents | _ByAcyclicSums:
    """The way in which rounds weigh the possible graphs of a problem; raises TooLarge where their tables are too large."""
    return _WEIGHING[type(problem.graphs.space)](problem.graphs, CandidateTables(problem).families)
