"""Regret where arrows are in doubt: averaging over all candidates beside the true graph, wrong ones and none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds, concatenate
from bestdo.causal.doubts import Doubts
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.evidence.alarm import LEVEL, alarms
from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.top_two import TopTwo
from bestdo.simulate import World, final
from bestdo.simulate.family_tables import drawn_tables
from bestdo.study.contradiction import is_due

__all__ = ["ALL", "AVERAGED", "NONE", "TRUE", "WRONG", "doubtful_world", "experiment", "measure"]

AVERAGED, TRUE = "Average over all graphs", "The true graph"
WRONG, ALL, NONE = "A wrong graph, with the alarm", "All arrows assumed", "No graph"
_WORLDS = 20
_TIMES = 1, 2, 5, 10, 20
"""The horizons: so many rounds for each action."""
_LEAST = 0.1
"""The least advantage of the best action over the median one: with less there is nothing to find."""


class _DoubtfulWorld(NamedTuple):
    """A world whose graph is in doubt, the graph that is true, and one that is wrong in every doubtful arrow."""

    world: World
    true: Graph
    wrong: Graph


def experiment() -> Experiment:
    """Twenty random worlds of 6 to 10 variables with 2 to 6 doubtful arrows, half of which are there."""
    learners: dict[str, Learner[Any]] = {
        AVERAGED: CausalTopTwo(),
        TRUE: CausalTopTwo(),
        WRONG: CausalTopTwo(check=0.1),
        ALL: CausalTopTwo(),
        NONE: TopTwo(),
    }
    settings = []
    for i in range(_WORLDS):
        world, true, wrong = doubtful_world(i)
        graphs = {TRUE: true, WRONG: wrong, ALL: world.problem.graph, NONE: true}
        for label in learners:
            known = Problem(graphs[label], all_compete=label == NONE) if label in graphs else world.problem
            played = World(known, world.model, mistaken=True)
            others = frozenset(learners) - {label}
            each = len(known.actions)
            settings += [Setting(k, played, k * each, given={"problem": i}, left_out=others) for k in _TIMES]
    return Experiment(
        name="doubt",
        title="Arrows in doubt: the average over all graphs beside one graph that is believed",
        x_label="rounds for each action",
        settings=tuple(settings),
        learners=learners,
        caption="20 random worlds, 6 to 10 variables, 2 to 6 doubtful arrows of which half are there",
        y_error="regret_error",
        log_x=True,
        measure=measure,
        summary=_over_worlds,
    )


@lru_cache(maxsize=_WORLDS)
def doubtful_world(i: int) -> _DoubtfulWorld:
    """The i-th random world: arrows from earlier to later variables, tables by what is believed before any round."""
    rng = np.random.default_rng([1911, i])
    while True:
        size, each = int(rng.integers(6, 11)), int(rng.integers(1, 4))
        names = [f"X{k}" for k in range(1, size)] + ["Y"]
        variables = [Variable(n) for n in names]
        pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
        arrows = [pairs[k] for k in rng.permutation(len(pairs))]
        sure, there, not_there = arrows[:size], arrows[size : size + each], arrows[size + each : size + 2 * each]
        true, wrong, known = (
            Graph.of(variables, [*sure, *more], reward="Y", success="1") for more in (there, not_there, [])
        )
        doubts = Doubts.of(known, [(a, "?->", b) for a, b in sorted(there + not_there)])
        tables = {n: drawn_tables((2,) * len(true.parents[n]), 2, 1, rng)[0] for n in names}
        world = World(Problem(doubts), Model(true, tables), mistaken=True)
        if world.means.max() - np.median(world.means) >= _LEAST:
            return _DoubtfulWorld(world, true, wrong)


def measure(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The regret in each lane; a learner that checks the graph plays with the alarm, as in a study."""
    if getattr(learner, "check", None) is None:
        return {"regret": world.regret(learner.best(final(world, learner, horizon, lanes, rng)))}
    return {"regret": world.regret(_with_alarm(world, learner, int(horizon), lanes, rng))}


def _with_alarm(
    world: World, learner: Learner[Any], horizon: int, lanes: int, rng: np.random.Generator
) -> Ints:  # int[L]
    """The action kept in each lane, where top-two goes on from the plays alone once the rounds contradict the graph."""
    problem, plain = world.problem, TopTwo()
    by_graph, by_plays = problem, replace(problem, all_compete=True)
    statistic, played = learner.statistic(by_graph, horizon), plain.statistic(by_plays, horizon)
    state, other = learner.start(by_graph, horizon, lanes, rng), plain.start(by_plays, horizon, lanes, rng)
    alarmed, parts = np.zeros(lanes, bool), list[Rounds]()
    for number in range(1, horizon + 1):
        one, two = learner.ask(state, Request(), rng), plain.ask(other, Request(), rng)
        assert one is not None
        assert two is not None
        plan = Plan(np.where(alarmed[:, None], two.counts, one.counts))
        rounds = world.rounds(plan, rng)
        parts.append(rounds)
        state = learner.tell(state, plan, statistic.tally(rounds, lanes))
        other = plain.tell(other, plan, played.tally(rounds, lanes))
        if is_due(number):
            so_far = concatenate(parts)
            for lane in np.flatnonzero(~alarmed):
                own = so_far.pick(np.flatnonzero(so_far.lane == lane))
                alarmed[lane] = bool(alarms(problem, own._replace(lane=np.zeros_like(own.lane)), LEVEL))
    return np.where(alarmed, plain.best(other), learner.best(state))


def _over_worlds(rows: list[Row]) -> list[Row]:
    """The mean regret over all worlds; standard errors are those of the simulations, as the worlds are fixed."""
    groups: dict[tuple[float, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["x"], row["learner"]), []).append(row)
    made = []
    for (x, label), group in sorted(groups.items(), key=lambda one: one[0][0]):
        regret = sum(row["regret"] for row in group) / len(group)
        error = math.sqrt(sum(row["regret_error"] ** 2 for row in group)) / len(group)
        made.append(
            {
                "experiment": group[0]["experiment"],
                "panel": "",
                "x": x,
                "problems": len(group),
                "learner": label,
                "sims": sum(row["sims"] for row in group),
                "regret": regret,
                "regret_error": error,
            }
        )
    return made
