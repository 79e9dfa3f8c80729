"""Markov equivalence: which candidate graphs rounds can tell apart at all, with and without setting variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.causal.graph import Graph

__all__ = ["classes", "doubt_left", "equivalence", "open_arrows"]


def equivalence(graph: Graph, setting: Iterable[str] = ()) -> tuple[frozenset[object], ...]:
    """The features of a graph without hidden causes that rounds can tell: equal for two graphs that they never tell apart.

    Rounds in which nothing is set tell which variables are joined, and where two causes that are not joined meet (Verma &
    Pearl 1990). With rounds in which some variables are set, which of their arrows then remain is told, too (Hauser &
    Bühlmann 2012).
    """
    joined = frozenset(frozenset((p, n)) for n, parents in graph.parents.items() for p in parents)
    meeting = frozenset(
        (frozenset(pair), n)
        for n, parents in graph.parents.items()
        for pair in combinations(parents, 2)
        if frozenset(pair) not in joined
    )
    cut = set(setting)
    left = frozenset(frozenset((p, n)) for n, parents in graph.parents.items() if n not in cut for p in parents)
    return joined, meeting, left if cut else frozenset()


def classes(graphs: Sequence[Graph], setting: Iterable[str] = ()) -> Ints:  # int[K]
    """The class of each graph: those that rounds, with these variables set in some of them, never tell apart."""
    names = tuple(setting)
    numbers: dict[tuple[frozenset[object], ...], int] = {}
    return np.array([numbers.setdefault(equivalence(graph, names), len(numbers)) for graph in graphs], np.int64)


def open_arrows(arrows: Bools, setting: Iterable[int] = ()) -> int:
    """The number of arrows of a graph (bool[N, N], cause by effect) whose direction rounds never tell.

    Directions are told where two causes that are not joined meet, by setting one end of an arrow and not the other, and by
    what follows from these: another direction would make a cycle, or a meeting that is not there (Meek 1995).
    """
    joined = arrows | arrows.T
    apart = ~joined & ~np.eye(len(arrows), dtype=bool)
    cut = np.zeros(len(arrows), bool)
    cut[list(setting)] = True
    meets = (arrows[:, :, None] & arrows.T[None] & apart[:, None, :]).any(axis=2)  # cause, effect, another cause
    directed = arrows & (meets | (cut[:, None] ^ cut[None]))
    while True:
        free = joined & ~directed & ~directed.T
        more = free & _implied(directed, free, apart) & arrows
        if not more.any():
            return int((arrows & ~directed).sum())
        directed = directed | more


def _implied(directed: Bools, free: Bools, apart: Bools) -> Bools:
    """A mask of the free arrows a -> b that follow by one of Meek's four rules."""
    t, f, n = directed.astype(int), free.astype(int), apart.astype(int)
    third = np.einsum("xa,xb->ab", t, n) > 0  # x -> a, x apart from b
    between = t @ t > 0  # a -> x -> b
    meeting = np.einsum("ax,ay,xb,yb,xy->ab", f, f, t, t, n) > 0  # a - x -> b and a - y -> b, x and y apart
    round_ = (
        np.einsum("ax,xy,yb,xb,ay->ab", f, t, t, n, f + t + t.T) > 0
    )  # a - x -> y -> b, x and b apart, a joined to y
    return np.asarray(third | between | meeting | round_)


def doubt_left(weights: Floats, of: Ints) -> float:
    """The expected doubt, in bits, about the true graph (float[K]), once its class is known (int[K])."""
    each = np.asarray(np.bincount(of, weights), np.float64)
    return _entropy(weights) - _entropy(each)


def _entropy(weights: Floats) -> float:
    some = weights[weights > 0]
    return float(-(some * np.log2(some)).sum())
