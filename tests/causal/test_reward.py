"""A reward as a value: each kind answers the same questions, beside numbers worked out by hand."""

import math

import numpy as np
import pytest
from scipy.stats import beta

from bestdo import Graph, Number, Variable
from bestdo.bandit.tally import Tally
from bestdo.causal.reward import Reward
from bestdo.errors import GraphError
from bestdo.learners.families import cell_posterior


def graph(variable, **wanted):
    """X causes Y, which is this variable."""
    return Graph.of([Variable("X"), variable], [("X", "Y")]).rewarding("Y", **wanted)


SUCCESS = graph(Variable("Y", ("bad", "fair", "good")), success="good")
WORTH = graph(Variable("Y", ("none", "mild", "bad"), unit="euro"), worth={"none": 0, "mild": -1, "bad": -5})
SMALL = graph(Variable("Y", number=Number(low=2, high=10), unit="t"), aim="minimise")
FREE = graph(Variable("Y", number=Number(spread=3)), aim="maximise")


@pytest.mark.parametrize(
    ("which", "codes", "numbers", "expected"),
    [
        (SUCCESS, [0, 1, 2], None, [0, 0, 1]),
        (WORTH, [0, 1, 2], None, [1, 0.8, 0]),
        (SMALL, [0, 0, 0], [2.0, 10.0, 4.0], [1, 0, 0.75]),
        (FREE, [0, 0, 0], [0.0, 6.0, -3.0], [0, 1, -0.5]),
    ],
)
def test_what_is_seen_becomes_a_number_of_which_more_is_better(which, codes, numbers, expected):
    reward = which.rewarded
    found = reward.of(np.array(codes), None if numbers is None else np.array(numbers))
    assert found.tolist() == pytest.approx(expected)
    own = reward.scale.in_unit(np.asarray(found, float))
    assert reward.scale.for_learners(own).tolist() == pytest.approx(expected)
    best, worst = own[np.argmax(found)], own[np.argmin(found)]
    assert which.better(float(best), float(worst))
    assert not which.better(float(worst), float(best))


def test_ends_units_and_words():
    assert [g.rewarded.ends for g in (SUCCESS, WORTH, SMALL)] == [(0, 1), (-5, 0), (2, 10)]
    assert FREE.rewarded.ends == (-math.inf, math.inf)
    assert FREE.bounds is None
    assert [g.rewarded.scale.direction.side for g in (SUCCESS, SMALL)] == ["above", "below"]
    assert SUCCESS.rewarded.label == "chance of Y = good"
    assert SMALL.rewarded.label == "mean Y, t"
    assert SUCCESS.rewarded.total(3, 4) == "3 of 4 rounds had Y = good, 75 %"
    assert WORTH.rewarded.total(-6, 4) == "-6 euro in 4 rounds, -1.5 euro on average"
    assert (SUCCESS.rewarded.read("good"), WORTH.rewarded.read("bad"), SMALL.rewarded.read("2,5")) == (1, -5, 2.5)
    assert Graph.parse("X -> Y").rewarded == Reward()
    with pytest.raises(GraphError, match="no reward is named"):
        Graph.parse("X -> Y").rewarded.read("1")


def test_posteriors_of_own_rounds():
    """Successes beside scipy; numbers beside a large sample, whose mean they approach (4 sigma of 20,000 draws)."""
    tally = Tally.from_counts(np.array([[4.0, 10.0]]), np.array([[1.0, 7.0]]))
    found = cell_posterior(tally, SUCCESS)
    assert found.mean[0].tolist() == pytest.approx([beta(2, 4).mean(), beta(8, 4).mean()])
    draws = found.draw(np.random.default_rng(1), np.zeros(20_000, np.int64))
    assert abs(draws.mean(axis=0) - found.mean[0]).max() < 4 * 0.18 / math.sqrt(20_000)
    y = np.random.default_rng(2).normal(0.4, 0.1, (2, 5_000))
    sums = Tally.from_counts(np.full((1, 2), 5_000.0), y.sum(axis=1)[None], (y**2).sum(axis=1)[None])
    numbers = cell_posterior(sums, SMALL)
    assert numbers.mean[0].tolist() == pytest.approx(y.mean(axis=1).tolist(), abs=1e-4)
    spread = numbers.draw(np.random.default_rng(3), np.zeros(20_000, np.int64)).std(axis=0)
    assert spread.tolist() == pytest.approx((y.std(axis=1) / math.sqrt(5_000)).tolist(), rel=0.05)
