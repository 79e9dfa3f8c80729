"""Calibration: doubtful arrows with a probability of 0.8 to 0.9 are there in 75 to 95 % of 2,000 simulated studies."""

import itertools

import numpy as np
import pytest

from bestdo import Doubts, Graph, Problem, Variable
from bestdo.bandit.request import Request
from bestdo.learners.beliefs.graph_scores import SAMPLE_SIZE
from bestdo.learners.causal_top_two import CausalTopTwo, believed
from bestdo.simulate import Prior
from bestdo.simulate.family_tables import dirichlet
from bestdo.simulate.world_batch import Worlds

LANES, ROUNDS = 5, 60


def random_problem(rng):
    """Four to seven variables with two to five doubtful arrows, of which one in four is doubtful in its direction."""
    size, doubts = int(rng.integers(4, 8)), int(rng.integers(2, 6))
    names = [f"X{i}" for i in range(1, size)] + ["Y"]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    arrows = [pairs[i] for i in rng.permutation(len(pairs))]
    sure = Graph.of([Variable(n) for n in names], arrows[doubts : doubts + size], reward="Y", success="1")
    marks = np.where(rng.random(doubts) < 0.25, "?-?", "?->")
    return Problem(Doubts.of(sure, [(a, str(mark), b) for (a, b), mark in zip(arrows[:doubts], marks, strict=True)]))


def chances_after(problem, worlds, rng, rounds=ROUNDS):
    """The probabilities of all doubtful arrows after a study in each lane, whose rounds causal top-two chose."""
    learner = CausalTopTwo()
    state, statistic = learner.start(problem, rounds, worlds.lanes, rng), learner.statistic(problem, rounds)
    while (plan := learner.ask(state, Request(), rng)) is not None:
        state = learner.tell(state, plan, statistic.tally(worlds.rounds(plan, rng), worlds.lanes))
    belief = believed(problem, rounds)
    return belief.whole.weights(belief.statistic.apart(state.tally)[0]) @ problem.doubts.there


def studied(rng):
    """The probabilities of all doubtful arrows after a study, and whether they are there, of some lanes."""
    problem = random_problem(rng)
    doubts = problem.doubts
    candidate = int(rng.choice(len(doubts.candidates), p=doubts.prior))
    worlds = Prior.of(problem.given(candidate)).worlds(LANES, rng)
    return chances_after(problem, worlds, rng).reshape(-1), np.tile(doubts.there[candidate], LANES)


def calibration(studies, seed):
    """The probabilities of all doubtful arrows of all studies, and whether each is there."""
    rng = np.random.default_rng(seed)
    chance, there = (
        np.concatenate(part) for part in zip(*(studied(rng) for _ in range(studies // LANES)), strict=True)
    )
    return chance, there


@pytest.mark.campaign
def test_arrows_that_are_probable_are_there():
    # one seed, at which nobody had looked before this form was fixed: it is not to be changed
    chance, there = calibration(2000, 20261116)
    some = (chance >= 0.8) & (chance < 0.9)
    assert some.sum() > 150
    assert 0.75 <= there[some].mean() <= 0.95
    assert there[chance >= 0.9].mean() > 0.9
    assert there[chance < 0.5].mean() < 0.5


def drawn_by_the_score(graph, lanes, rng):
    """Tables as BDeu expects them: each row Dirichlet, with S / (rows × values) for each value."""
    tables = {}
    for name in graph.names:
        parents, values = tuple(map(graph.size, graph.parents[name])), graph.size(name)
        each = np.full((lanes, *parents, values), SAMPLE_SIZE / (np.prod(parents) * values))
        tables[name] = dirichlet(each, rng)
    return tables


def test_in_worlds_drawn_as_the_score_expects_probabilities_come_true():
    # 100 studies of each of six graphs, equally likely a priori; in each bin what is there is within 4 sigma of what was
    # expected. With tables drawn for another sample size, 64 or 0.5, it fails.
    doubts = Doubts.parse("A ?-? B; B -> Y; A ?-> Y", reward="Y", success="1")
    problem, rng = Problem(doubts, set=["A", "B"]), np.random.default_rng(5)
    chance, there = [], []
    for k, graph in enumerate(doubts.candidates):
        worlds = Worlds(problem.given(k), 100, drawn_by_the_score(graph, 100, rng))
        chance.append(chances_after(problem, worlds, rng, 20))
        there.append(np.broadcast_to(doubts.there[k], chance[-1].shape))
    chance, there = np.concatenate(chance).ravel(), np.concatenate(there).ravel()
    for low, high in itertools.pairwise([0, 0.2, 0.4, 0.6, 0.8, 1.01]):
        own = (chance >= low) & (chance < high)
        sigma = np.sqrt((chance[own] * (1 - chance[own])).sum())
        assert own.sum() > 50
        assert abs((there[own] - chance[own]).sum()) < 4 * sigma, (low, high)
