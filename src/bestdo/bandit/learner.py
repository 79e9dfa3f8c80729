"""The contract of a learner: a few pure functions of sums, for many lanes at once; and how ties are broken."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.errors import NotValid, shown
from bestdo.memory_cache import memory_cache

__all__ = [
    "Learner",
    "Ties",
    "any_time",
    "argmax",
    "ask_beside",
    "beside",
    "certainty",
    "does_not_look",
    "in_study",
    "reason",
    "with_old",
]

State = TypeVar("State")


class Learner(Protocol[State]):
    """A bandit algorithm. All arrays have a leading axis of lanes: 1 in a real study, thousands in a simulation.

    Learners see sums over rounds, never rows, files or the truth. The horizon is a number of rounds; where the problem has
    costs, it is a budget, and no plan may overspend it.

    Five things are optional, each with a default in this file: `with_old(rounds)` for a learner that has to know the
    number of old rounds, `in_study(until_sure)` for one that plays differently in a study, `reason(state, action)` for one
    that says why it plays an action, `certainty(state)` for one that stops by itself, and `beside(state, out)` for one that
    can be asked at any time, while results are still to come.
    """

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The sums over rounds that it asks for."""
        ...

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> State:
        """The state before the first round."""
        ...

    def ask(self, state: State, rng: np.random.Generator) -> Plan | None:
        """The plan of the next block; None when all lanes have finished."""
        ...

    def tell(self, state: State, plan: Plan, tally: Tally) -> State:
        """The state after a block: pure and deterministic; accepts any plan and the tally of a part of it.

        A plan of zeros with sums that are not zero is old data, rounds of do() that cost nothing: they are told before
        the first block, add to what is known, and end no phase. A learner for which they are not valid raises NotValid.
        """
        ...

    def best(self, state: State) -> NDArray[np.int64]:  # int[L]
        """The action that it recommends, at any time: that with the best of the means in `estimates`, dropped ones aside."""
        ...

    def estimates(self, state: State) -> Estimates:
        """The mean and interval of every action, at any time, and which actions were dropped."""
        ...


class _KnowsOldRounds(Protocol[State]):
    """The optional part of a learner that has to know how many old rounds of do() there are."""

    def with_old(self, rounds: float) -> Learner[State]:
        """The learner for so many old rounds."""
        ...


class _StudyVersion(Protocol[State]):
    """The optional part of a learner that plays differently in a study, where the graph may be wrong."""

    def in_study(self, until_sure: bool) -> Learner[State]:
        """The learner for studies; with `until_sure`, the one that proves which action is the best."""
        ...


class _AnyTime(Protocol[State]):
    """The optional part of a learner that can be asked at any time, not only when all results have come back.

    Its `tell` takes rounds one at a time in any order: the estimates depend on their sums alone.
    """

    def beside(self, state: State, out: NDArray[np.int64]) -> State:
        """The state in which rounds in flight (int[L, A]) count as played, with results that are not known yet.

        `ask` of it plans what to play beside them.
        """
        ...


class _GivesReasons(Protocol):
    """The optional part of a learner that says why it plays an action."""

    def reason(self, state: Any, action: int) -> str:
        """Why this action is in the plan that `ask` makes of the state, in the first lane: half a sentence that is true."""
        ...


class _StopsItself(Protocol):
    """The optional part of a learner that can stop before its horizon because it is sure."""

    def certainty(self, state: Any) -> str:
        """A sentence that says how sure it is, in the first lane, which action is the best."""
        ...


def with_old(learner: Learner[State], rounds: float) -> Learner[State]:
    """The learner for this number of old rounds of do(); itself where it need not know the number."""
    if hasattr(learner, "with_old"):
        return cast("_KnowsOldRounds[State]", learner).with_old(rounds)
    return learner


def in_study(learner: Learner[State], until_sure: bool = False) -> Learner[State]:
    """The learner for studies; itself where it plays there as anywhere."""
    if hasattr(learner, "in_study"):
        return cast("_StudyVersion[State]", learner).in_study(until_sure)
    return learner


