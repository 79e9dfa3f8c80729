"""Whole simulations by compiled loops without arrays between, for learners and worlds that have such a loop.

They draw the same random numbers in the same order as the driver in `play.py` does with `ask`, `tally` and `tell`, so every
lane keeps the same action (`tests/simulate/test_fused_play.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Ints
from bestdo.bandit.learner import Learner, Ties
from bestdo.bandit.problem import SLACK
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.algorithm_1 import ParallelBandit, watching_rounds
from bestdo.learners.algorithm_2 import EQUAL, GeneralAlgorithm
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.game import Game
from bestdo.learners.rejection_phases import HasSchedule, start_phases
from bestdo.learners.sequential_halving import SequentialHalving
from bestdo.learners.successive_rejects import SuccessiveRejects
from bestdo.simulate import parallel_kernels
from bestdo.simulate.parallel_sums import seen_law, weighed_classes
from bestdo.simulate.world import World
from bestdo.simulate.world_batch import Worlds
from bestdo.statistics.importance import Importance
from bestdo.statistics.seen import Seen

__all__ = ["fused", "fused_final", "kept_by_loop"]

Played = Callable[[Plan, "Ints | None"], None]
Loop = Callable[[int, np.random.Generator], Ints]
"""Plays so many lanes: the action that each keeps (int[L])."""

_PREPARED = 4
"""Loops that are kept with what they need of a world and a learner: chunks of the same ones are played in turn."""


def fused(
    world: World | Worlds, game: Game, horizon: float, lanes: int, rng: np.random.Generator, played: Played | None
) -> Any | None:
    """The state of a game after all its rounds, where there is a loop for it; else None."""
    if not isinstance(world, World) or not game.bare:
        return None
    own = fused_final(world, game.learner, horizon, lanes, rng, played)
    return None if own is None else game.around(own)


def fused_final(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator, played: Played | None
) -> Any | None:
    """The state of a learner after all its rounds; None where there is no loop for it and the world.

    `played` is called with the rounds of each block, as the driver does.
    """
    final = world.problem.graph.rewarded.drawn_by(_FINALS).get(type(learner))
    return None if final is None else final(world, learner, horizon, lanes, rng, played)


def _causal_top_two(
    world: World, learner: CausalTopTwo, horizon: float, lanes: int, rng: np.random.Generator, played: Played | None
) -> Any | None:
    """The state of causal top-two after all its rounds; None where there is no loop for the world."""
    statistic = learner.statistic(world.problem, horizon)
    if type(statistic) is not Seen or (plays := learner.plays_of_lanes(world.problem, horizon)) is None:
        return None
    if (law := seen_law(world, statistic)) is None:
        return None
    state, memory = learner.start(world.problem, horizon, lanes, rng), parallel_kernels.Lanes(law, lanes)
    weight, reward, count = (np.zeros(state.played.shape) for _ in range(3))
    sums, block, money = Tally.from_counts(weight, reward), 0, float(horizon)
    plan, each = np.zeros(count.shape, np.int64), np.arange(lanes)
    while money + SLACK >= 1:
        chosen = plays(sums, count, state.ties, block, rng)
        parallel_kernels.add_seen_round(law, memory, chosen, rng, weight, reward, count)
        block, money = block + 1, money - 1
        if played is not None:
            plan[each, chosen] = 1
            played(Plan(plan), None)
            plan[each, chosen] = 0
    return state._replace(block=block, tally=sums, played=count, money=np.full(lanes, money))


_FINALS: dict[type, Callable[..., Any]] = {CausalTopTwo: _causal_top_two}
"""The loops to a learner's last state."""


def kept_by_loop(
    world: World | Worlds, game: Game, horizon: float, lanes: int, rng: np.random.Generator
) -> Ints | None:  # int[L]
    """The action that a game keeps in each lane; None where there is no loop for its learner and the world.

    There are loops for Algorithm 1, Algorithm 2 (both with their defaults), Successive Rejects and Sequential Halving.
    """
    known: Any = game.learner
    if (
        type(known) not in world.problem.graph.rewarded.drawn_by(_LOOPS)
        or not isinstance(world, World)
        or not game.bare
    ):
        return None
    if world.problem.cost is not None:
        return None
    loop = _loop(world, known, horizon)
    return None if loop is None else loop(lanes, rng)


@lru_cache(_PREPARED)
def _loop(world: World, learner: Any, horizon: float) -> Loop | None:
    """The loop for a learner in a world."""
    return _LOOPS[type(learner)](world, learner, horizon)


