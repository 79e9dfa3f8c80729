"""Variables that are worth looking at before an action is chosen, from the graph alone.

Lee & Bareinboim, *Characterizing optimal mixed policies: where to intervene and what to observe*, NeurIPS 2020: what is
d-separated from the reward, given the action and the rest of what is seen, can be left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.contexts import given_first
from bestdo.causal.graph import Graph
from bestdo.causal.separation import separated
from bestdo.causal.where import contenders
from bestdo.text import quoted

__all__ = ["Look", "looks"]


class Look(NamedTuple):
    """A variable and whether looking at it before the action is chosen pays."""

    variable: str
    first: bool
    """Whether the variable is among those that are seen first; if not, it could be."""
    matters: bool
    """Whether the variable can tell more about the reward under some action than the others that are seen first do."""
    why: str


def looks(actions: Actions, first: Iterable[str]) -> list[Look]:
    """The variables seen first, then all others that could be, each with whether looking at it pays given all seen first."""
    graph, seen = actions.graph, list(first)
    assert graph.reward is not None
    after = graph.descendants({name for action in actions for name in action} | {graph.reward})
    others = [n for n in graph.valued if n not in after and n not in seen and n not in graph.hidden]
    each = []
    for name in [*seen, *others]:
        rest = [n for n in seen if n != name]
        sets = _sets(actions, (*rest, name))
        which = next((s for s in sets if not _tells_nothing(graph, name, rest, s)), None)
        each.append(Look(name, name in seen, which is not None, _why(graph, name, rest, which, bool(sets))))
    return each


def _sets(actions: Actions, first: tuple[str, ...]) -> list[frozenset[str]]:
    """The variables set by actions that can be the best where these are seen first, largest first; none if all are alike.

    Then nothing has to be decided, whatever is seen. What an action sets without any effect on the reward is left out.
    """
    graph = given_first(actions.graph, first)
    can = contenders(Actions(graph, actions))
    best = {_with_effect(graph, action) for action, may in zip(actions, can, strict=True) if may}
    return sorted({frozenset(action) for action in best}, key=lambda s: (-len(s), sorted(s))) if len(best) > 1 else []


def _with_effect(graph: Graph, action: Intervention) -> Intervention:
    """The part of an action that can have an effect on the reward."""
    causes = graph.without_arrows_into(frozenset(action)).ancestors([str(graph.reward)])
    return do({name: value for name, value in action.items() if name in causes})


def _tells_nothing(graph: Graph, name: str, rest: list[str], names: frozenset[str]) -> bool:
    """Whether a variable is d-separated from the reward, given the others and an action on these variables."""
    return separated(graph, [name], [str(graph.reward)], [*rest, *names], no_arrows_into=names)


def _why(graph: Graph, name: str, rest: list[str], names: frozenset[str] | None, choice: bool) -> str:
    """The reason in words; `choice` is whether more than one action can be the best."""
    reward = quoted(str(graph.reward))
    given = f"given {', '.join(map(quoted, rest))}" if rest else ""
    if not choice:
        return "only one action can be the best, whatever is seen, so there is nothing to decide by it"
    if names is None:
        return f"{given + ', ' if given else ''}it tells nothing about {reward}, whichever action is chosen".lstrip()
    if name in graph.parents[str(graph.reward)]:
        return f"it is a cause of {reward}, whatever else is set or seen"
    cause = name in graph.without_arrows_into(names).ancestors([str(graph.reward)])
    listed = ", ".join(quoted(n) for n in graph.names if n in names)
    set_ = f"when {listed} {'are' if len(names) > 1 else 'is'} set" if names else "when nothing is set"
    how = f"it can cause {reward}" if cause else f"it goes with causes of {reward}"
    return f"{how} {set_}{', ' + given if given and not cause else ''}"
