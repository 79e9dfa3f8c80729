"""The means of all actions from the tables of one lane: circuits forwards and backwards."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from bestdo.causal.circuit import Circuit
from bestdo.learners.beliefs.passes import Passes

__all__ = ["Room", "expected", "means", "room_for", "slopes"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int16]


class Room(NamedTuple):
    """Room for the numbers of a circuit."""

    number: Floats
    by: Floats
    more: Floats
    by_more: Floats
    found: Floats
    """float[B, S + 1]: the results of each pass: for each value of each variable, and of the base itself."""


@numba.njit(cache=True)
def room_for(passes: Passes) -> Room:
    """Room for one lane."""
    size = passes.circuit.size
    found = np.empty((len(passes.bases), passes.values.sum() + 1))
    return Room(np.empty(size), np.empty(size), np.empty(size), np.empty(size), found)


@numba.njit(cache=True)
def _forward(circuit: Circuit, number: Floats) -> None:
    number[circuit.given] = 1
    number[circuit.given + 1 :] = 0
    for k in range(len(circuit.out)):
        number[circuit.out[k]] += number[circuit.one[k]] * number[circuit.two[k]]


@numba.njit(cache=True)
def _reverse(circuit: Circuit, number: Floats, by: Floats) -> None:
    """Writes the derivative of the circuit's result by each of its numbers into `by`."""
    by[:] = 0
    by[-1] = 1
    for k in range(len(circuit.out) - 1, -1, -1):
        slope = by[circuit.out[k]]
        by[circuit.one[k]] += slope * number[circuit.two[k]]
        by[circuit.two[k]] += slope * number[circuit.one[k]]


@numba.njit(cache=True)
def _set(number: Floats, codes: Codes, start: Ints, values: Ints, chosen: float) -> None:
    """Replaces the tables of the variables that are set: `chosen` at the value that is set, 0 at the others."""
    for v in range(len(values)):
        if codes[v] >= 0:
            number[start[v] : start[v + 1]] = 0
            for row in range(start[v], start[v + 1], values[v]):
                number[row + codes[v]] = chosen


@numba.njit(cache=True)
def _summed(by: Floats, start: Ints, values: Ints, out: Floats) -> None:
    """Adds up, for each value of each variable, the derivatives by its cells: what the result is when it is set."""
    slot = 0
    out[:-1] = 0
    for v in range(len(values)):
        for row in range(start[v], start[v + 1], values[v]):
            for k in range(values[v]):
                out[slot + k] += by[row + k]
        slot += values[v]


@numba.njit(cache=True)
def _forward_pairs(circuit: Circuit, number: Floats, more: Floats) -> None:
    """Runs the circuit forwards with a derivative (`more`) beside each number, by the product rule."""
    _forward(circuit, number)
    more[circuit.given :] = 0
    for k in range(len(circuit.out)):
        one, two = circuit.one[k], circuit.two[k]
        more[circuit.out[k]] += more[one] * number[two] + number[one] * more[two]


@numba.njit(cache=True)
def _reverse_pairs(circuit: Circuit, number: Floats, more: Floats, by: Floats, by_more: Floats) -> None:
    """The derivative of the second number of the result by each number, and by each second number."""
    by[:] = 0
    by_more[:] = 0
    by_more[-1] = 1
    for k in range(len(circuit.out) - 1, -1, -1):
        out, one, two = circuit.out[k], circuit.one[k], circuit.two[k]
        by[one] += by[out] * number[two] + by_more[out] * more[two]
        by[two] += by[out] * number[one] + by_more[out] * more[one]
        by_more[one] += by_more[out] * number[two]
        by_more[two] += by_more[out] * number[one]


@numba.njit(cache=True)
def _pick(passes: Passes, room: Room, out: Floats) -> None:
    for a in range(len(out)):
        out[a] = room.found[passes.base[a], passes.slot[a]]


@numba.njit(cache=True)
def means(passes: Passes, room: Room, table: Floats, out: Floats) -> None:
    """The means of all actions (float[A]) under these tables (float[cells])."""
    for b in range(len(passes.bases)):
        room.number[: passes.circuit.given] = table
        _set(room.number, passes.bases[b], passes.start, passes.values, 1.0)
        _forward(passes.circuit, room.number)
        _reverse(passes.circuit, room.number, room.by)
        _summed(room.by, passes.start, passes.values, room.found[b])
        room.found[b, -1] = room.number[-1]
    _pick(passes, room, out)


@numba.njit(cache=True)
def slopes(passes: Passes, room: Room, table: Floats, action: int, out: Floats) -> None:
    """The derivative of an action's mean by each cell (float[cells]), at these tables."""
    codes = passes.codes[action]
    room.number[: passes.circuit.given] = table
    _set(room.number, codes, passes.start, passes.values, 1.0)
    _forward(passes.circuit, room.number)
    _reverse(passes.circuit, room.number, room.by)
    _set(room.by, codes, passes.start, passes.values, 0.0)
    out[:] = room.by[: passes.circuit.given]


@numba.njit(cache=True)
def expected(passes: Passes, room: Room, table: Floats, worth: Floats, out: Floats) -> None:
    """What the cells that a round of each action counts in are worth, summed, in expectation (float[A]).

    `worth` (float[cells]) is the same for all cells of a row. A round counts in one cell of every table but those of the
    variables that it sets. The numbers are carried through the circuit beside the probabilities.
    """
    given, last = passes.circuit.given, len(passes.values) - 1  # the reward
    for b in range(len(passes.bases)):
        room.number[:given] = table
        room.number[passes.start[last] : passes.start[last + 1]] = 1  # whatever the reward
        _set(room.number, passes.bases[b], passes.start, passes.values, 1.0)
        room.more[:given] = room.number[:given] * worth
        _set(room.more, passes.bases[b], passes.start, passes.values, 0.0)
        _forward_pairs(passes.circuit, room.number, room.more)
        _reverse_pairs(passes.circuit, room.number, room.more, room.by, room.by_more)
        _summed(room.by, passes.start, passes.values, room.found[b])
        room.found[b, -1] = room.more[-1]
    _pick(passes, room, out)
