"""The rounds that MODL takes on its authors' worlds until it is sure, alone and beside their two other ways."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.research.figures.modl_worlds import modl_worlds
from bestdo.research.learners.additive import MODL, Search
from bestdo.simulate import World

__all__ = ["THEIRS", "modl_rounds"]


THEIRS = {"MODL": 14_412.61, "with the cause given": 534.55, "causes first": 40_809.55}
"""The means of the rounds that the authors' code takes: 20 worlds, 5 seeds each."""
_EPSILON, _DELTA, _NOISE = 0.5, 0.1, 1.0
_BOUND = 50.0
"""The bound on the reward in their code: 5 for each of the ten variables."""


def modl_rounds(seeds: int, rng: np.random.Generator) -> dict[str, tuple[Floats, Floats]]:
    """The rounds taken and what the values chosen lose, each float[worlds, seeds], by the names in `THEIRS`."""
    by_name: dict[str, list[tuple[int, float]]] = {name: [] for name in THEIRS}
    for world in modl_worlds():
        reward = _Reward(world, rng)
        for _ in range(seeds):
            for name, way in (("MODL", _all), ("with the cause given", _given), ("causes first", _causes_first)):
                by_name[name].append(way(reward))
    split = {name: np.array(each).reshape(-1, seeds, 2) for name, each in by_name.items()}
    return {name: (each[..., 0], each[..., 1]) for name, each in split.items()}


class _Reward:
    """The rewards of a world in which all variables are set: only the value of the one cause matters."""

    def __init__(self, world: World, rng: np.random.Generator) -> None:
        graph = world.problem.graph
        names = [n for n in graph.names if n != graph.reward]
        self.sizes = [graph.size(n) for n in names]
        self.cause = names.index(graph.parents[str(graph.reward)][0])
        self.mean: Floats = np.asarray(world.model.numbers[str(graph.reward)].mean)
        self.rng = rng

    def code(self, settings: Ints, scope: list[int]) -> Ints:  # int[N]
        """The value of the cause under settings (int[N, variables of the scope]); 0 where it is not in the scope."""
        return settings[:, scope.index(self.cause)] if self.cause in scope else np.zeros(len(settings), np.int64)

    def play(self, scope: list[int]) -> Callable[[Ints], Floats]:
        """A function that plays settings of the variables in the scope."""

        def rewards(settings: Ints) -> Floats:
            return self.mean[self.code(settings, scope)] + _NOISE * self.rng.standard_normal(len(settings))

        return rewards

    def search(self, scope: list[int], delta: float) -> tuple[int, float]:
        """The rounds that MODL takes on these variables, and what it loses."""
        made = MODL(epsilon=_EPSILON, delta=delta, spread=_NOISE, bound=_BOUND)
        result: Search = made.search(self.play(scope), [self.sizes[v] for v in scope], self.rng)
        return result.rounds, float(self.mean.max() - self.mean[self.code(result.best[None], scope)[0]])


def _all(reward: _Reward) -> tuple[int, float]:
    return reward.search(list(range(len(reward.sizes))), _DELTA)


def _given(reward: _Reward) -> tuple[int, float]:
    return reward.search([reward.cause], _DELTA)


def _causes_first(reward: _Reward) -> tuple[int, float]:
    """Tests of every variable by itself at width ε / 2, then MODL on those found, or on all where there are none."""
    rounds, width, causes, n_variables = 0, _EPSILON / 2, [], len(reward.sizes)
    for v in reward.rng.permutation(n_variables).tolist():
        log = math.log(2 * reward.sizes[v] * n_variables / (_DELTA / 2))
        n = int(math.ceil(8 * _NOISE**2 * log) / width**2)
        low, high = -math.inf, math.inf
        for value in range(reward.sizes[v]):
            mean = reward.mean[value if v == reward.cause else 0]
            observed = mean + _NOISE / math.sqrt(n) * reward.rng.standard_normal()  # the mean of n rounds
            rounds += n
            low, high = max(low, observed - width / 2), min(high, observed + width / 2)
            if low > high:
                causes.append(v)
                break
    more, lost = reward.search(causes or list(range(n_variables)), _DELTA / 2)
    return rounds + more, lost
