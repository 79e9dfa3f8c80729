from dataclasses import dataclass, replace

import numpy as np
import pytest

from bestdo import do
from bestdo.bandit.rounds import Plan
from bestdo.causal.number import Number
from bestdo.errors import NotValid
from bestdo.learners import LEARNERS, Seen, add_block, learner, play_once
from bestdo.learners.ucb import UCB
from bestdo.learners.uniform import Uniform
from bestdo.simulate import arms, confounded, parallel
from bestdo.testing import check_learner, measured
from support import SINGLE

PARALLEL_ONLY = [name for name in SINGLE if LEARNERS[name].problems != "every problem"]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("horizon", [24, pytest.param(60, marks=pytest.mark.campaign)])
def test_every_learner_keeps_the_contract(name, horizon):
    check_learner(learner(name), horizon=horizon)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    ("number", "aim"), [(Number(-3, 9), "maximise"), (Number(spread=0.5), "minimise"), (Number(), "maximise")]
)
def test_every_learner_keeps_the_contract_with_numbers(name, number, aim):
    """On normal rewards, or Beta ones where there are bounds; what a learner refuses is in tests/learners/test_numbers.py."""
    world = measured(parallel([0.0, 0.1, 0.5]), number, aim=aim)
    try:
        learner(name).start(world.problem, 20, 1, np.random.default_rng(0))
    except NotValid:
        return
    check_learner(learner(name), world, horizon=20, lanes=3)


@pytest.mark.parametrize("name", [n for n in SINGLE if n not in PARALLEL_ONLY])
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
    def ask(self, state, request, rng):
        plan = super().ask(state, request, rng)
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
        return np.repeat(Uniform.best(state)[:1], len(state.played))

    def estimates(self, state):
        found = Uniform.estimates(state)
        first = {name: np.repeat(getattr(found, name)[:1], len(state.played), axis=0) for name in found._fields[:3]}
        return found._replace(**first)


class Other(Uniform):
    def best(self, state):
        return np.argmin(np.nan_to_num(self.estimates(state).mean), axis=1)


class Changing(Uniform):
    def ask(self, state, request, rng):
        state.played[...] += 100
        return super().ask(state, request, rng)


class NeverPlayed(Uniform):
    def estimates(self, state):
        return Uniform.estimates(state)._replace(played=np.zeros(state.played.shape))


class OneNumber(Uniform):
    def best(self, state):
        return 3


class NoPlan(Uniform):
    def ask(self, state, request, rng):
        return np.ones(state.played.shape, int) if state.block == 0 else None


@dataclass(frozen=True)
class Held:
    counts: object


class InADataclass:
    """Correct, with its state in a dataclass instead of a tuple."""

    def statistic(self, problem, horizon):
        return Uniform.statistic(problem, horizon)

    def start(self, problem, horizon, lanes, rng):
        return Held(Uniform.start(problem, horizon, lanes, rng))

    def ask(self, state, request, rng):
        return Uniform().ask(state.counts, request, rng)

    def tell(self, state, plan, tally):
        return Held(Uniform.tell(state.counts, plan, tally))

    def best(self, state):
        return Uniform.best(state.counts)

    def estimates(self, state):
        return Uniform.estimates(state.counts)


def test_a_state_may_be_a_dataclass():
    check_learner(InADataclass())


def test_laws_that_are_not_listed_can_be_relabelled():
    check_learner(learner("uniform"), confounded([0.1] * 13, [0.3] * 13), horizon=40)


class Empty(Uniform):
    def ask(self, state, request, rng):
        return Plan(np.zeros(state.played.shape, int)) if state.block < 3 else None


def all_play(action, state):
    return play_once([np.full(len(state.played), int(action))], state) if state.left.any() else None


class PlaysWhatTheLastLaneChose(UCB):
    def ask(self, state, request, rng):
        return all_play(super().ask(state, request, rng).counts[-1].argmax(), state) if state.left.any() else None


class OneDrawForAllLanes(UCB):
    def ask(self, state, request, rng):
        return all_play(rng.integers(state.played.shape[1]), state)


class SumsOverLanes(UCB):
    def statistic(self, problem, horizon):
        return Seen(problem)

    def ask(self, state, request, rng):
        return all_play(state.tally.weight.sum(0).argmin(), state)


