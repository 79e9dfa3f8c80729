"""What causal top-two believes of numbers, and of values that are worth numbers: exact means, draws, learning."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import logsumexp

from bestdo import Actions, Graph, Model, Problem, Variable, do
from bestdo.bandit.estimate import deviations, variance_of_rounds
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.learners.beliefs import families as members
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.learners.beliefs.normal_posterior import normal_posterior
from bestdo.learners.causal_top_two import CausalTopTwo, believed
from bestdo.learners.kernels import family_lanes
from bestdo.learners.thompson import Thompson
from bestdo.learners.top_two import TopTwo
from bestdo.simulate import World, final, play
from bestdo.statistics.seen import Seen
from bestdo.statistics.strata import Strata
from bestdo.statistics.tables import cells
from support import random_graph, random_model

CHAIN = [("A", "B"), ("B", "Y"), ("C", "Y")]


def number_world(shape="normal", number=None, aim="maximise", arrows=CHAIN, law=False, effect=0.8):
    """A world whose reward is a number, with means from 1 to 3 and the effects of all its parents."""
    names = sorted({n for arrow in arrows for n in arrow} - {"Y"})
    variables = [*map(Variable, names), Variable("Y", number=number or Number())]
    graph = Graph.of(variables, arrows, reward="Y", aim=aim)
    chance = {0: np.array([0.5, 0.5]), 1: np.array([[0.8, 0.2], [0.3, 0.7]])}
    tables = {n: chance[len(graph.parents[n])] for n in names}
    codes = np.indices((2,) * len(graph.parents["Y"]))
    mean = 1.5 + effect * (codes.sum(axis=0) - 0.3 * codes.prod(axis=0))
    spread = {"normal": np.ones_like(mean), "lognormal": mean, "zeros": 2 * mean, "beta": np.full_like(mean, 0.5)}[
        shape
    ]
    model = Model(graph, tables, {"Y": Outcome(mean, spread, shape)})
    actions = Actions.single(graph)
    return World(Problem(graph, actions, model.parent_law(actions) if law else None), model)


def played(world, rounds, seed=0, lanes=3):
    """The belief in tables, and the sums of some rounds of each action."""
    belief = FamilyBelief(world.problem)
    plan = np.full((lanes, len(world.problem.actions)), rounds)
    tally = belief.statistic.tally(world.rounds(Plan(plan), np.random.default_rng(seed)), lanes)
    return belief, tally, plan.astype(float)


def interaction(parents, codes, pair):
    """Columns with the covariance of independent effects of all values of two parents, less the means of rows and columns."""
    apart = []
    for i in pair:
        size, vectors = np.linalg.eigh(np.eye(parents[i]) - 1 / parents[i])
        apart.append(vectors[:, size > 0.5][codes[i]])
    return np.einsum("ri,rj->rij", *apart).reshape(codes.shape[1], -1)


def means_by_hand(n, s, q, parents):
    """The mean of each row: normal rows with a shared variance under each set of parents, and main effects, by evidence."""
    n, s, q = (np.asarray(part, float) for part in (n, s, q))
    codes = np.indices(parents).reshape(len(parents), -1)
    centre, every = s.sum() / n.sum(), n.sum()
    squares = q.sum() - every * centre**2
    before = min(4.0, (every - 1) / 2)  # rounds that the prior of the spread is worth
    logs, means = [], []

    def add(prior, design, precision):
        """One member: rows are centre + design β, β normal with variance σ² / precision, σ² inverse gamma."""
        matrix = design.T @ (n[:, None] * design) + np.diag(precision)
        right = design.T @ (s - n * centre)
        left = squares * (1 + before / (every - 1)) - right @ np.linalg.solve(matrix, right)
        logs.append(
            math.log(prior)
            + (np.log(precision).sum() - np.linalg.slogdet(matrix)[1]) / 2
            - (every - 1 + before) / 2 * math.log(left / 2)
        )
        means.append(centre + design @ np.linalg.solve(matrix, right))

    for some, prior in members._sets(len(parents)).items():
        rows = sorted({tuple(row) for row in codes[list(some)].T})
        design = np.array([[float(tuple(row) == own) for own in rows] for row in codes[list(some)].T])
        for c in members.NUMBER_CONCENTRATIONS:
            add(prior / 3, design, np.full(len(rows), c))
    if len(parents) > 1:
        rest = 1 - sum(members.SIZES) - members._all_of(len(parents))
        design = members._columns(parents, codes)
        few = [0.25] + [0.7**-2] * (design.shape[1] - 1)
        for effect in members.NUMBER_EFFECTS:
            share = 1 - members.INTERACTING if len(parents) > 2 else 1
            add(rest * share / 2, design, np.array([0.25] + [effect**-2] * (design.shape[1] - 1)))
        pairs = [interaction(parents, codes, pair) for pair in itertools.combinations(range(len(parents)), 2)]
        if len(pairs) > 1:
            half = rest * members.INTERACTING / 2
            for pair in pairs:
                add(half / len(pairs), np.hstack([design, pair]), np.array(few + [0.7**-2] * pair.shape[1]))
            whole = np.hstack(pairs)
            add(half, np.hstack([design, whole]), np.array(few + [0.35**-2] * whole.shape[1]))
    weights = np.exp(np.array(logs) - logsumexp(logs))
    return weights @ np.array(means)


@pytest.mark.parametrize("parents", [(2,), (2, 2), (2, 3), (2, 2, 2), (3, 2, 2), (2, 2, 3, 4)])
def test_posterior_means_are_those_computed_by_hand(parents):
    rng = np.random.default_rng(len(parents))
    rows = math.prod(parents)
    for _ in range(20):
        n = rng.integers(0, 6, rows).astype(float)
        rewards = [rng.normal(rng.normal(), 1, int(k)) for k in n]
        n[0] += 2 - min(n.sum(), 2)
        rewards[0] = np.append(rewards[0], rng.normal(0, 1, int(n[0]) - len(rewards[0])))
        s, q = (np.array([(y**power).sum() for y in rewards]) for power in (1, 2))
        found = np.empty((1, rows))
        family = members.families([(parents, 1)], 0)
        family_lanes.tables_of_lanes(family, np.concatenate([n, s, q])[None], found)
        assert found[0] == pytest.approx(means_by_hand(n, s, q, parents), abs=1e-12)


@pytest.mark.parametrize("law", [False, True])
def test_means_of_actions_are_exact_mixtures_of_mean_rows(law):
    world = number_world(law=law)
    belief, tally, plan = played(world, 4)
    graph, own = world.problem.graph, belief.statistic.apart(tally)[0]
    rows = slice(-4, None)
    table = np.array(
        [means_by_hand(own.weight[i, rows], own.reward[i, rows], own.squares[i, rows], (2, 2)) for i in range(3)]
    )
    for lane in range(3):
        model = world.model
        if not law:
            where, counts = cells(graph), belief._rows.means(belief._counts(own))[lane]
            tables = {n: counts[where.start[v] : where.start[v + 1]] for v, n in enumerate(where.names[:-1])}
            shaped = {n: t.reshape([graph.size(p) for p in (*graph.parents[n], n)]) for n, t in tables.items()}
            model = replace_tables(graph, shaped, table[lane])
        else:
            model = replace_tables(graph, {n: world.model.tables[n] for n in "ABC"}, table[lane])
        assert belief.mean(tally, plan)[lane] == pytest.approx(model.means(world.problem.actions), abs=1e-12)


def replace_tables(graph, tables, means):
    return Model(graph, tables, {"Y": Outcome(means.reshape(2, 2), np.ones((2, 2)))})


@pytest.mark.parametrize("arrows", [CHAIN, [*CHAIN, ("D", "Y")]])
@pytest.mark.parametrize("law", [False, True])
def test_draws_have_the_mean_of_the_posterior(law, arrows):
    """4 standard errors of 4,000 draws; a wrong mean of one member (no centre, no prior) is off by more than 10."""
    belief, tally, plan = played(number_world(law=law, arrows=arrows), 6)
    drawn = belief.draw(tally, 0, 4000, np.random.default_rng(1))
    off = (drawn.mean(axis=0) - belief.mean(tally, plan)[0]) / (drawn.std(axis=0) / math.sqrt(4000))
    assert np.abs(off).max() < 4


def test_scale_and_origin_do_not_matter():
    """Rewards in another unit give the same answer in that unit, and the same rounds."""
    counts = np.array([[3.0, 2.0, 4.0, 1.0]])
    s, q = np.array([[3.0, 5.0, 2.0, 1.5]]), np.array([[4.0, 13.0, 2.5, 2.25]])
    family, tables = members.families([((2, 2), 1)], 0), np.empty((2, 4))
    family_lanes.tables_of_lanes(family, np.concatenate([counts, s, q], axis=1), tables[:1])
    moved, squares = 100 * s + 7 * counts, 1e4 * q + 1400 * s + 49 * counts
    family_lanes.tables_of_lanes(family, np.concatenate([counts, moved, squares], axis=1), tables[1:])
    assert tables[1] == pytest.approx(100 * tables[0] + 7, rel=1e-10)
    worlds = [number_world(), number_world(number=Number(spread=50))]
    assert believed(worlds[1].problem).whole._families.number == 3


def test_two_rounds_do_not_pretend_to_know_the_spread():
    world = number_world()
    belief = FamilyBelief(world.problem)
    x = np.zeros((3, 4), np.int64)
    for y, known in (([1.0], False), ([1.0, 1.0], False), ([1.0, 1.2], True), ([1.0, 1.2, 1.1], True)):
        k = len(y)
        rounds = Rounds(np.zeros(k, np.int64), np.zeros(k, np.int64), x[:k], np.array(y))
        tally = belief.statistic.tally(rounds, 1)
        found = belief.estimates(tally, np.eye(1, len(world.problem.actions)) * k)
        assert np.isfinite(found.high).all() == known
        if k == 2 and known:
            assert (found.high - found.low).min() > 1  # five times their difference
    nothing = belief.estimates(Tally.zeros(1, tally.weight.shape[1]), np.zeros((1, len(world.problem.actions))))
    assert np.isnan(nothing.mean).all()
    assert np.isinf(nothing.low).all()


def test_a_worth_of_0_and_1_is_a_success():
    rng = np.random.default_rng(0)
    for _ in range(20):
        graph = random_graph(rng, 5, arrows=0.5, both=0, sizes=(2, 3))
        worth = graph.rewarding("Y", worth={"0": 0, "1": 1})
        model = random_model(rng, graph)
        problems = [Problem(g, Actions.up_to(g, 2)) for g in (graph, worth)]
        world = World(problems[0], model)
        plan = np.full((2, len(problems[0].actions)), 2)
        rounds = world.rounds(Plan(plan), rng)
        beliefs = [FamilyBelief(p) for p in problems]
        numbers = rounds._replace(y=rounds.y.astype(float))
        sums = [b.statistic.tally(r, 2) for b, r in zip(beliefs, (rounds, numbers), strict=True)]
        means = [b.mean(t, plan.astype(float)) for b, t in zip(beliefs, sums, strict=True)]
        assert means[1] == pytest.approx(means[0], abs=1e-14)
        told = [
            b.information_gain(t, plan.astype(float), Question(8), np.random.default_rng(1))
            for b, t in zip(beliefs, sums, strict=True)
        ]
        assert told[1] == pytest.approx(told[0], abs=1e-12)


@pytest.mark.parametrize("law", [False, True])
def test_means_with_a_worth_are_those_of_the_mean_tables(law):
    rng = np.random.default_rng(2)
    for _ in range(10):
        graph = random_graph(rng, 4, arrows=0.6, both=0, sizes=(2, 3))
        variables = tuple(Variable("Y", tuple("abc")) if v.name == "Y" else v for v in graph.variables)
        graph = Graph(variables, dict(graph.parents)).rewarding("Y", worth={"a": 3, "b": -4, "c": 0.5})
        model, actions = random_model(rng, graph), Actions.up_to(graph, 2)
        world = World(Problem(graph, actions, model.parent_law(actions) if law else None), model)
        belief, tally, plan = played(world, 3)
        tables = belief._rows.means(belief._counts(belief.statistic.apart(tally)[0]))
        for lane in range(3):
            found = dict(model.tables)
            if law:
                found["Y"] = tables[lane].reshape(found["Y"].shape)
            for v, n in enumerate(() if law else cells(graph).names):
                first, last = cells(graph).start[v : v + 2]
                found[n] = tables[lane, first:last].reshape(found[n].shape)
            means = Model(graph, found).means(actions)
            expected = (means + 4) / 7
            assert belief.mean(tally, plan)[lane] == pytest.approx(expected, abs=1e-12)
        estimates = belief.estimates(tally, plan)
        assert (estimates.low >= 0).all()
        assert (estimates.high <= 1).all()


def test_counts_of_actions_and_of_strata_take_numbers():
    world = number_world(arrows=[("Z", "X"), ("Z", "Y"), ("X", "Y")])
    for statistic in (Seen, Strata):
        belief = CountBelief(world.problem, statistic(world.problem))
        plan = np.full((4, len(world.problem.actions)), 30)
        tally = belief.statistic.tally(world.rounds(Plan(plan), np.random.default_rng(0)), 4)
        found = belief.estimates(tally, plan.astype(float))
        assert ((found.low < world.means) & (world.means < found.high)).mean() > 0.8
        assert belief.information_gain(tally, plan.astype(float), Question(8), np.random.default_rng(0)).min() >= 0
        assert not found.bounded


def test_the_posterior_of_each_action_without_a_graph():
    """Posterior means are those of one more round with the mean of all; draws agree to 4 standard errors."""
    world = number_world()
    for learner in (Thompson(), TopTwo()):
        state = final(world, learner, 40, 5, np.random.default_rng(0))
        n, s = state.tally.weight, state.tally.reward
        centre = s.sum(axis=1, keepdims=True) / n.sum(axis=1, keepdims=True)
        found = learner.estimates(state)
        assert found.mean == pytest.approx((s + centre) / (n + 1), abs=1e-12)
        assert (found.mean.argmax(axis=1) == learner.best(state)).all()


def test_the_spread_of_a_cell_is_pooled_as_in_estimates():
    graph = number_world().problem.graph
    rng = np.random.default_rng(4)
    n = rng.integers(0, 8, (30, 6)).astype(float)
    y = [[rng.lognormal(0, 1, int(k)) for k in row] for row in n]
    s, q = (np.array([[(part**power).sum() for part in row] for row in y]) for power in (1, 2))
    tally = Tally.from_counts(n, s, q)
    total, rounds, variance, degrees = normal_posterior(tally, 2.0, graph)
    expected, free = variance_of_rounds(n, deviations(tally), graph)
    assert variance == pytest.approx(expected, rel=1e-10)
    assert degrees == pytest.approx(np.minimum(free, n.sum(axis=1, keepdims=True) - 1))
    centre = s.sum(axis=1, keepdims=True) / n.sum(axis=1, keepdims=True)
    assert total / rounds == pytest.approx((s + 2 * centre) / (n + 2), abs=1e-12)


@pytest.mark.parametrize("aim", ["maximise", "minimise"])
@pytest.mark.parametrize(
    ("shape", "number"), [("normal", Number()), ("beta", Number(0, 4)), ("normal", Number(spread=3))]
)
def test_estimates_are_in_the_reward_s_own_unit(aim, shape, number):
    world = number_world(shape, number, aim)
    learner = CausalTopTwo()
    state = final(world, learner, 150, 8, np.random.default_rng(3))
    found = learner.estimates(state)
    worst, best = world.problem.graph.span
    truth = (world.means - worst) / (best - worst)
    assert ((found.low <= truth) & (truth <= found.high)).mean() > 0.85
    assert (world.gains[learner.best(state)] > world.gains.max() - 0.5).mean() > 0.8
    assert found.p_best.sum(axis=1) == pytest.approx(1)


def test_rounds_that_lack_a_parent_of_a_number_count():
    world = number_world()
    belief = believed(world.problem)
    plan = np.full((1, len(world.problem.actions)), 20)
    rounds = world.rounds(Plan(plan), np.random.default_rng(0))
    lacking = rounds._replace(x=np.where(np.arange(4) == 2, -1, rounds.x))
    tallies = [belief.statistic.tally(r, 1) for r in (rounds, lacking)]
    found = [belief.estimates(t, plan.astype(float)) for t in tallies]
    own = world.problem.actions.index(do(C=1))
    y = rounds.y[rounds.action == own].mean()
    assert abs(found[1].mean[0, own] - y) < abs(found[1].mean[0].mean() - y) + 0.3
    assert ((found[1].low <= world.means) & (world.means <= found[1].high)).mean() > 0.7


def cut_at_median(world, rng):
    """The same world, whose reward is whether the number is above the median of watching."""
    plan = Plan(np.eye(1, len(world.problem.actions), world.problem.actions.index(do()), dtype=np.int64) * 20000)
    rounds = world.rounds(plan, rng)
    graph = world.problem.graph
    above = rounds.y > np.median(rounds.y)
    parents = [graph.names.index(p) for p in graph.parents["Y"]]
    table = np.empty((2,) * len(parents) + (2,))
    for row in itertools.product(range(2), repeat=len(parents)):
        mine = (rounds.x[:, parents] == row).all(axis=1)
        table[row] = [1 - above[mine].mean(), above[mine].mean()]
    variables = [v if v.name != "Y" else Variable("Y") for v in graph.variables]
    arrows = [(p, n) for n in graph.names for p in graph.parents[n]]
    cut = Graph.of(variables, arrows, reward="Y")
    model = Model(cut, {n: table if n == "Y" else world.model.tables[n] for n in graph.names})
    return World(Problem(cut, Actions.single(cut)), model)


def test_numbers_teach_more_than_the_same_reward_cut_at_its_median():
    """1,600 simulations of 16 rounds each: the difference is more than 3 standard errors."""
    world = number_world(arrows=[(n, "Y") for n in "ABC"], effect=0.5)
    cut = cut_at_median(world, np.random.default_rng(9))
    learner = CausalTopTwo()
    best = learner.best(final(cut, learner, 16, 1600, np.random.default_rng(0)))
    by_cut = world.means.max() - world.means[best]
    regret = play(world, learner, 16, 1600, seed=0)
    error = math.sqrt((regret.var() + by_cut.var()) / 1600)
    assert (by_cut.mean() - regret.mean()) / error > 3


def test_other_families_are_not_touched_by_a_number():
    """Tables of the other variables are those of the same counts with a reward of two values."""
    world = number_world()
    belief, tally, _ = played(world, 5)
    where = cells(world.problem.graph)
    counts = belief._counts(belief.statistic.apart(tally)[0])
    found = belief._rows.means(counts)
    shapes = [(tuple(2 for _ in world.problem.graph.parents[n]), 2) for n in where.names[:-1]]
    other = np.empty((3, int(where.start[-2])))
    family_lanes.tables_of_lanes(members.families(shapes), np.ascontiguousarray(counts[:, : where.start[-2]]), other)
    assert (found[:, : where.start[-2]] == other).all()


@pytest.mark.parametrize("law", [False, True])
def test_nothing_is_seen_more_often_than_there_were_rounds(law):
    """Of many zeros a few rounds said more than themselves: 147 of 40."""
    world = number_world("zeros", law=law)
    belief, tally, plan = played(world, 6)
    found = belief.estimates(tally, plan)
    assert (found.seen <= plan.sum(axis=1, keepdims=True)).all()
    assert (found.seen >= plan).all()


def test_one_large_number_alone_in_a_row_is_not_taken_for_a_law():
    """All three causes are 1 in that round, so each may be behind it: with a prior 1 / σ² one of them had up to 0.80."""
    variables = [*(Variable(name) for name in "ABC"), Variable("Y", number=Number())]
    graph = Graph.of(variables, [(name, "Y") for name in "ABC"], reward="Y", aim="maximise")
    belief, actions = believed(Problem(graph)), len(Problem(graph).actions)
    likeliest = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = np.r_[np.arange(8), rng.integers(0, 7, 6)]  # the last row, of ones, occurs once
        x = np.zeros((14, 4), np.int64)
        x[:, :3] = np.indices((2, 2, 2)).reshape(3, -1).T[rows]
        y = np.where(rows == 7, 20.0, rng.normal(0, 1, 14))
        watched = Rounds(np.zeros(14, np.int64), np.zeros(14, np.int64), x, y)
        found = belief.estimates(belief.statistic.tally(watched, 1), np.eye(1, actions) * 14)
        likeliest.append(found.p_best.max())
    assert max(likeliest) < 0.6
    assert np.mean(likeliest) < 0.45
