"""Regret on fifty random problems on five real networks, whose tables the learners do not know."""

from __future__ import annotations

import importlib.util
import zlib
from functools import partial
from pathlib import Path

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.errors import BestdoError
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.experiments.engine.problem_means import problem_means
from bestdo.files import read
from bestdo.learners import by_title
from bestdo.simulate import World

__all__ = ["NETWORKS", "Event", "event_world", "experiment", "network", "random_event", "random_worlds", "worlds_of"]

NETWORKS = ("asia", "sachs", "child", "alarm", "insurance")
"""Networks of the bnlearn repository."""
_PROBLEMS = 10
"""Problems on each network."""
_FEWEST_ANCESTORS = 3
"""A variable becomes a goal only if it has at least so many ancestors, so that there is something to choose from."""
_TRIES = 100
"""The number of events drawn to find a new one; a network with too few events repeats one."""

Event = tuple[str, frozenset[str]]
"""A variable, and those of its values that count as success."""


def experiment() -> Experiment:
    """Ten problems on each network, with horizons of 2, 5 and 10 rounds for each action."""
    settings = []
    for name in NETWORKS:
        worlds = worlds_of(name)
        for number, world in enumerate(worlds):
            actions = len(world.problem.actions)
            for times in (2, 5, 10):
                settings.append(Setting(times, world, times * actions, panel=name, given={"problem": number + 1}))
    return Experiment(
        name="real-networks",
        title="On real networks, what is seen of the causes tells about all actions",
        x_label="rounds for each action",
        settings=tuple(settings),
        learners=by_title(
            *("causal-top-two", "successive-rejects", "sequential-halving", "thompson", "top-two"),
            *("watch-then-act", "ucb-plus"),
        ),
        caption=f"{_PROBLEMS} random problems on each network, all single actions on the causes of an event",
        log_x=True,
        summary=partial(problem_means, overall="all five"),
    )


def worlds_of(name: str) -> list[World]:
    """The ten problems of a network, the same in every figure."""
    return random_worlds(network(name), np.random.default_rng(zlib.crc32(name.encode())))


def network(name: str) -> Model:
    """A network of the bnlearn repository by its name, read from the files in the package pgmpy."""
    package = importlib.util.find_spec("pgmpy")  # does not import it
    if package is None or package.origin is None:
        raise BestdoError(
            f"the network {name} is read from a file of the package pgmpy, which is not installed: pip install pgmpy"
        )
    model = read(Path(package.origin).parent / "utils" / "example_models" / f"{name}.bif.gz").model
    assert model is not None
    return model


def random_worlds(model: Model, rng: np.random.Generator) -> list[World]:
    """Ten random problems on a network, all different where the network has that many."""
    events: list[Event] = []
    while len(events) < _PROBLEMS:
        tries = [random_event(model.graph, rng) for _ in range(_TRIES)]
        events.append(next((event for event in tries if event not in events), tries[0]))
    return [event_world(model, event) for event in events]


def random_event(graph: Graph, rng: np.random.Generator) -> Event:
    """A random variable with at least three ancestors, and a random set of its values, neither empty nor all."""
    name = str(rng.choice([n for n in graph.names if len(graph.ancestors([n])) > _FEWEST_ANCESTORS]))
    values = graph.variable(name).values
    some = rng.permutation(len(values))[: rng.integers(1, len(values))]
    return name, frozenset(values[i] for i in some)


def event_world(model: Model, event: Event) -> World:
    """The world whose reward is that the event happens, with do() and all single actions on the variable's ancestors."""
    graph, (name, values) = model.graph, event
    success = np.array([float(value in values) for value in graph.variable(name).values])
    larger = Graph((*graph.variables, Variable("reward")), {**graph.parents, "reward": (name,)}, "reward")
    truth = Model(larger, {**model.tables, "reward": np.stack([1 - success, success], axis=1)})
    causes = [n for n in graph.order if n in graph.ancestors([name]) and n != name]
    return World(Problem(larger, Actions.single(larger, causes)), truth)
