"""The alarm: which claims of the graph the rounds contradict, at a chance of a false alarm for the whole study."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.bandit.confidence import Z
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds, concatenate
from bestdo.causal.graph import Graph
from bestdo.evidence.claims import Claim, claims_of
from bestdo.evidence.homogeneity import against_same, largest_against_same
from bestdo.memory_cache import memory_cache
from bestdo.text import counted, decimals_of, quoted

__all__ = ["LEVEL", "Alarm", "Untested", "alarms", "compared", "listed", "tables", "untested", "why_no_row"]

LEVEL = 0.05
"""The chance that a study whose graph is right ever raises a false alarm, in all its rounds together."""


_SHARES = 0.5, 0.25, 0.25
"""The shares of the level of the three kinds of claims. Half of it is for actions as seen and as played, because a learner
that trusts a wrong claim of this kind keeps a wrong action. Not tuned: with half of its share, the logarithm of the evidence
has to be 0.7 larger, of about 7."""
_SETTING = 15
"""The number of rounds that set the border at which a reward that is a number is compared. More put it nearer to the middle,
where most is seen, and are lost for the comparison. Not measured."""
_SEED = 15
"""The seed of the choice of the rows of old data that set the border: equal data always give equal alarms."""
_CELLS = 2**15
"""Claims × rounds that are counted at once. Measured with 3,775 claims and 16 to 4,000 rounds: a quarter of it takes up to
half as long again, eight times as much three times as long."""


@dataclass(frozen=True)
class Alarm:
    """A claim of the graph that the rounds contradict."""

    claim: str
    """The claim of the graph in a sentence."""
    evidence: str
    """The difference in the rounds that contradicts the claim, in a sentence."""
    chance: float
    """The largest share of studies with a right graph that ever see so much against it."""
    pairs: tuple[tuple[str, str], ...] = ()
    """The pairs of variables that a hidden common cause might tie: that would explain it."""

    def __str__(self) -> str:
        often = math.floor(min(1 / max(self.chance, 1e-12), 1e9))
        return (
            f"{self.evidence}. {self.claim}; if the graph were right, so large a difference would ever be seen in at most "
            f"one study in {often:,}"
        )


@dataclass(frozen=True)
class Untested:
    """An independence that the graph claims and the rounds cannot contradict, whatever they show."""

    claim: str
    """The variables, and those given which they are independent."""
    why: str
    """The reason: the thing that the rounds lack."""


def alarms(problem: Problem, rounds: Rounds, level: float = LEVEL, old: int = 0) -> list[Alarm]:
    """The claims that these rounds (of one lane) contradict, the strongest evidence first; as a rule none.

    `old` says how many of them, which come first, are cells of old data; those after them are in the order of the study.

    **Theorem.** If the graph is right and values are missing by chance, then with probability at least 1 − level there is
    never an alarm, whatever is played, however many rounds there are and however often one looks.

    Proof. Each claim is that the target has the same law in all groups of rounds of a stratum, whatever happened before. The
    evidence against it ever reaches 1 / alpha with probability at most alpha (`homogeneity`). The alphas of all claims add
    up to the level: each kind of claims has its share, the kinds without claims leave theirs to the others, and within a
    kind claims share evenly. All that depends on the graph and the actions alone, not on the rounds.

    Of a reward that is a number it is compared whether it is above a border, the median of the first fifteen rounds (of
    fifteen rows drawn from the old data, where there are as many). These rounds are left out of all claims about the
    reward, so the border is known before all rounds that count; where two groups have the same law they exceed it equally
    often, and the proof is as above. Claims in which the number itself is given are left out.

    Where variables are seen first, which action is played depends on them and on earlier rounds: given the context, the law
    of what follows is that of the graph in which the context is constant (`causal/contexts.py`), and the proof is as above
    with contexts among the strata. Rounds whose context is not known in full count for nothing.
    """
    rounds, border = _cut(problem.graph, rounds, old)
    numbered, alpha = compared(problem, level)
    raised = []
    for which, counts in _batches(problem, rounds):
        largest = largest_against_same(counts)
        for i in np.flatnonzero(largest.sum(axis=1) >= -np.log(alpha[which])):  # elsewhere the evidence is smaller
            needed = -math.log(alpha[which[i]])
            chance = math.exp(needed - min(against_same(counts[i], needed), 700.0)) * level
            if chance <= level:
                worst = int(largest[i].argmax())
                words = _in_words(problem.graph, numbered[which[i]], counts[i, worst], worst, border)
                raised.append((chance, int(which[i]), Alarm(*words, chance, numbered[which[i]].pairs)))
    return [alarm for _, _, alarm in sorted(raised, key=lambda one: one[:2])]


def untested(problem: Problem, rounds: Rounds, level: float = LEVEL, old: int = 0) -> list[Untested]:
    """The independences that these rounds could not contradict at this level, and why."""
    without = []
    for claim, counts, alpha in tables(problem, rounds, level, old):
        if claim.apart is not None and (why := _why_untested(problem.graph, claim, counts, rounds, alpha)):
            given = f" given {listed(claim.given)}" if claim.given else ""
            without.append(Untested(f"{quoted(claim.target)} and {quoted(claim.apart)}{given}", why))
    return without


def tables(problem: Problem, rounds: Rounds, level: float = LEVEL, old: int = 0) -> list[tuple[Claim, Floats, float]]:
    """Every claim with its counts, float[strata, groups, values], and its part of the level."""
    rounds, _ = _cut(problem.graph, rounds, old)
    numbered, alpha = compared(problem, level)
    counts = {int(i): each for which, batch in _batches(problem, rounds) for i, each in zip(which, batch, strict=True)}
    return [(claim, counts[i], float(alpha[i])) for i, claim in enumerate(numbered)]


def compared(problem: Problem, level: float) -> tuple[list[Claim], Floats]:
    """All claims, and the part of the level of each."""
    lots = [(lot, share) for lot, share in zip(claims_of(problem), _SHARES, strict=True) if lot]
    part = level / sum(share for _, share in lots) if lots else 0.0
    alpha = np.repeat([part * share / len(lot) for lot, share in lots], [len(lot) for lot, _ in lots])
    return [claim for lot, _ in lots for claim in lot], alpha


def _values(graph: Graph, name: str) -> tuple[str, ...]:
    """The values of a variable that are counted; of a number, whether it is above the border."""
    return graph.variable(name).kind.values or ("lower", "higher")


def _cut(graph: Graph, rounds: Rounds, old: int) -> tuple[Rounds, float | None]:
    """The rounds with 1 in the reward's column where a number is above a border, 0 where not; and the border.

    Rounds that set the border have -1 there; all of them, and no border, while there are too few.
    """
    if graph.number is None:
        return rounds, None
    worst, best = graph.span
    number, column = worst + rounds.y * (best - worst), graph.names.index(str(graph.reward))
    times = np.ones(len(number), np.int64) if rounds.times is None else np.asarray(rounds.times, np.int64)
    taken = np.zeros(len(number), np.int64)
    if times[:old].sum() >= _SETTING:
        rng = np.random.default_rng(_SEED)
        taken[:old] = rng.multivariate_hypergeometric(times[:old], _SETTING, method="marginals")
    else:
        taken[old : old + _SETTING] = times[old : old + _SETTING]
    x = rounds.x.astype(np.int32)
    if taken.sum() < _SETTING:
        x[:, column] = -1
        return rounds._replace(x=x), None
    border = float(np.quantile(np.repeat(number, taken), 0.5, method="lower"))
    setting = np.flatnonzero(taken)
    x[:, column] = number > border
    both = rounds._replace(x=x, times=times - taken), rounds.pick(setting)._replace(x=x[setting], times=taken[setting])
    both[1].x[:, column] = -1
    return concatenate(both), border


class _Lot(NamedTuple):
    """Claims whose tables have the same shape, as arrays, for counting them together."""

    shape: tuple[int, int, int]
    """The numbers of strata, groups and values."""
    which: Ints
    """int[C]: the numbers of the claims."""
    group: NDArray[np.int16]
    """int[C, A]: the group of each action's rounds, -1 for none."""
    target: Ints
    """int[C]: the column of the target."""
    apart: Ints
    """int[C]: the column whose values are the groups, -1 where actions make them."""
    given: tuple[tuple[str, ...], ...]
    """The sets of variables given in the claims, each once."""
    stratum: Ints
    """int[C]: the number of the set given in each claim, among `given`."""
    action: Ints
    """int[C]: the action whose values have to be seen, -1 for none."""


