"""SRM: half of the rounds of do(), formulas for what it identifies, plays of the actions that are rare or not identified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_graph
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.design.difficulty import difficulty
from bestdo.errors import NotValid
from bestdo.learners.count_state import Counts, means, start_counts
from bestdo.learners.families import from_counts
from bestdo.learners.reasons import watching
from bestdo.learners.watch_then_act import with_formulas
from bestdo.memory_cache import memory_cache
from bestdo.research.learners.watch_half import HalfState, ask_half, require_do, tell_half
from bestdo.research.statistics.beside_parents import BesideParents, district_sizes
from bestdo.statistics.formula_counts import Joint

__all__ = ["SRM", "estimates_by_formula", "parents_statistic", "reason_of_half", "recommend", "start_single", "support"]


def parents_statistic(problem: Problem, horizon: float) -> BesideParents:
    """The statistic of SRM and confounded-budgeted: the counts that formulas and q need."""
    return BesideParents(problem)


def start_single(who: str) -> Callable[[Problem, float, int, np.random.Generator], HalfState]:
    """The `start` of a learner for actions that set one variable each; otherwise it raises NotValid."""

    def start(problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> HalfState:
        """The state before the first round."""
        require_graph(problem, who)
        require_do(problem, who)
        several = next((a for a in problem.actions if len(a) > 1), None)
        if several is not None:
            raise NotValid(
                f"{who} is for actions that set one variable each, and {several} sets {len(several)}: take watch-then-act"
            )
        counts = start_counts(problem, horizon, lanes, rng)
        counts = counts._replace(tally=Tally.zeros(lanes, BesideParents(problem).cells))
        return HalfState(counts, np.zeros(counts.played.shape, bool))

    return start


@memory_cache
def _sizes_and_formulas(problem: Problem) -> tuple[Floats, Bools]:
    """The size k of the c-component of each action's variable (float[A]), and whether the action has a formula (bool[A])."""
    sizes, known = district_sizes(problem.graph), np.zeros(len(problem.actions), bool)
    for reading in Joint(problem).readings:
        known[list(reading.actions)] = True
    return np.array([max((sizes[n] for n in a), default=1) for a in problem.actions], float), known


def support(counts: Counts) -> Floats:  # float[L, A]
    """q̂^k of each action; 0 where no formula gives its mean."""
    sizes, known = _sizes_and_formulas(counts.problem)
    return np.where(known, BesideParents(counts.problem).rarest(counts.tally) ** sizes, 0.0)


@memory_cache
def _owners(problem: Problem) -> tuple[Ints, Bools]:
    """The number of the variable that each action sets, -1 for do() (int[A]), and which variables matter (bool[V])."""
    names = list(dict.fromkeys(n for a in problem.actions for n in a))
    owner = np.array([names.index(next(iter(a))) if a else -1 for a in problem.actions])
    return owner, np.array([problem.contenders[owner == i].any() for i in range(len(names))], bool)


def _infrequent(counts: Counts) -> Bools:  # bool[L, A]
    """The actions on variables with q̂_i^k_i < 1/m̂, q̂_i the least of its values' and m̂ counted over variables."""
    problem, each = counts.problem, support(counts)
    owner, matters = _owners(problem)
    rare = np.zeros(each.shape, bool)
    if not matters.any():
        return rare
    those = np.flatnonzero(matters)
    least = np.stack([each[:, owner == i].min(axis=1) for i in those], axis=1)  # float[L, V]
    low = least < 1 / difficulty(least)[:, None]
    for column, i in enumerate(those):
        rare[:, (owner == i) & problem.contenders] = low[:, [column]]
    return rare


def _sums(state: HalfState) -> Tally:
    """Plays of the infrequent actions; of the others, and before they were played, what formulas say beside their plays."""
    counts = state.counts
    own = counts.tally.cells(slice(0, counts.played.shape[1]))
    formula, worth, variance = Joint(counts.problem).watched(counts.tally)
    worth = np.where(state.rare & (own.weight > 0), 0.0, worth)
    return with_formulas(own, np.nan_to_num(formula), worth, variance)


def recommend(state: HalfState) -> Ints:  # int[L]
    """The action with the best mean by `estimates_by_formula`, ties at random."""
    return argmax(means(_sums(state)), state.counts.ties, state.counts.block)


def estimates_by_formula(state: HalfState) -> Estimates:
    """The mean of each action by its plays or its formula, with a 95 % interval for the plays that it is worth."""
    estimates = from_counts(_sums(state), state.counts.played, state.counts.problem.graph)
    return estimates._replace(contenders=state.counts.problem.contenders)


def reason_of_half(state: HalfState, action: int) -> str:
    """The lesson of watching in the first phase, then the reason why the action is played."""
    counts = state.counts
    if action == counts.problem.actions.index(do()):
        return watching(counts.problem) + ("; no action was rarely seen" if counts.block else "")
    if not _sizes_and_formulas(counts.problem)[1][action]:
        return "watching does not tell about it, so it is played"
    return "rarely seen beside what its mean depends on: now such actions are played"


@dataclass(frozen=True)
class SRM:
    """SRM: T/2 rounds of do(), then T/2 of the actions on variables with q̂^k < 1/m̂; the rest by formulas on the first half.

    Maiti, Nair & Sinha (2022), SRM-ALG, from the graph alone, hidden variables allowed, for actions that set one variable.
    q_i is the least probability of a value of X_i together with any values of its c-component parents, k_i the size of its
    c-component, and m = min{τ ≥ 2: at most τ variables have q_i^k_i < 1/τ}. Variables with q̂_i^k_i < 1/m̂ are infrequent:
    all their values are played equally often, and estimated by those plays alone; all other actions by their formulas on the
    rounds of do(). From reviews of the paper and its public code, which cannot run with hidden variables.

    Deviations: any formula that the ID algorithm finds takes the place of the paper's factorisation by c-components, and
    actions without one, or whose table has more than 1,024 cells, are always infrequent; c-component parents are among the
    ancestors of X_i; any number of values; where nothing is infrequent it watches on. `crm` is of the other family, for
    reward while learning and where seeing is as good as doing; `watch-then-act` decides by standard errors and drops
    actions in phases.
    """

    traits = Traits(reasons=True)
    statistic = staticmethod(parents_statistic)
    start = staticmethod(start_single("SRM"))
    ask = staticmethod(ask_half)
    best = staticmethod(recommend)
    estimates = staticmethod(estimates_by_formula)
    reason = staticmethod(reason_of_half)

    def tell(self, state: HalfState, plan: Plan, tally: Tally) -> HalfState:
        """The state after a block; after the first, T/2 of do(), SRM-ALG decides which actions are infrequent."""
        return tell_half(state, plan, tally, _infrequent)
