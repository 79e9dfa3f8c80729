"""Worlds of independent causes whose reward is a sum of terms: no table of all causes is needed, so there may be many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.causal import sampling
from bestdo.simulate.world import seen_rounds
from bestdo.simulate.world_batch import Worlds
from bestdo.simulate.world_class import WorldClass

__all__ = ["Noise", "SummedClass", "SummedWorlds", "Term", "Terms"]

Term = tuple[tuple[int, ...], Floats]
"""The causes of a term, by their numbers in rising order, and the term for each of their joint values: float[L, *values]."""
Terms = Callable[[tuple[int, ...], int, np.random.Generator], tuple[Term, ...]]
"""A function that draws the terms, by the numbers of values of all causes, the number of lanes and a generator."""
Noise = Callable[[Floats, np.random.Generator], Floats]
"""A function that draws a number for each mean, float[R]."""


@dataclass(frozen=True, eq=False)
class SummedWorlds(Worlds):
    """Independent causes, all but the last variable of the graph; the chance or mean of the last one is a sum of terms.

    `tables` are those of the causes, and `truth` has no arrows.
    """

    terms: tuple[Term, ...] = ()
    noise: Noise | None = None
    """The noise of a reward that is a number; None for a success."""

    @cached_property
    def means(self) -> Floats:  # float[L, A]
        """The true mean of each action in each lane: the expected terms, as causes are independent."""
        law = [self._law(i) for i in range(len(self.graph.names) - 1)]
        total = np.zeros((self.lanes, len(self.problem.actions)))
        for causes, term in self.terms:
            part = term[:, None]
            for cause in reversed(causes):
                chance = law[cause].reshape(*total.shape, *[1] * (part.ndim - 3), -1)
                part = (part * chance).sum(axis=-1)
            total += part
        return total

    def _law(self, cause: int) -> Floats:  # float[L, A, values]
        """The distribution of a cause under each action."""
        name, codes = self.graph.names[cause], self.problem.actions.codes[:, cause]
        free = self.tables[name][:, None]
        return np.where((codes >= 0)[:, None], np.eye(free.shape[-1])[codes], free)

    def rounds(self, plan: Plan, rng: np.random.Generator, first: int = 0) -> Rounds:
        """Plays a plan for the lanes from `first` on, each in its own world."""
        lanes, actions = plan.counts.shape
        lane, action = np.divmod(np.repeat(np.arange(lanes * actions), plan.counts.reshape(-1)), actions)
        columns, width = self._columns
        x = sampling.sample(columns, self.problem.actions, action, rng, (lane + first) * width)
        mean = self._mean_given(x, lane + first)
        if self.noise is None:
            x[:, -1] = rng.random(len(mean)) < mean
            return seen_rounds(self.problem.graph, lane, action, x)
        numbers = {self.graph.names[-1]: self.noise(mean, rng)}
        rounds = seen_rounds(self.problem.graph, lane, action, x, numbers)
        return rounds._replace(numbers=self.problem.numbers(numbers))

    def _mean_given(self, x: NDArray[np.integer], lane: NDArray[np.int64]) -> Floats:  # float[R]
        """The chance or mean of the reward in rows of values (int[R, V]) of these lanes."""
        return np.asarray(sum(term[(lane, *(x[:, cause] for cause in causes))] for causes, term in self.terms))


@dataclass(frozen=True, eq=False)
class SummedClass(WorldClass):
    """A distribution over such worlds: `rows` draw P(1) of causes of two values, `terms` the terms.

    `known` and `best` are not used: the terms say what is best.
    """

    terms: Terms = lambda sizes, lanes, rng: ()
    noise: Noise | None = None

    def worlds(self, lanes: int, rng: np.random.Generator) -> SummedWorlds:
        """Draws a world for each lane."""
        graph = self.problem.graph
        *causes, last = graph.names
        truth = graph.without_arrows_into(graph.names)
        tables: dict[str, Floats] = {}
        for name in causes:
            p = self.rows[name]((), lanes, rng) if name in self.rows else None
            flat = np.ones(graph.size(name))
            tables[name] = rng.dirichlet(flat, size=lanes) if p is None else np.stack([1 - p, p], axis=-1)
        terms = self.terms(tuple(map(graph.size, causes)), lanes, rng)
        tables[last] = np.full(1 if self.noise else 2, 0.5)  # drawn, and overwritten by the sum of the terms
        return SummedWorlds(self.problem, lanes, tables, truth=truth, terms=terms, noise=self.noise)
