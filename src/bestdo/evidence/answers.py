"""What old data already answer: the mean of each action that can be learned by watching, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_counts, from_weights
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import Problem
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Intervention
from bestdo.causal.formula import Formula, P, Product, Ratio, counted
from bestdo.causal.identify import Identification, identify

__all__ = ["Answer", "Conclusion", "answers", "best_for_sure", "conclusion"]

Floats = NDArray[np.float64]
Counts = Callable[[Collection[str]], OldData]
"""Gives the counts of at least these variables."""

_RESAMPLED = 200
_MOST_CELLS = 2**15
_SEED = 20160


@dataclass(frozen=True)
class Answer:
    """What old data say about one action."""

    action: Intervention
    how: Identification
    mean: float
    """NaN where the data do not tell."""
    low: float
    high: float
    """The ends of a 95 % interval; 0 and 1 where the data do not tell."""
    rows: float
    """How many rows tell about it."""
    why_not: str = ""
    """Why the data do not tell."""

    @property
    def known(self) -> bool:
        """Whether the data tell anything."""
        return self.mean == self.mean


def answers(problem: Problem, counts: Counts) -> list[Answer]:
    """One for each action, in their order; values must be missing by chance."""
    return [_answer(identify(problem.graph, action), counts) for action in problem.actions]


def best_for_sure(found: list[Answer]) -> Answer | None:
    """The action whose interval lies above those of all others: then no experiment is needed to choose it."""
    if not all(answer.known for answer in found):
        return None
    best = max(found, key=lambda answer: answer.mean)
    return best if all(best.low > other.high for other in found if other is not best) else None


@dataclass(frozen=True)
class Conclusion:
    """What follows from the answers to all actions."""

    answered: int
    """How many actions the data tell about."""
    total: int
    sure: Answer | None
    """The action that is the best for sure."""
    best: Answer | None
    """The action with the highest mean."""
    rivals: tuple[Answer, ...]
    """The actions whose intervals reach into that of the best."""


def conclusion(found: Sequence[Answer]) -> Conclusion:
    """What follows from the answers to all actions."""
    known = [answer for answer in found if answer.known]
    best = max(known, key=lambda answer: answer.mean, default=None)
    rivals = tuple(answer for answer in known if best is not None and answer is not best and answer.high >= best.low)
    return Conclusion(len(known), len(found), best_for_sure(list(found)), best, rivals)


def _answer(way: Identification, counts: Counts) -> Answer:
    if way.formula is None:
        return Answer(way.intervention, way, np.nan, 0.0, 1.0, 0.0, f"only doing it tells: {way.reason}")
    graph = way.graph
    assert graph.reward is not None
    names = _variables(way.formula)
    set_ = tuple(n for n in names if n in way.intervention)
    old = counts([*names, graph.reward])
    place = [graph.names.index(n) for n in (*names, graph.reward)]
    whole = (old.x[:, place] >= 0).all(axis=1)
    x, times = old.x[whole], old.times[whole].astype(np.float64)
    y = x[:, graph.names.index(graph.reward)] == graph.variable(graph.reward).code(graph.success)
    codes = [graph.variable(n).code(way.intervention[n]) for n in set_]
    same = (x[:, [graph.names.index(n) for n in set_]] == codes).all(axis=1)
    if not times.sum() or (way.how != "formula" and not times[same].sum()):
        never = (
            "no row holds all that is needed"
            if not times.sum()
            else f"{', '.join(way.intervention)} never had this value"
        )
        return Answer(way.intervention, way, np.nan, 0.0, 1.0, 0.0, never)
    if way.how == "seeing":
        found = _seen(times[same], y[same])
    elif way.how == "adjusting":
        strata = np.unique(x[:, [graph.names.index(n) for n in way.adjust]], axis=0, return_inverse=True)[1].ravel()
        found = _adjusted(times, y, same, strata)
    else:
        found = _by_formula(way, names, x, times)
    mean, low, high, rows = (float(part[0, 0]) for part in (found.mean, found.low, found.high, found.seen))
    why = "" if mean == mean else "some values that are needed were never seen together"
    return Answer(way.intervention, way, mean, low, high, rows, why)


def _variables(formula: Formula) -> tuple[str, ...]:
    """All variables in a formula, those summed over too; the reward last is not among them."""
    if isinstance(formula, P):
        return formula.names
    if isinstance(formula, Product):
        parts = formula.terms
    elif isinstance(formula, Ratio):
        parts = formula.above, formula.below
    else:
        parts = (formula.term,)
    return tuple(dict.fromkeys(n for part in parts for n in _variables(part)))


def _one(value: float) -> Floats:
    return np.array([[value]], np.float64)


def _seen(times: Floats, y: NDArray[np.bool_]) -> Estimates:
    return from_counts(Tally.counted(_one(times.sum()), _one(times[y].sum())), _one(0))


def _adjusted(times: Floats, y: NDArray[np.bool_], same: NDArray[np.bool_], strata: NDArray[np.integer]) -> Estimates:
    """Σ_z P(z) P(success | x, z); the variance by the delta method, strata in which x never occurred may be anything."""
    share = np.bincount(strata, times) / times.sum()
    n = np.bincount(strata[same], times[same], minlength=len(share))
    s = np.bincount(strata[same & y], times[same & y], minlength=len(share))
    smooth, known = (s + 1) / (n + 2), n > 0
    mean = np.where(known, s / np.maximum(n, 1), s.sum() / n.sum())
    within = (share**2 * smooth * (1 - smooth) / np.maximum(n, 1))[known].sum()
    between = (share * (mean - share @ mean) ** 2).sum() / times.sum()
    return from_weights(_one(share @ mean), _one(within + between), _one(share[~known].sum()), _one(0), _one(n.sum()))


def _by_formula(way: Identification, names: tuple[str, ...], x: NDArray[np.int16], times: Floats) -> Estimates:
    """By the formula on the joint counts; the variance from counts drawn again (200 multinomial draws, a fixed seed)."""
    graph, total = way.graph, times.sum()
    nothing = Estimates(_one(np.nan), _one(0), _one(1), _one(0), _one(0))
    assert graph.reward is not None
    axes = tuple(dict.fromkeys((*names, graph.reward)))
    sizes = [graph.size(n) for n in axes]
    if float(np.prod(np.array(sizes, float))) > _MOST_CELLS:
        return nothing
    cell = np.ravel_multi_index(tuple(x[:, [graph.names.index(n) for n in axes]].T.astype(np.int64)), sizes)
    table = np.bincount(cell, times, minlength=int(np.prod(sizes)))
    drawn = np.random.default_rng(_SEED).multinomial(int(total), table / total, size=_RESAMPLED)
    every = np.concatenate([table[None], drawn]).reshape(-1, *sizes)
    law = way.evaluate(counted(axes, every))[:, graph.variable(graph.reward).code(graph.success)]
    again = law[1:][~np.isnan(law[1:])]
    if np.isnan(law[0]) or len(again) < _RESAMPLED / 2:
        return nothing
    least = 1 / (4 * total**2)  # no spread of 0
    return from_weights(_one(law[0]), _one(max(float(again.var()), least)), _one(0), _one(0), _one(total))
