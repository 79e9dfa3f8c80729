"""The shop: its means by hand, mostly zeros, old visits that mislead, and limits that cost something."""

from __future__ import annotations

import math
from contextlib import nullcontext

import numpy as np
import pytest

from bestdo.causal.action import do
from bestdo.errors import TooLarge
from bestdo.learners.beliefs.column_belief import ColumnBelief
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.unfolding import unfolded
from bestdo.research.worlds.shop import FIRST, SETTINGS, segments_of_shop, shop, shop_for_everybody


def test_a_mean_is_the_product_of_its_effects() -> None:
    world = shop()
    means, shares = world.means_by_context
    action = world.problem.actions.index(
        do({"price": "usual", "delivery": "free", "photos": "scene", "advice": "chat"})
    )
    telephone, member = 0, 2
    added = -0.15 + 0.22 + 0.05 + 0.03 + 0.06 + 0.12 - 0.12 - 0.12 + 0.07 + 0.10 + 0.12
    assert means[3 * telephone + member, action] == pytest.approx(3.9 * math.exp(added))
    assert shares[3 * telephone + member] == pytest.approx(0.62 * 0.18)


def test_segments_have_the_means_of_visitors_and_the_limit_of_them() -> None:
    one, many = shop(), segments_of_shop()
    assert many.means_by_context[0] == pytest.approx(one.means_by_context[0])
    assert (many.breaks_by_context == one.breaks_by_context).all()
    assert list(map(str, shop_for_everybody().actions)) == list(map(str, one.problem.actions))
    assert len(one.problem.actions) == 1 + math.prod(map(len, SETTINGS.values()))
    assert len(one.problem.contexts) == math.prod(map(len, FIRST.values()))


def test_most_visitors_buy_nothing_and_old_visits_mislead() -> None:
    """Members, who buy more anyway, got the lowest price: by old visits it looks better than it is for everybody."""
    world, size = shop(), 2_000_000
    names = world.problem.graph.names
    x, numbers = world.sample_given(
        np.full((size, len(names)), -1, np.int16), np.zeros(size, np.int64), np.random.default_rng(0)
    )
    revenue, price, visitor = numbers["revenue"], x[:, names.index("price")], x[:, names.index("visitor")]
    assert 0.93 < (revenue == 0).mean() < 0.96
    seen = revenue[price == 2].mean() - revenue[price == 0].mean()
    within = [
        revenue[(price == 2) & (visitor == v)].mean() - revenue[(price == 0) & (visitor == v)].mean() for v in range(3)
    ]
    assert seen > np.dot([0.5, 0.32, 0.18], within) + 0.1  # 0.36 in truth, and 4 standard errors are 0.26


def test_the_limit_costs_something_in_some_contexts_only() -> None:
    world = shop()
    means, breaks = world.means_by_context[0][:, 1:], world.breaks_by_context[:, 1:]
    best = means.argmax(axis=1)
    assert 0 < breaks[np.arange(6), best].sum() < 6
    assert not breaks.all(axis=1).any()


@pytest.mark.parametrize("hour", [False, True])
def test_the_shop_is_believed_in_columns_also_where_tables_do_not_fit(hour: bool) -> None:
    problem = unfolded(segments_of_shop(limited=False, hour=hour).problem)
    assert isinstance(MissingParentsBelief.of(problem).whole, ColumnBelief)
    with pytest.raises(TooLarge) if hour else nullcontext():
        FamilyBelief(problem)
