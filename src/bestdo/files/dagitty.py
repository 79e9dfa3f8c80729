"""Reads and writes DAGitty text: `dag { X [exposure] Y [outcome] U [latent] X -> Y X <- U -> Y }`."""

from __future__ import annotations

import re
from dataclasses import replace

from bestdo.causal.arrows import HEADLESS, SIGNS
from bestdo.causal.doubt_kinds import SHARED
from bestdo.files import dagitty_lines
from bestdo.files.declarations import OPTIONAL_NAME, PAG_NOTE, Contents, Source, Wanted, outline, refuse_listed
from bestdo.files.dot_syntax import quoted_name, read_graph, scan
from bestdo.formats import FORMATS
from bestdo.text import in_quotes

__all__ = ["EXTENSIONS", "GUESS", "KINDS", "NAME", "STARTS", "read", "write"]

NAME = FORMATS["dagitty"]
EXTENSIONS: tuple[str, ...] = ".dagitty", ".txt"
STARTS = re.compile(rf"(?i:(?:strict\s++)?(?:dag|pdag|mag|pag)){OPTIONAL_NAME}\{{")
"""The beginning of the text, after blanks and comments."""
GUESS = re.compile(rf"->|<-|^ *[^\s,;][^,;\t\n]*\s(?:--|{HEADLESS}|@-@)\s|{dagitty_lines.PLACED.pattern}", re.MULTILINE)
"""The marks of DAGitty's text without `dag { }`, or of its older form, in a text of no known beginning and extension."""

KINDS = ("dag", "pdag", "mag", "pag", "graph", "digraph", "strict")
"""The kinds of graph that DAGitty has. A dag can be read, a pdag (its lines are doubts) and a pag (its circles are), and any
other but a mag in which every line is an arrow."""

_ARROW = re.compile(rf"{'|'.join(map(re.escape, SIGNS))}|\s--\s")
_CIRCLES = ("@->", "<-@", "@-@")
"""The marks of a PAG with ends that are not known."""


def read(source: Source, wanted: Wanted) -> Contents:
    """Reads a dag: exposures may be set, the outcome is the reward, latent variables are hidden, positions are kept.

    The text may be what stands inside of the braces alone, or of DAGitty's older form: see `dagitty_lines`.
    """
    scanner = scan(source)
    if not STARTS.match(source.text, scanner.next.offset):
        if _ARROW.search(source.text):
            return read_graph(source, scanner, wanted, braces=False, placed=True, lines=("--", *_CIRCLES))
        if dagitty_lines.PLACED.search(source.text):
            return dagitty_lines.read(source, wanted)
    if scanner.next.kind != "word" or scanner.next.text.lower() not in KINDS:
        scanner.unexpected("DAGitty text, which looks like dag { a -> b }")
    kind = scanner.take()
    if kind.text.lower() == "strict":
        kind = scanner.take()
    if kind.text.lower() == "mag":
        scanner.fail(
            f"this is a {kind.text}, whose arrows leave open what is a direct cause and where a hidden cause acts; say so in "
            "a dag, with -> for causes and <-> for hidden common causes",
            kind,
        )
    if not scanner.sees("{"):
        scanner.name("a name or '{'")
    lines = {"pdag": ("--",), "pag": _CIRCLES}.get(kind.text.lower(), ())
    contents = read_graph(source, scanner, wanted, placed=True, lines=lines)
    return replace(contents, notes=(*contents.notes, PAG_NOTE)) if kind.text.lower() == "pag" else contents


def write(contents: Contents) -> str:
    """The graph as DAGitty text; what some action sets is an exposure, the reward is the outcome, positions are kept."""
    refuse_listed(contents, NAME)
    graph = contents.sure
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
    kinds = {doubt.kind for doubt in contents.doubtful}
    plain = (
        {"--"} if "--" in kinds else {"@->", "@-@"}
    )  # a text holds the lines of a pdag or those of a pag as they are
    for doubt in contents.doubtful:
        said = "" if doubt.kind in plain else f" [doubt={in_quotes(doubt.mark)}]"
        arrow = doubt.kind if doubt.kind in plain else "<->" if doubt.kind in SHARED else "->"
        lines.append(f"{quoted_name(doubt.a)} {arrow} {quoted_name(doubt.b)}{said}")
    word = "pdag" if "--" in kinds else "pag" if plain & kinds else "dag"
    return "\n".join([f"{word} {{", *lines, "}", ""])
