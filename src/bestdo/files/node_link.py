"""Reads and writes graphs in JSON as networkx exports them: `{"directed": true, "nodes": [{"id": "a"}], "edges": […]}`.

Edges stand under "edges" or "links" (`node_link_data`), or beside each node under "adjacency" (`adjacency_data`).
"""

from __future__ import annotations

import json
import re
from typing import Any

from bestdo.causal.arrows import doubt_said
from bestdo.causal.graph import Variable
from bestdo.causal.number import number_of
from bestdo.causal.variable import AIMS
from bestdo.causal.worth import checked_worth
from bestdo.errors import FileError, shown, unknown
from bestdo.files.declarations import (
    MOST_ARROWS,
    Contents,
    Declarations,
    Source,
    Wanted,
    check_count,
    contents_of,
    refuse_listed,
)
from bestdo.formats import FORMATS

__all__ = ["EXTENSIONS", "NAME", "STARTS", "read", "write"]

NAME = FORMATS["node_link"]
EXTENSIONS: tuple[str, ...] = (".json",)
STARTS = re.compile(r'\{\s*+"(?:directed|multigraph|graph|nodes|links|edges|adjacency)"')
"""The beginning of the text, after blanks and comments."""

_FLAGS = {"no": False, "false": False, "0": False, "yes": True, "true": True, "1": True}
_KEYS = ("values", "hidden", "cut", "description", "unit")
"""The order of what is said of a node; what is said of a number comes after that."""


def read(source: Source, wanted: Wanted) -> Contents:
    """Reads a directed graph."""
    data = _parse(source)
    if data.get("directed") is not True:
        raise source.error('the graph is undirected; "directed": true says that edges are arrows', 0)
    declared = Declarations()
    nodes = _list(source, data, "nodes")
    names = [_node(source, node, declared) for node in nodes]
    for a, b, said in _edges(source, data, names):
        for name in (a, b):
            if name not in declared.variables:
                raise source.error(unknown("id of a node", name, declared.variables), _place(source, name))
        if said is None or said is False:
            declared.arrows.setdefault(("->", a, b), _place(source, a))
        else:
            with source.at(_place(source, "doubt")):
                declared.doubts.append((doubt_said(str(said), "->", a, b), _place(source, a)))
        if len(declared.arrows) + len(declared.doubts) > MOST_ARROWS:
            raise source.error(f"these are more than {MOST_ARROWS:,} arrows, which is the most allowed", 0)
    about = data.get("graph", {})
    if isinstance(about, list):  # adjacency_data has pairs of a key and a value
        about = {str(pair[0]): pair[1] for pair in about if isinstance(pair, list) and len(pair) == 2}
    _wanted(source, about if isinstance(about, dict) else {}, declared)
    return contents_of(source, declared, wanted)


def _parse(source: Source) -> dict[str, Any]:
    """The data of the text, which must be an object."""
    try:
        data = json.loads(source.text)
    except json.JSONDecodeError as error:
        raise FileError(f"this is no JSON: {error.msg}", source.name, error.lineno, error.colno) from None
    except (RecursionError, ValueError):
        raise source.error("lists are nested too deeply, or a number has too many digits", 0) from None
    if not isinstance(data, dict):
        raise source.error('a graph in JSON is an object with "directed", "nodes" and "edges"', 0)
    return data


def _place(source: Source, name: str) -> int:
    """The offset where a name stands first, as far as that is known; the beginning otherwise."""
    return max(0, source.text.find(json.dumps(name, ensure_ascii=False)))


def _list(source: Source, data: dict[str, Any], key: str) -> list[Any]:
    """The list under a key."""
    items = data.get(key)
    if not isinstance(items, list):
        raise source.error(f'"{key}" must be a list', _place(source, key))
    return items


