"""The checker accepts what keeps the contract, however it is written: C-UCB with no help of the library's own learners."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import bestdo
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Ties, argmax, traits
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.errors import NotValid
from bestdo.learners import Uniform, UntilSure
from bestdo.learners.count_state import as_played
from bestdo.learners.older_learners import current
from bestdo.simulate import chain
from bestdo.statistics.states import States
from bestdo.testing import check_learner


class State(NamedTuple):
    p: np.ndarray  # float[A, X]
    horizon: float
    ties: Ties
    n: np.ndarray  # float[L, X]
    s: np.ndarray  # float[L, X]
    played: np.ndarray  # float[L, A]


@dataclass(frozen=True)
class OwnCUCB:
    only_tables: bool = False
    old: str = "adds them"

    def statistic(self, problem, horizon):
        return States(problem)

    def start(self, problem, horizon, lanes, rng):
        p = None if problem.law is None else problem.law.explicit if self.only_tables else problem.law.listed()
        if p is None:
            raise NotValid("this learner needs the law of the reward's causes as a table")
        zeros = np.zeros((lanes, p.shape[1]))
        return State(p, horizon, Ties(problem, lanes, rng), zeros, zeros, np.zeros((lanes, len(p))))

    def ask(self, state, rng):
        if state.played[0].sum() >= state.horizon:
            return None
        n = np.maximum(state.n, 1)
        bound = (state.s / n + np.sqrt(np.log(state.horizon) / n)) @ state.p.T
        chosen = argmax(bound.round(9), state.ties, int(state.played[0].sum()))
        return Plan((np.arange(len(state.p)) == chosen[:, None]).astype(np.int64))

    def tell(self, state, plan, tally):
        if not plan.counts.any() and self.old == "refuses them":
            raise NotValid("old rounds are not for this learner")
        if not plan.counts.any() and self.old == "forgets them":
            return state
        return state._replace(n=state.n + tally.weight, s=state.s + tally.reward, played=state.played + plan.counts)

    def best(self, state):
        return argmax(self.estimates(state).mean.round(9), state.ties, int(state.played[0].sum()))

    def estimates(self, state):
        n = np.maximum(state.n, 1)
        mean, wide = (state.s / n) @ state.p.T, np.sqrt(2 / n) @ state.p.T
        low, high = np.clip(mean - wide, 0, 1), np.clip(mean + wide, 0, 1)
        return Estimates(mean, low, high, state.played, state.n @ (state.p.T > 0))


@pytest.mark.parametrize("only_tables", [False, True])
@pytest.mark.parametrize("old", ["adds them", "refuses them"])
def test_a_learner_of_somebody_else_is_accepted(only_tables, old):
    check_learner(OwnCUCB(only_tables, old), horizon=9)


def test_old_rounds_must_count_or_be_refused():
    with pytest.raises(AssertionError, match=r"old rounds do not add .* must raise NotValid"):
        check_learner(OwnCUCB(old="forgets them"), horizon=9)


class Nowhere(OwnCUCB):
    def start(self, problem, horizon, lanes, rng):
        if "X5" not in problem.graph.names:
            raise NotValid("it needs five causes")
        return super().start(problem, horizon, lanes, rng)


def test_a_learner_for_other_worlds_needs_one_of_them():
    with pytest.raises(AssertionError, match=r"give one that suits it as `world` \(it needs five causes\)"):
        check_learner(Nowhere())
    check_learner(Nowhere(), chain(5), horizon=9)


class Older(Uniform):
    """A learner whose `ask` takes no request, and that can be asked at any time."""

    def ask(self, state, rng):
        return super().ask(state, Request(), rng)

    def beside(self, state, out):
        return as_played(state, out)


def test_a_learner_whose_ask_takes_no_request_is_played_as_it_was():
    world = bestdo.world("farm")
    assert traits(current(Older())).any_time
    assert traits(current(Older())).reasons
    assert current(Uniform()) == Uniform()
    new, old = (bestdo.play(world, each, rounds=20, lanes=50, seed=3) for each in (Uniform(), Older()))
    assert (new == old).all()
    assert bestdo.play(world, UntilSure(Older()), rounds=20, lanes=5, delay=3).shape == (5,)
    with pytest.raises(NotValid, match="does not look at what is seen first"):
        bestdo.play(bestdo.world("orders"), Older(), rounds=5, lanes=2)
