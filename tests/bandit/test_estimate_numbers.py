"""Estimates of rewards that are numbers, or have a worth: means, Student's intervals and P(best)."""

import numpy as np
import pytest

from bestdo.bandit.estimate import best_of_betas, best_of_normals, in_unit, quantile, variance_of_rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.number import Number
from bestdo.learners.families import from_counts, from_ratio


def graph(number=None, aim="maximise"):
    return Graph.of([Variable("A"), Variable("Y", number=number or Number())], [("A", "Y")], reward="Y", aim=aim)


def counts(*cells):
    """The sums of some cells of rewards, of one lane."""
    n, s, q = (np.array([[np.sum(np.power(cell, k)) for cell in cells]], float) for k in (0, 1, 2))
    return Tally.from_counts(n, s, q)


def test_the_interval_of_one_cell_is_students():
    y = np.array([3.0, 5.0, 4.0, 8.0])
    found = from_counts(counts(y), np.array([[4.0]]), graph())
    half = 3.182446 * y.std(ddof=1) / 2  # the 97.5 % quantile with 3 degrees of freedom
    assert found.mean[0, 0] == 5
    assert np.allclose([found.low[0, 0], found.high[0, 0]], [5 - half, 5 + half], atol=1e-5)


def test_the_spread_is_pooled_and_the_level_does_not_matter():
    rng = np.random.default_rng(0)
    cells = [rng.normal(3, 1, 20), rng.normal(3, 1, 20), np.array([2.9, 2.9001])]
    found = from_counts(counts(*cells), np.ones((1, 3)), graph())
    assert found.high[0, 2] - found.low[0, 2] > 2  # two rounds that happen to agree do not know the spread
    far = from_counts(counts(*(cell + 1e5 for cell in cells)), np.ones((1, 3)), graph())
    assert np.allclose(far.low - 1e5, found.low, atol=1e-4)
    wide = from_counts(counts(*cells[:2], rng.normal(3, 10, 20)), np.ones((1, 3)), graph())
    assert wide.high[0, 2] - wide.low[0, 2] > 7  # 9.2 expected with its own spread, 5.3 with the pooled one


@pytest.mark.parametrize(
    ("number", "interval"),
    [(Number(), (-np.inf, np.inf)), (Number(spread=2), (-1.96 * 2, 1.96 * 2)), (Number(0, 10), (0, 9.8))],
)
def test_one_round_does_not_tell_the_spread(number, interval):
    made = graph(number)
    y = 0.0  # in the unit of learners
    found = from_counts(counts([y], []), np.ones((1, 2)), made)
    mean, low, high = in_unit(found, Actions.single(made))
    assert (low[0, 0], high[0, 0]) == pytest.approx(interval, abs=0.01)
    assert np.isnan(mean[0, 1])
    unknown = (0, 10) if number.bounds else (-np.inf, np.inf)
    assert (low[0, 1], high[0, 1]) == unknown
    same = from_counts(counts([y] * 5, []), np.ones((1, 2)), made)  # five equal rewards do not tell it either
    assert same.high[0, 0] - same.low[0, 0] > (0.4 if number.bounds else 0.8)


def test_ends_are_swapped_where_less_is_better():
    made = graph(Number(spread=1), "minimise")
    found = from_counts(counts(-np.array([1.0, 2.0, 3.0]) / 2), np.ones((1, 1)), made)
    mean, low, high = in_unit(found, Actions.single(made))
    assert low[0, 0] < mean[0, 0] == 2 < high[0, 0]


def test_weighted_rounds_count_as_their_effective_number():
    rng = np.random.default_rng(1)
    y = rng.normal(0, 1, 40)
    plain = from_counts(counts(y), np.ones((1, 1)), graph())
    w = np.full(40, 3.0)
    sums = [np.array([[v]]) for v in (40.0, w.sum(), w @ w, w @ y, w**2 @ y, w @ y**2, w**2 @ y**2)]
    ratio = from_ratio(Tally(*sums), np.ones((1, 1)), graph())
    assert np.allclose([ratio.low, ratio.high, ratio.seen], [plain.low, plain.high, [[40.0]]])


def test_p_best_of_normals_is_that_of_draws():
    rng = np.random.default_rng(2)
    middle, spread = rng.normal(100, 1, (3, 6)), rng.uniform(0.1, 1, (3, 6))
    found = best_of_normals(middle - 1.959964 * spread, middle + 1.959964 * spread)
    draws = 100_000
    best = rng.normal(middle, spread, (draws, 3, 6)).argmax(axis=2)
    for lane in range(3):
        share = np.bincount(best[:, lane], minlength=6) / draws
        assert np.abs(found[lane] - share).max() < 5 * 0.5 / np.sqrt(draws)  # 5 sigma
    near = best_of_betas(np.array([[520.0, 500]]), np.array([[480.0, 500]]))
    low, high = np.array([[0.52, 0.5]]) - 1.96 * 0.0158, np.array([[0.52, 0.5]]) + 1.96 * 0.0158
    assert np.allclose(best_of_normals(low, high), near, atol=2e-3)


