"""Answers of old data: the mean of each action that can be learned by watching, with its intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats
from bestdo.bandit.confidence import QUANTILES, TAIL, Z
from bestdo.bandit.limit import Limit
from bestdo.bandit.limits import NO_LIMITS, Limits
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.causal.formula import Formula, marginals_of, variables
from bestdo.causal.graph import Graph
from bestdo.causal.identify import Identification, identify
from bestdo.evidence import number_answers

__all__ = ["Answer", "Conclusion", "answers", "best_for_sure", "conclusion"]

_Rewards = Bools | Floats
Counts = Callable[[Collection[str]], OldData]
"""Gives the counts of at least these variables."""

_Z_99 = QUANTILES[99]
_MOST_CELLS = 2**15
"""The largest table of joint counts that a formula is evaluated on; a larger one would take seconds and be nearly empty."""
_MOST_IDENTIFIED = 2000
"""The most pairs of a possible graph and a set of variables for which the way to learn a mean is worked out: 0.5 ms each."""
_DRAWS = 1000
"""Draws of a formula's table: the 99 % interval's ends are the 5th from below and from above. 4,000 covered no better."""
_FEWEST_DRAWS = 200
_NUMBERS_AT_ONCE = 2**21
"""The numbers that all draws of a table hold, about: large tables get fewer draws."""
_SEED = 20160
"""The seed of the draws: equal data always give equal intervals."""


@dataclass(frozen=True)
class Answer:
    """The answer of old data about one action."""

    action: Intervention
    how: Identification
    mean: float = math.nan
    """NaN where the data do not tell."""
    low: float = 0.0
    high: float = 1.0
    """The ends of a 95 % interval; 0 and 1 where the data do not tell."""
    low_99: float = 0.0
    high_99: float = 1.0
    """The ends of a 99 % interval, by which actions are told apart."""
    rows: float = 0.0
    """The number of rows that tell about the action."""
    why_not: str = ""
    """The reason why the data do not tell; empty where they do."""
    ways: int = 1
    """The number of ways to learn the mean, each right in some possible graphs, where arrows are in doubt: the intervals
    hold those of each way, and the mean is midway between the lowest and the highest."""

    @property
    def in_words(self) -> str:
        """The way of learning in a few words; with arrows in doubt `how` is one way of several."""
        if self.ways == 1:
            return self.how.in_words
        if not self.how.identifiable:
            return f"{self.how.in_words}, in some of the possible graphs"
        return f"by watching, with {self.ways} formulas for different possible graphs"

    @property
    def known(self) -> bool:
        """Whether the data tell anything."""
        return self.mean == self.mean


class _Interval(NamedTuple):
    """A mean with a 95 % and a 99 % interval."""

    mean: float
    low: float
    high: float
    low_99: float
    high_99: float


class _Table(NamedTuple):
    """The values of a formula on the counts, and on tables drawn around the counts."""

    value: Floats
    """float[1, *values of formula.names]; NaN where a cell that is needed was never seen."""
    drawn: Floats
    """float[D, *values of formula.names]"""


def answers(problem: Problem, counts: Counts) -> list[Answer]:
    """One answer for each action, in their order; values must be missing by chance."""
    tables: dict[Formula, _Table] = {}
    every = [_in_all(_ways(problem, action), counts, tables) for action in problem.actions]
    return [_in_unit(problem.graph, answer) for answer in every]


def _ways(problem: Problem, action: Intervention) -> list[Identification]:
    """The different ways in which the mean of an action is learned, by the possible graphs: one of them is right.

    What is right in a graph is right in every graph with fewer arrows, so those with the most tell. One way that only
    doing tells where there are too many of these.
    """
    graphs = problem.graphs.covering or (problem.graph,)
    many = not problem.graphs.covering
    if len(graphs) * len({frozenset(a) for a in problem.actions}) > _MOST_IDENTIFIED or (many and action):
        count = problem.graphs.count if many else len(graphs)
        why = f"{count:,} possible graphs are too many to go through"
        return [Identification(problem.graph, action, "doing", why, watched="all" if many else "")]
    ways: dict[tuple[object, ...], Identification] = {}
    for way in (identify(graph, action) for graph in graphs):
        ways.setdefault((way.how, way.adjust, way.formula), way)
    return list(ways.values())


def _in_all(ways: Sequence[Identification], counts: Counts, tables: dict[Formula, _Table]) -> Answer:
    """The answer for one action, whichever of the ways is right; none where one of them gives none."""
    each_way = [_answer(way, counts, tables) for way in ways]
    if len(each_way) == 1:
        return each_way[0]
    if not all(answer.known for answer in each_way):
        unknown = next(answer for answer in each_way if not answer.known)
        return replace(unknown, why_not=f"in some of the possible graphs {unknown.why_not}", ways=len(each_way))
    means = [answer.mean for answer in each_way]
    return replace(
        each_way[0],
        mean=(min(means) + max(means)) / 2,
        low=min(answer.low for answer in each_way),
        high=max(answer.high for answer in each_way),
        low_99=min(answer.low_99 for answer in each_way),
        high_99=max(answer.high_99 for answer in each_way),
        rows=min(answer.rows for answer in each_way),
        ways=len(each_way),
    )


def _in_unit(graph: Graph, answer: Answer) -> Answer:
    """The answer with its numbers, which are on the scale of learners, in the unit of the reward."""
    if not answer.known:
        least, most = graph.rewarded.reach
        answer = replace(answer, low=least, high=most, low_99=least, high_99=most)
    low, high = sorted((graph.in_unit(answer.low), graph.in_unit(answer.high)))
    low_99, high_99 = sorted((graph.in_unit(answer.low_99), graph.in_unit(answer.high_99)))
    return replace(answer, mean=graph.in_unit(answer.mean), low=low, high=high, low_99=low_99, high_99=high_99)


def _ahead(answer: Answer, other: Answer) -> bool:
    """Whether the 99 % interval of an answer lies on the better side of another's."""
    sign = answer.how.graph.rewarded.scale.sign
    return min(sign * answer.low_99, sign * answer.high_99) > max(sign * other.low_99, sign * other.high_99)


