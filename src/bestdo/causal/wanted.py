"""The purpose of the reward of a graph: a success, the worth of its values, or a number; and its unit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bestdo.causal.number import Number
from bestdo.causal.reward import NumberReward, Reward, SuccessReward, WorthReward
from bestdo.causal.variable import AIMS, Variable, no_aim, no_success
from bestdo.causal.worth import checked_worth
from bestdo.errors import GraphError, shown, unknown

if TYPE_CHECKING:
    from bestdo.causal.graph import Graph

__all__ = ["better", "bounds", "checked", "number", "rewarded", "success_code", "success_place"]


def checked(graph: Graph) -> dict[str, object]:
    """The fields of the graph that get their defaults; raises GraphError unless it is clear what is wanted of its reward."""
    if graph.reward is None:
        given = {"success": graph.success, "worth": graph.worth, "aim": graph.aim}
        for what, value in given.items():
            if value is not None:
                raise GraphError(f"{what} is given ({shown(value)}), but no reward is named")
        return {}
    reward = graph.variable(graph.reward)
    if reward.hidden:
        raise GraphError(f"the reward {shown(reward.name)} is hidden; it must be observed")
    for name, other in ((n, other) for n in graph.numeric for other in graph.variable(n).kind.told_with):
        if graph.variable(other).hidden or other not in graph.numeric:
            raise GraphError(
                f"{shown(name)} is counted per {shown(other)}, which must be a number that is seen: number = true"
            )
    numbers = (name for name in graph.numeric if name != reward.name)
    cause = next((name for name in numbers if reward.name in graph.descendants([name])), None)
    if cause is not None:  # its one value would say nothing of what it causes
        raise GraphError(
            f"{shown(cause)} is a number and a cause of the reward {shown(reward.name)}: give it values and cuts between "
            "them, as in cut = [18.0]"
        )
    if graph.aim is not None and graph.aim not in AIMS:
        raise GraphError(unknown("aim", graph.aim, AIMS))
    if reward.number is not None:
        return _checked_number(graph, reward)
    if len(reward.values) < 2:
        raise GraphError(f"the reward {shown(reward.name)} always is {shown(reward.values[0])}; it needs two values")
    if graph.worth is not None:
        if graph.success is not None:
            raise GraphError(
                f"the reward {shown(reward.name)} has both a success ({shown(graph.success)}) and a worth; say one of them"
            )
        return {"worth": checked_worth(reward, graph.worth), "aim": graph.aim or AIMS[0]}
    if graph.aim is not None:
        raise GraphError(
            f"the reward {shown(reward.name)} is no number, and the aim is to {graph.aim} a mean: name the value that is "
            "wanted as success and leave the aim out, or give a worth"
        )
    success = "1" if graph.success is None and set(reward.values) == {"0", "1"} else graph.success
    if success is None:
        raise no_success(reward)
    reward.code(success)
    return {"success": success}


def _checked_number(graph: Graph, reward: Variable) -> dict[str, object]:
    """Nothing; raises GraphError unless a reward that is a number has an aim, and neither a success nor a worth."""
    if graph.success is not None or graph.worth is not None:
        said = f"success {shown(graph.success)}" if graph.success is not None else "worth"
        raise GraphError(f"the reward {shown(reward.name)} is a number; it has an aim, and no {said}")
    if graph.aim is None:
        raise no_aim(reward)
    return {}


def rewarded(graph: Graph) -> Reward:
    """The reward as a value."""
    if graph.reward is None:
        return Reward()
    variable, smaller = graph.variable(graph.reward), graph.aim == AIMS[1]
    if variable.number is not None:
        return NumberReward(variable, variable.number, smaller)
    if graph.worth is not None:
        return WorthReward(variable, graph.worth, smaller)
    return SuccessReward(variable, str(graph.success))


def success_code(graph: Graph) -> int:
    """The position of success among the values of the reward."""
    if not isinstance(graph.rewarded, SuccessReward):
        raise GraphError("no success is named: graph.rewarding(name, success)")
    return graph.rewarded.code


def success_place(graph: Graph) -> int:
    """The place of success where failures are counted as one value: 0 if it is the first value, otherwise 1."""
    return graph.rewarded.place


def number(graph: Graph) -> Number | None:
    """The bounds of the reward, where it is a number."""
    return None if graph.reward is None else graph.variable(graph.reward).number


def bounds(graph: Graph) -> tuple[float, float] | None:
    """The least and the largest mean that an action can have, in the reward's own unit; None where it has no bounds."""
    ends = graph.rewarded.ends
    return ends if all(map(math.isfinite, ends)) else None


def better(graph: Graph, mean: float, other: float) -> bool:
    """Whether a mean in the reward's own unit is better than another."""
    sign = graph.rewarded.scale.sign
    return sign * mean > sign * other
