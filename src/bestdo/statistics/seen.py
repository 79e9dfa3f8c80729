"""Rounds that tell about an action: its plays, and the rounds in which its values occurred, where seeing is as good."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import UNKNOWN, Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.causal.identify import Identification, identify
from bestdo.causal.separation import separated
from bestdo.errors import NotValid
from bestdo.memory_cache import memory_cache
from bestdo.statistics.summing import chunks, repeated, sum_by_lane

__all__ = ["Seen"]

# Up to so many numbers (rounds × actions × variables) are compared in one array operation, else variable by variable.
# With 101 actions on 50 variables one array is quicker up to 2**18 numbers (0.02 in place of 0.3 ms for one round), and
# not at 2**20.
_FEW = 2**16


@memory_cache
def _seen_by(actions: Actions) -> Bools:  # bool[A, A]
    """The matrix `Seen.seen_by` of some actions, by rule 2 of do-calculus."""
    graph = actions.graph
    assert graph.reward is not None
    good = np.eye(len(actions), dtype=bool)
    known: dict[tuple[frozenset[str], frozenset[str]], bool] = {}
    for j, a in enumerate(actions):
        for size in range(len(a)):
            for names in itertools.combinations(a, size):
                b = do({n: a[n] for n in names})
                if b not in actions:
                    continue
                pair = frozenset(names), frozenset(a) - frozenset(names)
                if pair not in known:
                    known[pair] = separated(
                        graph, pair[1], [graph.reward], pair[0], no_arrows_into=pair[0], no_arrows_out_of=pair[1]
                    )
                good[actions.index(b), j] = known[pair]
    good.setflags(write=False)
    return good


_MOST_GRAPHS = 64
"""Candidate graphs that rule 2 is looked up in; with more, actions count their plays only. Limits the time. Not measured."""


@memory_cache
def _seen_by_in_all(problem: Problem) -> Bools:  # bool[A, A]
    """The matrix `Seen.seen_by`: what holds in every graph that is possible."""
    good = np.eye(len(problem.actions), dtype=bool)
    graphs = problem.graphs.covering  # what is separated in these is separated in all
    if 0 < len(graphs) <= _MOST_GRAPHS:
        good = np.logical_and.reduce([_seen_by(Actions(graph, problem.actions)) for graph in graphs])
    good.setflags(write=False)
    return good


@memory_cache
def _not_seen(actions: Actions) -> Identification | None:
    """The identification of the first action that cannot be learned by watching alone; None when all can."""
    answers = (identify(actions.graph, a) for a in actions)
    return next((answer for answer in answers if answer.how != "seeing"), None)


@dataclass(frozen=True)
class Seen:
    """Counts of rounds for every action that a round is as good as.

    That is the action played, and each action of which a part was set (or nothing) and the rest of its values
    occurred, where the graph says that seeing these is as good as setting them. A confounded action counts its plays
    only: `seen_by` says which, and `require` raises NotValid with the reason.
    """

    problem: Problem
    equals: bool = False
    """Whether actions that are equal by the graph have all their rounds in common."""

    @cached_property
    def seen_by(self) -> Bools:  # bool[A, A]
        """The matrix whose entry [b, a] says whether a round of b with the rest of a's values is as good as one of a."""
        good = _seen_by_in_all(self.problem)
        if not (self.equals and self.problem.equals):
            return good
        good = good.copy()
        for some in map(list, self.problem.equals):  # what one of them sets beyond another matters to nothing here
            good[some] = good[some].any(axis=0)
        return good

    def require(self, who: str) -> None:
        """Raises NotValid when some action cannot be learned by watching alone."""
        graphs = self.problem.graphs.covering
        if not graphs:
            raise NotValid(
                f"{who} needs seeing to be as good as doing for every action, and with {self.problem.graphs.count:,} "
                "possible graphs that is not gone through"
            )
        every = (_not_seen(Actions(graph, self.problem.actions)) for graph in graphs)
        obstacle = next((each for each in every if each is not None), None)
        if obstacle is not None:
            raise NotValid(
                f"{who} needs seeing to be as good as doing for every action, and for {obstacle.intervention} it is not: "
                f"{obstacle.reason}"
            )

    def counts(self, rounds: Rounds) -> Bools:  # bool[R, A]
        """A mask of the rounds that count towards each action."""
        codes = self.problem.actions.codes
        counts = self.seen_by[rounds.action]
        if len(rounds.x) * codes.size <= _FEW:  # all at once, as for a single round
            counts &= ((codes < 0) | (rounds.x[:, None, :] == codes)).all(axis=2)
        else:
            for v in np.flatnonzero(codes.max(axis=0) >= 0):
                those = np.flatnonzero(codes[:, v] >= 0)
                counts[:, those] &= rounds.x[:, v, None] == codes[None, those, v]
        counts[np.arange(len(counts)), rounds.action] = True  # a play counts, though what it set may not be recorded
        for some in map(list, self.problem.equals if self.equals else ()):
            counts[:, some] = counts[:, some].any(axis=1, keepdims=True)
        counts[(rounds.x == UNKNOWN).any(axis=1)] = False
        return counts

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The number of rounds in which each action was seen or played, and the successes among those rounds."""

        def of(part: Rounds) -> Tally:
            counts = self.counts(part)
            weight = sum_by_lane(part.lane, repeated(counts, part), lanes)
            reward = sum_by_lane(part.lane, repeated(_won(counts, part.y), part), lanes)
            square = None
            if part.y.dtype != np.bool_:
                square = sum_by_lane(part.lane, repeated(counts * (part.y**2)[:, None], part), lanes)
            return Tally.from_counts(weight, reward, square)

        actions = len(self.problem.actions)
        return Tally.total(map(of, chunks(rounds, actions)), lanes, actions)


def _won(counts: Bools, y: Bools | Floats) -> NDArray[np.generic]:  # [R, A]
    """The rewards of the rounds that count."""
    return np.asarray(np.logical_and(counts, y[:, None]) if y.dtype == np.bool_ else counts * y[:, None])
