"""Means are shown in the reward's unit, on an axis that fits them, the best first."""

import math

import pytest

from bestdo.bandit.estimate import Estimate
from bestdo.causal.action import do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.number import Number
from bestdo.report.reward_scale import UNKNOWN, RewardScale, axis_of

GRAPH = Graph.of([Variable("a"), Variable("loss", number=Number(), unit="t/ha")], [("a", "loss")])
LOSS = GRAPH.rewarding("loss", aim="minimise")


def line(mean, low, high):
    return Estimate(do(), mean, low, high, 0.5, 3, 3.0)


@pytest.mark.parametrize(
    ("low", "high"),
    [(3.87, 4.53), (0, 50), (-3, 7), (5, 5), (0, 0), (1e6, 3.3e6), (1e-9, 3e-9), (-1e300, 1e300), (99.9, 100)],
)
def test_an_axis_has_two_to_five_round_ticks_around_all_means(low, high):
    axis = axis_of(LOSS, [low, math.nan, high, math.inf])
    steps = [b - a for a, b in zip(axis.ticks, axis.ticks[1:], strict=False)]
    assert 1 <= len(steps) <= 4
    assert axis.span[0] <= low <= high <= axis.span[1]
    assert steps == pytest.approx([steps[0]] * len(steps))
    assert len(set(axis.labels)) == len(axis.ticks)


def test_an_interval_without_ends_is_not_known_yet():
    scale = RewardScale.of(LOSS, [line(4.0, -math.inf, math.inf), line(math.nan, -math.inf, math.inf)])
    assert scale.interval(-math.inf, math.inf) == UNKNOWN
    assert scale.mean(math.nan) == "–"
    assert not any(word in "".join(scale.axis.labels) for word in ("inf", "nan"))


def test_means_have_their_unit_and_the_smallest_comes_first():
    scale = RewardScale.of(LOSS, [line(4.5, 3.9, 5.1), line(6.0, -2.0, 14.0)])
    assert scale.label == "mean loss, t/ha"
    assert scale.with_unit(4.5) == "4.5 t/ha"
    assert scale.interval(-2.0, 14.0) == "-2.0 to 14.0"
    assert sorted([6.0, math.nan, 4.5], key=scale.rank)[:2] == [4.5, 6.0]


def test_a_mean_has_the_decimals_that_its_interval_deserves():
    clicks = Graph.of([Variable("a"), Variable("click", ("no", "yes"))], [("a", "click")]).rewarding("click", "yes")

    def shown(mean, low, high):
        scale = RewardScale.of(clicks, [line(mean, low, high)])
        return scale.mean(mean), scale.interval(low, high)

    assert shown(0.0612, 0.0608, 0.0616) == ("0.0612", "0.0608–0.0616")
    assert shown(0.5, 0.2, 0.8) == ("0.50", "0.20–0.80")
    assert shown(0.612, 0.592, 0.632) == ("0.612", "0.592–0.632")
    assert shown(0.998, 0.9, 1.0) == ("0.998", "0.90–1.00")
    assert shown(0.99999, 0.9, 1.0) == (">0.9999", "0.90–1.00")
    assert shown(0.0003, 0.0, 0.1) == ("0.0003", "0.00–0.10")
    assert shown(1.0, 0.9, 1.0) == ("1.00", "0.90–1.00")
    assert RewardScale.of(LOSS, [line(6123.4, 6100.0, 6150.0)]).mean(6123.4) == "6123"


def test_a_very_long_interval_does_not_stretch_the_axis():
    lines = [line(4.0, 3.0, 5.0), line(5.0, 4.0, 6.0), line(6.0, -900.0, 900.0)]
    assert RewardScale.of(LOSS, lines).axis.span == (3.0, 6.0)


def test_chances_are_shown_from_0_to_1_and_worth_between_its_bounds():
    graph = Graph.of([Variable("a"), Variable("b", ("NO", "MILD", "SEVERE"))], [("a", "b")])
    assert axis_of(graph.rewarding("b", "NO"), [0.3]).span == (0, 1)
    worth = graph.rewarding("b", worth={"NO": 0, "MILD": 1, "SEVERE": 4}, aim="minimise")
    assert axis_of(worth, [0.3]).span == (0, 4)
    assert worth.rewarded.label == "mean worth of b"


def test_how_a_variable_is_measured():
    assert (
        Variable("t", ("cold", "mild", "warm"), cut=(10, 18.5)).kind.span
        == "below 10: cold; below 18.5: mild; from 18.5: warm"
    )
    assert Variable("y", number=Number(0, 50)).kind.span == "from 0 to 50"
    assert Variable("y", number=Number(high=50)).kind.span == "at most 50"
    assert Variable("y").kind.span == ""
