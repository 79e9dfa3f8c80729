"""From a graph and a table to a problem: proposals for each variable, open questions, and the result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bestdo.bandit.problem import Problem
from bestdo.bandit.reading import Reading
from bestdo.causal.action import Actions
from bestdo.causal.doubts import Doubts
from bestdo.causal.graph import Graph
from bestdo.causal.law_from_tables import law_from_tables
from bestdo.causal.model import Model
from bestdo.causal.variable import Variable
from bestdo.errors import BestdoError, unknown
from bestdo.files import Contents
from bestdo.usecases.init_columns import Match, left_out, matched, same_name
from bestdo.usecases.init_source import Base
from bestdo.usecases.init_values import ValueDraft, looks_missing, proposed, stays_number

if TYPE_CHECKING:
    from bestdo.data.profile import ColumnProfile, TableProfile

__all__ = ["Draft", "Wishes", "contents_of_draft", "drafted", "graph_of_draft", "resolved"]


@dataclass(frozen=True)
class Wishes:
    """The wishes of a person; None, or nothing, where nothing is said."""

    reward: str | None = None
    success: str | None = None
    worth: Mapping[str, float] | None = None
    aim: str | None = None
    settable: tuple[str, ...] | None = None
    """The variables that may be set."""
    at_most: int | None = None
    """The most variables set at once; 1 where nothing is said."""
    hidden: tuple[str, ...] | None = None
    first: tuple[str, ...] | None = None
    """The variables that are seen before an action is chosen."""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)
    """The reading of the table; an empty name of a column says that there is none."""

    @property
    def good(self) -> Mapping[str, Any]:
        """The fields that say which way is good, as far as they are said."""
        said = {"success": self.success, "worth": self.worth, "aim": self.aim}
        return {field: value for field, value in said.items() if value is not None}


@dataclass(frozen=True)
class Draft:
    """A problem that is being made: the graph, the table, what a person said, and what is proposed for the rest."""

    base: Base
    table: TableProfile | None
    wishes: Wishes
    """The wishes, with the names of the graph."""
    matches: Mapping[str, Match]
    """The column of each variable that is seen."""
    values: Mapping[str, ValueDraft]
    """The values of each variable, in the order of the graph."""
    ignored: Mapping[str, str]
    """Columns that are left out although nobody said so, and why."""
    missing: tuple[str, ...]
    """Texts that plainly stand for a missing value, although nobody said so."""

    @cached_property
    def columns(self) -> Mapping[str, ColumnProfile]:
        """The column of each variable that has one, where what is missing is left out."""
        return {name: draft.column for name, draft in self.values.items() if draft.column is not None}

    @property
    def graph(self) -> Graph:
        """The graph with the values that are proposed, without its reward."""
        return replace(self.base.graph, variables=tuple(draft.variable for draft in self.values.values()))

    @property
    def reward(self) -> str | None:
        """The reward, where it is known."""
        return self.wishes.reward if self.wishes.reward is not None else self.base.reward

    @property
    def good(self) -> Mapping[str, Any]:
        """The fields that say which way is good: those of the person, or those of the source for its reward."""
        return self.wishes.good or {self.base.reward: self.base.good}.get(self.reward, {})

    @property
    def settable(self) -> tuple[str, ...] | None:
        """The variables that may be set, where they are known."""
        return self.wishes.settable if self.wishes.settable is not None else self.base.settable or None

    @property
    def extra(self) -> tuple[str, ...]:
        """The columns that are in no variable and not left out for a reason."""
        taken = {match.column for match in self.matches.values()} | {*self.ignored, *self.wishes.reading.ignore}
        return () if self.table is None else tuple(c.name for c in self.table.columns if c.name not in taken)

    @property
    def tables_lost(self) -> bool:
        """Whether the source has tables that are not those of the variables with their values here."""
        old, now = self.base.contents, (values.variable for values in self.values.values())
        if old.model is None and not old.tables:
            return False
        return any(not _same_values(v, old.graph.variable(v.name)) for v in now)

    @property
    def reading(self) -> Reading:
        """The reading of the table, and of others like it."""
        columns = {
            name: match.column
            for name, match in self.matches.items()
            if match.column is not None and match.column.strip().casefold() != name.casefold()
        }
        said = self.wishes.reading
        if self.table is None:
            return said.within(self.graph)
        return replace(said, columns=columns).with_options(missing=self.missing, ignore=self.ignored)


def resolved(name: str, names: Collection[str], what: str, option: str) -> str:
    """The name that is meant, capitals, spaces and umlauts aside; raises an error that names the option."""
    if name in names:
        return name
    those = [other for other in names if same_name(name, other)]
    if len(those) != 1:
        raise BestdoError(f"{option}: {unknown(what, name, names)}")
    return those[0]


def drafted(base: Base, table: TableProfile | None, wishes: Wishes) -> Draft:
    """The draft for a graph and a table, with a person's wishes; raises an error for impossible wishes."""
    wishes = _with_names(base, table, wishes)
    graph = _hiding(base.graph, wishes.hidden)
    reading = wishes.reading
    columns = () if table is None else tuple(c for c in table.columns if c.name not in reading.ignore)
    matches = matched(graph.observed, [c.name for c in columns], {**dict(base.columns), **reading.columns})
    taken = {match.column for match in matches.values()}
    ignored = {c.name: why for c in columns if c.name not in taken and (why := left_out(c))}
    used = [c for c in columns if c.name in taken]
    missing = tuple(dict.fromkeys(text for c in used for text in looks_missing(c) if text not in reading.missing))
    known = {c.name: c.without((*reading.missing, *missing)).renamed(reading.same) for c in used}
    reward = wishes.reward if wishes.reward is not None else base.reward
    values = {}
    for variable in graph.variables:
        match = matches.get(variable.name)
        column = known.get(match.column or "") if match is not None and match.sure else None
        values[variable.name] = proposed(
            variable,
            column,
            declared=variable.name in base.declared,
            values=wishes.values.get(variable.name),
            cut=wishes.cuts.get(variable.name),
            number=variable.name == reward and stays_number(column, wishes.good),
        )
    return Draft(base, table, wishes, matches, values, ignored, missing)


