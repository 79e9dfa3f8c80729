"""The loops behind a belief on tables, lane by lane: drawing tables, and circuits forwards and backwards."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from bestdo.causal.circuit import Circuit

__all__ = ["draw_tables", "mean_tables", "set_gains", "set_means", "weigh"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@numba.njit(cache=True)
def _gamma(shape: float, x: float, rng: np.random.Generator) -> float:
    """A Gamma number from a normal one: half its square for 1/2, else by Marsaglia & Tsang (2000)."""
    if shape == 0.5:
        return 0.5 * x * x
    factor = 1.0
    if shape < 1:
        factor, shape = rng.random() ** (1 / shape), shape + 1
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        v = 1 + c * x
        if v > 0:
            v = v * v * v
            u = rng.random()
            if u < 1 - 0.0331 * x * x * x * x or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
                return factor * d * v
        x = rng.standard_normal()


@numba.njit(cache=True)
def weigh(counts: Floats, start: Ints, values: Ints, priors: Floats, out: Floats) -> None:
    """How likely each prior is for each table, equally likely before anything was seen: out (float[L, N, P])."""
    for lane in range(len(counts)):
        for v in range(len(values)):
            for p in range(len(priors)):
                prior, total, likely = priors[p], priors[p] * values[v], 0.0
                for row in range(start[v], start[v + 1], values[v]):
                    seen = 0.0
                    for c in range(row, row + values[v]):
                        n = counts[lane, c]
                        if n > 0:
                            seen += n
                            likely += math.lgamma(prior + n) - math.lgamma(prior)
                    if seen > 0:
                        likely -= math.lgamma(total + seen) - math.lgamma(total)
                out[lane, v, p] = likely
            out[lane, v] = np.exp(out[lane, v] - out[lane, v].max())
            out[lane, v] /= out[lane, v].sum()


@numba.njit(cache=True)
def mean_tables(counts: Floats, start: Ints, values: Ints, priors: Floats, weights: Floats, tables: Floats) -> None:
    """Fills tables (float[L, C]): the expectation of each cell, the priors by their weights (float[L, N, P])."""
    tables[:] = 0
    for lane in range(len(counts)):
        for v in range(len(values)):
            for row in range(start[v], start[v + 1], values[v]):
                seen = counts[lane, row : row + values[v]].sum()
                for p in range(len(priors)):
                    scale = weights[lane, v, p] / (seen + values[v] * priors[p])
                    for c in range(row, row + values[v]):
                        tables[lane, c] += scale * (counts[lane, c] + priors[p])


@numba.njit(cache=True)
def draw_tables(
    counts: Floats, start: Ints, values: Ints, prior: Floats, rng: np.random.Generator, tables: Floats
) -> None:
    """Makes tables (float[L, C]) of normal numbers: each row a draw from Dirichlet(counts + prior of its table).

    The prior is float[L, N].
    """
    for lane in range(len(counts)):
        for v in range(len(values)):
            for row in range(start[v], start[v + 1], values[v]):
                total = 0.0
                for c in range(row, row + values[v]):
                    tables[lane, c] = _gamma(prior[lane, v] + counts[lane, c], tables[lane, c], rng)
                    total += tables[lane, c]
                if total < 1e-290:  # a small prior, nothing seen: all of it on one value
                    tables[lane, row + int(rng.random() * values[v])] = total = 1.0
                for c in range(row, row + values[v]):
                    tables[lane, c] /= total


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
def _set(number: Floats, codes: NDArray[np.int16], start: Ints, values: Ints, chosen: float) -> None:
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
def set_means(
    circuit: Circuit, bases: NDArray[np.int16], start: Ints, values: Ints, tables: Floats, out: Floats
) -> None:
    """The means (float[L, B, S + 1]) of each base, last, and of each base with one value of one variable set as well.

    A base (int16[B, N]) sets some variables, or none.
    """
    number, by = np.empty(circuit.size), np.empty(circuit.size)
    for lane in range(len(tables)):
        for b in range(len(bases)):
            number[: circuit.given] = tables[lane]
            _set(number, bases[b], start, values, 1.0)
            _forward(circuit, number)
            _reverse(circuit, number, by)
            _summed(by, start, values, out[lane, b])
            out[lane, b, -1] = number[-1]


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
def _add_row_gains(slope: Floats, alpha: Floats, start: Ints, values: Ints, gain: Floats) -> None:
    """Adds, per cell, which share of the variance of the difference goes by one more count in the cell's row."""
    whole = 0.0
    for again in range(2):
        for v in range(len(values)):
            for row in range(start[v], start[v + 1], values[v]):
                total, first, second = 0.0, 0.0, 0.0
                for c in range(row, row + values[v]):
                    total += alpha[c]
                    first += alpha[c] * slope[c]
                    second += alpha[c] * slope[c] * slope[c]
                variance = max(second / total - (first / total) ** 2, 0.0) / (total + 1)
                if again:
                    gain[row : row + values[v]] += variance / (total + 1) / whole
                else:
                    whole += variance
        if whole == 0:
            return


