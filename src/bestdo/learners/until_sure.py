"""Stop when sure: any learner, until one action is the best with a given confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.anytime import against, against_equal, bounds
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.statistic import Played, Seen, Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.errors import BestdoError

__all__ = ["Both", "Sure", "UntilSure", "may_share"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Both:
    """A learner's own sums, and those of `Seen` or `Played` in the last cells, over the same rounds."""

    own: Statistic
    seen: Seen | Played

    @property
    def problem(self) -> Problem:
        """The problem whose rounds are summed."""
        return self.seen.problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Both sums side by side."""
        own, seen = self.own.tally(rounds, lanes), self.seen.tally(rounds, lanes)
        return Tally(*(np.concatenate(pair, axis=1) for pair in zip(own, seen, strict=True)))


class Sure(NamedTuple):
    """The state of the learner inside, what was seen of each action, and the verdict."""

    problem: Problem
    alone: bool
    """Whether the learner inside wants the same sums and no others."""
    inner: Any
    seen: Tally
    """[L, A]"""
    verdict: Ints
    """int[L]: the action that is the best for sure; -1 while none is."""


@lru_cache(maxsize=128)
def may_share(actions: Actions) -> NDArray[np.bool_]:  # bool[A, A]
    """Which two actions one and the same round can count for; never an action and itself."""
    problem = Problem(actions.graph, actions)
    by = Seen(problem).seen_by.astype(np.int64)
    codes = actions.codes
    agree = np.ones((len(codes), len(codes)), bool)
    for column in codes.T:
        agree &= (column[:, None] < 0) | (column < 0) | (column[:, None] == column)
    shared = (by.T @ by > 0) & agree & ~np.eye(len(codes), dtype=bool)
    shared.setflags(write=False)
    return np.asarray(shared)


@dataclass(frozen=True)
class UntilSure:
    """Another learner, stopped as soon as one action is the best with the confidence asked for.

    **Theorem.** With probability at least the confidence, at all times together, no action is called the best that is
    more than `within` worse than the best one: whatever the learner inside plays and however often one looks.

    Proof. Let delta = 1 − confidence, K the number of actions, M_a as in `bandit/anytime.py`, and `shared(b)` the number of
    actions that one round can count for together with b. Action a is called the best when it beats every other action b:

    * where no round counts for both, M_a(t) M_b(t) ≥ (K − 1) / delta for every mean t. In each round at most one of the
      factors moves, so M_a(mu_a) M_b(mu_b) is a martingale of mean 1; and if mu_b ≥ mu_a it is at least the smallest of
      M_a(t) M_b(t), since a is ahead. By Ville's inequality this happens with probability at most delta / (K − 1).
    * otherwise (one round moves both, by the same reward, and the product is no martingale), L_a ≥ U_b − within, where L_a is
      the lower bound at level delta / 2(K − 1) and U_b the upper bound at level shared(b) delta / 2(K − 1).

    Let b be the best action. Something else is called the best only if b is beaten wrongly: by one of the K − 1 − shared(b)
    actions of the first kind; or by one of the second kind, and then U_b < mu_b, or L_a > mu_a for one of the shared(b)
    actions. Together at most delta. (With `within` above 0 all pairs are treated as the second kind.)

    What is assumed is what `Seen` assumes: the graph is right about where seeing equals doing, and values are missing by
    chance. Sureness is looked at after every block: a learner that plans all its rounds at once cannot be stopped early.
    """

    inner: Learner[Any]
    confidence: float = 0.95
    within: float = 0.0
    """An action this much worse than the best may be called the best as well: with equal means one is never sure."""
    trusting: bool = True
    """Whether what is seen counts where the graph says that seeing equals doing; otherwise plays alone count."""

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise BestdoError(f"a confidence of {self.confidence:g}: it must lie between 0 and 1, as 0.95 does")
        if not 0 <= self.within < 1:
            raise BestdoError(f"within {self.within:g} of the best: it must be at least 0 and below 1")

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The sums of the learner inside, with what was seen of each action where that is not the same."""
        own = self.inner.statistic(problem, horizon)
        return own if type(own) is self._kind else Both(own, self._kind(problem))

    @property
    def _kind(self) -> type[Seen] | type[Played]:
        return Seen if self.trusting else Played

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Sure:
        """Before the first round."""
        inner = self.inner.start(problem, horizon, lanes, rng)
        actions = len(problem.actions)
        alone = type(self.inner.statistic(problem, horizon)) is self._kind
        return Sure(problem, alone, inner, Tally.zeros(lanes, actions), np.full(lanes, 0 if actions == 1 else -1))

    def ask(self, state: Sure, rng: np.random.Generator) -> Plan | None:
        """What the learner inside asks for, in the lanes that are not yet sure."""
        unsure = state.verdict < 0
        plan = self.inner.ask(state.inner, rng) if unsure.any() else None
        if plan is None:
            return None
        counts = plan.counts * unsure[:, None]
        return Plan(counts) if counts.any() else None

    def tell(self, state: Sure, plan: Plan, tally: Tally) -> Sure:
        """Tells the learner inside, and looks whether one action is the best for sure."""
        own, new, actions = tally, tally, len(state.problem.actions)
        if not state.alone:
            own = Tally(*(part[:, :-actions] for part in tally))
            new = Tally.counted(tally.weight[:, -actions:], tally.reward[:, -actions:])
        seen = state.seen.plus(new)
        leader = _ahead(seen)
        sure = ~self._in_the_way(state.problem, seen, leader).any(axis=1)
        verdict = np.where((state.verdict < 0) & sure, leader, state.verdict)
        return state._replace(inner=self.inner.tell(state.inner, plan, own), seen=seen, verdict=verdict)

    def best(self, state: Sure) -> Ints:
        """What is sure; until then what the learner inside would keep."""
        return np.where(state.verdict >= 0, state.verdict, self.inner.best(state.inner))

    def estimates(self, state: Sure) -> Estimates:
        """Those of the learner inside."""
        return self.inner.estimates(state.inner)

    def bounds(self, state: Sure) -> tuple[Floats, Floats]:  # float[L, A] twice
        """Intervals of all means that hold together at all times with the confidence."""
        return bounds(
            state.seen.weight, state.seen.reward, math.log(len(state.problem.actions) / (1 - self.confidence))
        )

    def said(self, state: Sure, lane: int = 0) -> str:
        """In words: what is sure, or which action is still in the way."""
        actions, percent = state.problem.actions, f"{100 * self.confidence:g} %"
        about = f" (or within {self.within:g} of it)" if self.within else ""
        if state.verdict[lane] >= 0:
            return f"sure at {percent}: {actions[int(state.verdict[lane])]} is the best{about}"
        leader = _ahead(state.seen)
        ways = self._in_the_way(state.problem, state.seen, leader)[lane]
        low, high = (end[lane] for end in self.bounds(state))
        ahead, rival = int(leader[lane]), int(np.where(ways, high, -1).argmax())
        more = f", and {ways.sum() - 1} more" if ways.sum() > 1 else ""
        return (
            f"not sure at {percent} yet: {_between(actions, ahead, low, high)} is ahead; "
            f"{_between(actions, rival, low, high)} is in the way{more}"
        )

    def _in_the_way(self, problem: Problem, seen: Tally, leader: Ints) -> NDArray[np.bool_]:  # bool[L, A]
        """The actions that the leader does not beat yet."""
        n, s = seen.weight, seen.reward
        shares = np.zeros((n.shape[1], n.shape[1]), bool)
        if self.within or self.trusting:
            shares = may_share(problem.actions) if not self.within else ~np.eye(n.shape[1], dtype=bool)
        rivals, delta = max(1, n.shape[1] - 1), 1 - self.confidence
        lanes = np.arange(len(n))
        lead_n, lead_s = n[lanes, leader], s[lanes, leader]
        apart = against_equal(lead_n[:, None], lead_s[:, None], n, s) >= math.log(rivals / delta)
        if shares.any():
            floor = bounds(lead_n, lead_s, math.log(2 * rivals / delta))[0][:, None] + self.within
            limit = np.log(2 * rivals / (delta * np.maximum(shares.sum(axis=1), 1)))
            below = (s < floor * n) & (against(n, s, np.minimum(floor, 1.0)) >= limit)
            apart = np.where(shares[leader], below | (floor >= 1), apart)
        if not self.within:
            apart &= s * lead_n[:, None] < lead_s[:, None] * n
        apart[lanes, leader] = True
        return ~apart


def _between(actions: Actions, action: int, low: Floats, high: Floats) -> str:
    return f"{actions[action]} ({low[action]:.2f} to {high[action]:.2f})"


def _ahead(seen: Tally) -> Ints:  # int[L]
    """The action with the best mean of what was seen; of equals the one that was seen most."""
    mean = np.where(seen.weight > 0, seen.reward / np.maximum(seen.weight, 1), -1)
    return np.asarray((mean + 1e-12 * seen.weight).argmax(axis=1))
