"""Graphs and models as objects of pgmpy, pyAgrum and DoWhy, which `bestdo.read` reads back."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bestdo.causal.as_networkx import to_networkx
from bestdo.errors import BestdoError, shown

if TYPE_CHECKING:
    import networkx as nx

    from bestdo.causal.graph import Graph
    from bestdo.causal.model import Model

__all__ = ["model_to_pgmpy", "model_to_pyagrum", "to_dowhy", "to_pgmpy", "to_pyagrum"]


def _library(name: str) -> Any:
    """The module of another library, which need not be installed."""
    try:
        return import_module(name)
    except ImportError:
        library = name.split(".")[0]
        raise BestdoError(f"this needs {library}, which is not installed: pip install {library}") from None


def to_dowhy(graph: Graph) -> nx.DiGraph:
    """The graph for DoWhy: a networkx.DiGraph whose hidden variables, `A <-> B` included, have `observed="no"`.

    DoWhy has no values and no reward, which stay behind.
    """
    made = _library("networkx").DiGraph()
    made.add_nodes_from((v.name, {"observed": "no" if v.hidden else "yes"}) for v in graph.variables)
    made.add_edges_from((parent, child) for child, parents in graph.parents.items() for parent in parents)
    return made


def to_pgmpy(graph: Graph) -> Any:
    """The graph as a pgmpy DiscreteBayesianNetwork without tables; hidden variables are its latents.

    Values, descriptions, units and what is wanted of the reward are attributes, as of `to_networkx`.
    """
    models = _library("pgmpy.models")

    plain = to_networkx(graph)
    made = models.DiscreteBayesianNetwork()
    made.add_nodes_from(graph.names)
    made.add_edges_from(plain.edges)
    made.latents = set(graph.hidden)
    made.graph.update(plain.graph)
    for name, attributes in plain.nodes(data=True):
        made.nodes[name].update({key: value for key, value in attributes.items() if key != "hidden"})
    return made


def model_to_pgmpy(model: Model) -> Any:
    """The model as a pgmpy DiscreteBayesianNetwork with its tables; hidden variables are its latents."""
    import numpy as np

    discrete = _library("pgmpy.factors.discrete")
    _check_no_numbers(model, "pgmpy")
    graph = model.graph
    made = to_pgmpy(graph)
    for name, parents in graph.parents.items():
        size, sizes = graph.size(name), [graph.size(p) for p in parents]
        table = np.moveaxis(model.tables[name], -1, 0).reshape(size, -1)
        labels = {n: list(graph.variable(n).values) for n in (name, *parents)}
        made.add_cpds(discrete.TabularCPD(name, size, table, list(parents) or None, sizes or None, state_names=labels))
    return made


def to_pyagrum(graph: Graph) -> Any:
    """The graph as a pyAgrum BayesNet, whose tables are zeros; what is hidden and wanted are properties of the network."""
    import json

    pyagrum = _library("pyagrum")
    made = pyagrum.BayesNet()
    for name in graph.numeric:
        raise BestdoError(f"pyAgrum's variables have values; {shown(name)} is a number: cut it first")
    for variable in graph.variables:
        made.add(pyagrum.LabelizedVariable(variable.name, variable.description, list(variable.values)))
    for child, parents in graph.parents.items():
        for parent in parents:
            made.addArc(parent, child)
    for key, value in graph.rewarded.declared.items():
        made.setProperty(key, value if isinstance(value, str) else json.dumps(value))
    if graph.hidden:
        made.setProperty("hidden", json.dumps(graph.hidden))
    return made


def model_to_pyagrum(model: Model) -> Any:
    """The model as a pyAgrum BayesNet with its tables; what is hidden and wanted are properties of the network."""
    import numpy as np

    _check_no_numbers(model, "pyAgrum")
    made = to_pyagrum(model.graph)
    for name, parents in model.graph.parents.items():
        table = made.cpt(name)
        axes = [*parents, name]
        order = [axes.index(axis) for axis in tuple(table.names)[::-1]]
        table[:] = np.ascontiguousarray(np.transpose(model.tables[name], order))
    return made


def _check_no_numbers(model: Model, library: str) -> None:
    """Raises an error where a variable of the model is a number, which tables cannot hold."""
    for name in model.numbers:
        raise BestdoError(f"{library}'s tables have values; {shown(name)} is a number: cut it first")
