"""How often the rounds contradict a graph that is right, and how soon one that is wrong: false alarms and detection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.evidence.alarm import LEVEL, alarms
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.experiments.figures.benchmark_worlds import twenty
from bestdo.learners import by_title
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import World

__all__ = ["CHECKING", "experiment", "measured", "missing_cause", "reversed_arrow"]

CHECKING = "Causal top-two as in a study"
_ROUNDS, _LOOK = 1000, 50
_SIZES = 0.0, 0.1, 0.2, 0.3, 0.4


def experiment() -> Experiment:
    """The twenty worlds with their own graphs; a missing cause and an arrow turned round, which matter more and more."""
    settings = [Setting(0.0, w, _ROUNDS, "the graph is right", {"world": i}) for i, w in enumerate(twenty().values())]
    settings += [Setting(size, missing_cause(size), _ROUNDS, "a common cause is missing") for size in _SIZES]
    settings += [Setting(size, reversed_arrow(size), _ROUNDS, "an arrow is reversed") for size in _SIZES]
    return Experiment(
        name="alarm",
        title="A right graph is hardly ever doubted, a wrong one as soon as it shows",
        x_label="how far what the graph says is from the truth",
        settings=tuple(settings),
        learners={**by_title("causal-top-two"), CHECKING: CausalTopTwo(check=0.1), **by_title("uniform")},
        caption=f"alarm at {LEVEL:g} for the whole study; {_ROUNDS:,} rounds, a look every {_LOOK}",
        y="alarmed",
        y_error="alarmed_error",
        y_label="share of the studies with an alarm",
        measure=measured,
    )


def missing_cause(size: float) -> World:
    """A hidden cause that nobody believes in: seeing X1 = 1 goes with a mean that is `size` higher than setting it."""
    names, strength = ["X1", "X2", "X3"], 0.4
    variables = [Variable("U", hidden=True), *map(Variable, names), Variable("Y")]
    believed = Graph.of(variables, [(n, "Y") for n in names], reward="Y")
    truth = Graph.of(variables, [("U", "X1"), ("U", "Y"), ("X2", "Y")], reward="Y")
    copies = np.array([0.5 - size / strength / 2, 0.5 + size / strength / 2])  # P(X1 = 1 | U)
    cause, other = np.array([-strength, strength]), np.array([-0.1, 0.1])
    order = truth.parents["Y"]
    success = 0.5 + (cause[:, None] + other if order == ("U", "X2") else other[:, None] + cause)
    tables: dict[str, ArrayLike] = {
        "U": [0.5, 0.5],
        "X1": _two(copies),
        "X2": [0.5, 0.5],
        "X3": [0.5, 0.5],
        "Y": _two(success),
    }
    return World(Problem(believed, Actions.single(believed)), Model(truth, tables), mistaken=True)


def reversed_arrow(size: float) -> World:
    """B causes A: setting B moves the chance of A by `size`. Believed: A causes B."""
    variables = [Variable(n) for n in ("A", "B", "C", "Y")]
    believed = Graph.of(variables, [("A", "B"), ("B", "Y"), ("C", "Y")], reward="Y")
    truth = Graph.of(variables, [("B", "A"), ("B", "Y"), ("C", "Y")], reward="Y")
    success = 0.5 + np.array([-0.1, 0.1])[:, None] + np.array([-0.1, 0.1])
    tables: dict[str, ArrayLike] = {
        "A": _two(np.array([0.5 - size, 0.5 + size])),
        "B": [0.5, 0.5],
        "C": [0.5, 0.5],
        "Y": _two(success),
    }
    return World(Problem(believed, Actions.single(believed)), Model(truth, tables), mistaken=True)


def _two(chance: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([1 - chance, chance], axis=-1)


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