@memory_cache
def _lots(problem: Problem) -> tuple[_Lot, ...]:
    """All claims, by the shapes of their tables."""
    graph, by_shape = problem.graph, dict[tuple[int, int, int], list[tuple[int, Claim]]]()
    for i, claim in enumerate(claim for lot in claims_of(problem) for claim in lot):
        groups = int(claim.group.max()) + 1 if claim.apart is None else len(_values(graph, claim.apart))
        shape = math.prod(graph.size(n) for n in claim.given), groups, len(_values(graph, claim.target))
        by_shape.setdefault(shape, []).append((i, claim))
    place, number = {n: i for i, n in enumerate(graph.names)}, problem.actions.index
    made = []
    for shape, lot in by_shape.items():
        given = {names: i for i, names in enumerate(dict.fromkeys(claim.given for _, claim in lot))}
        made.append(
            _Lot(
                shape,
                np.array([i for i, _ in lot]),
                np.array([claim.group for _, claim in lot], np.int16),
                np.array([place[claim.target] for _, claim in lot]),
                np.array([-1 if claim.apart is None else place[claim.apart] for _, claim in lot]),
                tuple(given),
                np.array([given[claim.given] for _, claim in lot]),
                np.array([-1 if claim.action is None else number(claim.action) for _, claim in lot]),
            )
        )
    return tuple(made)


