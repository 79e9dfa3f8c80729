"""The syntax that DOT and DAGitty share: names, arrows, groups in braces, attributes in brackets."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from bestdo.causal.arrows import DOUBT, doubt_of, doubt_said
from bestdo.causal.graph import Variable
from bestdo.errors import shown, unknown
from bestdo.files.declarations import (
    Arrow,
    Contents,
    Declarations,
    DoubtfulArrow,
    Source,
    Wanted,
    check_count,
    contents_of,
)
from bestdo.files.dot_attributes import Attributes, flag, joined_text, place_of, read_attributes
from bestdo.text import Scanner, Token, in_quotes, language

__all__ = ["quoted_name", "read_graph", "scan"]

_HTML = r"<[^<>]*+(?:<[^<>]*+>[^<>]*+)*+>"
_TOKENS = language(
    marks=rf"{DOUBT}|<->|<-@|->|<-|@->|@-@|@--|--@|--|[{{}}\[\];,=:+]",
    word=rf"(?:[\w.]++|-(?![->]))++|{_HTML}",
    skip=r"\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*",
)
_LIST = language(marks=",", word=r'[^,"]+', skip=r"\s+")
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
_KEYWORDS = ("node", "edge", "graph", "digraph", "subgraph", "strict", "dag")
_DEEPEST = 50
"""The most braces inside each other: far below Python's limit on recursion."""
_MOST_PARTS = 120_000
"""The most names, arrows, values and attributes, so that a short text with groups cannot stand for millions of arrows.
Time and memory are measured in tests/files/test_resources.py."""
_ARROWS = ("->", "<-", "<->")
_UNDECIDED = ("--", "@->", "<-@", "@-@", "@--", "--@")
"""Lines that do not say which is the cause; `@` is DAGitty's mark for an end that is not known."""
_DOUBT = re.compile(DOUBT)
_MOST_LINES = 8
"""The most such lines that a message lists."""


@dataclass
class _Reading:
    """The part of a file read so far."""

    source: Source
    scanner: Scanner
    nodes: dict[str, Attributes] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    """The offset at which each node stands first."""
    arrows: dict[Arrow, object] = field(default_factory=dict)
    undecided: dict[Arrow, int] = field(default_factory=dict)
    """The lines that do not say which is the cause, and are not read as doubts, with the offset of each."""
    doubts: list[tuple[DoubtfulArrow, object]] = field(default_factory=list)
    lines: Collection[str] = ()
    """The lines that are read as doubts."""
    count: int = 0
    """The number of names, arrows, values and attributes so far."""

    def add(self, count: int) -> None:
        """Adds to the count of what has been read, and raises an error when it is too large."""
        self.count += count
        if self.count > _MOST_PARTS:
            self.scanner.fail(f"these are more than {_MOST_PARTS:,} names, arrows, values and attributes")


@dataclass(frozen=True)
class _Defaults:
    """The attributes that nodes and edges have unless they say otherwise."""

    node: Attributes
    edge: Attributes


def scan(source: Source) -> Scanner:
    """A scanner of the tokens of a file in this syntax."""
    return Scanner(source.text, _TOKENS, source.name)


def read_graph(
    source: Source,
    scanner: Scanner,
    wanted: Wanted,
    braces: bool = True,
    placed: bool = False,
    lines: Collection[str] = (),
) -> Contents:
    """Reads a graph in braces, or one without them, after which the file must end; with `placed`, positions, too.

    `lines` are those marks without a direction that are read as doubts, as `--` of a pdag; others are errors.
    """
    reading = _Reading(source, scanner, lines=lines)
    if braces:
        _group(reading, _Defaults({}, {}), 0)
    defaults = _Defaults({}, {})
    while not braces and scanner.next.kind != "end":
        if not scanner.accept(";", ","):
            _statement(reading, defaults, 0)
    if scanner.next.kind != "end":
        scanner.unexpected("the end of the file: it may hold one graph only")
    _check_decided(reading)
    contents = contents_of(source, _declarations(reading, wanted.reward), wanted)
    places = {n: place_of(source, attributes) for n, attributes in reading.nodes.items()} if placed else {}
    positions = {name: position for name, position in places.items() if position is not None}
    return replace(contents, positions=positions, notes=_notes(reading))


