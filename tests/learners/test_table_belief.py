"""The belief on tables: drawn means against exact inference, gains by enumeration, intervals that hold."""

import numpy as np
import pytest
from scipy import stats

from bestdo import Actions, Graph, Model, Problem, Variable, do
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid, TooLarge
from bestdo.experiments import experiment
from bestdo.learners.beliefs.table_belief import TableBelief
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import World, confounded, final, parallel
from bestdo.simulate.samplers import tally
from bestdo.statistics.tables import Tables
from support import random_graph, random_model


def random_belief(rng, size=7, most=3):
    graph = random_graph(rng, int(rng.integers(1, size)), arrows=0.5, both=0, sizes=(1, 2, 3))
    return TableBelief(Problem(graph, Actions.up_to(graph, int(rng.integers(1, most + 1)))))


def counted(weight):
    return Tally.from_counts(weight, np.zeros_like(weight))


def random_tally(rng, belief, lanes, most=9):
    return counted(rng.integers(0, most, size=(lanes, belief.statistic.cells.total)).astype(float))


def as_model(belief, cells):
    """The cells of one lane as a model; variables that cannot matter follow a coin."""
    graph, where = belief.problem.graph, belief.statistic.cells
    tables = {n: np.full([graph.size(p) for p in (*graph.parents[n], n)], 1 / graph.size(n)) for n in graph.names}
    for v, name in enumerate(where.names):
        tables[name] = cells[where.start[v] : where.start[v + 1]].reshape(tables[name].shape)
    return Model(graph, tables)


def drawn_tables(belief, sums, rng, prior=0.5):
    return belief.draw_tables(sums, np.full((len(sums.weight), len(belief.statistic.cells.values)), prior), rng)


def rows_of(belief):
    """For each table the slices of its rows."""
    where = belief.statistic.cells
    for v, values in enumerate(where.values):
        yield [slice(row, row + values) for row in range(where.start[v], where.start[v + 1], values)]


def mean_cells(belief, weight):
    """The mean tables, with the weight of each prior by SciPy's Dirichlet-multinomial law."""
    cells = np.zeros_like(weight)
    for rows in rows_of(belief):
        likely = [
            sum(
                stats.dirichlet_multinomial.logpmf(
                    weight[row].astype(int), np.full(len(weight[row]), prior), weight[row].sum()
                )
                for row in rows
                if weight[row].any()
            )
            for prior in belief.priors
        ]
        chances = np.exp(np.array(likely, float) - max(likely))
        for row in rows:
            for prior, chance in zip(belief.priors, chances / chances.sum(), strict=True):
                cells[row] += chance * (weight[row] + prior) / (weight[row] + prior).sum()
    return cells


def nothing_played(belief):
    return np.zeros((1, len(belief.problem.actions)))


def test_means_of_drawn_tables_are_those_of_exact_inference():
    rng = np.random.default_rng(0)
    for _ in range(40):
        belief = random_belief(rng)
        drawn = drawn_tables(belief, random_tally(rng, belief, 3), rng)
        means = belief.means_of(drawn)
        for lane in range(3):
            expected = as_model(belief, drawn[lane]).means(belief.problem.actions)
            np.testing.assert_allclose(means[lane], expected, rtol=0, atol=1e-10)


def test_the_mean_is_that_of_the_mean_tables_and_of_many_draws():
    rng = np.random.default_rng(1)
    for _ in range(5):
        belief = random_belief(rng, 5)
        sums = random_tally(rng, belief, 1, 3)
        mean = belief.mean(sums, nothing_played(belief))
        exact = as_model(belief, mean_cells(belief, sums.weight[0])).means(belief.problem.actions)
        np.testing.assert_allclose(mean[0], exact, rtol=0, atol=1e-10)
        drawn = belief.draw(counted(np.repeat(sums.weight, 20_000, axis=0)), rng)
        error = drawn.std(axis=0) / np.sqrt(len(drawn))
        assert (np.abs(drawn.mean(axis=0) - mean[0]) < 5 * error + 1e-9).all()  # 5 sigma


