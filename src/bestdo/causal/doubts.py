"""Graphs in doubt: arrows that may be there or not, and every graph that is possible, with its probability."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import bestdo.display as display
from bestdo.arguments import listed, real_number, shown_value, text_of, whole_number
from bestdo.causal import arrows as arrow_text
from bestdo.causal import wanted
from bestdo.causal.as_networkx import with_doubts
from bestdo.causal.candidates import MOST_CANDIDATES, arrows_of, combinations
from bestdo.causal.doubtful_arrows import Doubt, checked_doubts, doubts_in_order
from bestdo.causal.graph import Graph
from bestdo.causal.graph_spaces import Listed, Ordered, Unordered, causes_above, possible_causes, space_of
from bestdo.causal.graphs import Contenders, Graphs, OneGraph, held
from bestdo.causal.listed_candidates import described, same_variables
from bestdo.causal.parent_sets import are_independent, are_modular, too_large
from bestdo.causal.worth import Worth
from bestdo.errors import BestdoError, GraphError, NotValid, TooLarge
from bestdo.text import counted, quoted

if TYPE_CHECKING:  # drawings import this module, and need no numpy
    from bestdo.arrays import Bools, Floats
    from bestdo.causal.action import Actions

__all__ = ["MOST_CANDIDATES", "Doubt", "Doubts", "graphs_among", "graphs_with"]

_ROUNDING = 1e-12  # probabilities that differ by less are the same


@final
@dataclass(frozen=True, eq=False)
class Doubts:
    """All graphs that are possible where some arrows are in doubt: acyclic, over the same variables, with probabilities.

    It is made by `Doubts.parse`, `in_order`, `of` or `among`, and given to `Problem` in place of a graph.

    >>> import bestdo
    >>> doubts = bestdo.Doubts.parse("shade -> moisture -> yield; shade ?0.3-> yield", reward="yield", success="1")
    >>> print(*doubts.candidates, sep=" | ")
    shade -> moisture; moisture -> yield; shade -> yield | shade -> moisture; moisture -> yield
    >>> [round(float(p), 3) for p in doubts.prior]
    [0.3, 0.7]
    """

    sure: Graph
    """The arrows that are not in doubt."""
    arrows: tuple[Doubt, ...]
    """The doubtful arrows. Of candidates that were listed one by one: where these differ, with probabilities by the list."""
    candidates: tuple[Graph, ...]
    """The graphs that are possible. A hidden common cause that is not there is a hidden variable without arrows. Empty where
    more than 4,096 are, which is allowed where nothing is hidden, all doubts are `?->` or `?-?`, and tables are not too large
    (`listed` is False)."""
    chances: tuple[float, ...]
    """The probability of each candidate before the first round; they sum to 1."""
    by_list: bool = False
    """Whether the candidates were listed one by one, and are not all combinations of the doubtful arrows."""

    def _key(self) -> tuple[object, ...]:
        return (
            self.sure,
            self.arrows,
            self.listed,
            self.by_list,
            *((self.candidates, self.chances) if self.by_list else ()),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Doubts) and self._key() == other._key()

    @cached_property
    def _hash(self) -> int:
        return hash(self._key())

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        if self.by_list:
            return Doubts, (self.sure, self.arrows, self.candidates, self.chances, True)
        return Doubts.of, (self.sure, self.arrows)

    def __repr__(self) -> str:
        sizes = (
            (self.count, "possible graph"),
            (len(self.arrows), "doubtful arrow"),
            (len(self.graph.names), "variable"),
        )
        return f"Doubts({', '.join(counted(*size) for size in sizes)})"

    def __str__(self) -> str:
        alone = {quoted(name) for doubt in self.arrows for name in (doubt.a, doubt.b)}
        return "; ".join([*(edge for edge in self.sure.edges if edge not in alone), *map(str, self.arrows)])

    _repr_html_ = display.html
    plot = display.plot

    @property
    def listed(self) -> bool:
        """Whether the possible graphs are listed."""
        return bool(self.candidates)

    @property
    def unordered(self) -> bool:
        """Whether the possible graphs are not listed and their arrows can make a cycle, so that no graph has them all.

        Where they can make none, each arrow is there or not whatever the others are.
        """
        return isinstance(self.space, Unordered)

    @cached_property
    def space(self) -> Listed | Ordered | Unordered:
        """The kind of the possible graphs: listed, in an order, or in none."""
        return space_of(self.sure, self.arrows, self.candidates, self.chances)

    @property
    def doubts(self) -> Doubts | None:
        """The doubts themselves."""
        return self

    @property
    def count(self) -> int:
        """The number of possible graphs."""
        return self.space.count

    @property
    def remark(self) -> str:
        """The number of possible graphs as words after a comma."""
        return f", {counted(self.count, 'possible graph')}"

    @property
    def no_law(self) -> str:
        """The reason why the law of the reward's parents is not known."""
        return "arrows are in doubt"

    @property
    def before(self) -> tuple[float, ...]:
        """The probability of each of the `possible` arrows before the first round."""
        return self.space.before

    @cached_property
    def prior(self) -> Floats:  # float[K]
        """The probability of each candidate before the first round."""
        import numpy as np

        prior = np.array(self.chances)
        prior.setflags(write=False)
        return prior

    @property
    def graph(self) -> Graph:
        """The candidate that stands for all where one graph is shown: that with the most arrows, the first of these."""
        return self.space.graph

    @property
    def possible(self) -> tuple[tuple[str, str, str], ...]:
        """The arrows that some candidates have and others have not: a cause, `->` and its effect, or a pair and `<->`."""
        return self.space.possible

    @property
    def there(self) -> Bools:  # bool[K, P]
        """The `possible` arrows that each candidate has: `weights @ doubts.there` are the arrows' probabilities."""
        return self.space.there

    @property
    def marked(self) -> tuple[Doubt, ...]:
        """The doubtful arrows of which every combination is possible, as files mark them; none of listed candidates."""
        return () if self.by_list else self.arrows

    @property
    def one_by_one(self) -> list[tuple[list[tuple[str, str, str]], float]]:
        """The candidates as files list them, the arrows beside those that are sure and the probability; else none."""
        return list(zip(self.beyond_sure, self.chances, strict=True)) if self.by_list else []

    @property
    def beyond_sure(self) -> list[list[tuple[str, str, str]]]:
        """The arrows of each candidate beside those that are sure."""
        sure = set(arrows_of(self.sure))
        return [[arrow for arrow in arrows_of(graph) if arrow not in sure] for graph in self.candidates]

    @property
    def largest(self) -> tuple[Graph, ...]:
        """The candidates whose arrows no other candidate has all of, and more.

        Every table that fits a candidate fits one of these, too: what holds in all of them holds in all candidates. Raises
        TooLarge where they are too many.
        """
        return self.space.largest

    @property
    def covering(self) -> tuple[Graph, ...]:
        """The `largest` candidates, or none where these are too many to go through."""
        return self.space.covering

    @property
    def smallest(self) -> tuple[Graph, ...]:
        """The candidates that have all arrows of no other."""
        return self.space.smallest

    @cached_property
    def may_cause(self) -> dict[str, frozenset[str]]:
        """The variables that are parents of each variable in some possible graph."""
        return possible_causes(self.sure, self.possible)

    def above(self, names: Iterable[str]) -> frozenset[str]:
        """The variables, and all from which possible arrows lead to them: every possible cause of theirs is among these."""
        return causes_above(names, self.may_cause)

    def holds(self, what: Callable[[Graph], bool]) -> str:
        """The graphs, "all", "some" or "none", in which something holds.

        `what` must hold in a graph with fewer arrows wherever it holds in one with more, and where nothing is hidden.
        """
        return held(what, self.covering, self.smallest)

    def in_some(self, actions: Actions, can: Contenders) -> Bools:  # bool[A]
        """The actions that can be the best in one of the possible graphs, by a function that says so for one graph."""
        return self.space.in_some(actions, can)

    def only(self, error: Exception) -> Graph:
        """No single graph exists: raises the error."""
        raise error

    def every(self, error: Exception) -> tuple[Graph, ...]:
        """The candidates; raises the error where they are not listed."""
        if not self.candidates:
            raise error
        return self.candidates

    def candidate(self, number: int) -> Graph:
        """The candidate of this number; raises BestdoError where there is no such choice."""
        graphs = self.every(NotValid(f"the {self.count:,} graphs that are possible are not listed"))
        if whole_number("a possible graph", number, 0) >= len(graphs):
            raise BestdoError(f"possible graph {number}: there are {len(graphs):,}, from 0 to {len(graphs) - 1:,}")
        return graphs[number]

    def rewarding(
        self,
        reward: str,
        success: str | None = None,
        worth: Mapping[str, float] | Worth | None = None,
        aim: str | None = None,
    ) -> Doubts:
        """The doubts with this reward, as `Graph.rewarding`."""
        return self.each(lambda graph: graph.rewarding(reward, success, worth, aim))

    def each(self, change: Callable[[Graph], Graph]) -> Doubts:
        """The doubts with every graph changed by a function that keeps its arrows."""
        sure = change(self.sure)
        if not self.by_list:
            return Doubts.of(sure, self.arrows)
        return Doubts(sure, self.arrows, tuple(map(change, self.candidates)), self.chances, True)

    def to_networkx(self) -> Any:
        """The graph as a networkx.DiGraph as of `Graph.to_networkx`, with an attribute `doubt` of each doubtful arrow."""
        return with_doubts(self.sure.to_networkx(), self.marked, self.by_list)

    @classmethod
    def parse(
        cls,
        text: str,
        reward: str | None = None,
        success: str | None = None,
        values: Mapping[str, Sequence[str]] | None = None,
        hidden: Iterable[str] = (),
    ) -> Doubts:
        """The doubts in a text of arrows, as ``Doubts.parse("Z -> X ?-> Y; X ?<-> Y", reward="Y")``.

        `A ?-> B` is there or not, with `A ?0.3-> B` with this probability; `A ?-? B` is an arrow in either direction, or
        none; `A ?<-> B` a hidden common cause, or none; `A -- B` an arrow in either direction. Else as in `Graph.parse`.
        """
        parsed = arrow_text.parse(text_of("a graph", text))
        return cls.of(Graph.from_arrows(parsed, reward, success, values, hidden), parsed.doubts)

    @classmethod
    def in_order(
        cls,
        order: Iterable[str | Iterable[str]],
        reward: str | None = None,
        success: str | None = None,
        values: Mapping[str, Sequence[str]] | None = None,
        known: str = "",
    ) -> Doubts:
        """The doubts where nothing is known but an order in time, or not even that: any earlier variable may cause any later.

        Variables of the same time stand in a list of their own, and may cause each other in either direction:
        ``[["rain", "soil", "shade"], "yield"]`` says no more than that the yield comes last. `known` are arrows, sure or in
        doubt, between pairs about which more is known. Raises GraphError where they are against the order.

        >>> import bestdo
        >>> bestdo.Doubts.in_order([["rain", "soil", "shade", "seed"], "yield"], reward="yield", known="rain -> soil")
        Doubts(2,688 possible graphs, 9 doubtful arrows, 5 variables)
        """
        if isinstance(order, str):
            raise GraphError(
                "an order is a list, as ['rain', 'yield']; where none is known, [['rain', 'soil', 'yield']]"
            )
        given = listed("order", order, "[['rain', 'soil'], 'yield']")
        times = [[each] if isinstance(each, str) else list(listed("order", each, "['rain', 'soil']")) for each in given]
        names = [text_of("a variable", name) for each in times for name in each]
        if len(set(names)) < len(names):
            raise GraphError(f"a variable is in the order twice: {', '.join(map(quoted, names))}")
        parsed = arrow_text.parse(text_of("known arrows", known))
        left_open = doubts_in_order(
            times, [*((a, "->", b) for a, b in parsed.directed), *(d[:3] for d in parsed.doubts)]
        )
        sure = Graph.from_arrows(
            parsed._replace(names=list(dict.fromkeys([*names, *parsed.names]))), reward, success, values
        )
        return cls.of(sure, [*parsed.doubts, *left_open])

    @classmethod
    def of(cls, sure: Graph, arrows: Iterable[Sequence[Any]]) -> Doubts:
        """The doubts from a graph of the sure arrows and doubtful arrows, as ``("shade", "?->", "yield", 0.3)``.

        The candidates are all acyclic combinations, each as probable as the product of the probabilities of its arrows, up to
        a common factor. Lines `--`, `@->` and `@-@` get no direction in which two causes that are not joined meet, since the
        line would then have been an arrow. More than 4,096 are not listed, where all doubts are `?->` or `?-?` and nothing is
        hidden. Raises GraphError where a doubt cannot be, and TooLarge where there are more and they cannot be averaged over.
        """
        doubts = checked_doubts(sure, arrows)
        if not doubts:
            raise GraphError("no arrow is in doubt: there is one graph")
        try:
            graphs, weights = combinations(sure, doubts)
        except TooLarge:
            if not are_independent(sure, doubts) and not are_modular(sure, doubts):
                if advice := too_large(sure, doubts):
                    raise TooLarge(advice) from None
                raise
            return cls(sure, tuple(doubts), (), ())
        total = sum(weights)
        made = cls(sure, tuple(doubts), tuple(graphs), tuple(weight / total for weight in weights))
        if set(sure.numeric) - {sure.reward}:
            for graph in made.largest:
                wanted.checked(graph)  # a number must not be a cause of the reward
        return made

    @classmethod
    def among(
        cls, graphs: Iterable[Graph], probabilities: Iterable[float] | None = None, called: Sequence[str] | None = None
    ) -> Doubts:
        """The doubts from a list of possible graphs, equally probable unless probabilities (up to a factor) are given.

        Graphs that are listed twice count twice. `called` is what messages call each of them, "graph 1" by default. Raises
        GraphError where their variables or rewards differ.
        """
        given = listed("graphs", graphs, "[Graph.parse('a -> b'), Graph.parse('b -> a')]")
        weights = [1.0] * len(given) if probabilities is None else _weights(list(probabilities), len(given))
        if len(given) > MOST_CANDIDATES:
            raise TooLarge(f"{len(given):,} graphs are listed; at most {MOST_CANDIDATES:,} are allowed")
        made = same_variables(given, called or [f"graph {i}" for i in range(1, len(given) + 1)])
        sums: dict[Graph, float] = {}
        for graph, weight in zip(made, weights, strict=True):
            sums[graph] = sums.get(graph, 0.0) + weight
        if len(sums) < 2:
            raise GraphError("the graphs are all the same: none of their arrows is in doubt")
        total = sum(sums.values())
        total = 1.0 if abs(total - 1) < _ROUNDING else total  # so that what is written is read back
        chances = tuple(weight / total for weight in sums.values())
        sure, between = described(list(sums), chances)
        doubts = tuple(Doubt(*each) for each in between)
        plain = _as_combinations(sure, doubts, dict(zip(sums, chances, strict=True)))
        return plain or cls(sure, doubts, tuple(sums), chances, True)


