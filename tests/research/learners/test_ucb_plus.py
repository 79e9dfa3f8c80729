"""UCB+ beside its formulas, and on its authors' setting."""

import math

import numpy as np
import pytest

from bestdo import Problem, do, learner
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.learners.count_state import wilson_estimates
from bestdo.research.learners.ucb_plus import UCBPlus
from bestdo.research.statistics.matching import Matching
from bestdo.research.worlds.unknown_graph_worlds import unknown_causes
from bestdo.simulate import arms, final


@pytest.fixture(scope="module")
def small():
    return unknown_causes(1, variables=5, values=2, at_once=2)


def test_how_many_actions_compete(small):
    """Three values, one cause among eight, three set at once, 2,000 rounds: 3 × 8 / 3 × ln √2000 = 30.4."""
    assert UCBPlus().candidates(unknown_causes(0).problem, 2000) == 31
    assert UCBPlus(causes=2).candidates(small.problem, 100) == math.ceil(4 * 10 / 1 * math.log(10))
    for k, number in ((1, 12), (2, 40)):
        state = UCBPlus(causes=k).start(small.problem, 100, 50, np.random.default_rng(0))
        assert (state.chosen.sum(axis=1) == number).all()
        share = state.chosen.mean(axis=0)
        assert np.abs(share - number / 40).max() < 5 * math.sqrt(0.25 / 50)  # 5 sigma


def test_only_the_largest_actions_compete():
    graph = Graph.parse("A -> Y; B -> Y; C -> Y", reward="Y")
    problem = Problem(graph, set=["A", "B", "C"], at_most=2, all_compete=True)
    chosen = UCBPlus(causes=2).start(problem, 1000, 1, np.random.default_rng(0)).chosen[0]
    assert {len(problem.actions[a]) for a in np.flatnonzero(chosen)} == {2}


def test_a_round_counts_for_all_whose_values_occurred(small):
    rng, problem = np.random.default_rng(2), small.problem
    plan = Plan(rng.integers(0, 3, size=(2, len(problem.actions))))
    rounds = small.rounds(plan, rng)
    found = Matching(problem).tally(rounds, 2)
    for lane in range(2):
        for a, action in enumerate(problem.actions):
            matching = [
                r
                for r in np.flatnonzero(rounds.lane == lane)
                if all(rounds.x[r, problem.graph.names.index(n)] == int(v) - 1 for n, v in action.items())
            ]
            assert found.weight[lane, a] == len(matching)
            assert found.reward[lane, a] == rounds.y[matching].sum()


def test_it_plays_the_highest_bound(small):
    rng, made = np.random.default_rng(3), UCBPlus(alpha=0.7)
    for _ in range(20):
        state = made.start(small.problem, 200, 1, rng)
        n = rng.integers(1, 30, size=(1, 40)).astype(float)
        s = rng.integers(0, n.astype(int) + 1).astype(float)
        state = made.tell(state, Plan(np.zeros((1, 40), np.int64)), Tally.from_counts(n, s))
        bounds = [
            s[0, a] / n[0, a] + math.sqrt(0.7 * math.log(200) / n[0, a]) if state.chosen[0, a] else -1
            for a in range(40)
        ]
        assert bounds[int(made.ask(state, Request(), rng).counts[0].argmax())] == pytest.approx(max(bounds), abs=1e-12)
        means = [s[0, a] / n[0, a] if state.chosen[0, a] else -1 for a in range(40)]
        assert means[int(made.best(state)[0])] == max(means)


def test_the_world_is_as_described():
    world = unknown_causes(4)
    assert len(world.problem.actions) == 56 * 27
    (cause,) = world.model.graph.parents["Y"]
    best = int(world.model.tables["Y"][:, 1].argmax())
    winning = world.means > world.means.max() - 1e-12
    assert winning[world.problem.actions.index(do({cause: str(best + 1), **others(cause)}))]
    assert all(a[cause] == str(best + 1) for a, w in zip(world.problem.actions, winning, strict=True) if w)


def others(cause):
    return dict.fromkeys([n for n in ("X1", "X2", "X3") if n != cause][:2], "1")


def test_sharing_beats_a_bandit_with_as_many_arms(small):
    """60 rounds with 40 actions: 8.4 and 12.4 on this world, a difference of 24 sigma."""
    earned = []
    for name in ("ucb-plus", "ucb"):
        made = learner(name)
        played = made.estimates(final(small, made, 60, 200, np.random.default_rng(0))).played
        earned.append(played @ (small.means.max() - small.means))
    sigma = math.hypot(*(e.std() for e in earned)) / math.sqrt(200)
    assert earned[0].mean() < earned[1].mean() - 4 * sigma, [e.mean() for e in earned]


def test_only_an_action_by_itself_has_an_interval(small):
    made = UCBPlus()
    state = final(small, made, 60, 3, np.random.default_rng(0))
    found, counts = made.estimates(state), state.counts
    shared = counts.tally.weight > counts.played
    assert shared.any()
    assert (found.low[shared] == 0).all()
    assert (found.high[shared] == 1).all()
    np.testing.assert_array_equal(found.mean, wilson_estimates(counts).mean)
    alone = made.estimates(final(arms([0.2, 0.6]), made, 60, 3, np.random.default_rng(0)))
    assert (alone.high < 1).all()
