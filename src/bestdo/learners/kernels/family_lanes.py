"""The belief in families, lane by lane: what each action tells, mean tables and draws."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from bestdo.learners.beliefs.families import Families
from bestdo.learners.beliefs.passes import Passes
from bestdo.learners.kernels.circuit_kernels import expected, means, room_for, slopes
from bestdo.learners.kernels.family_draws import add_gains, draw_tables
from bestdo.learners.kernels.family_posterior import mean_tables, nothing_yet, update

__all__ = ["drawn_by_lane", "drawn_tables", "means_by_circuit", "tables_of_lanes", "told_by_circuit", "told_by_law"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_EQUAL = 1e-9  # means nearer than this are equal: which of them is second is drawn


@numba.njit(cache=True)
def _first_two(mean: Floats, among: Ints, rng: np.random.Generator) -> tuple[int, int]:
    first, second, one, two = -np.inf, -np.inf, 0, 0
    for a in among:
        x = mean[a] + _EQUAL * rng.random()
        if x > second:
            if x > first:
                first, second, one, two = x, first, a, one
            else:
                second, two = x, a
    return one, two


@numba.njit(cache=True)
def told_by_circuit(
    passes: Passes, families: Families, counts: Floats, among: Ints, pairs: int, rng: np.random.Generator, out: Floats
) -> None:
    """Which share of the variance of differences a round of each action removes, summed over pairs: float[L, A].

    A pair is the best and the second best of the contenders `among` (int[C]) under tables drawn from the posterior; the
    variance is that under the members that were drawn, of the difference linearised at the mean tables.
    """
    post, room = nothing_yet(families), room_for(passes)
    cells = passes.circuit.given
    table, mean, gain = np.empty(cells), np.empty(cells), np.empty(cells)
    slope, slot = np.empty((2 * pairs, cells)), np.empty(out.shape[1], np.int64)
    for lane in range(len(counts)):
        update(counts[lane], families, post)
        mean_tables(families, post, False, mean)
        gain[:] = 0
        slot[:] = -1
        known = 0
        for _ in range(pairs):
            draw_tables(families, post, rng, table)
            means(passes, room, table, out[lane])
            two = _first_two(out[lane], among, rng)
            for action in two:  # each only once
                if slot[action] < 0:
                    slopes(passes, room, mean, action, slope[known])
                    slot[action] = known
                    known += 1
            add_gains(slope[slot[two[0]]] - slope[slot[two[1]]], families, post, gain)
        expected(passes, room, mean, gain, out[lane])


@numba.njit(cache=True)
def told_by_law(
    law: Floats, families: Families, counts: Floats, among: Ints, pairs: int, rng: np.random.Generator, out: Floats
) -> None:
    """The same where the law of the reward's parents is known (float[A, S]), and the reward's table is the only one."""
    post = nothing_yet(families)
    cells = 2 * law.shape[1]
    table, gain, slope = np.empty(cells), np.empty(cells), np.zeros(cells)
    for lane in range(len(counts)):
        update(counts[lane], families, post)
        gain[:] = 0
        for _ in range(pairs):
            draw_tables(families, post, rng, table)
            out[lane] = law @ np.ascontiguousarray(table[1::2])
            one, two = _first_two(out[lane], among, rng)
            slope[1::2] = law[one] - law[two]
            add_gains(slope, families, post, gain)
        out[lane] = law @ np.ascontiguousarray(gain[1::2])


@numba.njit(cache=True)
def tables_of_lanes(families: Families, counts: Floats, tables: Floats) -> None:
    """The mean tables of every lane: float[L, cells]."""
    post = nothing_yet(families)
    for lane in range(len(counts)):
        update(counts[lane], families, post)
        mean_tables(families, post, True, tables[lane])


@numba.njit(cache=True)
def drawn_tables(families: Families, counts: Floats, rng: np.random.Generator, tables: Floats) -> None:
    """Draws of the tables of one lane: float[D, cells]."""
    post = nothing_yet(families)
    update(counts, families, post)
    for d in range(len(tables)):
        draw_tables(families, post, rng, tables[d])


@numba.njit(cache=True)
def drawn_by_lane(families: Families, counts: Floats, rng: np.random.Generator, tables: Floats) -> None:
    """One draw of the tables of every lane: float[L, cells]."""
    post = nothing_yet(families)
    for lane in range(len(counts)):
        update(counts[lane], families, post)
        draw_tables(families, post, rng, tables[lane])


@numba.njit(cache=True)
def means_by_circuit(passes: Passes, tables: Floats, out: Floats) -> None:
    """The means of all actions (float[L, A]) under the tables of every lane (float[L, cells])."""
    room = room_for(passes)
    for lane in range(len(tables)):
        means(passes, room, tables[lane], out[lane])
