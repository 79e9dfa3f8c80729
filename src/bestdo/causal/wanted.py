"""What is wanted of the reward of a graph: a success, the worth of its values, or a number; and its unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestdo.causal.number import Number
from bestdo.causal.variable import AIMS, Variable, no_aim, no_success
from bestdo.causal.worth import checked_worth
from bestdo.errors import GraphError, shown, unknown
from bestdo.text import quoted

if TYPE_CHECKING:
    from bestdo.causal.graph import Graph

__all__ = [
    "better",
    "bounds",
    "checked",
    "in_unit",
    "in_words",
    "number",
    "payoffs",
    "span",
    "success_code",
    "success_place",
    "two_values",
    "unit_of",
]


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
    numbers = [v.name for v in graph.variables if v.number is not None and v is not reward]
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


def success_code(graph: Graph) -> int:
    """The position of success among the values of the reward."""
    if graph.reward is None or graph.success is None:
        raise GraphError("no success is named: graph.rewarding(name, success)")
    return graph.variable(graph.reward).code(graph.success)


def success_place(graph: Graph) -> int:
    """The place of success where failures are counted as one value: 0 if it is the first value, otherwise 1."""
    return 1 if graph.success is None else min(graph.success_code, 1)


def number(graph: Graph) -> Number | None:
    """The bounds of the reward, where it is a number."""
    return None if graph.reward is None else graph.variable(graph.reward).number


def payoffs(graph: Graph) -> tuple[float, ...]:
    """The number that each value of the reward is worth: 1 for success and 0 for failure where there is no worth."""
    if graph.worth is not None:
        return tuple(number for _, number in graph.worth)
    return tuple(float(code == graph.success_code) for code in range(graph.size(str(graph.reward))))


def two_values(graph: Graph) -> bool:
    """Whether all rewards are 0 or 1 as learners have them: a success, or values that are worth two different numbers."""
    return graph.number is None and len(set(graph.payoffs)) == 2


def bounds(graph: Graph) -> tuple[float, float] | None:
    """The least and the largest mean that an action can have, in the reward's own unit; None where it has no bounds."""
    return (min(graph.payoffs), max(graph.payoffs)) if graph.number is None else graph.number.bounds


def span(graph: Graph) -> tuple[float, float]:
    """What 0 and 1 of the learners' means are in the reward's own unit: the worst and the best, where it has bounds.

    Without bounds 0 is 0, and 1 is twice its stated spread, so that its standard deviation is at most 1/2, as that of a
    reward between 0 and 1; or 1 where no spread is stated. With the aim to minimise more is always better for learners.
    """
    if graph.bounds is not None:
        low, high = graph.bounds
        return (high, low) if graph.aim == "minimise" else (low, high)
    spread = 0.5 if graph.number is None or graph.number.spread is None else graph.number.spread
    return 0.0, (-2 if graph.aim == "minimise" else 2) * spread


def in_unit(graph: Graph, mean: float) -> float:
    """A mean as learners have it, in the reward's own unit."""
    worst, best = graph.span
    return worst + mean * (best - worst)


def unit_of(graph: Graph) -> str:
    """The unit of means: that of the reward where it is a number, otherwise none."""
    return "" if graph.reward is None or graph.number is None else graph.variable(graph.reward).unit


def better(graph: Graph, mean: float, other: float) -> bool:
    """Whether a mean in the reward's own unit is better than another."""
    return mean < other if graph.aim == "minimise" else mean > other


def in_words(graph: Graph) -> str:
    """What is wanted of an action, for sentences such as "Which action makes …?"."""
    if graph.success is not None:
        return f"{quoted(str(graph.reward))} = {quoted(graph.success)} likeliest"
    what = f"the worth of {quoted(str(graph.reward))}" if graph.worth is not None else quoted(str(graph.reward))
    return f"{what} {'smallest' if graph.aim == 'minimise' else 'largest'} on average"
