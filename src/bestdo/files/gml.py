"""Reads and writes GML: `graph [ directed 1 node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1 ] ]`."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from bestdo.causal.arrows import doubt_said
from bestdo.causal.graph import Variable
from bestdo.errors import shown, unknown
from bestdo.files.declarations import Contents, Declarations, Source, Wanted, check_count, contents_of, refuse_listed
from bestdo.formats import FORMATS
from bestdo.text import Scanner, Token

__all__ = ["EXTENSIONS", "NAME", "STARTS", "read", "write"]

NAME = FORMATS["gml"]
EXTENSIONS: tuple[str, ...] = (".gml",)
STARTS = re.compile(r"(?:(?:Creator|Version|comment)\b[^\n]*+\s++)*graph\s*+\[")
"""The beginning of the text, after blanks and comments."""

_TOKENS = re.compile(
    r'(?:\s+|(?<![^\n])#[^\n]*)*+(?:"(?P<literal>[^"]*)"|(?P<mark>[\[\]])|(?P<word>[^\s\[\]"]+)|(?P<end>\Z)|(?P<bad>.))',
    re.DOTALL,
)
_DEEPEST = 50
"""The most brackets inside each other: far below Python's limit on recursion."""
_NETWORKX = "_networkx_list_start"  # how networkx marks a list of one


class _Pair(NamedTuple):
    """A key and its value."""

    key: str
    value: str
    inner: tuple[_Pair, ...] | None
    """The pairs in brackets, where the value is a list."""
    key_at: int
    """The offset of the key."""
    value_at: int
    """The offset of the value."""


def read(source: Source, wanted: Wanted) -> Contents:
    """Reads the first graph of the file, which must be directed."""
    scanner = Scanner(source.text, _TOKENS, source.name)
    top = _pairs(scanner, None, 0)
    graph = next((p for p in top if p.key == "graph" and p.inner is not None), None)
    if graph is None or graph.inner is None:
        raise source.error("this GML file holds no graph: it has no 'graph ['", 0)
    if _text(source, graph, "directed", "0") != "1":
        raise source.error("the graph is undirected; GML says 'directed 1' where edges are arrows", graph.key_at)
    declared = Declarations()
    names = _nodes(source, graph.inner, declared)
    for edge in graph.inner:
        if edge.key == "edge":
            _edge(source, edge, names, declared)
    reward_name = _text(source, graph, "reward", "")
    if reward_name:
        declared.reward = reward_name
        declared.success = _text(source, graph, "success", "") or None
        declared.reward_at = next(p.value_at for p in graph.inner if p.key == "reward")
    return contents_of(source, declared, wanted)


def _pairs(scanner: Scanner, opening: Token | None, depth: int) -> tuple[_Pair, ...]:
    """Reads keys and values up to the closing bracket, or to the end of the text where there is no opening one."""
    if depth > _DEEPEST:
        scanner.fail(f"brackets are nested more than {_DEEPEST} deep", opening)
    pairs = []
    while not (scanner.accept("]") if opening else scanner.next.kind == "end"):
        if scanner.next.kind == "end":
            scanner.fail("this bracket is never closed", opening)
        key = scanner.next
        if key.kind != "word":
            scanner.unexpected("a key such as node or edge")
        scanner.take()
        value = scanner.next
        if value.kind == "end" or scanner.sees("]"):
            scanner.unexpected(f"a value for {shown(key.text)}")
        scanner.take()
        inner = _pairs(scanner, value, depth + 1) if value.kind == "mark" else None
        text = html.unescape(value.text) if value.kind == "literal" else value.text
        pairs.append(_Pair(key.text, text, inner, key.offset, value.offset))
    return tuple(pairs)


def _text(source: Source, pair: _Pair, key: str, otherwise: str | None) -> str:
    """The value of a key in a list, which may occur once and must be a text or a number; `otherwise` where it is missing."""
    pairs = [p for p in pair.inner or () if p.key == key]
    if not pairs:
        if otherwise is None:
            raise source.error(f"this {pair.key} has no {key}", pair.key_at)
        return otherwise
    if len(pairs) > 1 or pairs[0].inner is not None:
        raise source.error(f"the {key} of this {pair.key} must be one text or number", pairs[-1].key_at)
    return pairs[0].value


