"""The belief in families: members by enumeration and integration, means by exact inference, gains, intervals that hold."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln, expit

from bestdo import Actions, Graph, Model, Problem, Variable, do
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid, TooLarge
from bestdo.experiments import experiment
from bestdo.learners.beliefs import families as members
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.families import families
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.kernels import family_lanes
from bestdo.simulate import World, chain, confounded, final, parallel
from bestdo.simulate.samplers import tally
from bestdo.statistics.tables import Tables, cells
from support import random_graph, random_model


def random_belief(rng, size=6, most=2):
    graph = random_graph(rng, int(rng.integers(1, size)), arrows=0.5, both=0, sizes=(1, 2, 3))
    return FamilyBelief(Problem(graph, Actions.up_to(graph, int(rng.integers(1, most + 1)))))


def as_sums(belief, counts):
    """Counts of cells (float[L, cells]) as a tally, with nothing counted for the actions."""
    weight = np.concatenate([counts, np.zeros((len(counts), len(belief.problem.actions)))], axis=1)
    return Tally.from_counts(weight, np.zeros_like(weight))


def random_counts(rng, belief, lanes, most=9):
    return rng.integers(0, most, size=(lanes, cells(belief.problem.graph).total)).astype(float)


def as_model(belief, table):
    """The cells of one lane as a model; variables that cannot matter follow a coin."""
    graph, where = belief.problem.graph, cells(belief.problem.graph)
    tables = {n: np.full([graph.size(p) for p in (*graph.parents[n], n)], 1 / graph.size(n)) for n in graph.names}
    for v, name in enumerate(where.names):
        tables[name] = table[where.start[v] : where.start[v + 1]].reshape(tables[name].shape)
    return Model(graph, tables)


def nothing_played(belief, lanes=1):
    return np.zeros((lanes, len(belief.problem.actions)))


def drawn(belief, counts, draws, rng):
    tables = np.empty((draws, counts.size))
    family_lanes.drawn_tables(belief._families, counts, rng, tables)
    return tables


def posterior(shapes, counts):
    """The families, and what is believed of them after these counts."""
    found = families(shapes)
    post = family_lanes.Posterior(found)
    post.update(counts)
    return found, post


def mean_table(shapes, counts):
    _, post = posterior(shapes, counts)
    table = np.empty_like(counts)
    post.mean_tables(True, table)
    return table


def test_means_of_drawn_tables_are_those_of_exact_inference():
    rng = np.random.default_rng(0)
    for _ in range(30):
        belief = random_belief(rng, 7, 3)
        tables = drawn(belief, random_counts(rng, belief, 1)[0], 3, rng)
        means = belief.means_of(tables)
        for lane in range(3):
            expected = as_model(belief, tables[lane]).means(belief.problem.actions)
            np.testing.assert_allclose(means[lane], expected, rtol=0, atol=1e-10)


def evidence_of_sets(dims, counts, base):
    """For each set of parents and concentration, by betaln: its log evidence with its prior, and its table of successes."""
    codes = np.indices(dims).reshape(len(dims), -1)
    found = {}
    for some, chance in members._sets(len(dims)).items():
        state = [tuple(code) for code in codes[list(some)].T]
        for c in members.CONCENTRATIONS:
            likely, mean = math.log(chance / len(members.CONCENTRATIONS)), np.empty(len(state))
            for one in set(state):
                rows = [r for r, s in enumerate(state) if s == one]
                zero, won = counts.reshape(-1, 2)[rows].sum(axis=0)
                likely += betaln(won + c * base, zero + c * (1 - base)) - betaln(c * base, c * (1 - base))
                mean[rows] = (won + c * base) / (won + zero + c)
            found[some, c] = likely, mean
    return found


def evidence_of_effects(counts, base, deviation):
    """Main effects of two causes, by a grid over the three coefficients: the log evidence and the table of successes."""
    x = np.array([[1, s * math.sqrt(0.5), t * math.sqrt(0.5)] for s in (-1, 1) for t in (-1, 1)])
    points = np.linspace(-5, 5, 61)
    scale = np.array([2.0, deviation, deviation])
    grid = np.array(list(itertools.product(points, repeat=3)))
    weight = stats.norm.pdf(grid).prod(axis=1) * (points[1] - points[0]) ** 3
    q = expit(math.log(base / (1 - base)) + grid * scale @ x.T)
    zero, won = counts.reshape(-1, 2).T
    likely = weight * np.exp(np.log(q) @ won + np.log1p(-q) @ zero)
    return math.log(likely.sum()), likely @ q / likely.sum()


@pytest.mark.parametrize(
    "counts", [[0] * 8, [1, 0, 0, 0, 0, 2, 0, 0], [3, 1, 2, 5, 0, 4, 1, 1], [20, 4, 3, 9, 11, 8, 2, 30]]
)
def test_two_causes_by_enumeration_of_sets_and_integration_of_effects(counts):
    """Laplace's method is off by up to 0.03 in a probability where little was seen, and by 0.15 in log evidence."""
    counts = np.array(counts, float)
    found, post = posterior([((2, 2), 2)], counts)
    base = post.arrays["base"][0, 1]
    smooth = (counts[1::2].sum() + 0.5) / (counts.sum() + 1)
    assert abs(np.log(base / (1 - base)) - np.log(smooth / (1 - smooth))) < 0.16  # half a step of the grid
    sets = evidence_of_sets((2, 2), counts, base)
    effects = [evidence_of_effects(counts, base, deviation) for deviation in members.EFFECTS]
    logs = np.array([log for log, _ in sets.values()] + [found.effects_prior[0] + log for log, _ in effects])
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    mine = np.concatenate([post.arrays["weight"].ravel(), post.arrays["effects"][0]])
    np.testing.assert_allclose(mine, chances, atol=0.04)
    of_sets = mine[: len(sets)] / mine[: len(sets)].sum()  # these exactly
    np.testing.assert_allclose(of_sets, chances[: len(sets)] / chances[: len(sets)].sum(), rtol=1e-9)
    means = np.array([mean for _, mean in sets.values()] + [mean for _, mean in effects])
    np.testing.assert_allclose(mean_table([((2, 2), 2)], counts)[1::2], chances @ means, atol=0.03)


