"""Actions that cannot be the best by the graph are played only where that teaches about others: over all learners."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import bestdo
from bestdo.bandit.statistic import rests_on_graph
from bestdo.errors import NotValid, TooLarge
from bestdo.learners import LEARNERS, learner
from bestdo.learners.game import game_of
from bestdo.simulate.driver import play_out

WORLDS = {
    "chain": ("x -> z -> y; w -> v", {}, False),
    "useless": ("x -> y; z -> y; v -> u", {}, False),
    "hidden": ("x -> z -> y; z <-> y; w -> y; a -> w", {}, False),
    "law": ("x -> z -> y; w -> y; v -> w", {}, True),
    "costs": ("x -> z -> y; w -> v", {"cost": {"default": 2.0, "do()": 1.0}}, False),
    "context": ("c -> y; x -> z -> y", {"set": ["x", "z"], "first": "c"}, False),
}
ROUNDS = 30


@lru_cache
def world(name):
    text, options, law = WORLDS[name]
    graph, rng = bestdo.Graph.parse(text, reward="y", success="1"), np.random.default_rng(0)
    high = {n: rng.uniform(0.1, 0.9, [graph.size(p) for p in graph.parents[n]]) for n in graph.names}
    model = bestdo.Model(graph, {n: np.stack([1 - p, p], axis=-1) for n, p in high.items()})
    problem = bestdo.Problem(graph, **options)
    return bestdo.World(replace(problem, law=model.parent_law(problem.actions)) if law else problem, model)


def plays(name, made, lanes=4):
    """How often each action is played, and whether the learner takes rounds of one action to tell about others."""
    found = game_of(learner(name), made.problem)
    counts = np.zeros(len(made.problem.actions))
    play_out(
        made,
        found,
        ROUNDS,
        lanes,
        np.random.default_rng(1),
        played=lambda p, _: np.add(counts, p.counts.sum(0), out=counts),
    )
    return counts, rests_on_graph(found.statistic(ROUNDS))


@pytest.mark.parametrize("where", WORLDS)
@pytest.mark.parametrize("name", LEARNERS)
def test_only_what_teaches_is_played(name, where):
    """Learners that count plays of each action alone never play what is dominated; others only what tells of others."""
    made = world(where)
    dominated = ~made.problem.contenders
    assert dominated.any()
    try:
        counts, shares = plays(name, made)
    except (NotValid, TooLarge):
        return
    if not shares and name != "raps":  # it learns what a variable changes by setting it, and knows no graph
        assert not counts[dominated].any()
    sets = np.array([bool(action) for action in made.problem.actions])
    if LEARNERS[name].goals == ("earn",):  # to earn, watching alone is paid for by what it teaches
        assert not counts[dominated & sets].any()
    if name.startswith("algorithm-1"):
        assert not counts[dominated & sets].any()


@pytest.mark.parametrize("name", ["uniform", "ucb", "thompson", "successive-rejects", "causal-thompson"])
def test_where_all_compete_all_are_played(name):
    """As in the paper's experiments, with limits, and where the goal is to earn and costs differ."""
    made = world("chain")
    everyone = replace(made.problem, all_compete=True)
    earning = replace(world("costs").problem, goal="earn")
    assert everyone.contenders.all()
    assert earning.contenders.all()
    assert not replace(earning, cost=(2.0,) * len(earning.actions)).contenders.all()
    assert not replace(earning, goal="find").contenders.all()
    limited = bestdo.Problem(made.problem.graph, set=["x", "z"], limits=bestdo.Limit("v", "1", at_most=0.9))
    assert limited.contenders.all()
    counts, _ = plays(name, replace(made, problem=everyone), lanes=12)
    assert (counts[~made.problem.contenders] > 0).any() if name == "causal-thompson" else (counts > 0).all()
