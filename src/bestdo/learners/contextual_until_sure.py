"""A learner that chooses by context, and stops as soon as it is sure of the best action in every context."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bestdo.arrays import Bools, Ints
from bestdo.bandit.combinations import LIMITS_AND_SURE
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.statistic import Statistic, rests_on_graph
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import Actions
from bestdo.causal.contexts import given_first
from bestdo.errors import NotValid
from bestdo.learners.contextual import ContextState, Contextual, Proof
from bestdo.learners.unfolding import known_shares
from bestdo.learners.until_sure import UntilSure
from bestdo.memory_cache import memory_cache
from bestdo.statistics.pair_counts import Pairs

__all__ = ["ContextualUntilSure"]


_MOST_NAMED = 3
"""Contexts without a verdict that a sentence names. Chosen, not measured."""


@memory_cache
def _within(problem: Problem) -> Problem:
    """The problem in one context: in its graph what is seen first is constant, and causes nothing."""
    graph = given_first(problem.graph, problem.first)
    return Problem(graph, Actions(graph, problem.actions), None, problem.cost, all_compete=problem.all_compete)


@dataclass(frozen=True, eq=False)
class _WithProof:
    """The sums of the learner by context, and behind them the counts of pairs of actions in each context."""

    own: Statistic
    problem: Problem
    pairs: Pairs

    @property
    def rests_on_graph(self) -> bool:
        """Whether the sums, or the counts of pairs, rest on the graph."""
        return self.pairs.trusting or rests_on_graph(self.own)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The tallies side by side; a round counts for pairs where its context is known in full."""
        context, contexts = self.problem.contexts.numbers(rounds.x), len(self.problem.contexts)
        whole = np.flatnonzero(context >= 0)
        found = rounds.pick(whole)
        found = found._replace(lane=found.lane * contexts + context[whole])
        each = self.pairs.tally(found, lanes * contexts)
        return self.own.tally(rounds, lanes).beside(Tally.each(lambda part: part.reshape(lanes, -1), each))