@numba.njit(cache=True)
def _slopes(circuit: Circuit, codes: NDArray[np.int16], start: Ints, values: Ints, number: Floats, by: Floats) -> None:
    """The derivative of an action's mean by each cell, at the tables that `number` starts with."""
    _set(number, codes, start, values, 1.0)
    _forward(circuit, number)
    _reverse(circuit, number, by)
    _set(by, codes, start, values, 0.0)


@numba.njit(cache=True)
def set_gains(
    circuit: Circuit,
    bases: NDArray[np.int16],
    start: Ints,
    values: Ints,
    alpha: Floats,
    codes: NDArray[np.int16],
    pairs: Ints,
    out: Floats,
) -> None:
    """Which share of the variance of differences of means a round of each action removes: float[L, B, S + 1] as in means.

    `alpha` (float[L, C]) is the posterior; `pairs` (int[L, K, 2]) the two actions of each difference, whose shares are
    summed, and `codes` (int16[A, N]) what each action sets. The variance is that of the difference linearised at the
    mean tables, a sum over rows; a round of an action adds a count to a row as often as the row's parents occur under
    it, and to no row of a variable that it sets. So the gain is the expectation of a sum of numbers, one per table:
    these are carried through the circuit beside the probabilities.
    """
    number, by = np.empty(circuit.size), np.empty(circuit.size)
    more, by_more = np.empty(circuit.size), np.empty(circuit.size)
    given = circuit.given
    mean, gain = np.empty(given), np.empty(given)
    slopes, slot = np.empty((2 * pairs.shape[1], given)), np.full(len(codes), -1)
    last = len(values) - 1  # the reward
    for lane in range(len(alpha)):
        for v in range(len(values)):
            for row in range(start[v], start[v + 1], values[v]):
                own = alpha[lane, row : row + values[v]]
                mean[row : row + values[v]] = own / own.sum()
        slot[:] = -1
        known = 0
        for action in pairs[lane].flat:  # each only once
            if slot[action] < 0:
                number[:given] = mean
                _slopes(circuit, codes[action], start, values, number, by)
                slopes[known] = by[:given]
                slot[action] = known
                known += 1
        gain[:] = 0
        for k in range(pairs.shape[1]):
            slope = slopes[slot[pairs[lane, k, 0]]] - slopes[slot[pairs[lane, k, 1]]]
            _add_row_gains(slope, alpha[lane], start, values, gain)
        for b in range(len(bases)):
            number[:given] = mean
            number[start[last] : start[last + 1]] = 1  # whatever the reward
            _set(number, bases[b], start, values, 1.0)
            more[:given] = number[:given] * gain
            _set(more, bases[b], start, values, 0.0)
            _forward_pairs(circuit, number, more)
            _reverse_pairs(circuit, number, more, by, by_more)
            _summed(by, start, values, out[lane, b])
            out[lane, b, -1] = more[-1]