def _gain(answer: Answer) -> float:
    """The mean, negative where it is to be small: more is better."""
    return answer.how.graph.rewarded.scale.sign * answer.mean


def best_for_sure(listed: list[Answer]) -> Answer | None:
    """The action whose 99 % interval is better than those of all others: then no experiment is needed to choose it.

    Another action is at least as good only if one of two intervals, that of the best action or that of the one named,
    misses its mean on its inner side, which each does in at most 0.5 % of data sets.
    """
    if not all(answer.known for answer in listed):
        return None
    best = max(listed, key=_gain)
    return best if all(_ahead(best, other) for other in listed if other is not best) else None


@dataclass(frozen=True)
class Conclusion:
    """The conclusion from the answers about all actions."""

    answered: int
    """The number of actions that the data tell about."""
    total: int
    sure: Answer | None
    """The action that is the best for sure."""
    best: Answer | None
    """The action with the best mean."""
    rivals: tuple[Answer, ...]
    """The actions whose 99 % intervals reach into that of the best."""
    limits: Limits = NO_LIMITS
    """The limits of the problem, which the answers say nothing about: with them no action is the best for sure."""


def conclusion(listed: Sequence[Answer], limits: Sequence[Limit] = ()) -> Conclusion:
    """The conclusion from the answers about all actions of a problem with these limits."""
    known = [answer for answer in listed if answer.known]
    best = max(known, key=_gain, default=None)
    rivals = tuple(answer for answer in known if best is not None and answer is not best and not _ahead(best, answer))
    sure = None if limits else best_for_sure(list(listed))
    return Conclusion(len(known), len(listed), sure, best, rivals, Limits(limits))


