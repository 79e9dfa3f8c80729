"""The state of a learner from rounds: the same learners as in simulations, told block by block.

The state is a fold over blocks: the results of the rounds of a block are summed by the learner's statistic, and `tell` adds
them to the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan, Rounds, rewards
from bestdo.bandit.statistic import Summing, takes_unknown
from bestdo.bandit.sums import any_rounds, by_name, tallies
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Intervention
from bestdo.causal.graph import Graph
from bestdo.causal.number import read_number
from bestdo.learners.game import Game
from bestdo.memory_cache import memory_cache
from bestdo.study.settings import Settings

__all__ = ["Row", "rounds_of", "start_state", "tell_old", "tell_rounds", "tell_rows"]


@dataclass(frozen=True)
class Row:
    """The result of one round."""

    action: str
    values: dict[str, str]
    deviated: bool
    """Whether the told values contradict those that were set: then the round counts for nothing."""


@memory_cache
def _start(game: Game, horizon: float, seed: int) -> Any:
    """The state of `start` in one lane, which is cached."""
    return game.start(horizon, 1, np.random.default_rng([seed, 0]))


def start_state(settings: Settings) -> Any:
    """The game's state before the first round; the same at every call, because the seed gives its random numbers."""
    return _start(settings.game, settings.horizon, settings.seed)


def tell_rows(state: Any, game: Game, horizon: float, rows: Sequence[Row]) -> Any:
    """The state after the results of a block, or of a part of one."""
    return tell_rounds(state, game, horizon, rounds_of(rows, game.problem))


def tell_rounds(state: Any, game: Game, horizon: float, rounds: Rounds) -> Any:
    """The state after rounds in arrays: a block, or a part of one."""
    counts = np.bincount(rounds.action, minlength=len(game.problem.actions))[None, :]
    return game.tell(state, Plan(counts), game.statistic(horizon).tally(rounds, 1))


def tell_old(state: Any, game: Game, horizon: float, old: OldData) -> Any:
    """The state after old data, which use up none of the horizon; they are told before the first block."""
    statistic = game.statistic(horizon)
    if old.sums is None:
        sums = statistic.tally(old.rounds(game.problem), 1)
    else:
        sums = _kept(old.sums, statistic, statistic.tally(rounds_of([], game.problem), 1))
    nothing = Plan(np.zeros((1, len(game.problem.actions)), np.int64))
    return game.tell(state, nothing, sums) if any_rounds(sums) else state


def _kept(sums: Tally, statistic: Summing, nothing: Any) -> Any:
    """The sums that a log has of old data, under the names of the sums over nothing; these where they are of another kind.

    Beliefs that share more than those of earlier versions have cells for rounds of which only the actions are known that
    they are as good as. These cells are the last ones, and what earlier versions counted of each action belongs there.
    """
    missing = sum(part.weight.shape[1] for part in tallies(nothing)) - sums.weight.shape[1]
    if missing == 0:
        return by_name(sums, nothing)
    of_actions = sums.weight.shape[1] == len(statistic.problem.actions)
    if missing > 0 and of_actions and isinstance(nothing, Tally) and takes_unknown(statistic):
        return by_name(Tally.zeros(1, missing).beside(sums), nothing)
    return nothing


@memory_cache
def _places(graph: Graph) -> dict[tuple[str, str], tuple[int, int]]:
    """The column of each variable and the code of each of its values."""
    return {(v.name, value): (i, code) for i, v in enumerate(graph.variables) for code, value in enumerate(v.values)}


def rounds_of(rows: Sequence[Row], problem: Problem) -> Rounds:
    """The results that count, as arrays; -1 where a value is missing."""
    graph = problem.graph
    rows = [row for row in rows if not row.deviated]
    x = np.full((len(rows), len(graph.names)), -1, np.int16)
    places = _places(graph)
    for r, row in enumerate(rows):
        found = [places.get(pair) or _place(graph, *pair) for pair in row.values.items()]
        x[r, [place for place, _ in found]] = [code for _, code in found]
    number = {text: problem.actions.index(Intervention.parse(text)) for text in {row.action for row in rows}}
    action = np.array([number[row.action] for row in rows], np.int64)
    numbers = _numbers(rows, dict.fromkeys((*graph.rewarded.numbers, *problem.measured)))
    y = rewards(graph, x, numbers)
    return Rounds(np.zeros(len(rows), np.int64), action, x, y, numbers=problem.numbers(numbers))


def _numbers(rows: Sequence[Row], names: Iterable[str]) -> dict[str, Floats]:
    """The numbers of some variables, NaN where one was not told."""
    told = {n: [read_number(n, row.values[n]) if n in row.values else np.nan for row in rows] for n in names}
    return {name: np.array(column, np.float64) for name, column in told.items()}


def _place(graph: Graph, name: str, value: str) -> tuple[int, int]:
    """The column of a variable and the code of a value that is a number; raises GraphError for what is unknown."""
    return graph.names.index(graph.variable(name).name), graph.variable(name).code(value)
