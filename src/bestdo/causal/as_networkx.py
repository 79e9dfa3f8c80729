"""Graphs to and from networkx."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bestdo.causal.doubt_kinds import EITHER_WAY, SHARED
from bestdo.causal.number import number_of
from bestdo.causal.variable import Variable
from bestdo.errors import GraphError, shown

if TYPE_CHECKING:
    import networkx as nx

    from bestdo.causal.doubtful_arrows import Doubt
    from bestdo.causal.graph import Graph

__all__ = ["from_networkx", "to_networkx", "variable_of", "with_doubts"]

_HIDDEN = ("hidden", "latent", "unobserved")
"""Attributes of a node that say that it is hidden."""


def to_networkx(graph: Graph) -> nx.DiGraph:
    """The graph as a networkx.DiGraph; values, hidden, description, unit, cut, number and reward become attributes."""
    import networkx as nx

    made = nx.DiGraph(**{"reward": graph.reward, "success": graph.success, **graph.rewarded.declared})
    for v in graph.variables:
        made.add_node(v.name, values=v.values, hidden=v.hidden, description=v.description, unit=v.unit)
        made.nodes[v.name].update(v.kind.declared)
    made.add_edges_from((p, c) for c, ps in graph.parents.items() for p in ps)
    return made


def with_doubts(made: nx.DiGraph, marked: Iterable[Doubt], by_list: bool) -> nx.DiGraph:
    """The networkx.DiGraph of what is sure, with an attribute `doubt` of each doubtful arrow; not of listed graphs."""
    if by_list:
        raise GraphError(
            "graphs that are listed one by one are no combinations of doubtful arrows: take each candidate"
        )
    for doubt in marked:
        ends = [(doubt.a, doubt.b), *([(doubt.b, doubt.a)] if doubt.kind in (*SHARED, *EITHER_WAY) else [])]
        free = next((pair for pair in ends if not made.has_edge(*pair)), None)
        if free is None:
            raise GraphError(f"networkx has one arrow from a variable to another, and there is one beside {doubt}")
        made.add_edge(*free, doubt=doubt.mark)
    return made


def from_networkx(
    kind: type[Graph],
    network: nx.DiGraph,
    reward: str | None = None,
    success: str | None = None,
    worth: Mapping[str, float] | None = None,
    aim: str | None = None,
) -> Graph:
    """The graph in a networkx.DiGraph; node attributes as written by `to_networkx`, all of them optional.

    A node with `observed="no"`, as DoWhy writes it, is hidden.
    """
    declared = [variable_of(str(name), data) for name, data in network.nodes(data=True)]
    parents = {str(n): tuple(str(p) for p in network.predecessors(n)) for n in network}
    said = network.graph if reward is None else {}
    if success is None and worth is None:
        success, worth = said.get("success"), said.get("worth")
        aim = said.get("aim") if aim is None else aim
    given = tuple(worth.items()) if isinstance(worth, Mapping) else worth
    return kind(tuple(declared), parents, said.get("reward") if reward is None else reward, success, given, aim)


def variable_of(
    name: str, data: Mapping[str, Any], values: Iterable[object] | None = None, hidden: bool = False
) -> Variable:
    """The variable that the attributes of a node describe; `values` and `hidden` hold further facts about it."""
    labels = data.get("values", data.get("states", ("0", "1"))) if values is None else values  # pgmpy says states
    return Variable(
        name,
        tuple(map(str, labels)) if isinstance(labels, Iterable) and not isinstance(labels, str) else labels,
        hidden or any(_flag(name, data, key, False) for key in _HIDDEN) or not _flag(name, data, "observed", True),
        str(data.get("description", "")),
        str(data.get("unit", "")),
        tuple(data.get("cut", ())),
        number_of(data),
    )


def _flag(name: str, data: Mapping[str, Any], key: str, otherwise: bool) -> bool:
    """Whether an attribute of a node is true; `otherwise` where the node has no such attribute."""
    flags = {"no": False, "false": False, "0": False, "yes": True, "true": True, "1": True}
    said = str(data.get(key, otherwise)).lower()
    if said not in flags:
        raise GraphError(f"{shown(name)} has {key}={data[key]!r}; it must be 'yes' or 'no'")
    return flags[said]
