import numpy as np
import pytest

from bestdo.bandit.rounds import Plan
from bestdo.learners import LEARNERS, learner
from bestdo.learners.fixed import Uniform
from bestdo.simulate import arms, parallel
from bestdo.testing import check_learner

PARALLEL_ONLY = [n for n in LEARNERS if n.startswith("algorithm") or n == "watching"]


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_keeps_the_contract(name):
    check_learner(learner(name))


@pytest.mark.parametrize("name", [n for n in LEARNERS if n not in PARALLEL_ONLY])
@pytest.mark.parametrize("horizon", [1, 3, 7, 40])
def test_short_horizons_and_a_classical_bandit(name, horizon):
    check_learner(learner(name), arms([0.2, 0.5, 0.9, 0.4, 0.1]), horizon=horizon, lanes=3)


@pytest.mark.parametrize("name", PARALLEL_ONLY)
@pytest.mark.parametrize("horizon", [2, 3, 11])
def test_short_horizons_on_the_parallel_graph(name, horizon):
    check_learner(learner(name), parallel([0.3, 0.0, 0.5]), horizon=horizon, lanes=3)


@pytest.mark.parametrize("name", ["ucb", "thompson", "top-two"])
def test_several_rounds_at_once(name):
    made = type(learner(name))(block=4)
    check_learner(made, horizon=42)


class Greedy(Uniform):
    def ask(self, state, rng):
        plan = super().ask(state, rng)
        return None if state.block else Plan(plan.counts + 1)


class Impure(Uniform):
    def tell(self, state, plan, tally):
        state.played[...] += plan.counts
        return super().tell(state, plan, tally)


class FirstOfEquals(Uniform):
    def best(self, state):
        return np.argmax(np.nan_to_num(self.estimates(state).mean), axis=1)


class Mixing(Uniform):
    def best(self, state):
        return np.repeat(super().best(state)[:1], len(state.played))


class Empty(Uniform):
    def ask(self, state, rng):
        return Plan(np.zeros(state.played.shape, int)) if state.block < 3 else None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Greedy(), "rounds were planned"),
        (Impure(), "it must be pure"),
        (FirstOfEquals(), "another order of the actions"),
        (Mixing(), "alone gives another recommendation"),
        (Empty(), "an empty plan"),
    ],
)
def test_the_contract_catches_what_is_wrong(wrong, message):
    with pytest.raises(AssertionError, match=message):
        check_learner(wrong, parallel([0.5] * 4), horizon=9, lanes=40)