def test_tables_that_are_as_good_as_certain_are_recognised():
    graph = Graph.of([Variable("A"), Variable("B"), Variable("Y")], [("A", "Y"), ("B", "Y")], reward="Y")
    belief = TableBelief(Problem(graph, Actions.single(graph)))
    certain = np.array([5, 5, 5, 5, 3, 0, 0, 4, 0, 4, 0, 0.0])
    varied = np.array([5, 5, 5, 5, 2, 1, 2, 2, 1, 3, 0, 0.0])
    weights = belief.weights(counted(np.stack([certain, varied])))
    assert weights[0, -1].argmax() == 2
    assert weights[1, -1].argmax() == 0
    np.testing.assert_allclose(weights.sum(axis=2), 1)


@pytest.mark.parametrize("prior", [0.5, 0.25, 1.0])
def test_rows_are_dirichlet(prior):
    """Kolmogorov-Smirnov of 20,000 draws at a fixed seed; 1e-4 allows for the dozen tests."""
    graph = Graph.of([Variable("X", ("a", "b", "c")), Variable("Y")], [("X", "Y")], reward="Y")
    belief = TableBelief(Problem(graph, Actions.single(graph)))
    weight = np.array([0, 1, 7, 0, 0, 0, 1, 30, 2.0])
    drawn = drawn_tables(belief, counted(np.repeat(weight[None], 20_000, axis=0)), np.random.default_rng(0), prior)
    for row in ([0, 1, 2], [3, 4], [5, 6], [7, 8]):
        alpha = weight[row] + prior
        np.testing.assert_allclose(drawn[:, row].sum(axis=1), 1)
        for k, cell in enumerate(row):
            law = stats.beta(alpha[k], alpha.sum() - alpha[k])
            assert stats.kstest(drawn[:, cell], law.cdf).pvalue > 1e-4
    assert stats.kstest(drawn[:, 7], stats.beta(33, 4).cdf).pvalue < 1e-4  # and it can fail


def test_a_posterior_by_hand():
    graph = Graph.of([Variable("X"), Variable("Y")], [("X", "Y")], reward="Y")
    belief = TableBelief(Problem(graph, Actions(graph, [do(), do(X=0), do(X=1)])), priors=(0.5,))
    sums = counted(np.array([[3, 1, 2, 1, 0, 5.0]]))  # X; Y given X=0; Y given X=1
    low, high = 1.5 / 4, 5.5 / 6
    np.testing.assert_allclose(belief.mean(sums, nothing_played(belief)), [[3.5 / 5 * low + 1.5 / 5 * high, low, high]])
    drawn = belief.draw(counted(np.repeat(sums.weight, 5000, axis=0)), np.random.default_rng(0))
    assert stats.kstest(drawn[:, 2], stats.beta(5.5, 0.5).cdf).pvalue > 1e-4


def test_pairs_are_the_best_two_of_draws():
    world = confounded([0.1, 0.4], [0.3, 0.7], z=0.2)
    belief = TableBelief(world.problem)
    sums = tally(world, belief.statistic, Plan(np.full((1, 7), 200)), np.random.default_rng(3))
    many, played = counted(np.repeat(sums.weight, 50, axis=0)), np.full((50, 7), 200.0)
    leader, challenger = belief.pairs(many, played, 4, np.random.default_rng(4))
    assert leader.shape == challenger.shape == (50, 4)
    assert (leader != challenger).all()
    assert set(leader.flat) <= set(np.argsort(world.means)[-3:])


def difference(belief, cells, pair):
    means = as_model(belief, cells).means(Actions(belief.problem.graph, pair))
    return means[0] - (means[1] if len(pair) > 1 else means[0])


def plain(belief):
    """The belief by whose first prior it is decided what to play."""
    return TableBelief(belief.problem, belief.priors[:1])


def slopes(belief, weight, pair):
    """The derivative of the difference in each cell, along directions that leave the row's sum alone."""
    cells = mean_cells(belief, weight)
    result = np.zeros_like(cells)
    for row in (row for rows in rows_of(belief) for row in rows):
        for k in range(row.start + 1, row.stop):
            ends = []
            for step in (1e-4, -1e-4):  # linear in each row: exact but for rounding
                moved = cells.copy()
                moved[k] += step
                moved[row.start] -= step
                ends.append(difference(belief, moved, pair))
            result[k] = (ends[0] - ends[1]) / 2e-4
    return result


