"""The stopping of a game with contexts: never by itself, or as soon as it is sure of the best action in every context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.statistic import Summing, rests_on_graph
from bestdo.bandit.sums import each_sum
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.causal.contexts import given_first
from bestdo.learners.unfolding import known_shares
from bestdo.learners.until_sure import UntilSure
from bestdo.memory_cache import memory_cache
from bestdo.statistics.pair_counts import Pairs

__all__ = ["NEVER", "InEachContext", "Proof", "Stopping"]


_MOST_NAMED = 3
"""Contexts without a verdict that a sentence names. Chosen, not measured."""


class Proof(NamedTuple):
    """Counts that prove which action is the best in each context, and the verdicts."""

    pairs: Tally
    """[L × C, K]: as `UntilSureState.pairs`, for each lane and context."""
    verdict: Ints
    """int[L, C]: the action that is the best in the context; -1 while there is none."""
    wanted: Ints
    """int[L, C]: as `UntilSureState.wanted`, in each context."""


class _ProofSums(NamedTuple):
    """The sums of a game, and the counts of pairs of actions in each context."""

    own: Any
    pairs: Tally


class Stopping(Protocol):
    """The stopping rule of a game with contexts, and the plays that it needs."""

    def beside(self, own: Summing) -> Summing:
        """The statistic of the game, with what the proof needs."""

    def apart(self, sums: Any) -> tuple[Any, Any]:
        """The sums of the game, and those of the proof."""

    def start(self, lanes: int) -> Any:
        """The proof before the first round; raises NotValid where there can be none."""

    def tell(self, proof: Any, new: Any) -> Any:
        """The proof after more rounds."""

    def spread(self, proof: Any, lanes: int) -> Any:
        """The proof of one lane in so many, for asking alone."""

    def unsure(self, proof: Any) -> Bools:  # bool[L or 1]
        """The lanes that go on."""

    def plan(self, proof: Any, counts: Ints, context: Ints, rng: np.random.Generator) -> Plan | None:
        """The plan of a round in each lane's context, after the game has chosen an action (int[L, A])."""

    def rule(self, proof: Any, rule: Ints) -> Ints:  # int[L, C]
        """The rule, with all verdicts."""

    def certainty(self, proof: Any, shares: Floats) -> str:
        """One sentence for people: whether the best action is known in each context; empty where nothing is to be proved."""


@dataclass(frozen=True)
class _Never:
    """The game goes on until its horizon is used up: nothing is counted, and nothing is drawn."""

    def beside(self, own: Summing) -> Summing:
        return own

    def apart(self, sums: Any) -> tuple[Any, Any]:
        return sums, ()

    def start(self, lanes: int) -> Any:
        return ()

    def tell(self, proof: Any, new: Any) -> Any:
        return proof

    def spread(self, proof: Any, lanes: int) -> Any:
        return proof

    def unsure(self, proof: Any) -> Bools:
        return np.ones(1, bool)

    def plan(self, proof: Any, counts: Ints, context: Ints, rng: np.random.Generator) -> Plan | None:
        return Plan(counts)

    def rule(self, proof: Any, rule: Ints) -> Ints:
        return rule

    def certainty(self, proof: Any, shares: Floats) -> str:
        return ""


NEVER = _Never()
"""The game does not stop by itself."""


@memory_cache
def _within(problem: Problem) -> Problem:
    """The problem in one context: in its graph what is seen first is constant, and causes nothing."""
    graph = given_first(problem.graph, problem.first)
    return Problem(graph, Actions(graph, problem.actions), None, problem.cost, all_compete=problem.all_compete)


@dataclass(frozen=True, eq=False)
class _WithProof:
    """The sums of the game, and the counts of pairs of actions in each context."""

    own: Summing
    problem: Problem
    pairs: Pairs

    @property
    def rests_on_graph(self) -> bool:
        """Whether the sums, or the counts of pairs, rest on the graph."""
        return self.pairs.trusting or rests_on_graph(self.own)

    def tally(self, rounds: Rounds, lanes: int) -> _ProofSums:
        """Both sums; a round counts for pairs where its context is known in full."""
        context, contexts = self.problem.contexts.numbers(rounds.x), len(self.problem.contexts)
        whole = np.flatnonzero(context >= 0)
        known = rounds.pick(whole)
        known = known._replace(lane=known.lane * contexts + context[whole])
        pairs = self.pairs.tally(known, lanes * contexts)
        by_lane = each_sum(lambda part: part.reshape(lanes, -1), pairs)
        return _ProofSums(self.own.tally(rounds, lanes), by_lane)


