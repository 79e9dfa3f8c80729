"""Facts that hold in every possible graph, and the doubtful arrows that matter for the decision.

The answer does not depend on an arrow where, whatever else is so, the mean of every action that can be the best, with it or
without it, can be learned in the same way in both graphs: by one formula that is right in both, or only by doing. Then
enough data recommend the same action, whether it is there or not. Where the actions that can be the best are the same, too,
it changes nothing at all; otherwise knowing it would only spare rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.candidates import arrows_of
from bestdo.causal.doubt_kinds import CODES, KINDS, ONE_FORM, stated
from bestdo.causal.doubts import Doubt
from bestdo.causal.graph import Graph
from bestdo.causal.graphs import Graphs
from bestdo.causal.identify import Identification, identify, minimal
from bestdo.causal.separation import separated
from bestdo.text import counted, quoted

__all__ = ["Importance", "arrows_that_matter", "identified_in"]

_MOST_PARTS = 400
"""The most graphs of the reward's causes for which the possibly best actions are worked out. A limit of time: 3 ms each."""
_MOST_IDENTIFIED = 10_000
"""The most pairs of such a graph and an action for which the way to learn a mean is worked out: 0.5 ms each."""
_MOST_COMPARED = 1024
"""The most candidates among which the nearest others are looked for where no other differs in one doubt alone: memory."""
_SAME_WAY = "what is best follows from the same data in the same way"
_MOST_NAMED = 3
"""The most actions that a reason names. Chosen, not measured."""


class Importance(NamedTuple):
    """The change that a doubtful arrow makes to the decision, and the reason."""

    doubt: Doubt
    changes: str
    """`nothing`; `rounds`: enough data give the same answer with it and without it, and knowing it would leave out actions;
    `answer`: they may give another answer; `unknown`: there are too many graphs to tell."""
    why: str
    spares: str = ""
    """The actions that knowing the arrow would leave out, where that would spare rounds."""


def identified_in(graphs: Graphs, actions: Sequence[Intervention], first: Sequence[str] = ()) -> list[str]:
    """The graphs, "all", "some" or "none", in which the mean of each action can be learned by watching.

    Less arrows never make it harder: the candidates with the most arrows tell of all, those with the fewest of some.
    Where variables are seen first, it is the mean in each context.
    """
    identified = {}
    for names in dict.fromkeys(frozenset(action) for action in actions):
        action = next(a for a in actions if frozenset(a) == names)
        identified[names] = graphs.holds(_identifiable(action, first))
    return [identified[frozenset(action)] for action in actions]


def _identifiable(action: Intervention, first: Sequence[str]) -> Callable[[Graph], bool]:
    return lambda graph: identify(graph, action, first=first).identifiable


def arrows_that_matter(
    doubts: Graphs,
    actions: Actions,
    contenders: Callable[[Graph], Bools],
    outcomes: Callable[[Graph], list[Graph]],
    first: Sequence[str] = (),
) -> tuple[Importance, ...]:
    """The change that each doubtful arrow makes to the decision.

    `contenders` says which actions can be the best by a graph; `outcomes` gives the graphs, with their rewards, of which the
    means are wanted: that of the reward, and those of limits. `first` is what is seen first.
    """
    if doubts.candidates:
        return tuple(_Comparison(doubts, actions, contenders, outcomes, tuple(first)).all())
    if doubts.covering:
        return tuple(_with_all_arrows(doubts, actions, outcomes, first))
    return tuple(_not_compared(doubts, outcomes, first))


def _not_compared(
    doubts: Graphs, outcomes: Callable[[Graph], list[Graph]], first: Sequence[str]
) -> Iterator[Importance]:
    """The change made by each doubtful arrow, where directions are in doubt: each graph has its own way to learn means."""
    above = doubts.above([*first, *(str(graph.reward) for graph in outcomes(doubts.graph))])
    for doubt in doubts.arrows:
        if {doubt.a, doubt.b} <= above:
            yield Importance(doubt, "unknown", f"{doubts.count:,} graphs are too many to go through")
        else:
            yield Importance(doubt, "nothing", _no_cause(doubts))


def _with_all_arrows(
    doubts: Graphs, actions: Actions, outcomes: Callable[[Graph], list[Graph]], first: Sequence[str]
) -> Iterator[Importance]:
    """The change made by each doubtful arrow, where the graphs are too many to be compared, and one has the arrows of all.

    What is learned by watching in that one is learned in the same way in all; which actions can be the best in each is not
    gone through.
    """
    made = outcomes(doubts.graph)
    matter = doubts.graph.ancestors([*first, *(str(graph.reward) for graph in made)])
    sets = {frozenset(action): action for action in actions}.values()
    same = all(identify(graph, action, first=first).identifiable for graph in made for action in sets)
    for doubt in doubts.arrows:
        if doubt.b not in matter:
            yield Importance(doubt, "nothing", _no_cause(doubts))
        elif same:
            yield Importance(doubt, "rounds", _SAME_WAY)
        else:
            yield Importance(doubt, "unknown", f"{doubts.count:,} graphs are too many to go through")


