"""The beginning of a simulation: nothing was played before, or the rounds of a running experiment, told in many lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.rounds import Plan, Progress, Rounds
from bestdo.bandit.statistic import Summing
from bestdo.bandit.sums import added, any_rounds, each_sum
from bestdo.learners.game import Game
from bestdo.simulate.prior import Prior
from bestdo.simulate.samplers import tally
from bestdo.simulate.world import World
from bestdo.simulate.world_batch import Worlds

__all__ = ["Beginning", "Played", "begin"]

Played = Callable[[Plan, "Ints | None"], None]
"""Is called with rounds that are played (int[L, A]), and the context of each lane (int[L]) where there are contexts."""


class Beginning(NamedTuple):
    """A game before the rounds that are simulated."""

    game: Game
    statistic: Summing
    state: Any
    money: Floats
    """float[L]: what is left of the horizon."""


def _spent(problem: Problem, progress: Progress) -> float:
    """The part of the horizon that the rounds played so far have taken."""
    parts = progress.blocks if progress.open is None else (*progress.blocks, progress.open)
    return sum(float(problem.price(_counts(problem, rounds))[0]) for rounds in parts)


def _counts(problem: Problem, rounds: Rounds) -> Ints:  # int[1, A]
    """The number of plays of each action in these rounds."""
    return np.bincount(rounds.action, minlength=len(problem.actions))[None, :]


def begin(
    world: World | Worlds | Prior,
    game: Game,
    more: float,
    lanes: int,
    rng: np.random.Generator,
    played: Played | None = None,
) -> Beginning:
    """The game after it was told all rounds so far, if there are any, and the open block was finished.

    What is left of the open block is played in a random order, another in each lane, as far as `more` rounds (or what
    may be spent) allow; `played` is called with these rounds.
    """
    progress, problem = world.progress, world.problem
    if progress.old is not None:
        times = progress.old.times
        game = game.with_old(float(len(progress.old.action) if times is None else times.sum()))
    horizon = more + _spent(problem, progress)
    statistic, state = game.statistic(horizon), game.start(horizon, lanes, rng)
    nothing = np.zeros((lanes, len(problem.actions)), np.int64)
    if progress.old is not None and any_rounds(sums := statistic.tally(progress.old, 1)):
        state = game.tell(state, Plan(nothing), _in_all_lanes(sums, lanes))
    for rounds in progress.blocks:
        counts = np.repeat(_counts(problem, rounds), lanes, axis=0)
        state = game.tell(state, Plan(counts), _in_all_lanes(statistic.tally(rounds, 1), lanes))
    money = np.full(lanes, float(more))
    if progress.open is not None:
        left = nothing[0] if progress.left is None else progress.left
        assert not isinstance(world, Prior)
        plan = Plan(_affordable(problem, left, lanes, more, rng))
        before = _in_all_lanes(statistic.tally(progress.open, 1), lanes)
        sums = added(before, tally(world, statistic, plan, rng))
        state = game.tell(state, Plan(plan.counts + _counts(problem, progress.open)), sums)
        money -= problem.price(plan.counts)
        if played is not None:
            played(plan, None)
    return Beginning(game, statistic, state, money)


def _affordable(problem: Problem, left: Ints, lanes: int, more: float, rng: np.random.Generator) -> Ints:  # int[L, A]
    """The rounds of a block (int[A]) that each lane can pay for with `more`, when they are played in a random order."""
    order = rng.permuted(np.tile(np.repeat(np.arange(len(left)), left), (lanes, 1)), axis=1)  # int[L, rounds]
    paid = np.cumsum(problem.prices[order], axis=1) <= more + SLACK
    cells = np.arange(lanes)[:, None] * len(left) + order
    return np.bincount(cells[paid], minlength=lanes * len(left)).reshape(lanes, len(left))


def _in_all_lanes(sums: Any, lanes: int) -> Any:
    """The sums of one lane, repeated for every lane."""
    return each_sum(lambda part: np.repeat(part, lanes, axis=0), sums)