def test_sets_of_many_valued_families_by_enumeration():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 4, size=2 * 3 * 4).astype(float)
    _, post = posterior([((2, 3), 4)], counts)
    table, base = counts.reshape(2, 3, 4), (counts.reshape(-1, 4).sum(axis=0) + 0.25) / (counts.sum() + 1)
    logs = []
    for some, chance in members._sets(2).items():
        rows = table.sum(axis=tuple(i for i in range(2) if i not in some)).reshape(-1, 4)
        for c in members.CONCENTRATIONS:
            each = [stats.dirichlet_multinomial.logpmf(row.astype(int), c * base, int(row.sum())) for row in rows]
            ways = [math.lgamma(row.sum() + 1) - sum(math.lgamma(n + 1) for n in row) for row in rows]
            logs.append(math.log(chance) + sum(each) - sum(ways))
    chances = np.exp(np.array(logs) - max(logs))
    np.testing.assert_allclose(post.arrays["weight"].ravel(), chances / chances.sum(), rtol=1e-8)


@pytest.mark.parametrize("more", [0, 1, 5000])
def test_counts_beyond_the_list_of_factorials_are_weighed_alike(more):
    """A row with 1,023 rounds is looked up, one with more is not."""
    counts = np.array([600.0, 423 + more, 60, 50, 7, 9, 30, 20])
    post = posterior([((2, 2), 2)], counts)[1]
    logs = np.array([log for log, _ in evidence_of_sets((2, 2), counts, post.arrays["base"][0, 1]).values()])
    chances = np.exp(logs - logs.max())
    np.testing.assert_allclose(
        post.arrays["weight"].ravel() / post.arrays["weight"].sum(), chances / chances.sum(), rtol=1e-7, atol=1e-12
    )


