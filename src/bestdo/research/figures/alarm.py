"""How often the alarm is raised on a graph that is right, and how soon on one that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Rounds, concatenate
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.evidence.alarm import LEVEL, alarms, tables
from bestdo.evidence.homogeneity import largest_against_same
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.research.figures.benchmark_worlds import benchmark_worlds
from bestdo.simulate import World

__all__ = ["CHECKING", "experiment", "measure"]

CHECKING = "Causal top-two as in a study"
"""The label of the learner that spends a tenth of its rounds on checking the graph."""
_ROUNDS = 1000
_LOOK = 50
"""Rounds between two looks at the alarm. Fewer would detect a little earlier and take longer. Not measured."""
_SIZES = 0.0, 0.1, 0.2, 0.3, 0.4
"""The errors of the wrong graphs, in probability."""


def experiment() -> Experiment:
    """The benchmark worlds with right graphs, and two kinds of wrong graph: a missing common cause, a reversed arrow."""
    right = enumerate(benchmark_worlds().values())
    settings = [Setting(0.0, world, _ROUNDS, "the graph is right", {"world": i}) for i, world in right]
    settings += [Setting(size, _missing_cause(size), _ROUNDS, "a common cause is missing") for size in _SIZES]
    settings += [Setting(size, _reversed_arrow(size), _ROUNDS, "an arrow is reversed") for size in _SIZES]
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
        measure=measure,
    )


def _missing_cause(size: float) -> World:
    """A world with a hidden common cause of X1 and Y that the graph leaves out.

    P(Y = 1 | X1 = 1) is higher by `size` than P(Y = 1 | do(X1 = 1)).
    """
    names, strength = ["X1", "X2", "X3"], 0.4
    variables = [Variable("U", hidden=True), *map(Variable, names), Variable("Y")]
    believed = Graph.of(variables, [(n, "Y") for n in names], reward="Y")
    truth = Graph.of(variables, [("U", "X1"), ("U", "Y"), ("X2", "Y")], reward="Y")
    copies = np.array([0.5 - size / strength / 2, 0.5 + size / strength / 2])  # P(X1 = 1 | U)
    cause, other = np.array([-strength, strength]), np.array([-0.1, 0.1])
    order = truth.parents["Y"]
    success = 0.5 + (cause[:, None] + other if order == ("U", "X2") else other[:, None] + cause)
    rows: dict[str, ArrayLike] = {
        "U": [0.5, 0.5],
        "X1": _two(copies),
        "X2": [0.5, 0.5],
        "X3": [0.5, 0.5],
        "Y": _two(success),
    }
    return World(Problem(believed, Actions.single(believed)), Model(truth, rows), mistaken=True)


def _reversed_arrow(size: float) -> World:
    """A world in which B causes A while the graph says that A causes B; setting B moves P(A = 1) by `size` from 1/2."""
    variables = [Variable(n) for n in ("A", "B", "C", "Y")]
    believed = Graph.of(variables, [("A", "B"), ("B", "Y"), ("C", "Y")], reward="Y")
    truth = Graph.of(variables, [("B", "A"), ("B", "Y"), ("C", "Y")], reward="Y")
    success = 0.5 + np.array([-0.1, 0.1])[:, None] + np.array([-0.1, 0.1])
    rows: dict[str, ArrayLike] = {
        "A": _two(np.array([0.5 - size, 0.5 + size])),
        "B": [0.5, 0.5],
        "C": [0.5, 0.5],
        "Y": _two(success),
    }
    return World(Problem(believed, Actions.single(believed)), Model(truth, rows), mistaken=True)


def _two(chance: Floats) -> Floats:
    """The table of a two-valued variable, from its probabilities of the second value."""
    return np.stack([1 - chance, chance], axis=-1)


def measure(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """Whether the alarm was ever raised in each lane, and after how many rounds (NaN where it was not).

    Beside it, whether a test that is allowed only one look, after all rounds, contradicts the graph.
    """
    problem = world.problem
    statistic, state = learner.statistic(problem, horizon), learner.start(problem, horizon, lanes, rng)
    parts: list[Rounds] = []
    played, looked = 0, 0
    when = np.full(lanes, np.nan)
    while (plan := learner.ask(state, Request(), rng)) is not None:
        rounds = world.rounds(plan, rng)
        parts.append(rounds)
        state = learner.tell(state, plan, statistic.tally(rounds, lanes))
        played += int(plan.counts[0].sum())
        if played >= looked + _LOOK or played >= horizon:
            _look(problem, parts, when, played, rng)
            looked = played
    fixed = np.array([_contradicted(problem, rounds) for rounds in _by_lane(parts, lanes)], np.float64)
    return {"alarmed": (~np.isnan(when)).astype(np.float64), "after": when, "fixed": fixed}


def _by_lane(parts: list[Rounds], lanes: int) -> Iterator[Rounds]:
    """All rounds of each lane."""
    rounds = concatenate(parts)
    for k in range(lanes):
        yield rounds.pick(np.flatnonzero(rounds.lane == k))


def _contradicted(problem: Problem, rounds: Rounds) -> bool:
    """Whether a likelihood-ratio test of some claim is significant, all of them sharing the level of the alarm.

    The test is valid only for a number of rounds that is fixed in advance, and only about: it takes 2 log(ratio) for chi².
    """
    from scipy.special import chdtrc

    for _, counts, alpha in tables(problem, rounds, LEVEL):
        groups, values = (counts.sum(axis=2) > 0).sum(axis=1), (counts.sum(axis=1) > 0).sum(axis=1)
        freedom = (np.maximum(groups - 1, 0) * np.maximum(values - 1, 0)).sum()
        if freedom and chdtrc(freedom, 2 * largest_against_same(counts).sum()) <= alpha:
            return True
    return False


def _look(problem: Problem, parts: list[Rounds], when: Floats, played: int, rng: np.random.Generator) -> None:
    """Looks at the alarm in every lane that has none yet, and writes into `when` after how many rounds it was raised.

    Where all rounds were one block, they are put into a random order and looked at every `_LOOK` rounds.
    """
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