@dataclass(frozen=True)
class InEachContext:
    """The game stops as soon as in every context one action is the best, all verdicts at the confidence together.

    In each context the proof is that of `UntilSure` on the rounds of that context, in the graph in which what is seen first
    is constant, with an equal part of the level: so by its theorem all verdicts are right at once with the confidence asked
    for. Contexts that never occur by tables that are known need no verdict.
    """

    problem: Problem
    sure: UntilSure
    """The confidence, and how often what the proof lacks is played."""

    @property
    def _each(self) -> UntilSure:
        """The proof in one context."""
        part = 1 - (1 - self.sure.confidence) / len(self.problem.contexts)
        return UntilSure(self.sure.inner, part, push=self.sure.push, trusting=self._trusts)

    @property
    def _trusts(self) -> bool:
        return self.sure.trusting and self.problem.doubts is None

    def beside(self, own: Summing) -> Summing:
        """The sums of the game, and the counts of pairs of actions in each context."""
        return _WithProof(own, self.problem, Pairs(_within(self.problem), self._trusts))

    def apart(self, sums: _ProofSums) -> tuple[Any, Any]:
        """The two parts, by their names."""
        return sums.own, sums.pairs

    def start(self, lanes: int) -> Proof:
        """The proof before the first round; raises NotValid where the reward has no bounds."""
        require_bounds(self.problem, "being sure at a chosen confidence")
        contexts, actions, within = len(self.problem.contexts), len(self.problem.actions), _within(self.problem)
        only = int(within.contenders.argmax()) if within.contenders.sum() == 1 else -1
        verdict = np.full((lanes, contexts), only)
        return Proof(Tally.zeros(lanes * contexts, actions * (actions + 1) // 2), verdict, np.full_like(verdict, -1))

    def tell(self, proof: Proof, new: Tally) -> Proof:
        """The proof with the verdicts in all contexts."""
        pairs = proof.pairs.plus(each_sum(lambda part: part.reshape(proof.pairs.weight.shape), new))
        decided = self._each.decided(_within(self.problem), pairs, proof.verdict.reshape(-1))
        return Proof(pairs, *(part.reshape(proof.verdict.shape) for part in decided))

    def spread(self, proof: Proof, lanes: int) -> Proof:
        """The verdicts of one lane in so many."""
        verdict, wanted = (part[np.zeros(lanes, np.int64)] for part in (proof.verdict, proof.wanted))
        return proof._replace(verdict=verdict, wanted=wanted)

    def open(self, proof: Proof) -> Bools:  # bool[L, C]
        """The contexts that can occur and have no verdict yet."""
        known = known_shares(self.problem)
        return np.asarray((proof.verdict < 0) & (True if known is None else known > 0))

    def unsure(self, proof: Proof) -> Bools:  # bool[L]
        """The lanes without a verdict in every context."""
        return np.asarray(self.open(proof).any(axis=1))

    def plan(self, proof: Proof, counts: Ints, context: Ints, rng: np.random.Generator) -> Plan | None:
        """The plan in lanes that have not stopped; now and then what the proof in the context lacks is played."""
        unsure, planned, lanes = self.unsure(proof), counts.any(axis=1), np.arange(len(counts))
        counts = counts * unsure[:, None]
        wanted, chosen, prices = proof.wanted[lanes, context], counts.argmax(axis=1), self.problem.prices
        push = (wanted >= 0) & (rng.random(len(counts)) < self.sure.push) & (prices[wanted] <= prices[chosen])
        which = np.flatnonzero(push & unsure & planned)
        counts[which] = np.eye(counts.shape[1], dtype=np.int64)[wanted[which]]
        return Plan(counts) if counts.any() else None

    def rule(self, proof: Proof, rule: Ints) -> Ints:
        """The verdict of each context; until there is one, the rule."""
        return np.where(proof.verdict >= 0, proof.verdict, rule)

    def certainty(self, proof: Proof, shares: Floats) -> str:
        """In how many contexts of the first lane the best action is known, and where it is not."""
        left, percent = np.flatnonzero(self.open(proof)[0]), f"{100 * self.sure.confidence:g} %"
        contexts = self.problem.contexts
        if not len(left):
            return f"sure at {percent}: in each of {len(contexts)} contexts the action of the rule is the best"
        often = left[np.argsort(-shares[0][left], kind="stable")][:_MOST_NAMED]
        more = f", and {len(left) - len(often)} more" if len(left) > len(often) else ""
        named = "; ".join(contexts.written(int(c)) for c in often)
        done = len(contexts) - len(left)
        certain = f"the best action is certain in {done} of {len(contexts)} contexts"
        return f"not sure at {percent} yet: {certain}; not where {named}{more}"