def test_the_mean_is_that_of_the_mean_tables_and_of_many_draws():
    """5 sigma, and 0.02 for the mean of main effects, which is not exact."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        belief = random_belief(rng, 5)
        counts = random_counts(rng, belief, 1, 3)
        mean = belief.mean(as_sums(belief, counts), nothing_played(belief))
        tables = np.empty_like(counts)
        family_lanes.tables_of_lanes(belief._families, counts, tables)
        np.testing.assert_allclose(mean[0], as_model(belief, tables[0]).means(belief.problem.actions), atol=1e-10)
        means = belief.draw(as_sums(belief, counts), 0, 20_000, rng)
        error = means.std(axis=0) / np.sqrt(len(means))
        assert (np.abs(means.mean(axis=0) - mean[0]) < 5 * error + 0.02).all()


def test_one_cause_of_many_is_found():
    """Of six causes one matters: after 150 rounds the sets that hold it have nearly all weight among sets."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, size=(150, 6))
    won = rng.random(150) < np.where(x[:, 2] == 1, 0.85, 0.2)
    counts = np.bincount((x @ (2 ** np.arange(6)[::-1])) * 2 + won, minlength=128).astype(float)
    _, post = posterior([((2,) * 6, 2)], counts)
    has = np.array([2 in some for some in members._sets(6)])
    assert post.arrays["weight"][has].sum() / post.arrays["weight"].sum() > 0.99
    table = mean_table([((2,) * 6, 2)], counts)[1::2].reshape((2,) * 6)
    assert table[:, :, 1].min() > table[:, :, 0].max()


def set_member(post, v, j, i):
    post.arrays["member"][v] = j, i


def test_gains_under_a_set_of_parents_by_enumeration():
    """One more count in a row: the variance of a difference before, less its expectation after."""
    rng = np.random.default_rng(4)
    for shape in (((2, 3), 2), ((3,), 3), ((2, 2, 2), 2)):
        dims, values = shape
        rows = math.prod(dims)
        counts, slope = rng.integers(0, 5, size=rows * values).astype(float), rng.random(rows * values)
        _, post = posterior([shape], counts)
        for j, some in enumerate(members._sets(len(dims))):
            i = int(rng.integers(len(members.CONCENTRATIONS)))
            set_member(post, 0, j, i)
            gain = np.zeros(rows * values)
            post.add_gains(slope, gain)
            codes = np.indices(dims).reshape(len(dims), -1)
            state = [tuple(code) for code in codes[list(some)].T]
            before, less = 0.0, {}
            for one in set(state):
                here = [r for r, s in enumerate(state) if s == one]
                alpha = (
                    counts.reshape(rows, values)[here].sum(axis=0)
                    + members.CONCENTRATIONS[i] * post.arrays["base"][0, :values]
                )
                along = slope.reshape(rows, values)[here].sum(axis=0)
                variances = [_variance(alpha + more, along) for more in np.eye(values)]
                before += _variance(alpha, along)
                less[one] = _variance(alpha, along) - alpha / alpha.sum() @ variances
            np.testing.assert_allclose(gain.reshape(rows, values)[:, 0], [less[s] / before for s in state], rtol=1e-9)


def _variance(alpha, slope):
    p = alpha / alpha.sum()
    return slope @ (np.diag(p) - np.outer(p, p)) @ slope / (alpha.sum() + 1)


def test_gains_under_main_effects_are_those_of_one_more_row_of_the_regression():
    rng = np.random.default_rng(5)
    counts, slope = rng.integers(0, 6, size=16).astype(float), rng.random(16)
    found, post = posterior([((2, 2, 2), 2)], counts)
    set_member(post, 0, -1, 0)
    gain = np.zeros(16)
    post.add_gains(slope, gain)
    x = found.design.reshape(8, 4)
    q = expit(np.log(post.arrays["base"][0, 1] / post.arrays["base"][0, 0]) + x @ post.arrays["mode"][0, 0])
    factor = np.tril(post.arrays["factor"][0, 0])
    precision, weight = factor @ factor.T, q * (1 - q)
    along = (weight * (slope[1::2] - slope[::2])) @ x
    before = along @ np.linalg.solve(precision, along)
    for row in range(8):
        after = along @ np.linalg.solve(precision + weight[row] * np.outer(x[row], x[row]), along)
        assert gain[2 * row] == pytest.approx((before - after) / before)


