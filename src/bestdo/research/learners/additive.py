"""MODL: sets all variables at once, learns what each value adds to the reward, and drops values in phases. No graph."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.errors import NotValid
from bestdo.learners.count_state import Counts, add_block, is_old, start_counts
from bestdo.memory_cache import memory_cache
from bestdo.research.statistics.matching import Matching
from bestdo.statistics.played import Played

__all__ = ["MODL", "Search"]


_RIDGE = 0.1
"""The number added to the diagonal of the normal equations, the authors' value: one-hot columns are linearly dependent."""
_Z = 1.96
"""The normal quantile of intervals of 95 %."""


class Search(NamedTuple):
    """The end of a search by `MODL.search`."""

    best: Ints
    """int[V]: the value of each variable that adds most."""
    rounds: int
    """The number of rounds played."""
    left: tuple[Ints, ...]
    """The values of each variable that were not dropped."""


class _MODLState(NamedTuple):
    """Counts, the rounds of the phase, and which values are left."""

    counts: Counts
    plays: Floats
    """float[L, A]: the rounds of each action in the phase."""
    rewards: Floats
    """float[L, A]: the sums of their rewards."""
    left: Bools
    """bool[L, S]: which values of all variables, one variable after the other, are left."""
    phase: Ints
    """int[L]"""


