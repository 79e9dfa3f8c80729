"""Worlds that agree with a graph, many at once."""

from dataclasses import replace

import numpy as np
import pytest

import bestdo
from bestdo.bandit.rounds import Plan, Progress, Rounds
from bestdo.causal.action import Actions
from bestdo.causal.model import Model
from bestdo.errors import BestdoError, NotValid, TooLarge
from bestdo.learners import learner
from bestdo.learners.kernels.family_lanes import tables_of_lanes
from bestdo.simulate import Prior, confounded, final, play
from bestdo.simulate.family_tables import dirichlet
from bestdo.simulate.gibbs import gibbs_counts
from bestdo.simulate.prior import with_difference
from bestdo.simulate.world_batch import tally_of_worlds
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen
from support import ROOT, brute_force, random_graph

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
KNOWN = {n: t for n, t in FARM.model.tables.items() if n != "yield"}


def some_problem(seed, **more):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 6, sizes=(2, 3), hidden=0.2, **more)
    return bestdo.Problem(graph, Actions.up_to(graph, 2))


@pytest.mark.parametrize("seed", range(6))
def test_the_means_of_all_lanes_are_those_of_each_world(seed):
    problem = some_problem(seed)
    worlds = Prior.of(problem).worlds(3, np.random.default_rng(seed))
    for lane in range(3):
        model = worlds.one(lane).model
        exact = [brute_force(model, ["Y"], do=action)[1] for action in problem.actions]
        assert np.allclose(worlds.means[lane], exact, atol=1e-12)


def test_rounds_of_every_lane_are_of_its_own_world():
    """4.5 sigma on 3 lanes × 16 states × 3 actions; hidden variables are not shown."""
    graph = bestdo.Graph.parse("a -> b -> Y; a <-> Y", reward="Y")
    problem = bestdo.Problem(graph, Actions(graph, ["do()", "do(a=1)", "do(b=0)"]))
    worlds = Prior.of(problem).worlds(3, np.random.default_rng(3))
    rounds = worlds.rounds(Plan(np.full((3, 3), 40_000)), np.random.default_rng(4))
    assert (rounds.x[:, graph.names.index("Y<->a")] == -1).all()
    seen = [graph.names.index(n) for n in "abY"]
    for lane in range(3):
        for number, action in enumerate(problem.actions):
            here = rounds.x[(rounds.lane == lane) & (rounds.action == number)][:, seen]
            exact = worlds.one(lane).model.distribution(["a", "b", "Y"], action).reshape(-1)
            count = np.bincount(here @ [4, 2, 1], minlength=8) / 40_000
            assert np.all(np.abs(count - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / 40_000) + 1e-12)
    part = worlds.rounds(Plan(np.full((1, 3), 40_000)), np.random.default_rng(5), first=2)  # the last lane alone
    mean = np.array([part.y[part.action == a].mean() for a in range(3)])
    assert np.all(np.abs(mean - worlds.means[2]) < 4.5 * 0.5 / 200)


def test_sums_of_plays_are_binomial_by_lane():
    """4.5 sigma."""
    worlds = Prior.of(FARM.problem).worlds(50, np.random.default_rng(0))
    plan = Plan(np.random.default_rng(1).integers(0, 4000, size=(50, 7)))
    for statistic in (Played(FARM.problem), Seen(FARM.problem)):
        found = tally_of_worlds(worlds, statistic, plan, np.random.default_rng(2))
        sigma = np.sqrt(found.weight * worlds.means * (1 - worlds.means))
        assert np.all(np.abs(found.reward - found.weight * worlds.means) <= 4.5 * sigma + 1e-9)
    assert np.array_equal(
        tally_of_worlds(worlds, Played(FARM.problem), plan, np.random.default_rng(2)).weight, plan.counts
    )


def test_data_count_and_draws_given_them_are_those_of_the_belief():
    """4.5 sigma: the mean table of draws is that of the belief in families, for counts with rounds that set a variable."""
    graph = bestdo.Graph.of([bestdo.Variable("x", ("a", "b", "c")), bestdo.Variable("Y")], [("x", "Y")], reward="Y")
    problem = bestdo.Problem(graph, Actions.single(graph))
    x = np.array([[0, 1]] * 5 + [[2, 0]] * 2 + [[1, 1]] * 4)
    action = np.array([0] * 7 + [problem.actions.index("do(x=b)")] * 4)  # set: says nothing about x
    prior = Prior.of(problem).given(Progress((Rounds(np.zeros(11, int), action, x, x[:, 1] == 1),)))
    assert prior.counts["x"].tolist() == [5, 0, 2]
    assert prior.counts["Y"].tolist() == [[0, 5], [0, 4], [2, 0]]
    drawn = prior.worlds(20_000, np.random.default_rng(0)).tables
    for name in ("x", "Y"):
        counts, mean = prior.counts[name].reshape(1, -1), np.empty((1, prior.counts[name].size))
        tables_of_lanes(prior._families[name], counts, mean)
        flat = drawn[name].reshape(20_000, -1)
        assert np.all(np.abs(flat.mean(axis=0) - mean[0]) < 4.5 * flat.std(axis=0) / np.sqrt(20_000) + 1e-5)