def test_effects_are_fitted_as_by_a_general_optimiser():
    from scipy.optimize import minimize

    rng = np.random.default_rng(6)
    x = np.concatenate([np.ones((8, 1)), rng.standard_normal((8, 3))], axis=1)
    counts = rng.integers(0, 7, size=16).astype(float)
    found = families([((2, 2, 2), 2)])._replace(design=x.reshape(-1))
    post = family_lanes.Posterior(found)
    post.update(counts)
    base, mode = post.arrays["base"][0], post.arrays["mode"][0]

    def height(b, precision):
        eta = np.log(base[1] / base[0]) + x @ b
        prior = np.array([0.25, precision, precision, precision])
        return -(counts[1::2] @ eta - counts.reshape(-1, 2).sum(axis=1) @ np.logaddexp(0, eta) - 0.5 * prior @ b**2)

    for e, precision in enumerate(found.precision):
        np.testing.assert_allclose(mode[e], minimize(height, np.zeros(4), (precision,)).x, atol=0.01)


def test_what_a_round_tells_does_not_depend_on_the_other_lanes():
    rng = np.random.default_rng(7)
    belief = FamilyBelief(replace(confounded([0.1, 0.4], [0.3, 0.7]).problem, law=None))
    counts = random_counts(rng, belief, 1)
    alone, beside = (np.empty((k, 7)) for k in (1, 3))
    args, every = (belief._passes, belief._families), np.arange(7)
    family_lanes.told_by_circuit(*args, counts, every, 200, np.random.default_rng(0), alone)
    family_lanes.told_by_circuit(*args, np.repeat(counts, 3, axis=0), every, 200, np.random.default_rng(0), beside)
    np.testing.assert_array_equal(alone[0], beside[0])
    np.testing.assert_allclose(beside[1] / beside[1].sum(), beside[2] / beside[2].sum(), atol=0.05)
    assert (alone >= 0).all()


def test_playing_what_tells_most_lowers_the_spread_of_the_difference():
    """Two actions, one played 10 and one 60 times: 40 rounds more of each, and how far the difference then spreads."""
    world = confounded([0.1, 0.4], [0.3, 0.7], z=0.2)
    graph = world.problem.graph
    actions = Actions(graph, [do(X1=1), do(X2=1)])
    world = World(Problem(graph, actions), world.model)
    belief, rng = FamilyBelief(world.problem), np.random.default_rng(8)
    plays = np.array([[10, 60]])
    before = tally(world, belief.statistic, Plan(plays), rng)
    told = belief.information_gain(before, plays.astype(float), Question(400), rng)[0]

    def spread(sums):
        means = belief.draw(sums, 0, 400, rng)
        return (means[:, 0] - means[:, 1]).var()

    after = [
        np.mean([spread(before.plus(tally(world, belief.statistic, Plan(40 * one[None]), rng))) for _ in range(60)])
        for one in np.eye(2, dtype=int)
    ]
    assert max(after) < spread(before)
    assert np.argmin(after) == told.argmax()


@pytest.mark.parametrize("law", [False, True])
def test_with_many_rounds_the_truth_is_found(law):
    rng = np.random.default_rng(9)
    graph = random_graph(rng, 6, arrows=0.6, both=0, sizes=(2, 3), last=True)
    model = random_model(rng, graph)
    actions = Actions.up_to(graph, 2)
    problem = Problem(graph, actions, model.parent_law(actions) if law else None)
    belief, counts = FamilyBelief(problem), np.full((1, len(actions)), 3000)
    world = World(problem, model)
    found = belief.estimates(tally(world, belief.statistic, Plan(counts), rng), counts.astype(float))
    np.testing.assert_allclose(found.mean[0], world.means, atol=0.02)
    assert (found.high - found.low < 0.06).all()
    assert found.joint[0].argmax() == world.means.argmax()
    assert (found.seen >= found.played).all()


