"""C-UCB beside its formula worked out by hand, and beside UCB, which does not know the law."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bestdo import World, compose, learner, play
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid
from bestdo.research.learners.c_ucb import CUCB
from bestdo.simulate import confounded, paper_parallel


@pytest.fixture(scope="module")
def farm():
    known = compose("examples/farm.toml")
    return World(known.problem, known.model)


@pytest.mark.parametrize("radius", [2.0, 0.5])
def test_it_plays_the_highest_bound_and_keeps_the_best_mean(farm, radius):
    made, rng = CUCB(radius), np.random.default_rng(3)
    table = farm.problem.law.flat  # float[A, X]
    for _ in range(20):
        n = rng.integers(0, 6, size=(1, table.shape[1])).astype(float)
        s = rng.integers(0, n.astype(int) + 1).astype(float)
        state = made.start(farm.problem, 40, 1, np.random.default_rng(0))
        state = made.tell(state, Plan(np.zeros((1, len(table)), np.int64)), Tally.from_counts(n, s))
        bounds = []
        for a in range(len(table)):
            bound = 0.0
            for x in range(table.shape[1]):
                seen = max(1.0, n[0, x])
                bound += table[a, x] * (s[0, x] / seen + math.sqrt(radius * math.log(40**2) / seen))
            bounds.append(bound)
        played = made.ask(state, Request(), rng).counts[0]
        assert played.sum() == 1
        assert bounds[int(played.argmax())] == pytest.approx(max(bounds), abs=1e-12)
        overall = s.sum() / n.sum()
        means = [sum(p * (s[0, x] / n[0, x] if n[0, x] else overall) for x, p in enumerate(row)) for row in table]
        assert means[int(made.best(state)[0])] == pytest.approx(max(means), abs=1e-12)


def test_knowing_the_law_is_worth_something():
    world = confounded([0.1, 0.1, 0.4, 0.4, 0.4], [0.3, 0.3, 0.7, 0.7, 0.7])
    one, two = (play(world, learner(name), 60, 4000, seed=0) for name in ("c-ucb", "ucb"))
    sigma = math.hypot(one.std(), two.std()) / math.sqrt(4000)
    assert one.mean() < two.mean() - 4 * sigma


def test_it_refuses_what_it_cannot_know(farm):
    with pytest.raises(NotValid, match="needs the law"):
        CUCB().start(replace(farm.problem, law=None), 40, 1, np.random.default_rng(0))
    with pytest.raises(NotValid, match="too many"):
        CUCB().start(paper_parallel(50, 2, 0.3).problem, 400, 1, np.random.default_rng(0))