def variance(alpha, slope):
    p = alpha / alpha.sum()
    return slope @ (np.diag(p) - np.outer(p, p)) @ slope / (alpha.sum() + 1)


def gain_by_enumeration(belief, weight, pair, action):
    """One round of the action: every row that it may hit, every value that may come, as a share of the variance."""
    graph, prior = belief.problem.graph, belief.priors[0]
    model, slope = as_model(belief, mean_cells(belief, weight)), slopes(belief, weight, pair)
    total = whole = 0.0
    for name, rows in zip(belief.statistic.cells.names, rows_of(belief), strict=True):
        whole += sum(variance(weight[row] + prior, slope[row]) for row in rows)
        if name in action:
            continue
        law = model.distribution(graph.parents[name], action).reshape(-1)
        for row, chance in zip(rows, law, strict=True):
            alpha = weight[row] + prior
            after = [variance(alpha + one, slope[row]) for one in np.eye(len(alpha))]
            total += chance * (variance(alpha, slope[row]) - alpha / alpha.sum() @ after)
    return total / whole if whole > 1e-12 else 0.0


def test_gains_are_those_of_enumeration():
    rng = np.random.default_rng(4)
    for _ in range(12):
        belief = random_belief(rng, 5, 2)
        actions = belief.problem.actions
        sums = random_tally(rng, belief, 2, 5)
        leader, challenger = rng.integers(len(actions), size=(2, 2, 3))
        gains = belief.gain(sums, np.zeros((2, len(actions))), leader, challenger)
        for lane in range(2):
            weight = sums.weight[lane]
            twos = zip(leader[lane], challenger[lane], strict=True)
            pairs = [list(dict.fromkeys([actions[i], actions[j]])) for i, j in twos]
            expected = [sum(gain_by_enumeration(plain(belief), weight, p, a) for p in pairs) for a in actions]
            np.testing.assert_allclose(gains[lane], expected, rtol=1e-6, atol=1e-8)


def test_playing_what_gains_most_lowers_the_spread_of_the_difference():
    """The linearised gain against the real one: the variance of drawn differences after 40 rounds of each action."""
    world = confounded([0.1, 0.4], [0.3, 0.7], z=0.2)
    belief = TableBelief(world.problem)
    actions, rng = world.problem.actions, np.random.default_rng(5)
    leader, challenger = actions.index("do(X1=1)"), actions.index("do(X2=1)")
    before = tally(world, belief.statistic, Plan(np.full((1, len(actions)), 15)), rng).weight
    gains = belief.gain(counted(before), np.zeros((1, 7)), np.array([[leader]]), np.array([[challenger]]))[0]

    def spread(weight):
        drawn = np.stack([belief.draw(counted(weight), rng) for _ in range(40)])
        return (drawn[..., leader] - drawn[..., challenger]).var(axis=0).mean()

    after = []
    for one in np.eye(len(actions), dtype=int):
        plan = Plan(np.repeat(40 * one[None], 2000, axis=0))
        after.append(spread(before + tally(world, belief.statistic, plan, rng).weight))
    assert max(after) < spread(np.repeat(before, 2000, axis=0))
    assert np.argmin(after) == gains.argmax() == leader
    assert np.argmax(after) == gains.argmin()


def test_with_many_rounds_the_truth_is_found():
    rng = np.random.default_rng(6)
    graph = random_graph(rng, 6, arrows=0.6, both=0, sizes=(2, 3), last=True)
    world = World(Problem(graph, Actions.up_to(graph, 2)), random_model(rng, graph))
    belief = TableBelief(world.problem)
    counts = np.full((1, len(world.problem.actions)), 3000)
    found = belief.estimates(tally(world, belief.statistic, Plan(counts), rng), counts.astype(float))
    np.testing.assert_allclose(found.mean[0], world.means, atol=0.02)
    assert (found.high - found.low < 0.06).all()
    assert found.joint[0].argmax() == world.means.argmax()
    assert (found.seen >= found.played).all()


