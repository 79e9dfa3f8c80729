"""What is lost while learning, over time: causal Thompson beside other learners, on eight kinds of worlds."""

from __future__ import annotations

from functools import partial

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.research.figures.world_classes import world_classes
from bestdo.simulate import World
from bestdo.simulate.random_rows import first_parent, uniform
from bestdo.simulate.world_class import WorldClass

__all__ = ["experiment"]

_ROUNDS = 300
_POINTS = 30
_KNOWN = (
    "additive, 6 causes",
    "mediator copied, additive, 7 causes, best never seen",
    "hidden cause, front door",
    "64 strata, best rarely seen",
    "do() best",
    "1 cause of 8 values",
)
"""Classes of the figure every-world: easy and hard ones, and two in which Thompson sampling has the better prior."""


def experiment() -> Experiment:
    """The regret summed over 300 rounds at 30 times, for all learners on the same worlds with the same chance."""
    classes = world_classes()
    worlds: dict[str, World | WorldClass] = {
        f"1 of 5 causes matters, base rate {base:g}": _one_matters(base) for base in (0.02, 0.95)
    }
    worlds |= {name: classes[name] for name in _KNOWN}
    return Experiment(
        name="earning",
        title="Who knows the graph loses less while learning",
        x_label="rounds played",
        settings=tuple(Setting(name, world, _ROUNDS, panel=name) for name, world in worlds.items()),
        learners=by_title("causal-thompson", "thompson", "ucb", "causal-top-two", "uniform"),
        caption="regret summed over rounds, by true means; all learners on the same worlds with the same chance",
        y="summed_regret",
        y_error="summed_error",
        y_label="summed regret",
        over_time=_POINTS,
        band=2.0,
    )


def _one_matters(base: float) -> WorldClass:
    """Five causes of which the first matters: its value 1, which is rare, raises a low base rate or lowers a high one."""
    names = [f"X{i + 1}" for i in range(5)]
    graph = Graph.parse("; ".join(f"{n} -> Y" for n in names), reward="Y", success="1")
    rows = {n: partial(uniform, low=0.2, high=0.8) for n in names} | {"X1": partial(uniform, low=0.05, high=0.05)}
    return WorldClass(
        Problem(graph, Actions.single(graph)), {**rows, "Y": partial(first_parent, base=base, effect=2.0)}
    )
