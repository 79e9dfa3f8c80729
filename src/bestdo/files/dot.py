"""Graphviz DOT: `digraph { a -> b; a -> c [dir=both] }`."""

from __future__ import annotations

from bestdo.causal.graph import Graph, Variable
from bestdo.files.declarations import Contents, Source, outline
from bestdo.files.dot_syntax import drawn, named, scan
from bestdo.text import in_quotes

__all__ = ["read", "write"]


def read(source: Source, reward: str | None, success: str | None) -> Contents:
    """Reads a digraph; `dir=both` on an arrow means `<->`, attributes of a node say what is known of it."""
    scanner = scan(source)
    words = {"strict", "digraph", "graph"}
    kind = scanner.keyword(words)
    if kind.text == "strict":
        kind = scanner.keyword(words - {"strict"})
    if kind.text == "graph":
        scanner.fail("an undirected graph does not say which is the cause; write digraph and ->", kind)
    if not scanner.sees("{"):
        scanner.name("a name or '{'")
    return drawn(source, scanner, reward, success)


def write(contents: Contents) -> str:
    """The graph as DOT, hidden variables and `<->` dashed; what DOT has no word for is an attribute."""
    graph = contents.graph
    variables, arrows = outline(graph)
    lines = [f"    {named(v.name)}{_attributes(graph, v)};" for v in variables]
    for mark, a, b in arrows:
        both = " [dir=both, style=dashed]" if mark == "<->" else ""
        lines.append(f"    {named(a)} -> {named(b)}{both};")
    return "\n".join(["digraph {", *lines, "}", ""])


def _attributes(graph: Graph, variable: Variable) -> str:
    found = []
    if variable.values != ("0", "1"):
        found.append(f"values={in_quotes(','.join(map(_value, variable.values)))}")
    if variable.hidden:
        found += ["hidden=true", "style=dashed"]
    if variable.description:
        found.append(f"description={in_quotes(variable.description)}")
    if variable.unit:
        found.append(f"unit={in_quotes(variable.unit)}")
    if variable.name == graph.reward:
        found.append(f"reward={in_quotes(graph.success or '')}")
    return f" [{', '.join(found)}]" if found else ""


def _value(value: str) -> str:
    return in_quotes(value) if set(value) & set(',"\\') else value
