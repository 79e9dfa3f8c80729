"""What a learner is: a few pure functions over lanes that never see rows, time, a loop, a file or the truth."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions

__all__ = ["Learner", "Ties", "argmax", "certainty", "in_study", "one_by_one", "with_old"]

State = TypeVar("State")


class Learner(Protocol[State]):
    """An algorithm. Everything has a leading axis of lanes: 1 in a real study, thousands in a simulation.

    The horizon is a number of rounds; where the problem has costs, it is what may be spent, and no plan may overspend.

    Four things are optional, each with a default in this file: `with_old(rounds)` for a learner that has to know the
    number of old rounds, `in_study(until_sure)` for one that plays otherwise in a study, `certainty(state)` for one that
    stops by itself, and `block`, the number of rounds out at once.
    """

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The sums it wants."""
        ...

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> State:
        """The state before the first round."""
        ...

    def ask(self, state: State, rng: np.random.Generator) -> Plan | None:
        """What to play in the next block; None when all lanes have finished."""
        ...

    def tell(self, state: State, plan: Plan, tally: Tally) -> State:
        """The state after a block: pure and deterministic; accepts any plan and the tally of a part of it.

        A plan of zeros with sums that are not zero is old data, rounds of do() that cost nothing: they are told before
        the first block, add to what is known, and end no phase. A learner on which they would be wrong says NotValid.
        """
        ...

    def best(self, state: State) -> NDArray[np.int64]:  # int[L]
        """The action to keep, at any time."""
        ...

    def estimates(self, state: State) -> Estimates:
        """Mean and interval of every action, at any time."""
        ...


class _KnowsOldRounds(Protocol[State]):
    """A learner that has to know how many old rounds of do() there are before its first round."""

    def with_old(self, rounds: float) -> Learner[State]:
        """The learner for so many old rounds."""
        ...


class _StudyVersion(Protocol[State]):
    """A learner that plays otherwise in a study than in a simulation of a world that has the graph for certain."""

    def in_study(self, until_sure: bool) -> Learner[State]:
        """The learner as studies play it; `until_sure`: one that is to prove which action is the best."""
        ...


class _StopsItself(Protocol):
    """A learner that can stop before its horizon because it is sure."""

    def certainty(self, state: Any) -> str:
        """How sure it is which action is the best, in words, in the first lane."""
        ...


def with_old(learner: Learner[State], rounds: float) -> Learner[State]:
    """The learner for so many old rounds of do(); itself where it need not know."""
    if hasattr(learner, "with_old"):
        return cast("_KnowsOldRounds[State]", learner).with_old(rounds)
    return learner


def in_study(learner: Learner[State], until_sure: bool = False) -> Learner[State]:
    """The learner as studies play it; itself where it plays no otherwise there."""
    if hasattr(learner, "in_study"):
        return cast("_StudyVersion[State]", learner).in_study(until_sure)
    return learner


def certainty(learner: Learner[State], state: State) -> str | None:
    """How sure a learner that stops by itself is, in words; None for all others."""
    return cast("_StopsItself", learner).certainty(state) if hasattr(learner, "certainty") else None


def one_by_one(learner: Learner[State]) -> bool:
    """Whether it decides after every round: its `block`, the number of rounds out at once, is 1."""
    return getattr(learner, "block", None) == 1


@lru_cache(maxsize=128)
def _labels(actions: Actions) -> NDArray[np.uint32]:  # uint32[A]
    """A number for each action that depends on its text alone."""
    return np.array([zlib.crc32(str(a).encode()) for a in actions], np.uint32)


class Ties:
    """Breaks ties at random, afresh in every block, though `tell` and `best` have no generator.

    `start` draws a key for each lane; the order among equals is a hash of (key, block, the action's text), so it does
    not depend on how actions are numbered, nor on how many lanes there are.
    """

    def __init__(self, problem: Problem, lanes: int, rng: np.random.Generator) -> None:
        self.key = rng.integers(0, 2**64, size=lanes, dtype=np.uint64)  # uint64[L]
        self.label = _labels(problem.actions)  # uint32[A]

    def order(self, block: int, which: NDArray[np.integer] | None = None) -> NDArray[np.float64]:  # float[L, A or K]
        """A random number below 1 for each lane and action, another one in every block.

        A hash of the three: splitmix64 of key and block, then the finaliser of MurmurHash3 with the action. `which`
        (int[L, K]) names the actions that are wanted when not all are.
        """
        start = self.key + np.uint64((block * 0x9E3779B97F4A7C15) % 2**64)
        start = (start ^ (start >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        start = ((start ^ (start >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)) >> np.uint64(32)
        mixed = start.astype(np.uint32)[:, None] ^ (self.label if which is None else self.label[which])
        mixed ^= mixed >> np.uint32(16)
        mixed *= np.uint32(0x85EBCA6B)
        mixed ^= mixed >> np.uint32(13)
        mixed *= np.uint32(0xC2B2AE35)
        mixed ^= mixed >> np.uint32(16)
        return np.asarray(mixed * 2.0**-32)


def argmax(values: NDArray[np.float64], ties: Ties, block: int) -> NDArray[np.int64]:  # int[L]
    """The best action of each lane, equals at random; NaN never wins unless there is nothing else."""
    unknown = np.isnan(values)
    clean = np.where(unknown, -np.inf, values) if unknown.any() else values
    equal = clean == clean.max(axis=1, keepdims=True)
    if equal.sum() == len(equal):  # no ties
        return np.asarray(np.argmax(equal, axis=1))
    return np.asarray(np.argmax(equal * (1 + ties.order(block)), axis=1))