def test_actions_of_which_nothing_is_known_may_be_the_best():
    low, high = np.array([[1.0, 2.0, -np.inf, -np.inf]]), np.array([[2.0, 3.0, np.inf, np.inf]])
    found = best_of_normals(low, high)
    assert found.sum() == pytest.approx(1)
    assert np.allclose(found[0, 2:], 3 / 8)
    assert np.allclose(found[0, :2], best_of_normals(low[:, :2], high[:, :2])[0] / 4)
    assert found[0, 0] == pytest.approx(0.0028 / 4, rel=0.02)  # a difference of 1 with the standard deviation 0.361
    assert np.allclose(best_of_normals(low[:, 2:], high[:, 2:]), 0.5)
    assert np.allclose(best_of_normals(np.array([[2.0, 1.0]]), np.array([[2.0, 1.0]])), [[1, 0]])


SHAPES = {
    "normal": lambda rng, size: rng.normal(0, 1, size),
    "lognormal": lambda rng, size: rng.lognormal(0, 1, size) - np.exp(0.5),
    "zeros": lambda rng, size: np.where(rng.random(size) < 0.2, rng.exponential(5, size), 0) - 1,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_intervals_cover_also_where_rewards_are_skewed(shape):
    """2,000 lanes with 2 to 80 rounds in a cell. Each cell's own spread alone covers 68 and 87 % of skewed means."""
    rng, lanes, sizes = np.random.default_rng(3), 2000, (2, 4, 8, 16, 40, 80)
    drawn = [SHAPES[shape](rng, (lanes, size)) for size in sizes]
    n, s, q = (np.stack([np.sum(np.power(y, k), axis=1) for y in drawn], axis=1) for k in (0, 1, 2))
    found = from_counts(Tally.from_counts(n, s, q), n, graph())
    covered = ((found.low <= 0) & (found.high >= 0)).mean(axis=0)
    assert 0.93 < covered.mean() < 0.985
    assert covered.min() > 0.92  # 0.5 % is one standard error


def test_an_interval_is_no_longer_than_the_bounds_allow():
    for number in (Number(0, 1), Number(spread=0.5)):
        found = from_counts(counts([0.0, 1.0, 0.3, 0.6], []), np.ones((1, 2)), graph(number))
        assert found.high[0, 0] <= found.mean[0, 0] + 1.96 * 0.5 / 2 + 1e-9
        few = from_counts(counts([0.4, 0.6], []), np.ones((1, 2)), graph(number))  # one degree of freedom
        assert few.high[0, 0] <= few.mean[0, 0] + 1.96 * 0.5 / np.sqrt(2) + 1e-4
    variance, degrees = variance_of_rounds(np.array([[2.0, 0.0]]), np.array([[0.5, 0.0]]), graph(Number(0, 1)))
    assert (variance[0, 0], degrees[0, 0]) == (0.25, 1)


@pytest.mark.campaign
def test_how_many_pooled_rounds_were_chosen(monkeypatch):
    """Coverage on average and in the worst cell of the test above, and of a cell of 12 rounds with three times the spread."""
    for pooled in (4, 6, 10, 20):
        monkeypatch.setattr("bestdo.bandit.estimate._POOLED_ROUNDS", pooled)
        for shape, draw in SHAPES.items():
            rng, lanes, sizes = np.random.default_rng(3), 10_000, (2, 4, 8, 16, 40, 80, 12)
            drawn = [draw(rng, (lanes, size)) * (3 if size == 12 else 1) for size in sizes]
            n, s, q = (np.stack([np.sum(np.power(y, k), axis=1) for y in drawn], axis=1) for k in (0, 1, 2))
            found = from_counts(Tally.from_counts(n, s, q), n, graph())
            even = from_counts(Tally.from_counts(n[:, :6], s[:, :6], q[:, :6]), n[:, :6], graph())
            covered = ((even.low <= 0) & (even.high >= 0)).mean(axis=0)
            wide = ((found.low <= 0) & (found.high >= 0))[:, 6].mean()
            own = np.sqrt((q - s**2 / n) / (n - 1) / n) * quantile(n - 1)
            alone = (np.abs(s / n) <= own)[:, :6].mean()
            numbers = [covered.mean(), covered.min(), wide, alone]
            print(pooled, shape, *(f"{number:.3f}" for number in numbers))  # noqa: T201
            assert covered.min() > 0.92


@pytest.mark.parametrize("aim", ["maximise", "minimise"])
def test_an_interval_ends_where_the_reward_does_on_one_side(aim):
    cells = np.array([0.0, 0.0, 9.0]), np.array([0.0])
    for sign, number in ((1, Number(low=0)), (-1, Number(high=0))):
        free, cut = graph(aim=aim), graph(number, aim)
        kind = 1 if aim == "maximise" else -1
        found = from_counts(counts(*(kind * sign * cell for cell in cells)), np.ones((1, 2)), free)
        mean, low, high = in_unit(found, Actions.single(free))
        assert low[0, 0] < 0 < high[0, 0]
        got = in_unit(found, Actions.single(cut))
        bounded = (mean, np.maximum(low, 0), high) if sign > 0 else (mean, low, np.minimum(high, 0))
        assert np.array_equal(got, bounded)
    unknown = from_counts(counts([], []), np.zeros((1, 2)), graph(Number(low=0), aim))
    assert np.isinf(in_unit(unknown, Actions.single(graph(Number(low=0), aim)))[1]).all()  # not known is not bounded
