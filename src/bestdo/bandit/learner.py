"""The contract of a learner: a few pure functions of sums, for many lanes at once; and how ties are broken."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.bandit.combinations import FIRST_AND_PLAIN_LEARNER
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Summing
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import Actions
from bestdo.errors import NotValid
from bestdo.memory_cache import memory_cache

__all__ = [
    "Learner",
    "Ties",
    "able",
    "argmax",
    "certainty",
    "does_not_look",
    "in_contexts",
    "in_study",
    "next_plan",
    "reason",
    "traits",
    "with_old",
]

State = TypeVar("State")
Known = TypeVar("Known", contravariant=True)


class Learner(Protocol[State]):
    """A bandit algorithm. All arrays have a leading axis of lanes: 1 in a real study, thousands in a simulation.

    Learners see sums over rounds, never rows, files or the truth. The horizon is a number of rounds; where the problem has
    costs, it is a budget, and no plan may overspend it. What a learner can do beside these six functions is said by its
    `traits`; one without has none.
    """

    def statistic(self, problem: Problem, horizon: float) -> Summing:
        """The sums over rounds that it asks for."""
        ...

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> State:
        """The state before the first round; raises NotValid where the learner is not for the problem."""
        ...

    def ask(self, state: State, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next block; None when all lanes have finished.

        The learner looks at the parts of the request that its traits name; others are left as they are by default.
        """
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


class _Asked(Protocol[Known]):
    """A learner, or a game, that can be asked."""

    def ask(self, state: Known, request: Request, rng: np.random.Generator) -> Plan | None: ...


class _Able(Learner[State], Protocol[State]):
    """A learner with every function that a trait stands for; see `Traits`."""

    @property
    def traits(self) -> Traits: ...

    def means(self, state: State) -> Floats: ...

    def draws(self, state: State, lane: int, draws: int) -> Floats: ...

    def shares_all(self, state: State) -> bool: ...

    def counted(self, state: State) -> Floats: ...

    def reason(self, state: State, action: int) -> str: ...

    def certainty(self, state: State) -> str: ...

    def with_old(self, rounds: float) -> Learner[State]: ...

    def in_study(self, until_sure: bool) -> Learner[State]: ...

    def in_contexts(self, problem: Problem) -> Learner[State]: ...


_NONE = Traits()


def traits(learner: Learner[State]) -> Traits:
    """The traits of a learner; those of one that says nothing of them are neutral."""
    return getattr(learner, "traits", _NONE)


def able(learner: Learner[State]) -> _Able[State]:
    """The learner, typed for calls of functions that its traits stand for."""
    return cast("_Able[State]", learner)


def with_old(learner: Learner[State], rounds: float) -> Learner[State]:
    """The learner for this number of old rounds of do(); itself where it need not know the number."""
    return able(learner).with_old(rounds) if traits(learner).knows_old else learner


def in_study(learner: Learner[State], until_sure: bool = False) -> Learner[State]:
    """The learner for studies; itself where it plays there as anywhere."""
    return able(learner).in_study(until_sure) if traits(learner).in_studies else learner


def in_contexts(learner: Learner[State], problem: Problem) -> Learner[State]:
    """The learner for the contexts of a problem; itself where pairs of context and action are all that it has to know."""
    return able(learner).in_contexts(problem) if traits(learner).in_contexts else learner


def certainty(learner: Learner[State], state: State) -> str:
    """A sentence that says how sure a learner that stops by itself is; empty for other learners."""
    return able(learner).certainty(state) if traits(learner).stops else ""


def reason(learner: Learner[State], state: State, action: int) -> str:
    """The reason why a learner plays this action (its index) in the next block; empty where it does not say."""
    return able(learner).reason(state, action) if traits(learner).reasons else ""


def next_plan(learner: _Asked[State], state: State, request: Request, rng: np.random.Generator) -> Plan | None:
    """The plan of a learner for a request.

    If the learner would stop once the results of rounds that are out are as expected, it plans as if they were not out:
    they may not be.
    """
    plan = learner.ask(state, request, rng)
    return learner.ask(state, request.nothing_out(), rng) if plan is None and request.out.any() else plan


def does_not_look(problem: Problem, able: Sequence[str] = ("one that does",)) -> NotValid:
    """The error for a learner that cannot choose by context, where variables are seen first; `able` are learners that can."""
    *some, last = able
    names = f"{', '.join(some)} or {last}" if some else last
    return NotValid(FIRST_AND_PLAIN_LEARNER.why(problem.contexts.listed, names))


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
        """The order of equal actions: a number below 1 for each lane and action, the largest first, a new one in every block.

        `which` (int[L, K]) names the actions for which it is wanted, when that is not for all.
        """
        return self.random(block, which)

    def random(self, block: int, which: NDArray[np.integer] | None = None) -> NDArray[np.float64]:  # float[L, A or K]
        """A random number below 1 for each lane and action, a new one in every block: for learners that draw in `tell`.

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
