"""RAPS: looks for the one direct cause of the reward by setting variables at random, then plays its values by bounds."""

from __future__ import annotations

import math
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
from bestdo.errors import NotValid, shown
from bestdo.learners.count_state import (
    Counts,
    add_block,
    best_mean,
    means,
    play_once,
    split_evenly,
    start_counts,
    wilson_estimates,
)
from bestdo.learners.reasons import bound_words
from bestdo.memory_cache import memory_cache
from bestdo.research.statistics.values_by_action import ValuesByAction

__all__ = ["RAPS"]


class _RAPSState(NamedTuple):
    """Counts, and how far the search is."""

    counts: Counts
    values: Floats
    """float[L, A, cells]: how often each value of each variable was seen under each action."""
    open: Bools
    """bool[L, V]: the variables that may still be the cause; the one that is being tried is not among them."""
    trying: Ints
    """int[L]: the place of the variable that is being tried; -1 when the search is over."""
    cause: Ints
    """int[L]: the last variable found to change the reward; -1 before there is one."""
    tried: Ints
    """int[L]: how many variables have been tried."""


@dataclass(frozen=True)
class RAPS:
    """RAPS: tries variables in random order, keeps what the reward depends on through, and plays the one cause's values.

    Konobeev, Etesami & Kiyavash (2023), for one direct cause P of the reward, nothing hidden, and no graph: a variable X of
    those that are left is drawn, and each of its values played B times. If that changes the mean reward by more than half of
    `reward_gap`, P is X or one of the variables that X changes (some probability by more than half of `value_gap`), and only
    those stay; if not, X and what it changes are left out. When nothing is left, the last one that changed the reward is P,
    and UCB plays its values. If all tests are right, Σ_v 1 / (|An(v) △ An(P) without v| + 1) variables are tried on average.

    Deviations: changes are compared between the values of X, where the paper compares each with not setting X; UCB goes
    on from the rounds of the search; where no variable changed the reward, all actions compete. The search for several
    causes is not built.
    """

    samples: int = 0
    """B; 0: as many as the paper's proof needs, max(32/Δ² ln(8nK/δ), 2/ε² ln(8n²K²/δ)), which is thousands."""
    reward_gap: float = 0.2
    """Δ: by how much a cause changes the mean reward, as a share of its range, at least."""
    value_gap: float = 0.2
    """ε: by how much a cause changes some probability of what it causes, at least."""
    delta: float = 0.05
    """δ: with what probability the search may fail."""

    traits = Traits(reasons=True)

    def statistic(self, problem: Problem, horizon: float) -> ValuesByAction:
        """Counts of each value under each action, and plays."""
        return ValuesByAction(problem)

    def rounds_of_a_value(self, problem: Problem) -> int:
        """B, the number of rounds in which each value of a variable is tried."""
        if self.samples:
            return self.samples
        places, _ = _actions_of(problem)
        n, k = len(places), max(problem.graph.size(problem.graph.names[v]) for v in places)
        by_reward = 32 / self.reward_gap**2 * math.log(8 * n * k / self.delta)
        return math.ceil(max(by_reward, 2 / self.value_gap**2 * math.log(8 * n**2 * k**2 / self.delta)))

    def first_test(self, problem: Problem) -> float:
        """The least horizon at which a test can end: B rounds of all values of the variable for which they cost least."""
        places, owner = _actions_of(problem)
        return self.rounds_of_a_value(problem) * min(float(problem.prices[owner == place].sum()) for place in places)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _RAPSState:
        """The state before the first round."""
        require_bounds(problem, "RAPS", or_spread=True)
        places, _ = _actions_of(problem)
        counts = start_counts(problem, horizon, lanes, rng)
        cells = int(ValuesByAction(problem).start[-1])
        open_ = np.zeros((lanes, len(problem.graph.names)), bool)
        open_[:, list(places)] = True
        nobody = np.full(lanes, -1)
        values = np.zeros((lanes, len(problem.actions), cells))
        return _next(_RAPSState(counts, values, open_, nobody, nobody, np.zeros(lanes, np.int64)), np.ones(lanes, bool))

    def ask(self, state: _RAPSState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan: what is missing of the B rounds of each value of the variable being tried, or UCB on the cause found."""
        counts = state.counts
        if not counts.left.any():
            return None
        missing = self._missing(state)
        plan = np.minimum(split_evenly(np.minimum(counts.left, missing.sum(axis=1)), missing > 0, rng), missing)
        over = np.asarray(missing.sum(axis=1) == 0)
        if over.any():
            n = counts.tally.weight
            t = np.maximum(n.sum(axis=1, keepdims=True), 1)
            with np.errstate(divide="ignore", invalid="ignore"):
                bound = np.where(n > 0, means(counts.tally) + np.sqrt(np.log(t) / n), np.inf)
            bound = np.where(_competing(state), bound, -np.inf)
            plan = np.where(over[:, None], play_once([argmax(bound, counts.ties, counts.block)], counts).counts, plan)
        return Plan(plan)

    def tell(self, state: _RAPSState, plan: Plan, tally: Tally) -> _RAPSState:
        """The state after a block; where all rounds of a variable are there, what it changes is decided, by Δ/2 and ε/2."""
        values, plays = ValuesByAction(state.counts.problem).apart(tally)
        state = state._replace(counts=add_block(state.counts, plan, plays), values=state.values + values)
        done = (state.trying >= 0) & ~self._missing(state).any(axis=1)
        if not done.any():
            return state
        reward, changed = self._changes(state)
        mine = np.arange(state.open.shape[1]) == state.trying[:, None]
        still_open = np.where(reward[:, None], state.open & changed, state.open & ~changed) & ~mine
        return _next(
            state._replace(
                open=np.where(done[:, None], still_open, state.open),
                cause=np.where(done & reward, state.trying, state.cause),
            ),
            done,
        )

    def _missing(self, state: _RAPSState) -> Ints:  # int[L, A]
        """The plays of each value of the variable on trial that are still missing."""
        _, owner = _actions_of(state.counts.problem)
        own = (owner == state.trying[:, None]) & (state.trying >= 0)[:, None]
        needed = self.rounds_of_a_value(state.counts.problem)
        return np.where(own, np.maximum(needed - state.counts.played, 0), 0).astype(np.int64)

    def _changes(self, state: _RAPSState) -> tuple[Bools, Bools]:  # bool[L] and bool[L, V]
        """Whether the variable that is being tried changes the reward, and which variables it changes."""
        problem = state.counts.problem
        _, owner = _actions_of(problem)
        own = (owner == state.trying[:, None])[:, :, None]  # bool[L, A, 1]
        shares = state.values / np.maximum(state.counts.played, 1)[:, :, None]
        spread = np.where(own, shares, -np.inf).max(axis=1) - np.where(own, shares, np.inf).min(
            axis=1
        )  # float[L, cells]
        spread = np.nan_to_num(spread, neginf=0.0)
        starts = ValuesByAction(problem).start
        changed = np.zeros(state.open.shape, bool)
        for v in range(state.open.shape[1]):
            if starts[v + 1] > starts[v]:
                changed[:, v] = spread[:, starts[v] : starts[v + 1]].max(axis=1) > self.value_gap / 2
        mean = np.nan_to_num(means(state.counts.tally))[:, :, None]
        far = np.where(own, mean, -np.inf).max(axis=(1, 2)) - np.where(own, mean, np.inf).min(axis=(1, 2))
        return np.asarray(far > self.reward_gap / 2), changed

    def reason(self, state: _RAPSState, action: int) -> str:
        """The value on trial, or the highest bound."""
        problem = state.counts.problem
        if state.trying[0] >= 0:
            name = problem.graph.names[int(state.trying[0])]
            return f"to see what {shown(name)} changes: {int(state.open[0].sum()) + 1} variables may be the cause"
        end, most = bound_words(problem)
        if state.cause[0] < 0:
            return f"no variable changed the reward, and its {end} bound is the {most}"
        return f"it sets the cause that was found, and its {end} bound is the {most}"

    def best(self, state: _RAPSState) -> Ints:  # int[L]
        """The action with the best mean of those that compete."""
        return best_mean(_only(state))

    def estimates(self, state: _RAPSState) -> Estimates:
        """The mean of each action with a 95 % interval; those that set another variable than the cause found are dropped."""
        return wilson_estimates(state.counts)._replace(dropped=~_competing(state))


def _only(state: _RAPSState) -> Counts:
    """The counts without those of actions that do not compete."""
    tally = state.counts.tally
    none = np.where(_competing(state), tally.weight, 0.0)
    return state.counts._replace(tally=Tally.from_counts(none, np.where(none > 0, tally.reward, 0.0)))


def _competing(state: _RAPSState) -> Bools:  # bool[L, A]
    """A mask of the actions that may be recommended: all while the search goes on, then those on the cause."""
    _, owner = _actions_of(state.counts.problem)
    searching = (state.trying >= 0) | (state.cause < 0)
    return np.asarray((searching[:, None] | (owner == state.cause[:, None])) & state.counts.problem.contenders)


def _next(state: _RAPSState, lanes: Bools) -> _RAPSState:
    """The state in which these lanes (bool[L]) try another variable that is left, drawn at random, or none if none is."""
    problem = state.counts.problem
    places, _ = _actions_of(problem)
    variables = [problem.graph.variables[v] for v in places]
    first = np.array([problem.actions.index(do({each.name: each.values[0]})) for each in variables])
    order = state.counts.ties.random(state.counts.block)[:, first]  # by the text of an action: of any numbering
    chosen = np.array(places)[np.where(state.open[:, list(places)], order, -1.0).argmax(axis=1)]
    chosen = np.where(state.open.any(axis=1), chosen, -1)
    trying = np.where(lanes, chosen, state.trying)
    open_ = state.open & ~((np.arange(state.open.shape[1]) == trying[:, None]) & lanes[:, None])
    return state._replace(trying=trying, open=open_, tried=state.tried + (lanes & (chosen >= 0)))


@memory_cache
def _actions_of(problem: Problem) -> tuple[tuple[int, ...], Ints]:
    """The variables that single actions set, by their places, and the one that each action sets alone (int[A]), or -1."""
    codes = problem.actions.codes
    alone = (codes >= 0).sum(axis=1) == 1
    owner = np.where(alone, (codes >= 0).argmax(axis=1), -1)
    places = tuple(sorted({int(v) for v in owner if v >= 0}))
    if not places:
        raise NotValid("RAPS sets one variable at a time, and no action sets exactly one")
    for v in places:
        name = problem.graph.names[v]
        absent = [x for x in problem.graph.variable(name).values if do({name: x}) not in problem.actions]
        if absent:
            raise NotValid(
                f"RAPS compares all values of a variable, and do({name}={absent[0]}) is not among the actions"
            )
    owner.setflags(write=False)
    return places, owner
