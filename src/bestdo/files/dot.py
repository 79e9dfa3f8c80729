"""Reads and writes Graphviz DOT: `digraph { a -> b; a -> c [dir=both] }`."""

from __future__ import annotations

import re

from bestdo.causal.doubt_kinds import EITHER_WAY, SHARED
from bestdo.causal.doubts import Doubt
from bestdo.causal.graph import Graph, Variable
from bestdo.files.declarations import OPTIONAL_NAME, Contents, Source, Wanted, outline, refuse_listed
from bestdo.files.dot_syntax import quoted_name, read_graph, scan
from bestdo.formats import FORMATS
from bestdo.text import in_quotes

__all__ = ["EXTENSIONS", "NAME", "STARTS", "read", "write"]

NAME = FORMATS["dot"]
EXTENSIONS: tuple[str, ...] = ".dot", ".gv"
STARTS = re.compile(rf"(?:strict\s++)?(?:di)?graph{OPTIONAL_NAME}\{{")
"""The beginning of the text, after blanks and comments."""


def read(source: Source, wanted: Wanted) -> Contents:
    """Reads a digraph, or a graph whose lines are all arrows, as DAGitty allows.

    `dir=both` on an arrow means `<->`, attributes of a node describe the variable.
    """
    scanner = scan(source)
    words = {"strict", "digraph", "graph"}
    kind = scanner.keyword(words)
    if kind.text == "strict":
        kind = scanner.keyword(words - {"strict"})
    if not scanner.sees("{"):
        scanner.name("a name or '{'")
    return read_graph(source, scanner, wanted)


def write(contents: Contents) -> str:
    """The graph as DOT text, hidden variables and `<->` dashed; values, reward and texts are attributes of ours."""
    refuse_listed(contents, NAME)
    graph = contents.sure
    variables, arrows = outline(graph)
    lines = [f"    {quoted_name(v.name)}{_attributes(graph, v)};" for v in variables]
    for mark, a, b in arrows:
        both = " [dir=both, style=dashed]" if mark == "<->" else ""
        lines.append(f"    {quoted_name(a)} -> {quoted_name(b)}{both};")
    lines += [f"    {quoted_name(d.a)} -> {quoted_name(d.b)} [{_doubt(d)}];" for d in contents.doubtful]
    return "\n".join(["digraph {", *lines, "}", ""])


def _doubt(doubt: Doubt) -> str:
    """The attributes of a doubtful arrow: drawn dotted, with a question mark or its probability."""
    ends = {**dict.fromkeys(SHARED, "dir=both, "), **dict.fromkeys(EITHER_WAY, "dir=none, ")}.get(doubt.kind, "")
    label = "?" if doubt.mark == doubt.kind else f"?{doubt.probability:g}"
    return f"{ends}style=dotted, label={in_quotes(label)}, doubt={in_quotes(doubt.mark)}"


def _attributes(graph: Graph, variable: Variable) -> str:
    """The attributes of a variable in brackets, or nothing where it has none."""
    attributes = []
    if variable.kind.values not in (("0", "1"), ()):
        attributes.append(f"values={in_quotes(','.join(map(_value, variable.values)))}")
    if variable.hidden:
        attributes += ["hidden=true", "style=dashed"]
    if variable.description:
        attributes.append(f"description={in_quotes(variable.description)}")
    if variable.unit:
        attributes.append(f"unit={in_quotes(variable.unit)}")
    if variable.name == graph.reward:
        attributes.append(f"reward={in_quotes(graph.success or 'true')}")
    return f" [{', '.join(attributes)}]" if attributes else ""


def _value(value: str) -> str:
    """A value as it stands in a list of values: in quotes where it holds a comma, a quote or a backslash."""
    return in_quotes(value) if set(value) & set(',"\\') else value
