"""Reads network objects of networkx, pgmpy, pyAgrum, causal-learn and gCastle, none of which is imported here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.arrows import doubt_said
from bestdo.causal.as_networkx import variable_of
from bestdo.causal.doubts import graphs_with
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.variable import no_success
from bestdo.errors import BestdoError, GraphError, shown
from bestdo.files.declarations import Contents, Wanted
from bestdo.files.matrices import graph_of_matrix, is_matrix

__all__ = ["read"]


def read(network: Any, wanted: Wanted, names: Sequence[str] | None = None) -> Contents:
    """The graph, and the model where there are tables, of a network of another library, or of a matrix with these names."""
    if is_matrix(network):
        sure, doubts, notes = graph_of_matrix(network, names)
        contents = replace(_in_doubt(_rewarding(sure, wanted), doubts), notes=notes)
    elif names is not None:
        raise BestdoError(f"names are for a matrix; a {type(network).__name__} has its own")
    else:
        contents = _contents(network, wanted)
    graph = contents.graph
    attributes = _said(network) if wanted.reward is None else {}
    said = attributes.get("success") or attributes.get("worth")
    asked = wanted.success is not None or wanted.worth is not None or said
    if graph.reward is not None and graph.number is None and not asked:
        raise no_success(graph.variable(graph.reward))
    return contents


def _contents(network: Any, wanted: Wanted) -> Contents:
    """The contents of a network of any of these libraries."""
    libraries = {kind.__module__.split(".")[0].lower() for kind in type(network).__mro__}
    if "pgmpy" in libraries:  # also a networkx.DiGraph
        return _pgmpy(network, wanted)
    if "pyagrum" in libraries:
        return _pyagrum(network, wanted)
    if "networkx" in libraries:
        if not network.is_directed():
            raise GraphError("an undirected networkx graph does not say which is the cause; give a DiGraph")
        doubted = [(a, b, data.get("doubt")) for a, b, data in network.edges(data=True)]
        said = [(a, b, said) for a, b, said in doubted if said is not None and said is not False]
        if not said:
            return Contents(Graph.from_networkx(network, *wanted))
        sure = network.copy()
        sure.remove_edges_from([(a, b) for a, b, _ in said])
        return _in_doubt(
            Graph.from_networkx(sure, *wanted), [doubt_said(str(s), "->", str(a), str(b)) for a, b, s in said]
        )
    raise BestdoError(
        f"cannot read a {type(network).__name__}: give the path of a file, a networkx.DiGraph, a pgmpy network, a pyAgrum "
        "BayesNet, or a matrix"
    )


def _in_doubt(sure: Graph, doubts: Sequence[tuple[str, str, str, float | None]]) -> Contents:
    """A graph with doubtful arrows, where there are some."""
    graphs = graphs_with(sure, doubts)
    return Contents(graphs.graph, doubts=graphs.doubts)


def _said(network: Any) -> Mapping[str, Any]:
    """The statements of a network about the reward: the attributes of networkx and pgmpy, the properties of pyAgrum."""
    if hasattr(network, "propertyWithDefault"):
        said = {key: network.propertyWithDefault(key, "") or None for key in ("reward", "success", "worth", "aim")}
        return {**said, "worth": json.loads(said["worth"]) if said["worth"] else None}
    attributes = getattr(network, "graph", None)
    return attributes if isinstance(attributes, Mapping) else {}


def _own(network: Any, wanted: Wanted) -> Wanted:
    """The statements about the reward: a person's, otherwise the network's."""
    said = _said(network)
    if wanted.reward is not None or not said.get("reward"):
        return wanted
    own = (said.get(what) for what in ("success", "worth", "aim"))
    return Wanted(said["reward"], *(own if not wanted else wanted[1:]))


def _rewarding(graph: Graph, wanted: Wanted) -> Graph:
    """The graph with the reward that is wanted, where one is."""
    if wanted.reward is None:
        if wanted:
            raise GraphError(f"{wanted.said}, but no reward is named")
        return graph
    return graph.rewarding(wanted.reward, wanted.success, wanted.worth, wanted.aim)


def _list(names: Iterable[object]) -> str:
    """The names in quotes, sorted and separated by commas."""
    return ", ".join(sorted(shown(n) for n in names)) or "nothing"


def _pgmpy(network: Any, wanted: Wanted) -> Contents:
    """The graph and the model of a pgmpy network; one without any table has no model."""
    tables = {cpd.variable: cpd for cpd in (network.get_cpds() if hasattr(network, "get_cpds") else ())}
    latent = set(getattr(network, "latents", ()))
    missing = [str(n) for n in network.nodes if n not in tables]
    if tables and missing:
        raise GraphError(f"the network has tables, but none for {', '.join(missing[:8])}")
    values = {n: tables[n].state_names[n] for n in tables}
    variables = [variable_of(str(n), network.nodes[n], values.get(n), n in latent) for n in network.nodes]
    wanted = _own(network, wanted)
    lines = list(getattr(network, "undirected_edges", ()))  # of a PDAG, which has an arrow each way for a line
    if lines:
        arrows = {str(n): tuple(str(a) for a, b in sorted(network.directed_edges) if b == n) for n in network.nodes}
        sure = _rewarding(Graph(tuple(variables), arrows), wanted)
        return _in_doubt(sure, [(str(a), "--", str(b), None) for a, b in sorted(lines)])
    axes = {n: tables[n].variables[1:] if n in tables else list(network.predecessors(n)) for n in network.nodes}
    for name in tables:
        by_arrows, by_table = set(network.predecessors(name)), set(axes[name])
        if by_arrows != by_table:
            raise GraphError(
                f"the arrows into {shown(name)} come from {_list(by_arrows)}, but its table is given {_list(by_table)}"
            )
    graph = _rewarding(Graph(tuple(variables), {str(n): tuple(map(str, p)) for n, p in axes.items()}), wanted)
    if not tables:
        return Contents(graph)
    arrays: dict[str, NDArray[np.float64]] = {}
    for name, cpd in tables.items():
        array = np.asarray(cpd.values, np.float64)
        for axis, parent in enumerate(cpd.variables):  # each table may list the values in another order
            if set(cpd.state_names[parent]) != set(values[parent]):
                raise GraphError(
                    f"the values of {shown(parent)} are {_list(cpd.state_names[parent])} in the table of {shown(name)}, "
                    f"and {_list(values[parent])} in its own table"
                )
            order = [cpd.state_names[parent].index(v) for v in values[parent]]
            array = np.take(array, order, axis)
        arrays[str(name)] = np.moveaxis(array, 0, -1)
    return Contents(graph, model=Model(graph, arrays))


def _pyagrum(network: Any, wanted: Wanted) -> Contents:
    """The graph of a pyAgrum BayesNet, and its model unless all its tables are zeros, as they are before they are filled."""
    names = [network.variable(node).name() for node in sorted(network.nodes())]
    hidden = set(json.loads(network.propertyWithDefault("hidden", "[]")))
    about = {n: network.variable(n) for n in names}
    variables = tuple(
        Variable(
            n, tuple(about[n].labels()), n in hidden, about[n].description() if about[n].description() != n else ""
        )
        for n in names
    )
    axes = {n: tuple(network.cpt(n).names)[::-1] for n in names}  # the variable itself last
    graph = _rewarding(Graph(variables, {n: axes[n][:-1] for n in names}), _own(network, wanted))
    tables = {n: np.asarray(network.cpt(n).toarray(), np.float64) for n in names}
    if not any(table.any() for table in tables.values()):
        return Contents(graph)
    return Contents(graph, model=Model(graph, tables))
