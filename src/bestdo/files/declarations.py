"""The declarations of a file with their places, and the graph and problem that they make."""

from __future__ import annotations

import graphlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import bestdo.display as display
from bestdo.bandit.problem import Problem
from bestdo.bandit.reading import Reading
from bestdo.causal.action import Actions
from bestdo.causal.doubts import Doubt, Doubts, graphs_with
from bestdo.causal.graph import BOTH, Graph, Variable
from bestdo.causal.graphs import Graphs, graphs_of
from bestdo.causal.variable import no_success
from bestdo.causal.worth import Worth
from bestdo.errors import (
    BestdoError,
    DoubtError,
    FileError,
    GraphError,
    NoAim,
    NoAimInFile,
    NoSuccess,
    NoSuccessInFile,
    shown,
    unknown,
)
from bestdo.text import place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bestdo.causal.model import Model

__all__ = [
    "MOST_ARROWS",
    "OPTIONAL_NAME",
    "PAG_NOTE",
    "Arrow",
    "Contents",
    "Declarations",
    "DoubtfulArrow",
    "Position",
    "Source",
    "Wanted",
    "actions_of",
    "amount",
    "check_count",
    "contents_of",
    "doubts_of",
    "graph_of",
    "outline",
    "refuse_listed",
]

OPTIONAL_NAME = r'(?:\s*+(?:"[^"\n]*+"|[\w.-]++))?+\s*+'
"""A pattern: the name that may stand between the first word of a text and its brace."""

PAG_NOTE = (
    "of a PAG, an end that is not known is read as a doubt, and every other arrow a -> b as a direct cause without a hidden "
    "common cause: add a ?<-> b where there may be one"
)
"""The note on a PAG, which knows causes and hidden causes, and not which are direct."""

MOST_ARROWS = 50_000
"""The most arrows of a graph in a file. Limits time and memory, as measured in tests/files/test_resources.py."""
_MOST_VARIABLES = 20_000
"""The most variables of a graph in a file. Limits time and memory, as measured in tests/files/test_resources.py."""

Position = tuple[float, float]
"""The x and y coordinates of a variable in a picture."""

Arrow = tuple[str, str, str]
"""`->` or `<->`, and the two names; `->` points from the first to the second."""


DoubtfulArrow = tuple[str, str, str, float | None]
"""A name, the kind of doubt, a name, and the probability where one is said."""


class Wanted(NamedTuple):
    """The statements of a person about the reward beside the file, which go before the file's. None: the file decides."""

    reward: str | None = None
    success: str | None = None
    worth: Mapping[str, float] | None = None
    aim: str | None = None

    def __bool__(self) -> bool:
        """Whether anything is said."""
        return any(part is not None for part in self)

    @property
    def said(self) -> str:
        """The statement about a reward, for a message; empty where there is none."""
        parts = (("success", self.success), ("aim", self.aim))
        named = next((f"{what} is {shown(value)}" for what, value in parts if value is not None), "")
        return named or ("worth is given" if self.worth is not None else "")


