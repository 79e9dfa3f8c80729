"""Old data: rounds of do() that use up nothing of the horizon."""

import numpy as np
import pytest

from bestdo import do
from bestdo.bandit.learner import with_old
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.errors import NotValid
from bestdo.learners import learner
from bestdo.learners.algorithm_1 import ParallelBandit
from bestdo.learners.algorithm_2 import GeneralAlgorithm
from bestdo.learners.count_state import add_block
from bestdo.learners.successive_elimination import SuccessiveElimination
from bestdo.learners.uniform import Uniform
from bestdo.learners.until_sure import UntilSure
from bestdo.research.learners.algorithm_1_rejects import RejectingParallelBandit
from bestdo.simulate import parallel
from bestdo.simulate.samplers import tally
from bestdo.testing import check_learner

WORLD = parallel([0.0, 0.1, 0.5, 0.4])
ACTIONS = WORLD.problem.actions
WATCHING = ACTIONS.index(do())


def told_old(made, old, horizon, lanes=1, seed=0):
    """The statistic, and the state after so many old rounds."""
    rng = np.random.default_rng(seed)
    statistic = made.statistic(WORLD.problem, horizon)
    state = made.start(WORLD.problem, horizon, lanes, rng)
    if not old:
        return statistic, state
    plan = Plan(np.tile(old * (np.arange(len(ACTIONS)) == WATCHING), (lanes, 1)))
    return statistic, made.tell(state, Plan(0 * plan.counts), tally(WORLD, statistic, plan, rng))


@pytest.mark.parametrize("made", [ParallelBandit(), RejectingParallelBandit()])
@pytest.mark.parametrize(("old", "watch"), [(0, 50), (1, 49), (40, 30), (99, 0), (100, 0), (5000, 0)])
def test_half_of_all_rounds_watch_the_old_ones_included(made, old, watch):
    statistic, state = told_old(made, old, 100)
    rng = np.random.default_rng(1)
    plans = []
    while (plan := made.ask(state, Request(), rng)) is not None:
        plans.append(plan.counts[0])
        state = made.tell(state, plan, tally(WORLD, statistic, plan, rng))
    assert plans[0][WATCHING] == watch
    assert sum(map(sum, plans)) == 100
    if old >= 99:  # X1 = 1 never happens by itself: all rounds go to it, or to it and X2 = 1
        assert not sum(plans)[WATCHING]
        assert sum(plans)[ACTIONS.index(do(X1=1))] > 40
        assert made.estimates(state).seen[0, WATCHING] == old


def test_the_paper_preset_takes_old_rounds_too():
    made = ParallelBandit.as_in_paper()
    statistic, state = told_old(made, 60, 101)
    rng = np.random.default_rng(1)
    first = made.ask(state, Request(), rng)
    assert first.counts[0, WATCHING] == first.counts.sum() == 20  # half of 161, less 60
    state = made.tell(state, first, tally(WORLD, statistic, first, rng))
    second = made.ask(state, Request(), rng)
    assert 78 <= second.counts.sum() <= 80  # as many as watched in all, whole rounds for each rare action
    assert made.ask(made.tell(state, second, tally(WORLD, statistic, second, rng)), Request(), rng) is None


def test_old_rounds_drop_no_action():
    for name in ("successive-rejects", "sequential-halving", "successive-elimination"):
        _, state = told_old(learner(name), 1000, 60)
        assert np.sum(state.alive.shape[1] if state.alive.dtype != bool else state.alive) == len(ACTIONS)


def test_one_lucky_round_does_not_drop_what_is_well_known():
    made = SuccessiveElimination()
    statistic, state = told_old(made, 100_000, 60)
    sweep = Plan(np.ones((1, len(ACTIONS)), np.int64))
    lucky = statistic.tally(WORLD.rounds(sweep, np.random.default_rng(0))._replace(y=np.ones(len(ACTIONS), bool)), 1)
    assert made.tell(state, sweep, lucky).alive.all()


def test_algorithm_2_is_unbiased_with_old_rounds_and_refuses_them_otherwise():
    # 4,000 lanes, 9 actions: each mean within 4.5 standard errors. Weighing old rounds as if eta* had drawn them
    # (the tally of watched=0) is 90 to 1,000 standard errors off.
    lanes, horizon, old = 4000, 40, 100
    made = GeneralAlgorithm(estimator="importance", watched=old)
    statistic, state = told_old(made, old, horizon, lanes)
    rng = np.random.default_rng(3)
    plan = made.ask(state, Request(), rng)
    assert plan.counts[:, WATCHING].max() == 0  # there are enough old ones
    state = made.tell(state, plan, tally(WORLD, statistic, plan, rng))
    found = state.tally.reward / state.tally.rounds
    error = found.std(axis=0) / np.sqrt(lanes)
    assert (np.abs(found.mean(axis=0) - WORLD.means) <= 4.5 * error).all()
    with pytest.raises(NotValid, match="watched=N"):
        told_old(GeneralAlgorithm(), old, horizon)


def test_who_has_to_know_the_number_of_old_rounds_is_told():
    assert with_old(GeneralAlgorithm(), 7).watched == 7
    assert with_old(UntilSure(GeneralAlgorithm()), 7).inner.watched == 7
    assert with_old(ParallelBandit(), 7) == ParallelBandit()


class Costly(Uniform):
    """Old rounds use up the horizon."""

    def tell(self, state, plan, tally):
        told = add_block(state, plan, tally)
        return told if plan.counts.any() else told._replace(money=0 * told.money)


class Forgetful(ParallelBandit):
    def tell(self, state, plan, tally):
        return super().tell(state, plan, tally) if plan.counts.any() else state


@pytest.mark.parametrize(("wrong", "message"), [(Costly(), "use up the horizon"), (Forgetful(), "do not add")])
def test_the_contract_catches_who_mistakes_old_rounds(wrong, message):
    with pytest.raises(AssertionError, match=message):
        check_learner(wrong)