@dataclass(frozen=True)
class MODL:
    """MODL: plays balanced settings of all variables, and drops the values that add less, in phases, until it is sure.

    Malek, Aglietti & Chiappa (2023), Algorithm 1, for a reward that is a sum of an effect of each variable, nobody knowing
    which have any, and noise; hidden common causes do no harm, as every variable is set at random. Phase l = 0 … p has width
    γ = ε 2^(p-1-l), p = ⌈log₂(bound / ε)⌉, and ⌈4 σ² S ln(p / δ) / γ²⌉ rounds, S the number of values left; every value left
    of a variable is set equally often, independently of the others. The effects are found by ridge regression, and values
    worse than the best of their variable by γ or more are dropped. It ends when one value of each variable is left, or after
    the last phase: the recommendation is then within ε of the best with probability 1 - δ, if effects add up. All of ε,
    σ and the bound are on the scale of learners, on which a reward with bounds lies between 0 and 1.

    The actions must be all settings of some variables; where these cannot be listed, `search` plays without a list.

    Deviations: a phase with fewer rounds than values left is not played (the authors' code counts its rounds all the same);
    the recommendation and estimates are by all rounds so far; if the rounds run out within a phase nothing is dropped in it.
    The authors' code makes the balanced settings but regresses on rounds in which nothing is set: `watching`.
    """

    epsilon: float = 0.1
    """ε: by how much the recommendation may be worse than the best."""
    delta: float = 0.1
    """δ: with what probability it may be worse than that."""
    spread: float = 0.5
    """σ: the standard deviation of a reward given all values; 1/2 is enough for any reward with bounds."""
    bound: float = 1.0
    """The largest possible difference of two means."""
    watching: bool = False
    """Whether nothing is set in the rounds of a phase, and the regression is on the values that occurred, as in the authors'
    code: effects are then those of seeing, and wrong where values have causes in common with the reward."""

    traits = Traits(reasons=True, stops=True)

    @classmethod
    def as_published_with_error(cls) -> MODL:
        """MODL as in the authors' code, which makes the balanced settings and then plays rounds in which nothing is set."""
        return cls(watching=True)

    def statistic(self, problem: Problem, horizon: float) -> Played | Matching:
        """Plays of each action; while watching, how often the values of each occurred."""
        return Matching(problem) if self.watching else Played(problem)

    @property
    def phases(self) -> int:
        """p: the number of the last phase."""
        return max(1, math.ceil(math.log2(self.bound / self.epsilon)))

    def rounds_of_phase(self, phase: int, values: int) -> int:
        """The number of rounds of a phase while so many values of all variables are left."""
        log = math.log(self.phases / self.delta)
        return math.ceil(4 * self.spread**2 * values * log / self._width(phase) ** 2)

    def _width(self, phase: int) -> float:
        return float(self.epsilon * 2.0 ** (self.phases - 1 - phase))

    def _from(self, phase: int, values: int) -> int:
        """The first phase from this one on that has at least as many rounds as there are values left."""
        while phase <= self.phases and self.rounds_of_phase(phase, values) < values:
            phase += 1
        return phase

    def search(self, play: Callable[[Ints], Floats], sizes: Sequence[int], rng: np.random.Generator) -> Search:
        """Plays until it is sure, without a list of actions.

        play: the rewards (float[N]) of rounds that set the variables to these codes (int[N, V]); sizes: how many values each
        variable has.
        """
        left = np.ones(sum(sizes), bool)
        start = np.concatenate([[0], np.cumsum(sizes)])
        phase, played, effects = self._from(0, left.sum()), 0, np.zeros(len(left))
        while phase <= self.phases and left.sum() > len(sizes):
            rounds = self.rounds_of_phase(phase, left.sum())
            settings = _balanced(left, start, rounds, rng)
            one_hot = np.zeros((rounds, len(left)))
            np.put_along_axis(one_hot, settings + start[:-1], 1.0, axis=1)
            effects = _effects(one_hot, np.ones(rounds), play(settings))
            left = _kept(left, start, effects, self._width(phase))
            played += rounds
            phase = self._from(phase + 1, left.sum())
        by_variable = list(itertools.pairwise(start))
        best = [int(np.where(left[a:b], effects[a:b], -np.inf).argmax()) for a, b in by_variable]
        return Search(np.array(best), played, tuple(np.flatnonzero(left[a:b]) for a, b in by_variable))

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _MODLState:
        """The state before the first round."""
        require_bounds(problem, "MODL", or_spread=True)
        grid = _grid(problem)
        if self.watching and do() not in problem.actions:
            raise NotValid("MODL as published watches, and the problem does not allow the action do(): take modl")
        counts = start_counts(problem, horizon, lanes, rng)
        none, left = np.zeros((lanes, len(problem.actions))), np.ones((lanes, grid.start[-1]), bool)
        return _MODLState(counts, none, none, left, np.full(lanes, self._from(0, int(grid.start[-1]))))

    def ask(self, state: _MODLState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan: what is missing of the rounds of phase l, in balanced settings of the values left."""
        grid, plan = _grid(state.counts.problem), np.zeros(state.plays.shape, np.int64)
        missing = np.minimum(self._missing(state), state.counts.left)
        if self.watching:
            plan[:, state.counts.problem.actions.index(do())] = missing
            return Plan(plan) if missing.any() else None
        for lane in np.flatnonzero(missing):
            settings = _balanced(state.left[lane], grid.start, int(missing[lane]), rng)
            np.add.at(plan[lane], grid.action[settings @ grid.stride], 1)
        return Plan(plan) if missing.any() else None

    def _missing(self, state: _MODLState) -> Ints:  # int[L]
        """The number of rounds of the phase that are still to be played."""
        variables = len(_grid(state.counts.problem).stride)
        missing = np.zeros(len(state.phase), np.int64)
        for lane, (phase, values) in enumerate(zip(state.phase.tolist(), state.left.sum(axis=1).tolist(), strict=True)):
            if phase <= self.phases and values > variables:
                missing[lane] = max(0, self.rounds_of_phase(phase, values) - int(state.plays[lane].sum()))
        return missing

    def tell(self, state: _MODLState, plan: Plan, tally: Tally) -> _MODLState:
        """The state after a block; where all rounds of a phase are there, without the values that add less by γ or more."""
        if is_old(plan, tally):
            raise NotValid("MODL learns only from rounds in which it sets all variables: old rounds cannot be told")
        counts, grid = add_block(state.counts, plan, tally), _grid(state.counts.problem)
        whole = grid.one_hot.any(axis=1)  # do() and others that set less are no rows of the regression
        state = state._replace(
            counts=counts, plays=state.plays + tally.weight * whole, rewards=state.rewards + tally.reward * whole
        )
        open_ = (state.phase <= self.phases) & (state.left.sum(axis=1) > len(grid.stride))
        done = open_ & (self._missing(state) == 0)
        if not done.any():
            return state
        left, phase = state.left.copy(), state.phase.copy()
        for lane in np.flatnonzero(done):
            effects = _effects(grid.one_hot, state.plays[lane], state.rewards[lane])
            left[lane] = _kept(left[lane], grid.start, effects, self._width(int(phase[lane])))
            phase[lane] = self._from(int(phase[lane]) + 1, int(left[lane].sum()))
        again = ~done[:, None]
        return _MODLState(counts, state.plays * again, state.rewards * again, left, phase)

    def reason(self, state: _MODLState, action: int) -> str:
        """The values of the action are among those left, or balance a variable that is decided."""
        if self.watching:
            return f"watching, as in the authors' code: {self._progress(state)}"
        return f"every value left is set equally often: {self._progress(state)}"

    def certainty(self, state: _MODLState) -> str:
        """The progress of the search in a sentence."""
        if self._missing(state)[0]:
            return f"not sure yet: {self._progress(state)}"
        return (
            f"if effects add up, the action recommended is within {self.epsilon:g} of the best (1: the range of the reward) "
            f"with probability {1 - self.delta:g}"
        )

    def _progress(self, state: _MODLState) -> str:
        left, variables = state.left, len(_grid(state.counts.problem).stride)
        return f"{int(left[0].sum())} of {left.shape[1]} values of {variables} variables are left"

    def best(self, state: _MODLState) -> Ints:  # int[L]
        """The action with the best sum of effects of those whose values are left."""
        estimates = self.estimates(state)
        mean = np.where(_open(state), estimates.mean.round(9), np.nan)
        return argmax(mean, state.counts.ties, state.counts.block)

    def estimates(self, state: _MODLState) -> Estimates:
        """The sum of the effects of each action's values, by all rounds, with a 95 % interval that believes in σ."""
        counts, grid = state.counts, _grid(state.counts.problem)
        bounded = counts.problem.graph.bounds is not None
        mean, reach, seen = (np.full(counts.played.shape, fill) for fill in (np.nan, np.inf, 0.0))
        for lane in np.flatnonzero(counts.tally.weight.any(axis=1)):
            n = counts.tally.weight[lane]
            inverse = _inverse(grid.one_hot, n)
            mean[lane] = grid.one_hot @ (inverse @ (grid.one_hot.T @ counts.tally.reward[lane]))
            reach[lane] = _Z * self.spread * np.sqrt(((grid.one_hot @ inverse) * grid.one_hot).sum(axis=1))
            seen[lane] = np.where(grid.one_hot > 0, grid.one_hot.T @ n, np.inf).min(axis=1)
        seen = np.where(np.isfinite(seen), seen, 0.0)
        mean = np.where(seen > 0, mean, np.nan)
        reach = np.where(seen > 0, reach, np.inf)
        low, high = np.nan_to_num(mean) - reach, np.nan_to_num(mean) + reach
        if bounded:
            low, high = np.fmin(np.clip(low, 0, 1), mean), np.fmax(np.clip(high, 0, 1), mean)
        return Estimates(
            mean,
            low,
            high,
            counts.played,
            seen,
            dropped=~_open(state),
            contenders=counts.problem.contenders,
            bounded=bounded,
        )


class _Grid(NamedTuple):
    """The numbering of actions that set all variables, by their values."""

    start: Ints
    """int[V + 1]: where the values of each variable begin."""
    stride: Ints
    """int[V]: settings (codes) times these, summed, are their numbers."""
    action: Ints
    """int[settings]: the action of each number."""
    one_hot: Floats
    """float[A, S]: 1 where an action sets a variable to a value; zeros for actions that set fewer variables."""


@memory_cache
def _grid(problem: Problem) -> _Grid:
    """The actions of a problem as all settings of some variables."""
    codes = problem.actions.codes
    number = np.where(problem.contenders, (codes >= 0).sum(axis=1), -1)
    whole = number == number.max()
    places = np.flatnonzero((codes[whole] >= 0).any(axis=0))
    sizes = np.array([problem.graph.size(problem.graph.names[v]) for v in places], np.int64)
    if not len(places) or (codes[whole][:, places] < 0).any() or whole.sum() != sizes.prod():
        raise NotValid(
            "MODL sets all variables at once: the actions must hold every setting of all variables that matter; in a file, "
            "name them under set, with at_most as large as their number"
        )
    stride = np.concatenate([np.cumprod(sizes[:0:-1])[::-1], [1]]).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(sizes)])
    action = np.empty(int(sizes.prod()), np.int64)
    chosen = codes[whole][:, places].astype(np.int64)
    action[chosen @ stride] = np.flatnonzero(whole)
    one_hot = np.zeros((len(codes), start[-1]))
    one_hot[np.flatnonzero(whole)[:, None], chosen + start[:-1]] = 1.0
    return _Grid(start, stride, action, one_hot)


