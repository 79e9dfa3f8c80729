"""Rounds in which a cause of the reward is missing: they count towards what was played, and nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.causal_top_two import CausalTopTwo, believed
from bestdo.simulate import confounded, parallel
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.missing_parents import MissingParents
from bestdo.statistics.seen import Seen
from bestdo.statistics.states import States
from bestdo.statistics.tables import Tables

COMMON = confounded([0.1, 0.4], [0.3, 0.7], z=0.2)


def without(rounds, names, graph):
    """The same rounds, with some variables unknown."""
    x = rounds.x.copy()
    x[:, [graph.names.index(n) for n in names]] = -1
    return rounds._replace(x=x)


def played(world, times, rng):
    counts = np.full((1, len(world.problem.actions)), times)
    return counts.astype(float), world.rounds(Plan(counts), rng)


@pytest.mark.parametrize("statistic", [Tables, States])
def test_sums_add(statistic):
    partial = MissingParents(BesideSeen(statistic(COMMON.problem)))
    _, rounds = played(COMMON, 10, np.random.default_rng(0))
    rounds = rounds._replace(x=np.where(np.random.default_rng(1).random(rounds.x.shape) < 0.3, -1, rounds.x))
    whole = partial.tally(rounds, 1)
    parts = [partial.tally(rounds.pick(np.arange(len(rounds.lane)) % 3 == k), 1) for k in range(3)]
    for both, each in zip(whole, parts[0].plus(parts[1]).plus(parts[2]), strict=True):
        np.testing.assert_array_equal(both, each)


@pytest.mark.parametrize("law", [False, True])
def test_whole_rounds_are_believed_as_before(law):
    belief = MissingParentsBelief(FamilyBelief(COMMON.problem if law else replace(COMMON.problem, law=None)))
    counts, rounds = played(COMMON, 20, np.random.default_rng(0))
    sums, own = belief.statistic.tally(rounds, 1), belief.whole.statistic.tally(rounds, 1)
    np.testing.assert_array_equal(belief.mean(sums, counts), belief.whole.mean(own, counts))
    for mine, theirs in zip(belief.estimates(sums, counts), belief.whole.estimates(own, counts), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    mine = belief.information_gain(sums, counts, Question(5), np.random.default_rng(1))
    np.testing.assert_array_equal(
        mine, belief.whole.information_gain(own, counts, Question(5), np.random.default_rng(1))
    )


def test_a_round_without_a_parent_of_the_reward_counts_for_what_it_is_as_good_as():
    problem = COMMON.problem
    _, rounds = played(COMMON, 10, np.random.default_rng(0))
    for names in (["X1"], ["X1", "X2"], ["Z"]):
        some = without(rounds, names, problem.graph)
        beside = BesideSeen(Tables(problem))
        whole, alone = MissingParents(beside).apart(MissingParents(beside).tally(some, 1))
        own, seen = beside.apart(whole)
        np.testing.assert_array_equal(own.weight, Tables(problem).tally(some, 1).weight)
        np.testing.assert_array_equal(seen.reward, Seen(problem).tally(some, 1).reward)
        sets = np.array([set(names) - {"Z"} <= set(a) for a in problem.actions])  # what was set is known
        expected = Seen(problem).tally(some.pick(np.flatnonzero(~sets[some.action])), 1)
        np.testing.assert_array_equal(alone.weight, expected.weight)
        np.testing.assert_array_equal(alone.reward, expected.reward)


def test_only_rewards_are_a_classical_bandit():
    """With nothing but rewards the prior of the tables is the Beta that plays add to: 4 sigma of 1,000 draws."""
    problem = replace(parallel([0.3, 0.6]).problem, law=None)
    belief = MissingParentsBelief(FamilyBelief(problem))
    rng = np.random.default_rng(2)
    counts, rounds = played(parallel([0.3, 0.6]), 40, rng)
    hidden = without(rounds, ["X1", "X2"], problem.graph)
    sums = belief.statistic.tally(hidden, 1)
    before = belief.whole.draw(belief.statistic.apart(belief.statistic.tally(rounds.pick([]), 1))[0], 0, 1000, rng)
    found = belief.estimates(sums, counts)
    for a in range(len(problem.actions)):
        centre, worth = before[:, a].mean(), before[:, a].mean() * (1 - before[:, a].mean()) / before[:, a].var() - 1
        good = rounds.y[rounds.action == a].sum()
        exact = stats.beta(centre * worth + good, (1 - centre) * worth + 40 - good)
        assert found.mean[0, a] == pytest.approx(exact.mean(), abs=0.01)
        assert found.low[0, a] == pytest.approx(exact.ppf(0.025), abs=0.03)
        assert found.high[0, a] == pytest.approx(exact.ppf(0.975), abs=0.03)
    np.testing.assert_array_equal(found.seen[0], 40)
    assert found.joint.sum() == pytest.approx(1)


def test_someone_who_tells_only_the_reward_still_finds_the_best_action():
    """30 studies of 100 rounds in which nothing but the reward is told; the tables alone would know nothing."""
    world = parallel([0.3, 0.5, 0.5])
    learner, graph = CausalTopTwo(law=False), world.problem.graph
    assert isinstance(believed(replace(world.problem, law=None)), MissingParentsBelief)
    rng = np.random.default_rng(0)
    statistic = learner.statistic(world.problem, 100)
    state = learner.start(world.problem, 100, 30, rng)
    while (plan := learner.ask(state, Request(), rng)) is not None:
        rounds = without(world.rounds(plan, rng), ["X1", "X2", "X3"], graph)
        state = learner.tell(state, plan, statistic.tally(rounds, 30))
    kept = world.means[learner.best(state)]
    assert (
        kept.mean() > world.means.max() - 0.05
    )  # 0.02 is expected, with a standard error of 0.014; 0.30 below by chance