def graphs_with(sure: Graph, arrows: Sequence[Sequence[Any]]) -> Graphs:
    """The graphs that doubtful arrows leave possible, as `Doubts.of`; one where no arrow is in doubt."""
    return Doubts.of(sure, arrows) if arrows else OneGraph(sure)


def graphs_among(graphs: Sequence[Graph], chances: Sequence[float]) -> Graphs:
    """The graphs that are possible where some of these, with their probabilities, may be the same."""
    return OneGraph(graphs[0]) if len(set(graphs)) == 1 else Doubts.among(graphs, chances)


def _as_combinations(sure: Graph, doubts: tuple[Doubt, ...], listed: dict[Graph, float]) -> Doubts | None:
    """The doubts whose combinations are these graphs with these probabilities, where they are; None otherwise."""
    by_arrows = {frozenset(arrows_of(graph)): chance for graph, chance in listed.items()}
    try:
        graphs, weights = combinations(sure, doubts)
    except (GraphError, TooLarge):
        return None
    total = sum(weights)
    combined = {frozenset(arrows_of(g)): w / total for g, w in zip(graphs, weights, strict=True)}
    same = combined.keys() == by_arrows.keys() and all(
        abs(combined[key] - by_arrows[key]) < _ROUNDING for key in combined
    )
    return Doubts(sure, doubts, tuple(graphs), tuple(w / total for w in weights)) if same else None


def _weights(given: list[Any], count: int) -> list[float]:
    """The probabilities of listed graphs, checked: one for each, above 0."""
    if len(given) != count:
        raise GraphError(f"{len(given)} probabilities for {counted(count, 'graph')}")
    for value in given:
        if real_number("the probability of a graph", value) <= 0:
            raise GraphError(f"the probability of a graph is {shown_value(value)}; it is above 0")
    return [float(value) for value in given]
