"""The graphs that are possible: one where no arrow is in doubt, otherwise several with their probabilities.

Everything above asks `problem.graphs`, and does not ask whether an arrow is in doubt: one candidate is the certain case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, final

from bestdo.causal.graph import Graph
from bestdo.errors import NotValid

if TYPE_CHECKING:  # drawings import this module, and need no numpy
    from bestdo.arrays import Bools, Floats
    from bestdo.causal.action import Actions
    from bestdo.causal.doubt_kinds import Arrow
    from bestdo.causal.doubts import Doubt, Doubts

__all__ = ["Contenders", "Graphs", "OneGraph", "graphs_of", "held"]

Contenders = Callable[["Actions"], "Bools"]
"""A function that says of actions of one graph which of them can be the best (bool[A])."""


def held(what: Callable[[Graph], bool], largest: Iterable[Graph], smallest: Iterable[Graph]) -> str:
    """The graphs, "all", "some" or "none", in which something holds: more arrows never make it easier to hold."""
    if all(map(what, largest)):
        return "all"
    return "some" if any(map(what, smallest)) else "none"


@final
@dataclass(frozen=True)
class OneGraph:
    """The certain case: one graph, and no arrow in doubt. It is its own space."""

    graph: Graph

    @property
    def sure(self) -> Graph:
        """The graph."""
        return self.graph

    @property
    def arrows(self) -> tuple[Doubt, ...]:
        """The doubtful arrows: none."""
        return ()

    marked = arrows

    @property
    def one_by_one(self) -> list[tuple[list[Arrow], float]]:
        """The candidates that files have to list: none."""
        return []

    @property
    def candidates(self) -> tuple[Graph, ...]:
        """The graph alone."""
        return (self.graph,)

    largest = covering = smallest = candidates

    @property
    def chances(self) -> tuple[float, ...]:
        """The probability of the graph: 1."""
        return (1.0,)

    @cached_property
    def prior(self) -> Floats:  # float[1]
        """The probability of the graph, as an array."""
        import numpy as np

        return np.ones(1)

    @property
    def count(self) -> int:
        """The number of graphs: 1."""
        return 1

    @property
    def remark(self) -> str:
        """An empty remark."""
        return ""

    @property
    def no_law(self) -> str:
        """The reason why the law of the reward's parents is not known, where it is not."""
        return "how often each value occurs by itself is not known"

    @property
    def possible(self) -> tuple[Arrow, ...]:
        """The arrows that may or may not be there: none."""
        return ()

    @property
    def there(self) -> Bools:  # bool[1, 0]
        """A table without columns: no arrow is in doubt."""
        import numpy as np

        return np.zeros((1, 0), bool)

    @property
    def before(self) -> tuple[float, ...]:
        """The probabilities of doubtful arrows: none."""
        return ()

    @property
    def space(self) -> OneGraph:
        """The kind of the possible graphs."""
        return self

    @property
    def may_cause(self) -> Mapping[str, Iterable[str]]:
        """The parents of each variable."""
        return self.graph.parents

    @property
    def doubts(self) -> Doubts | None:
        """The doubts: None."""
        return None

    def above(self, names: Iterable[str]) -> frozenset[str]:
        """Some variables and their causes."""
        return self.graph.ancestors(names)

    def holds(self, what: Callable[[Graph], bool]) -> str:
        """The graphs, "all" or "none", in which something holds."""
        return "all" if what(self.graph) else "none"

    def in_some(self, actions: Actions, can: Contenders) -> Bools:  # bool[A]
        """The actions that can be the best."""
        return can(actions)

    def each(self, change: Callable[[Graph], Graph]) -> OneGraph:
        """The changed graph."""
        return OneGraph(change(self.graph))

    def only(self, error: Exception) -> Graph:
        """The graph."""
        return self.graph

    def every(self, error: Exception) -> tuple[Graph, ...]:
        """The graph alone."""
        return (self.graph,)

    def candidate(self, number: int) -> Graph:
        """No choice exists: raises NotValid."""
        raise NotValid("no arrow of this problem is in doubt: it has one graph, problem.graph")


Graphs: TypeAlias = "OneGraph | Doubts"
"""The possible graphs, over the same variables: one, or doubts with their probabilities."""


def graphs_of(graph: Graph, doubts: Doubts | None) -> Graphs:
    """The graphs that are possible, as they are stored: the doubts, or one graph where there are none."""
    return OneGraph(graph) if doubts is None else doubts