def _answer(way: Identification, counts: Counts, tables: dict[Formula, _Table]) -> Answer:
    """The answer for one action; the tables of formulas already evaluated on these counts are used again."""
    if way.formula is None:
        return Answer(way.intervention, way, why_not=f"only doing it tells: {way.reason}")
    graph = way.graph
    assert graph.reward is not None
    names = _in_order(graph, way.formula)
    cells = 2 * math.prod(graph.size(n) for n in names[:-1])
    if way.how == "formula" and cells > _MOST_CELLS:
        why = f"the formula needs counts of {cells:,} combinations of values, and at most {_MOST_CELLS:,} are counted"
        return Answer(way.intervention, way, why_not=why)
    old = counts(names)
    column = {n: i for i, n in enumerate(graph.names)}
    whole = (old.x[:, [column[n] for n in names]] >= 0).all(axis=1)
    x, times = old.x[whole], old.times[whole].astype(np.float64)
    if not times.sum():
        return Answer(way.intervention, way, why_not="no row holds all that is needed")
    needed = [n for n in names if n in way.intervention]
    codes = [graph.variable(n).code(way.intervention[n]) for n in needed]
    same = (x[:, [column[n] for n in needed]] == codes).all(axis=1)
    if not times[same].sum():
        return Answer(way.intervention, way, why_not=f"{', '.join(way.intervention)} never had this value")
    y = old.rewards(graph)[whole]
    if way.how == "formula":
        if way.formula not in tables:
            causes = x[:, [column[n] for n in names[:-1]]]
            tables[way.formula] = _evaluated(graph, way.formula, names, causes, y, times)
        return Answer(way.intervention, way, *_by_formula(way, tables[way.formula]), float(times.sum()))
    strata = np.unique(x[:, [column[n] for n in way.adjust]], axis=0, return_inverse=True)[1].ravel()
    adjusted = _BY_FAMILY.get(graph.rewarded.family, _adjusted_numbers)
    interval = adjusted(times, y, same, strata, graph)
    return Answer(way.intervention, way, *interval, float(times[same].sum()))


def _in_order(graph: Graph, formula: Formula) -> tuple[str, ...]:
    """The variables of a formula, causes first and the reward last."""
    assert graph.reward is not None
    used = set(variables(formula)) - {graph.reward}
    return (*(n for n in graph.order if n in used), graph.reward)


def _adjusted(times: Floats, y: _Rewards, same: Bools, strata: NDArray[np.integer], graph: Graph) -> _Interval:
    """Σ_z P(z) P(success | x, z), where `same` are the rows with x; with one stratum this is the share of successes.

    Each stratum's share of successes has its own interval: Wilson's at 95 %, the exact one of Clopper and Pearson at 99 %.
    The distances of their ends from the shares, weighted by P(z), are added in squares, those below and those above apart
    (Zou and Donner 2008: for one stratum this is its interval, for many it is as wide as the delta method's), with the
    variance from P(z) being counted too. Strata in which x never occurred may have any mean from 0 to 1, all the same one.
    """
    share = np.bincount(strata, times) / times.sum()
    n: Floats = np.bincount(strata[same], times[same], minlength=len(share)).astype(np.float64)
    s: Floats = np.bincount(strata[same], (times * y)[same], minlength=len(share)).astype(np.float64)
    counted, pooled = n > 0, s.sum() / n.sum()
    mean = np.where(counted, s / np.maximum(n, 1), pooled)
    middle = share @ mean
    between = (share * (mean - middle) ** 2).sum() / times.sum()
    unknown = share[~counted].sum()
    ends = []
    for (low, high), z in ((_wilson(n[counted], s[counted]), Z), (_exact(n[counted], s[counted]), _Z_99)):
        below, above = (
            math.sqrt(((share[counted] * (mean[counted] - end)) ** 2).sum() + z**2 * between) for end in (low, high)
        )
        ends += [max(middle - below - unknown * pooled, 0.0), min(middle + above + unknown * (1 - pooled), 1.0)]
    return _Interval(float(middle), *map(float, ends))


def _adjusted_numbers(times: Floats, y: _Rewards, same: Bools, strata: NDArray[np.integer], graph: Graph) -> _Interval:
    """Σ_z P(z) E[Y | x, z], where `same` are the rows with x."""
    return _Interval(*number_answers.adjusted(times, np.asarray(y, np.float64), same, strata, graph))


_BY_FAMILY = {"bernoulli": _adjusted}
"""The adjustment of means, by the reward's family; other families are adjusted as numbers."""


