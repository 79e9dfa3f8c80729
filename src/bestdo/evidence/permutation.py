"""Tests of independence of values and groups in tables of counts, by draws of tables with the same margins.

**The test.** The rows of a table are in strata, and in groups within a stratum. If values are independent of groups, then
given how often each group and each value occurs in a stratum, every assignment of values to rows is equally likely. So the
chance of a statistic as large as the one seen is that among tables with these margins, which are drawn at random (with a
fixed seed: the same table always gets the same answer). With B draws, of which b are as extreme, (b + 1) / (B + 1) is a valid
p-value however few rows a cell has (Phipson & Smyth 2010). Two statistics are taken: Pearson's chi-squared, summed over
strata, for differences of any kind; and that of the sums over strata (Cochran, Mantel and Haenszel), for differences that all
strata share. Twice the smaller p-value counts; with one stratum they are the same, and one is taken. Values that are parts of
a number's range are compared by their mean ranks within strata (Kruskal and Wallis).

**What is not drawn.** Draws resolve no chance below 1 / (B + 1). A hundredth of each claim's level goes to a bound by
exponential moments (Hoeffding 1963), which settles what is contradicted beyond doubt. Where five rows and more are expected
in every cell, the root of the p-value by the chi-squared distribution does the same: it is far too large there.

**Many tables** are tested at one level by Holm's method (1979), which needs no independence: if all claims are true, any is
called contradicted with probability at most the level.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats

__all__ = ["Table", "contradicted", "table_of"]


_SEED = 15
"""The seed of the draws: a table always gets the same answer."""
_FIRST, _TIMES = 300, 8
"""Tables that are drawn to see which claims are far from being contradicted, and how many times as many in each further look,
each with draws of its own. They only save time, as does `_UNLIKELY`."""
_UNLIKELY = 0.2
"""A claim whose p-value by the chi-squared distribution is above it is not contradicted, and nothing is drawn for it. Chosen,
not measured."""
_LEAST = 3
"""The least p-value that draws can give is the level of a claim divided by this. Chosen, not measured."""
_ENOUGH = 20_000
"""Tables that are drawn at least for a claim that may be contradicted, so that a small chance can be said. Chosen."""
_AT_ONCE = 2**20
"""Cells that are drawn at once. Limits memory."""
_BOUND = 0.01
"""The share of a claim's level for the bound that needs no draws. Chosen, not measured."""
_MANY = 5
"""Rows that must be expected in every cell for the root of the p-value by the chi-squared distribution to count: of a count
around 5 it is right to a factor of ten thousand at 1e-10, and its root is a hundred thousand times as much."""
_TILTS = np.geomspace(0.02, 6, 20)
"""Tilts of the odds with which the bound is worked out."""


class Table(NamedTuple):
    """The counts of a claim in strata where both variables vary, and the moments by their margins."""

    counts: Floats
    """float[S, G, K]"""
    expected: Floats
    """float[S, G, K]: the counts expected by the margins."""
    scores: Floats
    """float[S, K, M]: the columns that are compared: one for each value, or the ranks alone."""
    inverse: Floats
    """float[G M, G M]: the inverse of the covariance of the sums over strata."""
    weight: Floats
    """float[S, G, M]: the divisors of the squares in a stratum."""
    degrees: tuple[int, int]
    """The degrees of freedom of both statistics, as chi-squared."""


def table_of(counts: Floats, number: bool) -> Table:
    """The counts that tell something, with the moments of both statistics by their margins."""
    group, value = counts.sum(axis=2), counts.sum(axis=1)  # float[S, G], float[S, K]
    tells = ((group > 0).sum(axis=1) > 1) & ((value > 0).sum(axis=1) > 1)
    counts, group, value = counts[tells], group[tells], value[tells]
    n = group.sum(axis=1)  # float[S]
    expected = group[:, :, None] * value[:, None, :] / n[:, None, None]
    if number:
        middle = np.cumsum(value, axis=1) - (value - 1) / 2 - (n[:, None] + 1) / 2
        scores = np.asarray(middle[:, :, None])
        variance = (value[:, :, None] * scores**2).sum(axis=1) / (n - 1)[:, None]  # float[S, 1]
        weight = group[:, :, None] * variance[:, None, :]
        spread = variance[:, :, None]
    else:
        scores = np.broadcast_to(np.eye(counts.shape[2]), (len(n), *2 * (counts.shape[2],)))
        weight = expected
        share = value / n[:, None]
        spread = np.eye(value.shape[1]) * share[:, :, None] - share[:, :, None] * share[:, None, :]
        spread = spread * (n / (n - 1))[:, None, None]
    part = group / n[:, None]
    between = n[:, None, None] * (np.eye(group.shape[1]) * part[:, :, None] - part[:, :, None] * part[:, None, :])
    size = group.shape[1] * spread.shape[1]
    covariance = np.einsum("sgh,skl->gkhl", between, spread).reshape(size, size)
    groups, values = (group > 0).sum(axis=1) - 1, (value > 0).sum(axis=1) - 1
    degrees = int((groups * (1 if number else values)).sum()), int(np.linalg.matrix_rank(covariance, hermitian=True))
    return Table(counts, expected, scores, np.linalg.pinv(covariance, hermitian=True), weight, degrees)


def _statistics(table: Table, counts: Floats) -> Floats:  # float[..., 2], from float[..., S, G, K]
    """Both statistics: the sum over strata, and that of the sums over strata."""
    apart = (counts - table.expected) @ table.scores  # float[..., S, G, M]
    squares = np.divide(apart**2, table.weight, out=np.zeros_like(apart), where=table.weight > 0)
    together = apart.sum(axis=-3).reshape(*apart.shape[:-3], -1)
    pooled = np.einsum("...i,ij,...j->...", together, table.inverse, together)
    return np.stack([squares.sum(axis=(-1, -2, -3)), pooled], axis=-1)