def certainty(learner: Learner[State], state: State) -> str | None:
    """A sentence that says how sure a learner that stops by itself is; None for other learners."""
    return cast("_StopsItself", learner).certainty(state) if hasattr(learner, "certainty") else None


def any_time(learner: Learner[State]) -> bool:
    """Whether a learner can be asked while results are still to come: it has `beside`, or says so by `any_time`."""
    return bool(getattr(learner, "any_time", hasattr(learner, "beside")))


def beside(learner: Learner[State], state: State, out: NDArray[np.int64]) -> State:
    """The state of a learner that can be asked at any time, with rounds in flight (int[L, A]); see `_AnyTime`."""
    return cast("_AnyTime[State]", learner).beside(state, out) if out.any() else state


def ask_beside(learner: Learner[State], state: State, out: NDArray[np.int64], rng: np.random.Generator) -> Plan | None:
    """The plan of a learner that can be asked at any time, while these rounds (int[L, A]) are in flight.

    If it would stop once their results are as expected, it plans as if they were not out: they may not be.
    """
    plan = learner.ask(beside(learner, state, out), rng)
    return learner.ask(state, rng) if plan is None and out.any() else plan


def reason(learner: Learner[State], state: State, action: int) -> str:
    """Why a learner plays this action (its index) in the next block; empty where it does not say."""
    return cast("_GivesReasons", learner).reason(state, action) if hasattr(learner, "reason") else ""


def does_not_look(problem: Problem, able: Sequence[str] = ("one that does",)) -> NotValid:
    """The error for a learner that cannot choose by context, where variables are seen first; `able` are learners that can."""
    *some, last = able
    names = f"{', '.join(some)} or {last}" if some else last
    return NotValid(
        f"this learner does not look at what is seen first ({', '.join(map(shown, problem.first))}) before it chooses: take "
        f"{names}, or leave out what is seen first"
    )


@memory_cache
def _labels(actions: Actions) -> NDArray[np.uint32]:  # uint32[A]
    """A hash of each action's text."""
    return np.array([zlib.crc32(str(a).encode()) for a in actions], np.uint32)


class Ties:
    """A random order of the actions in each lane and block, to break ties where there is no random generator.

    `tell` and `best` have none. The order is a hash of a key that `start` draws for each lane, the block and the action's
    text, so it does not depend on how actions are numbered, nor on how many lanes there are.
    """

    def __init__(self, problem: Problem, lanes: int, rng: np.random.Generator) -> None:
        if problem.first:  # every learner makes its ties here; those that choose by context have another problem then
            raise does_not_look(problem)
        self.key = rng.integers(0, 2**64, size=lanes, dtype=np.uint64)  # uint64[L]
        self.label = _labels(problem.actions)  # uint32[A]
        self.contenders = None if problem.contenders.all() else problem.contenders  # bool[A]

    def order(self, block: int, which: NDArray[np.integer] | None = None) -> NDArray[np.float64]:  # float[L, A or K]
        """A random number below 1 for each lane and action, a new one in every block.

        By splitmix64 of key and block, then the finaliser of MurmurHash3 with the action. `which` (int[L, K]) names the
        actions for which it is wanted, when that is not for all.
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


def argmax(
    values: NDArray[np.float64], ties: Ties, block: int, *, all_compete: bool = False
) -> NDArray[np.int64]:  # int[L]
    """The contender with the largest value in each lane, ties broken at random; NaN only where all values are NaN.

    With `all_compete`, actions that cannot be the best (`Problem.contenders`) are considered as well.
    """
    unknown = np.isnan(values)
    clean = np.where(unknown, -np.inf, values) if unknown.any() else values
    if ties.contenders is None or all_compete:
        equal = clean == clean.max(axis=1, keepdims=True)
    else:
        clean = np.where(ties.contenders, clean, -np.inf)
        equal = (clean == clean.max(axis=1, keepdims=True)) & ties.contenders
    if equal.sum() == len(equal):  # no ties
        return np.asarray(np.argmax(equal, axis=1))
    return np.asarray(np.argmax(equal * (1 + ties.order(block)), axis=1))