def _no_cause(doubts: Graphs) -> str:
    return f"in no possible graph it is part of what causes {quoted(str(doubts.graph.reward))}"


@dataclass
class _Comparison:
    """The candidates, and what each means for the decision, worked out once for all with the same causes of the reward."""

    doubts: Graphs
    actions: Actions
    contenders: Callable[[Graph], Bools]
    outcomes: Callable[[Graph], list[Graph]]
    seen_first: tuple[str, ...]
    can: dict[int, Bools] = field(default_factory=dict)
    ways: dict[tuple[int, frozenset[str]], list[Identification]] = field(default_factory=dict)
    varying: dict[frozenset[str], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        graphs = self.doubts.candidates
        self.arrows = [frozenset(arrows_of(graph)) for graph in graphs]
        self.forms = np.array(
            [[_form(arrows, doubt) for doubt in self.doubts.arrows] for arrows in self.arrows], np.int8
        )
        keys: dict[frozenset[tuple[str, str, str]], int] = {}
        self.part = [keys.setdefault(self._causes(graph), len(keys)) for graph in graphs]
        self.first = {part: k for k, part in reversed(list(enumerate(self.part)))}
        self._sets = list(dict.fromkeys(frozenset(action) for action in self.actions))

    def _causes(self, graph: Graph) -> frozenset[tuple[str, str, str]]:
        """The arrows of a graph among the causes of all outcomes: what else it has changes no answer."""
        above = graph.ancestors([*self.seen_first, *(str(made.reward) for made in self.outcomes(graph))])
        return frozenset((p, "->", n) for n in above for p in graph.parents[n])

    def all(self) -> Iterator[Importance]:
        """The change that each doubtful arrow makes."""
        for column, doubt in enumerate(self.doubts.arrows):
            yield Importance(doubt, *self._changes(column))

    def _changes(self, column: int) -> tuple[str, ...]:
        """The change by a doubtful arrow, and its kind: the answer, the rounds that it takes, or nothing."""
        pairs = [(i, j) for i, j in self._pairs(column) if self.part[i] != self.part[j]]
        if not pairs:
            return "nothing", _no_cause(self.doubts)
        nested = self.doubts.arrows[column].kind in ONE_FORM and bool(self.doubts.marked)
        sets = [names for names in self._sets if not nested or self._varies(names)]
        for i, j in pairs if sets else ():
            if len(self.ways) > _MOST_IDENTIFIED:
                return "unknown", f"{len(self.first):,} graphs are too many to go through"
            if why := self._another_way(i, j, sets, column):
                return "answer", why
        for i, j in pairs:
            if len(self.can) > _MOST_PARTS:
                return "rounds", _SAME_WAY
            if not np.array_equal(self._can(i), self._can(j)):
                return "rounds", _SAME_WAY, self._spared(i, j, column)
        return "nothing", "the same actions can be the best, and the mean of each is learned in the same way"

    def _varies(self, names: frozenset[str]) -> bool:
        """Whether the effect of setting these variables can be learned by watching in some candidates only.

        Where one of two graphs has all arrows of the other, only that makes a difference.
        """
        if names not in self.varying:
            action = next(a for a in self.actions if frozenset(a) == names)
            most, fewest = (
                [
                    [identify(made, action, first=self.seen_first).identifiable for made in self.outcomes(g)]
                    for g in graphs
                ]
                for graphs in (self.doubts.largest, self.doubts.smallest)
            )
            outcomes = range(len(most[0]))
            constant = (all(row[i] for row in most) or not any(row[i] for row in fewest) for i in outcomes)
            self.varying[names] = not all(constant)
        return self.varying[names]

    def _pairs(self, column: int) -> Iterator[tuple[int, int]]:
        """The candidates that differ in a doubt and agree in the others; where there are none, those that differ least."""
        others = np.delete(self.forms, column, axis=1)
        groups: dict[bytes, list[int]] = {}
        for k, row in enumerate(others):
            groups.setdefault(row.tobytes(), []).append(k)
        for k, row in enumerate(others):
            near = [j for j in groups[row.tobytes()] if self.forms[j, column] != self.forms[k, column]]
            if not near and len(others) <= _MOST_COMPARED:
                apart = (others != row).sum(axis=1) + len(others) * (self.forms[:, column] == self.forms[k, column])
                near = list(np.flatnonzero(apart == apart.min()))
                near = near if apart.min() < len(others) else []
            elif not near:
                near = [j for j in range(len(others)) if self.forms[j, column] != self.forms[k, column]]
            yield from ((k, int(j)) for j in near)

    def _another_way(self, i: int, j: int, sets: Sequence[frozenset[str]], column: int) -> str:
        """The reason why a possibly best action's mean is learned in another way in candidate i than in j; else empty."""
        for names in sets:
            for way, other in zip(self._ways(i, names), self._ways(j, names), strict=True):
                if self._same_way(i, j, way, other) or not self._competes(i, j, names):
                    continue
                said = f"the effect of {', '.join(map(quoted, sorted(names)))}"
                if way.identifiable != other.identifiable:
                    where = self._when(i, j, column) if way.identifiable else self._when(j, i, column)
                    return f"{said} can be learned by watching {where} only"
                return f"{said} follows from what is seen by another formula {self._when(i, j, column)}"
        return ""

    def _competes(self, i: int, j: int, names: frozenset[str]) -> bool:
        """Whether an action that sets these variables can be the best in one of two candidates."""
        can = self._can(i) | self._can(j)
        return any(frozenset(a) == names and is_so for a, is_so in zip(self.actions, can, strict=True))

    def _spared(self, i: int, j: int, column: int) -> str:
        """The actions that can be the best in one of two candidates only, as text."""
        if not (self._can(i) & ~self._can(j)).any():
            i, j = j, i
        which = self._can(i) & ~self._can(j)
        never = self._never(which, column, self.forms[j, column])
        somewhere = "" if never.any() else "in some graphs "
        return (
            f"{somewhere}{self._named(never if never.any() else which)} can be the best {self._when(i, j, column)} only"
        )

    def _never(self, which: Bools, column: int, form: int) -> Bools:
        """The actions that can be the best in no candidate in which a doubt has this form; none if not worked out."""
        for k in np.flatnonzero(self.forms[:, column] == form):
            if not which.any() or (len(self.can) > _MOST_PARTS and self.part[k] not in self.can):
                return np.zeros(len(which), bool)
            which = which & ~self._can(int(k))
        return which

    def _when(self, k: int, other: int, column: int) -> str:
        """The form of the doubtful arrow in candidate k, in words."""
        doubt = self.doubts.arrows[column]
        mine, its = int(self.forms[k, column]), int(self.forms[other, column])
        a, b = quoted(doubt.a), quoted(doubt.b)
        if not mine or not its:
            there = mine or its
            if doubt.kind in ONE_FORM:
                return "with it" if mine else "without it"
            return f"{'with' if mine else 'without'} {_shown(there, a, b)}"
        return f"with {_shown(mine, a, b)}"

    def _can(self, k: int) -> Bools:
        """A mask of the actions that can be the best in a candidate."""
        if self.part[k] not in self.can:
            self.can[self.part[k]] = self.contenders(self.doubts.candidates[self.first[self.part[k]]])
        return self.can[self.part[k]]

    def _ways(self, k: int, names: frozenset[str]) -> list[Identification]:
        """The ways in which each outcome after setting these variables can be learned in a candidate."""
        key = self.part[k], names
        if key not in self.ways:
            action = next(a for a in self.actions if frozenset(a) == names)
            graph = self.doubts.candidates[self.first[self.part[k]]]
            self.ways[key] = [identify(made, action, first=self.seen_first) for made in self.outcomes(graph)]
        return self.ways[key]

    def _same_way(self, i: int, j: int, one: Identification, two: Identification) -> bool:
        """Whether one way to learn the mean is right in both candidates."""
        if not one.identifiable or not two.identifiable:
            return one.identifiable == two.identifiable
        if str(one.formula) == str(two.formula):
            return True
        if self.arrows[i] <= self.arrows[j] or self.arrows[j] <= self.arrows[i]:
            return True  # what is right with more arrows is right with less
        graphs = self.doubts.candidates
        return _adjusts(self._outcome(graphs[j], one), one) or _adjusts(self._outcome(graphs[i], two), two)

    def _outcome(self, graph: Graph, way: Identification) -> Graph:
        """The graph with the outcome of which the mean is wanted."""
        return next(made for made in self.outcomes(graph) if made.reward == way.graph.reward)

    def _named(self, which: Bools) -> str:
        """Some actions for a reason."""
        named = [str(action) for action, is_it in zip(self.actions, which, strict=True) if is_it]
        more = f" and {counted(len(named) - _MOST_NAMED, 'other')}" if len(named) > _MOST_NAMED else ""
        return ", ".join(named[:_MOST_NAMED]) + more


def _form(arrows: frozenset[tuple[str, str, str]], doubt: Doubt) -> int:
    """The form of a doubtful arrow in a graph: 1 as an arrow from its first name, 2 the other way, plus 4 hidden; or 0."""
    a, mark, b, _ = doubt
    return sum(CODES[form] for form in KINDS[mark].forms if stated(form, a, b) in arrows)


def _shown(form: int, a: str, b: str) -> str:
    """The form of an arrow as text."""
    return f"{a} <-> {b}" if form & 4 else f"{a} -> {b}" if form & 1 else f"{b} -> {a}"


def _adjusts(graph: Graph, way: Identification) -> bool:
    """Whether the adjustment of an identification is right in another graph, by the back-door criterion."""
    if way.how not in ("seeing", "adjusting") or way.first:
        return False
    names = frozenset(way.intervention)
    active = names & set(way.formula.names if way.formula is not None else ())
    if not minimal(graph, names) <= active or graph.descendants(active) & set(way.adjust):
        return False
    return not active or separated(graph, active, [str(graph.reward)], way.adjust, no_arrows_out_of=active)