def test_worlds_agree_with_what_is_known():
    problem = replace(FARM.problem, law=FARM.model.parent_law(FARM.problem.actions))
    for prior in (Prior.of(problem), Prior.of(FARM.problem, KNOWN)):
        assert list(prior.unknown) == ["yield"]
        for lane in range(3):
            model = prior.worlds(3, np.random.default_rng(0)).one(lane).model
            assert np.allclose(model.parent_law(problem.actions).table, problem.law.table, atol=1e-12)
    graph = bestdo.Graph.parse("a -> b; a -> Y; b -> Y", reward="Y")  # the parents depend on each other
    rng = np.random.default_rng(1)
    tables = {"b": rng.dirichlet([1, 1], 2), "a": [1, 0], "Y": rng.dirichlet([1, 1], (2, 2))}
    actions = Actions.single(graph)
    law = Model(graph, tables).parent_law(actions)
    world = Prior.of(bestdo.Problem(graph, actions, law)).worlds(1, rng).one(0)
    assert np.allclose(world.model.parent_law(actions).table, law.table, atol=1e-12)


def test_what_cannot_be_drawn_is_refused_in_words():
    with pytest.raises(BestdoError, match="is what is to be learned"):
        Prior.of(FARM.problem, FARM.model.tables)
    world = confounded([0.1, 0.5], [0.6, 0.2])
    with pytest.raises(NotValid, match="how 'X1' depends on 'Z' is not"):
        Prior.of(world.problem)
    assert list(Prior.of(world.problem, {n: world.model.tables[n] for n in ("Z", "X1", "X2")}).unknown) == ["Y"]
    names = [f"X{i}" for i in range(30)]
    graph = bestdo.Graph.parse("; ".join(f"{n} -> Y" for n in names), reward="Y")
    with pytest.raises(TooLarge, match="cells"):
        Prior.of(bestdo.Problem(graph, Actions.single(graph)))


def parallel_problem(causes):
    graph = bestdo.Graph.parse("; ".join(f"X{i} -> Y" for i in range(causes)), reward="Y")
    return bestdo.Problem(graph, Actions.single(graph))


def difference_of(prior, worlds=1500, seed=7):
    means = prior.worlds(worlds, np.random.default_rng(seed)).means
    return float((means.max(axis=1) - means.mean(axis=1)).mean())


@pytest.mark.parametrize("causes", [1, 3, 10])
def test_actions_differ_however_many_causes_there_may_be(causes):
    """With independent rows it was 0.17 for one cause, 0.017 for ten and 0.009 for twelve."""
    assert 0.08 < difference_of(Prior.of(parallel_problem(causes)), 500) < 0.25


@pytest.mark.parametrize(("causes", "kind"), [(1, "any"), (3, "few"), (8, "few"), (8, "all")])
@pytest.mark.parametrize("difference", [0.02, 0.3])
def test_actions_are_as_different_as_they_are_believed_to_be(causes, kind, difference):
    prior = with_difference(Prior.of(parallel_problem(causes), causes=kind), difference)
    assert np.isclose(difference_of(prior, 800), difference, rtol=0.12)  # about 4 sigma: exponential, 800 worlds


def test_a_difference_that_hardly_any_world_has_is_refused_with_what_they_have():
    prior = Prior.of(FARM.problem, KNOWN)
    with pytest.raises(
        BestdoError, match=r"99 in 100 have .* by \S+ to 0\.\d+: .* cannot be chosen so that it is 0\.9"
    ):
        with_difference(prior, 0.9)
    means = prior.worlds(4000, np.random.default_rng(3)).means
    assert ((means.max(axis=1) - means.mean(axis=1)) > 0.8).mean() < 0.005


def test_an_action_is_best_as_often_as_is_believed():
    """4 sigma, 2,000 worlds, with probabilities above and below that of the worlds themselves."""
    prior = Prior.of(FARM.problem, KNOWN)
    for p in (0.02, 0.7):
        means = prior.believing(3, p).worlds(2000, np.random.default_rng(5)).means
        share = (means[:, 3] >= means.max(axis=1) - 1e-12).mean()
        assert abs(share - p) < 4 * np.sqrt(2 * p * (1 - p) / 2000)  # twice: how often to keep is estimated as well


@pytest.mark.parametrize("name", ["algorithm-1", "sequential-halving", "thompson"])
def test_a_prior_is_played_as_its_worlds_are(name):
    """4 sigma: 3,000 lanes with a world each, against 150 of those worlds with 100 lanes each."""
    prior = Prior.of(FARM.problem, KNOWN)
    together = play(prior, name, 20, 3000, seed=0)
    worlds = prior.worlds(150, np.random.default_rng(1))
    one_by_one = np.array(
        [play(worlds.one(i), name, 20, 100, seed=np.random.default_rng(i)).mean() for i in range(150)]
    )
    sigma = np.hypot(together.std() / np.sqrt(3000), one_by_one.std() / np.sqrt(150))
    assert abs(together.mean() - one_by_one.mean()) < 4 * sigma


