"""A wrapper that makes a learner choose by context: what is seen first, then the action."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.combinations import FIRST_AND_BLOCKS
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import (
    Learner,
    Ties,
    able,
    argmax,
    does_not_look,
    in_contexts,
    in_study,
    reason,
    traits,
    with_old,
)
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request, everything
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic, rests_on_graph
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.errors import NotValid
from bestdo.learners.beliefs.belief import DRAWS, best_within, summed_up
from bestdo.learners.beliefs.limit_belief import LimitBeliefs, limit_beliefs
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.context_sums import ContextSums
from bestdo.learners.count_state import Counts
from bestdo.learners.entries import LEARNERS
from bestdo.learners.older_learners import current
from bestdo.learners.unfolding import known_shares, unfolded, with_limits
from bestdo.learners.until_sure import UntilSure
from bestdo.memory_cache import memory_cache

__all__ = [
    "ContextDraws",
    "ContextState",
    "Contextual",
    "Proof",
    "by_context",
    "pairs_in",
    "unfolded",
]


_PRIOR = 1.0
"""How many rounds the prior of how often contexts occur is worth, all of them alike: as few as leave every share above 0."""


def by_context(learner: Learner[Any], problem: Problem) -> Learner[Any]:
    """The learner for a problem: itself where nothing is seen first, otherwise inside `Contextual`, or an error."""
    if not problem.first or isinstance(learner, Contextual):
        return learner
    if isinstance(learner, UntilSure):
        from bestdo.learners.contextual_until_sure import ContextualUntilSure  # which is a Contextual

        found = cast("Contextual", by_context(learner.inner, problem))
        return ContextualUntilSure(found.inner, learner.confidence, learner.push, learner.trusting)
    learner = in_contexts(current(learner), problem)
    if not traits(learner).chooses:
        others = (name for name, entry in LEARNERS.items() if entry.contexts and problem.goal in entry.goals)
        raise does_not_look(problem, tuple(others))
    if traits(learner).block != 1:
        raise NotValid(FIRST_AND_BLOCKS.why())
    return Contextual(learner)


@memory_cache
def _without_first(problem: Problem) -> Problem:
    """The problem of the best single action for everybody."""
    return replace(problem, first=())


class Proof(NamedTuple):
    """Counts that prove which action is the best in each context, and the verdicts (`ContextualUntilSure`)."""

    pairs: Tally
    """[L × C, K]: as `UntilSureState.pairs`, for each lane and context."""
    verdict: Ints
    """int[L, C]: the action that is the best in the context; -1 while there is none."""
    wanted: Ints
    """int[L, C]: as `UntilSureState.wanted`, in each context."""


class ContextState(NamedTuple):
    """The state of the inner learner, on pairs of context and action, and how often each context was seen."""

    problem: Problem
    ties: Ties
    block: int
    """How many blocks have been told."""
    inner: Counts
    seen: Floats
    """float[L, C]: in how many rounds, old ones included, each context was seen."""
    limits: Tally | None = None
    """The sums of the limited outcomes of all pairs; None where there are no limits."""
    proof: Proof | None = None
    """What is proved in each context, by learners that stop when they are sure."""


class ContextDraws(NamedTuple):
    """Joint draws of one lane from what is believed."""

    means: Floats
    """float[D, C, A]: the mean of each action in each context, as learners have it."""
    shares: Floats
    """float[D, C]: how often each context occurs."""


class _Recent(threading.local):
    """The last results of `Contextual` in this thread: estimates, the best action, the rule and reasons need the same."""

    believed: tuple[object, object] = (None, None)
    """The inner learner, and its state, of which `means` are."""
    means: Floats | None = None
    state: ContextState | None = None
    lane: int = -1
    draws: ContextDraws | None = None
    limits: Tally | None = None
    keeps: Floats | None = None


_recent = _Recent()


@dataclass(frozen=True)
class Contextual:
    """Another learner on all pairs of a context and an action: a round is one of the pairs of the context that was seen.

    Half of what a round is rated by is what it tells about the best action in its own context, half about that in a context
    drawn by how often it occurs. Its `best` is the best single action for everybody, its `rule` an action for each context.
    """

    inner: Learner[Any]

    @property
    def traits(self) -> Traits:
        """Rounds are chosen one by one, in the context that was seen, whatever is out."""
        return Traits(any_time=True, reasons=True, knows_old=True, in_studies=True)

    def with_old(self, rounds: float) -> Contextual:
        """The same with the inner learner for a given number of old rounds."""
        return replace(self, inner=with_old(self.inner, rounds))

    def in_study(self, until_sure: bool) -> Contextual:
        """The same with the inner learner as studies play it."""
        return replace(self, inner=in_study(self.inner, until_sure))

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The sums of the inner learner by context, and the plays of each pair of context and action."""
        return ContextSums(self.inner.statistic(unfolded(problem), horizon), problem, self._limits(problem, horizon))

    def _limits(self, problem: Problem, horizon: float) -> LimitBeliefs | None:
        """What is believed of the limited outcomes under each pair; None where there are no limits."""
        if not problem.limits:
            return None
        return limit_beliefs(with_limits(problem), rests_on_graph(self.inner.statistic(unfolded(problem), horizon)))

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> ContextState:
        """The state before the first round."""
        inner = self.inner.start(unfolded(problem), horizon, lanes, rng)
        ties = Ties(_without_first(problem), lanes, rng)
        limits = self._limits(problem, horizon)
        nothing = None if limits is None else Tally.zeros(lanes, limits.cells)
        return ContextState(problem, ties, 0, inner, np.zeros((lanes, len(problem.contexts))), nothing)

    def ask(self, state: ContextState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of one round in each lane, of the pairs of one context; None when nothing is left to play.

        Where all pairs are allowed, the context is drawn by how often each occurs.
        """
        contexts, actions = len(state.problem.contexts), len(state.problem.actions)
        here = self._here(state, request, rng) & np.tile(state.problem.playable, contexts)
        best = np.tile(state.problem.contenders_given_first, contexts)
        other = pairs_in(state.problem, _drawn(self.shares(state), rng))
        about = tuple(best & some & self._race(state, rng) for some in (here, other))
        allowed = here if state.limits is None or traits(self.inner).questions else about[0]
        doubt = everything if state.limits is None else partial(self._race, state, rng)
        plan = self.inner.ask(state.inner, Request(allowed, about, request.out, doubt=doubt), rng)
        if plan is None:
            return None
        return Plan(plan.counts.reshape(len(here), contexts, actions).sum(axis=1))

    def _here(self, state: ContextState, request: Request, rng: np.random.Generator) -> Bools:  # bool[L, C × A]
        """The pairs of the context that was seen; of one that is drawn by how often each occurs, where all are allowed."""
        return pairs_in(state.problem, _drawn(self.shares(state), rng)) if request.open else request.allowed

    def _race(self, state: ContextState, rng: np.random.Generator) -> Bools:  # bool[L or 1, C × A]
        """Which pairs keep all limits in one draw; in a context where none does, those that are nearest to it."""
        if state.limits is None:
            return np.ones((1, 1), bool)
        limits = self._limits(state.problem, state.inner.horizon)
        assert limits is not None
        broken = limits.excess(state.limits, rng).reshape(*state.seen.shape, -1)
        broken = np.where(state.problem.playable, broken, np.inf)
        return np.asarray(broken <= broken.min(axis=2, keepdims=True)).reshape(len(broken), -1)

    def keeps(self, state: ContextState) -> Floats:  # float[L, C, A]
        """The probability that each action keeps all limits in each context; 1 where there are none."""
        if state.limits is None:
            return np.ones((*state.seen.shape, len(state.problem.actions)))
        if _recent.limits is not state.limits or _recent.keeps is None:
            limits = self._limits(state.problem, state.inner.horizon)
            assert limits is not None
            kept = limits.keeps(state.limits).reshape(*state.seen.shape, -1)
            _recent.limits, _recent.keeps = state.limits, kept
        return _recent.keeps

    def spread(self, state: ContextState, lanes: int, rng: np.random.Generator) -> ContextState:
        """The state of one lane in so many, to ask for several contexts at once."""
        which, inner = np.zeros(lanes, np.int64), state.inner
        return state._replace(
            ties=Ties(_without_first(state.problem), lanes, rng),
            inner=inner._replace(
                ties=Ties(inner.problem, lanes, rng),
                tally=inner.tally.lanes(which),
                played=inner.played[which],
                money=inner.money[which],
            ),
            seen=state.seen[which],
            limits=None if state.limits is None else state.limits.lanes(which),
        )

    def tell(self, state: ContextState, plan: Plan, tally: Tally) -> ContextState:
        """The state after a block; the tally says in which contexts its rounds were."""
        pairs = len(state.inner.problem.actions)
        cells = 0 if state.limits is None else state.limits.weight.shape[1]
        own = Tally.each(lambda part: np.ascontiguousarray(part[:, : -pairs - cells]), tally)
        if state.limits is not None:
            if state.problem.graph.success is not None:  # squares are of the limits alone
                own = own._replace(square=None, square2=None)
            state = state._replace(limits=state.limits.plus(tally.cells(slice(-pairs - cells, -pairs))))
        plays = np.ascontiguousarray(tally.weight[:, -pairs:])
        told = plays if plan.counts.any() else np.zeros_like(plays)  # old rounds are not plays
        inner = self.inner.tell(state.inner, Plan(told.astype(np.int64)), own)
        missing = state.problem.price(plan.counts) - inner.problem.price(told)  # rounds without a whole context
        seen = plays.reshape(len(plays), len(state.problem.contexts), -1).sum(axis=2)
        return state._replace(
            inner=inner._replace(money=inner.money - missing), seen=state.seen + seen, block=state.block + 1
        )

    def reason(self, state: ContextState, action: int, where: Bools | None = None) -> str:
        """Why an action is played in one of some contexts (bool[C]): what the inner learner says of the likeliest pair.

        Of one that rates rounds by what they tell: that it tells most, or that it checks what looks best.
        """
        if not traits(self.inner).informs:
            context = int((self.shares(state)[0] * (1.0 if where is None else where)).argmax())
            return reason(self.inner, state.inner, context * len(state.problem.actions) + action)
        playing = "playing it" if state.problem.actions[action] else "watching"
        check = cast("CausalTopTwo", self.inner).check
        looks_best = bool(check) and action in self.rule(state)[0]
        or_check = f", or is one of the {check:.0%} of rounds that play what looks best" if looks_best else ""
        return f"{playing} here tells most about which action is the best in this context and in others{or_check}"

    def shares(self, state: ContextState) -> Floats:  # float[L, C]
        """How often each context is believed to occur; as the tables say, where they are known."""
        known = known_shares(state.problem)
        if known is not None:
            return np.broadcast_to(known, state.seen.shape)
        counts = state.seen + _PRIOR / state.seen.shape[1]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def means(self, state: ContextState) -> Floats:  # float[L, C, A]
        """The posterior mean of each action in each context."""
        inner, own = _recent.believed
        if inner is not self.inner or own is not state.inner or _recent.means is None:
            _recent.believed, _recent.means = (self.inner, state.inner), able(self.inner).means(state.inner)
        return _recent.means.reshape(*state.seen.shape, -1)

    def rule(self, state: ContextState) -> Ints:  # int[L, C]
        """The best action in each context; see `recommended`."""
        return self.recommended(state)[0]

    def recommended(self, state: ContextState) -> tuple[Ints, Bools]:  # int[L, C] and bool[L, C]
        """The action with the best posterior mean in each context, and whether it keeps all limits as surely as asked for.

        Only actions that do are recommended; in a context where none does, the one that is likeliest to keep them. Ties are
        broken at random.
        """
        can = state.problem.contenders_given_first
        value, keeps = np.where(can, self.means(state), -np.inf), np.where(can, self.keeps(state), -np.inf)
        enough = keeps >= state.problem.sure
        within = np.asarray(enough.any(axis=2))
        value = np.where(within[:, :, None], np.where(enough, value, -np.inf), keeps)
        equal = value == value.max(axis=2, keepdims=True)
        order = state.inner.ties.order(state.block).reshape(value.shape)
        return np.asarray(np.argmax(equal * (1 + order), axis=2)), within

    def _for_everybody(self, state: ContextState) -> Floats:  # float[L, A]
        """The posterior mean of each action over all contexts."""
        return np.asarray(np.einsum("lc,lca->la", self.shares(state), self.means(state)))

    def best(self, state: ContextState) -> Ints:  # int[L]
        """The best single action for everybody: of those that keep all limits in every context, if there are any.

        Otherwise the one that comes nearest to it, on average over contexts.
        """
        value, keeps = self._for_everybody(state), self.keeps(state)
        if state.problem.limits:
            sure = state.problem.sure
            enough = np.asarray((keeps >= sure).all(axis=1)) & state.problem.playable
            near = np.einsum("lc,lca->la", self.shares(state), np.minimum(keeps, sure))
            value = np.where(enough.any(axis=1, keepdims=True), np.where(enough, value, -np.inf), near)
            rule = self.rule(state)
            alike = (rule == rule[:, :1]).all(axis=1)  # what the rule does everywhere
            return np.where(alike, rule[:, 0], argmax(value, state.ties, state.block))
        return argmax(value, state.ties, state.block)

    def joint(self, state: ContextState, lane: int = 0) -> ContextDraws:
        """Joint draws of all means and shares in one lane, the same for the same sums."""
        if _recent.state is state and _recent.lane == lane and _recent.draws is not None:
            return _recent.draws
        _recent.state, _recent.lane, _recent.draws = state, lane, self._joint(state, lane)
        return _recent.draws

    def _joint(self, state: ContextState, lane: int) -> ContextDraws:
        """Joint draws of all means and shares in one lane."""
        shape = DRAWS, len(state.problem.contexts), len(state.problem.actions)
        means = able(self.inner).draws(state.inner, lane, DRAWS).reshape(shape)
        known = known_shares(state.problem)
        if known is not None:
            return ContextDraws(means, np.broadcast_to(known, shape[:2]))
        alpha = state.seen[lane] + _PRIOR / shape[1]
        return ContextDraws(means, np.random.default_rng(1).dirichlet(alpha, DRAWS))

    def shares_contexts(self, state: ContextState) -> bool:
        """Whether a round teaches about all contexts, so that the draws of their means depend on each other."""
        return traits(self.inner).believes and able(self.inner).shares_all(state.inner)

    def by_pair(self, state: ContextState) -> Estimates:
        """The estimates of all pairs of context and action, [L, C × A]."""
        return self.inner.estimates(state.inner)

    def estimates(self, state: ContextState) -> Estimates:
        """The estimates of each action for everybody, over all contexts."""
        mean, contenders = self._for_everybody(state), _without_first(state.problem).contenders
        keeps, rng = self.keeps(state), np.random.default_rng(0)
        low, high, joint = (np.empty_like(mean) for _ in range(3))
        for lane in range(len(mean)):
            means, shares = self.joint(state, lane)
            drawn = np.einsum("dc,dca->da", shares, means)
            low[lane], high[lane], _, joint[lane] = summed_up(drawn, contenders)
            if state.problem.limits:
                joint[lane] = best_within(drawn, keeps[lane].min(axis=0), rng)
        played = state.inner.played.reshape(*state.seen.shape, -1).sum(axis=1)
        bounded = state.problem.graph.bounds is not None
        low, high = np.minimum(low, mean), np.maximum(high, mean)
        found = Estimates(mean, low, high, played, played, joint, contenders=contenders, bounded=bounded)
        return found._replace(keeps=keeps.min(axis=1), limits=state.problem.limits)


def pairs_in(problem: Problem, context: Ints) -> Bools:  # bool[L, C × A]
    """The pairs of an action with the context of each lane (int[L])."""
    return np.asarray(np.repeat(np.arange(len(problem.contexts)), len(problem.actions)) == context[:, None])


def _drawn(shares: Floats, rng: np.random.Generator) -> Ints:  # int[L]
    """A context of each lane, drawn by how often each occurs (float[L, C])."""
    below = shares.cumsum(axis=1)
    found = (below < rng.random((len(shares), 1)) * below[:, -1:]).sum(axis=1)
    return np.asarray(np.minimum(found, shares.shape[1] - 1), np.int64)
