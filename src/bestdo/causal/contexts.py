"""Contexts: values of variables that are seen before an action is chosen, and what seeing them does to a graph."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from bestdo.causal.action import Actions
from bestdo.causal.context_words import BY_CONTEXT, FOR_EVERYBODY, ContextWords
from bestdo.causal.graph import Graph
from bestdo.causal.variable import first_twice
from bestdo.errors import GraphError, TooLarge, shown
from bestdo.memory_cache import memory_cache
from bestdo.text import but_for_capitals, quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bestdo.arrays import Bools, Ints

_T = TypeVar("_T")

__all__ = ["Contexts", "checked_first", "given_first", "seen_first"]

_MOST_PAIRS = 4096
"""The most pairs of a context and an action. Learners keep an array of pairs × pairs, 16 MB; time grows alike."""


@dataclass(frozen=True)
class Contexts:
    """All joint values of the variables that are seen first, numbered; the last variable varies fastest."""

    graph: Graph
    names: tuple[str, ...]

    @property
    def words(self) -> ContextWords:
        """Words for sentences about these contexts."""
        return BY_CONTEXT if self.names else FOR_EVERYBODY

    @property
    def answer(self) -> str:
        """The form of a recommendation for these contexts: an action, or a rule with an action for each context."""
        return self.words.answer

    def only(self, error: Exception) -> None:
        """Raises the error where something is seen first, so that there is more than the one context without values."""
        if self.names:
            raise error

    def several(self, error: Exception) -> None:
        """Raises the error where nothing is seen first, so that there is only the one context without values."""
        if not self.names:
            raise error

    @property
    def listed(self) -> str:
        """The names of the variables that are seen first, for messages."""
        return ", ".join(map(shown, self.names))

    @property
    def scope(self) -> tuple[str, str]:
        """The reach of a round that teaches about everything, and the subject of one that does not, in words."""
        return self.words.everywhere, self.words.own

    def columns(self, *columns: _T) -> tuple[_T, ...]:
        """Parts of a text, of a page or of data that are there only where something is seen first."""
        return columns if self.names else ()

    def without(self, *columns: _T) -> tuple[_T, ...]:
        """Parts that are there only where nothing is seen first."""
        return () if self.names else columns

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each variable."""
        return tuple(self.graph.size(name) for name in self.names)

    def __len__(self) -> int:
        return math.prod(self.sizes)

    def __iter__(self) -> Iterator[dict[str, str]]:
        """The values of the variables in each context."""
        import itertools

        for values in itertools.product(*(self.graph.variable(name).values for name in self.names)):
            yield dict(zip(self.names, values, strict=True))

    @cached_property
    def codes(self) -> Ints:  # int[C, N]
        """The code of each variable's value in each context."""
        import numpy as np

        return np.indices(self.sizes).reshape(len(self.sizes), len(self)).T.astype(np.int64, order="C")

    def numbers(self, x: NDArray[np.integer]) -> Ints:  # int[R]
        """The number of the context in each row of values (int[R, V]); -1 where one of its values is missing."""
        import numpy as np

        context, missing = np.zeros(len(x), np.int64), np.zeros(len(x), bool)
        for name, size in zip(self.names, self.sizes, strict=True):
            column = x[:, self.graph.names.index(name)].astype(np.int64)
            context, missing = context * size + column, missing | (column < 0)
        return np.where(missing, -1, context)

    def read(self, given: Mapping[str, object]) -> dict[str, str]:
        """The values that a person or a program gave, checked; variables may be missing, and None is missing.

        Capitals of names and values do not matter, where only one can be meant.
        """
        clean = {}
        for name, value in ((but_for_capitals(name, self.names), value) for name, value in given.items()):
            if name not in self.names:
                known = name in self.graph.names
                what = f"{shown(name)} is not seen first" if known else f"unknown variable {shown(name)}"
                raise GraphError(f"{what}; seen first: {self.listed}")
            if value is not None:
                variable = self.graph.variable(name)
                clean[name] = but_for_capitals(variable.kept(value), variable.values)
                variable.code(clean[name])
        return {name: clean[name] for name in self.names if name in clean}

    def matching(self, given: Mapping[str, str]) -> Bools:  # bool[C]
        """The contexts that agree with these values."""
        import numpy as np

        agree = np.ones(len(self), bool)
        for name, value in given.items():
            agree &= self.codes[:, self.names.index(name)] == self.graph.variable(name).code(value)
        return agree

    def written(self, context: int) -> str:
        """A context as text, as in device=mobile, country=DE."""
        values = (self.graph.variable(n).values[c] for n, c in zip(self.names, self.codes[context], strict=True))
        return ", ".join(f"{quoted(n)}={quoted(v)}" for n, v in zip(self.names, values, strict=True))