def _wilson(n: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Wilson's 95 % intervals for s successes in n > 0 rows."""
    centre = (s + Z**2 / 2) / (n + Z**2)
    half = Z / (n + Z**2) * np.sqrt(s * (n - s) / n + Z**2 / 4)
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)


def _exact(n: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Clopper and Pearson's 99 % intervals for s successes in n > 0 rows: each side errs in at most 0.5 % of data sets."""
    from scipy.special import betaincinv

    low = betaincinv(np.maximum(s, 0.5), n - s + 1, 0.005)  # 0.5: any number above 0
    high = betaincinv(s + 1, np.maximum(n - s, 0.5), 0.995)
    return np.where(s > 0, low, 0.0), np.where(s < n, high, 1.0)


def _evaluated(
    graph: Graph,
    formula: Formula,
    names: tuple[str, ...],
    x: NDArray[np.int16],
    y: _Rewards,
    times: Floats,
) -> _Table:
    """A formula on the joint counts of its variables, and on tables drawn from the posterior of these counts.

    The reward, the last of the names, is a success or a failure (y); `x` has the codes of the others.
    Variable after variable, causes first, each row P(variable | values of those before) is drawn from Dirichlet(counts + 1/k)
    for k values: what was seen once, or never, keeps its spread, and the prior weighs one row of data in each row of the
    table, however many rows there are. Rows of the reward are drawn with the prior Beta(c, 1 − c), where
    c is drawn from Beta(1/2, 1/2) for the whole table: so that rows hardly ever seen may all err in the same direction. With
    c = 1/2 their errors would cancel, and their average would be thought to be near 1/2 for certain. Where the reward has
    more than two values, its mean in each row is drawn instead (`number_answers.drawn_means`).
    """
    success = graph.success_place
    sizes = [*(graph.size(n) for n in names[:-1]), 2]
    cell = np.ravel_multi_index(tuple(x.T.astype(np.int64)), sizes[:-1]) if len(sizes) > 1 else np.zeros(len(x), int)
    numbers = None
    if not graph.two_values:
        numbers = number_answers.sums_of(cell, np.asarray(y, np.float64), times, math.prod(sizes[:-1]))
    won, lost = (np.bincount(cell, part, minlength=math.prod(sizes[:-1])) for part in (times * y, times * (1 - y)))
    table = np.stack([lost, won] if success else [won, lost], axis=-1).reshape(sizes)
    rng, last = np.random.default_rng(_SEED), len(sizes) - 1
    draws = max(min(_DRAWS, _NUMBERS_AT_ONCE // table.size), _FEWEST_DRAWS)
    chance: Floats = np.ones(draws)
    for i, size in enumerate(sizes):
        if i == last and numbers is not None:
            means = number_answers.drawn_means(numbers, graph, draws, rng).reshape(chance.shape)
            chance = np.stack([chance * (1 - means), chance * means], axis=-1)
            break
        counts = table.sum(axis=tuple(range(i + 1, len(sizes))))
        prior: Floats = np.full(size, 1 / size)
        if i == last:
            centre = rng.beta(0.5, 0.5, (draws, *[1] * last))
            prior = np.stack([1 - centre, centre] if success else [centre, 1 - centre], axis=-1)
        drawn = rng.standard_gamma(np.broadcast_to(counts + prior, (draws, *counts.shape)))
        chance = chance[..., None] * (drawn / drawn.sum(axis=-1, keepdims=True))
    return _Table(formula.evaluate(marginals_of(names, table[None])), formula.evaluate(marginals_of(names, chance)))


def _by_formula(way: Identification, table: _Table) -> _Interval:
    """The mean by the formula on the counts (the draws' mean where it needs more than was seen), and the draws' quantiles."""
    success = way.graph.success_place
    ends = way.graph.rewarded.reach
    drawn = way.at(table.drawn)[:, success]
    mean = float(np.clip(way.at(table.value)[0, success], *ends))
    mean = float(drawn.mean()) if math.isnan(mean) else mean
    low, high, low_99, high_99 = np.quantile(np.clip(drawn, *ends), [TAIL, 1 - TAIL, 0.005, 0.995]).tolist()
    return _Interval(mean, min(low, mean), max(high, mean), min(low_99, mean), max(high_99, mean))