def _open(state: _MODLState) -> Bools:  # bool[L, A]
    """A mask of the actions that set all variables to values still in the race."""
    one_hot = _grid(state.counts.problem).one_hot
    return np.asarray((state.left @ one_hot.T == one_hot.sum(axis=1)) & (one_hot.any(axis=1)))


def _balanced(left: Bools, start: Ints, rounds: int, rng: np.random.Generator) -> Ints:  # int[rounds, V]
    """Settings in which every value left of a variable is equally often, in random order; all of them where one is left."""
    columns = []
    for a, b in itertools.pairwise(start):
        values = np.flatnonzero(left[a:b])
        values = np.arange(b - a) if len(values) == 1 else values
        turns = np.tile(values, (-(-rounds // len(values)), 1))
        columns.append(rng.permuted(turns, axis=1).ravel()[:rounds])
    return np.stack(columns, axis=1)


def _inverse(one_hot: Floats, weight: Floats) -> Floats:  # float[S, S]
    gram = one_hot.T @ (weight[:, None] * one_hot) + _RIDGE * np.eye(one_hot.shape[1])
    return np.asarray(np.linalg.inv(gram), np.float64)


def _effects(one_hot: Floats, weight: Floats, reward: Floats) -> Floats:  # float[S]
    """The effect of each value, from the plays of each row (float[N]) and the sums of rewards (float[N])."""
    return np.asarray(_inverse(one_hot, weight) @ (one_hot.T @ reward))


def _kept(left: Bools, start: Ints, effects: Floats, width: float) -> Bools:  # bool[S]
    """The values left that are worse than the best of their variable by less than the width."""
    best = np.maximum.reduceat(np.where(left, effects, -np.inf), start[:-1])
    return np.asarray(left & (np.repeat(best, np.diff(start)) - effects < width))
