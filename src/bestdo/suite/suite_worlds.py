"""The worlds of the suite by name."""

from __future__ import annotations

from dataclasses import replace

from bestdo.simulate import World
from bestdo.simulate.confounded_worlds import front_door
from bestdo.simulate.earning_worlds import pomis_iv
from bestdo.simulate.paper_worlds import paper_parallel
from bestdo.suite.suite_world import Published, SuiteWorld

__all__ = ["WORLDS"]


def _to_earn(world: World) -> World:
    """The world, with the reward of every round counting."""
    return replace(world, problem=replace(world.problem, goal="earn"))


_ALL = (
    SuiteWorld(
        "paper-parallel",
        1,
        "parallel",
        lambda: paper_parallel(50, 2, 0.3),
        (110, 210, 410),
        "50 independent causes, of which the first matters; two of them are never 1 by themselves.",
        "Lattimore, Lattimore & Reid, NeurIPS 2016, figure 2 (c)",
    ),
    SuiteWorld(
        "front-door",
        1,
        "hidden causes",
        front_door,
        (50, 200, 800),
        "X acts on Y through M, and a hidden cause of X and Y makes the worst choices look good.",
        "tables of this library",
    ),
    SuiteWorld(
        "pomis-iv",
        1,
        "hidden causes",
        lambda: _to_earn(pomis_iv()),
        (500, 5000),
        "An instrument Z of X, with a hidden cause of X and Y: to set Z is better than to set X.",
        "Lee & Bareinboim, NeurIPS 2018, task IV; npsem",
        (Published("thompson", 5000, 18.06, 1.8, "authors' code", "npsem, POMIS arms, 300 runs, by rewards drawn"),),
    ),
)

WORLDS: dict[str, SuiteWorld] = {world.name: world for world in _ALL}
"""The worlds by name."""