def _nodes(source: Source, pairs: tuple[_Pair, ...], declared: Declarations) -> dict[str, str]:
    """Adds the variables to `declared` and returns the name that belongs to each id."""
    names: dict[str, str] = {}
    for node in pairs:
        if node.key != "node":
            continue
        check_count(source, len(names) + 1, node.key_at)
        number = _text(source, node, "id", None)
        name = _text(source, node, "label", number)
        if number in names or name in declared.variables:
            twice = f"id {shown(number)}" if number in names else f"label {shown(name)}"
            raise source.error(f"two nodes have the {twice}", node.key_at)
        hidden = any(_flag(source, node, key, "0") for key in ("hidden", "latent", "unobserved"))
        hidden |= not _flag(source, node, "observed", "1")  # as DoWhy writes it
        values = tuple(p.value for p in node.inner or () if p.key == "values" and p.value != _NETWORKX)
        with source.at(node.key_at):
            declared.variables[name] = Variable(
                name,
                values or ("0", "1"),
                hidden,
                _text(source, node, "description", ""),
                _text(source, node, "unit", ""),
            )
        names[number] = name
    return names


def _flag(source: Source, node: _Pair, key: str, otherwise: str) -> bool:
    """Whether a key of a node is true."""
    text = _text(source, node, key, otherwise)
    flags = {"0": False, "1": True, "false": False, "true": True, "no": False, "yes": True}
    if text.lower() not in flags:
        raise source.error(f"{key} is {shown(text)}; it must be 0 or 1", node.key_at)
    return flags[text.lower()]


def _edge(source: Source, edge: _Pair, names: dict[str, str], declared: Declarations) -> None:
    """Adds an arrow to `declared`."""
    ends = []
    for key in ("source", "target"):
        number = _text(source, edge, key, None)
        if number not in names:
            where = next(p.value_at for p in edge.inner or () if p.key == key)
            raise source.error(unknown("id of a node", number, names), where)
        ends.append(names[number])
    said = _text(source, edge, "doubt", "false")
    if said.lower() in ("false", "no", "0"):
        declared.arrows.setdefault(("->", ends[0], ends[1]), edge.key_at)
        return
    with source.at(next(p.value_at for p in edge.inner or () if p.key == "doubt")):
        declared.doubts.append((doubt_said("" if said == "1" else said, "->", ends[0], ends[1]), edge.key_at))


def write(contents: Contents) -> str:
    """The graph as GML text; GML has no `<->`, so hidden variables are nodes with `hidden 1`."""
    refuse_listed(contents, NAME)
    graph = contents.sure
    lines = ["graph [", "  directed 1"]
    said = graph.rewarded.declared
    lines += [f"  {key} {_literal(said[key])}" for key in ("reward", "success") if key in said]
    for number, variable in enumerate(graph.variables):
        lines += ["  node [", f"    id {number}", f"    label {_literal(variable.name)}"]
        values = variable.kind.values
        lines += [f"    values {_literal(value)}" for value in ((_NETWORKX,) if len(values) == 1 else ()) + values]
        lines += ["    hidden 1"] if variable.hidden else []
        lines += [f"    description {_literal(variable.description)}"] if variable.description else []
        lines += [f"    unit {_literal(variable.unit)}"] if variable.unit else []
        lines.append("  ]")
    number_of = {name: number for number, name in enumerate(graph.names)}
    for child, parents in graph.parents.items():
        for parent in parents:
            lines += ["  edge [", f"    source {number_of[parent]}", f"    target {number_of[child]}", "  ]"]
    for doubt in contents.doubtful:
        ends = [f"    source {number_of[doubt.a]}", f"    target {number_of[doubt.b]}"]
        lines += ["  edge [", *ends, f"    doubt {_literal(doubt.mark)}", "  ]"]
    return "\n".join([*lines, "]", ""])


def _literal(text: str) -> str:
    """The text in quotes and in ASCII, other characters as `&#number;`, as networkx reads it."""
    return '"' + "".join(c if " " <= c <= "~" and c not in '"&\\' else f"&#{ord(c)};" for c in text) + '"'
