"""Common random numbers: what happens does not depend on the learner, and its law is that of the world."""

from __future__ import annotations

import numpy as np
import pytest

import bestdo
from bestdo.bandit.rounds import Plan
from bestdo.simulate.same_chance import SameChance
from bestdo.simulate.samplers import tally
from bestdo.statistics.played import Played

GRAPH = bestdo.Graph.parse("z -> x; z -> y; x -> y", reward="y", success="1")
TABLES = {
    "z": [0.6, 0.4],
    "x": [[0.7, 0.3], [0.2, 0.8]],
    "y": np.reshape([0.9, 0.1, 0.6, 0.4, 0.7, 0.3, 0.2, 0.8], (2, 2, 2)),
}


def world(**more):
    return bestdo.World(bestdo.Problem(GRAPH, set=["x"], **more), bestdo.Model(GRAPH, TABLES))


class Kept:
    """A statistic that keeps the rounds themselves."""

    def __init__(self, problem):
        self.own, self.rounds = Played(problem), []

    def tally(self, rounds, lanes):
        self.rounds.append(rounds)
        return self.own.tally(rounds, lanes)


def rows(plans, seed=3):
    """The values in each round (lane, number of the round) of these plans."""
    found, statistic = {}, Kept(world().problem)
    chance = SameChance(world(), len(plans[0]), seed)
    for plan in plans:
        tally(chance, statistic, Plan(np.array(plan)), np.random.default_rng(99))
    for part in statistic.rounds:
        for lane, action, x, y in zip(part.lane, part.action, part.x, part.y, strict=True):
            found.setdefault(int(lane), []).append((int(action), *map(int, x), int(y)))
    return found


def test_a_round_depends_on_lane_and_number_alone():
    """Two plans one after the other, or one of all; and lanes that play more do not move the others."""
    one = rows([[[2, 0, 0], [1, 0, 0]], [[1, 0, 0], [2, 0, 0]]])
    assert one == rows([[[3, 0, 0], [3, 0, 0]]])
    assert one[0] == rows([[[3, 0, 0], [0, 0, 0]]])[0]
    assert one[0] != one[1]
    assert one != rows([[[3, 0, 0], [3, 0, 0]]], seed=4)


def test_what_an_action_does_not_change_stays_the_same():
    watched, played = rows([[[40, 0, 0]]])[0], rows([[[0, 0, 40]]])[0]
    z = GRAPH.names.index("z") + 1
    assert [row[z] for row in watched] == [row[z] for row in played]
    same = [(a, b) for a, b in zip(watched, played, strict=True) if a[1:3] == b[1:3]]
    assert same
    assert all(a[-1] == b[-1] for a, b in same)  # the same uniform number where the causes are the same


def test_the_law_is_that_of_the_world():
    """4 sigma of 60,000 rounds of each action."""
    chance = SameChance(world(), 300, 1)
    found = tally(chance, Played(world().problem), Plan(np.full((300, 3), 200)), np.random.default_rng(0))
    mean = found.reward.sum(axis=0) / 60_000
    assert (np.abs(mean - world().means) < 4 * np.sqrt(0.25 / 60_000)).all()


@pytest.mark.parametrize("more", [{}, {"first": "z"}])
def test_learners_that_are_compared_meet_the_same_chance(more):
    """The same learner twice has no difference; another seed has. The difference of two learners has a smaller error."""
    made = world(**more)
    options = {"rounds": 30, "lanes": 60, "measure": "earned", "progress": False}
    one, two = (bestdo.play(made, "thompson", same_chance=True, seed=5, **options) for _ in range(2))
    assert (one == two).all()
    assert (one != bestdo.play(made, "thompson", same_chance=True, seed=6, **options)).any()


def test_rounds_in_flight_and_worlds_of_a_prior_have_it_too():
    found = [
        bestdo.play(world(), "uniform", rounds=12, lanes=4, delay=2, same_chance=True, seed=s, progress=False)
        for s in (1, 1)
    ]
    assert (found[0] == found[1]).all()
    from bestdo.simulate import Prior

    prior = Prior(world().problem, ("z", "x", "y"))
    worlds = prior.worlds(50, np.random.default_rng(0))
    chance = SameChance(worlds, 50, 1)
    found = tally(chance, Played(worlds.problem), Plan(np.full((50, 3), 400)), np.random.default_rng(0))
    assert (np.abs(found.reward / 400 - worlds.means) < 5 * np.sqrt(0.25 / 400)).all()
