"""Rounds of counts weigh by their exposure in beliefs that rest on the graph, as in learners of own rounds."""

import numpy as np
import pytest

from bestdo import Graph, Number, Problem, Variable
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.learners import CausalThompson, CausalTopTwo, Thompson

GRAPHS = {  # arrows, and pairs that share a hidden cause
    "tables": ([("shift", "tickets"), ("tool", "tickets")], []),
    "causes of causes": ([("shift", "tool"), ("tool", "tickets"), ("shift", "tickets")], []),
    "strata": ([("shift", "tool"), ("tool", "tickets")], [("shift", "tickets")]),
    "columns": ([(name, "tickets") for name in ("shift", "tool", *(f"x{i}" for i in range(8)))], []),
    "plays": ([("shift", "tool"), ("tool", "tickets")], [("tool", "tickets")]),
}


def problem_of(graph):
    """The hours of each round, and the tickets that came in."""
    numbers = [Variable("hours", number=Number(low=0)), Variable("tickets", number=Number.count(exposure="hours"))]
    causes = dict.fromkeys(name for arrow in GRAPHS[graph][0] for name in arrow if name != "tickets")
    drawn = Graph.of([*map(Variable, causes), *numbers], *GRAPHS[graph])
    return Problem(drawn.rewarding("tickets", aim="maximise"), set=["tool"])


def told(learner, problem, y, hours, rng, lanes=1):
    """The estimates after rounds (float[L × R]) of all actions in turn; causes are drawn at random."""
    each = len(y) // lanes
    action = np.tile(np.arange(each) % len(problem.actions), lanes)
    codes = problem.actions.codes[action]
    x = rng.integers(0, 2, codes.shape)
    for i, name in enumerate(problem.graph.names):
        x[:, i] = -1 if name in problem.graph.hidden else 0 if name in ("hours", "tickets") else x[:, i]
    rounds = Rounds(
        np.repeat(np.arange(lanes), each), action, np.where(codes >= 0, codes, x), y, None, {"hours": hours}
    )
    plan = Plan(np.tile(np.bincount(action[:each], minlength=len(problem.actions)), (lanes, 1)))
    state = learner.start(problem, each, lanes, rng)
    return learner.estimates(learner.tell(state, plan, learner.statistic(problem, each).tally(rounds, lanes)))


@pytest.mark.parametrize("learner", [CausalTopTwo(), CausalThompson(), Thompson()])
@pytest.mark.parametrize("graph", GRAPHS)
def test_means_are_events_per_hour(learner, graph):
    """One hour without a ticket and 99 hours with two an hour, again and again: 198 tickets in 100 hours, not 1 an hour."""
    long = np.arange(480) // 6 % 2 > 0
    y, hours = np.where(long, 2.0, 0.0), np.where(long, 99.0, 1.0)
    found = told(learner, problem_of(graph), y, hours, np.random.default_rng(1))
    assert found.mean[0] == pytest.approx(np.full(found.mean.shape[1], 1.98), abs=0.05)


@pytest.mark.parametrize("graph", GRAPHS)
def test_intervals_hold_where_exposures_differ(graph):
    """95 % intervals of 400 studies of 60 rounds, of 1 or 20 hours, with three tickets an hour: 95 % would be 380 ± 4.4.

    They are at most 1.3 times as long as those of all tickets in all hours; 2.3 times where each round counts alike.
    """
    rng, lanes, rounds = np.random.default_rng(2), 400, 60
    hours = np.where(rng.random(lanes * rounds) < 0.5, 1.0, 20.0)
    y = rng.poisson(3 * hours) / hours
    found = told(CausalTopTwo(), problem_of(graph), y, hours, rng, lanes)
    held = ((found.low <= 3) & (found.high >= 3)).mean(axis=0)
    assert (held >= 0.935).all(), held
    width = (found.high - found.low).mean()
    per_action = hours.sum() / lanes / found.mean.shape[1]
    assert width <= 1.3 * 2 * 1.96 * np.sqrt(3 / per_action), width
