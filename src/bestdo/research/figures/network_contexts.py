"""Regret of the rule where roots of five real networks are seen first: rounds shared by the graph, or each context alone."""

from __future__ import annotations

import zlib
from functools import lru_cache, partial

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.experiments.engine.problem_means import problem_means
from bestdo.learners import by_title, title
from bestdo.research.figures.real_networks import NETWORKS, Event, event_world, network, random_event
from bestdo.simulate import World

__all__ = ["contextual_worlds", "experiment"]

_PROBLEMS = 4
"""Problems on each network."""
_MOST_FIRST = 2
"""The most variables that are seen first."""
_MOST_SET = 4
"""The most variables that can be set: few, or one of them is the reward's only cause, and no context matters."""
_TRIES = 200
"""The number of problems drawn on each network, of which the best are taken."""
_ROUNDS = 0.5, 1.5, 4.5, 13.5
"""Rounds for each pair of a context and an action; each number is three times the one before.

The last is for each context by itself, to see whether causal top-two needs a third of the rounds."""


def experiment() -> Experiment:
    """Four problems on each network, with four horizons each."""
    learners = by_title("causal-top-two", "top-two")
    settings = []
    for name in NETWORKS:
        for number, world in enumerate(contextual_worlds(name)):
            pairs = len(world.problem.contexts) * len(world.problem.actions)
            for times in _ROUNDS:
                horizon = max(1, round(times * pairs))
                given, left_out = {"problem": number + 1}, {title("causal-top-two")} if times == _ROUNDS[-1] else set()
                settings.append(Setting(times, world, horizon, name, given, frozenset(left_out)))
    return Experiment(
        name="contexts",
        title="For whom: what is learned in one context teaches about the others",
        x_label="rounds for each pair of a context and an action",
        settings=tuple(settings),
        learners=learners,
        caption=f"{_PROBLEMS} problems on each network, up to {_MOST_FIRST} roots are seen before the action is chosen",
        y_label="regret of the rule",
        log_x=True,
        summary=partial(problem_means, overall="all five"),
    )


@lru_cache(maxsize=len(NETWORKS))
def contextual_worlds(name: str) -> tuple[World, ...]:
    """The problems of a network in which a rule is worth most: chosen by the true tables, before anything is played.

    Of 200 random problems with different rewards, those in which the best rule gains most over the best single action.
    """
    rng = np.random.default_rng(zlib.crc32(f"{name}, contexts".encode()))
    model = network(name)
    best_of_event: dict[Event, World] = {}
    for _ in range(_TRIES):
        event = random_event(model.graph, rng)
        world = _random_problem(event_world(model, event), rng)
        if world is not None and (event not in best_of_event or _gain(world) > _gain(best_of_event[event])):
            best_of_event[event] = world
    return tuple(sorted(best_of_event.values(), key=_gain, reverse=True)[:_PROBLEMS])


def _random_problem(world: World, rng: np.random.Generator) -> World | None:
    """The world with up to two roots, drawn at random, seen first, and single actions on up to four of the other causes.

    None where it has no other cause.
    """
    graph = world.problem.graph
    causes = [n for n in graph.order if any(n in action for action in world.problem.actions)]
    first = _some([n for n in causes if not graph.parents[n]], _MOST_FIRST, rng)
    settable = _some([n for n in causes if n not in first], _MOST_SET, rng)
    return World(Problem(graph, Actions.single(graph, settable), first=first), world.model) if settable else None


def _some(names: list[str], most: int, rng: np.random.Generator) -> list[str]:
    """Some of the names, drawn at random, in their order."""
    return [names[i] for i in sorted(rng.permutation(len(names))[:most])]


def _gain(world: World) -> float:
    """The advantage of the best rule over the best single action."""
    means, chance = world.means_by_context
    return float((chance * means.max(axis=1)).sum() - (chance @ means).max())
