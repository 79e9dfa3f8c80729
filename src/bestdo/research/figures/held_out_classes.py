"""Classes of worlds of kinds of their own, on which nothing may be tuned: no prior, no constant, no choice between methods.

They are played for the tables alone. Whoever changes a learner looks at the other classes.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.research.figures.scaling_classes import numbers, successes
from bestdo.research.figures.world_builders import (
    ANY,
    cause_names,
    common_cause,
    graph_of,
    parallel_causes,
    valued_causes,
)
from bestdo.research.figures.world_rows import hump, most_of, noisy_or, scattered, two_levels
from bestdo.research.figures.world_terms import effects, normal, shaped, tailed, two_humps
from bestdo.simulate import World
from bestdo.simulate.random_rows import Rows, additive, all_needed, copies, either_or, first_parents
from bestdo.simulate.world_class import WorldClass

__all__ = ["HELD_OUT"]


def _two_mediators(number: int) -> WorldClass:
    """Half of the causes act on M1, the others on M2, and both on the reward; the causes alone can be set."""
    names = cause_names(number)
    arrows = [(n, "M1" if i < number // 2 else "M2") for i, n in enumerate(names)]
    graph = graph_of([*names, "M1", "M2"], [*arrows, ("M1", "Y"), ("M2", "Y")])
    rows: dict[str, Rows] = {**dict.fromkeys(names, ANY), **dict.fromkeys(["M1", "M2"], partial(additive, base=0.5))}
    rows["Y"] = partial(additive, base=0.5, spread=1.4)
    return WorldClass(Problem(graph, Actions.single(graph, names)), rows)


def _flipped() -> WorldClass:
    """The effect of X1 is turned around by U, which nobody sets, and U is what Z says in most rounds."""
    names = [*cause_names(4), "U"]
    graph = graph_of(["Z", *names], [("Z", "U"), *((n, "Y") for n in names)])
    rows: dict[str, Rows] = {**dict.fromkeys(names, ANY), "Z": ANY, "U": partial(copies, low=0.7, high=0.95)}
    rows["Y"] = partial(additive, base=0.4, spread=0.3, pairs=0.6)
    return WorldClass(Problem(graph, Actions.single(graph, cause_names(4))), rows)


def _rare_third() -> WorldClass:
    """Causes of three values; the third of X1 occurs in 3 % of rounds and is the best."""
    made = valued_causes((3, 3, 3, 3), partial(first_parents, base=0.4, number=1))
    return replace(made, known={"X1": np.array([0.6, 0.37, 0.03])}, best=do(X1=2))


def _three_together() -> WorldClass:
    """Up to three of five causes are set at once, and all of three are needed."""
    graph = graph_of(cause_names(5), [(n, "Y") for n in cause_names(5)])
    needed = partial(all_needed, base=0.25, effect=2.0, number=3)
    return WorldClass(Problem(graph, Actions.up_to(graph, 3)), {**dict.fromkeys(cause_names(5), ANY), "Y": needed})


def _priced_apart(made: WorldClass) -> WorldClass:
    """The class with a cost of 1 for do() and from 2 to 30 for other actions, in their order."""
    count = len(made.problem.actions) - 1
    cost = (1.0, *(float(c) for c in np.linspace(2, 30, count).round()))
    return replace(made, problem=replace(made.problem, cost=cost))


_MANY = partial(effects, base=3.0, reach=math.inf)
_ONE_VALUE = partial(valued_causes, (20,))

HELD_OUT: dict[str, World | WorldClass] = {
    "1 cause of 20 values, two levels": _ONE_VALUE(partial(two_levels, low=0.3, high=0.42)),
    "1 cause of 20 values, a hump": _ONE_VALUE(partial(hump, low=0.3, high=0.55)),
    "2 causes of 12 values, each pair its own rate": valued_causes((12, 12), partial(scattered, base=0.5, spread=0.2)),
    "3 causes of 12 values, 1 matters": valued_causes(
        (12, 12, 12), partial(first_parents, base=0.4, number=1, spread=0.5)
    ),
    "most of 5 of 11 causes": parallel_causes(11, partial(most_of, number=5, low=0.3, high=0.6)),
    "any of 10 causes": parallel_causes(10, partial(noisy_or, leak=0.1, strength=0.25)),
    "additive, 10 causes with a common cause": common_cause(10, partial(additive, base=0.5, spread=0.5)),
    "12 causes, two mediators": _two_mediators(12),
    "a pair with a cause that nobody sets": _flipped(),
    "either or, 10 causes": parallel_causes(10, partial(either_or, base=0.3, effect=1.5)),
    "up to 3 of 5 causes set, three needed": _three_together(),
    "rare third value, 4 causes of 3 values": _rare_third(),
    "costs from 1 to 30, additive, 9 causes": _priced_apart(parallel_causes(9, partial(additive, base=0.5))),
    "all actions nearly equal, 20 causes": successes(20, partial(effects, number=20, spread=0.01)),
    "25 causes add up, a few much": successes(25, partial(effects, number=25, spread=0.35, decay=1.0)),
    "number, 25 causes add up, a few much": numbers(25, partial(_MANY, number=25, spread=0.8, decay=1.0)),
    "number, spread grows with the mean, 10 causes": numbers(
        10, partial(effects, number=10, spread=0.12, base=0.6, reach=0.5), partial(normal, spread=1.7, grows=1.0)
    ),
    "number, heavy tails, 10 causes": numbers(10, partial(_MANY, number=5, spread=0.35), tailed),
    "number, two humps, 10 causes": numbers(10, partial(_MANY, number=5, spread=0.35), two_humps),
    "number, 95 % zeros, 4 causes": numbers(
        4, partial(effects, number=2, spread=0.08, base=0.16, reach=0.14), partial(shaped, shape="zeros", times=6.25)
    ),
}
"""The classes by name, in the order of the picture. Learners know the graph alone."""
