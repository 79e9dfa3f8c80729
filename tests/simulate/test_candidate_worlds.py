"""Worlds where arrows are in doubt: graphs by their probabilities, tables that need no other arrows, rehearsals."""

import itertools

import numpy as np
import pytest

import bestdo
from bestdo import Doubts, Graph, Number, Problem, Variable
from bestdo.bandit.rounds import Plan, Progress
from bestdo.errors import BestdoError
from bestdo.simulate import Prior
from bestdo.simulate.candidate_worlds import candidate_weights, drawn_graphs


def doubted(text):
    return Problem(Doubts.parse(text, reward="Y", success="1"))


def test_an_arrow_is_there_as_often_as_it_is_probable():
    problem = doubted("A -> Y; B ?0.3-> Y")
    worlds = Prior.of(problem, causes="all").worlds(2000, np.random.default_rng(0))
    table = worlds.tables["Y"]
    assert worlds.graph.parents["Y"] == ("A", "B")
    matters = abs(table[:, :, 0] - table[:, :, 1]).max(axis=(1, 2)) > 1e-12
    assert abs(matters.mean() - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 2000)  # 4 sigma


@pytest.mark.parametrize("text", ["A ?-? B; B -> Y; A ?-> Y", "A -> Y; B ?-> Y; A ?-> B"])
def test_each_lane_is_a_world_of_one_candidate(text):
    problem = doubted(text)
    prior = Prior.of(problem)
    worlds = prior.worlds(40, np.random.default_rng(1))
    assert bool(worlds.parts) == ("?-?" in text)
    for lane in (0, 7, 39):
        np.testing.assert_allclose(worlds.means[lane], worlds.one(lane).means, atol=1e-12)
    some = np.array([3, 39, 5])
    np.testing.assert_allclose(worlds.pick(np.sort(some)).means, worlds.means[np.sort(some)])
    plan = Plan(np.full((40, len(problem.actions)), 400))
    rounds = worlds.rounds(plan, np.random.default_rng(2))
    won = np.zeros(plan.counts.shape)
    np.add.at(won, (rounds.lane, rounds.action), rounds.y)
    assert abs(won / 400 - worlds.means).max() < 5 * 0.5 / 20  # 5 sigma
    part = worlds.rounds(Plan(plan.counts[10:20]), np.random.default_rng(2), first=10)
    assert set(part.lane.tolist()) == set(range(10))


def test_rounds_move_which_graphs_are_drawn():
    problem = doubted("A -> Y; B ?-> Y")
    truth = problem.given(0)
    world = Prior.of(truth, causes="all").worlds(1, np.random.default_rng(5)).one(0)
    rounds = world.rounds(Plan(np.full((1, len(problem.actions)), 60)), np.random.default_rng(3))
    table = world.model.tables["Y"]
    assert abs(table[:, 0] - table[:, 1]).max() > 0.3  # an arrow that shows
    prior = Prior.of(problem).given(Progress((rounds,)))
    assert prior._weights[0] > 0.99
    drawn = prior.worlds(300, np.random.default_rng(4))
    assert abs(drawn.means.mean(axis=0) - world.means).max() < 0.1
    kept = prior.believing(0, 0.9).worlds(50, np.random.default_rng(6))
    assert kept.means.shape == (50, len(problem.actions))


def test_rehearsals_play_on_worlds_with_graphs_in_doubt():
    table = bestdo.rehearse(doubted("A ?-? B; B -> Y"), rounds=6, worlds=8, learners=["causal-top-two"])
    assert len(table.rows) >= 1


def test_what_cannot_be_drawn_is_said():
    variables = [Variable("A"), Variable("Y", number=Number(low=0, high=9))]
    numbers = Problem(Doubts.of(Graph.of(variables, [], reward="Y", aim="maximise"), [("A", "?->", "Y")]))
    with pytest.raises(BestdoError, match="arrows into 'Y' are in doubt, and it is a number"):
        Prior.of(numbers)
    hidden = doubted("A -> Y; A ?<-> Y")
    assert Prior.of(hidden).worlds(5, np.random.default_rng(0)).means.shape == (5, 3)
    rounds = (
        Prior.of(hidden.given(0))
        .worlds(1, np.random.default_rng(0))
        .rounds(Plan(np.ones((1, 3), np.int64)), np.random.default_rng(0))
    )
    with pytest.raises(BestdoError, match="cannot be drawn for these doubts"):
        Prior.of(hidden).given(Progress((rounds,)))


def test_graphs_without_an_order_are_drawn_by_their_probabilities():
    """20 arrows of five variables in 400 worlds: within 4 sigma; every graph is inside of that of its group."""
    names = ["a", "b", "c", "d", "y"]
    doubts = Doubts.parse("; ".join(f"{a} ?0.4-? {b}" for a, b in itertools.combinations(names, 2)), reward="y")
    problem = Problem(doubts)
    assert doubts.unordered
    times = dict.fromkeys(doubts.possible, 0)
    lanes = []
    for whole, own, graphs in drawn_graphs(problem, candidate_weights(problem, ()), 400, np.random.default_rng(0)):
        lanes += own.tolist()
        for graph in graphs:
            for name, parents in graph.parents.items():
                assert set(parents) <= set(whole.parents[name])
                for parent in parents:
                    times[parent, "->", name] += 1
    assert sorted(lanes) == list(range(400))
    before = np.array(doubts.before)
    assert (abs(np.array(list(times.values())) / 400 - before) < 4 * np.sqrt(before * (1 - before) / 400)).all()


def test_a_reward_may_be_left_without_causes_where_few_of_them_matter():
    problem = Problem(Doubts.parse("a ?-> y; b ?-> y; c ?-> y", reward="y"))
    assert Prior.of(problem, None, "few").worlds(60, np.random.default_rng(0)).means.std() > 0