@dataclass(frozen=True)
class ContextualUntilSure(Contextual):
    """`Contextual` that stops as soon as in every context one action is the best, all verdicts at the confidence together.

    In each context it is `UntilSure` on the rounds of that context, in the graph in which what is seen first is constant,
    with an equal part of the level: so by its theorem all verdicts are right at once with the confidence asked for. Contexts
    that never occur by tables that are known need no verdict.
    """

    confidence: float = 0.95
    push: float = UntilSure.push
    trusting: bool = True

    def _proof(self, problem: Problem) -> UntilSure:
        """The proof in one context."""
        part = 1 - (1 - self.confidence) / len(problem.contexts)
        return UntilSure(self.inner, part, push=self.push, trusting=self._trusts(problem))

    def _trusts(self, problem: Problem) -> bool:
        return self.trusting and problem.doubts is None

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The sums of the learner, and the counts of pairs of actions in each context."""
        return _WithProof(super().statistic(problem, horizon), problem, Pairs(_within(problem), self._trusts(problem)))

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> ContextState:
        """The state before the first round; raises NotValid where there are limits, or the reward has no bounds."""
        if problem.limits:
            raise NotValid(LIMITS_AND_SURE.why())
        require_bounds(problem, "being sure at a chosen confidence")
        contexts, actions, within = len(problem.contexts), len(problem.actions), _within(problem)
        only = int(within.contenders.argmax()) if within.contenders.sum() == 1 else -1
        verdict = np.full((lanes, contexts), only)
        proof = Proof(Tally.zeros(lanes * contexts, actions * (actions + 1) // 2), verdict, np.full_like(verdict, -1))
        return super().start(problem, horizon, lanes, rng)._replace(proof=proof)

    def spread(self, state: ContextState, lanes: int, rng: np.random.Generator) -> ContextState:
        """The state of one lane in so many, to ask for several contexts at once."""
        proof = _proof_of(state)
        verdict, wanted = (part[np.zeros(lanes, np.int64)] for part in (proof.verdict, proof.wanted))
        return super().spread(state, lanes, rng)._replace(proof=proof._replace(verdict=verdict, wanted=wanted))

    def open(self, state: ContextState) -> Bools:  # bool[L, C]
        """The contexts that can occur and have no verdict yet."""
        known = known_shares(state.problem)
        return np.asarray((_proof_of(state).verdict < 0) & (True if known is None else known > 0))

    @property
    def traits(self) -> Traits:
        """The traits of `Contextual`, and it stops."""
        return replace(super().traits, stops=True)

    def ask(self, state: ContextState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of `Contextual` in the lanes that have not stopped; now and then plays that a proof lacks."""
        unsure: Bools = np.asarray(self.open(state).any(axis=1))
        request = Request(self._here(state, request, rng), out=request.out)
        plan = super().ask(state, request, rng) if unsure.any() else None
        if plan is None:
            return None
        counts, lanes = plan.counts * unsure[:, None], np.arange(len(plan.counts))
        context = request.allowed.argmax(axis=1) // len(state.problem.actions)
        wanted, chosen = _proof_of(state).wanted[lanes, context], counts.argmax(axis=1)
        prices = state.problem.prices
        push = (wanted >= 0) & (rng.random(len(counts)) < self.push) & (prices[wanted] <= prices[chosen])
        which = np.flatnonzero(push & unsure & plan.counts.any(axis=1))
        counts[which] = np.eye(counts.shape[1], dtype=np.int64)[wanted[which]]
        return Plan(counts) if counts.any() else None

    def tell(self, state: ContextState, plan: Plan, tally: Tally) -> ContextState:
        """The state after a block, with the verdicts in all contexts."""
        proof, problem = _proof_of(state), state.problem
        lanes, contexts = state.seen.shape
        cells = proof.pairs.weight.shape[1]
        last = tally.cells(slice(-contexts * cells, None))
        new = Tally.from_counts(
            *(
                None if part is None else np.ascontiguousarray(part).reshape(lanes * contexts, cells)
                for part in (last.weight, last.reward, last.square)
            )  # type: ignore[arg-type]
        )
        pairs = proof.pairs.plus(new)
        decided = self._proof(problem).decided(_within(problem), pairs, proof.verdict.reshape(-1))
        verdict, wanted = (part.reshape(lanes, contexts) for part in decided)
        own = super().tell(state, plan, tally.cells(slice(None, -contexts * cells)))
        return own._replace(proof=Proof(pairs, verdict, wanted))

    def recommended(self, state: ContextState) -> tuple[Ints, Bools]:  # int[L, C] and bool[L, C]
        """The verdict of each context; until there is one, what `Contextual` recommends."""
        rule, within = super().recommended(state)
        verdict = _proof_of(state).verdict
        return np.where(verdict >= 0, verdict, rule), within

    def sure(self, state: ContextState) -> Bools:  # bool[L]
        """A mask of the lanes that have stopped because there is a verdict in every context."""
        return np.asarray(~self.open(state).any(axis=1))

    def certainty(self, state: ContextState, lane: int = 0) -> str:
        """A sentence for people: whether the best action is known in each context, and where it is not."""
        left, percent = np.flatnonzero(self.open(state)[lane]), f"{100 * self.confidence:g} %"
        contexts = state.problem.contexts
        if not len(left):
            return f"sure at {percent}: in each of {len(contexts)} contexts the action of the rule is the best"
        often = left[np.argsort(-self.shares(state)[lane][left], kind="stable")][:_MOST_NAMED]
        more = f", and {len(left) - len(often)} more" if len(left) > len(often) else ""
        named = "; ".join(contexts.written(int(c)) for c in often)
        done = len(contexts) - len(left)
        certain = f"the best action is certain in {done} of {len(contexts)} contexts"
        return f"not sure at {percent} yet: {certain}; not where {named}{more}"


def _proof_of(state: ContextState) -> Proof:
    assert state.proof is not None
    return state.proof
