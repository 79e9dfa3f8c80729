"""Calibration: doubtful arrows with a probability of 0.8 to 0.9 are there in 75 to 95 % of 4,000 simulated studies."""

import numpy as np
import pytest

from bestdo import Doubts, Graph, Problem, Variable
from bestdo.learners.causal_top_two import CausalTopTwo, believed
from bestdo.simulate import Prior

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


def studied(rng):
    """The probabilities of all doubtful arrows after a study, and whether they are there, of some lanes."""
    problem = random_problem(rng)
    doubts = problem.doubts
    candidate = int(rng.choice(len(doubts.candidates), p=doubts.prior))
    worlds = Prior.of(problem.given(candidate)).worlds(LANES, rng)
    learner = CausalTopTwo()
    state, statistic = learner.start(problem, ROUNDS, LANES, rng), learner.statistic(problem, ROUNDS)
    while (plan := learner.ask(state, rng)) is not None:
        state = learner.tell(state, plan, statistic.tally(worlds.rounds(plan, rng), LANES))
    belief = believed(problem, ROUNDS)
    weights = belief.whole.weights(belief.statistic.apart(state.tally)[0])
    return (weights @ doubts.there).reshape(-1), np.tile(doubts.there[candidate], LANES)


def calibration(studies, seed=0):
    """The probabilities of all doubtful arrows of all studies, and whether each is there."""
    rng = np.random.default_rng(seed)
    chance, there = (
        np.concatenate(part) for part in zip(*(studied(rng) for _ in range(studies // LANES)), strict=True)
    )
    return chance, there


@pytest.mark.campaign
def test_arrows_that_are_probable_are_there():
    chance, there = (np.concatenate(part) for part in zip(calibration(2000, 0), calibration(2000, 1), strict=True))
    some = (chance >= 0.8) & (chance < 0.9)
    assert some.sum() > 300  # so that the standard error of a share is 0.025
    assert 0.75 <= there[some].mean() <= 0.95
    assert there[chance >= 0.9].mean() > 0.9
    assert there[chance < 0.5].mean() < 0.5
