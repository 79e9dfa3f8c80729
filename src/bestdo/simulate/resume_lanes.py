"""Simulations that continue a running experiment: learners are told the rounds played so far, in many lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Ints
from bestdo.bandit.learner import Learner, with_old
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.rounds import Plan, Progress, Rounds
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.simulate.samplers import tally
from bestdo.simulate.world_batch import Worlds

__all__ = ["resume"]


def _spent(problem: Problem, progress: Progress) -> float:
    """The part of the horizon that the rounds played so far have taken."""
    parts = progress.blocks if progress.open is None else (*progress.blocks, progress.open)
    return sum(float(problem.price(_counts(problem, rounds))[0]) for rounds in parts)


def _counts(problem: Problem, rounds: Rounds) -> Ints:  # int[1, A]
    """The number of plays of each action in these rounds."""
    return np.bincount(rounds.action, minlength=len(problem.actions))[None, :]


def resume(
    worlds: Worlds,
    learner: Learner[Any],
    more: float,
    rng: np.random.Generator,
    played: Callable[[Plan, Ints | None], None] | None = None,
) -> tuple[Learner[Any], Statistic, Any, NDArray[np.float64]]:
    """The learner, its statistic and state, after it was told all rounds so far and the open block was finished.

    And what is left of `more` in each lane (float[L]).

    What is left of the open block is played in a random order, another in each lane, as far as `more` rounds (or what
    may be spent) allow; `played` is called with these rounds.
    """
    progress, problem, lanes = worlds.progress, worlds.problem, worlds.lanes
    if progress.old is not None:
        times = progress.old.times
        learner = with_old(learner, float(len(progress.old.action) if times is None else times.sum()))
    horizon = more + _spent(problem, progress)
    statistic = learner.statistic(problem, horizon)
    state = learner.start(problem, horizon, lanes, rng)
    nothing = np.zeros((lanes, len(problem.actions)), np.int64)
    if progress.old is not None and (sums := statistic.tally(progress.old, 1)).rounds.any():
        state = learner.tell(state, Plan(nothing), _in_all_lanes(sums, lanes))
    for rounds in progress.blocks:
        counts = np.repeat(_counts(problem, rounds), lanes, axis=0)
        state = learner.tell(state, Plan(counts), _in_all_lanes(statistic.tally(rounds, 1), lanes))
    money = np.full(lanes, float(more))
    if progress.open is not None:
        left = nothing[0] if progress.left is None else progress.left
        plan = Plan(_affordable(problem, left, lanes, more, rng))
        sums = _in_all_lanes(statistic.tally(progress.open, 1), lanes).plus(tally(worlds, statistic, plan, rng))
        state = learner.tell(state, Plan(plan.counts + _counts(problem, progress.open)), sums)
        money -= problem.price(plan.counts)
        if played is not None:
            played(plan, None)
    return learner, statistic, state, money


def _affordable(problem: Problem, left: Ints, lanes: int, more: float, rng: np.random.Generator) -> Ints:  # int[L, A]
    """The rounds of a block (int[A]) that each lane can pay for with `more`, when they are played in a random order."""
    order = rng.permuted(np.tile(np.repeat(np.arange(len(left)), left), (lanes, 1)), axis=1)  # int[L, rounds]
    paid = np.cumsum(problem.prices[order], axis=1) <= more + SLACK
    cells = np.arange(lanes)[:, None] * len(left) + order
    return np.bincount(cells[paid], minlength=lanes * len(left)).reshape(lanes, len(left))


def _in_all_lanes(sums: Tally, lanes: int) -> Tally:
    """The sums of one lane, repeated for every lane."""
    return Tally.each(lambda part: np.repeat(part, lanes, axis=0), sums)
