"""Algorithm 2 in phases: what it plays, that all rounds count, and that it is no worse than Algorithm 2."""

from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions
from bestdo.bandit.request import Request
from bestdo.errors import NotValid
from bestdo.research.learners.algorithm_2_phases import GeneralAlgorithmInPhases
from bestdo.simulate import World, chain, confounded, final, paper_parallel, play
from bestdo.simulate.samplers import tally
from bestdo.testing import check_learner

LANES = 2000
CONFOUNDED = confounded([0.1, 0.1, 0.4, 0.4, 0.4], [0.3, 0.3, 0.7, 0.7, 0.7])


@pytest.mark.parametrize(
    "world", [CONFOUNDED, chain(4, 0.8, 0.3), paper_parallel(14, 5, 0.3)], ids=["Z", "chain", "14"]
)
@pytest.mark.parametrize("horizon", [1, 3, 60])
def test_it_keeps_the_contract(world, horizon):
    check_learner(GeneralAlgorithmInPhases(), world, horizon=horizon, lanes=4)


@pytest.mark.parametrize("world", [CONFOUNDED, paper_parallel(14, 5, 0.3)], ids=["Z", "14"])
def test_it_keeps_the_contract_with_costs(world):
    cost = tuple(1.0 + 7 * len(a) for a in world.problem.actions)
    priced = World(replace(world.problem, cost=cost), world.model)
    check_learner(GeneralAlgorithmInPhases(), priced, horizon=200, lanes=4)


def test_contenders_are_halved_and_all_rounds_are_played():
    mine, rng = GeneralAlgorithmInPhases(), np.random.default_rng(0)
    state, sizes = mine.start(CONFOUNDED.problem, 120, 20, rng), []
    while (plan := mine.ask(state, Request(), rng)) is not None:
        sizes.append(int(state.alive.sum(axis=1).max()))
        state = mine.tell(state, plan, tally(CONFOUNDED, mine.statistic(CONFOUNDED.problem, 120), plan, rng))
    assert sizes[:2] == [13, 7]
    assert (state.counts.played.sum(axis=1) == 120).all()


@pytest.mark.parametrize("world", [CONFOUNDED, paper_parallel(14, 5, 0.3)], ids=["Z", "14"])
def test_its_intervals_hold_though_rounds_of_different_designs_are_added(world):
    found = GeneralAlgorithmInPhases().estimates(
        final(world, GeneralAlgorithmInPhases(), 200, 500, np.random.default_rng(0))
    )
    assert ((found.low <= world.means) & (world.means <= found.high)).mean() > 0.92


@pytest.mark.parametrize(
    ("world", "horizon", "better"),
    [
        (paper_parallel(20, 12, 0.3), 160, True),
        (CONFOUNDED, 20, False),
        (CONFOUNDED, 60, False),
        (chain(8, 0.9, 0.1), 40, False),
    ],
    ids=["paper", "Z, few", "Z", "chain"],
)
def test_it_is_no_worse_than_algorithm_2_and_better_where_many_are_hard(world, horizon, better):
    # 3 sigma; it fails where the better half is dropped
    mine, two = (play(world, n, horizon, LANES, seed=0) for n in ("algorithm-2-phases", "algorithm-2"))
    error = np.sqrt((mine.var() + two.var()) / LANES)
    assert mine.mean() <= two.mean() + 3 * error
    assert not better or mine.mean() < two.mean() - 3 * error


def test_states_that_cannot_be_listed_need_seeing_to_be_doing():
    world = confounded([0.1] * 13, [0.3] * 13)
    with pytest.raises(
        NotValid, match="at most 4,096 states of the reward's parents, or else seeing to be as good as doing"
    ):
        play(world, "algorithm-2-phases", 50, 1, seed=0)
    pairs = Actions.up_to(world.problem.graph, size=2)
    with pytest.raises(NotValid, match="needs the law of the reward's parents"):
        play(World(replace(world.problem, actions=pairs, law=None), world.model), "algorithm-2-phases", 50, 1, seed=0)


def test_the_intervals_that_people_are_shown_drop_no_action(monkeypatch):
    """Where states cannot be listed, contenders are dropped by intervals of the learner's own level."""
    world, shown = paper_parallel(14, 5, 0.3), GeneralAlgorithmInPhases.estimates

    def contenders():
        return final(world, GeneralAlgorithmInPhases(), 120, 20, np.random.default_rng(0)).alive.tolist()

    usual = contenders()
    monkeypatch.setattr(
        GeneralAlgorithmInPhases,
        "estimates",
        lambda self, state: shown(self, state)._replace(high=-shown(self, state).mean),
    )
    assert contenders() == usual
