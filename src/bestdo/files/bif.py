"""Reads and writes BIF, the Bayesian network Interchange Format: variables with their values, and their tables."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.graph import Variable
from bestdo.causal.model import Model
from bestdo.errors import GraphError, shown, unknown
from bestdo.files.declarations import (
    OPTIONAL_NAME,
    Contents,
    Declarations,
    Source,
    Wanted,
    amount,
    check_count,
    graph_of,
)
from bestdo.files.probability_rows import bad_row, check_size, codes_of, state_at, table_of
from bestdo.formats import FORMATS
from bestdo.text import Scanner, Token, in_quotes

__all__ = ["EXTENSIONS", "NAME", "STARTS", "read", "write"]

NAME = FORMATS["bif"]
EXTENSIONS: tuple[str, ...] = (".bif",)
STARTS = re.compile(rf"(?:network|variable){OPTIONAL_NAME}\{{")
"""The beginning of the text, after blanks and comments."""

# Commas and bars are white space in BIF. A row of a table, `(a, b) 0.1, 0.9;`, is one token where it holds no quotes
# and no comments: large files consist mostly of such rows.
_PLAIN = r"""(?:[^(){}\[\];"/]++|/(?![/*]))*+"""
_TOKENS = re.compile(
    r"(?:[\s,|]+|//[^\n]*|/\*.*?(?:\*/|\Z))*+"
    rf"(?:(?P<row>\({_PLAIN}\){_PLAIN};)"
    r'|"(?P<string>[^"\\]*+(?:\\.[^"\\]*+)*+)"|(?P<mark>[{}()\[\];])'
    r'|(?P<word>(?:[^\s{}()\[\]|,;"/]++|/(?![/*]))++)|(?P<end>\Z)|(?P<bad>.))',
    re.DOTALL,
)
_WORD = re.compile(r"[^\s,|()]+")
_BARE = re.compile(r'(?:[^\s{}()\[\]|,;"/\\]|/(?![/*]))+')
_MOST_FILLED = 2**22
"""The most numbers of all tables that may come from `default` rows, so that a short file cannot fill the memory: 32 MB.
Measured in tests/files/test_resources.py ("bif defaults")."""


@dataclass
class _Reading:
    """The part of a file read so far."""

    source: Source
    scanner: Scanner
    declared: Declarations = field(default_factory=Declarations)
    tables: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    """The offset at which each variable is declared."""
    codes: dict[str, dict[str, int]] = field(default_factory=dict)
    """The code of each value of each variable."""
    filled: int = 0
    """The number of numbers that come from `default` rows."""


@dataclass
class _Rows:
    """The rows of one table as they are read."""

    axes: tuple[Variable, ...]
    """The parents, then the variable itself."""
    codes: list[dict[str, int]]
    """The code of each value of each parent."""
    states: int
    """The number of states of the parents together."""
    numbers: dict[int, list[float]] = field(default_factory=dict)
    """The row of each state of the parents, by the index of the state."""
    places: dict[int, int] = field(default_factory=dict)
    """The offset at which each row stands."""
    default: list[float] | None = None
    """The row of all states that are not listed."""

    def add(self, scanner: Scanner, state: int, numbers: list[float], token: Token) -> None:
        """Adds the row of a state of the parents."""
        if state in self.numbers:
            scanner.fail("this state of the parents has a row already", token)
        self.numbers[state] = numbers
        self.places[state] = token.offset


def read(source: Source, wanted: Wanted) -> Contents:
    """Reads a network: its graph and its model. The reward is ours, a property of a variable; see `write`."""
    reading = _Reading(source, Scanner(source.text, _TOKENS, source.name))
    scanner = reading.scanner
    readers = {"network": _network, "variable": _variable, "probability": _probability}
    while scanner.next.kind != "end":
        readers[scanner.keyword(readers).text](reading)
    for name, offset in reading.places.items():
        if name not in reading.tables:
            raise source.error(f"variable {shown(name)} has no table: there is no 'probability' for it", offset)
    if not reading.places:
        raise source.error("this BIF file declares no variable", 0)
    graph = graph_of(source, reading.declared, wanted)
    with source.at(0):
        return Contents(graph, model=Model(graph, reading.tables))


def _network(reading: _Reading) -> None:
    """Skips `network name { ... }`."""
    scanner = reading.scanner
    if not scanner.sees("{"):
        scanner.name("the name of the network")
    opening = scanner.expect("{")
    while not scanner.accept("}"):
        if scanner.take().kind == "end":
            scanner.fail("this brace is never closed", opening)


def _variable(reading: _Reading) -> None:
    """Reads the rest of `variable name { type ...; property ...; }`."""
    scanner = reading.scanner
    name = scanner.name("the name of a variable")
    if name.text in reading.places:
        scanner.fail(f"variable {shown(name.text)} is declared twice", name)
    check_count(reading.source, len(reading.places), name.offset)
    values: tuple[str, ...] | None = None
    properties: dict[str, str] = {}
    scanner.expect("{")
    while not scanner.accept("}"):
        if scanner.keyword(("type", "property")).text == "type":
            values = _values(scanner)
        else:
            words = []
            while not scanner.accept(";"):
                words.append(scanner.name("';'").text)
            if len(words) == 3 and words[1] == "=":  # as `write` writes them; others are ignored
                properties[words[0]] = words[2]
    if values is None:
        scanner.fail(f"variable {shown(name.text)} has no type", name)
    with reading.source.at(name.offset):
        reading.declared.variables[name.text] = Variable(
            name.text,
            values,
            properties.get("hidden") == "true",
            properties.get("description", ""),
            properties.get("unit", ""),
        )
    reading.places[name.text] = name.offset
    reading.codes[name.text] = codes_of(values)
    if "reward" in properties:
        reading.declared.reward, reading.declared.success = name.text, properties["reward"]
        reading.declared.reward_at = name.offset


def _values(scanner: Scanner) -> tuple[str, ...]:
    """Reads the values in `discrete [ 2 ] { yes, no };`."""
    scanner.keyword(["discrete"])
    scanner.expect("[")
    count = scanner.name("the number of values")
    scanner.expect("]")
    scanner.expect("{")
    values = []
    while not scanner.accept("}"):
        values.append(scanner.name("a value or '}'").text)
    scanner.accept(";")
    if count.text != str(len(values)):
        scanner.fail(f"{shown(count.text)} values are announced, but {len(values)} are listed", count)
    return tuple(values)


def _probability(reading: _Reading) -> None:
    """Reads the rest of `probability ( A | B, C ) { ... }`."""
    scanner, variables = reading.scanner, reading.declared.variables
    scanner.expect("(")
    tokens: list[Token] = []
    while not scanner.accept(")"):
        token = scanner.name("a variable or ')'")
        if token.text not in variables:
            scanner.fail(unknown("variable", token.text, variables), token)
        tokens.append(token)
    if not tokens:
        scanner.unexpected("a variable before ')'")
    child = tokens[0]
    names = [t.text for t in tokens]
    if child.text in reading.tables:
        scanner.fail(f"variable {shown(child.text)} has a table already", child)
    if len(set(names)) < len(names):
        scanner.fail(f"a variable is listed twice in the table of {shown(child.text)}", child)
    axes = (*(variables[t.text] for t in tokens[1:]), variables[child.text])
    with reading.source.at(child.offset):
        check_size(axes)
    rows = _Rows(axes, [reading.codes[v.name] for v in axes[:-1]], math.prod(len(v.values) for v in axes[:-1]))
    scanner.expect("{")
    while not scanner.accept("}"):
        _entry(reading, rows)
    reading.tables[child.text] = _assemble(reading, rows, child)
    for parent in tokens[1:]:
        reading.declared.arrows["->", parent.text, child.text] = parent.offset


def _entry(reading: _Reading, rows: _Rows) -> None:
    """Reads one entry of a table: a row, the whole table, the row of all states that are not listed, or a property."""
    scanner = reading.scanner
    start = scanner.next
    size = len(rows.axes[-1].values)
    if start.kind == "row":
        _plain_row(reading, rows, scanner.take())
    elif scanner.accept("("):
        words = []
        while not scanner.accept(")"):
            words.append(scanner.name("a value or ')'"))
        index = state_at(rows.axes, rows.codes, [w.text for w in words])
        if isinstance(index, str):
            scanner.fail(index, start)
        rows.add(scanner, index, _numbers(scanner, size), start)
    elif scanner.keyword(("table", "default", "property")).text == "table":
        numbers = _numbers(scanner, size * rows.states)
        # the variable itself varies slowest, the last parent fastest
        for state in range(rows.states):
            rows.add(scanner, state, numbers[state :: rows.states], start)
    elif start.text == "property":
        while not scanner.accept(";"):
            scanner.name("';'")
    else:
        rows.default = _numbers(scanner, size)


def _plain_row(reading: _Reading, rows: _Rows, token: Token) -> None:
    """Reads a row that is one token: a parenthesis of values followed by numbers."""
    when, _, rest = token.text[1:-1].partition(")")
    words = when.replace(",", " ").replace("|", " ").split()
    numbers = rest.replace(",", " ").replace("|", " ").split()
    index = state_at(rows.axes, rows.codes, words)
    if isinstance(index, str):
        reading.scanner.fail(index, token)
    if len(numbers) != len(rows.axes[-1].values):
        reading.scanner.fail(_wrong_count(len(numbers), len(rows.axes[-1].values)), token)
    try:
        if "_" in rest:
            raise ValueError
        rows.add(reading.scanner, index, [float(n) for n in numbers], token)
    except ValueError:
        for match in list(_WORD.finditer(token.text))[len(words) :]:
            _number(reading.scanner, Token("word", match[0].rstrip(";"), token.offset + match.start()))


def _numbers(scanner: Scanner, count: int) -> list[float]:
    """Reads numbers up to the semicolon, of which there must be `count`."""
    start = scanner.next
    numbers = []
    while not scanner.accept(";"):
        numbers.append(_number(scanner, scanner.name("a number or ';'")))
    if len(numbers) != count:
        scanner.fail(_wrong_count(len(numbers), count), start)
    return numbers


def _number(scanner: Scanner, token: Token) -> float:
    """The number that a token holds."""
    try:
        if "_" in token.text:
            raise ValueError
        return float(token.text)
    except ValueError:
        scanner.fail(f"{shown(token.text)} is not a number", token)


def _wrong_count(found: int, wanted: int) -> str:
    """The message for a wrong number of numbers."""
    return f"found {found:,} numbers, expected {amount(wanted)}"


def _assemble(reading: _Reading, rows: _Rows, child: Token) -> NDArray[np.float64]:
    """The table of a variable from its rows: every state of the parents must have one, or there must be a default."""
    source = reading.source
    missing = rows.states - len(rows.numbers)
    if missing and rows.default is None:
        raise source.error(
            f"the table of {shown(child.text)} has {len(rows.numbers):,} rows; one is needed for each of the "
            f"{rows.states:,} states of its parents",
            child.offset,
        )
    reading.filled += missing * len(rows.axes[-1].values)
    if reading.filled > _MOST_FILLED:
        raise source.error(
            f"{reading.filled:,} numbers of the tables so far come from 'default'; at most {_MOST_FILLED:,} may",
            child.offset,
        )
    table = np.empty((rows.states, len(rows.axes[-1].values)))
    if missing:
        table[:] = rows.default
    if rows.numbers:
        table[list(rows.numbers)] = list(rows.numbers.values())
    bad = bad_row(table)
    with source.at(child.offset if bad is None else rows.places.get(bad, child.offset)):
        return table_of(rows.axes, table, bad)


def write(contents: Contents) -> str:
    """The model as BIF text; hidden, description, unit and reward are properties of the variable."""
    model = contents.model
    one = "a BIF file holds the tables of one graph, and arrows are in doubt; write .toml, .dot or .json"
    contents.graphs.only(GraphError(one))
    if model is None:
        raise GraphError("a BIF file holds tables, and there are none; write .toml, .dot, .gml or .dagitty")
    graph = model.graph
    if model.numbers:
        raise GraphError(f"{shown(next(iter(model.numbers)))} is a number, which a BIF file cannot hold; write .toml")
    lines = ["network unknown {", "}"]
    for variable in graph.variables:
        lines.append(f"variable {_word(variable.name)} {{")
        values = ", ".join(map(_word, variable.values))
        lines.append(f"  type discrete [ {len(variable.values)} ] {{ {values} }};")
        reward = graph.success if variable.name == graph.reward else None
        hidden = "true" if variable.hidden else None
        about = {
            "hidden": hidden,
            "description": variable.description,
            "unit": variable.unit,
            "reward": reward,
        }
        lines += [f"  property {key} = {_word(text)};" for key, text in about.items() if text]
        lines.append("}")
    for name, parents in graph.parents.items():
        given = f" | {', '.join(map(_word, parents))}" if parents else ""
        lines.append(f"probability ( {_word(name)}{given} ) {{")
        table = model.tables[name].reshape(-1, graph.size(name))
        states = np.ndindex(*(graph.size(p) for p in parents))
        for state, row in zip(states, table.tolist(), strict=True):
            when = ", ".join(_word(graph.variable(p).values[i]) for p, i in zip(parents, state, strict=True))
            lines.append(f"  {f'({when})' if parents else 'table'} {', '.join(map(repr, row))};")
        lines.append("}")
    return "\n".join([*lines, ""])


def _word(text: str) -> str:
    """The text as it stands in a BIF file: in quotes where it needs them."""
    return text if _BARE.fullmatch(text) else in_quotes(text)
