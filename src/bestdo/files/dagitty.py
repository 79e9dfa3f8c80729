"""Reads and writes DAGitty text: `dag { X [exposure] Y [outcome] U [latent] X -> Y X <- U -> Y }`."""

from __future__ import annotations

import re

from bestdo.files.declarations import OPTIONAL_NAME, Contents, Source, Wanted, outline
from bestdo.files.dot_syntax import quoted_name, read_graph, scan

__all__ = ["EXTENSIONS", "KINDS", "NAME", "STARTS", "read", "write"]

NAME = "DAGitty"
EXTENSIONS: tuple[str, ...] = ".dagitty", ".txt"
STARTS = re.compile(rf"(?:dag|pdag|mag|pag){OPTIONAL_NAME}\{{")
"""What the text begins with, after blanks and comments."""

KINDS = ("dag", "pdag", "mag", "pag", "graph")
"""The kinds of graph that DAGitty has; a dag can be read, and a pdag in which every line has an arrowhead."""

_ARROW = re.compile(r"->|<-")


def read(source: Source, wanted: Wanted) -> Contents:
    """Reads a dag: exposures may be set, the outcome is the reward, latent variables are hidden.

    The text may be what stands inside of the braces alone.
    """
    scanner = scan(source)
    if not STARTS.match(source.text, scanner.next.offset) and _ARROW.search(source.text):
        return read_graph(source, scanner, wanted, braces=False)
    if scanner.next.kind != "word" or scanner.next.text not in KINDS:
        scanner.unexpected("DAGitty text, which looks like dag { a -> b }")
    kind = scanner.keyword(KINDS)
    if kind.text not in ("dag", "pdag"):
        scanner.fail(f"this is a {kind.text}; only a dag says for every arrow which is the cause", kind)
    if not scanner.sees("{"):
        scanner.name("a name or '{'")
    return read_graph(source, scanner, wanted)


def write(contents: Contents) -> str:
    """The graph as DAGitty text; what some action sets is an exposure, the reward is the outcome."""
    graph = contents.graph
    settable = {name for action in contents.problem.actions for name in action} if contents.problem else set()
    variables, arrows = outline(graph)
    lines = []
    for variable in variables:
        marks = [
            word
            for word, holds in (
                ("exposure", variable.name in settable),
                ("outcome", variable.name == graph.reward),
                ("latent", variable.hidden),
            )
            if holds
        ]
        lines.append(quoted_name(variable.name) + (f" [{','.join(marks)}]" if marks else ""))
    lines += [f"{quoted_name(a)} {mark} {quoted_name(b)}" for mark, a, b in arrows]
    return "\n".join(["dag {", *lines, "}", ""])