class PlaysNumberOne(UCB):
    def ask(self, state, request, rng):
        return all_play(1, state)


class PlanOf(UCB):
    """Plans that are made of right ones by a function."""

    def __init__(self, change):
        super().__init__()
        object.__setattr__(self, "change", change)

    def ask(self, state, request, rng):
        plan = super().ask(state, request, rng)
        return plan if plan is None else Plan(self.change(plan.counts))


@pytest.mark.parametrize("world", [None, parallel([0.0, 0.1, 0.5])])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (PlaysWhatTheLastLaneChose(), "depends on the other lanes"),
        (OneDrawForAllLanes(), "depends on the other lanes"),
        (SumsOverLanes(), "depends on the other lanes"),
        (PlaysNumberOne(), "another order of the actions gives another plan"),
        (PlanOf(lambda counts: counts[0]), r"the plan has shape \(\d,\), not \(lanes, actions\)"),
        (PlanOf(lambda counts: 0 * counts[:, :3]), r"the plan has shape \(5, 3\)"),
        (PlanOf(lambda counts: -counts), "negative counts"),
        (PlanOf(lambda counts: counts * 1.0), "no whole numbers"),
        (PlanOf(lambda counts: counts.tolist()), "the plan holds list"),
    ],
)
def test_the_contract_catches_wrong_plans(wrong, message, world):
    """Plans are compared in 200 copies of each lane, at 6 standard errors."""
    with pytest.raises(AssertionError, match=message):
        check_learner(wrong, world)


class NoRandomNumbers(Uniform):
    def start(self, problem, horizon, lanes):
        raise NotImplementedError


class NotStatic(Uniform):
    tell = add_block


class NoEstimates(Uniform):
    def estimates(self, state):
        return state.tally.reward


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Greedy(), "rounds were planned"),
        (Impure(), "it must be pure"),
        (FirstOfEquals(), "another order of the actions"),
        (Mixing(), "alone gives another recommendation"),
        (Other(), "best is not the action with the highest of the means"),
        (Empty(), "an empty plan"),
        (Changing(), "ask changes the state"),
        (NeverPlayed(), "estimates.played is not"),
        (OneNumber(), "best gives int"),
        (NoPlan(), "ask gives ndarray, not a Plan"),
        (Uniform, "not its class"),
        (object(), "has no function statistic"),
        ("ucb", r"as bestdo.learner\('ucb'\), not its name"),
        (
            NoRandomNumbers(),
            r"start takes \(problem, horizon, lanes\), and is called as start\(problem, horizon, lanes, rng",
        ),
        (NotStatic(), r"is called as tell\(state, plan, tally\); .* staticmethod"),
        (NoEstimates(), "estimates gives ndarray, not Estimates; bestdo.learners.wilson_estimates"),
    ],
)
def test_the_contract_catches_what_is_wrong(wrong, message):
    with pytest.raises(AssertionError, match=message):
        check_learner(wrong, parallel([0.5] * 4), horizon=9, lanes=40)


def priced(world, dear=3.7, watching=0.1):
    """Watching is cheap, every other action dear."""
    cost = tuple(watching if not a else dear + 0.3 * len(str(a)) for a in world.problem.actions)
    return replace(world, problem=replace(world.problem, cost=cost))


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize(("horizon", "watching"), [(11.3, 0.1), (60.0, 0.7)])  # at most 113 rounds
def test_no_learner_overspends(name, horizon, watching):
    world = priced(parallel([0.0, 0.1, 0.5, 0.4]), watching=watching)
    check_learner(learner(name), world, horizon=horizon, lanes=3)


def test_ten_rounds_at_a_tenth_fit_into_one():
    problem = priced(parallel([0.5])).problem
    assert problem.rounds(1.0, problem.actions.index(do())) == 10
    assert problem.rounds(1.0) == 0


class Spendthrift(Uniform):
    def ask(self, state, request, rng):
        return Plan(np.ones(state.played.shape, int)) if state.block < 3 else None


def test_the_contract_catches_overspending():
    with pytest.raises(AssertionError, match="was to be spent"):
        check_learner(Spendthrift(), priced(parallel([0.5] * 4)), horizon=60.0)
