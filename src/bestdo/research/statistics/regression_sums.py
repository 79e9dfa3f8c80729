"""The sums of a linear regression of the reward on indicators of values, and of pairs of values."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally

__all__ = ["RegressionSums"]

_MOST_COEFFICIENTS = 200
"""The most coefficients with pairs; where there would be more, there are main effects alone."""


@dataclass(frozen=True)
class RegressionSums:
    """XᵀX, Xᵀy and yᵀy of a regression, and how often each value came by itself. E are coefficients, D columns, W all values.

    There are coefficients of 1, of each value of each variable that some action sets, and of each pair of values of two of
    these variables: one seen first and one that is set where something is seen `first`, else any two. No arrow of the graph
    is used. A round in which one of the variables is not known counts nowhere.

    The indicators of a variable's values add up to 1, so fewer columns say the same, and solving takes their cube: those of
    each variable's first value are left out, and their coefficients are part of the weights of the others.
    """

    problem: Problem
    first: tuple[str, ...] = ()
    rests_on_graph: ClassVar[bool] = False

    @cached_property
    def places(self) -> Ints:  # int[U]
        """The places of the variables among those of the graph."""
        return np.flatnonzero((self.problem.actions.codes >= 0).any(axis=0))

    @cached_property
    def starts(self) -> Ints:  # int[U + 1]
        """The first value of each variable among all values."""
        sizes = [self.problem.graph.size(self.problem.graph.names[place]) for place in self.places]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:  # int[P] each
        """The values, by their places among all, whose pairs have coefficients."""
        names = [self.problem.graph.names[place] for place in self.places]
        two = [
            (i, j)
            for i, j in itertools.combinations(range(len(names)), 2)
            if not self.first or (names[i] in self.first) != (names[j] in self.first)
        ]
        own = [np.arange(self.starts[i], self.starts[i + 1]) for i in range(len(names))]
        found = [pair for i, j in two for pair in itertools.product(own[i], own[j])]
        fits = 1 + self.starts[-1] + len(found) <= _MOST_COEFFICIENTS or self.first
        left, right = np.array(found if fits else [], np.int64).reshape(-1, 2).T
        return left, right

    @cached_property
    def kept(self) -> Bools:  # bool[E]
        """The coefficients that have a column: not those of first values."""
        later = ~np.isin(np.arange(self.starts[-1]), self.starts[:-1])
        left, right = self.pairs
        return np.concatenate([[True], later, later[left] & later[right]])

    @property
    def columns(self) -> int:
        """D: the number of columns."""
        return int(np.count_nonzero(self.kept))

    @cached_property
    def weights(self) -> Floats:  # float[D, E]
        """The columns' weights by the coefficients: both have the same means, at states that are as many as columns."""
        size = int(self.starts[-1])
        left, right = self.pairs
        own = np.concatenate([np.zeros((1, size)), np.eye(size), np.eye(size)[left] + np.eye(size)[right]])[self.kept]
        missing = (
            np.add.reduceat(own, self.starts[:-1], axis=1) == 0
        )  # bool[D, U]: these variables have their first values
        own[:, self.starts[:-1]] = missing
        return np.asarray(np.linalg.solve(self.design(own), self._indicators(own)).round())

    def design(self, values: Floats) -> Floats:  # float[..., D]
        """The columns, given the chance of each value (float[..., W]): 0 or 1 where it is known."""
        return self._indicators(values)[..., self.kept]

    def prior(self, constant: float, scale: float) -> Floats:  # float[D, D]
        """The precision of the columns' weights beforehand: coefficients have the spread `scale`, that of 1 `constant`."""
        variance = np.full(len(self.kept), scale**2)
        variance[0] = constant**2
        return np.asarray(np.linalg.inv((self.weights * variance) @ self.weights.T))

    def _indicators(self, values: Floats) -> Floats:  # float[..., E]
        """1, each value, and each pair of values."""
        left, right = self.pairs
        return np.concatenate([np.ones((*values.shape[:-1], 1)), values, values[..., left] * values[..., right]], -1)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums as a tally of D × D + W cells: XᵀX as weights, Xᵀy in the first row of its rewards, then free values."""
        codes, size = rounds.x[:, self.places].astype(np.int64), self.columns
        known = np.flatnonzero((codes >= 0).all(axis=1))
        rounds, codes = rounds.pick(known), codes[known]
        values = np.zeros((len(codes), int(self.starts[-1])))
        np.put_along_axis(values, codes + self.starts[:-1], 1.0, axis=1)
        design, times = self.design(values), np.ones(len(codes)) if rounds.times is None else rounds.times
        free = np.repeat(self.problem.actions.codes[:, self.places] < 0, np.diff(self.starts), axis=1)[rounds.action]
        weight, reward, square = (np.zeros((lanes, size * size + values.shape[1])) for _ in range(3))
        y = rounds.y.astype(np.float64)
        order = np.argsort(rounds.lane, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(rounds.lane[order])) + 1):
            if not some.size:
                continue
            lane, weighed = rounds.lane[some[0]], design[some] * times[some, None]
            weight[lane, : size * size] = (weighed.T @ design[some]).reshape(-1)
            weight[lane, size * size :] = times[some] @ (values * free)[some]
            reward[lane, :size] = y[some] @ weighed
            square[lane, 0] = (times[some] * y[some] ** 2).sum()
        return Tally.from_counts(weight, reward, None if self.problem.graph.two_values else square)

    def apart(self, tally: Tally) -> tuple[Floats, Floats, Floats, Floats]:
        """XᵀX float[L, D, D], Xᵀy float[L, D], yᵀy float[L], and how often values came by themselves, float[L, W]."""
        size = self.columns
        gram = tally.weight[:, : size * size].reshape(-1, size, size)
        return gram, tally.reward[:, :size], tally.squares[:, 0], tally.weight[:, size * size :]

    def actions(self, free: Floats) -> Floats:  # float[L, A, D]
        """The columns of each action: what is not set has the shares of its values (float[L, W]) among rounds so far."""
        codes = self.problem.actions.codes[:, self.places].astype(np.int64)  # int[A, U]
        parts = []
        for k, (start, end) in enumerate(itertools.pairwise(self.starts)):
            share = (free[:, start:end] + 0.5) / (free[:, start:end] + 0.5).sum(axis=1, keepdims=True)
            fixed = np.eye(end - start)[np.maximum(codes[:, k], 0)]  # float[A, values]
            parts.append(np.where((codes[:, k] >= 0)[:, None], fixed, share[:, None, :]))
        return self.design(np.concatenate(parts, axis=-1))
