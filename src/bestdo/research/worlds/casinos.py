"""The casinos of MABUC (Bareinboim, Forney & Pearl 2015): what a player is about to do tells about hidden causes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.errors import BestdoError, unknown
from bestdo.simulate.world import World

__all__ = ["CASINOS", "casino"]

CASINOS = {
    "greedy": ((0.1, 0.5, 0.4, 0.2), (0.5, 0.1, 0.2, 0.4)),
    "paradoxical": ((0.4, 0.3, 0.3, 0.4), (0.6, 0.1, 0.2, 0.6)),
    "generous": ((0.5, 0.1, 0.2, 0.4), (0.1, 0.5, 0.4, 0.2)),
    "sometimes": ((0.5, 0.5, 0.4, 0.2), (0.1, 0.1, 0.2, 0.15)),
    "no confounding": ((0.55,) * 4, (0.45,) * 4),
    "inevitable": ((0.0, 1.0, 1.0, 0.0), (1.0, 0.0, 0.0, 1.0)),
}
"""The chance that each of the two machines pays, by (blinking, drunk) = 00, 10, 01, 11: the authors' settings."""
_MACHINES = ("M1", "M2")


def casino(name: str = "greedy") -> World:
    """A casino of MABUC: drunk or not, machine blinking or not, both hidden; the machine one is drawn to is seen first.

    Whoever watches sees players follow their intuition; only the two machines can be chosen.
    """
    if name not in CASINOS:
        raise BestdoError(unknown("casino", name, list(CASINOS)))
    variables = [
        Variable("blinking", hidden=True),
        Variable("drunk", hidden=True),
        Variable("intuition", _MACHINES),
        Variable("machine", _MACHINES),
        Variable("pays"),
    ]
    arrows = [
        ("blinking", "intuition"),
        ("drunk", "intuition"),
        ("intuition", "machine"),
        ("machine", "pays"),
        ("blinking", "pays"),
        ("drunk", "pays"),
    ]
    graph = Graph.of(variables, arrows, reward="pays")
    chance = np.array(CASINOS[name]).reshape(2, 2, 2).transpose(0, 2, 1)  # machine, blinking, drunk
    order = [("machine", "blinking", "drunk").index(p) for p in graph.parents["pays"]]
    chance = chance.transpose(order)
    tables: dict[str, ArrayLike] = {
        "blinking": [0.5, 0.5],
        "drunk": [0.5, 0.5],
        "intuition": [[[1, 0], [0, 1]], [[0, 1], [1, 0]]],  # exclusive or
        "machine": [[1, 0], [0, 1]],
        "pays": np.stack([1 - chance, chance], axis=-1),
    }
    actions = Actions(graph, [do(machine=machine) for machine in _MACHINES])
    return World(Problem(graph, actions, first=("intuition",)), Model(graph, tables))
