"""Random worlds for a problem: tables drawn from a Dirichlet prior, or from its posterior given rounds."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Progress
from bestdo.causal.action import states
from bestdo.causal.fit import family_counts
from bestdo.causal.model import checked_table
from bestdo.errors import BestdoError, TooLarge, shown
from bestdo.simulate.gibbs import dirichlet, gibbs_weights
from bestdo.simulate.world_batch import Worlds

__all__ = ["Prior", "with_difference"]

Floats = NDArray[np.float64]

_MOST_CELLS = 2**20
"""The most numbers in the tables of one world: 8 MB. Limits memory and time. Not measured."""
_WORLDS = 2000
"""How many worlds the expected difference is averaged over. More are slower: each step of the bisection computes their
means. The standard error is 1/45 of the spread between worlds; tests/simulate/test_prior.py checks the result to 5 %."""
_STEPS = 20
"""Steps of the bisection: the logarithm of the weight is found to 16 / 2^20, far below the error of `_WORLDS`."""
_LEAST_WEIGHT, _MOST_WEIGHT = 1e-3, 1e4
"""The weights tried: the least draws tables of zeros and ones, the most tables whose rows are nearly even."""


@dataclass(frozen=True, eq=False)
class Prior:
    """A distribution over worlds: every row of a table that is not known is Dirichlet, independent of the others."""

    problem: Problem
    weights: Mapping[str, Floats]
    """float[*values of the parents, values]: the Dirichlet parameters of every row, for the tables that are random."""
    known: Mapping[str, Floats] = field(default_factory=dict)
    """The tables that are the same in all worlds."""
    near_hidden: Mapping[str, Floats] = field(default_factory=dict)
    """float[M, …]: M sets of parameters for the tables next to a hidden variable; each world has the tables of one set."""
    progress: Progress = field(default_factory=Progress)
    """The rounds played before the simulation: every learner is told them first."""

    @classmethod
    def of(cls, problem: Problem, known: Mapping[str, ArrayLike] | None = None, weight: float = 1.0) -> Prior:
        """The prior with the same weight in every cell: 1 is uniform over tables, less favours extreme probabilities.

        Tables in `known` are kept, and so are those that follow from the law of the reward's parents, where the problem
        knows it.
        """
        graph = problem.graph
        known = known or {}
        kept = {n: checked_table(graph, n, t) for n, t in {**_known_from_law(problem, known), **known}.items()}
        if graph.reward in kept:
            raise BestdoError(f"the table of the reward {shown(graph.reward)} is what is to be learned: leave it out")
        cells = sum(states(graph, (*graph.parents[n], n)) for n in graph.names)
        if cells > _MOST_CELLS:
            raise TooLarge(f"the tables of this graph have {cells:,} cells; at most {_MOST_CELLS:,} can be drawn")
        unknown = [n for n in graph.names if n not in kept]
        weights = {n: np.full([graph.size(m) for m in (*graph.parents[n], n)], float(weight)) for n in unknown}
        return cls(problem, weights, kept)

    def given(self, progress: Progress) -> Prior:
        """The posterior given these rounds, which every learner is told before it plays on."""
        graph = self.problem.graph
        weights = dict(self.weights)
        for rounds in progress.rounds:
            counts = family_counts(graph, self.problem.actions, rounds.action, rounds.x, rounds.times)
            weights = {n: w + counts[n] for n, w in weights.items()}
        near = {}
        if graph.hidden and progress.rounds:
            near = gibbs_weights(self.problem, self.weights, self.known, progress.rounds)
        return replace(self, weights=weights, near_hidden=near, progress=progress)

    @property
    def cells(self) -> int:
        """How many numbers the tables of one world have."""
        return sum(t.size for t in (*self.weights.values(), *self.known.values()))

    def worlds(self, lanes: int, rng: np.random.Generator) -> Worlds:
        """Draws a world for each lane."""
        tables: dict[str, Floats] = dict(self.known)
        which = rng.integers(0, max((len(w) for w in self.near_hidden.values()), default=1), size=lanes)
        for name, weights in self.weights.items():
            near = self.near_hidden.get(name)
            all_lanes = np.broadcast_to(weights, (lanes, *weights.shape)) if near is None else near[which]
            tables[name] = dirichlet(all_lanes, rng)
        return Worlds(self.problem, lanes, tables, self.progress)


def _known_from_law(problem: Problem, known: Container[str]) -> dict[str, Floats]:
    """The tables that follow from the law of the reward's parents; none where all its variables are `known`."""
    law, graph = problem.law, problem.graph
    if law is None or all(name in known for name in graph.ancestors(law.parents)):
        return {}
    return law.tables()


def with_difference(prior: Prior, difference: float) -> Prior:
    """The prior with the reward's weight chosen so that the best action exceeds the average one by `difference`.

    Both in probability of success, on average over worlds. Found by bisection on worlds drawn with a fixed seed.
    """
    reward = prior.problem.graph.reward
    assert reward is not None
    ones = np.ones_like(prior.weights[reward])

    def weighted(log: float) -> Prior:
        return replace(prior, weights={**prior.weights, reward: ones * float(np.exp(log))})

    def excess(log: float) -> float:
        means = weighted(log).worlds(_WORLDS, np.random.default_rng(0)).means
        return float((means.max(axis=1) - means.mean(axis=1)).mean())

    low, high = np.log(_LEAST_WEIGHT), np.log(_MOST_WEIGHT)  # the difference falls as the weight grows
    if not excess(high) <= difference <= excess(low):
        raise BestdoError(
            f"in this graph the best action can be better than the average one by {excess(high):.2g} to "
            f"{excess(low):.2g} on average, not by {difference:g}"
        )
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > difference else (low, middle)
    return weighted((low + high) / 2)