def _one_of_two(table: Table, chances: Floats) -> float:
    """The p-value from those of both statistics, which are the same with one stratum."""
    return float(chances[0]) if len(table.counts) == 1 else min(1.0, 2 * float(chances.min()))


def contradicted(tables: dict[int, Table], claims: int, level: float) -> dict[int, float]:
    """The claims that are contradicted, by number, with p-values for all claims together (Holm 1979).

    What the chi-squared distribution says of all claims tells about where the border is, and so for which to draw.
    """
    rough = {i: _by_distribution(table) for i, table in tables.items()}
    border = 2 * level / max(claims - len(_stepped_down(rough, claims, level)), 1)
    near = [i for i, p in rough.items() if p <= _UNLIKELY and _may_be(tables[i], border, (_SEED, i))]
    chance = {i: _in_full(tables[i], level / claims, np.random.default_rng((_SEED, i))) for i in near}
    return _stepped_down(chance, claims, level)


def _may_be(table: Table, border: float, seed: tuple[int, ...]) -> bool:
    """Whether fewer draws than are needed do not tell already that the p-value is above a border."""
    if _settled(table) <= border / _LEAST:
        return True
    draws = _FIRST
    while draws * border < _LEAST:
        share = _drawn(table, draws, np.random.default_rng((*seed, draws)))
        if share * draws > _LEAST + 4 * border * draws:
            return False
        draws *= _TIMES
    return True


def _stepped_down(chance: dict[int, float], claims: int, level: float) -> dict[int, float]:
    """The claims that Holm's method rejects, each with the least level at which it would; of claims not named p is 1."""
    rejected, so_far = dict[int, float](), 0.0
    for rank, (i, p) in enumerate(sorted(chance.items(), key=lambda one: one[1])):
        so_far = max(so_far, min(1.0, (claims - rank) * p))
        if so_far > level:
            break
        rejected[i] = so_far
    return rejected


def _by_distribution(table: Table) -> float:
    """The p-value by the chi-squared distribution, which is right where all cells have many rows."""
    from scipy.stats import chi2

    return _one_of_two(table, np.asarray(chi2.sf(_statistics(table, table.counts), table.degrees)))


def _in_full(table: Table, level: float, rng: np.random.Generator) -> float:
    """The p-value by as many draws as the level needs, or by the bound."""
    bound = _settled(table)
    if bound <= level / _LEAST:
        return bound
    draws = max(int((1 if len(table.counts) == 1 else 2) * _LEAST / level), _ENOUGH)
    return min(bound, _drawn(table, draws, rng) / (1 - _BOUND))


def _settled(table: Table) -> float:
    """A p-value without draws, far too large as a rule: where it is small, a claim is contradicted beyond doubt.

    It is by a bound, or where many rows are expected in all cells the root of the p-value by the chi-squared distribution.
    """
    bound = _bounded(table) / _BOUND
    return (
        bound if (table.expected[table.expected > 0] < _MANY).any() else min(bound, math.sqrt(_by_distribution(table)))
    )


def _bounded(table: Table) -> float:
    """A bound of the chance that some cell's sum over strata is as far from what is expected.

    Sums over draws without replacement have no larger exponential moments than with it (Hoeffding 1963, section 6), so
    Chernoff's bound for independent draws holds: with every tilt, and so with the best of some.
    """
    group, value = table.counts.sum(axis=2)[:, :, None], table.counts.sum(axis=1)[:, None, :]
    rows = np.minimum(group, value)
    share = np.maximum(group, value) / group.sum(axis=1, keepdims=True)
    logs = [
        (rows * np.log1p(share * math.expm1(tilt)) - tilt * table.counts).sum(axis=0) for tilt in (*_TILTS, *-_TILTS)
    ]
    return min(1.0, 2.0 * int(logs[0].size) * math.exp(float(np.min(logs))))


def _drawn(table: Table, draws: int, rng: np.random.Generator) -> float:
    """The p-value by this number of drawn tables with the same margins."""
    observed, extreme, left = _statistics(table, table.counts), np.zeros(2), draws
    while left:
        some = min(left, max(1, _AT_ONCE // table.counts.size))
        statistics = _statistics(table, _shuffled(table.counts, some, rng))
        extreme += (statistics >= observed * (1 - 1e-9) - 1e-9).sum(axis=0)  # equal ones count, whatever the rounding
        left -= some
    return _one_of_two(table, (extreme + 1) / (draws + 1))


def _shuffled(counts: Floats, draws: int, rng: np.random.Generator) -> Floats:  # float[D, S, G, K]
    """Tables with the margins of these counts, as if the values were shuffled among the rows of each stratum."""
    group, value = counts.sum(axis=2).astype(np.int64), counts.sum(axis=1).astype(np.int64)
    left = np.broadcast_to(value, (draws, *value.shape)).copy()  # int[D, S, K]: values not yet given to a group
    made = np.zeros((draws, *counts.shape))
    for g in range(counts.shape[1] - 1):
        size = np.broadcast_to(group[:, g], left.shape[:2]).copy()  # int[D, S]
        after = left.sum(axis=2)
        for k in range(counts.shape[2] - 1):
            after = after - left[:, :, k]
            took = rng.hypergeometric(left[:, :, k], after, size)
            made[:, :, g, k] = took
            left[:, :, k] -= took
            size -= took
        made[:, :, g, -1] = size
        left[:, :, -1] -= size
    made[:, :, -1] = left
    return made
