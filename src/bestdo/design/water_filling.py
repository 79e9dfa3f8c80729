"""Splits a budget between watching and plays so that the least known of some actions is known as well as possible.

Every action has been seen or played as if n_a times. One round of watching (do()) is worth r_a rounds of action a: the
share of the rounds in which its value occurs, or less, or nothing. A play of a is worth one. With w rounds of watching
and k_a plays the level is min_a (n_a + r_a w + k_a). For a given w the plays that raise it most are those of
water-filling: sort n_a + r_a w; filled up to the j-th action the money M reaches (M + Σ_{i≤j} c_i h_i) / Σ_{i≤j} c_i,
and the level is the smallest of these numbers. As a function of w it is concave.
"""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import SLACK

__all__ = ["level_plays", "whole_rounds"]


# Steps of the golden section search for the rounds of watching: the last interval is a two-thousandth of the first,
# below a round for up to 2,000 rounds. The split is tested against linear programming in
# tests/design/test_water_filling.py.
_NARROWINGS = 16
_GOLDEN = (np.sqrt(5) - 1) / 2


def level_plays(
    known: Floats, rate: Floats, among: Bools, money: Floats, prices: Floats, watching: int | None
) -> Floats:  # float[L, A]
    """The plays of each action, in fractions of rounds, with which the level is highest.

    known, rate: float[L, A], the number of plays that is known of each action so far, and what a round of watching adds;
    among: bool[L, A], the actions whose level counts; money: float[L]; prices: float[A]; watching: the number of do(), None
    where it is not allowed.
    """
    paid = among.copy()
    if watching is None:
        return _plays(known, paid, money, prices)[1]
    paid[:, watching] = False  # plays of do() are rounds of watching
    most = money / prices[watching]

    def level(watched: Floats) -> Floats:  # float[L]
        left = money - watched * prices[watching]
        filled = _plays(known + rate * watched[:, None], paid, left, prices)[0]
        alone = np.where(among[:, watching], known[:, watching] + watched, np.inf)
        return np.minimum(filled, alone)

    low, high = np.zeros_like(money), most
    one, two = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_one, at_two = level(one), level(two)
    for _ in range(_NARROWINGS):
        left = at_one >= at_two  # the peak is below `two`
        low, high = np.where(left, low, one), np.where(left, two, high)
        new = np.where(left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        at_new = level(new)
        one, two = np.where(left, new, two), np.where(left, one, new)
        at_one, at_two = np.where(left, at_new, at_two), np.where(left, at_one, at_new)
    watched = (low + high) / 2
    for edge in (np.zeros_like(money), most):
        watched = np.where(level(edge) >= level(watched), edge, watched)
    plays = _plays(known + rate * watched[:, None], paid, money - watched * prices[watching], prices)[1]
    plays[:, watching] += watched
    return plays


def _plays(height: Floats, among: Bools, money: Floats, prices: Floats) -> tuple[Floats, Floats]:
    """Water-filling: the level that the money reaches (infinite where no action counts), and the plays."""
    most = max(1, int(among.sum(axis=1).max(initial=0)))
    heights = np.where(among, height, np.inf)
    few = np.argpartition(heights, most - 1, axis=1)[:, :most] if most < heights.shape[1] else None
    rising = heights if few is None else np.take_along_axis(heights, few, axis=1)
    order = np.argsort(rising, axis=1)
    rising = np.take_along_axis(rising, order, axis=1)
    cost = prices[order if few is None else np.take_along_axis(few, order, axis=1)]
    real = np.isfinite(rising)
    with np.errstate(invalid="ignore"):
        spent = np.cumsum(np.where(real, cost * rising, 0.0), axis=1)
        reach = np.where(real, (np.maximum(money, 0)[:, None] + spent) / np.cumsum(cost, axis=1), np.inf)
    level = reach.min(axis=1)
    plays = np.where(among & np.isfinite(level)[:, None], np.maximum(level[:, None] - height, 0), 0.0)
    return level, plays


def whole_rounds(plays: Floats, money: Floats, prices: Floats, rng: np.random.Generator) -> Ints:  # int[L, A]
    """The plays as whole numbers, within the budget: rounded down, then one more of some, drawn in proportion to the rest."""
    counts = np.floor(plays + SLACK)
    rest = np.maximum(plays - counts, 0)
    left = money - counts @ prices
    order = np.argsort(-np.log(rng.random(rest.shape)) / np.maximum(rest, SLACK), axis=1)
    cost = np.where(np.take_along_axis(rest, order, axis=1) > SLACK, prices[order], np.inf)
    more = np.cumsum(cost, axis=1) <= left[:, None] + SLACK
    np.put_along_axis(counts, order, np.take_along_axis(counts, order, axis=1) + more, axis=1)
    return counts.astype(np.int64)