def _node(source: Source, node: object, declared: Declarations) -> str:
    """Adds the variable of a node to `declared`, and returns its name."""
    if not isinstance(node, dict) or not isinstance(node.get("id"), str | int | float):
        raise source.error(f'a node looks like {{"id": "price"}}, not {shown(node)}', _place(source, "nodes"))
    name = str(node["id"])
    where = _place(source, name)
    check_count(source, len(declared.variables) + 1, where)
    if name in declared.variables:
        raise source.error(f"two nodes have the id {shown(name)}", where)
    values, cut = node.get("values", ["0", "1"]), node.get("cut", [])
    if not isinstance(values, list) or not isinstance(cut, list):
        raise source.error(f"the values and the cut of {shown(name)} must be lists", where)
    flags = {key: str(node.get(key, default)).lower() for key, default in (("hidden", "no"), ("observed", "yes"))}
    for key, text in flags.items():
        if text not in _FLAGS:
            raise source.error(f"{key} of {shown(name)} is {shown(text)}; it must be true or false", where)
    hidden = _FLAGS[flags["hidden"]] or not _FLAGS[flags["observed"]]  # the second is DoWhy's
    with source.at(where):
        number = number_of(node)
        words, unit = str(node.get("description", "")), str(node.get("unit", ""))
        declared.variables[name] = Variable(name, tuple(map(str, values)), hidden, words, unit, tuple(cut), number)
    return name


def _edges(source: Source, data: dict[str, Any], names: list[str]) -> list[tuple[str, str, Any]]:
    """The arrows: cause, effect, and what is said of a doubt."""
    if "adjacency" in data:
        beside = _list(source, data, "adjacency")
        pairs = [
            (a, e) for a, ends in zip(names, beside, strict=False) for e in (ends if isinstance(ends, list) else [])
        ]
        edges: list[Any] = [
            {"source": a, "target": e.get("id"), "doubt": e.get("doubt")} if isinstance(e, dict) else None
            for a, e in pairs
        ]
    else:
        edges = _list(source, data, "links" if "links" in data else "edges")
    for edge in edges:
        ends = [edge.get(key) for key in ("source", "target")] if isinstance(edge, dict) else [None]
        if not all(isinstance(end, str | int | float) for end in ends):
            message = f'an edge looks like {{"source": "price", "target": "sale"}}, not {shown(edge)}'
            raise source.error(message, _place(source, "edges"))
    return [(str(edge["source"]), str(edge["target"]), edge.get("doubt")) for edge in edges]


def _wanted(source: Source, about: dict[str, Any], declared: Declarations) -> None:
    """Adds the reward, and what is wanted of it, to `declared`."""
    reward, success, worth, aim = (about.get(key) for key in ("reward", "success", "worth", "aim"))
    if reward is None:
        return
    declared.reward, declared.reward_at = str(reward), _place(source, "reward")
    declared.success = None if success is None else str(success)
    if aim is not None and aim not in AIMS:
        raise source.error(unknown("aim", aim, AIMS), _place(source, "aim"))
    declared.aim = aim
    if isinstance(worth, dict) and declared.reward in declared.variables and success is None:
        with source.at(_place(source, "worth")):
            declared.worth = checked_worth(declared.variables[declared.reward], worth)


def write(contents: Contents) -> str:
    """The graph in JSON, as `networkx.node_link_data` writes it; hidden variables are nodes with "hidden": true."""
    refuse_listed(contents, NAME)
    graph = contents.sure
    nodes = []
    for v in graph.variables:
        node: dict[str, Any] = {"hidden": v.hidden, "description": v.description, "unit": v.unit}
        about = {**v.kind.declared, **{key: value for key, value in node.items() if value}, "id": v.name}
        nodes.append({key: about[key] for key in (*_KEYS, *v.kind.declared, "id") if key in about})
    data = {
        "directed": True,
        "multigraph": False,
        "graph": graph.rewarded.declared,
        "nodes": nodes,
        "edges": [
            *({"source": p, "target": child} for child, parents in graph.parents.items() for p in parents),
            *({"source": doubt.a, "target": doubt.b, "doubt": doubt.mark} for doubt in contents.doubtful),
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
