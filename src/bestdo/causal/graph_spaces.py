"""The kinds of possible graphs where arrows are in doubt: listed, with an order in time, or without one.

Tables, beliefs and worlds of each kind are chosen by its class: `statistics/candidate_tables.py`,
`learners/beliefs/graph_weighing.py`, `simulate/candidate_worlds.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

from bestdo.causal.candidates import arrows_of, not_inside, with_arrows
from bestdo.causal.doubt_kinds import Arrow
from bestdo.causal.doubtful_arrows import Doubt
from bestdo.causal.graph import Graph
from bestdo.causal.graphs import Contenders, OneGraph
from bestdo.causal.parent_sets import graph_count, makes_no_cycle, most_arrows, prior_arrows, ways
from bestdo.errors import TooLarge

if TYPE_CHECKING:
    from bestdo.arrays import Bools
    from bestdo.causal.action import Actions

__all__ = ["Listed", "Ordered", "Space", "Unordered", "causes_above", "possible_causes", "space_of"]


@final
@dataclass(frozen=True, eq=False)
class Listed:
    """Candidates one by one, each with its probability."""

    arrows: tuple[Doubt, ...]
    candidates: tuple[Graph, ...]
    chances: tuple[float, ...]

    @property
    def count(self) -> int:
        """The number of possible graphs."""
        return len(self.candidates)

    @cached_property
    def sets(self) -> list[frozenset[Arrow]]:
        """The arrows of each candidate."""
        return [frozenset(arrows_of(graph)) for graph in self.candidates]

    @cached_property
    def graph(self) -> Graph:
        """The candidate with the most arrows, the first of these."""
        return max(self.candidates, key=lambda graph: sum(map(len, graph.parents.values())))

    @cached_property
    def possible(self) -> tuple[Arrow, ...]:
        """The arrows that some candidates have and others have not."""
        either = frozenset[Arrow]().union(*self.sets) - frozenset.intersection(*self.sets)
        ends = [{doubt.a, doubt.b} for doubt in self.arrows]
        place = {name: i for i, name in enumerate(self.graph.names)}
        return tuple(sorted(either, key=lambda x: (ends.index({x[0], x[2]}), x[1] == "<->", place[x[0]])))

    @cached_property
    def there(self) -> Bools:  # bool[K, P]
        """The `possible` arrows that each candidate has."""
        import numpy as np

        there = np.array([[arrow in arrows for arrow in self.possible] for arrows in self.sets], bool)
        there.setflags(write=False)
        return there

    @cached_property
    def before(self) -> tuple[float, ...]:
        """The probability of each of the `possible` arrows before the first round."""
        import numpy as np

        return tuple((np.array(self.chances) @ self.there).tolist())

    @cached_property
    def _codes(self) -> list[int]:
        """The possible arrows that each candidate has, one bit for each."""
        bit = {arrow: 1 << i for i, arrow in enumerate(self.possible)}
        return [sum(bit.get(arrow, 0) for arrow in arrows) for arrows in self.sets]

    @cached_property
    def largest(self) -> tuple[Graph, ...]:
        """The candidates whose arrows no other candidate has all of, and more."""
        return tuple(self.candidates[i] for i in not_inside(self._codes))

    @property
    def covering(self) -> tuple[Graph, ...]:
        """The largest candidates."""
        return self.largest

    @cached_property
    def smallest(self) -> tuple[Graph, ...]:
        """The candidates that have all arrows of no other."""
        every = (1 << len(self.possible)) - 1
        return tuple(self.candidates[i] for i in not_inside([every & ~code for code in self._codes]))

    def in_some(self, actions: Actions, can: Contenders) -> Bools:  # bool[A]
        """The actions that can be the best in one of the candidates."""
        return _in_one_of(self.largest, actions, can)


@final
@dataclass(frozen=True, eq=False)
class Ordered:
    """Every combination of doubtful arrows, none of which makes a cycle: too many to be listed; one graph has all arrows."""

    sure: Graph
    arrows: tuple[Doubt, ...]

    @property
    def count(self) -> int:
        """The number of possible graphs."""
        return 1 << len(self.arrows)

    @cached_property
    def graph(self) -> Graph:
        """The graph with all arrows."""
        return with_arrows(self.sure, [(doubt.a, doubt.b) for doubt in self.arrows])

    @cached_property
    def possible(self) -> tuple[Arrow, ...]:
        """The arrows that may be there."""
        return tuple((way.cause, "->", way.effect) for way in ways(self.arrows))

    @cached_property
    def before(self) -> tuple[float, ...]:
        """The probability of each of the `possible` arrows before the first round: each is there whatever the others are."""
        return tuple(doubt.probability for doubt in self.arrows)

    @property
    def there(self) -> Bools:  # bool[0, P]
        """An empty table: no candidates are listed."""
        import numpy as np

        return np.zeros((0, len(self.possible)), bool)

    @property
    def largest(self) -> tuple[Graph, ...]:
        """The graph with all arrows."""
        return (self.graph,)

    covering = largest

    @property
    def smallest(self) -> tuple[Graph, ...]:
        """The graph of the sure arrows."""
        return (self.sure,)

    def in_some(self, actions: Actions, can: Contenders) -> Bools:  # bool[A]
        """The actions that can be the best in the graph with all arrows."""
        return _in_one_of(self.largest, actions, can)


@final
@dataclass(frozen=True, eq=False)
class Unordered:
    """Every acyclic combination of arrows that can make a cycle: too many to be listed, and no graph has them all."""

    sure: Graph
    arrows: tuple[Doubt, ...]

    @cached_property
    def count(self) -> int:
        """The number of possible graphs."""
        return graph_count(self.sure, self.arrows)

    @cached_property
    def graph(self) -> Graph:
        """A possible graph to which no arrow can be added."""
        return most_arrows(self.sure, self.arrows)

    @cached_property
    def possible(self) -> tuple[Arrow, ...]:
        """The arrows that may be there, those in either direction twice."""
        return tuple((way.cause, "->", way.effect) for way in ways(self.arrows))

    @cached_property
    def before(self) -> tuple[float, ...]:
        """The probability of each of the `possible` arrows before the first round, over all acyclic graphs."""
        return tuple(prior_arrows(self.sure, self.arrows))

    @property
    def there(self) -> Bools:  # bool[0, P]
        """An empty table: no candidates are listed."""
        import numpy as np

        return np.zeros((0, len(self.possible)), bool)

    @property
    def largest(self) -> tuple[Graph, ...]:
        """Too many graphs: raises TooLarge."""
        raise TooLarge(
            f"{self.count:,} graphs are possible, and none has the arrows of all others: too many to go through. Say an "
            "order in time, or settle some directions"
        )

    @property
    def covering(self) -> tuple[Graph, ...]:
        """No graphs: the largest are too many to go through."""
        return ()

    @property
    def smallest(self) -> tuple[Graph, ...]:
        """The graph of the sure arrows."""
        return (self.sure,)

    def in_some(self, actions: Actions, can: Contenders) -> Bools:  # bool[A]
        """The actions that set nothing but possible causes of the reward, or can be the best in the graph that is shown."""
        import numpy as np

        above = causes_above([str(self.graph.reward)], possible_causes(self.sure, self.possible))
        contend = np.array([may or above.issuperset(a) for a, may in zip(actions, can(actions), strict=True)])
        contend.setflags(write=False)
        return contend


Space = OneGraph | Listed | Ordered | Unordered
"""The kinds of possible graphs."""


def space_of(
    sure: Graph, arrows: tuple[Doubt, ...], candidates: tuple[Graph, ...], chances: tuple[float, ...]
) -> Listed | Ordered | Unordered:
    """The kind of the graphs that doubtful arrows leave possible; candidates are listed unless they are too many."""
    if candidates:
        return Listed(arrows, candidates, chances)
    return Ordered(sure, arrows) if makes_no_cycle(sure, arrows) else Unordered(sure, arrows)


def possible_causes(sure: Graph, possible: Iterable[Arrow]) -> dict[str, frozenset[str]]:
    """The variables that are parents of each variable in some possible graph."""
    causes = {name: set(parents) for name, parents in sure.parents.items()}
    for a, mark, b in possible:
        if mark == "->":
            causes[b].add(a)
    return {name: frozenset(parents) for name, parents in causes.items()}


def causes_above(names: Iterable[str], may_cause: dict[str, frozenset[str]]) -> frozenset[str]:
    """Some variables, and all from which possible arrows lead to them."""
    above, todo = set(names), list(names)
    while todo:
        more = may_cause[todo.pop()] - above
        above |= more
        todo += more
    return frozenset(above)


def _in_one_of(graphs: Sequence[Graph], actions: Actions, can: Contenders) -> Bools:  # bool[A]
    """The actions that can be the best in one of some graphs."""
    import numpy as np

    from bestdo.causal.action import Actions

    contend = np.zeros(len(actions), bool)
    for graph in graphs:
        contend |= can(Actions(graph, actions))
        if contend.all():
            break
    contend.setflags(write=False)
    return contend
