"""Numbers as rewards: the twenty worlds, the same cut at the median, and what is made of their table."""

import numpy as np
import pytest

from bestdo.bandit.rounds import Plan
from bestdo.experiments import experiment
from bestdo.experiments.engine.runner import rows
from bestdo.learners import learner
from bestdo.research.figures.number_worlds import cut_at_median, number_worlds, spreads
from bestdo.research.figures.numbers import CUT, means_over_worlds, measure, rounds_for_the_same
from bestdo.testing import check_world

WORLDS = number_worlds()


def test_there_are_twenty_worlds_of_all_kinds():
    assert len(WORLDS) == 20
    for part in ("parallel", "tree", "common cause", "hidden cause", "normal", "lognormal", "zeros", "minimise", "10"):
        assert any(part in name for name in WORLDS)
    for name, world in WORLDS.items():
        best = np.sort(world.gains)
        largest = spreads(world).max()
        assert 0.08 < (best[-1] - best[-2]) / largest < (best[-1] - best.mean()) / largest < 0.7, name
        assert largest <= world.problem.graph.number.spread <= largest + 1


@pytest.mark.parametrize("name", list(WORLDS)[:6:2] + list(WORLDS)[-1:])
def test_numbers_and_cut_numbers_are_of_the_same_world(name):
    """Means and spreads of 20,000 rounds of each action within 5 sigma, and the share of them beyond the median."""
    world, cut = WORLDS[name], cut_at_median(WORLDS[name])
    check_world(world)
    check_world(cut)
    n = 20_000
    rounds = world.rounds(Plan(np.full((1, len(world.gains)), n)), np.random.default_rng(1))
    border = np.median(rounds.y[rounds.action == 0])  # on the learners' scale, on which more is better
    for a in range(len(world.gains)):
        share = (rounds.y[rounds.action == a] > border).mean()
        assert abs(share - cut.means[a]) < 5 * (0.25 / n + 0.25 / n) ** 0.5
    mine = rounds.y[rounds.action == 1] * 2 * world.problem.graph.number.spread
    fourth = ((mine - mine.mean()) ** 4).mean()
    assert abs(mine.var() - spreads(world)[1] ** 2) < 5 * ((fourth - mine.var() ** 2) / n) ** 0.5


def test_the_regret_of_the_cut_is_that_of_the_number():
    """In spreads, and the best action of the number is what is to be kept; 40 lanes."""
    world = WORLDS["tree, 6 causes, normal, minimise"]
    whole = experiment("numbers")
    for label in (CUT, "Uniform"):
        found = measure(world, whole.learners[label], 400, 40, np.random.default_rng(2))
        assert found["p_best"].mean() > 0.8
        assert np.isnan(found["covered"]).all() == (label == CUT)
        wrong = found["p_best"] == 0
        assert ((found["regret"] > 0.05) == wrong).all()


def test_the_table_has_means_over_worlds():
    whole = experiment("numbers")
    few = [s for s in whole.settings if s.x == 3 and s.given["world"] in (1, 2, 4)]
    small = type(whole)(**{**vars(whole), "settings": tuple(few), "learners": {"Uniform": learner("uniform")}})
    found = rows(small, 20, 0)
    assert len(found) == 3
    table = means_over_worlds(found)
    assert [(r["panel"], r["worlds"]) for r in table] == [("all twenty", 3), ("normal", 2), ("lognormal", 1)]
    assert table[0]["regret"] == pytest.approx(np.mean([r["regret"] for r in found]))
    assert table[0]["least_covered"] == min(r["covered"] for r in found)


def test_which_share_of_the_rounds_is_needed():
    """Regrets 1 / T and 2 / T: half of the rounds are enough, wherever that is within the table."""
    table = [
        {"panel": "all twenty", "x": x, "learner": name, "regret": factor / x}
        for x in (2, 4, 8, 16)
        for name, factor in (("mine", 1.0), ("other", 2.0))
    ]
    assert rounds_for_the_same(table, "mine", "other") == pytest.approx({4: 0.5, 8: 0.5, 16: 0.5})


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["causal-top-two", "top-two", "npts"])
def test_intervals_hold_on_the_twenty_worlds(name):
    """After 24 rounds for each action, 200 simulations: 93 to 98 % of all intervals, and 90 % in every world."""
    found = {
        world: measure(played, learner(name), 24 * len(played.gains), 200, np.random.default_rng(5))["covered"].mean()
        for world, played in WORLDS.items()
    }
    assert 0.93 <= np.mean(list(found.values())) <= 0.98
    assert min(found.values()) >= 0.9, min(found, key=found.get)
