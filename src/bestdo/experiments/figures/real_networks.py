"""Fifty random problems on five real networks, whose tables the learners do not know."""

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
from bestdo.experiments.engine.problem_means import averaged
from bestdo.files import read
from bestdo.learners import by_title
from bestdo.simulate import World

__all__ = ["experiment", "network", "random_worlds", "rewarding"]

_NETWORKS = ("asia", "sachs", "child", "alarm", "insurance")
_PROBLEMS = 10
_FEWEST_ANCESTORS = 3
_TRIES = 100

Event = tuple[str, frozenset[str]]
"""A variable, and those of its values that count as success."""


def experiment() -> Experiment:
    """Ten problems on each network; as many rounds as 2, 5 and 10 times the number of actions."""
    settings = []
    for name in _NETWORKS:
        worlds = random_worlds(network(name), np.random.default_rng(zlib.crc32(name.encode())))
        for number, world in enumerate(worlds):
            actions = len(world.problem.actions)
            for times in (2, 5, 10):
                settings.append(Setting(times, world, times * actions, panel=name, given={"problem": number + 1}))
    return Experiment(
        name="real-networks",
        title="On real networks, what is seen of the causes tells about all actions",
        x_label="rounds for each action",
        settings=tuple(settings),
        learners=by_title("causal-top-two", "successive-rejects", "sequential-halving", "thompson", "top-two"),
        caption=f"{_PROBLEMS} random problems on each network, all single actions on the causes of an event",
        log_x=True,
        summary=partial(averaged, together="all five"),
    )


def network(name: str) -> Model:
    """One of the networks of the bnlearn repository, from the files that the package pgmpy brings along."""
    found = importlib.util.find_spec("pgmpy")  # nothing of it is imported
    if found is None or found.origin is None:
        raise BestdoError(
            f"the network {name} is read from a file of the package pgmpy, which is not installed: pip install pgmpy"
        )
    model = read(Path(found.origin).parent / "utils" / "example_models" / f"{name}.bif.gz").model
    assert model is not None
    return model


def random_worlds(model: Model, rng: np.random.Generator) -> list[World]:
    """Ten random problems on a network, all different as far as it has ten."""
    events: list[Event] = []
    while len(events) < _PROBLEMS:
        drawn = [_random_event(model.graph, rng) for _ in range(_TRIES)]
        events.append(next((event for event in drawn if event not in events), drawn[0]))
    return [rewarding(model, event) for event in events]


def _random_event(graph: Graph, rng: np.random.Generator) -> Event:
    """A variable with at least three ancestors, and some of its values."""
    name = str(rng.choice([n for n in graph.names if len(graph.ancestors([n])) > _FEWEST_ANCESTORS]))
    values = graph.variable(name).values
    some = rng.permutation(len(values))[: rng.integers(1, len(values))]
    return name, frozenset(values[i] for i in some)


def rewarding(model: Model, event: Event) -> World:
    """The reward is that the event happens; the actions are do() and every value of every ancestor of its variable."""
    graph, (name, values) = model.graph, event
    success = np.array([float(value in values) for value in graph.variable(name).values])
    larger = Graph((*graph.variables, Variable("reward")), {**graph.parents, "reward": (name,)}, "reward")
    truth = Model(larger, {**model.tables, "reward": np.stack([1 - success, success], axis=1)})
    causes = [n for n in graph.order if n in graph.ancestors([name]) and n != name]
    return World(Problem(larger, Actions.single(larger, causes)), truth)