def _hiding(graph: Graph, hidden: Iterable[str] | None) -> Graph:
    """The graph with some variables hidden."""
    unseen = set(hidden or ())
    return replace(graph, variables=tuple(replace(v, hidden=v.hidden or v.name in unseen) for v in graph.variables))


def _with_names(base: Base, table: TableProfile | None, wishes: Wishes) -> Wishes:
    """The wishes with the names of variables and columns as they are written there."""
    names = [v.name for v in base.graph.variables]
    seen = [v.name for v in base.graph.variables if not v.hidden and v.name not in (wishes.hidden or ())]
    columns = [] if table is None else [c.name for c in table.columns]
    reading = _reading(base, columns, table is not None).over(wishes.reading)

    def all_of(said: tuple[str, ...] | None, option: str, among: Collection[str] = seen) -> tuple[str, ...] | None:
        return None if said is None else tuple(dict.fromkeys(resolved(n, among, "variable", option) for n in said))

    said = {
        resolved(n, seen, "variable", "--column"): c
        and (c if table is None else resolved(c, columns, "column", f"--column {n}={c}"))
        for n, c in reading.columns.items()
    }
    ignore = reading.ignore
    if table is not None:
        ignore = tuple(resolved(c, columns, "column", "--ignore") for c in reading.ignore)
    return replace(
        wishes,
        reward=None if wishes.reward is None else resolved(wishes.reward, seen, "variable", "--reward"),
        settable=all_of(wishes.settable, "--set"),
        hidden=all_of(wishes.hidden, "--hidden", names),
        first=all_of(wishes.first, "--first"),
        values={resolved(n, names, "variable", "--values"): v for n, v in wishes.values.items()},
        cuts={resolved(n, seen, "variable", "--cut"): c for n, c in wishes.cuts.items()},
        reading=replace(reading, columns=said, ignore=ignore),
    )


