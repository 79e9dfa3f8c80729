"""The theorems of the paper for a problem: bounds on the regret of two learners, and on that of every learner."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from bestdo.bandit.horizon import ROUNDS
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.design import bounds
from bestdo.design.difficulty import difficulty_of_variables
from bestdo.design.optimal import Design

__all__ = ["Guarantee", "theorems"]

_SMALL = 0.1
"""A regret that is small enough to be useful: `check` also says after how many rounds a theorem guarantees it. Chosen, not
measured."""


@dataclass(frozen=True)
class Guarantee:
    """A bound on the regret that a theorem of the paper proves for a learner."""

    theorem: int
    learner: str
    m: float
    """The difficulty of the problem in the theorem: m(q) or m(eta)."""
    regret: float | None
    """The bound after the rounds that were asked about, in the reward's unit; None where it says nothing, or none were."""
    below_one_from: int
    """The least number of rounds for which the bound is below the largest regret possible, and so says something."""
    small_from: int
    """The least number of rounds for which the bound is at most a tenth of that."""
    largest: float = 1.0
    """The largest regret possible, in the reward's unit: 1 where the reward is a success."""


class _Proved(NamedTuple):
    """The bounds that the theorems prove for a problem."""

    guarantees: tuple[Guarantee, ...] = ()
    """The theorems that cover the problem."""
    no_learner_below: float | None = None
    """The regret that every learner has at least after the rounds asked about, for some table of the reward (Theorem 2)."""


def theorems(problem: Problem, design: Design | None, rounds: int | None) -> _Proved:
    """The bounds for a problem with this optimal design, after so many rounds."""
    if not _covered(problem):
        return _Proved()
    hardness = _parallel_difficulty(problem)
    lower = 0.0
    if hardness is not None and rounds is not None:
        lower = bounds.lower_bound(hardness, rounds) * _largest_regret(problem)
    return _Proved(_guarantees(problem, design, hardness, rounds), lower or None)


def _covered(problem: Problem) -> bool:
    """Whether the theorems are about a problem: one action for everybody, no limits, no costs, a reward with bounds."""
    one_action = len(problem.contexts) == 1 and len(problem.limits) == 0
    return one_action and problem.unit is ROUNDS and all(map(math.isfinite, problem.graph.rewarded.ends))


def _parallel_difficulty(problem: Problem) -> int | None:
    """m(q) of Theorems 1 and 2; None where the problem is not the one that they are about.

    That is: two or more independent causes of the reward, each with two values, and as actions do() and every setting of
    one of them.
    """
    graph, law, actions = problem.graph, problem.law, problem.actions
    names = graph.parents[graph.reward or ""]
    roots = all(not graph.parents[n] and graph.size(n) == 2 and not graph.variable(n).hidden for n in names)
    single = all(len(a) <= 1 and set(a) <= set(names) for a in actions)
    if law is None or len(names) < 2 or not roots or not single:
        return None
    if len(actions) != 2 * len(names) + 1:
        return None
    chances = [law.natural_chance(Intervention({n: graph.variable(n).values[0]})) for n in names]
    return int(difficulty_of_variables(chances))


def _guarantees(
    problem: Problem, design: Design | None, hardness: int | None, rounds: int | None
) -> tuple[Guarantee, ...]:
    """The guarantees of Theorems 1 and 3 for a problem that the theorems are about."""
    found = []
    if hardness is not None:
        m, variables = hardness, len(problem.actions) // 2
        found.append(
            _guarantee(
                1,
                "algorithm-1",
                m,
                rounds,
                lambda t: bounds.regret_bound_parallel(m, variables, t),
                lambda regret: bounds.rounds_for_parallel(m, variables, regret),
            )
        )
    if design is not None:
        m_eta, actions = design.m, len(problem.actions)
        found.append(
            _guarantee(
                3,
                "algorithm-2-as-in-paper",
                m_eta,
                rounds,
                lambda t: bounds.regret_bound_general(m_eta, actions, t),
                lambda regret: bounds.rounds_for_general(m_eta, actions, regret),
            )
        )
    largest = _largest_regret(problem)
    return tuple(replace(g, regret=None if g.regret is None else g.regret * largest, largest=largest) for g in found)


def _largest_regret(problem: Problem) -> float:
    """The largest regret possible, in the reward's unit, where it has bounds."""
    worst, best = problem.graph.span
    return abs(best - worst)


def _guarantee(
    theorem: int,
    learner: str,
    m: float,
    rounds: int | None,
    bound: Callable[[int], float],
    rounds_for: Callable[[float], int],
) -> Guarantee:
    """A guarantee from the bound of a theorem and from the rounds that it needs for a regret."""
    first = rounds_for(1.0)
    regret = bound(rounds) if rounds is not None and rounds >= first else None
    return Guarantee(theorem, learner, m, regret, first, rounds_for(_SMALL))