def test_intervals_hold_on_a_small_world():
    """300 lanes × 7 actions after 35 rounds; lanes are independent, so the share has a sigma of at most 1.3 %."""
    world = confounded([0.1, 0.4], [0.3, 0.7], z=0.2)
    belief = TableBelief(world.problem)
    counts = np.full((300, 7), 5)
    found = belief.estimates(
        tally(world, belief.statistic, Plan(counts), np.random.default_rng(7)), counts.astype(float)
    )
    inside = (found.low <= world.means) & (world.means <= found.high)
    assert 0.93 < inside.mean() < 0.985
    assert (np.abs(found.mean - world.means) > 0.7 * (found.high - found.low) / 2).mean() > 0.05  # not by being wide


@pytest.mark.campaign
def test_intervals_on_real_networks():
    """Eight lanes of each of the fifty problems, five rounds for each action: what docs/learners.md says of them."""
    learner, inside, kept = CausalTopTwo(), {}, {}
    for setting in experiment("real-networks").settings:
        if setting.x == 5:
            world = setting.world
            state = final(world, learner, setting.horizon, 8, np.random.default_rng(3))
            found = learner.estimates(state)
            holds = (found.low - 1e-9 <= world.means) & (world.means <= found.high + 1e-9)
            inside.setdefault(setting.panel, []).append(holds.mean())
            kept.setdefault(setting.panel, []).append(holds[np.arange(8), learner.best(state)].mean())
    assert {n: round(float(np.mean(v)), 2) for n, v in inside.items()} == {
        "asia": pytest.approx(0.95, abs=0.04),
        "sachs": pytest.approx(0.88, abs=0.04),
        "child": pytest.approx(0.93, abs=0.04),
        "alarm": pytest.approx(0.94, abs=0.04),
        "insurance": pytest.approx(0.70, abs=0.06),
    }
    assert np.mean(list(kept.values())) == pytest.approx(0.93, abs=0.04)


def test_estimates_are_the_same_for_the_same_sums_and_ties_are_shared():
    graph = Graph.of([Variable("X"), Variable("Y"), Variable("Z")], [("X", "Y"), ("Y", "Z")], reward="Y")
    belief = TableBelief(Problem(graph, Actions(graph, [do(), do(Z=0), do(X=1)])))
    sums = counted(np.array([[3, 1, 2, 1, 0, 5.0], [0, 0, 0, 0, 0, 0]]))
    played = np.zeros((2, 3))
    one, two = belief.estimates(sums, played), belief.estimates(sums, played)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    alone = belief.estimates(counted(sums.weight[:1]), played[:1])
    assert all(np.array_equal(a[:1], b) for a, b in zip(one, alone, strict=True))
    np.testing.assert_array_equal(one.joint[:, 0], one.joint[:, 1])  # do(Z=0) changes nothing
    np.testing.assert_allclose(one.joint.sum(axis=1), 1)
    assert (one.seen[1] == 0).all()


def test_problems_that_do_not_fit_are_refused():
    graph = Graph.of([Variable("X"), Variable("Y")], [("X", "Y")], [("X", "Y")], reward="Y")
    with pytest.raises(NotValid, match="hidden"):
        TableBelief(Problem(graph, Actions.single(graph)))
    with pytest.raises(TooLarge, match="cells"):
        TableBelief(parallel([0.5] * 50).problem)
    rng, names = np.random.default_rng(8), [f"V{i}" for i in range(60)]
    dense = [(names[j], names[i]) for i in range(5, 60) for j in rng.choice(i, 5, replace=False)]
    tangled = Graph.of(map(Variable, [*names, "Y"]), [*dense, ("V58", "Y"), ("V59", "Y")], reward="Y")
    assert Tables(Problem(tangled, Actions.single(tangled))).cells.total < 16_384
    with pytest.raises(TooLarge, match="multiplications"):
        TableBelief(Problem(tangled, Actions.single(tangled)))