def _reading(base: Base, columns: Collection[str], table: bool) -> Reading:
    """The reading of tables by the file of the graph; of a table without some of the columns, the part that concerns it."""
    said = base.contents.reading
    if not table:
        return said
    there = {name: column for name, column in said.columns.items() if column in columns}
    return replace(said, columns=there, ignore=tuple(column for column in said.ignore if column in columns))


def graph_of_draft(draft: Draft) -> Contents:
    """The graph of a draft and how its table is read, without what is wanted of it."""
    doubts = _doubts(draft, draft.graph)
    return Contents(draft.graph, reading=draft.reading, positions=draft.base.contents.positions, doubts=doubts)


def _doubts(draft: Draft, graph: Graph) -> Doubts | None:
    """The doubts of the source, with the variables and what is wanted as in this graph."""
    wanted = (graph.reward, graph.success, graph.worth, graph.aim)
    changed = draft.base.contents.graphs.each(
        lambda each: Graph(tuple(graph.variable(n) for n in each.names), dict(each.parents), *wanted)
    )
    return changed.doubts


def contents_of_draft(draft: Draft) -> Contents:
    """The graph and the problem that a draft has become; raises an error where what was said contradicts itself."""
    base, wishes = draft.base, draft.wishes
    if draft.reward is None:
        raise BestdoError("no reward is named")
    meant = draft.graph.variable(draft.reward)
    good = {field: _MEANT[field](meant, said) for field, said in draft.good.items()}
    graph = draft.graph.rewarding(draft.reward, **good)
    doubts = _doubts(draft, graph)
    draft.reading.check(graph)
    old = base.contents.problem
    kept = old is not None and wishes.settable is None and wishes.at_most is None
    if kept and old is not None and old.graph == graph:
        problem = replace(old, reading=draft.reading)
    elif kept and old is not None and _same_settings(old, graph):
        actions = Actions(graph, list(old.actions))
        problem = replace(old, graph=graph, actions=actions, law=None, doubts=doubts, reading=draft.reading)
    else:
        names = draft.settable or ()
        actions = Actions.up_to(graph, min(wishes.at_most or 1, len(names)), names)
        goal = "find" if old is None else old.goal
        problem = Problem(graph, actions, doubts=doubts, reading=draft.reading, goal=goal)
    if wishes.first is not None:
        problem = replace(problem, first=wishes.first)
    old_model, tables = base.contents.model, base.contents.tables
    if draft.tables_lost:
        old_model, tables = None, {}
    elif old_model is None and tables and problem.law is None:
        problem = replace(problem, law=law_from_tables(problem.actions, tables))
    model = None if old_model is None else Model(graph, old_model.tables, old_model.numbers)
    return replace(
        base.contents, graph=graph, problem=problem, model=model, tables=tables, doubts=doubts, reading=draft.reading
    )


def _value(variable: Variable, text: str) -> str:
    """The value of a variable that a text means; the text itself where it means none."""
    from bestdo.data.labels import meaning

    code = None if variable.number is not None else meaning(variable, text)
    return text if code is None or code < 0 else variable.values[code]


_MEANT: dict[str, Callable[[Variable, Any], Any]] = {
    "success": _value,
    "worth": lambda variable, worth: {_value(variable, value): number for value, number in worth.items()},
    "aim": lambda variable, aim: aim,
}
"""The fields that say which way is good, with the values of the reward that their texts mean."""


def _same_settings(problem: Problem, graph: Graph) -> bool:
    """Whether the actions and limits of a problem are still those of a graph whose variables may have other values."""
    names = {name for action in problem.actions for name in action} | {limit.variable for limit in problem.limits}
    return all(_same_values(problem.graph.variable(name), graph.variable(name)) for name in names)


def _same_values(one: Variable, other: Variable) -> bool:
    """Whether two variables have the same values, so that a table of one is one of the other."""
    return (one.values, one.cut, one.number) == (other.values, other.cut, other.number)
