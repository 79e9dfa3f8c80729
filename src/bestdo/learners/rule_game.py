"""A game whose answer is a rule: a context is seen, and then the action is chosen for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.combinations import FIRST_AND_BLOCKS
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, Ties, able, argmax, does_not_look, in_contexts, reason, traits, with_old
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.rule import Rule, best_over
from bestdo.bandit.statistic import Summing
from bestdo.bandit.sums import of_lanes
from bestdo.errors import NotValid
from bestdo.learners.beliefs.belief import DRAWS, summed_up
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.count_state import Counts
from bestdo.learners.entries import LEARNERS
from bestdo.learners.known_so_far import NOTHING, Found
from bestdo.learners.limits_kept import Asked, Keeping, Kept, keeping_of, refuse_unable
from bestdo.learners.older_learners import current
from bestdo.learners.pair_sums import ByPair
from bestdo.learners.rule_within import Within, best_rule
from bestdo.learners.unfolding import known_shares, unfolded, with_limits, without_first
from bestdo.learners.until_sure import UntilSure
from bestdo.learners.verdicts import NEVER, InEachContext, Stopping

__all__ = ["RuleGame", "RuleState", "pairs_in", "rule_game"]


_PRIOR = 1.0
"""The rounds that the prior of the shares of contexts is worth, all of them alike: as few as leave every share above 0."""


def rule_game(problem: Problem, learner: Learner[Any]) -> RuleGame:
    """The game of a learner on a problem in which variables are seen first; raises NotValid where it cannot look at them."""
    if isinstance(learner, UntilSure):
        inner = rule_game(problem, learner.inner)
        return RuleGame(problem, learner, inner.chooser, InEachContext(problem, learner))
    chooser = in_contexts(current(learner), problem)
    if not traits(chooser).chooses:
        others = (name for name, entry in LEARNERS.items() if entry.contexts and problem.goal in entry.goals)
        raise does_not_look(problem, tuple(others))
    if traits(chooser).block != 1:
        raise NotValid(FIRST_AND_BLOCKS.why())
    return RuleGame(problem, learner, chooser)


class RuleState(NamedTuple):
    """The state of a learner on pairs of context and action, and how often each context was seen."""

    ties: Ties
    block: int
    """The number of blocks told."""
    own: Counts
    """The state of the learner."""
    seen: Floats
    """float[L, C]: in how many rounds, old ones included, each context was seen."""
    kept: Kept
    """The sums of the limited outcomes of all pairs."""
    proof: Any
    """The proofs in each context, where the game stops when it is sure (`Proof`)."""


class _ContextDraws(NamedTuple):
    """Joint draws of one lane from what is believed."""

    means: Floats
    """float[D, C, A]: the mean of each action in each context, as learners have it."""
    shares: Floats
    """float[D, C]: how often each context occurs."""


class _Recent(threading.local):
    """The last results of games in this thread: estimates, the best action, the rule and reasons need the same."""

    believed: tuple[object, object] = (None, None)
    """The learner, and its state, of which `means` are."""
    means: Floats | None = None
    state: RuleState | None = None
    lane: int = -1
    draws: _ContextDraws | None = None
    kept: Kept | None = None
    everybody: tuple[object, tuple[Within, ...]] = (None, ())
    keeps: Floats | None = None


_recent = _Recent()


@dataclass(frozen=True)
class RuleGame:
    """A learner on all pairs of a context and an action: a round is one of the pairs of the context that was seen.

    Half of a round's rating is what the round tells about the best action in its own context, half about that in a context
    drawn by how often it occurs. `best` is the best single action for everybody, `recommended` an action for each context;
    see `bestdo.learners.game.Game`.
    """

    problem: Problem
    learner: Learner[Any]
    """The learner as it was chosen."""
    chooser: Learner[Any]
    """The learner that chooses among pairs."""
    stopping: Stopping = NEVER

    any_time = True
    bare = False

    def around(self, own: Any) -> RuleState:
        """The state of a bare game, which this is not."""
        raise AssertionError("a game with contexts is never bare")

    @cached_property
    def keeping(self) -> Keeping:
        """The way in which every pair keeps the limits."""
        return keeping_of(with_limits(self.problem))

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.problem.contexts), len(self.problem.actions)

    def with_old(self, rounds: float) -> RuleGame:
        """The game with the learner for a given number of old rounds."""
        return rule_game(self.problem, with_old(self.learner, rounds))

    def _own(self, horizon: float) -> Summing:
        return self.chooser.statistic(unfolded(self.problem), horizon)

    def statistic(self, horizon: float) -> Summing:
        """The sums of the learner by context, and the plays of each pair of context and action."""
        return self.stopping.beside(ByPair(self._own(horizon), self.problem, self.keeping))

    def start(self, horizon: float, lanes: int, rng: np.random.Generator) -> RuleState:
        """The state before the first round."""
        refuse_unable(self.problem, self.learner)
        proof = self.stopping.start(lanes)
        own = self.chooser.start(unfolded(self.problem), horizon, lanes, rng)
        ties = Ties(without_first(self.problem), lanes, rng)
        seen = np.zeros((lanes, len(self.problem.contexts)))
        return RuleState(ties, 0, own, seen, self.keeping.start(self._own(horizon), lanes), proof)

    def ask(self, state: RuleState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of one round in each lane, of the pairs of one context; None when nothing is left to play.

        Where all pairs are allowed, the context is drawn by how often each occurs.
        """
        if not self.stopping.unsure(state.proof).any():
            return None
        contexts, actions = self._shape
        here = pairs_in(self.problem, _drawn(self.shares(state), rng)) if request.open else request.allowed
        here = here & np.tile(self.problem.playable, contexts)
        best = np.tile(self.problem.contenders_given_first, contexts)
        other = pairs_in(self.problem, _drawn(self.shares(state), rng))
        sets = Request(here, (best & here, best & other), request.out)
        asked = self.keeping.request(sets, state.kept, Asked(self.chooser, state.own, self.shares(state)), rng)
        plan = self.chooser.ask(state.own, asked, rng)
        if plan is None:
            return None
        counts = plan.counts.reshape(len(here), contexts, actions).sum(axis=1)
        return self.stopping.plan(state.proof, counts, here.argmax(axis=1) // actions, rng)

    def keeps(self, state: RuleState) -> Floats:  # float[L, C, A]
        """The probability that each action keeps all limits in each context; 1 where there are none.

        Of limits over everybody, the probability that the recommended rule does with this action in this context.
        """
        everybody = [one.swapped for one in self._everybody(state)]
        return np.minimum(self.keeps_in_each(state), everybody) if everybody else self.keeps_in_each(state)

    def keeps_in_each(self, state: RuleState) -> Floats:  # float[L, C, A]
        """The probability that each action keeps the limits that hold in each context."""
        if _recent.kept is not state.kept or _recent.keeps is None:
            _recent.kept, _recent.keeps = state.kept, self.keeping.keeps(state.kept)
        keeps = _recent.keeps.reshape(-1, *self._shape)
        return np.broadcast_to(keeps, (len(state.seen), *self._shape))

    def spread(self, state: RuleState, lanes: int, rng: np.random.Generator) -> RuleState:
        """The state of one lane in so many, to ask for several contexts at once."""
        which, own = np.zeros(lanes, np.int64), state.own
        return state._replace(
            ties=Ties(without_first(self.problem), lanes, rng),
            own=own._replace(
                ties=Ties(own.problem, lanes, rng),
                tally=of_lanes(own.tally, which),
                played=own.played[which],
                money=own.money[which],
            ),
            seen=state.seen[which],
            kept=self.keeping.spread(state.kept, lanes),
            proof=self.stopping.spread(state.proof, lanes),
        )

    def tell(self, state: RuleState, plan: Plan, sums: Any) -> RuleState:
        """The state after a block; the sums say in which contexts its rounds were."""
        new, pairs = self.stopping.apart(sums)
        plays = new.plays.weight
        played = plays if plan.counts.any() else np.zeros_like(plays)  # old rounds are not plays
        own = self.chooser.tell(state.own, Plan(played.astype(np.int64)), new.own)
        missing = self.problem.price(plan.counts) - own.problem.price(played)  # rounds without a whole context
        return state._replace(
            block=state.block + 1,
            own=own._replace(money=own.money - missing),
            seen=state.seen + plays.reshape(len(plays), *self._shape).sum(axis=2),
            kept=self.keeping.tell(state.kept, new.limits),
            proof=self.stopping.tell(state.proof, pairs),
        )

    def reason(self, state: RuleState, action: int, where: Bools) -> str:
        """The reason why an action is played in one of some contexts (bool[C]): the learner's for the likeliest pair.

        Of one that rates rounds by what they tell: that it tells most, or that it checks what looks best.
        """
        if not traits(self.chooser).informs:
            context = int((self.shares(state)[0] * where).argmax())
            return reason(self.chooser, state.own, context * len(self.problem.actions) + action)
        playing = "playing it" if self.problem.actions[action] else "watching"
        check = cast("CausalTopTwo", self.chooser).check
        looks_best = bool(check) and action in self.recommended(state)[0][0]
        or_check = f", or is one of the {check:.0%} of rounds that play what looks best" if looks_best else ""
        return f"{playing} here tells most about which action is the best in this context and in others{or_check}"

    def known(self, state: RuleState, action: int, where: Bools, found: Callable[[], Found]) -> str:
        """The knowledge about an action in some contexts (bool[C]), beside the best one there."""
        if not state.seen[0].any():
            return NOTHING
        problem, graph = self.problem, self.problem.graph
        shares, each, keeps = self.shares(state)[0] * where, self.means(state)[0], self.keeps(state)[0]
        weight = shares / max(shares.sum(), 1e-300)
        means, best = weight @ each, best_over(problem, where, shares, each, keeps)
        own, other = (graph.in_unit(float(means[a])) for a in (action, best))
        limit = self.keeping.known(float(shares @ keeps[:, action]) / max(float(shares.sum()), 1e-300))
        if best == action:
            return f"it is the best here so far, at {own:.2f}{limit}"
        return f"it is at {own:.2f} here so far, and {problem.actions[best]} at {other:.2f}{limit}"

    def certainty(self, state: RuleState) -> str:
        """Whether the best action is known in each context, where the game stops because of it; else empty."""
        return self.stopping.certainty(state.proof, self.shares(state))

    def shares(self, state: RuleState) -> Floats:  # float[L, C]
        """The estimated share of rounds with each context; by the tables, where they are known."""
        known = known_shares(self.problem)
        if known is not None:
            return np.broadcast_to(known, state.seen.shape)
        counts = state.seen + _PRIOR / state.seen.shape[1]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def means(self, state: RuleState) -> Floats:  # float[L, C, A]
        """The posterior mean of each action in each context."""
        chooser, own = _recent.believed
        if chooser is not self.chooser or own is not state.own or _recent.means is None:
            _recent.believed, _recent.means = (self.chooser, state.own), able(self.chooser).means(state.own)
        return _recent.means.reshape(*state.seen.shape, -1)

    def recommended(self, state: RuleState) -> tuple[Ints, Bools]:  # int[L, C] and bool[L, C]
        """The action with the best posterior mean in each context, and whether it keeps all limits as surely as asked for.

        Only actions that do are recommended; in a context where none does, the one that is likeliest to keep them. Ties are
        broken at random. A verdict stands, where there is one.
        """
        rule, enough = self._rule_in_each(state)
        within = np.asarray(enough.any(axis=2))
        if everybody := self._everybody(state):
            rule = np.array([one.rule for one in everybody])
            within = within & (np.array([[one.chance] for one in everybody]) >= self.problem.sure)
        return self.stopping.rule(state.proof, rule), within

    def _rule_in_each(self, state: RuleState) -> tuple[Ints, Bools]:  # int[L, C] and bool[L, C, A]
        """The best action in each context of those that keep the limits there, and which do; the nearest where none does."""
        can = self.problem.contenders_given_first
        value, keeps = np.where(can, self.means(state), -np.inf), np.where(can, self.keeps_in_each(state), -np.inf)
        enough = keeps >= self.problem.sure
        value = np.where(enough.any(axis=2, keepdims=True), np.where(enough, value, -np.inf), keeps)
        equal = value == value.max(axis=2, keepdims=True)
        order = state.own.ties.order(state.block).reshape(value.shape)
        return np.argmax(equal * (1 + order), axis=2), enough

    def _everybody(self, state: RuleState) -> tuple[Within, ...]:
        """The best rule in each lane within the limits over everybody; nothing where there are none."""
        if not self.problem.limits.over_everybody:
            return ()
        if _recent.everybody[0] is not state:
            _recent.everybody = state, tuple(self._rules_for_everybody(state))
        return _recent.everybody[1]

    def _rules_for_everybody(self, state: RuleState) -> Iterator[Within]:
        """The best rule in each lane: of the actions that keep the limits in each context, or are the nearest there."""
        (rule, enough), means = self._rule_in_each(state), self.means(state)
        nearest = rule[:, :, None] == np.arange(means.shape[2])
        can = np.where(enough.any(axis=2, keepdims=True), enough, nearest)
        order = state.own.ties.order(state.block).reshape(means.shape)
        for lane, shares in enumerate(self.shares(state)):
            often = self._drawn_shares(state, lane)[:, :, None]
            drawn = self.keeping.over_everybody(state.kept, lane)
            excess = [[often * each.reshape(-1, *self._shape) for each in beliefs] for beliefs in drawn]
            yield best_rule(shares[:, None] * means[lane], can[lane], order[lane], excess, self.problem.sure)

    def keeps_over_everybody(self, state: RuleState) -> float:
        """The probability that the rule of the first lane keeps the limits over everybody; 1 where there are none."""
        return next((one.chance for one in self._everybody(state)), 1.0)

    def _for_one_action(self, state: RuleState) -> Floats:  # float[L or 1, 1, A]
        """The probability that an action for everybody keeps the limits over everybody; 1 where there are none."""
        everybody = self._everybody(state)
        return np.array([[one.single] for one in everybody]) if everybody else np.ones((1, 1, self._shape[1]))

    def _for_everybody(self, state: RuleState) -> Floats:  # float[L, A]
        """The posterior mean of each action over all contexts."""
        return np.asarray(np.einsum("lc,lca->la", self.shares(state), self.means(state)))

    def best(self, state: RuleState) -> Ints:  # int[L]
        """The best single action for everybody: of those that keep all limits in every context, if there are any.

        Otherwise the one that comes nearest to it, on average over contexts.
        """
        value, sure = self._for_everybody(state), self.problem.sure
        keeps = np.minimum(self.keeps_in_each(state), self._for_one_action(state))
        enough = np.asarray((keeps >= sure).all(axis=1)) & self.problem.playable
        near = np.einsum("lc,lca->la", self.shares(state), np.minimum(keeps, sure))
        value = np.where(enough.any(axis=1, keepdims=True), np.where(enough, value, -np.inf), near)
        return self.keeping.for_everybody(argmax(value, state.ties, state.block), self.recommended(state)[0])

    def joint(self, state: RuleState, lane: int = 0) -> _ContextDraws:
        """Joint draws of all means and shares in one lane, the same for the same sums."""
        if _recent.state is state and _recent.lane == lane and _recent.draws is not None:
            return _recent.draws
        _recent.state, _recent.lane, _recent.draws = state, lane, self._joint(state, lane)
        return _recent.draws

    def _joint(self, state: RuleState, lane: int) -> _ContextDraws:
        """Joint draws of all means and shares in one lane."""
        shape = DRAWS, *self._shape
        means = able(self.chooser).draws(state.own, lane, DRAWS).reshape(shape)
        return _ContextDraws(means, self._drawn_shares(state, lane))

    def _drawn_shares(self, state: RuleState, lane: int) -> Floats:  # float[D, C]
        """Draws of how often each context occurs in one lane, the same for the same sums."""
        known, contexts = known_shares(self.problem), self._shape[0]
        if known is not None:
            return np.broadcast_to(known, (DRAWS, contexts))
        return np.random.default_rng(1).dirichlet(state.seen[lane] + _PRIOR / contexts, DRAWS)

    def shares_contexts(self, state: RuleState) -> bool:
        """Whether a round teaches about all contexts, so that the draws of their means depend on each other."""
        return traits(self.chooser).believes and able(self.chooser).shares_all(state.own)

    def by_pair(self, state: RuleState, found: Estimates) -> Estimates:
        """The estimates of all pairs of context and action, [L, C × A]."""
        return self.of_pairs(state)

    def of_pairs(self, state: RuleState) -> Estimates:
        """The estimates that the learner has of all pairs."""
        return self.chooser.estimates(state.own)

    def counted(self, state: RuleState, found: Estimates) -> Floats:  # float[L, C × A]
        """The rounds that are as good as a round of each pair by the graph; `found` are the estimates of pairs."""
        return able(self.chooser).counted(state.own) if traits(self.chooser).believes else found.seen

    def rule(self, state: RuleState, found: Estimates) -> Rule:
        """The rule of the first lane, with what is known of it."""
        from bestdo.learners.rule_found import rule_of

        return rule_of(self, state)

    def estimates(self, state: RuleState) -> Estimates:
        """The estimates of each action for everybody, over all contexts."""
        mean, contenders = self._for_everybody(state), without_first(self.problem).contenders
        keeps = np.minimum(self.keeps_in_each(state), self._for_one_action(state))
        low, high, joint = (np.empty_like(mean) for _ in range(3))
        for lane in range(len(mean)):
            means, shares = self.joint(state, lane)
            drawn = np.einsum("dc,dca->da", shares, means)
            low[lane], high[lane] = summed_up(drawn, contenders)[:2]
            joint[lane] = self.keeping.p_best(drawn, keeps[lane].min(axis=0), contenders)
        played = state.own.played.reshape(*state.seen.shape, -1).sum(axis=1)
        bounded = self.problem.graph.bounds is not None
        low, high = np.minimum(low, mean), np.maximum(high, mean)
        found = Estimates(mean, low, high, played, played, joint, contenders=contenders, bounded=bounded)
        return found._replace(keeps=keeps.min(axis=1), limits=self.problem.limits)


def pairs_in(problem: Problem, context: Ints) -> Bools:  # bool[L, C × A]
    """The pairs of an action with the context of each lane (int[L])."""
    return np.asarray(np.repeat(np.arange(len(problem.contexts)), len(problem.actions)) == context[:, None])


def _drawn(shares: Floats, rng: np.random.Generator) -> Ints:  # int[L]
    """A context of each lane, drawn by how often each occurs (float[L, C])."""
    below = shares.cumsum(axis=1)
    found = (below < rng.random((len(shares), 1)) * below[:, -1:]).sum(axis=1)
    return np.asarray(np.minimum(found, shares.shape[1] - 1), np.int64)