@pytest.mark.parametrize("law", [False, True])
def test_intervals_hold_on_a_small_world(law):
    """200 lanes × 7 actions after 35 rounds; lanes are independent, so the share has a sigma of at most 1.6 %."""
    world = confounded([0.1, 0.4], [0.3, 0.7], z=0.2)
    belief = FamilyBelief(world.problem if law else replace(world.problem, law=None))
    counts = np.full((200, 7), 5)
    found = belief.estimates(
        tally(world, belief.statistic, Plan(counts), np.random.default_rng(10)), counts.astype(float)
    )
    inside = (found.low <= world.means) & (world.means <= found.high)
    assert inside.mean() > 0.92
    assert (np.abs(found.mean - world.means) > 0.7 * (found.high - found.low) / 2).mean() > 0.03  # not by being wide


@pytest.mark.campaign
def test_intervals_on_real_networks():
    """Eight lanes of each of the fifty problems, five rounds for each action: docs/explanation/learners.md."""
    learner, inside, kept = CausalTopTwo(), {}, {}
    for setting in experiment("real-networks").settings:
        if setting.x == 5:
            world = setting.world
            state = final(world, learner, setting.horizon, 8, np.random.default_rng(3))
            found = learner.estimates(state)
            holds = (found.low - 1e-9 <= world.means) & (world.means <= found.high + 1e-9)
            inside.setdefault(setting.panel, []).append(holds.mean())
            kept.setdefault(setting.panel, []).append(holds[np.arange(8), learner.best(state)].mean())
    assert np.mean(list(inside.values())) > 0.85
    assert np.mean(list(kept.values())) > 0.89


def test_estimates_are_the_same_for_the_same_sums_and_ties_are_shared():
    graph = Graph.of([Variable("X"), Variable("Y"), Variable("Z")], [("X", "Y"), ("Y", "Z")], reward="Y")
    belief = FamilyBelief(Problem(graph, Actions(graph, [do(), do(Z=0), do(X=1)]), all_compete=True))
    sums = as_sums(belief, np.array([[3, 1, 2, 1, 0, 5.0], [0, 0, 0, 0, 0, 0]]))
    one, two = (belief.estimates(sums, nothing_played(belief, 2)) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    alone = belief.estimates(sums.lanes(np.array([0])), nothing_played(belief))
    assert all(np.array_equal(a[:1], b) for a, b in zip(one[:6], alone[:6], strict=True))
    np.testing.assert_array_equal(one.joint[:, 0], one.joint[:, 1])  # do(Z=0) changes nothing
    np.testing.assert_allclose(one.joint.sum(axis=1), 1)
    assert (one.seen[1] == 0).all()


def test_a_known_law_leaves_the_reward_as_the_only_family():
    belief = FamilyBelief(chain(2, copy=0.8, first=0.4).problem)
    law = belief.problem.law.flat
    states = np.array([[7.0, 3.0]]), np.array([[2.0, 3.0]])
    sums = Tally.from_counts(*(np.concatenate([part, np.zeros((1, len(law)))], axis=1) for part in states))
    table = mean_table([((2,), 2)], np.array([5, 2, 0, 3.0]))
    np.testing.assert_allclose(belief.mean(sums, nothing_played(belief))[0], law @ table[1::2])


def test_problems_that_do_not_fit_are_refused():
    graph = Graph.of([Variable("X"), Variable("Y")], [("X", "Y")], [("X", "Y")], reward="Y")
    with pytest.raises(NotValid, match="hidden"):
        FamilyBelief(Problem(graph, Actions.single(graph)))
    with pytest.raises(TooLarge, match="cells"):
        FamilyBelief(replace(parallel([0.5] * 50).problem, law=None))
    with pytest.raises(TooLarge, match="steps"):
        FamilyBelief(replace(parallel([0.5] * 12).problem, law=None))
    rng, names = np.random.default_rng(8), [f"V{i}" for i in range(60)]
    dense = [(names[j], names[i]) for i in range(5, 60) for j in rng.choice(i, 5, replace=False)]
    tangled = Graph.of(map(Variable, [*names, "Y"]), [*dense, ("V58", "Y"), ("V59", "Y")], reward="Y")
    assert Tables(Problem(tangled, Actions.single(tangled))).cells.total < 16_384
    with pytest.raises(TooLarge):
        FamilyBelief(Problem(tangled, Actions.single(tangled)))
