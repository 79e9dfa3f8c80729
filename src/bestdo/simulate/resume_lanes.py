"""Experiments that have begun: learners are told what is known, and go on from there in many lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import Learner, with_old
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.rounds import Begun, Plan, Rounds
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.simulate.samplers import tally
from bestdo.simulate.world_batch import Worlds

__all__ = ["resumed"]

Ints = NDArray[np.int64]


def _spent(problem: Problem, begun: Begun) -> float:
    """What has been taken from the horizon so far."""
    parts = begun.blocks if begun.open is None else (*begun.blocks, begun.open)
    return sum(float(problem.price(_counts(problem, rounds))[0]) for rounds in parts)


def _counts(problem: Problem, rounds: Rounds) -> Ints:  # int[1, A]
    return np.bincount(rounds.action, minlength=len(problem.actions))[None, :]


def resumed(
    worlds: Worlds, learner: Learner[Any], more: float, rng: np.random.Generator
) -> tuple[Learner[Any], Statistic, Any]:
    """The learner, its statistic and its state, once it was told what is known and the open block is finished.

    Of that block no more is played than `more` rounds, or money: the next ones in an order of each lane's own.
    """
    begun, problem, lanes = worlds.begun, worlds.problem, worlds.lanes
    if begun.old is not None:
        times = begun.old.times
        learner = with_old(learner, float(len(begun.old.action) if times is None else times.sum()))
    horizon = more + _spent(problem, begun)
    statistic = learner.statistic(problem, horizon)
    state = learner.start(problem, horizon, lanes, rng)
    nothing = np.zeros((lanes, len(problem.actions)), np.int64)
    if begun.old is not None and (sums := statistic.tally(begun.old, 1)).rounds.any():
        state = learner.tell(state, Plan(nothing), _same(sums, lanes))
    for rounds in begun.blocks:
        counts = np.repeat(_counts(problem, rounds), lanes, axis=0)
        state = learner.tell(state, Plan(counts), _same(statistic.tally(rounds, 1), lanes))
    if begun.open is not None:
        left = nothing[0] if begun.left is None else begun.left
        plan = Plan(_affordable(problem, left, lanes, more, rng))
        together = _same(statistic.tally(begun.open, 1), lanes).plus(tally(worlds, statistic, plan, rng))
        state = learner.tell(state, Plan(plan.counts + _counts(problem, begun.open)), together)
    return learner, statistic, state


def _affordable(problem: Problem, left: Ints, lanes: int, more: float, rng: np.random.Generator) -> Ints:  # int[L, A]
    """What of a block can still be paid for, when its rounds (int[A]) are played in a random order."""
    order = rng.permuted(np.tile(np.repeat(np.arange(len(left)), left), (lanes, 1)), axis=1)  # int[L, rounds]
    paid = np.cumsum(problem.prices[order], axis=1) <= more + SLACK
    cells = np.arange(lanes)[:, None] * len(left) + order
    return np.bincount(cells[paid], minlength=lanes * len(left)).reshape(lanes, len(left))


def _same(sums: Tally, lanes: int) -> Tally:
    """The sums of one lane in all of them."""
    return Tally(*(np.repeat(part, lanes, axis=0) for part in sums))
