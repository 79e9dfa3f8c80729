"""Prices: 1 for each round where nothing costs anything, so that nobody has to ask whether there are costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bestdo import do
from bestdo.errors import ActionError, BestdoError


@pytest.fixture
def priced(farm):
    return replace(farm, cost={"default": 2, do(): 1})


def test_a_problem_without_costs_has_prices_of_one(farm):
    prices = farm.price_list
    assert prices.cost is None
    assert prices.each == (1,) * 7
    assert isinstance(prices.of("do()"), int)  # so that what is used of a horizon in rounds is a whole number in JSON
    assert farm.price(np.eye(7, dtype=np.int64)).tolist() == [1.0] * 7
    assert prices.of("do(long=gone)") == 1  # a log may hold an action whose values were cut anew
    assert (prices.columns, prices.cells(do()), prices.facts, prices.cost_of(do())) == ((), (), (), None)


def test_costs_are_prices(priced):
    prices = priced.price_list
    assert prices.each == priced.cost == (1.0, *(2.0,) * 6)
    assert prices.of("do()") == prices.of(do()) == prices.cost_of(do()) == 1.0
    assert priced.price(np.array([[3, 1, 0, 0, 0, 0, 0]])).tolist() == [5.0]
    assert (prices.columns, prices.cells(do()), prices.facts) == (("cost",), ("1",), ("a round costs from 1 to 2",))
    assert prices.bill(np.array([0, 1, 1])) == 5.0
    with pytest.raises(ActionError, match="unknown action"):
        prices.of("do(long=gone)")


def test_other_actions_keep_their_costs(farm, priced):
    some = [priced.actions[i] for i in (3, 0)]
    assert farm.price_list.of_actions(some) is None
    assert priced.price_list.of_actions(some) == (2.0, 1.0)
    assert (farm.price_list.repeated(2), priced.price_list.repeated(2)) == (None, priced.cost * 2)
    both = do(temperature="high", moisture="wet")
    with pytest.raises(ActionError, match=r"what do\(.*\) costs is not known"):
        priced.price_list.of_actions([both])


def test_one_action_more_needs_a_cost_where_the_others_have_one(farm, priced):
    new = do(temperature="high", moisture="wet")
    assert farm.price_list.with_another(new, None) is None
    assert priced.price_list.with_another(new, 3.0) == (*priced.cost, 3.0)
    with pytest.raises(BestdoError, match="the other actions cost nothing"):
        farm.price_list.with_another(new, 3.0)
    with pytest.raises(BestdoError, match="needs a cost, as the others have"):
        priced.price_list.with_another(new, None)


def test_what_earns_most_for_its_money(farm, priced):
    rewards = {0: 0.5, 1: 0.9}
    assert farm.price_list.best_buy(1, rewards) == 1
    assert priced.price_list.best_buy(1, rewards) == 0
    assert priced.price_list.best_buy(1, {}) == 1
    means = np.full((1, 7), 0.5)
    assert farm.price_list.rates(means, farm.graph) is means
    assert priced.price_list.rates(means, priced.graph).tolist() == [[0.5, *(0.25,) * 6]]
