"""The claims of a graph that rounds can contradict: that seeing equals doing, that setting changes nothing, independences.

All claims have one form: given some variables, another one has the same law in several groups of rounds. To see why, add to
the graph a variable do(X) for each X that some action sets, with an arrow into X; its value says whether X was set, and to
what. Variables that are d-separated in that graph are independent in the rounds of all actions together, because which action
is played depends on earlier rounds only. So "do(X=x) is as good as seeing X = x" and "setting X changes nothing before X" are
such independences too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Ints
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.contexts import given_first
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.identify import adjustment_set
from bestdo.causal.separation import connected, separated
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen

__all__ = ["Claim", "claims", "claims_of"]

_MOST_GRAPHS = 64
"""Candidate graphs whose claims are compared; with more there is no alarm. Limits the time. Not measured."""
_MOST_STRATA = 64
"""A claim with more combinations of the given values is left out: each would have too few rounds. Not measured."""
_MOST_WITH_CONTEXTS = 512
"""The most combinations where contexts are among the given variables. Not measured."""


class Claim(NamedTuple):
    """The claim that, given some variables, the target has the same law in all groups of rounds."""

    target: str
    given: tuple[str, ...]
    group: Ints
    """int[A]: the group of each action's rounds; -1 where they tell nothing about the claim."""
    apart: str | None = None
    """The variable that the target is independent of: its values are the groups, instead of those of the actions."""
    action: Intervention | None = None
    """The action whose plays (group 1) have the law of the rounds in which its values were seen (group 0)."""
    setting: str | None = None
    """The variable whose setting, to any value or to none, does not matter."""
    set_to: tuple[str | None, ...] = ()
    """The value that `setting` is set to in each group; None where it is not set."""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of variables that a hidden common cause might tie, if the claim is false: the target and each other."""
        others = [n for n in (self.apart, self.setting, *(self.action or ())) if n is not None]
        return tuple((min(self.target, n), max(self.target, n)) for n in others if n != self.target)


@memory_cache
def claims_of(problem: Problem) -> tuple[tuple[Claim, ...], ...]:
    """The claims of a problem: `claims` of its actions, or within contexts where variables are seen first.

    What is played then depends on the context and on earlier rounds. So what is seen first is given in every claim, and the
    claims are those of the graph in which it is constant (`given_first`); claims about what is seen first are left out.

    Where arrows are in doubt, the claims are those that hold in every candidate: the alarm is for what none of them explains.
    """
    largest = problem.graphs.covering
    if not 0 < len(largest) <= _MOST_GRAPHS:
        return (), (), ()
    of_one, *others = (_claims_by(graph, problem) for graph in largest)
    keys = [[{_key(claim) for claim in lot} for lot in other] for other in others]
    return tuple(tuple(c for c in lot if all(_key(c) in k[i] for k in keys)) for i, lot in enumerate(of_one))


@memory_cache
def _claims_by(graph: Graph, problem: Problem) -> tuple[tuple[Claim, ...], ...]:
    """The claims of a problem by one of the possible graphs."""
    if not problem.first:
        return claims(Actions(graph, problem.actions))
    lots = claims(Actions(given_first(graph, problem.first), problem.actions))
    return tuple(tuple(_in_contexts(graph, claim, problem.first) for claim in _apart(lot, problem)) for lot in lots)


def _key(claim: Claim) -> tuple[object, ...]:
    return claim.target, claim.given, claim.group.tobytes(), *claim[3:]


def _apart(lot: tuple[Claim, ...], problem: Problem) -> list[Claim]:
    """The claims that are not about variables seen first, and have few enough strata with all contexts."""
    graph, first = problem.graph, problem.first
    about = [c for c in lot if c.target not in first and c.apart not in first]
    sizes = [math.prod(graph.size(n) for n in {*c.given, *first}) for c in about]
    return [c for c, size in zip(about, sizes, strict=True) if size <= _MOST_WITH_CONTEXTS]


def _in_contexts(graph: Graph, claim: Claim, first: tuple[str, ...]) -> Claim:
    """The claim with the variables seen first among those given."""
    return claim._replace(given=tuple(n for n in graph.names if n in claim.given or n in first))


@memory_cache
def claims(actions: Actions) -> tuple[tuple[Claim, ...], ...]:
    """Three tuples: actions as seen and as played; whether a variable is set; independences. They depend on no round."""
    mechanisms = _mechanisms(actions)
    return tuple(_of_actions(actions)), tuple(_of_settings(actions, mechanisms)), tuple(_of_pairs(actions, mechanisms))


def _few(graph: Graph, given: tuple[str, ...]) -> bool:
    """Whether these variables have few enough combinations of values to be the strata of a claim; numbers have too many."""
    return set(given).issubset(graph.valued) and math.prod(graph.size(n) for n in given) <= _MOST_STRATA


def _of_actions(actions: Actions) -> list[Claim]:
    """The reward has the same law where an action was played and where its values were seen, given what is adjusted for."""
    graph = actions.graph
    assert graph.reward is not None
    by = Seen(Problem(graph, actions)).seen_by
    claims = []
    for a, action in enumerate(actions):
        names, given = frozenset(action), frozenset[str]()
        showing = by[:, a].copy()
        showing[a] = False
        if action and not showing.any() and do() in actions:
            given = adjustment_set(graph, names) or frozenset()
            if given and separated(graph, [graph.reward], names, given, no_arrows_out_of=names):
                showing[actions.index(do())] = True
        ordered = tuple(n for n in graph.names if n in given)
        if showing.any() and _few(graph, ordered):
            group = np.where(showing, 0, -1)
            group[a] = 1
            claims.append(Claim(graph.reward, ordered, group, action=action))
    return claims


def _extended(graph: Graph, names: list[str]) -> Graph:
    """The graph with a variable do(X) for each of these variables X, and an arrow from it into X."""
    parents = {n: (*ps, f"do({n})") if n in names else ps for n, ps in graph.parents.items()}
    more = tuple(Variable(f"do({n})") for n in names)
    return Graph((*graph.variables, *more), parents, graph.reward, graph.success, graph.worth, graph.aim)


_Mechanism = tuple[str, tuple[str, ...], list[str], Bools]


def _mechanisms(actions: Actions) -> list[_Mechanism]:
    """Each variable, its observed causes, the variables whose setting leaves its law given these, and the actions on those.

    The actions are bool[A]: those that set no other variables, so that their rounds can be pooled.
    """
    graph = actions.graph
    settable = [n for n in graph.names if any(n in a for a in actions)]
    extended = _extended(graph, settable)
    mechanisms = []
    recorded = {*graph.valued, graph.reward}  # of numbers, only the reward's are in the rounds
    for name in (n for n in graph.observed if n in recorded):
        given = tuple(p for p in graph.parents[name] if p not in graph.hidden)
        if _few(graph, given):
            reached = connected(extended, [name], given)
            free = [x for x in settable if x != name and f"do({x})" not in reached]
            unset = np.array([n not in free for n in graph.names])
            pooled = ~((actions.codes >= 0) & unset).any(axis=1)
            mechanisms.append((name, given, free, pooled))
    return mechanisms


def _of_settings(actions: Actions, mechanisms: list[_Mechanism]) -> list[Claim]:
    """A variable has the same law, given its observed causes, whether and to what another is set that cannot change it."""
    graph, claims = actions.graph, list[Claim]()
    place = {n: i for i, n in enumerate(graph.names)}
    for name, given, free, pooled in mechanisms:
        for x in free:
            code = actions.codes[:, place[x]].astype(np.int64)
            there = np.bincount(code[pooled] + 1, minlength=graph.size(x) + 1) > 0
            levels = [v for v, use in zip((None, *graph.variable(x).values), there, strict=True) if use]
            if len(levels) > 1:
                group = np.where(pooled, (np.cumsum(there) - 1)[code + 1], -1)
                claims.append(Claim(name, given, group, setting=x, set_to=tuple(levels)))
    return claims


def _of_pairs(actions: Actions, mechanisms: list[_Mechanism]) -> list[Claim]:
    """Two variables are independent given the observed causes of one of them, where the graph says so."""
    graph = actions.graph
    claims, done = [], set()
    for name, given, _, pooled in mechanisms:
        reached = connected(graph, [name], given)
        for other in graph.observed:
            key = frozenset([name, other]), frozenset(given)
            if other == name or other in given or key in done or not _few(graph, (*given, other)):
                continue
            if pooled.any() and other not in reached:
                done.add(key)
                claims.append(Claim(name, given, np.where(pooled, 0, -1), apart=other))
    return claims
