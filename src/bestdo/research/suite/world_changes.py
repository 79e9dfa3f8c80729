"""Worlds with another goal or other costs than those that they were made with."""

from __future__ import annotations

from dataclasses import replace

from bestdo.bandit.goal import EARN
from bestdo.bandit.limits import NO_LIMITS
from bestdo.simulate import World

__all__ = ["all_competing", "priced", "to_earn", "unlimited"]


def all_competing(world: World) -> World:
    """The world in which all actions compete, for those of which the graph leaves so few that nothing is to be learned."""
    return replace(world, problem=replace(world.problem, all_compete=True))


def to_earn(world: World) -> World:
    """The world, with the reward of every round counting."""
    return replace(world, problem=replace(world.problem, goal=EARN))


def priced(world: World, price: float) -> World:
    """The world with a cost of 1 for do() and this price for every other action."""
    cost = tuple(price if action else 1.0 for action in world.problem.actions)
    return replace(world, problem=replace(world.problem, cost=cost))


def unlimited(world: World) -> World:
    """The world without limits on other outcomes."""
    return replace(world, problem=replace(world.problem, limits=NO_LIMITS))