class _Memory(threading.local):
    """The memory of the last loop of this thread: to get it anew for every chunk took half of the time."""

    last: NDArray[Any] = np.empty(0)

    def zeros(self, kind: type, shape: tuple[int, ...]) -> NDArray[Any]:
        """An array of zeros, in the memory of the last one where that has the same shape."""
        if self.last.shape != shape or self.last.dtype != kind:
            self.last = np.empty(shape, kind)
        self.last.fill(0)
        return self.last


_memory = _Memory()


def _keys(lanes: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """The keys of ties, as `Ties` draws them."""
    return rng.integers(0, 2**64, size=lanes, dtype=np.uint64)


def _watch_then_act(world: World, learner: ParallelBandit, horizon: float) -> Loop | None:
    """The loop of Algorithm 1."""
    problem = world.problem
    counts = learner.start(problem, horizon, 1, np.random.default_rng(0)).counts
    law = seen_law(world, Seen(problem))
    if learner != ParallelBandit() or law is None:
        return None
    first = int(watching_rounds(counts)[2][0])
    second = int(counts.left[0]) - first
    if first < 1 or second < 1:
        return None
    contenders, label = np.array(problem.contenders), counts.ties.label

    def play(lanes: int, rng: np.random.Generator) -> Ints:
        best, key = np.empty(lanes, np.int64), _keys(lanes, rng)
        sums = _memory.zeros(np.float64, (2, lanes, len(contenders)))
        parallel_kernels.watch_then_act(law, contenders, first, second, key, label, rng, sums, best)
        return best

    return play


def _weigh_all(world: World, learner: GeneralAlgorithm, horizon: float) -> Loop | None:
    """The loop of Algorithm 2."""
    problem = world.problem
    state = learner.start(problem, horizon, 1, np.random.default_rng(0))
    statistic = learner.statistic(problem, horizon)
    plain = learner.estimator == "self-normalised" and learner.rounded and not learner.first_of_equals
    if not plain or learner.watched or not isinstance(statistic, Importance) or not statistic.eta[-1] > 0:
        return None
    if (classes := weighed_classes(world, statistic)) is None:
        return None
    rounds = int(state.left[0])
    upto = np.minimum(np.cumsum(rounds * statistic.eta), rounds)
    upto[-1] = rounds
    design = np.flatnonzero(statistic.eta)
    until, after = upto[design], np.where(design > 0, upto[design - 1], -1.0)
    contenders, label = np.array(problem.contenders), state.ties.label

    def play(lanes: int, rng: np.random.Generator) -> Ints:
        best, key = np.empty(lanes, np.int64), _keys(lanes, rng)
        start = rng.random((lanes, 1))
        plays = np.floor(until + start) - np.maximum(np.floor(after + start), 0)
        how = contenders, EQUAL, key, label, rng, _memory.zeros(np.float64, (2, lanes, len(contenders))), best
        parallel_kernels.weigh_all(plays.astype(np.int64), *classes, *how)
        return best

    return play


def _reject(world: World, learner: HasSchedule, horizon: float) -> Loop | None:
    """The loop of learners that reject actions in phases."""
    start = start_phases(learner, world.problem, horizon, 1, np.random.default_rng(0))
    ties: Ties = start.counts.ties
    distinct = len(np.unique(ties.label)) == len(ties.label)
    means, rounds = world.means, int(start.counts.left[0])
    if not start.schedule and 1 <= rounds <= start.alive.shape[1]:
        return _play_some(means, np.array(world.problem.contenders), rounds, ties.label)
    if not start.schedule or start.schedule[-1][1] != 1 or not distinct:
        return None
    among, schedule = start.alive[0].copy(), np.array(start.schedule, np.int64)

    def play(lanes: int, rng: np.random.Generator) -> Ints:
        best, key = np.empty(lanes, np.int64), _keys(lanes, rng)
        memory = _memory.zeros(np.int32, (2, lanes, len(among)))
        parallel_kernels.reject(means, among, schedule, key, ties.label, rng, memory, best)
        return best

    return play


def _play_some(
    means: NDArray[np.float64], contenders: NDArray[np.bool_], rounds: int, label: NDArray[np.uint32]
) -> Loop:
    """The loop of the same learners where there are too few rounds for phases."""

    def play(lanes: int, rng: np.random.Generator) -> Ints:
        best, key = np.empty(lanes, np.int64), _keys(lanes, rng)
        parallel_kernels.play_some(means, contenders, rounds, key, label, rng, best)
        return best

    return play


_LOOPS: dict[type, Callable[[World, Any, float], Loop | None]] = {
    ParallelBandit: _watch_then_act,
    GeneralAlgorithm: _weigh_all,
    SuccessiveRejects: _reject,
    SequentialHalving: _reject,
}
