"""Algorithm 1 of the paper, line by line, on rounds made up by hand."""

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, Variable, do
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.errors import NotValid
from bestdo.learners.algorithm_1 import ParallelBandit
from bestdo.simulate import World, confounded, play

GRAPH = Graph.parse("X1; X2; X3; X1 -> Y; X2 -> Y; X3 -> Y", reward="Y")
PROBLEM = Problem(GRAPH, Actions.single(GRAPH))
INDEX = PROBLEM.actions.index
RNG = np.random.default_rng(0)


def watched(rows):
    """Rounds of do(): each row is (x1, x2, x3, y)."""
    x = np.array(rows)
    return Rounds(np.zeros(len(x), int), np.full(len(x), INDEX(do())), x, x[:, 3] == 1)


def after_watching(learner, rows, horizon):
    state = learner.start(PROBLEM, horizon, 1, RNG)
    plan = learner.ask(state, Request(), RNG)
    tally = learner.statistic(PROBLEM, horizon).tally(watched(rows), 1)
    return learner.tell(state, plan, tally)


ROWS = [(0, 0, 1, 1), (0, 1, 0, 0), (0, 0, 1, 1), (0, 1, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0)]


@pytest.mark.parametrize(("horizon", "first"), [(12, 6), (13, 6), (2, 1)])
def test_lines_2_to_5_half_of_the_rounds_watch(horizon, first):
    learner = ParallelBandit()
    plan = learner.ask(learner.start(PROBLEM, horizon, 1, RNG), Request(), RNG)
    assert plan.counts[0, INDEX(do())] == first == plan.counts.sum()


def test_lines_6_to_9_counts_means_and_probabilities():
    learner = ParallelBandit()
    state = after_watching(learner, ROWS, 12)
    found = learner.estimates(state)
    for action, seen, mean in [(do(X1=0), 6, 3 / 6), (do(X2=0), 3, 2 / 3), (do(X2=1), 3, 1 / 3), (do(), 6, 3 / 6)]:
        assert found.seen[0, INDEX(action)] == seen
        assert found.mean[0, INDEX(action)] == pytest.approx(mean)
    assert found.seen[0, INDEX(do(X1=1))] == 0
    assert np.isnan(found.mean[0, INDEX(do(X1=1))])


def test_line_11_which_actions_are_rare():
    # p̂: X1 = (1, 0), X2 = X3 = (1/2, 1/2); one variable below 1/2, so m̂ = 2
    everything = {a for a in PROBLEM.actions if a and a != do(X1=0)}
    for rare, expected in (("below", {do(X1=1)}), ("at_most", everything)):
        state = after_watching(ParallelBandit(rare=rare), ROWS, 12)
        assert {a for a, r in zip(PROBLEM.actions, state.rare[0], strict=True) if r} == expected
    state = after_watching(ParallelBandit(rare="rarest"), ROWS, 12)
    assert state.rare[0].sum() == 2
    assert state.rare[0, INDEX(do(X1=1))]


def test_lines_12_to_14_the_rare_ones_share_the_second_half():
    learner = ParallelBandit()
    state = after_watching(learner, ROWS, 13)
    plan = learner.ask(state, Request(), RNG)
    assert plan.counts[0, INDEX(do(X1=1))] == 7 == plan.counts.sum()  # the odd round included
    left = ParallelBandit(rare="at_most", leftover=False)
    plan = left.ask(after_watching(left, ROWS, 13), Request(), RNG)
    assert sorted(plan.counts[0]) == [0, 0, 1, 1, 1, 1, 1]  # 6 rounds over 5 actions: one is left


def played(learner, state, wins, count):
    """After `count` plays of do(X1=1) with so many successes."""
    counts = np.zeros((1, len(PROBLEM.actions)), int)
    counts[0, INDEX(do(X1=1))] = count
    x = np.tile([1, 0, 0, 0], (count, 1))
    y = np.arange(count) < wins
    rounds = Rounds(np.zeros(count, int), np.full(count, INDEX(do(X1=1))), x, y)
    return learner.tell(state, Plan(counts), learner.statistic(PROBLEM, 12).tally(rounds, 1))


def test_line_15_estimates_from_the_second_phase_or_from_both():
    rows = [(1, *r[1:]) if i == 0 else r for i, r in enumerate(ROWS)]  # X1 = 1 was seen once, with a success
    for pooled, mean in ((False, 2 / 5), (True, 3 / 6)):
        learner = ParallelBandit(pooled=pooled)
        state = played(learner, after_watching(learner, rows, 12), wins=2, count=5)
        assert learner.estimates(state).mean[0, INDEX(do(X1=1))] == pytest.approx(mean)


def test_line_16_the_best_estimate_wins_and_ties_are_random():
    learner = ParallelBandit()
    state = played(learner, after_watching(learner, ROWS, 12), wins=5, count=5)
    assert learner.best(state)[0] == INDEX(do(X1=1))
    worst = [played(learner, after_watching(learner, ROWS, 12), wins=0, count=5) for _ in range(60)]
    best = {PROBLEM.actions[int(learner.best(s)[0])] for s in worst}
    assert best == {do(X2=0), do(X3=1)}  # both 2/3


def test_more_than_two_values():
    variables = [Variable("A", ("a", "b", "c")), Variable("Y")]
    graph = Graph.of(variables, [("A", "Y")], reward="Y")
    problem = Problem(graph, Actions.single(graph))
    world = World(problem, Model(graph, {"A": [0.6, 0.4, 0.0], "Y": [[0.5, 0.5], [0.6, 0.4], [0.1, 0.9]]}))
    regret = play(world, ParallelBandit(), 60, 2000, seed=0)
    assert regret.mean() < 0.01  # do(A=c) never happens by itself, and is found
    with pytest.raises(NotValid, match="two values"):
        play(world, ParallelBandit.as_in_paper(), 60, 10, seed=0)


def test_it_refuses_graphs_on_which_seeing_is_not_doing():
    world = confounded([0.1, 0.4], [0.3, 0.7])
    with pytest.raises(NotValid, match=r"for do\(X1=0\) it is not: what connects X1 with Y.* goes through X2"):
        play(world, ParallelBandit(), 10, 1, seed=0)
    only = Problem(GRAPH, Actions(GRAPH, [do(X1=0), do(X1=1)]))
    with pytest.raises(NotValid, match=r"does not allow the action do\(\)"):
        ParallelBandit().start(only, 10, 1, np.random.default_rng(0))