@dataclass(frozen=True)
class Contents:
    """The contents of a file: a graph; a problem if it names actions and a reward; a model if it has tables.

    It is made by `bestdo.read`, or given to `bestdo.write`.

    >>> import bestdo
    >>> contents = bestdo.read("examples/farm.toml")
    >>> contents.model is not None
    True
    """

    graph: Graph
    problem: Problem | None = None
    model: Model | None = None
    tables: Mapping[str, NDArray[np.float64]] = field(default_factory=dict, compare=False)
    """The tables that the file gives: of all variables, which make the model, or of all but the reward."""
    reading: Reading = field(default=Reading(), compare=False)
    """The reading of tables of old data, by the file."""
    positions: Mapping[str, Position] = field(default_factory=dict, hash=False)
    """The places of variables in a picture that a person chose: x, and y, which grows downwards. Any unit."""
    doubts: Doubts | None = None
    """The graphs that are possible, where arrows are in doubt; `graph` is then the one with the most arrows."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """The unused statements of the file, in words."""

    def __post_init__(self) -> None:
        if self.problem is not None and self.problem.positions != self.positions:
            placed = self.positions or self.problem.positions
            object.__setattr__(self, "positions", placed)
            object.__setattr__(self, "problem", replace(self.problem, positions=placed))
        if self.problem is not None:
            object.__setattr__(self, "doubts", self.problem.doubts)

    def __repr__(self) -> str:
        model = "" if self.model is None else f", {self.model!r}"
        return f"Contents({self.problem or self.graph!r}{model})"

    _repr_html_ = display.html

    @property
    def graphs(self) -> Graphs:
        """The graphs that are possible: one where no arrow is in doubt."""
        return graphs_of(self.graph, self.doubts)

    @property
    def sure(self) -> Graph:
        """The graph without the arrows that are in doubt."""
        return self.graphs.sure

    @property
    def doubtful(self) -> tuple[Doubt, ...]:
        """The doubtful arrows, each with its two names, kind and probability; none where candidates are listed one by one."""
        return self.graphs.marked

    def to_dagitty(self) -> str:
        """The graph as DAGitty text: what some action sets is an exposure, the reward is the outcome, positions are kept."""
        from bestdo.files import dagitty

        return dagitty.write(self)


def _offset(where: int) -> int:
    """The offset itself: the default of `Source.locate`."""
    return where


@dataclass(frozen=True)
class Source:
    """The text of a file, and its name for error messages."""

    name: str
    text: str
    locate: Callable[[Any], int] = _offset
    """The offset in the text of a place; a place is what the reader of a format uses for it, by default the offset."""

    def error(self, message: str, where: object) -> FileError:
        """An error with this message at a place."""
        return FileError(message, self.name, *place(self.text, self.locate(where)))

    def located(self, error: BestdoError, where: object, inner: str = "") -> FileError:
        """An error with its place in this file; `inner` is the text in which its column was counted."""
        if isinstance(error, NoSuccess) and not isinstance(error, FileError):
            placed = NoSuccessInFile(str(error), self.name, *place(self.text, self.locate(where)))
            placed.value = error.value
            return placed
        if isinstance(error, NoAim) and not isinstance(error, FileError):
            return NoAimInFile(str(error), self.name, *place(self.text, self.locate(where)))
        if not isinstance(error, FileError):
            return self.error(str(error), where)
        if error.file == self.name:
            return error
        offset = self.locate(where)
        if error.line == 1 and inner and self.text.startswith(inner, offset):
            offset += error.column - 1
        return FileError(error.message, self.name, *place(self.text, offset))

    @contextmanager
    def at(self, where: object, inner: str = "") -> Iterator[None]:
        """Gives errors that are raised inside the block this place in the file."""
        try:
            yield
        except BestdoError as error:
            raise self.located(error, where, inner) from None


@dataclass
class Declarations:
    """The declarations of a file so far; every place is something that `Source.locate` understands."""

    variables: dict[str, Variable] = field(default_factory=dict)
    arrows: dict[Arrow, object] = field(default_factory=dict)
    """The arrows, each with the place where it stands first."""
    settable: dict[str, object] = field(default_factory=dict)
    """The variables marked as settable, with the place of each."""
    reward: str | None = None
    success: str | None = None
    worth: Worth | None = None
    """The worth of the values of the reward, instead of a success."""
    aim: str | None = None
    """Whether the mean of a number, or of a worth, is to be maximised or minimised."""
    reward_at: object = 0
    """The place where the reward is named."""
    one_is_success: bool = False
    """Whether "1" is success of a reward with the values "0" and "1" where nothing says which value is: in our own format."""
    doubts: list[tuple[DoubtfulArrow, object]] = field(default_factory=list)
    """The doubtful arrows, with the place of each."""


def graph_of(source: Source, declared: Declarations, wanted: Wanted) -> Graph:
    """The graph that a file declares, with the reward that is wanted."""
    variables = dict(declared.variables)
    parents: dict[str, dict[str, None]] = {}
    both: dict[tuple[str, str], object] = {}
    for (mark, a, b), where in declared.arrows.items():
        for name in (a, b):
            if name not in variables:
                raise source.error(unknown("variable", name, declared.variables), where)
        if mark == "->":
            parents.setdefault(b, {})[a] = None
        elif a == b:
            raise source.error(f"{shown(a)} <-> {shown(b)}: a variable cannot share a cause with itself", where)
        else:
            both.setdefault((min(a, b), max(a, b)), where)
    check_count(source, len(variables) + len(both), 0)
    for (a, b), where in sorted(both.items(), key=lambda item: item[0]):
        with source.at(where):
            cause = variables.setdefault(a + BOTH + b, Variable(a + BOTH + b, hidden=True))
        for name in (a, b):
            if cause.name in parents.get(name, ()):
                raise source.error(f"{shown(cause.name)} is the cause of {shown(name)} already", where)
            parents.setdefault(name, {})[cause.name] = None
    try:
        graph = Graph(tuple(variables.values()), {n: tuple(p) for n, p in parents.items()})
    except GraphError as error:
        raise source.located(error, _closing_arrow(declared)) from None
    return _with_reward(source, graph, declared, wanted)


def doubts_of(source: Source, declared: Declarations, sure: Graph) -> Graphs:
    """The graphs that doubtful arrows leave possible, from a graph of what is sure; that one where no arrow is in doubt."""
    try:
        return graphs_with(sure, [doubt for doubt, _ in declared.doubts])
    except DoubtError as error:
        raise source.located(error, declared.doubts[error.place][1]) from None
    except BestdoError as error:
        raise source.located(error, declared.doubts[0][1]) from None


def _closing_arrow(declared: Declarations) -> object:
    """The place of the last arrow of a cycle; 0 where there is no cycle."""
    arrows = {(a, b): where for (mark, a, b), where in declared.arrows.items() if mark == "->"}
    causes: dict[str, list[str]] = {}
    for a, b in arrows:
        causes.setdefault(b, []).append(a)
    try:
        graphlib.TopologicalSorter(causes).prepare()
    except graphlib.CycleError as error:
        cycle = set(itertools.pairwise(error.args[1]))
        return [where for arrow, where in arrows.items() if arrow in cycle][-1]
    return 0


def _with_reward(source: Source, graph: Graph, declared: Declarations, wanted: Wanted) -> Graph:
    """The graph with the reward asked for, or that of the file, or none."""
    name = declared.reward if wanted.reward is None else wanted.reward
    if name is None:
        if not wanted:
            return graph
        raise GraphError(f"{wanted.said}, but {source.name} names no reward: give reward=, too")
    success, worth, aim = wanted.success, wanted.worth, wanted.aim
    if name == declared.reward:
        if aim is None and success is None and (worth is None or declared.worth is not None):
            aim = declared.aim
        if success is None and worth is None:
            success, worth = declared.success, None if declared.worth is None else dict(declared.worth)
    with nullcontext() if wanted else source.at(declared.reward_at):
        number = graph.variable(name).number
        if number is None and success is None and worth is None and not declared.one_is_success:
            raise _which(graph, name)
        return graph.rewarding(name, success, worth, aim)


def _which(graph: Graph, name: str) -> NoSuccess:
    """The question which value of the reward is success; raises an error where the variable cannot be the reward."""
    variable = graph.variable(name)
    graph.rewarding(name, variable.values[0])
    return no_success(variable)


def contents_of(source: Source, declared: Declarations, wanted: Wanted) -> Contents:
    """The graph that a file declares, and the problem when there are a reward and settable variables."""
    graphs = doubts_of(source, declared, graph_of(source, declared, wanted))
    graph = graphs.graph
    if graph.reward is None or not declared.settable:
        return Contents(graph, doubts=graphs.doubts)
    actions = actions_of(source, graph, declared.settable, 1, 0)
    return Contents(graph, Problem(graphs, actions), doubts=graphs.doubts)


def actions_of(source: Source, graph: Graph, settable: Mapping[str, object], at_most: int, where: object) -> Actions:
    """do() and all settings of up to `at_most` of these variables, each of which has its place in the file."""
    try:
        return Actions.up_to(graph, at_most, list(settable))
    except BestdoError as error:
        for name, place_of_name in settable.items():
            with source.at(place_of_name):
                Actions.single(graph, [name])
        raise source.located(error, where) from None


def check_count(source: Source, variables: int, where: object) -> None:
    """Raises an error when there are more variables than are allowed."""
    if variables > _MOST_VARIABLES:
        raise source.error(f"these are more than {_MOST_VARIABLES:,} variables, which is the most allowed", where)


def refuse_listed(contents: Contents, name: str) -> None:
    """Raises an error where candidates are listed one by one, which this format cannot hold."""
    if contents.graphs.one_by_one:
        raise BestdoError(
            f"{name} cannot hold {contents.graphs.count:,} graphs that are listed one by one, only doubtful arrows "
            "of which every combination is possible: write a TOML file"
        )


def outline(graph: Graph) -> tuple[list[Variable], list[Arrow]]:
    """The variables and arrows to write to a file, from which `graph_of` makes the same graph again.

    A hidden variable that is nothing but a common cause of two others is written as `A <-> B`, other hidden variables
    as variables with their arrows.
    """
    pairs = {h for h in graph.hidden if len(graph.children[h]) == 2 and not graph.parents[h]}
    short = {h for h in pairs if BOTH.join(sorted(graph.children[h])) == h}
    arrows = list(_arrows(graph, short))
    implied = {h for h in short if graph.variable(h) == Variable(h, hidden=True)}
    variables = [v for v in graph.variables if v.name not in implied]
    declared = Declarations({v.name: v for v in variables}, dict.fromkeys(arrows, 0), {}, graph.reward, graph.success)
    declared.worth, declared.aim = graph.worth, graph.aim
    if graph_of(Source("", ""), declared, Wanted()) == graph:
        return variables, arrows
    return list(graph.variables), list(_arrows(graph, set()))


def _arrows(graph: Graph, short: set[str]) -> Iterable[Arrow]:
    """The arrows of a graph, with `<->` in place of the hidden variables in `short`."""
    for name in graph.names:
        yield from (("->", parent, name) for parent in graph.parents[name] if parent not in short)
    for name in sorted(short):
        a, b = sorted(graph.children[name])
        yield "<->", a, b


def amount(count: int) -> str:
    """A number as text: its digits, or a power of ten where it is very large."""
    return f"{count:,}" if count < 10**18 else f"about 10^{int(count.bit_length() * 0.30103)}"