def _check_decided(reading: _Reading) -> None:
    """Raises an error about all lines that do not say which is the cause, where there are any."""
    if not reading.undecided:
        return
    lines = [f"{quoted_name(a)} {mark} {quoted_name(b)}" for mark, a, b in reading.undecided]
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    message = (
        f"lines that do not say which is the cause: {', '.join(lines[:_MOST_LINES])}{more}; write -> or <- for each, <-> for "
        "a hidden common cause, or ?-? where it is not known; pdag { } and pag { } hold the lines of a CPDAG and of a PAG"
    )
    raise reading.source.error(message, next(iter(reading.undecided.values())))


def _notes(reading: _Reading) -> tuple[str, ...]:
    """Notes for a person on the marks: those of adjustment are not used."""
    adjusted = [n for n, attributes in reading.nodes.items() if flag(reading.source, attributes, "adjusted")]
    if not adjusted:
        return ()
    named = ", ".join(map(quoted_name, adjusted[:_MOST_LINES])) + (" …" if len(adjusted) > _MOST_LINES else "")
    return (f"the mark adjusted ({named}) is not used: what to adjust for follows from the graph",)


def _group(reading: _Reading, defaults: _Defaults, depth: int) -> list[str]:
    """Reads statements in braces and returns the names in them."""
    scanner = reading.scanner
    reading.add(1)
    opening = scanner.expect("{")
    if depth > _DEEPEST:
        scanner.fail(f"braces are nested more than {_DEEPEST} deep", opening)
    inner = _Defaults(dict(defaults.node), dict(defaults.edge))
    members: dict[str, None] = {}
    while not scanner.accept("}"):
        if scanner.next.kind == "end":
            scanner.fail("this brace is never closed", opening)
        if not scanner.accept(";", ","):
            members.update(dict.fromkeys(_statement(reading, inner, depth)))
    return list(members)


def _statement(reading: _Reading, defaults: _Defaults, depth: int) -> list[str]:
    """Reads a name, a chain of arrows, a group, or an attribute of the graph, and returns the names in it."""
    scanner = reading.scanner
    first = scanner.next
    left, single = _end(reading, defaults, depth)
    kind = first.text.lower() if single and first.kind == "word" else ""
    if kind in ("node", "edge", "graph") and scanner.sees("["):
        inner = {"node": defaults.node, "edge": defaults.edge, "graph": {}}
        inner[kind].update(read_attributes(scanner, reading.add, of_node=kind == "node"))
        return []
    if single and scanner.accept("="):
        joined_text(scanner, scanner.name("a value"))
        return []
    chain: list[tuple[Token, list[str], list[str]]] = []
    everything = list(left)
    for name in left if single else ():
        _node(reading, name, first, defaults)
    while (mark := scanner.accept(*_ARROWS, *_UNDECIDED)) or (mark := _doubtful(scanner)):
        token = scanner.next
        right, single_right = _end(reading, defaults, depth)
        for name in right if single_right else ():
            _node(reading, name, token, defaults)
        chain.append((mark, left, right))
        everything += right
        left = right
    attributes = read_attributes(scanner, reading.add, of_node=not chain) if scanner.sees("[") else {}
    if chain:
        for mark, a, b in chain:
            _join(reading, mark, a, b, defaults.edge | attributes)
    else:
        for name in left:
            reading.nodes[name].update(attributes)
    return everything


def _end(reading: _Reading, defaults: _Defaults, depth: int) -> tuple[list[str], bool]:
    """Reads one end of an arrow: a name (and True), or the names of a group (and False)."""
    scanner = reading.scanner
    reading.add(1)
    if scanner.next.kind == "word" and scanner.next.text.lower() == "subgraph":
        scanner.take()
        if not scanner.sees("{"):
            scanner.name("a name or '{'")
        return _group(reading, defaults, depth + 1), False
    if scanner.sees("{"):
        return _group(reading, defaults, depth + 1), False
    name = joined_text(scanner, scanner.name("a variable, '{' or '}'"))
    for _ in range(2):  # DOT's ports, which say where on its outline an arrow meets a node
        if scanner.accept(":"):
            scanner.name("a port")
    return [name.text], True


