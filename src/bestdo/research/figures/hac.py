"""Summed regret where the graph is right, and where the rounds contradict it: learners that trust it, or not, or find out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.evidence.alarm import LEVEL, alarms
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title, learner
from bestdo.research.worlds.earning_worlds import contradicting_context, screening_context
from bestdo.simulate import World, final
from bestdo.study.contradiction import is_due

__all__ = ["WithAlarm", "experiment", "measure"]

_BENIGN, _CONTRADICTED = range(500, 3001, 500), range(500, 5001, 500)


@dataclass(frozen=True)
class WithAlarm:
    """A learner that trusts the graph until the alarm of a study is raised, and Thompson sampling of plays afterwards."""

    trusting: Any
    plain: Any


def experiment() -> Experiment:
    """Both settings of Bilodeau, Wang & Roy (2022), with as many rounds as theirs."""
    benign = [Setting(t, screening_context(t), t, panel="the graph is right") for t in _BENIGN]
    wrong = [Setting(t, contradicting_context(), t, panel="the rounds contradict the graph") for t in _CONTRADICTED]
    return Experiment(
        name="hac",
        title="Trust in a graph, lost where the rounds contradict it",
        x_label="T, the number of rounds",
        settings=(*benign, *wrong),
        learners={
            **by_title("ucb", "thompson"),
            "C-UCB": learner("c-ucb", radius=0.5),
            **by_title("c-ucb-2", "c-ts", "hac-ucb", "causal-thompson"),
            "Causal Thompson in a study": WithAlarm(learner("causal-thompson"), learner("thompson")),  # type: ignore[dict-item]
        },
        caption=f"Bilodeau, Wang & Roy (2022): 20 actions, one cause of two values between them and the reward; "
        f"alarm at {LEVEL:g}",
        y="regret",
        y_error="regret_error",
        y_label="regret, summed over the rounds",
        measure=measure,
    )


def measure(
    world: World, learner: Learner[Any] | WithAlarm, horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The summed regret of each lane by true means, and whether the learner stopped to trust the graph."""
    lost = np.full(lanes, np.nan)
    if isinstance(learner, WithAlarm):
        played, alarmed = _play_with_alarm(world, learner, horizon, lanes, rng)
        lost = alarmed.astype(np.float64)
    else:
        state = final(world, learner, horizon, lanes, rng)
        played = learner.estimates(state).played
        if hasattr(state, "trusts"):
            lost = 1.0 - state.trusts
    return {"regret": played @ (world.means.max() - world.means), "distrusts": lost}


def _play_with_alarm(
    world: World, learner: WithAlarm, horizon: float, lanes: int, rng: np.random.Generator
) -> tuple[Floats, Bools]:  # float[L, A] and bool[L]
    """The plays of each action, and the lanes in which the alarm was raised: looked for as often as in a study."""
    problem = world.problem
    both = learner.trusting, learner.plain
    statistics = [each.statistic(problem, horizon) for each in both]
    states = [each.start(problem, horizon, lanes, rng) for each in both]
    graph = problem.graph
    z = [graph.names.index(n) for n in graph.parents[str(graph.reward)]]
    cells = np.zeros((lanes, len(problem.actions), *(graph.size(graph.names[i]) for i in z), 2))
    alarmed = np.zeros(lanes, bool)
    for number in range(1, int(horizon) + 1):
        plans = [each.ask(state, Request(), rng).counts for each, state in zip(both, states, strict=True)]
        plan = Plan(np.where(alarmed[:, None], plans[1], plans[0]))
        rounds = world.rounds(plan, rng)
        states = [
            each.tell(state, plan, statistic.tally(rounds, lanes))
            for each, state, statistic in zip(both, states, statistics, strict=True)
        ]
        np.add.at(cells, (rounds.lane, rounds.action, *rounds.x[:, z].T, rounds.y.astype(int)), 1)
        if is_due(number):
            for lane in np.flatnonzero(~alarmed):
                alarmed[lane] = bool(alarms(problem, _as_rounds(problem, cells[lane], z)))
    return cells.reshape(lanes, len(problem.actions), -1).sum(axis=2), alarmed


def _as_rounds(problem: Problem, cells: Floats, z: list[int]) -> Rounds:
    """The rounds of one lane, from their counts by action, values of the reward's parents, and reward."""
    where = np.argwhere(cells > 0)
    x = problem.actions.codes[where[:, 0]].copy()
    x[:, z] = where[:, 1:-1]
    reward = problem.graph.names.index(str(problem.graph.reward))
    x[:, reward] = where[:, -1]
    times = cells[tuple(where.T)].astype(np.int64)
    return Rounds(np.zeros(len(where), np.int64), where[:, 0], x, where[:, -1] == 1, times)
