"""Raising the least known action, against linear programming."""

import numpy as np
import pytest
from scipy.optimize import linprog

from bestdo.design.water_filling import level_plays, whole_rounds


def best_level(known, rate, among, money, prices, watching):
    """max t with known + rate w + k >= t for those among, prices k + price w <= money: scipy's answer."""
    actions = len(known)  # unknowns: t, w, k
    rows = [np.r_[1.0, -rate[a], -np.eye(actions)[a]] for a in range(actions) if among[a]]
    limits = [known[a] for a in range(actions) if among[a]]
    rows.append(np.r_[0.0, prices[watching], prices])
    bounds = [(None, None), (0, None), *((0, 0 if a == watching else None) for a in range(actions))]
    return linprog(np.r_[-1.0, np.zeros(actions + 1)], rows, [*limits, money], bounds=bounds).x[0]


def test_no_way_to_spend_the_money_raises_the_least_known_more():
    rng = np.random.default_rng(0)
    lanes, actions, watching = 60, 7, 3
    known, rate = (
        rng.gamma(1, 20, (lanes, actions)),
        rng.random((lanes, actions)) * rng.integers(0, 2, (lanes, actions)),
    )
    rate[:, watching] = 1
    among = rng.random((lanes, actions)) < 0.7
    among[:, 0] = True
    money, prices = rng.gamma(2, 30, lanes), rng.choice([1.0, 1.0, 5.0, 20.0], actions)
    plays = level_plays(known, rate, among, money, prices, watching)
    assert (plays >= 0).all()
    assert (plays @ prices <= money + 1e-6).all()
    after = known + plays + rate * plays[:, [watching]]
    after[:, watching] = known[:, watching] + plays[:, watching]
    reached = np.where(among, after, np.inf).min(axis=1)
    best = [best_level(*each, prices, watching) for each in zip(known, rate, among, money, strict=True)]
    np.testing.assert_allclose(reached, best, rtol=2e-3, atol=1e-2)


def test_without_watching_it_is_water_filling():
    known = np.array([[0.0, 4.0, 9.0]])
    plays = level_plays(known, 0 * known, np.ones((1, 3), bool), np.array([6.0]), np.ones(3), None)
    assert plays[0] == pytest.approx([5, 1, 0])


def test_whole_rounds_use_the_money_and_no_more():
    rng = np.random.default_rng(1)
    plays = rng.random((200, 5)) * 7
    money = plays.sum(axis=1)
    money, plays = np.round(money), plays * (np.round(money) / money)[:, None]
    counts = whole_rounds(plays, money, np.ones(5), rng)
    assert (counts.sum(axis=1) == money).all()
    assert (np.abs(counts - plays) < 1).all()
    prices = np.array([1.0, 20.0, 3.0, 1.0, 7.0])
    dear = whole_rounds(plays, plays @ prices, prices, rng)
    assert (dear @ prices <= plays @ prices + 1e-6).all()