def _node(reading: _Reading, name: str, token: Token, defaults: _Defaults) -> None:
    """Adds a node with the default attributes, unless it is known."""
    if name not in reading.nodes:
        reading.nodes[name] = dict(defaults.node)
        reading.places[name] = token.offset
        check_count(reading.source, len(reading.nodes), token.offset)


def _doubtful(scanner: Scanner) -> Token | None:
    """Takes and returns the next token when it is the mark of a doubtful arrow, as ?0.3->; otherwise returns None."""
    token = scanner.next
    return scanner.take() if token.kind == "mark" and _DOUBT.fullmatch(token.text) else None


def _join(reading: _Reading, mark: Token, left: list[str], right: list[str], attributes: Attributes) -> None:
    """Adds the arrows from each name on the left to each on the right."""
    reading.add(len(left) * len(right))
    kind, direction, doubt = mark.text, attributes.get("dir"), attributes.get("doubt")
    if direction is not None and kind == "->":
        kinds = {"both": "<->", "back": "<-", "forward": "->"} | ({} if doubt is None else {"none": "->"})
        if direction.text.lower() not in kinds:
            reading.scanner.fail(unknown("dir", direction.text, kinds), direction)
        kind = kinds[direction.text.lower()]
    for a in left:
        for b in right:
            if kind in reading.lines or _DOUBT.fullmatch(kind):
                reading.doubts.append((doubt_of(reading.scanner, mark, a, b), mark.offset))
                continue
            if doubt is not None and doubt.text.lower() not in ("false", "no"):
                with reading.source.at(doubt.offset):
                    ends = (b, a) if kind == "<-" else (a, b)
                    reading.doubts.append((doubt_said(doubt.text, "->" if kind == "<-" else kind, *ends), mark.offset))
                continue
            if kind in _UNDECIDED:
                reading.undecided.setdefault((kind, a, b), mark.offset)
                continue
            arrow = ("->", b, a) if kind == "<-" else (kind, a, b)
            reading.arrows.setdefault(arrow, mark.offset)


def _declarations(reading: _Reading, reward: str | None) -> Declarations:
    """The variables, arrows, settable variables and reward, from the nodes and their attributes."""
    declared = Declarations(arrows=reading.arrows, doubts=reading.doubts)
    source = reading.source
    for name, attributes in reading.nodes.items():
        texts = {key: token.text for key, token in attributes.items()}
        values = _values(reading, attributes["values"]) if "values" in attributes else ("0", "1")
        with source.at(reading.places[name]):
            declared.variables[name] = Variable(
                name,
                values,
                flag(source, attributes, "hidden") or not flag(source, attributes, "observed", True),
                texts.get("description", ""),
                texts.get("unit", ""),
            )
        if flag(source, attributes, "exposure"):
            declared.settable[name] = reading.places[name]
        token = attributes.get("reward")
        success = token.text if token and token.text in declared.variables[name].values else None
        if token and (success or flag(source, attributes, "reward")):
            if declared.reward is not None and reward is None:
                both = f"{shown(declared.reward)} and {shown(name)}"
                raise source.error(f"{both} are both marked as the reward; choose one with reward=", token.offset)
            if reward in (None, name):
                declared.reward, declared.success, declared.reward_at = name, success, token.offset
    return declared


def _values(reading: _Reading, token: Token) -> tuple[str, ...]:
    """The values in a text such as `low,high`; one that holds a comma stands in quotes."""
    values = []
    with reading.source.at(token.offset, token.text):
        scanner = Scanner(token.text, _LIST, "<values>")
        while scanner.next.kind != "end":
            reading.add(1)
            values.append(scanner.name("a value").text.strip())
            if scanner.next.kind != "end":
                scanner.expect(",")
    return tuple(values)


def quoted_name(name: str) -> str:
    """The name as it stands in DOT and DAGitty text: in quotes unless it is a plain word."""
    if name and not name[0].isdigit() and set(name) <= _BARE and name.lower() not in _KEYWORDS:
        return name
    return in_quotes(name)
