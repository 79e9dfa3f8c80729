"""The inference of the means of all actions from the tables of the reward and its causes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.causal.action import Actions
from bestdo.causal.circuit import Circuit, circuit
from bestdo.causal.graph import Graph
from bestdo.errors import TooLarge
from bestdo.memory_cache import memory_cache
from bestdo.statistics.tables import Cells
from bestdo.statistics.tables import cells as cells_of

__all__ = ["Passes", "passes_in", "passes_of", "payoffs"]

Codes = NDArray[np.int16]

_MOST_PRODUCTS = 2**24  # of one lane: all bases, one pass


class Passes(NamedTuple):
    """The passes through the circuit that give the means of all actions.

    A pass with some variables set (its base) gives the mean of the base, and of every action that sets one more. So
    do() and all single actions take one pass; pairs take one for each value of one of the two. Where variables are seen
    first, do() and all single actions take one pass for each context.
    """

    circuit: Circuit
    start: Ints
    """int[N + 1]: the first cell of each variable's table."""
    values: Ints
    """int[N]: the length of each table's rows."""
    bases: Codes
    """int16[B, N]: what each pass sets, of the variables that matter; -1 where it sets nothing."""
    codes: Codes
    """int16[A, N]: what each action sets of them."""
    base: Ints
    """int[A]: the pass of each action."""
    slot: Ints
    """int[A]: which of its results is the action's mean."""
    payoff: Floats
    """float[values]: what each value of the reward is worth to learners; none where it has a success or is a number. The
    circuit has the first cell of each of the reward's rows, in which the mean of the row's worth is put."""

    def of(self, some: Ints) -> Passes:
        """The passes that some actions (int[S], their numbers) need, for these alone."""
        used, base = np.unique(self.base[some], return_inverse=True)
        return self._replace(
            bases=np.ascontiguousarray(self.bases[used]),
            codes=np.ascontiguousarray(self.codes[some]),
            base=base.reshape(-1).astype(np.int64),
            slot=np.ascontiguousarray(self.slot[some]),
        )


def payoffs(graph: Graph) -> Floats:  # float[values]
    """The worth of each value of the reward to learners: 0 for the worst, 1 for the best."""
    worst, best = graph.span
    return (np.array(graph.payoffs) - worst) / (best - worst)


def _left_out(codes: Codes) -> list[int]:
    """The variable that each action's base (int16[A, N]) does not set; -1 where the base is the whole action.

    The first that an action sets, or, where that takes fewer passes, the one whose base most actions share.
    """
    places = [np.flatnonzero(row >= 0).tolist() for row in codes]

    def base(row: NDArray[np.int16], left: int) -> bytes:
        rest = row.copy()
        if left >= 0:
            rest[left] = -1
        return rest.tobytes()

    def passes(left: list[int]) -> int:
        return len({base(row, v) for row, v in zip(codes, left, strict=True)})

    plain = [some[0] if some else -1 for some in places]
    if passes(plain) == 1:
        return plain
    shared = Counter(base(row, v) for row, some in zip(codes, places, strict=True) for v in (*some, -1))
    best = [
        max((*some, -1), key=lambda v, row=row: shared[base(row, v)])  # type: ignore[misc]
        for row, some in zip(codes, places, strict=True)
    ]
    return best if passes(best) < passes(plain) else plain


@memory_cache
def passes_of(actions: Actions) -> Passes:
    """The passes for a list of actions, found once."""
    return passes_in(actions, cells_of(actions.graph), actions.graph.parents)


def passes_in(actions: Actions, cells: Cells, all_parents: Mapping[str, Sequence[str]]) -> Passes:
    """The passes for tables of these variables, the reward the last, with these parents, which need not be a graph.

    Then a mean is the sum, over the values of all variables, of the product of the tables: it is that of a graph where no
    table depends on more than the variable's parents in it.
    """
    graph = actions.graph
    assert graph.reward is not None
    number = {n: i for i, n in enumerate(cells.names)}
    tables = []
    for v, name in enumerate(cells.names):
        axes = (*all_parents[name], name)
        places = np.arange(cells.start[v], cells.start[v + 1]).reshape([*map(graph.size, axes[:-1]), cells.values[v]])
        if name == graph.reward:
            axes, places = axes[:-1], places[..., 0 if graph.success is None else graph.success_place]
        tables.append((tuple(number[n] for n in axes), places))
    made = circuit(tables, tuple(cells.values.tolist()), cells.total)
    codes = actions.codes[:, [graph.names.index(n) for n in cells.names]]
    first = np.concatenate([[0], np.cumsum(cells.values)])
    bases: dict[tuple[int, ...], int] = {}
    base, slot = np.empty(len(actions), np.int64), np.full(len(actions), first[-1])
    for a, left in enumerate(_left_out(codes)):
        rest = codes[a].copy()
        if left >= 0:
            slot[a] = first[left] + rest[left]
            rest[left] = -1
        base[a] = bases.setdefault(tuple(rest.tolist()), len(bases))
    if len(bases) * len(made.out) > _MOST_PRODUCTS:
        raise TooLarge(
            f"the means of all actions take {len(bases) * len(made.out):,} multiplications; "
            f"at most {_MOST_PRODUCTS:,} are done: allow fewer actions that set several variables"
        )
    payoff = np.zeros(0) if graph.worth is None else payoffs(graph)
    all_bases = np.array(list(bases), np.int16).reshape(-1, len(cells.names))
    return Passes(made, cells.start, cells.values, all_bases, np.ascontiguousarray(codes), base, slot, payoff)
