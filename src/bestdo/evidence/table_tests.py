"""Ordinary tests of a graph's claims, for a table that is looked at once: which independences its rows contradict.

A claim says that the target is independent of another variable given some more. The rows in which these have the same values
are a stratum, the values of the other variable its groups: `permutation` tests all claims together. If the graph is right and
values are missing by chance, a table is called contradictory with probability at most the level. Rounds that come one after
the other, and are looked at in between, need the tests of `alarm`.

A reward that is a number is compared by its ranks, in eight parts of equal size: where they are cut depends on the rewards
alone, not on the groups, so the test stays valid, and no row is lost.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.causal.graph import Graph
from bestdo.evidence.alarm import LEVEL, Untested, listed, why_no_row
from bestdo.evidence.claims import Claim, claims_of
from bestdo.evidence.permutation import Table, contradicted, table_of
from bestdo.text import counted, quoted

__all__ = ["Contradiction", "Missed", "table_tests"]


_PARTS = 8
"""Parts of equal size in which a number is compared. Ranks in so many tell all but 1/64 of what all ranks tell."""
_POWER = 0.8
"""The chance of finding a difference, from which on the difference is said to be found."""
_MOST_GROUPS = 4
"""Groups that are all named in a contradiction; of more, those with the least and the largest share."""
_RANKS = 3 / math.pi
"""The rows that one rank is worth, for normal numbers."""


@dataclass(frozen=True)
class Contradiction:
    """An independence that a table contradicts."""

    claim: str
    """The claim of the graph in a sentence."""
    evidence: str
    """The difference in the rows that contradicts the claim, in a sentence."""
    chance: float
    """The largest share of tables with a right graph in which some claim has so much against it."""

    def __str__(self) -> str:
        often = math.floor(min(1 / max(self.chance, 1e-12), 1e9))
        return f"{self.evidence}. {self.claim}; by chance that is seen in at most one table in {often:,}"


class Missed(NamedTuple):
    """The largest difference that a test would have missed: from it on it is found in four of five such tables."""

    claim: str
    """The variables, and those given which they are independent."""
    difference: float
    """The difference between the two groups with most rows, equal in every stratum: in chance, or of means in the unit."""
    unit: str | None
    """The unit of a number, perhaps empty; None for a difference in chance."""
    standard: float
    """The difference in standard deviations of a row."""

    @property
    def any(self) -> bool:
        """Whether no difference, however large, would have been found."""
        return self.unit is None and self.difference >= 1


class _TableTests(NamedTuple):
    """The results of the tests of a table."""

    contradictions: list[Contradiction]
    """The claims that the table contradicts, the strongest evidence first."""
    untested: tuple[Untested, ...]
    """The claims that the table cannot contradict, and why."""
    missed: tuple[Missed, ...]
    """The difference that the test of each claim would have missed, the weakest test first."""


def table_tests(problem: Problem, rounds: Rounds, level: float = LEVEL) -> _TableTests:
    """The tests of all independences that a problem claims, on rows in which nobody set anything (of one lane)."""
    graph = problem.graph
    claims = [claim for lot in claims_of(problem) for claim in lot if claim.apart is not None]
    if not claims:
        return _TableTests([], (), ())
    x, times = _cut(graph, rounds), _times(rounds)
    each = level / len(claims)
    everything = {i: _counts(graph, claim, x, times) for i, claim in enumerate(claims)}
    open_ = [
        (i, Untested(_pair(claim), why))
        for i, claim in enumerate(claims)
        if (why := _why_untested(graph, claim, everything[i], rounds, each))
    ]
    tables = {i: table_of(counts, _number(graph, claims[i])) for i, counts in everything.items()}
    for i, _ in open_:
        del tables[i]
    chances = contradicted(tables, len(claims), level)
    rejected = [
        (chance, i, Contradiction(*_in_words(graph, claims[i], everything[i]), chance)) for i, chance in chances.items()
    ]
    missed = [_missed(graph, claims[i], table, x, rounds, each) for i, table in tables.items()]
    return _TableTests(
        [one for _, _, one in sorted(rejected, key=lambda one: one[:2])],
        tuple(one for _, one in open_),
        tuple(sorted(missed, key=lambda one: (-one.standard, -one.difference))),
    )


def _number(graph: Graph, claim: Claim) -> bool:
    return graph.variable(claim.target).number is not None


def _times(rounds: Rounds) -> Ints:
    return np.ones(len(rounds.y), np.int64) if rounds.times is None else np.asarray(rounds.times, np.int64)


def _cut(graph: Graph, rounds: Rounds) -> NDArray[np.int32]:  # int[R, V]
    """The values of all rows; a reward that is a number is in one of eight parts, of as equal sizes as can be."""
    x = rounds.x.astype(np.int32)
    for name in graph.rewarded.numbers[: min(1, len(rounds.y))]:
        order = np.argsort(rounds.y, kind="stable")
        up_to = np.cumsum(_times(rounds)[order])
        ranks = np.arange(1, _PARTS) * up_to[-1] / _PARTS
        borders = np.asarray(rounds.y, np.float64)[order][np.searchsorted(up_to, ranks)]
        x[:, graph.names.index(name)] = np.searchsorted(np.unique(borders), rounds.y, side="left")
    return x


def _sizes(graph: Graph, claim: Claim) -> tuple[int, int, int]:
    """The numbers of strata, groups and values."""
    assert claim.apart is not None
    values = _PARTS if _number(graph, claim) else graph.size(claim.target)
    return math.prod(graph.size(n) for n in claim.given), graph.size(claim.apart), values


def _cells(graph: Graph, claim: Claim, x: NDArray[np.int32]) -> Ints:  # int[R]
    """The cell of each row, -1 where a value is missing."""
    assert claim.apart is not None
    sizes = [*(graph.size(n) for n in claim.given), *_sizes(graph, claim)[1:]]
    cell, there = np.zeros(len(x), np.int64), np.ones(len(x), bool)
    for name, size in zip((*claim.given, claim.apart, claim.target), sizes, strict=True):
        value = x[:, graph.names.index(name)]
        cell = cell * size + value
        there &= value >= 0
    return np.where(there, cell, -1)


def _counts(graph: Graph, claim: Claim, x: NDArray[np.int32], times: Ints) -> Floats:  # float[S, G, K]
    """The number of rows of each stratum and group with each value."""
    cell, sizes = _cells(graph, claim, x), _sizes(graph, claim)
    use = cell >= 0
    return np.bincount(cell[use], times[use], math.prod(sizes)).astype(np.float64).reshape(sizes)


def _why_untested(graph: Graph, claim: Claim, counts: Floats, rounds: Rounds, level: float) -> str:
    """The reason why these counts could not contradict an independence at this level; empty where they could."""
    assert claim.apart is not None
    names = claim.target, claim.apart, *claim.given
    if not counts.sum():
        return why_no_row(graph, names, rounds)
    for name, often in ((claim.target, counts.sum(axis=(0, 1))), (claim.apart, counts.sum(axis=(0, 2)))):
        if (often > 0).sum() == 1:
            always = dict(enumerate(graph.variable(name).kind.values)).get(int(often.argmax()), "the same")
            return f"{quoted(name)} always is {always}"
    ways = [min(_ways(table.sum(axis=0)), _ways(table.sum(axis=1))) for table in counts]
    if not any(ways):
        return f"with the same {listed(claim.given)} they never both vary"
    twice = math.log(2) if sum(way > 0 for way in ways) > 1 else 0.0
    if sum(ways) < twice - math.log(level):
        return f"{counted(int(counts.sum()), 'row')} would be too few even if one decided the other"
    return ""


def _ways(counts: Floats) -> float:
    """The logarithm of the number of ways to give values to rows: no table with such a margin is rarer than one in it."""
    from scipy.special import gammaln

    return float(gammaln(counts.sum() + 1) - gammaln(counts + 1).sum())


def _missed(graph: Graph, claim: Claim, table: Table, x: NDArray[np.int32], rounds: Rounds, level: float) -> Missed:
    """The difference between the two largest groups, the same in all strata, that is found with probability 0.8.

    By the noncentral chi-squared distribution of the second statistic, at the level of the first step of Holm's method.
    """
    counts = table.counts
    one, two = np.argsort(-counts.sum(axis=(0, 2)), kind="stable")[:2]
    group = counts.sum(axis=2)
    both = group[:, one] + group[:, two]
    weight = np.divide(group[:, one] * group[:, two], both, out=np.zeros_like(both), where=both > 0)
    needed = _noncentral(table.degrees[1], level / (1 if len(counts) == 1 else 2))
    worth = float(weight.sum())
    if not worth:
        return Missed(_pair(claim), 1.0, None, math.inf)
    if _number(graph, claim):
        standard = math.sqrt(needed / (_RANKS * worth))
        best, worst = graph.span[1], graph.span[0]
        own = standard * _spread(graph, claim, x, rounds) * abs(best - worst)
        return Missed(_pair(claim), own, graph.variable(claim.target).unit or "", standard)
    share = counts.sum(axis=1) / group.sum(axis=1)[:, None]
    spread = (weight[:, None] * share * (1 - share)).sum(axis=0).max() / worth
    standard = math.sqrt(needed / worth)
    return Missed(_pair(claim), min(1.0, standard * math.sqrt(spread)), None, standard)


def _spread(graph: Graph, claim: Claim, x: NDArray[np.int32], rounds: Rounds) -> float:
    """The standard deviation of a number in rows of the same stratum and group, on the scale of learners."""
    cell = _cells(graph, claim, x)
    use = cell >= 0
    _, which = np.unique(cell[use] // _PARTS, return_inverse=True)
    times, y = _times(rounds)[use].astype(np.float64), np.asarray(rounds.y, np.float64)[use]
    n = np.bincount(which, times)
    apart = y - (np.bincount(which, times * y) / n)[which]
    return math.sqrt(float((times * apart**2).sum()) / max(float(n.sum()) - len(n), 1.0))


@functools.lru_cache(1024)
def _noncentral(degrees: int, level: float) -> float:
    """The noncentrality at which chi-squared with these degrees of freedom is significant with probability 0.8."""
    from scipy.optimize import brentq
    from scipy.stats import chi2, ncx2

    border = float(chi2.isf(level, degrees))
    return float(brentq(lambda size: ncx2.sf(border, degrees, size) - _POWER, 1e-6, 10 * border + 100))


def _pair(claim: Claim) -> str:
    """The variables of an independence, and those given which they are independent."""
    assert claim.apart is not None
    return f"{quoted(claim.target)} and {quoted(claim.apart)}" + (
        f" given {listed(claim.given)}" if claim.given else ""
    )


def _in_words(graph: Graph, claim: Claim, counts: Floats) -> tuple[str, str]:
    """The claim, and the evidence in the stratum where it is strongest."""
    assert claim.apart is not None
    number, target = _number(graph, claim), quoted(claim.target)
    group = counts.sum(axis=2)
    n = group.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = group[:, :, None] * counts.sum(axis=1)[:, None, :] / n[:, None, None]
        parts = np.where(expected > 0, (counts - expected) ** 2 / expected, 0.0)
        share = np.where(group[:, :, None] > 0, counts / group[:, :, None], np.nan)
    stratum = int(parts.sum(axis=(1, 2)).argmax())
    present = np.flatnonzero(group[stratum])
    given, left = list[str](), stratum
    for name in reversed(claim.given):
        left, code = divmod(left, graph.size(name))
        given.insert(0, f"{quoted(name)} = {graph.variable(name).values[code]}")
    where = f" where {', '.join(given)}" if given else ""
    if number:
        half = counts.shape[2] // 2
        shares, what = share[stratum][:, half:].sum(axis=1), f"{target} is in the upper half of all rows{where} in"
    else:
        value = int(np.ptp(share[stratum][present], axis=0).argmax())
        if claim.target == graph.reward:
            value = graph.rewarded.telling(value)
        shares = share[stratum][:, value]
        what = f"{target} is {graph.variable(claim.target).values[value]}{where} in"
    values = graph.variable(claim.apart).values
    if len(present) > _MOST_GROUPS:
        present = np.array([present[shares[present].argmin()], present[shares[present].argmax()]])
    said = [
        f"{shares[g]:.0%} of {counted(int(group[stratum, g]), 'row')} with {quoted(claim.apart)} = {values[g]}"
        for g in present
    ]
    causes = f" given {listed(claim.given)}" if claim.given else ""
    return (
        f"The graph says that {target} and {quoted(claim.apart)} are independent{causes}",
        f"{what} {', '.join(said)}",
    )
