"""All acyclic graphs that doubtful arrows leave possible, with the product of their probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bestdo.causal.doubt_kinds import KINDS, LINES, Arrow, pair
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.variable import BOTH
from bestdo.errors import GraphError, TooLarge
from bestdo.text import counted, quoted

if TYPE_CHECKING:
    from bestdo.causal.doubts import Doubt

__all__ = [
    "MOST_CANDIDATES",
    "arrows_of",
    "combinations",
    "is_pair",
    "not_inside",
    "with_arrows",
    "with_causes",
]

MOST_CANDIDATES = 4096
"""The most graphs that are listed: averaging over so many takes about half a second for each round. Chosen by the goal of
time, not by what is likely."""
_MOST_STEPS = 20_000_000
"""The most partial graphs, times variables with doubts, tried before giving up on lines that leave no graph, or few. A
limit of time: some seconds."""
_MOST_DOUBTS = 400
"""The most doubts: fewer leave more than 4,096 graphs, but for lines that hang together. A limit of time and of recursion."""
_MOST_NAMED = 6
"""The most doubts that a message names. Chosen, not measured."""


def arrows_of(graph: Graph) -> Iterator[Arrow]:
    """The arrows of a graph, `A <-> B` where a hidden variable of that name stands for it."""
    for child, parents in graph.parents.items():
        for parent in parents:
            if not is_pair(graph, parent):
                yield parent, "->", child
            elif child == graph.children[parent][0]:
                yield pair(*graph.children[parent])


def is_pair(graph: Graph, name: str) -> bool:
    """Whether a variable is the hidden one that `A <-> B` stands for."""
    ends = graph.children[name]
    return (
        BOTH in name
        and name in graph.hidden
        and len(ends) == 2
        and not graph.parents[name]
        and name == BOTH.join(sorted(ends))
    )


def with_arrows(graph: Graph, directed: Iterable[tuple[str, str]], both: Iterable[tuple[str, str]] = ()) -> Graph:
    """The graph with more arrows, unchecked; hidden common causes must be variables of it already, without arrows."""
    parents = dict(graph.parents)
    for a, b in directed:
        parents[b] = (*parents[b], a)
    for a, b in both:
        for name in (a, b):
            parents[name] = (*parents[name], BOTH.join(sorted((a, b))))
    return graph._with(graph.variables, parents)


def with_causes(graph: Graph, pairs: Iterable[tuple[str, str]]) -> Graph:
    """The graph with a hidden variable for each of these pairs, without arrows, where it has none."""
    names = dict.fromkeys(BOTH.join(sorted(ends)) for ends in pairs)
    new = [Variable(name, hidden=True) for name in sorted(names) if name not in graph.names]
    if not new:
        return graph
    return graph._with((*graph.variables, *new), {**graph.parents, **{v.name: () for v in new}})


class _Form(NamedTuple):
    """A form of a doubtful arrow: as an arrow, as a hidden common cause, or (with neither) not there."""

    arrow: tuple[str, str] | None
    both: tuple[str, str] | None
    weight: float
    open: tuple[str, ...] = ()
    """The ends of the line where an arrowhead is left open: there it must not meet another cause that is not joined."""

    @property
    def heads(self) -> list[tuple[str, str, bool]]:
        """The arrowheads: at which variable, where the other end is, and whether it was left open."""
        ends = (
            [self.arrow[::-1]] if self.arrow is not None else [] if self.both is None else [self.both, self.both[::-1]]
        )
        return [(at, other, at in self.open) for at, other in ends]


def _forms(doubt: Doubt) -> list[_Form]:
    """The forms of a doubtful arrow, its presence first."""
    a, mark, b, p = doubt
    kind = KINDS[mark]
    free = tuple((a, b)[end] for end in kind.open)
    there = {"->": ((a, b), None), "<-": ((b, a), None), BOTH: (None, (a, b))}
    forms = [_Form(*there[form], p / len(kind.forms), free) for form in kind.forms]
    return forms if mark in LINES else [*forms, _Form(None, None, 1 - p)]


@dataclass
class _Search:
    """The search for all combinations of forms, one doubt after the other."""

    doubts: list[list[_Form]]
    place: dict[str, int]
    """The number of each variable at an end of a doubtful arrow."""
    heads: dict[str, dict[str, bool]]
    """The variables with arrowheads, the other ends of these, and whether each was left open."""
    joined: set[frozenset[str]]
    """The pairs of variables between which something is."""
    complete: list[tuple[list[_Form], float]] = field(default_factory=list)
    steps: int = 0

    @property
    def given_up(self) -> bool:
        """Whether so many partial graphs were tried that the search ends."""
        return self.steps * len(self.place) > _MOST_STEPS

    def run(self, depth: int, reach: list[int], chosen: list[_Form], weight: float) -> None:
        """Adds all combinations that begin with the forms chosen so far; `reach` has a bit for all that each can cause."""
        if len(self.complete) > MOST_CANDIDATES or self.given_up:
            return
        if depth == len(self.doubts):
            self.complete.append((list(chosen), weight))
            return
        for form in self.doubts[depth]:
            self.steps += 1
            after = reach
            if form.arrow is not None:
                a, b = (self.place[name] for name in form.arrow)
                if reach[b] >> a & 1:
                    continue
                after = [r | reach[b] if r >> a & 1 else r for r in reach]
            ends = frozenset(form.arrow or form.both or ())
            new = bool(ends) and ends not in self.joined
            if new:
                self.joined.add(ends)
            if self._meet(form):
                before = [(at, other, self.heads.get(at, {}).get(other)) for at, other, _ in form.heads]
                for at, other, free in form.heads:
                    self.heads.setdefault(at, {})[other] = free
                self.run(depth + 1, after, [*chosen, form], weight * form.weight)
                for at, other, was in before:
                    if was is None:
                        del self.heads[at][other]
                    else:
                        self.heads[at][other] = was
            if new:
                self.joined.discard(ends)

    def _meet(self, form: _Form) -> bool:
        """Whether no arrowhead that was left open meets another whose other end is not joined to its own."""
        for at, other, free in form.heads:
            for cause, was_free in self.heads.get(at, {}).items():
                if (free or was_free) and cause != other and frozenset((cause, other)) not in self.joined:
                    return False
        return True


def combinations(sure: Graph, doubts: Sequence[Doubt]) -> tuple[list[Graph], list[float]]:
    """The acyclic graphs with the sure arrows and a form of each doubtful arrow, and the products of their probabilities.

    Raises GraphError where there is none, and TooLarge where there are more than 4,096, with the doubts to settle first.
    """
    if len(doubts) > _MOST_DOUBTS:
        raise TooLarge(_too_many(sure, doubts))
    in_order = [d for d in doubts if d.kind not in LINES] + [d for d in doubts if d.kind in LINES]
    names = list(dict.fromkeys(name for d in doubts for name in (d.a, d.b)))
    place = {name: i for i, name in enumerate(names)}
    below = [sure.descendants([name]) for name in names]
    reach = [sum(1 << place[name] for name in names if name in reached) for reached in below]
    heads: dict[str, dict[str, bool]] = {}
    joined = {frozenset((d.a, d.b)) for d in doubts if d.kind in LINES}
    for a, mark, b in arrows_of(sure):
        heads.setdefault(b, {})[a] = False
        joined.add(frozenset((a, b)))
        if mark == BOTH:
            heads.setdefault(a, {})[b] = False
    search = _Search([_forms(d) for d in in_order], place, heads, joined)
    search.run(0, reach, [], 1.0)
    if len(search.complete) > MOST_CANDIDATES:
        raise TooLarge(_too_many(sure, doubts))
    if search.given_up:
        raise TooLarge(
            f"which graphs {_listed(doubts)} leave possible takes too long to find: write -> for some of them"
        )
    if not search.complete:
        raise GraphError(_none(doubts))
    causes = [ends for forms in search.doubts for form in forms if (ends := form.both) is not None]
    base = with_causes(sure, causes)
    graphs = [
        with_arrows(
            base, [f.arrow for f in forms if f.arrow is not None], [f.both for f in forms if f.both is not None]
        )
        for forms, _ in search.complete
    ]
    return graphs, [weight for _, weight in search.complete]


def _listed(doubts: Sequence[Doubt]) -> str:
    """Some doubts for a message."""
    more = f" and {len(doubts) - _MOST_NAMED} more" if len(doubts) > _MOST_NAMED else ""
    return ", ".join(map(str, doubts[:_MOST_NAMED])) + more


def _none(doubts: Sequence[Doubt]) -> str:
    """The message where no graph is possible."""
    lines = [d for d in doubts if d.kind in LINES]
    return (
        f"no graph is possible: every direction of {_listed(lines)} makes a cycle, or lets two causes meet that are not "
        "joined, and then the lines would be arrows: write -> where a direction is known, or ?-> and ?-? for arrows that may "
        "be missing"
    )


def _too_many(sure: Graph, doubts: Sequence[Doubt]) -> str:
    """The message where there are too many graphs: which doubts to settle first."""
    parents = {name: set(ps) for name, ps in sure.parents.items()}
    for doubt in doubts:
        for form in _forms(doubt):
            if form.arrow is not None:
                parents[form.arrow[1]].add(form.arrow[0])
    above: set[str] = set(sure.names) if sure.reward is None else {sure.reward}
    todo = [sure.reward] if sure.reward is not None else []
    while todo:
        for name in parents[todo.pop()] - above:
            above.add(name)
            todo.append(name)
    idle = [d for d in doubts if not ({d.a, d.b} <= above)]
    many = f"{counted(len(doubts), 'doubtful arrow')} leave more graphs possible than {MOST_CANDIDATES:,}, the most allowed"
    if idle:
        return f"{many}: leave out those that can never matter to {quoted(str(sure.reward))}: {_listed(idle)}"
    needed, total = 0, 1.0
    for size in sorted((len(_forms(d)) for d in doubts), reverse=True):
        total *= size
        needed += total > MOST_CANDIDATES
    direct = [d for d in doubts if sure.reward not in (d.a, d.b)]
    unsettled = sorted(direct or doubts, key=lambda d: (-len(_forms(d)), min(d.probability, 1 - d.probability)))
    settle = ", ".join(map(str, unsettled[: max(1, min(needed, _MOST_NAMED))]))
    return (
        f"{many}: settle about {max(needed, 1)} of them, by what is known, by an order in time or by an experiment, first "
        f"those that have many forms or are nearly sure and do not touch the reward: {settle}. Of `?->` and "
        "`?-?` alone, with nothing hidden, ten variables of two values are allowed; for the learner top-two an arrow from "
        "each variable that is set to the reward is enough"
    )


def not_inside(codes: list[int]) -> list[int]:
    """The numbers of those sets, given as bits, that are inside of no other."""
    outer: list[int] = []
    for i in sorted(range(len(codes)), key=lambda i: -codes[i].bit_count()):
        if not any(codes[i] & codes[j] == codes[i] for j in outer):
            outer.append(i)
    return sorted(outer)
