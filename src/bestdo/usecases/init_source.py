"""The graph that a problem begins with: from a file, from text, from an object of another library, or from columns alone."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bestdo.causal import arrows
from bestdo.causal.doubts import Doubts, graphs_with
from bestdo.causal.graph import Graph
from bestdo.causal.variable import Variable
from bestdo.causal.variable_kind import Labels
from bestdo.errors import BestdoError, FileError, NoAim, NoSuccess, shown
from bestdo.files import Contents, parse, read
from bestdo.text import counted
from bestdo.usecases.init_columns import left_out, named_variable

if TYPE_CHECKING:
    from bestdo.data.profile import TableProfile

__all__ = ["Base", "base_of", "base_of_columns", "base_of_text"]


@dataclass(frozen=True)
class Base:
    """A graph before it is said what is wanted of it, and what its source says of that."""

    name: str
    """The source as messages and comments call it; empty where there is no graph."""
    contents: Contents
    """The contents of the source; its success may be any of the values where the source does not say it."""
    reward: str | None = None
    good: Mapping[str, Any] = field(default_factory=dict)
    """The fields that say which way is good (success, worth, aim); none where the source says nothing."""
    settable: tuple[str, ...] = ()
    """The variables that the source says may be set."""
    declared: frozenset[str] = frozenset()
    """The variables whose values the source names."""
    columns: tuple[tuple[str, str], ...] = ()
    """The variables and the columns that they were made of, where there is no graph."""

    @property
    def graph(self) -> Graph:
        """The graph, without its reward."""
        return replace(self.contents.graph, reward=None, success=None, worth=None, aim=None)


_QUOTES = """; a name with spaces is put into double quotes, as in '"send window" -> complaint'"""
_TABLES = (".csv", ".tsv", ".xlsx", ".xls", ".ods", ".parquet")
"""Endings of tables, which are no graphs."""


def base_of(source: object) -> Base:
    """The graph in a file, in a text such as "a -> b; b <-> c", or in an object of another library."""
    if isinstance(source, Graph):
        return _base("the graph", Contents(source), True)
    if isinstance(source, Doubts):
        return _base("the graph", Contents(source.graph, doubts=source), True)
    if isinstance(source, str) and not os.path.lexists(source):
        try:
            return base_of_text(source)
        except BestdoError as error:
            raise BestdoError(f"there is no file of that name, and {error}") from None
    named = isinstance(source, str | os.PathLike)
    if named and os.fsdecode(source).lower().endswith(_TABLES):  # type: ignore[arg-type]
        table = os.fsdecode(source)  # type: ignore[arg-type]
        try:
            return _asked(os.path.basename(table), source)
        except BestdoError as error:
            raise BestdoError(f"{error}. To begin with a table: bestdo init --data {shlex.quote(table)}") from None
    return _asked(os.path.basename(os.fsdecode(source)) if named else "the graph", source)  # type: ignore[arg-type]


def base_of_text(text: str) -> Base:
    """The graph in a text, which is never taken for the name of a file: arrows, or any format that files may have."""
    if "{" in text or "[" in text or "=" in text:
        return _asked("the text", text.encode())
    if not any(sign in text for sign in (*arrows.SIGNS, " -- ")):
        raise BestdoError(f"{shown(text, 300)} is no graph, which looks like 'season -> price; price -> sale'")
    try:
        said = arrows.parse(text)
        graphs = graphs_with(Graph.from_arrows(said), said.doubts)
    except FileError as error:
        hint = _QUOTES if error.message.startswith("found") and " " in text[: error.column].strip() else ""
        raise BestdoError(f"the graph {shown(text)}, column {error.column}: {error.message}{hint}") from None
    return _base("the arrows given", Contents(graphs.graph, doubts=graphs.doubts), False)


def _asked(name: str, source: object) -> Base:
    """The contents of a source, although it may not say which way is good: that is asked later."""
    success = aim = None
    silent = False
    for _ in range(2):
        try:
            if isinstance(source, bytes):
                contents = parse(source, "graph.txt", success=success, aim=aim)
            else:
                contents = read(source, success=success, aim=aim)
            return _base(name, contents, not silent)
        except NoSuccess as error:
            success, silent = error.value, True
        except NoAim:
            aim, silent = "maximise", True
    raise BestdoError(f"{shown(name)}: it is not clear what is wanted of its reward")


def _base(name: str, contents: Contents, said: bool) -> Base:
    """The base from these contents; `said` is whether the source itself says which way is good."""
    graph = contents.graph
    problem = contents.problem
    settable = () if problem is None else tuple(dict.fromkeys(n for action in problem.actions for n in action))
    everything = problem is not None and (contents.model is not None or bool(contents.tables) or bool(problem.limits))
    declared = frozenset(
        v.name
        for v in graph.variables
        if everything or contents.model is not None or v.kind != Labels(v.name, ("0", "1"), v.unit) or v.hidden
    )
    good = {field: value for field, value in graph.rewarded.declared.items() if said and field != "reward"}
    return Base(name, contents, graph.reward, good, settable, declared)


def base_of_columns(table: TableProfile, ignore: Collection[str]) -> Base:
    """A variable for each column that can be one, without arrows."""
    found: dict[str, tuple[Variable, str]] = {}
    for column in table.columns:
        if column.name not in ignore and not left_out(column):
            variable = named_variable(column, found)
            if variable is not None:
                found[variable.name] = variable, column.name
    if not found:
        rows = counted(table.rows, "row")
        raise BestdoError(f"{shown(table.name, 300)} has {rows} and no column that could be a variable")
    graph = Graph(tuple(variable for variable, _ in found.values()), {})
    return Base("", Contents(graph), columns=tuple((name, column) for name, (_, column) in found.items()))
