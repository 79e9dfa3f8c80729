"""Reads and writes DAGitty text: `dag { X [exposure] Y [outcome] U [latent] X -> Y X <- U -> Y }`."""

from __future__ import annotations

import re

from bestdo.files import dagitty_lines
from bestdo.files.declarations import OPTIONAL_NAME, Contents, Source, Wanted, outline
from bestdo.files.dot_syntax import quoted_name, read_graph, scan

__all__ = ["EXTENSIONS", "GUESS", "KINDS", "NAME", "STARTS", "read", "write"]

NAME = "DAGitty"
EXTENSIONS: tuple[str, ...] = ".dagitty", ".txt"
STARTS = re.compile(rf"(?i:(?:strict\s++)?(?:dag|pdag|mag|pag)){OPTIONAL_NAME}\{{")
"""What the text begins with, after blanks and comments."""
GUESS = re.compile(rf"->|<-|{dagitty_lines.PLACED.pattern}", re.MULTILINE)
"""What is found in a text of no known beginning and extension if it is DAGitty's without `dag { }`, or of its older form."""

KINDS = ("dag", "pdag", "mag", "pag", "graph", "digraph", "strict")
"""The kinds of graph that DAGitty has; a dag can be read, and any other but a mag or pag in which every line is an arrow."""

_ARROW = re.compile(r"->|<-")


def read(source: Source, wanted: Wanted) -> Contents:
    """Reads a dag: exposures may be set, the outcome is the reward, latent variables are hidden, positions are kept.

    The text may be what stands inside of the braces alone, or of DAGitty's older form: see `dagitty_lines`.
    """
    scanner = scan(source)
    if not STARTS.match(source.text, scanner.next.offset):
        if _ARROW.search(source.text):
            return read_graph(source, scanner, wanted, braces=False, placed=True)
        if dagitty_lines.PLACED.search(source.text):
            return dagitty_lines.read(source, wanted)
    if scanner.next.kind != "word" or scanner.next.text.lower() not in KINDS:
        scanner.unexpected("DAGitty text, which looks like dag { a -> b }")
    kind = scanner.take()
    if kind.text.lower() == "strict":
        kind = scanner.take()
    if kind.text.lower() in ("mag", "pag"):
        scanner.fail(
            f"this is a {kind.text}, whose arrows leave open what is a direct cause and where a hidden cause acts; say so in "
            "a dag, with -> for causes and <-> for hidden common causes",
            kind,
        )
    if not scanner.sees("{"):
        scanner.name("a name or '{'")
    return read_graph(source, scanner, wanted, placed=True)


def write(contents: Contents) -> str:
    """The graph as DAGitty text; what some action sets is an exposure, the reward is the outcome, positions are kept."""
    graph = contents.graph
    settable = {name for action in contents.problem.actions for name in action} if contents.problem else set()
    variables, arrows = outline(graph)
    lines = []
    for variable in variables:
        name = variable.name
        marks = [
            word
            for word, holds in (
                ("exposure", name in settable),
                ("outcome", name == graph.reward),
                ("latent", variable.hidden),
            )
            if holds
        ]
        if name in contents.positions:
            x, y = contents.positions[name]
            marks.append(f'pos="{x!r},{y!r}"')
        lines.append(quoted_name(name) + (f" [{','.join(marks)}]" if marks else ""))
    lines += [f"{quoted_name(a)} {mark} {quoted_name(b)}" for mark, a, b in arrows]
    return "\n".join(["dag {", *lines, "}", ""])
