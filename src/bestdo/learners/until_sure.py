"""Stop when sure: any learner, until one action is the best with a given confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, with_old
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.statistic import Statistic, rests_on_graph, weighs_by_design
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.errors import BestdoError
from bestdo.evidence.confidence_sequences import bounds
from bestdo.statistics.pair_counts import Pairs
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen

__all__ = ["Both", "Sure", "UntilSure"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SHORT = 16


@dataclass(frozen=True, eq=False)
class Both:
    """A learner's own sums, and in the last cells those of `Pairs`, over the same rounds."""

    own: Statistic
    pairs: Pairs

    @property
    def problem(self) -> Problem:
        """The problem whose rounds are summed."""
        return self.pairs.problem

    @property
    def rests_on_graph(self) -> bool:
        """Whether one of the two does."""
        return self.pairs.trusting or rests_on_graph(self.own)

    @property
    def weighs_by_design(self) -> bool:
        """Whether the learner's own sums do."""
        return weighs_by_design(self.own)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Both sums side by side."""
        own, pairs = self.own.tally(rounds, lanes), self.pairs.tally(rounds, lanes)
        return Tally(*(np.concatenate(lots, axis=1) for lots in zip(own, pairs, strict=True)))


class Sure(NamedTuple):
    """The state of the learner inside, what was seen of each action, and the verdict."""

    problem: Problem
    alone: bool
    """Whether the sums of the learner inside are among those of `Pairs`."""
    inner: Any
    pairs: Tally
    """[L, C]: what counted for every two actions."""
    verdict: Ints
    """int[L]: the action that is the best for sure; -1 while none is."""
    wanted: Ints
    """int[L]: what would help to part the leader from a rival: the one of the two of which less is known; -1: nothing."""


@dataclass(frozen=True)
class UntilSure:
    """Another learner, stopped as soon as one action is the best with the confidence asked for.

    **Theorem.** With probability at least the confidence, at all times together, no action is called the best that is
    more than `within` worse than the best one: whatever the learner inside plays and however often one looks.

    Proof. Let delta = 1 − confidence and K the number of actions. A round counts towards a (C_a = 1) as `Seen` says; then,
    given the past, it is a success with probability mu_a, whatever else is known before the round. Take a, a rival b that is
    better by more than `within`, and any theta with mu_a ≤ theta and theta + within ≤ mu_b. Someone who stakes x, y ≥ 0 of
    his money on a and against b multiplies it in each round by

        1 + x C_a (Y − theta) − y C_b (Y − theta − within).

    The expectation of this given the past is 1 + x P(C_a) (mu_a − theta) − y P(C_b) (mu_b − theta − within) ≤ 1, also when
    one round counts for both, by the same reward. So his money, and the average over several pairs of stakes, is a
    supermartingale that begins at 1, and by Ville's inequality it ever reaches (K − 1) / delta with probability at most
    delta / (K − 1). Action a is called the best when against every rival this is reached at *every* theta, at the right one
    too. For a given best action there are K − 1 others that may wrongly be called the best: together at most delta.

    The money depends on how many rounds, with and without success, counted for a alone, for b alone, and for both: the sums
    `Pairs`. For each pair of stakes its logarithm is concave in theta, so between two thetas it is at least what it is at one
    of them; that is how all thetas are looked at (`sure_kernels`).

    What is assumed is what `Seen` assumes: the graph is right about where seeing equals doing, and values are missing by
    chance. Sureness is looked at after every block: a learner that plans all its rounds at once cannot be stopped early.
    """

    inner: Learner[Any]
    confidence: float = 0.95
    within: float = 0.0
    """An action this much worse than the best may be called the best as well: with equal means one is never sure."""
    push: float = 0.5
    """In which share of the blocks one round of the learner inside is changed into one that helps to be sure: the learner
    may be content long before that can be proved."""
    trusting: bool = True
    """Whether what is seen counts where the graph says that seeing equals doing; otherwise plays alone count."""

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise BestdoError(f"a confidence of {self.confidence:g}: it must lie between 0 and 1, as 0.95 does")
        if not 0 <= self.within < 1:
            raise BestdoError(f"within {self.within:g} of the best: it must be at least 0 and below 1")

    @property
    def block(self) -> int | None:
        """How many rounds the learner inside has out at once."""
        return getattr(self.inner, "block", None)

    def with_old(self, rounds: float) -> UntilSure:
        """With the learner inside for so many old rounds."""
        return replace(self, inner=with_old(self.inner, rounds))

    def _alone(self, problem: Problem, horizon: float) -> bool:
        return type(self.inner.statistic(problem, horizon)) is (Seen if self.trusting else Played)

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The sums of the learner inside, with what counted for every two actions."""
        pairs = Pairs(problem, self.trusting)
        return pairs if self._alone(problem, horizon) else Both(self.inner.statistic(problem, horizon), pairs)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Sure:
        """Before the first round."""
        inner, actions = self.inner.start(problem, horizon, lanes, rng), len(problem.actions)
        nothing = Tally.zeros(lanes, actions * (actions + 1) // 2)
        verdict = np.full(lanes, 0 if actions == 1 else -1)
        return Sure(problem, self._alone(problem, horizon), inner, nothing, verdict, np.full(lanes, -1))

    def ask(self, state: Sure, rng: np.random.Generator) -> Plan | None:
        """What the learner inside asks for, in the lanes that are not yet sure."""
        unsure = state.verdict < 0
        plan = self.inner.ask(state.inner, rng) if unsure.any() else None
        if plan is None:
            return None
        counts = plan.counts * unsure[:, None]
        self._push(state, counts, rng)
        return Plan(counts) if counts.any() else None

    def _push(self, state: Sure, counts: Ints, rng: np.random.Generator) -> None:
        """Now and then changes one round of a short block into one of what is wanted, if that costs no more."""
        rounds, prices = counts.sum(axis=1), state.problem.prices
        instead = counts.argmax(axis=1)
        push = (state.wanted >= 0) & (rounds > 0) & (rounds <= _SHORT) & (rng.random(len(counts)) < self.push)
        lanes = np.flatnonzero(push & (prices[state.wanted] <= prices[instead]))
        counts[lanes, instead[lanes]] -= 1
        counts[lanes, state.wanted[lanes]] += 1

    def tell(self, state: Sure, plan: Plan, tally: Tally) -> Sure:
        """Tells the learner inside, and looks whether one action is the best for sure."""
        cells = state.pairs.weight.shape[1]
        new = Tally.counted(tally.weight[:, -cells:], tally.reward[:, -cells:])
        own = self._each(state.problem, new) if state.alone else Tally(*(part[:, :-cells] for part in tally))
        pairs, verdict = state.pairs.plus(new), state.verdict.copy()
        open_ = np.flatnonzero(verdict < 0)
        leader, ways = self._in_the_way(state.problem, pairs.lanes(open_), first=True)
        blocked = ways.any(axis=1)
        verdict[open_] = np.where(blocked, -1, leader)
        rival, known = ways.argmax(axis=1), self._each(state.problem, pairs).weight[open_]
        fewer = np.take_along_axis(known, np.stack([leader, rival], axis=1), axis=1)
        wanted = np.full(len(verdict), -1)
        wanted[open_] = np.where(blocked, np.where(fewer[:, 0] <= fewer[:, 1], leader, rival), -1)
        return state._replace(
            inner=self.inner.tell(state.inner, plan, own), pairs=pairs, verdict=verdict, wanted=wanted
        )

    @staticmethod
    def _each(problem: Problem, pairs: Tally) -> Tally:  # [L, A]
        """What counted for each action."""
        itself = Pairs(problem).place.diagonal()
        return Tally.counted(pairs.weight[:, itself], pairs.reward[:, itself])

    def best(self, state: Sure) -> Ints:
        """What is sure; until then what the learner inside would keep."""
        return np.where(state.verdict >= 0, state.verdict, self.inner.best(state.inner))

    def estimates(self, state: Sure) -> Estimates:
        """Those of the learner inside."""
        return self.inner.estimates(state.inner)

    def bounds(self, state: Sure) -> tuple[Floats, Floats]:  # float[L, A] twice
        """Intervals of all means that hold together at all times with the confidence."""
        each = self._each(state.problem, state.pairs)
        return bounds(each.weight, each.reward, math.log(len(state.problem.actions) / (1 - self.confidence)))

    def sure(self, state: Sure) -> NDArray[np.bool_]:  # bool[L]
        """Which lanes have stopped because they are sure."""
        return np.asarray(state.verdict >= 0)

    def certainty(self, state: Sure, lane: int = 0) -> str:
        """In words: what is sure, or which action is still in the way."""
        actions, percent = state.problem.actions, f"{100 * self.confidence:g} %"
        if not state.pairs.weight[lane].any() and state.verdict[lane] < 0:
            return f"not sure at {percent} yet: it is too early to say which action is ahead"
        about = f" (or within {self.within:g} of it)" if self.within else ""
        if state.verdict[lane] >= 0:
            return f"sure at {percent}: {actions[int(state.verdict[lane])]} is the best{about}"
        leader, found = self._in_the_way(state.problem, state.pairs.lanes(np.array([lane])), first=False)
        low, high = (end[lane] for end in self.bounds(state))
        ways, ahead = found[0], int(leader[0])
        rival = int(np.where(ways, high, -1).argmax())
        more = f", and {ways.sum() - 1} more" if ways.sum() > 1 else ""
        return (
            f"not sure at {percent} yet: {_between(actions, ahead, low, high)} is ahead; "
            f"{_between(actions, rival, low, high)} is in the way{more}"
        )

    def _in_the_way(self, problem: Problem, pairs: Tally, first: bool) -> tuple[Ints, NDArray[np.bool_]]:
        """The leader (int[L]), and the actions (bool[L, A]) that it does not beat yet; at least one of them, if first."""
        from bestdo.learners.kernels.until_sure_kernels import (
            in_the_way,  # numba is loaded when the first block is told
        )

        each = self._each(problem, pairs)
        leader = _ahead(each)
        shared = Pairs(problem).place[leader]  # int[L, A]
        n, s = (np.take_along_axis(part, shared, axis=1) for part in (pairs.weight, pairs.reward))
        limit = math.log(max(1, len(problem.actions) - 1) / (1 - self.confidence))
        ways = np.zeros(each.weight.shape, bool)
        in_the_way(each.weight, each.reward, n, s, leader, limit, self.within, first, ways)
        return leader, ways


def _between(actions: Actions, action: int, low: Floats, high: Floats) -> str:
    return f"{actions[action]} ({low[action]:.2f} to {high[action]:.2f})"


def _ahead(seen: Tally) -> Ints:  # int[L]
    """The action with the best mean of what was seen; of equals the one that was seen most."""
    mean = np.where(seen.weight > 0, seen.reward / np.maximum(seen.weight, 1), -1)
    return np.asarray((mean + 1e-12 * seen.weight).argmax(axis=1))
