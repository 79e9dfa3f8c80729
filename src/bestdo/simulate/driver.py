"""The driver of simulations: one loop that plays a game in a world, many lanes at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestdo.arguments import whole_number
from bestdo.bandit.learner import Learner
from bestdo.learners.game import Game, game_of
from bestdo.simulate.beginnings import Beginning, Played, begin
from bestdo.simulate.fused_play import fused
from bestdo.simulate.same_chance import SameChance
from bestdo.simulate.turns import Table, turns_at
from bestdo.simulate.world import World
from bestdo.simulate.world_batch import Worlds

__all__ = ["final", "play_out", "rounds_in_flight"]


def rounds_in_flight(at_once: int | None, delay: int) -> int:
    """The number of rounds that are out: each for `delay` more rounds after its own, and no more than `at_once`."""
    delay = whole_number("the delay", delay, 0)
    at_once = None if at_once is None else whole_number("the number of rounds out at once", at_once)
    return delay + 1 if at_once is None else min(at_once, delay + 1) if delay else at_once


def final(
    world: World | Worlds,
    learner: Learner[Any],
    horizon: float,
    lanes: int,
    rng: np.random.Generator,
    in_flight: int = 1,
    played: Played | None = None,
) -> Any:
    """The learner's own state after all its rounds; see `play_out`."""
    return play_out(world, game_of(learner, world.problem), horizon, lanes, rng, in_flight, played).own


def play_out(
    world: World | Worlds,
    game: Game,
    horizon: float,
    lanes: int,
    rng: np.random.Generator,
    in_flight: int = 1,
    played: Played | None = None,
    chance: SameChance | None = None,
) -> Any:
    """The state of a game after all its rounds, of which so many are in flight at any time; results come back in order.

    For worlds that hold rounds played before, the horizon is what may be played in addition to them. `played` is called with
    rounds that are sent out. With `chance`, rounds are drawn from it.
    """
    if in_flight == 1 and chance is None:
        done = fused(world, game, horizon, lanes, rng, played)
        if done is not None:
            return done
    begun = begin(world, game, horizon, lanes, rng, played)
    return _played_on(begun, world if chance is None else chance, rng, in_flight, played)


def _played_on(
    begun: Beginning,
    world: World | Worlds | SameChance,
    rng: np.random.Generator,
    in_flight: int,
    played: Played | None,
) -> Any:
    """The state after all turns: a turn is sent out, and when so many are out the oldest one comes back."""
    table = Table(world, *begun, rng)
    turns = turns_at(table, in_flight)
    while True:
        if len(table.out) == in_flight:
            turns.come_back(table.out.popleft())
        turn = turns.following()
        if turn is not None:
            table.out.append(turn)
            if played is not None:
                played(turn.plan, turn.context)
        elif table.out:  # perhaps a learner that was about to stop goes on
            turns.come_back(table.out.popleft())
        else:
            return table.state
