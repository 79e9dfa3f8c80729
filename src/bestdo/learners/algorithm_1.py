"""Algorithm 1 of the paper, the Parallel Bandit Algorithm: do() for half of the rounds, then the actions rarely seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.design.difficulty import difficulty, difficulty_of_variables
from bestdo.design.handmade import difficulty_of_authors
from bestdo.errors import NotValid
from bestdo.learners.count_state import Counts, add_block, means, split_evenly, start_counts
from bestdo.learners.families import from_counts
from bestdo.learners.reasons import watching
from bestdo.statistics.seen import Seen

__all__ = ["ParallelBandit", "end_first_phase", "reason_by_phase", "watching_rounds"]


_TIE = 1e-9
"""Sets equal shares apart at random. Unequal ones differ by at least 1 / rounds watched, so below 10⁹ rounds they keep their
order."""


class ParallelState(NamedTuple):
    """The state of Algorithm 1: counts, and what the first phase showed."""

    counts: Counts
    rare: NDArray[np.bool_]
    """bool[L, A]: the set A of the paper; all False before the first phase is told."""
    second: Tally
    """The sums of the second phase alone."""


@dataclass(frozen=True)
class ParallelBandit:
    """Algorithm 1, for any number of values, with every choice that the paper's text leaves open as a parameter.

    The defaults follow the proofs, use every round and every observation. `as_in_paper()` does what the text says, and
    `as_in_authors_code()` what the code behind the paper's figures does.
    Line numbers are those of the paper's listing, in which ends of loops have none.
    Needs seeing to be as good as doing for every action, and do() among the actions. Old rounds of do() belong to the
    first phase: it is half of all rounds, the old ones included, so with enough of them every new round goes to the rare
    actions.
    """

    rare: Literal["below", "at_most", "rarest"] = "below"
    """The actions that count as rare: p̂ < 1/m̂ (as the proofs need), p̂ ≤ 1/m̂ (the paper's line 9; at m̂ = 2 it takes in
    balanced actions), or the m̂ rarest (the authors' code)."""
    difficulty: Literal["actions", "variables", "authors"] = "actions"
    """The way to count m̂: over the actions a ≠ do() with tau ≥ 2 (any number of values), over variables (the paper's
    m(q), two values each), or as the authors' code does over all actions."""
    pooled: bool = True
    """Whether the rare actions' estimates use both phases, or the second alone (the paper's line 14)."""
    leftover: bool = True
    """Whether the rounds that do not divide evenly are played (one more for some rare actions, at random) or not."""
    watch_on: bool = True
    """Whether do() is played in the second half as well when no action is rare (otherwise that half is not played)."""

    traits = Traits(reasons=True)

    @classmethod
    def as_in_paper(cls) -> ParallelBandit:
        """Algorithm 1 as the text of the paper says."""
        return cls(rare="at_most", difficulty="variables", pooled=False, leftover=False, watch_on=False)

    @classmethod
    def as_in_authors_code(cls) -> ParallelBandit:
        """Algorithm 1 as in the code behind the paper's figures."""
        return cls(rare="rarest", difficulty="authors", pooled=False, leftover=False, watch_on=False)

    def statistic(self, problem: Problem, horizon: float) -> Seen:
        """The statistic: rounds in which each action was seen or played, and the successes."""
        return Seen(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> ParallelState:
        """The state before the first round."""
        Seen(problem).require("Algorithm 1")
        if do() not in problem.actions:
            raise NotValid("Algorithm 1 starts by watching, and the problem does not allow the action do()")
        if self.difficulty == "variables":
            _value_pairs(problem)
        counts = start_counts(problem, horizon, lanes, rng)
        return ParallelState(counts, np.zeros(counts.played.shape, bool), counts.tally)

    def ask(self, state: ParallelState, request: Request, rng: np.random.Generator) -> Plan | None:
        """First T/2 rounds of do() (lines 2-4; with costs half the budget), then the rare actions equally often (10-13)."""
        counts = state.counts
        watch = np.zeros(counts.played.shape, np.int64)
        watching, half, first = watching_rounds(counts)
        if counts.block == 0 and first.any():  # lines 2-4
            watch[:, watching] = first
            return Plan(watch)
        if counts.block > 1 or not counts.left.any():
            return None
        left = counts.left if self.leftover else np.minimum(counts.left, half)
        plays = split_evenly(left, state.rare, rng, self.leftover)  # lines 10-13
        if self.watch_on:
            on = np.floor(counts.money / counts.problem.prices[watching] + SLACK) if self.leftover else left
            watch[:, watching] = np.where(state.rare.any(axis=1), 0, on)
        plan = plays + watch
        return Plan(plan) if plan.any() else None

    def tell(self, state: ParallelState, plan: Plan, tally: Tally) -> ParallelState:
        """The state after a block; after the first one it is decided which actions are rare (lines 5 to 9)."""
        before = end_first_phase(state.counts, plan)
        counts = add_block(before, plan, tally)
        if before.block == 0:
            known = bool(counts.tally.weight.any())
            return ParallelState(counts, self.rarely_seen(counts) if known else state.rare, state.second)
        if counts.block == before.block:  # old rounds, told late: the set of rare actions stays as it is
            return state._replace(counts=counts)
        return ParallelState(counts, state.rare, state.second.plus(tally) if before.block > 1 else tally)

    def rarely_seen(self, counts: Counts) -> NDArray[np.bool_]:  # bool[L, A]
        """A mask of the actions that were rarely seen in the first phase: lines 5-9."""
        watched = counts.problem.actions.index(do())
        p = counts.tally.weight / np.maximum(counts.tally.weight[:, [watched]], 1)  # line 8
        set_ = (np.arange(p.shape[1]) != watched) & counts.problem.contenders
        if self.difficulty == "variables":
            m = difficulty_of_variables(p[:, _value_pairs(counts.problem)].min(axis=2))
        else:
            m = difficulty(p[:, set_]) if self.difficulty == "actions" else difficulty_of_authors(p)
        if self.rare == "rarest":
            apart = np.where(counts.problem.contenders, p, 1.0) + counts.ties.order(0) * _TIE
            last = np.take_along_axis(np.sort(apart, axis=1), np.maximum(m - 1, 0)[:, None], axis=1)
            return np.asarray((apart <= last) & (m > 0)[:, None] & counts.problem.contenders)
        limit = 1 / m[:, None]
        return np.asarray((p < limit if self.rare == "below" else p <= limit) & set_)  # line 9

    def _sums(self, state: ParallelState) -> Tally:
        """The sums that estimates are made of: line 7 for the actions seen often, line 14 for the rare ones."""
        if self.pooled:
            return state.counts.tally
        whole, second = state.counts.tally, state.second
        again = state.rare & (second.weight > 0)
        apart = state.rare.any(axis=1, keepdims=True)  # where no action is rare, the second phase continues the first
        return Tally.each(lambda all_, part: np.where(again, part, all_ - part * apart), whole, second)

    def reason(self, state: ParallelState, action: int) -> str:
        """The lesson of watching in the first phase, then the rarity of the action."""
        return reason_by_phase(state.counts, action)

    def best(self, state: ParallelState) -> NDArray[np.int64]:
        """The action with the best estimate (line 15), ties at random; one never seen is not chosen if another was."""
        return argmax(means(self._sums(state)), state.counts.ties, state.counts.block)

    def estimates(self, state: ParallelState) -> Estimates:
        """The mean of each action over the rounds that count for it, with a 95 % interval (`from_counts`)."""
        found = from_counts(self._sums(state), state.counts.played, state.counts.problem.graph)
        return found._replace(contenders=state.counts.problem.contenders)


def watching_rounds(counts: Counts) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """The index of do(), the length of the first phase (int[L]), and how many rounds of it are still to be played (int[L]).

    The first phase is half of the horizon (or budget) and the old rounds of do() together, rounded down.
    """
    watching = counts.problem.actions.index(do())
    price = counts.problem.prices[watching]
    old = counts.tally.weight[:, watching] - counts.played[:, watching]
    half = np.floor((counts.horizon / price + old) / 2 + SLACK)
    return watching, half.astype(np.int64), np.maximum(half - old, 0).astype(np.int64)


def reason_by_phase(counts: Counts, action: int) -> str:
    """The reason for an action: in the first phase what watching teaches, then how rarely it was seen."""
    watched, _, first = watching_rounds(counts)
    if action == watched:
        return watching(counts.problem) + ("" if counts.block == 0 and first.any() else "; no action was rarely seen")
    seen, rounds = counts.tally.weight[0, action] - counts.played[0, action], counts.tally.weight[0, watched]
    return f"rarely seen, in {seen:.0f} of {rounds:.0f} rounds of watching: now such actions are played"


def end_first_phase(counts: Counts, plan: Plan) -> Counts:
    """The counts, with the first phase marked as over if the plan sets a variable.

    With enough old rounds no first phase is played, and the first block belongs to the second phase already.
    """
    watching = counts.problem.actions.index(do())
    sets = plan.counts.sum() > plan.counts[:, watching].sum()
    return counts._replace(block=max(1, counts.block)) if sets else counts


def _value_pairs(problem: Problem) -> NDArray[np.int64]:  # int[N, 2]
    """The indices of the two actions on each variable, which the paper's m(q) needs."""
    columns: dict[str, list[int]] = {}
    for i, action in enumerate(problem.actions):
        for name in action:
            columns.setdefault(name, []).append(i)
    sizes = [problem.graph.size(n) for n in columns]
    if (
        not columns
        or any(len(a) > 1 for a in problem.actions)
        or {len(c) for c in columns.values()} | set(sizes) != {2}
    ):
        raise NotValid("the paper's m(q) needs single actions on variables with two values; say difficulty='actions'")
    return np.array(list(columns.values()))
