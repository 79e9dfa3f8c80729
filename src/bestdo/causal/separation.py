"""d-separation: which variables the graph says are independent, and smallest separating sets."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bestdo.causal.graph import Graph

__all__ = ["connected", "separated", "smallest_separator"]


def separated(
    graph: Graph,
    a: Iterable[str],
    b: Iterable[str],
    given: Collection[str] = (),
    no_arrows_into: Collection[str] = (),
    no_arrows_out_of: Collection[str] = (),
) -> bool:
    """Whether `given` blocks every path between `a` and `b`, in the graph without the arrows named.

    A variable of `a` or `b` that is in `given` counts as separated. Leaving out the arrows into or out of variables is
    what the rules of do-calculus need.
    """
    goal = set(b) - set(given)
    return goal.isdisjoint(connected(graph, a, given, no_arrows_into, no_arrows_out_of, goal))


def connected(
    graph: Graph,
    a: Iterable[str],
    given: Collection[str] = (),
    no_arrows_into: Collection[str] = (),
    no_arrows_out_of: Collection[str] = (),
    until: Collection[str] = (),
) -> set[str]:
    """The variables to which a path from `a` leads that `given` does not block, those in `given` aside.

    As soon as it leads to one of `until`, the search ends.
    """
    into, out, blocking = set(no_arrows_into), set(no_arrows_out_of), set(given)

    def parents(name: str) -> Iterable[str]:
        return () if name in into else (p for p in graph.parents[name] if p not in out)

    def children(name: str) -> Iterable[str]:
        return () if name in out else (c for c in graph.children[name] if c not in into)

    opened = set(blocking)  # a collider opens a path when it or one of its descendants is given
    todo = list(blocking)
    while todo:
        for parent in parents(todo.pop()):
            if parent not in opened:
                opened.add(parent)
                todo.append(parent)

    # (name, True): reached against an arrow, from a child or at the start; (name, False): reached along an arrow
    walk = [(name, True) for name in a if name not in blocking]
    met = set(walk)
    while walk:
        name, upwards = walk.pop()
        if name in until:
            return {name}
        steps: list[tuple[str, bool]] = []
        if name not in blocking:
            steps += [(child, False) for child in children(name)]
        if (upwards and name not in blocking) or (not upwards and name in opened):
            steps += [(parent, True) for parent in parents(name)]
        for step in steps:
            if step not in met:
                met.add(step)
                walk.append(step)
    return {name for name, _ in met} - blocking


def smallest_separator(
    graph: Graph,
    a: Collection[str],
    b: Collection[str],
    allowed: Collection[str],
    cut: Collection[tuple[str, str]],
) -> frozenset[str] | None:
    """The smallest set of `allowed` variables that blocks every path between `a` and `b`; None when there is none.

    `cut` names arrows (cause, effect) that are left out. A minimum cut in the moral graph of the ancestors
    (Tian, Paz & Pearl 1998; van der Zander, Liśkiewicz & Textor 2014).
    """
    import networkx as nx

    gone = set(cut)
    parents = {n: [p for p in ps if (p, n) not in gone] for n, ps in graph.parents.items()}
    keep, todo = {*a, *b}, [*a, *b]
    while todo:
        for parent in parents[todo.pop()]:
            if parent not in keep:
                keep.add(parent)
                todo.append(parent)
    free = set(allowed) - {*a, *b}
    moral = nx.DiGraph()
    for name in graph.names:
        if name in keep:
            moral.add_edge((name, "in"), (name, "out"), **({"capacity": 1} if name in free else {}))
    for child in (n for n in graph.names if n in keep):
        family = [child, *parents[child]]
        for one in family:
            for other in family:
                if one != other:
                    moral.add_edge((one, "out"), (other, "in"))
    for name in a:
        moral.add_edge("start", (name, "in"))
    for name in b:
        moral.add_edge((name, "out"), "goal")
    try:
        value, (near, _) = nx.minimum_cut(moral, "start", "goal")
    except nx.NetworkXUnbounded:
        return None
    separator = frozenset(n for n in free & keep if (n, "in") in near and (n, "out") not in near)
    assert len(separator) == value
    return separator