def checked_first(graph: Graph, actions: Actions, first: Iterable[str]) -> tuple[str, ...]:
    """The variables that are seen first, checked: not hidden, not the reward, not changed by what can be set."""
    names = (first,) if isinstance(first, str) else tuple(first)
    if len(set(names)) < len(names):
        raise GraphError(f"{shown(first_twice(names))} is named twice among the variables that are seen first")
    settable = {name for action in actions for name in action}
    for name in names:
        variable = graph.variable(name)
        if name == graph.reward:
            raise GraphError(f"{shown(name)} is the reward: it is not seen before the action is chosen")
        if variable.hidden:
            raise GraphError(f"{shown(name)} is hidden, so it cannot be seen before the action is chosen")
        if name in graph.numeric:
            raise GraphError(f"{shown(name)} is a number: cut it into values (cut = […]) to see it first")
        if name in settable:
            raise GraphError(
                f"{shown(name)} is seen first and can be set as well: leave it out of the actions, or out of first"
            )
        if settable & graph.ancestors([name]):
            raise GraphError(
                f"{shown(name)} cannot be seen before the action is chosen: what can be set causes it "
                f"({_path(graph, settable, name)})"
            )
    states = math.prod(graph.size(name) for name in names)
    if names and states * len(actions) > _MOST_PAIRS:
        sizes = " × ".join(f"{graph.size(name)} ({name})" for name in names[:8])
        raise TooLarge(
            f"the variables that are seen first have {states:,} joint values ({sizes}{', …' if len(names) > 8 else ''}), "
            f"with {len(actions)} actions {states * len(actions):,} pairs; at most {_MOST_PAIRS:,} are allowed: name only "
            "the variables that matter (bestdo check of the file without first says which), or give them fewer values"
        )
    return names


def _path(graph: Graph, sources: set[str], name: str) -> str:
    """A shortest path of arrows from one of the sources to a variable, as text."""
    paths: list[tuple[str, ...]] = [(name,)]
    for path in paths:  # grows while it is read
        if path[0] in sources:
            return " -> ".join(map(quoted, path))
        paths += [(parent, *path) for parent in graph.parents[path[0]]]
    raise AssertionError("there is a path from a source to its descendant")


@memory_cache
def seen_first(graph: Graph, first: tuple[str, ...]) -> Graph:
    """The graph in which nothing but variables that are seen first causes them: seeing them is then as good as setting them.

    Arrows into them are turned round, as P(w) P(c | w) is P(c) P(w | c), and both ends get each other's parents. The law of
    all variables given what is seen first is the same, whatever else is set; so this graph says what can be learned of the
    actions in each context. A hidden variable that then has causes hands them on to its effects.
    """
    parents = {name: list(ps) for name, ps in graph.parents.items()}
    seen = set(first)
    for cause in reversed([n for n in graph.order if n in graph.ancestors(first) - seen]):
        for effect in [n for n in graph.order if n in seen and cause in parents[n]]:
            both = [p for p in dict.fromkeys([*parents[effect], *parents[cause]]) if p != cause]
            parents[effect] = both
            parents[cause] = [*both, effect]
    for name in [n for n in _with_parents(graph, parents).order if graph.variable(n).hidden]:
        children = [n for n, ps in parents.items() if name in ps]
        for child in children if parents[name] else ():
            parents[child] = list(dict.fromkeys([*parents[child], *parents[name]]))
        parents[name] = []
        if len(children) == 1:  # nothing but noise of one variable
            parents[children[0]].remove(name)
    return _with_parents(graph, parents)


def _with_parents(graph: Graph, parents: Mapping[str, Iterable[str]]) -> Graph:
    """The graph with other arrows."""
    return graph._with(graph.variables, {n: tuple(ps) for n, ps in parents.items()})


@memory_cache
def given_first(graph: Graph, first: tuple[str, ...]) -> Graph:
    """The graph of causes and effects in one context: variables that are seen first are constants there."""
    made = seen_first(graph, first)
    return _with_parents(made, {n: [p for p in ps if p not in first] for n, ps in made.parents.items()})
