"""HAC-UCB: C-UCB until the rounds contradict the graph, and then bounds on each action's own plays."""

from __future__ import annotations

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
from bestdo.learners.count_state import (
    Counts,
    add_block,
    play_once,
    rounded,
    split_evenly,
    start_counts,
    wilson_estimates,
)
from bestdo.learners.parent_states import DIGITS, estimates_by_states, listed_law, state_means
from bestdo.learners.reasons import bound_words
from bestdo.research.statistics.states_beside_plays import StatesBesidePlays

__all__ = ["HACUCB"]


class _HACState(NamedTuple):
    """Counts of states and of plays, and whether the graph is trusted."""

    counts: Counts
    """The sums of the states of the reward's parents, plays and what is left."""
    plays: Tally
    """[L, A]: the sums of each action's own rounds."""
    trusts: Bools
    """bool[L]: whether the rounds of the lane have not contradicted the graph yet."""

    @property
    def by_play(self) -> Counts:
        """The counts with the sums of each action's own rounds."""
        return self.counts._replace(tally=self.plays)


@dataclass(frozen=True)
class HACUCB:
    """HAC-UCB: plays by C-UCB while the bounds of states and of plays agree for every action, and by UCB ever after.

    Bilodeau, Wang & Roy (2022), Algorithm 1 (HAC-UCB), with the constants of their code: δ = 1/T²; first
    round(√T/K + 1) rounds of every action; bounds with √(ln(1/δ) / 2n), for an action's plays and for the states' rounds,
    from which C-UCB's bound follows. They agree while for every action the bound by plays is at most √(2 ln(1/δ) / n) above
    that by states, and at most Σ_x P(x | a) √(2 ln(1/δ) / n_x) below.

    Deviations: the law of the states is taken as given, where the paper replaces it by the shares seen in 4√T/K more
    rounds of each action if it differs from them by 2 T^(-1/4) √(K |X| ln T), which is above 2, and so never happens, up to
    T = 200,000 with the paper's 20 actions and two states. Of equal bounds that of the action played most is taken, at
    random where these are several; the authors' code takes the first, so that, in effect, one action of those that are equal
    by the graph is played so often that its plays can contradict it: spread over ten, they need ten times as long. The
    recommendation is ours: the best mean, by states while they are trusted, then by plays.
    """

    traits = Traits(reasons=True)

    def statistic(self, problem: Problem, horizon: float) -> StatesBesidePlays:
        """Counts of the states of the parents, and of plays."""
        return StatesBesidePlays(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _HACState:
        """The state before the first round."""
        require_bounds(problem, "HAC-UCB", or_spread=True)
        counts = start_counts(problem, horizon, lanes, rng)
        states = Tally.zeros(lanes, listed_law(problem, "HAC-UCB").shape[1])
        return _HACState(counts._replace(tally=states), counts.tally, np.ones(lanes, bool))

    def ask(self, state: _HACState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds (Algorithm 1): first some of every action, then C-UCB, or UCB after a failed test."""
        counts = state.counts
        if not counts.left.any():
            return None
        missing = _first_rounds(counts)
        early = np.asarray(missing.sum(axis=1) > 0)
        by_states, by_plays = _bounds(state)
        bound = rounded(np.where(state.trusts[:, None], by_states, by_plays), DIGITS, counts.problem)
        bound = np.where(counts.problem.contenders, bound, -np.inf)
        equal = bound == bound.max(axis=1, keepdims=True)
        most_played = argmax(np.where(equal, counts.played, -np.inf), counts.ties, counts.block)
        plan = play_once([most_played], counts).counts
        if early.any():
            first = split_evenly(np.minimum(counts.left, missing.sum(axis=1)), missing > 0, rng)
            plan = np.where(early[:, None], np.minimum(first, missing), plan)
        return Plan(plan)

    def tell(self, state: _HACState, plan: Plan, tally: Tally) -> _HACState:
        """The state after a block; the graph is trusted no more where an action fails the test of Algorithm 1."""
        problem = state.counts.problem
        states, plays = StatesBesidePlays(problem).apart(tally)
        counts = add_block(state.counts, plan, states)
        new = _HACState(counts, state.plays.plus(plays), state.trusts)
        done = ~_first_rounds(counts).any(axis=1)
        return new._replace(trusts=state.trusts & (~done | _agree(new)))

    def reason(self, state: _HACState, action: int) -> str:
        """The action is one of the first rounds, or has the highest bound."""
        if _first_rounds(state.counts)[0, action]:
            return "every action is played some times first, to see whether the graph agrees"
        end, most = bound_words(state.counts.problem)
        if state.trusts[0]:
            return f"its {end} bound, by what was seen in each state of the reward's causes, is the {most}"
        return f"the rounds contradict the graph, and its {end} bound by its own plays is the {most}"

    def best(self, state: _HACState) -> Ints:  # int[L]
        """The action with the best mean."""
        counts = state.counts
        return argmax(rounded(self.estimates(state).mean, DIGITS, counts.problem), counts.ties, counts.block)

    def estimates(self, state: _HACState) -> Estimates:
        """The means by states while the graph is trusted, those of each action's own plays afterwards."""
        if state.trusts.all():
            return estimates_by_states(state.counts)
        trusted, own = estimates_by_states(state.counts), wilson_estimates(state.by_play)
        here = state.trusts[:, None]
        return own._replace(
            **{name: np.where(here, getattr(trusted, name), getattr(own, name)) for name in own._fields[:5]}
        )


def _first_rounds(counts: Counts) -> Ints:  # int[L, A]
    """The plays of each action that are still missing before bounds decide."""
    can = counts.problem.contenders
    sweeps = round(np.sqrt(counts.problem.rounds(counts.horizon)) / can.sum() + 1)
    return np.asarray(np.where(can, np.maximum(sweeps - counts.played, 0), 0), np.int64)


def _log(counts: Counts) -> float:
    """ln(1/δ)."""
    return float(2 * np.log(max(2, counts.problem.rounds(counts.horizon))))


def _bounds(state: _HACState) -> tuple[Floats, Floats]:  # float[L, A] each
    """The bounds of all actions by states, and by plays."""
    counts, log = state.counts, _log(state.counts)
    table = listed_law(counts.problem, "HAC-UCB")
    states = state_means(counts.tally, counts.problem) + np.sqrt(log / (2 * np.maximum(counts.tally.weight, 1)))
    plays = state_means(state.plays, counts.problem) + np.sqrt(log / (2 * np.maximum(state.plays.weight, 1)))
    return states @ table.T, plays


def _agree(state: _HACState) -> Bools:  # bool[L]
    """Whether the two bounds of every contender are as near each other as the graph says."""
    log = _log(state.counts)
    by_states, by_plays = _bounds(state)
    above = np.sqrt(2 * log / np.maximum(state.plays.weight, 1))
    below = np.sqrt(2 * log / np.maximum(state.counts.tally.weight, 1)) @ listed_law(state.counts.problem, "HAC-UCB").T
    fits = (by_plays - by_states <= above) & (by_states - by_plays <= below)
    return np.asarray((fits | ~state.counts.problem.contenders).all(axis=1))