def _batches(problem: Problem, rounds: Rounds) -> Iterator[tuple[Ints, Floats]]:
    """The counts of claims of one shape at a time: their numbers int[C], and float[C, strata, groups, values]."""
    columns, size = np.ascontiguousarray(rounds.x.T, np.int32), max(1, _CELLS // max(1, len(rounds.action)))
    for lot in _lots(problem):
        strata = np.stack([_joint(problem.graph, columns, names) for names in lot.given])
        for start in range(0, len(lot.which), size):
            part = slice(start, start + size)
            yield lot.which[part], _counts(problem, lot, part, columns, strata, rounds)


def _joint(graph: Graph, columns: NDArray[np.int32], names: tuple[str, ...]) -> NDArray[np.int32]:  # int[R]
    """The number of the combination of values of some variables; -1 where one is missing."""
    number, missing = np.zeros(columns.shape[1], np.int32), np.zeros(columns.shape[1], bool)
    for name in names:
        values = columns[graph.names.index(name)]
        number = number * graph.size(name) + values
        missing |= values < 0
    return np.where(missing, -1, number)


def _counts(
    problem: Problem, lot: _Lot, part: slice, columns: NDArray[np.int32], strata: NDArray[np.int32], rounds: Rounds
) -> Floats:
    """In how many rounds of each stratum and group the target took each value, for some claims: float[C, S, G, K]."""
    group = lot.group[part][:, rounds.action].astype(np.int32)  # int[C, R]
    use = group >= 0
    for i in np.flatnonzero(lot.action[part] >= 0):  # a play counts, though what it set may not be recorded
        a = lot.action[part][i]
        codes = problem.actions.codes[a]
        where = np.flatnonzero(codes >= 0)
        use[i] &= (columns[where] == codes[where, None]).all(axis=0) | (rounds.action == a)
    apart = np.flatnonzero(lot.apart[part] >= 0)
    group[apart] = columns[lot.apart[part][apart]]
    stratum, target = strata[lot.stratum[part]], columns[lot.target[part]]
    use &= (group >= 0) & (stratum >= 0) & (target >= 0)
    count, groups, size = lot.shape
    cell = np.arange(len(use))[:, None] * count + stratum
    cell = ((cell * groups + group) * size + target)[use]
    times = None if rounds.times is None else np.broadcast_to(rounds.times.astype(np.float64), use.shape)[use]
    counts = np.bincount(cell, times, minlength=len(use) * count * groups * size)
    return counts.astype(np.float64).reshape(len(use), *lot.shape)


def _why_untested(graph: Graph, claim: Claim, counts: Floats, rounds: Rounds, alpha: float) -> str:
    """The reason why these counts could not contradict an independence; empty where they could."""
    assert claim.apart is not None
    names = claim.target, claim.apart, *claim.given
    if not counts.sum():
        border = f"too few rows for a border at which {quoted(str(graph.reward))} is compared"
        return why_no_row(graph, names, rounds, border if set(names[:2]).intersection(graph.numeric) else "")
    one_sided = dict.fromkeys(graph.numeric, "is never on both sides of the border at which it is compared")
    for name, often in ((claim.target, counts.sum(axis=(0, 1))), (claim.apart, counts.sum(axis=(0, 2)))):
        if (often > 0).sum() == 1:
            always = f"always is {_values(graph, name)[int(often.argmax())]}"
            return f"{quoted(name)} {one_sided.get(name, always)}"
    most = sum(min(_entropy(table.sum(axis=0)), _entropy(table.sum(axis=1))) for table in counts)
    if not most:
        return f"with the same {listed(claim.given)} they never both vary"
    if most < -math.log(alpha):
        return f"{counted(int(counts.sum()), 'row')} would be too few even if one decided the other"
    return ""


def why_no_row(graph: Graph, names: Sequence[str], rounds: Rounds, otherwise: str = "") -> str:
    """The reason why no row holds all of some variables: those never recorded, else `otherwise`, or that none does."""
    column = {n: i for i, n in enumerate(graph.names)}
    absent = [n for n in names if n != graph.reward and not (rounds.x[:, column[n]] >= 0).any()]
    if absent:
        return f"{listed(absent)} not recorded"
    return otherwise or f"no row holds all of {listed(names)}"


def _entropy(counts: Floats) -> float:
    """The sum of count × log(total / count): no likelihood ratio of a table with these margins is larger."""
    positive = counts[counts > 0]
    return float((positive * np.log(positive.sum() / positive)).sum())


def listed(names: Sequence[str]) -> str:
    """The names of variables, for a sentence."""
    return ", ".join(map(quoted, names))


def _in_words(graph: Graph, claim: Claim, counts: Floats, stratum: int, border: float | None) -> tuple[str, str]:
    """The claim, and the evidence in the stratum where it is strongest (float[G, K])."""
    target = quoted(claim.target)
    where = _stratum_in_words(graph, claim.given, stratum)
    n = counts.sum(axis=1)
    share = counts / np.maximum(n, 1)[:, None]
    value = int(np.ptp(share[n > 0], axis=0).argmax())
    if claim.target == graph.reward:
        value = graph.rewarded.telling(value)
    number = border is not None and claim.target == graph.reward
    if number:
        value = 1
    if claim.action is not None and number:
        evidence = (
            f"{claim.action}{where}: {target} is above {border:.4g} in {share[0, 1]:.0%} of the {n[0]:.0f} rounds in which "
            f"it was seen, and in {share[1, 1]:.0%} of the {n[1]:.0f} in which it was played"
        )
        return "The graph says that seeing it is as good as doing it" + (" there" if where else ""), evidence
    if claim.action is not None:
        worth = np.array(graph.payoffs)
        means = [_mean_in_words(share[g], worth, n[g]) for g in (0, 1)]
        evidence = (
            f"{claim.action}{where}: seen {n[0]:.0f} times with mean {means[0]}, "
            f"played {n[1]:.0f} times with mean {means[1]}"
        )
        return "The graph says that seeing it is as good as doing it" + (" there" if where else ""), evidence
    what = f"P({target} > {border:.4g})" if number else f"P({target} = {graph.variable(claim.target).values[value]})"
    causes = f" given {listed(claim.given)}" if claim.given else ""
    if claim.setting is not None:
        x = quoted(claim.setting)
        names = [f"in which {x} was not set" if v is None else f"in which it was set to {v}" for v in claim.set_to]
        said = f"The graph says that setting {x} leaves {target}{causes} alone"
    else:
        assert claim.apart is not None
        names = [f"with {quoted(claim.apart)} = {value}" for value in graph.variable(claim.apart).values]
        said = f"The graph says that {target} and {quoted(claim.apart)} are independent{causes}"
    this = np.eye(share.shape[1])[value]
    groups = [f"{_mean_in_words(share[g], this, n[g])} in {n[g]:.0f} rounds {names[g]}" for g in np.flatnonzero(n)]
    return said, f"{what}{where} is " + ", ".join(groups)


def _mean_in_words(share: Floats, worth: Floats, n: float) -> str:
    """The mean worth of values with these shares among n rounds, with as many decimals as its 95 % interval deserves."""
    mean = float(share @ worth)
    variance = max(float(share @ worth**2) - mean**2, 0.0)
    decimals = max(decimals_of(Z * math.sqrt(variance / n)) if n else 0, 2)
    return f"{mean:.{decimals}f}"


def _stratum_in_words(graph: Graph, given: tuple[str, ...], stratum: int) -> str:
    """The values that make a stratum, as " where A = 1, B = 0"; nothing if there is one stratum only."""
    parts = []
    for name in reversed(given):
        stratum, code = divmod(stratum, graph.size(name))
        parts.append(f"{quoted(name)} = {graph.variable(name).values[code]}")
    return f" where {', '.join(reversed(parts))}" if parts else ""
