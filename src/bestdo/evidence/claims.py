"""What a graph claims that rounds can contradict: equalities between what is seen and what is played, and independences.

Think of a variable do(X) for each X that some action sets, with an arrow into X: in every round it says whether X was left
alone or what it was set to. What is separated in that graph (d-separation) is independent in the rounds of all actions
together, for which action is played depends on earlier rounds alone. So "do(X=x) is as good as seeing X = x" and "setting X
changes nothing before X" are claims of one kind: given some variables, another one has the same law in groups of rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.identify import adjustment_set
from bestdo.causal.separation import separated
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen

__all__ = ["Claim", "claims"]

_MOST_STRATA = 64


class Claim(NamedTuple):
    """Given some variables, the target has the same law in all groups of rounds."""

    target: str
    given: tuple[str, ...]
    group: NDArray[np.int64]
    """int[A]: the group of each action's rounds; -1 where they tell nothing about the claim."""
    apart: str | None = None
    """The variable whose values are the groups, instead of the action."""
    action: Intervention | None = None
    """Where the claim is that this action's plays (group 1) are as the rounds in which its values were seen (group 0)."""
    setting: str | None = None
    """Where the claim is that it does not matter whether this variable was not set (group 0), or set to which value."""


@memory_cache
def claims(actions: Actions) -> tuple[tuple[Claim, ...], ...]:
    """Three lots: actions as seen and as played; who set a variable; independences. Each known before the first round."""
    return tuple(_of_actions(actions)), tuple(_of_settings(actions)), tuple(_of_pairs(actions))


def _few(graph: Graph, given: tuple[str, ...]) -> bool:
    """Whether the values of these variables can be told apart: with too many strata each has too few rounds."""
    return float(np.prod([float(graph.size(n)) for n in given])) <= _MOST_STRATA


def _of_actions(actions: Actions) -> list[Claim]:
    graph = actions.graph
    assert graph.reward is not None
    by = Seen(Problem(graph, actions)).seen_by
    found = []
    for a, action in enumerate(actions):
        names, given = frozenset(action), frozenset[str]()
        seen = by[:, a].copy()
        seen[a] = False
        if action and not seen.any() and do() in actions:
            given = adjustment_set(graph, names) or frozenset()
            if given and separated(graph, [graph.reward], names, given, no_arrows_out_of=names):
                seen[actions.index(do())] = True
        ordered = tuple(n for n in graph.names if n in given)
        if seen.any() and _few(graph, ordered):
            group = np.where(seen, 0, -1)
            group[a] = 1
            found.append(Claim(graph.reward, ordered, group, action=action))
    return found


def _extended(graph: Graph, names: list[str]) -> Graph:
    """The graph with a variable do(X), "left alone" or what X is set to, that has an arrow into X."""
    parents = {n: (*ps, f"do({n})") if n in names else ps for n, ps in graph.parents.items()}
    return Graph((*graph.variables, *(Variable(f"do({n})") for n in names)), parents, graph.reward, graph.success)


def _mechanisms(actions: Actions) -> list[tuple[str, tuple[str, ...], list[str], NDArray[np.bool_]]]:
    """Each variable, its observed causes, whose setting does not matter given these, and the actions that may be pooled."""
    graph = actions.graph
    settable = [n for n in graph.names if any(n in a for a in actions)]
    extended = _extended(graph, settable)
    found = []
    for name in graph.observed:
        given = tuple(p for p in graph.parents[name] if p not in graph.hidden)
        if _few(graph, given):
            free = [x for x in settable if x != name and separated(extended, [name], [f"do({x})"], given)]
            pooled = np.array([set(a) <= set(free) for a in actions])
            found.append((name, given, free, pooled))
    return found


def _of_settings(actions: Actions) -> list[Claim]:
    graph, found = actions.graph, []
    for name, given, free, pooled in _mechanisms(actions):
        for x in free:
            sets = np.array([1 + graph.variable(x).code(a[x]) if x in a else 0 for a in actions])
            group = np.where(pooled, sets, -1)
            if len(np.unique(group[pooled])) > 1:
                found.append(Claim(name, given, group, setting=x))
    return found


def _of_pairs(actions: Actions) -> list[Claim]:
    graph = actions.graph
    found, done = [], set()
    for name, given, _, pooled in _mechanisms(actions):
        for other in graph.observed:
            key = frozenset([name, other]), frozenset(given)
            if other == name or other in given or key in done or not _few(graph, (*given, other)):
                continue
            if pooled.any() and separated(graph, [name], [other], given):
                done.add(key)
                found.append(Claim(name, given, np.where(pooled, 0, -1), apart=other))
    return found
