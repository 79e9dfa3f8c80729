"""Regret in the casinos of MABUC, where what one was about to do tells about hidden causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.sums import each_sum
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import learner
from bestdo.learners.game import game_of
from bestdo.learners.rule_game import pairs_in
from bestdo.research.worlds.casinos import CASINOS, casino
from bestdo.simulate import World
from bestdo.simulate.encounters import before_acting, rounds_after

__all__ = ["Player", "experiment", "measure", "watched"]

_WATCHED = 200
"""Rounds of players who follow their intuition, seen before the first round: as many as the authors had."""
_ROUNDS = 125, 250, 500, 1000


@dataclass(frozen=True)
class Player:
    """A learner, and what it may use."""

    learner: Any
    looks: bool = True
    """Whether the learner sees its intuition before it chooses."""
    watched: bool = False
    """Whether the learner knows the old rounds of those who followed their intuition."""


def experiment() -> Experiment:
    """The authors' two casinos of their table, and the four others of their program."""
    players = {
        "Thompson sampling": Player(learner("thompson"), looks=False),
        "Thompson sampling with intuition": Player(learner("thompson")),
        "Thompson sampling with intuition, after watching": Player(learner("thompson"), watched=True),
        "MABUC's causal Thompson sampling": Player(learner("mabuc"), watched=True),
        "Causal Thompson": Player(learner("causal-thompson")),
        "Causal Thompson after watching": Player(learner("causal-thompson"), watched=True),
    }
    return Experiment(
        name="mabuc",
        title="In casinos that know their players: what one was about to do is worth knowing",
        x_label="T, the number of rounds",
        settings=tuple(Setting(t, casino(name), t, panel=name) for name in CASINOS for t in _ROUNDS),
        learners=players,  # type: ignore[arg-type]
        caption="Bareinboim, Forney & Pearl (2015); after watching: 200 rounds of players who follow their intuition",
        y="regret",
        y_error="regret_error",
        y_label="regret, summed over the rounds",
        measure=measure,
    )


def watched(world: World) -> Rounds:
    """The rounds of players who follow their intuition, each outcome as often as is expected, as in the authors' program.

    Given the intuition, following it is the same as setting its machine.
    """
    graph, (means, chance) = world.problem.graph, world.means_by_context
    rows, times = [], []
    for z, machine in enumerate(means.diagonal()):
        for pays, share in enumerate((1 - machine, machine)):
            rows.append([{"intuition": z, "machine": z, "pays": pays}.get(name, -1) for name in graph.names])
            times.append(round(_WATCHED * chance[z] * share))
    x = np.array(rows, np.int16)
    action = x[:, graph.names.index("machine")].astype(np.int64)
    paid = x[:, graph.names.index("pays")] == 1
    return Rounds(np.zeros(len(x), np.int64), action, x, paid, np.array(times))


def measure(
    world: World, player: Player | Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The authors' regret, the best machine given both hidden causes against the reward drawn, and the pseudo-regret.

    The pseudo-regret counts means given the intuition: the best machine's against that of the machine played.
    """
    assert isinstance(player, Player)
    problem = world.problem if player.looks else replace(world.problem, first=())
    game = game_of(player.learner, problem)
    statistic, state = game.statistic(horizon), game.start(horizon, lanes, rng)
    if player.watched:
        old = statistic.tally(watched(world), 1)
        nothing = Plan(np.zeros((lanes, len(problem.actions)), np.int64))
        state = game.tell(state, nothing, each_sum(lambda part: np.repeat(part, lanes, axis=0), old))
    means, names = world.means_by_context[0], world.problem.graph.names
    best, (blinking, drunk) = _best(world), [names.index(name) for name in ("blinking", "drunk")]
    regret, pseudo, everyone = np.zeros(lanes), np.zeros(lanes), np.arange(lanes)
    for _ in range(int(horizon)):
        before = before_acting(world, lanes, rng)
        z = world.problem.contexts.numbers(before)
        request = Request(pairs_in(problem, problem.contexts.numbers(before)))
        plan = game.ask(state, request, rng)
        assert plan is not None
        action = plan.counts.argmax(axis=1)
        rounds = rounds_after(world, everyone, action, before, rng)
        regret += best[before[:, blinking], before[:, drunk]] - rounds.y
        pseudo += means[z].max(axis=1) - means[z, action]
        state = game.tell(state, plan, statistic.tally(rounds, lanes))
    return {"regret": regret, "pseudo_regret": pseudo}


def _best(world: World) -> Floats:  # float[2, 2]
    """The chance of the better machine, by whether it blinks and the player is drunk."""
    parents = world.model.graph.parents["pays"]
    places = [parents.index(name) for name in ("machine", "blinking", "drunk")]
    return np.asarray(np.moveaxis(np.asarray(world.model.tables["pays"])[..., 1], places, [0, 1, 2]).max(axis=0))