def test_learners_meet_the_same_worlds():
    """Their generator is used alike, whoever plays and for how long."""
    after = []
    for name, rounds in (("uniform", 10), ("successive-rejects", 40), ("thompson", 5)):
        worlds = np.random.default_rng(0)
        play(Prior.of(FARM.problem, KNOWN), name, rounds, 50, seed=1, worlds=worlds)
        after.append(worlds.random())
    assert after[0] == after[1] == after[2] != np.random.default_rng(0).random()


def played(world, rounds, rng):
    """A block in which every action is played so often."""
    return world.rounds(Plan(np.full((1, len(world.problem.actions)), rounds)), rng)


def test_learners_know_what_was_given():
    prior = Prior.of(FARM.problem, KNOWN)
    rng = np.random.default_rng(2)  # of whose rounds no two actions have the best mean
    block = played(prior.worlds(1, rng).one(0), 30, rng)
    given = prior.given(Progress((block,)))
    regret = play(given, "uniform", 0, 200, seed=1, worlds=2)
    counts = np.full(7, 30)
    best = np.bincount(block.action, block.y, minlength=7) / counts
    worlds = given.worlds(200, np.random.default_rng(2))
    assert np.allclose(regret, worlds.means.max(axis=1) - worlds.means[:, best.argmax()])
    state = final(worlds, learner("uniform"), 12, 200, np.random.default_rng(1))
    assert (learner("uniform").estimates(state).played == 30 + 2 * FARM.problem.contenders).all()
    with pytest.raises(BestdoError, match="at least 1, not 0"):
        play(prior, "uniform", 0, 200, seed=1)


def test_worlds_given_data_are_as_likely_as_they_should_be():
    """4 sigma: the regret expected after the data is the regret there is, over 400 worlds drawn from the prior.

    Worlds drawn without the data expect more than twice as much.
    """
    prior = Prior.of(FARM.problem, KNOWN)
    rng = np.random.default_rng(0)
    expected, real = [], []
    worlds = prior.worlds(400, rng)
    for lane in range(400):
        given = prior.given(Progress((played(worlds.one(lane), 5, rng),))).worlds(300, rng).means
        kept = given.mean(axis=0).argmax()
        expected.append((given.max(axis=1) - given[:, kept]).mean())
        real.append(worlds.means[lane].max() - worlds.means[lane, kept])
    difference = np.array(expected) - real
    assert abs(difference.mean()) < 4 * difference.std() / 20


def test_hidden_values_are_filled_in_as_they_should_be():
    """4.5 sigma: P(hidden | what was seen), by a grid over all tables of a small graph, against 4,000 chains.

    h causes a and Y, all of two values; the tables of a and Y are known, so that only P(h) is drawn.
    """
    graph = bestdo.Graph.parse("a <-> Y", reward="Y")
    problem = bestdo.Problem(graph, Actions.single(graph))
    known = {"a": np.array([[0.8, 0.2], [0.3, 0.7]]), "Y": np.array([[0.9, 0.1], [0.4, 0.6]])}
    x = np.zeros((12, 3), int)
    x[:, graph.names.index("a")] = [0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1]
    x[:, graph.names.index("Y")] = [0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1]
    x[:, graph.names.index("Y<->a")] = -1
    rounds = Rounds(np.zeros(12, int), np.zeros(12, int), x, x[:, graph.names.index("Y")] == 1)

    def uniform(name, counts, lanes, rng):
        return dirichlet(np.ones((lanes, 2)) + (0 if counts is None else counts), rng)

    found = 1 + gibbs_counts(problem, uniform, known, [rounds], chains=4000, sweeps=30)["Y<->a"]
    assert np.allclose(found.sum(axis=1), 14)
    p = (np.arange(4000) + 0.5) / 4000
    likely = np.ones_like(p)
    for a, y in zip(x[:, graph.names.index("a")], x[:, graph.names.index("Y")], strict=True):
        both = known["a"][:, a] * known["Y"][:, y]
        likely *= (1 - p) * both[0] + p * both[1]
    exact = (p * likely).sum() / likely.sum()
    drawn = found[:, 1] / 14  # the expectation of P(h = 1) in each chain
    assert abs(drawn.mean() - exact) < 4.5 * drawn.std() / np.sqrt(4000)


@pytest.mark.parametrize("worlds", [16, pytest.param(1000, marks=pytest.mark.campaign)])
def test_worlds_given_data_are_as_likely_as_they_should_be_with_hidden_causes(worlds):
    """4 sigma, as above, on a graph with a hidden common cause."""
    graph = bestdo.Graph.parse("a -> b -> Y; a <-> Y", reward="Y")
    problem = bestdo.Problem(graph, Actions.single(graph))
    prior, rng = Prior.of(problem), np.random.default_rng(0)
    expected, real = [], []
    truths = prior.worlds(worlds, rng)
    for lane in range(worlds):
        given = prior.given(Progress((played(truths.one(lane), 5, rng),))).worlds(300, rng).means
        kept = given.mean(axis=0).argmax()
        expected.append((given.max(axis=1) - given[:, kept]).mean())
        real.append(truths.means[lane].max() - truths.means[lane, kept])
    difference = np.array(expected) - real
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(worlds)
