"""The sets of parents that doubtful arrows leave to each variable: enough to average over graphs that are not listed.

Where no arrows can make a cycle, as with an order in time, every variable's set of parents stands by itself. Otherwise sets
depend on each other through cycles alone, and sums over all acyclic graphs are made by `dag_kernels`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bestdo.causal.candidates import with_arrows
from bestdo.causal.graph import Graph
from bestdo.errors import GraphError

if TYPE_CHECKING:
    from bestdo.arrays import Floats
    from bestdo.causal.doubts import Doubt

__all__ = [
    "MOST_CELLS",
    "MOST_SET_CELLS",
    "are_independent",
    "are_modular",
    "graph_count",
    "makes_no_cycle",
    "most_arrows",
    "parent_sets",
    "prior_arrows",
    "too_large",
    "ways",
]

MOST_CELLS = 2**16
"""The most cells of the tables of all variables with all their possible sets of parents: half a megabyte for each lane. Ten
variables of two values in a known order have 59,048. Limits memory and time."""
_MOST_ARROWS = 52
"""The most doubtful arrows: the number of graphs is then exact in JSON. Ten variables in an order have 45."""


_MOST_VARIABLES = 10
"""The most variables where directions are in doubt: sums over all graphs take 4^N steps (0.01 s for ten, 0.06 s for eleven)
and draws from them as long again; means and tables take longer. `python -m benchmarks doubt` has the time of a round."""
MOST_SET_CELLS = 2**19
"""The most cells of the tables of all variables with all their possible sets of parents where directions are in doubt. Ten
variables of two values of which nothing is known have 393,660. They are not counted in each lane, but made from the tables
with all possible parents. Limits the time of a round."""
_MOST_SAID = 100  # doubts of which a message says how many to leave out
_TOP_TWO = "for the learner top-two an arrow from each variable that is set to the reward is enough"
_KINDS = ("?->", "?-?")
"""The kinds of doubt that are a product over variables, but for cycles."""


class _Way(NamedTuple):
    """An arrow that may be there: its cause and effect, and its weights when there and when not."""

    cause: str
    effect: str
    there: float
    missing: float


def ways(doubts: Sequence[Doubt]) -> list[_Way]:
    """The arrows that may be there, those of `?-?` in both directions; the weight of a graph is the product of theirs."""
    ways = []
    for a, kind, b, p in doubts:
        if kind == "?->":
            ways.append(_Way(a, b, p, 1 - p))
        else:  # of p/2, p/2 and 1 - p, divided by the last
            ways += [_Way(a, b, p / 2 / (1 - p), 1.0), _Way(b, a, p / 2 / (1 - p), 1.0)]
    return ways


def makes_no_cycle(sure: Graph, doubts: Sequence[Doubt]) -> bool:
    """Whether all doubtful arrows have one direction, and one graph can have them all."""
    if any(doubt.kind != "?->" for doubt in doubts):
        return False
    made = with_arrows(sure, [(doubt.a, doubt.b) for doubt in doubts])
    try:
        Graph(made.variables, dict(made.parents), made.reward, made.success, made.worth, made.aim)
    except GraphError:
        return False
    return True


def _all_seen(sure: Graph) -> bool:
    return not any(variable.hidden or variable.number is not None for variable in sure.variables)


def _cells(sure: Graph, doubts: Sequence[Doubt]) -> dict[str, int]:
    """The number of cells in the tables of each variable with all its possible sets of parents together."""
    cells = {name: sure.size(name) * math.prod(map(sure.size, parents)) for name, parents in sure.parents.items()}
    for way in ways(doubts):
        cells[way.effect] *= 1 + sure.size(way.cause)
    return cells


def are_independent(sure: Graph, doubts: Sequence[Doubt]) -> bool:
    """Whether every combination of these doubts is a graph, nothing is hidden, and the tables of all are few enough."""
    if len(doubts) > _MOST_ARROWS or not _all_seen(sure) or not makes_no_cycle(sure, doubts):
        return False
    return sum(_cells(sure, doubts).values()) <= MOST_CELLS


def are_modular(sure: Graph, doubts: Sequence[Doubt]) -> bool:
    """Whether graphs differ from every combination of sets of parents by cycles alone, and their tables are few enough."""
    if len(sure.names) > _MOST_VARIABLES or not _all_seen(sure) or any(doubt.kind not in _KINDS for doubt in doubts):
        return False
    return sum(_cells(sure, doubts).values()) <= MOST_SET_CELLS


def too_large(sure: Graph, doubts: Sequence[Doubt]) -> str:
    """The message where graphs could be averaged over if there were less of them; empty where that is not the reason."""
    if not _all_seen(sure) or len(doubts) > _MOST_SAID or any(doubt.kind not in _KINDS for doubt in doubts):
        return ""
    said, total = f"{len(doubts)} doubtful arrows", sum(_cells(sure, doubts).values())
    if not makes_no_cycle(sure, doubts):
        why = f"tables of {total:,} cells; at most {MOST_SET_CELLS:,} are counted"
        if len(sure.names) > _MOST_VARIABLES:
            why = f"directions between {len(sure.names)} variables open; at most {_MOST_VARIABLES} are averaged over"
        return f"{said} leave {why}: leave out variables, settle arrows, or say an order in time; {_TOP_TWO}"
    left, out = list(doubts), []
    while left and not are_independent(sure, left):
        cells = _cells(sure, left)
        out.append(max(left, key=lambda doubt: (cells[doubt.b], -doubt.probability)))
        left.remove(out[-1])
    return (
        f"{said} leave tables of {total:,} cells; at most {MOST_CELLS:,} are counted, and at most {_MOST_ARROWS} arrows: "
        f"leave out {len(out)} of them, first those that are the least probable, such as {', '.join(map(str, out[:3]))}; "
        f"{_TOP_TWO}"
    )


def most_arrows(sure: Graph, doubts: Sequence[Doubt]) -> Graph:
    """A possible graph to which no doubtful arrow can be added; where both directions can be, that towards the reward."""
    made = sure
    for doubt in doubts:
        ends = [(doubt.a, doubt.b)] if doubt.kind == "?->" else [(doubt.a, doubt.b), (doubt.b, doubt.a)]
        for a, b in sorted(ends, key=lambda pair: pair[0] == sure.reward):
            if a not in made.descendants([b]):
                made = with_arrows(made, [(a, b)])
                break
    return Graph(made.variables, dict(made.parents), made.reward, made.success, made.worth, made.aim)


def parent_sets(sure: Graph, doubts: Sequence[Doubt]) -> dict[str, list[tuple[tuple[str, ...], float]]]:
    """The possible sets of parents of each variable, in the order of the graph's variables, and the weight of each.

    Where no arrows can make a cycle the weights of a variable's sets are their probabilities before the first round.
    """
    place = {name: i for i, name in enumerate(sure.names)}
    sets: dict[str, list[tuple[tuple[str, ...], float]]] = {}
    for name in sure.names:
        own = [way for way in ways(doubts) if way.effect == name]
        sets[name] = []
        for there in itertools.product((True, False), repeat=len(own)):
            parents = {*sure.parents[name], *(w.cause for w, yes in zip(own, there, strict=True) if yes)}
            weight = math.prod(w.there if yes else w.missing for w, yes in zip(own, there, strict=True))
            sets[name].append((tuple(sorted(parents, key=place.__getitem__)), weight))
    return sets


def _log_prior(sure: Graph, doubts: Sequence[Doubt]) -> Floats:  # float[N, 2^N]
    """The logarithm of the weight of each set of parents of each variable; a set has a bit for each variable."""
    import numpy as np

    place = {name: i for i, name in enumerate(sure.names)}
    logs = np.full((len(place), 1 << len(place)), -np.inf)
    for name, sets in parent_sets(sure, doubts).items():
        for parents, weight in sets:
            logs[place[name], sum(1 << place[p] for p in parents)] = math.log(weight)
    return logs


def prior_arrows(sure: Graph, doubts: Sequence[Doubt]) -> list[float]:
    """The probability of each arrow that may be there (`ways`), over all acyclic graphs by their weights."""
    from bestdo.causal import dag_kernels

    place = {name: i for i, name in enumerate(sure.names)}
    chances = dag_kernels.DagSums(_log_prior(sure, doubts)).arrows()
    return [float(chances[place[way.cause], place[way.effect]]) for way in ways(doubts)]


def graph_count(sure: Graph, doubts: Sequence[Doubt]) -> int:
    """The number of possible acyclic graphs, by inclusion and exclusion of variables without effects (Robinson 1973)."""
    place = {name: i for i, name in enumerate(sure.names)}
    need = [sum(1 << place[p] for p in sure.parents[name]) for name in sure.names]
    may = [sum(1 << place[way.cause] for way in ways(doubts) if way.effect == name) for name in sure.names]
    counts = [1] + [0] * ((1 << len(place)) - 1)
    for all_ in range(1, 1 << len(place)):
        ends = all_
        while ends:
            rest, product = all_ & ~ends, 1
            for v in range(len(place)):
                if ends >> v & 1:
                    product = product << (may[v] & rest).bit_count() if need[v] & ~rest == 0 else 0
            counts[all_] += (1 if ends.bit_count() % 2 else -1) * counts[rest] * product
            ends = (ends - 1) & all_
    return counts[-1]
