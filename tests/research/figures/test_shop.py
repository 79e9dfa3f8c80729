"""The figure shop: what studies are told, and what is measured of them."""

from __future__ import annotations

import numpy as np
import pytest

from bestdo.bandit.goal import EARN, FIND
from bestdo.experiments import experiment
from bestdo.learners import learner
from bestdo.research.figures.shop import measure, shop_study
from bestdo.research.figures.shop_slots import SLOTS, VISITORS, WAYS, _Play


@pytest.mark.parametrize("way", WAYS)
def test_uniform_plays_earn_the_mean_of_all_actions(way: str) -> None:
    """Within 5 sigma of what chance gives: contexts and actions are drawn for each visitor, segment or slot."""
    study = shop_study(way, FIND, limited=True, late=2)
    found = measure(study, learner("uniform"), WAYS[way][1], 4, np.random.default_rng(1))
    means, shares = study.means_by_context
    rounds = 4 * {"visitor by visitor": SLOTS * VISITORS / 10, "by segment": SLOTS * 6, "one action a slot": SLOTS}[way]
    sigma = (
        means[:, 1:].std() / np.sqrt(rounds) * (1 if way != "by segment" else 1.5)
    )  # segments are of different sizes
    assert found["earned"].mean() == pytest.approx((shares @ means[:, 1:]).mean(), abs=5 * sigma)
    share = (shares @ study.broken[:, 1:]).mean()
    assert found["broken_meanwhile"].mean() == pytest.approx(share, abs=5 * 0.5 / np.sqrt(rounds))
    assert (found["kept"] <= (shares * means.max(axis=1)).sum()).all()
    assert ((found["broken"] >= 0) & (found["broken"] + found["none"] <= 1 + 1e-9)).all()


def test_a_segment_is_told_as_the_means_of_its_visitors() -> None:
    study = shop_study("by segment", EARN, limited=True)
    play = _Play(study, study.broken, study.asked, learner("thompson"), 360, 2, np.random.default_rng(2), False)
    lane, context = np.repeat([0, 1], 30), np.repeat([4, 1], 30)
    visits = play.visits(lane, context, np.full(60, 7))
    one = play.means_of(visits, lane)
    graph = study.problem.graph
    assert one.lane.tolist() == [0, 1]
    assert [study.asked.graph.in_unit(y) for y in one.y] == pytest.approx(
        [visits.numbers["revenue"][lane == k].mean() for k in (0, 1)]
    )
    support = visits.x[:, graph.names.index("support")]
    assert one.numbers["support"] == pytest.approx([support[lane == k].mean() for k in (0, 1)])
    assert study.asked.contexts.numbers(one.x).tolist() == [4, 1]


def test_results_are_told_so_many_slots_late() -> None:
    study = shop_study("one action a slot", FIND, limited=False)
    play = _Play(study, study.broken, study.asked, learner("thompson"), SLOTS, 1, np.random.default_rng(3), False)
    told = []
    for _ in range(6):
        action = play.ask(np.zeros(1, np.int64), 1)
        lane = np.zeros(VISITORS, np.int64)
        visits = play.visits(lane, np.zeros(VISITORS, np.int64), action[lane])
        play.slot_ends(play.means_of(visits, lane), 2)
        told.append(int(play.state.own.tally.weight.sum()))
    assert told == [0, 0, 1, 2, 3, 4]


def test_the_best_of_all_is_what_keeps_the_limit() -> None:
    values = {(s.panel, s.x): s.given["most"] for s in experiment("shop").settings}
    assert values["by segment, no limit", "find"] == pytest.approx(6.177, abs=0.001)
    assert values["by segment, limit, late results", "find"] == pytest.approx(5.626, abs=0.001)
    assert values["one action a slot, limit, late results", "earn"] < values["one action a slot, no limit", "earn"]
