"""How often the rounds contradict a graph that is right, and how soon one that is wrong: false alarms and detection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.alarm import LEVEL, alarms
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.experiments.experiment import Experiment, Setting
from bestdo.experiments.titles import called
from bestdo.experiments.twenty import twenty
from bestdo.simulate import World

__all__ = ["experiment", "measured"]

_ROUNDS, _LOOK = 1000, 50


def experiment() -> Experiment:
    """The twenty worlds with their own graphs; with the hidden causes left out; with one arrow turned round."""
    settings = []
    for name, world in twenty().items():
        kind, _, size = name.partition(", ")
        at = int(size.split()[0])
        settings.append(Setting(at, world, _ROUNDS, panel=f"{kind}: the graph is right"))
        if kind == "hidden cause":
            settings.append(Setting(at, _believing(world, _unconfounded(world)), _ROUNDS, panel="a cause is missing"))
        if kind in ("tree", "common cause"):
            turned = _turned(world)
            if turned is not None:
                panel = f"{kind}: an arrow is reversed"
                settings.append(Setting(at, _believing(world, turned), _ROUNDS, panel=panel))
    return Experiment(
        name="alarm",
        title="A right graph is hardly ever doubted, a wrong one as soon as it shows",
        x_label="the number of variables",
        settings=tuple(settings),
        learners=called("causal-top-two", "uniform"),
        caption=f"alarm at {LEVEL:g} for the whole study; {_ROUNDS:,} rounds, a look every {_LOOK}",
        y="alarmed",
        y_error="alarmed_error",
        y_label="share of the studies with an alarm",
        measure=measured,
    )


def _believing(world: World, graph: Graph) -> World:
    """The same world, to people who believe in another graph."""
    actions = Actions(graph, list(world.problem.actions))
    return replace(world, problem=Problem(graph, actions), mistaken=True)


def _unconfounded(world: World) -> Graph:
    graph = world.problem.graph
    parents = {n: tuple(p for p in ps if p not in graph.hidden) for n, ps in graph.parents.items()}
    return Graph(graph.variables, parents, graph.reward, graph.success)


def _turned(world: World) -> Graph | None:
    """The graph with its first arrow between two variables, neither of them the reward, turned round."""
    graph = world.problem.graph
    arrows = [(p, n) for n in graph.names if n != graph.reward for p in graph.parents[n]]
    if not arrows:
        return None
    cause, effect = arrows[-1]
    parents = {n: tuple(p for p in ps if (p, n) != (cause, effect)) for n, ps in graph.parents.items()}
    parents[cause] = (*parents[cause], effect)
    return Graph(graph.variables, parents, graph.reward, graph.success)


def measured(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, NDArray[np.float64]]:
    """Whether the alarm was ever raised, and after how many rounds."""
    problem = world.problem
    statistic, state = learner.statistic(problem, horizon), learner.start(problem, horizon, lanes, rng)
    parts: list[Rounds] = []
    played, looked = 0, 0
    when = np.full(lanes, np.nan)
    while (plan := learner.ask(state, rng)) is not None:
        rounds = world.rounds(plan, rng)
        parts.append(rounds)
        state = learner.tell(state, plan, statistic.tally(rounds, lanes))
        played += int(plan.counts[0].sum())
        if played >= looked + _LOOK or played >= horizon:
            _look(problem, parts, when, played, rng)
            looked = played
    return {"alarmed": (~np.isnan(when)).astype(np.float64), "after": when}


def _look(
    problem: Problem, parts: list[Rounds], when: NDArray[np.float64], played: int, rng: np.random.Generator
) -> None:
    """Compares the rounds of every lane that has no alarm yet; a block that was played at once is looked at bit by bit."""
    lane, action, x, y = (np.concatenate([getattr(part, name) for part in parts]) for name in Rounds._fields[:4])
    for k in np.flatnonzero(np.isnan(when)):
        mine = np.flatnonzero(lane == k)
        if len(parts) == 1:
            mine = rng.permutation(mine)
        steps = range(_LOOK, played + 1, _LOOK) if len(parts) == 1 else [played]
        for upto in steps:
            those = mine[:upto]
            if alarms(problem, Rounds(np.zeros(len(those), np.int64), action[those], x[those], y[those])):
                when[k] = upto
                break
