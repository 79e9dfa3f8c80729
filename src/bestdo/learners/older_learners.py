"""Learners whose `ask` takes no request, as it once was: played as they were, by the functions that they have."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestdo.arrays import Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.memory_cache import memory_cache

__all__ = ["called", "current", "is_older"]


@memory_cache
def is_older(kind: type) -> bool:
    """Whether `ask` of a class of learners takes a state and random numbers alone."""
    try:
        found = inspect.getattr_static(kind, "ask")
        itself = () if isinstance(found, staticmethod) else ("self",)
        inspect.signature(kind.ask).bind(*itself, "state", "rng")  # type: ignore[attr-defined]
    except (TypeError, ValueError, AttributeError):
        return False
    return True


def current(learner: Learner[Any]) -> Learner[Any]:
    """The learner, if its `ask` takes a request; inside `_OlderLearner` if it does not."""
    return _OlderLearner(learner) if is_older(type(learner)) else learner


def called(learner: object) -> str:
    """The name of a learner's class."""
    return type(learner.inner if isinstance(learner, _OlderLearner) else learner).__name__


@dataclass(frozen=True)
class _OlderLearner:
    """A learner whose `ask` takes a state and random numbers alone; its traits are read from the functions that it has."""

    inner: Any

    @property
    def traits(self) -> Traits:
        """The traits by the functions that the learner has; `beside` is that of one that can be asked at any time."""
        has = {name: hasattr(self.inner, name) for name in ("beside", "reason", "certainty", "with_old", "in_study")}
        return Traits(
            any_time=has["beside"],
            reasons=has["reason"],
            stops=has["certainty"],
            knows_old=has["with_old"],
            in_studies=has["in_study"],
        )

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The learner's statistic."""
        found: Statistic = self.inner.statistic(problem, horizon)
        return found

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Any:
        """The learner's state before the first round."""
        return self.inner.start(problem, horizon, lanes, rng)

    def ask(self, state: Any, request: Request, rng: np.random.Generator) -> Plan | None:
        """The learner's plan; of its state with rounds in flight, where there are any."""
        plan: Plan | None = self.inner.ask(self.inner.beside(state, request.out) if request.out.any() else state, rng)
        return plan

    def tell(self, state: Any, plan: Plan, tally: Tally) -> Any:
        """The learner's state after a block."""
        return self.inner.tell(state, plan, tally)

    def best(self, state: Any) -> Ints:  # int[L]
        """The action that the learner recommends."""
        found: Ints = self.inner.best(state)
        return found

    def estimates(self, state: Any) -> Estimates:
        """The learner's estimates."""
        found: Estimates = self.inner.estimates(state)
        return found

    def reason(self, state: Any, action: int) -> str:
        """The learner's reason."""
        return str(self.inner.reason(state, action))

    def certainty(self, state: Any) -> str:
        """The certainty of the learner."""
        return str(self.inner.certainty(state))

    def with_old(self, rounds: float) -> _OlderLearner:
        """The learner for so many old rounds."""
        return _OlderLearner(self.inner.with_old(rounds))

    def in_study(self, until_sure: bool) -> _OlderLearner:
        """The learner as studies play it."""
        return _OlderLearner(self.inner.in_study(until_sure))
