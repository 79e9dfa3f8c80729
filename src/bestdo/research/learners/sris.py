"""SRIS: Successive Rejects with importance sampling, where every round counts for all actions by the ratio of their laws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates, from_weights
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.design.water_filling import whole_rounds
from bestdo.errors import NotValid
from bestdo.learners.count_state import Counts, add_block, is_old, rounded, start_counts
from bestdo.learners.parent_states import DIGITS, listed_law
from bestdo.learners.reasons import still_in
from bestdo.memory_cache import memory_cache
from bestdo.research.statistics.states_by_action import StatesByAction

__all__ = ["SRIS", "allocation", "divergences"]


_MOST_WEIGHTS = 2**22
"""Numbers in the table of weights, of each action for each action and state: 32 MB, a limit of memory."""


class _SRISState(NamedTuple):
    """Counts, and which actions are still in."""

    counts: Counts
    """The counts on which estimates are based: of all rounds, or of the last phase."""
    alive: Bools
    """bool[L, A]"""


@dataclass(frozen=True)
class SRIS:
    """SRIS: phases that drop actions, in which each round counts for every action whose law it could have come from.

    Sen, Shanmugam, Dimakis & Shakkottai (2017). With P_k the law of the reward's parents under action k, f(r) = r e^(r-1) - 1
    and M_kj = 1 + log(1 + E_j[f(P_k / P_j)]), the estimate of action k from rounds s of actions j is

        Σ_j Σ_s (1 / M_kj) y_s w_kj(x_s) / Z_k,   Z_k = Σ_j n_j / M_kj,   w_kj = P_k / P_j,

    where w_kj counts as 0 above 2 log(2 / ε) M_kj. There are n = ⌈log₂(20 √T)⌉ phases; phase l has T / (l Σ_i≤n 1/i) rounds,
    ε = 2^(1-l), and plays the ν that maximises the least Σ_j ν_j / M_kj of the actions k still in (a linear program). Then
    every action is dropped whose estimate is below the best by more than 5 / 2^l. Version 2 estimates from all rounds.

    The paper is about changes of one variable's law (soft interventions); ours are actions that set values. Where action j
    cannot lead to a state that k can, M_kj is infinite and rounds of j do not count for k. With costs, ν shares the
    money of a phase, where the paper bounds the average cost of a round. Rounds are rounded down, and what is left over goes
    to the next phase. The rule for the phases and the constants are those of reviews of the paper.
    """

    version: int = 2
    """1: each phase estimates from its own rounds alone, together with the phase before where none of its rounds counts for
    some action still in; 2: from all rounds so far."""

    traits = Traits(reasons=True)

    @classmethod
    def v1(cls) -> SRIS:
        """Version 1: each phase estimates from its own rounds alone."""
        return cls(version=1)

    def statistic(self, problem: Problem, horizon: float) -> StatesByAction:
        """Counts of the states of the reward's parents under each action."""
        _law(problem)
        return StatesByAction(problem)

    def phases(self, problem: Problem, horizon: float) -> list[tuple[int, float]]:
        """The phases with rounds to play: their numbers l, and how much of the horizon is spent after each."""
        rounds = max(1, problem.rounds(horizon))
        count = math.ceil(math.log2(20 * math.sqrt(rounds)) - SLACK)
        upto = np.cumsum(1 / np.arange(1, count + 1))
        upto = float(horizon) * upto / upto[-1]
        whole = np.floor(upto / problem.prices.max() + SLACK)
        more = np.diff(whole, prepend=0) > 0
        return [(int(at) + 1, float(upto[at])) for at in np.flatnonzero(more)]

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _SRISState:
        """The state before the first round."""
        require_bounds(problem, "SRIS")
        counts = start_counts(problem, horizon, lanes, rng)._replace(tally=Tally.zeros(lanes, _law(problem).size))
        return _SRISState(counts, np.tile(problem.contenders, (lanes, 1)))

    def ask(self, state: _SRISState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next phase l: ν by the linear program for the actions that are still in; None where one is left."""
        counts, problem = state.counts, state.counts.problem
        phases = self.phases(problem, counts.horizon)
        open_ = state.alive.sum(axis=1) > 1 if counts.block else np.ones(len(state.alive), bool)
        if counts.block >= len(phases) or not open_.any():
            return None
        contests, lane = np.unique(state.alive, axis=0, return_inverse=True)
        share = np.array([allocation(problem, contest.tobytes()) for contest in contests])[lane.ravel()]
        for upto in (phases[counts.block][1], float(counts.horizon)):
            money = np.where(open_, np.clip(counts.money - (counts.horizon - upto), 0.0, counts.money), 0.0)
            plan = whole_rounds(money[:, None] * share / problem.prices, money, problem.prices, rng)
            if plan.any():
                return Plan(plan)
        return None

    def tell(self, state: _SRISState, plan: Plan, tally: Tally) -> _SRISState:
        """The state after a phase, by SRISv1 or SRISv2: without the actions more than 5 / 2^l below the best estimate."""
        counts = state.counts
        if is_old(plan, tally):
            return state._replace(counts=add_block(counts, plan, tally))
        if self.version == 1 and counts.block:  # only this phase counts, where it tells about all that are in
            z = tally.weight @ _weights(counts.problem, 1)[1].T
            alone = (z > 0).all(axis=1, keepdims=True, where=state.alive)
            counts = counts._replace(tally=Tally.each(lambda part: np.where(alone, 0.0, part), counts.tally))
        after = state._replace(counts=add_block(counts, plan, tally))
        phases = self.phases(counts.problem, counts.horizon)
        phase = phases[min(counts.block, len(phases) - 1)][0]
        mean = np.where(state.alive, self._mean(after), np.nan)
        most = np.where(np.isnan(mean), -np.inf, mean).max(axis=1, keepdims=True)
        worse = plan.counts.any(axis=1, keepdims=True) & (mean < most - 5 / 2**phase - SLACK)
        return after._replace(alive=state.alive & ~worse)

    def _phase(self, counts: Counts) -> int:
        """The phase whose limit on weights holds: the last that was played."""
        phases = self.phases(counts.problem, counts.horizon)
        return phases[min(max(counts.block, 1), len(phases)) - 1][0]

    def _mean(self, state: _SRISState) -> Floats:  # float[L, A]
        """The estimates; NaN where no round counts for an action."""
        counts = state.counts
        weights, share = _weights(counts.problem, self._phase(counts))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((counts.tally.reward @ weights.T) / (counts.tally.weight @ share.T))

    def best(self, state: _SRISState) -> Ints:  # int[L]
        """The action with the best estimate of those still in, which the last phase leaves."""
        counts = state.counts
        mean = rounded(np.where(state.alive, self._mean(state), np.nan), DIGITS, counts.problem)
        known = np.where(np.isnan(mean) & state.alive, -1.0, mean)  # below every mean, above what is out
        return argmax(known, counts.ties, counts.block)

    def reason(self, state: _SRISState, action: int) -> str:
        """A round that teaches about the actions still in the race."""
        if state.alive[0, action]:
            return still_in(int(state.alive[0].sum())).replace(
                "all played equally often", "played by what each teaches"
            )
        return f"it teaches about the {int(state.alive[0].sum())} actions still in"

    def estimates(self, state: _SRISState) -> Estimates:
        """The estimates with 95 % intervals; what weights above their limit may hide is added on both sides."""
        counts, problem = state.counts, state.counts.problem
        weights, share = _weights(problem, self._phase(counts))
        n, tally, mean = counts.tally.weight, counts.tally, self._mean(state)
        law = _law(problem)
        plays = n.reshape(len(n), *law.shape).sum(axis=2)  # float[L, A]
        square = np.einsum("kjx,jx->kj", weights.reshape(len(law), *law.shape) ** 2, law)  # of a round of j, expected
        with np.errstate(divide="ignore", invalid="ignore"):
            z = n @ share.T
            missed = 1 - (plays @ _kept(problem, self._phase(counts)).T) / z
            # as in Wilson's interval, two successes of average weight are added, so that the variance is never 0
            total = np.maximum(n.sum(axis=1, keepdims=True), 1)
            variance = (tally.squares @ (weights.T**2) + 2 * (plays @ square.T) / total) / z**2  # second moments
            worth = np.nan_to_num(z**2 / (n @ (share.T**2)))
        estimates = from_weights(
            mean, variance, np.nan_to_num(np.clip(missed, 0, 1)), counts.played, np.maximum(worth, counts.played)
        )
        return estimates._replace(contenders=problem.contenders, dropped=~state.alive)


@memory_cache
def _law(problem: Problem) -> Floats:  # float[A, S]
    """The law of the reward's parents as a table; NotValid where there are too many states for all pairs of actions."""
    table = listed_law(problem, "SRIS")
    if len(table) * table.size > _MOST_WEIGHTS:
        raise NotValid(
            f"SRIS weighs {table.shape[1]:,} states of the reward's parents for each two of {len(table):,} actions: too many"
        )
    return table


@memory_cache
def divergences(problem: Problem) -> Floats:  # float[A, A]
    """M_kj = 1 + log(1 + E_j[f(P_k / P_j)]), f(r) = r e^(r-1) - 1; infinite where k leads to a state that j cannot.

    As E_j[1] = 1, the argument of the logarithm is Σ_x P_k(x) e^(r(x) - 1), r = P_k / P_j.
    """
    from scipy.special import logsumexp

    law = _law(problem)
    divergence = np.empty((len(law), len(law)))
    with np.errstate(divide="ignore", invalid="ignore"):
        for k, own in enumerate(law):
            ratio = np.where(own > 0, own / law, 0.0)  # float[A, S]
            divergence[k] = 1 + logsumexp(ratio - 1, axis=1, b=np.broadcast_to(own, law.shape))
    return np.maximum(divergence, 1.0)  # 1 for an action itself, up to rounding


@memory_cache
def allocation(problem: Problem, alive: bytes) -> Floats:  # float[A]
    """The shares ν of the money that maximise the least Σ_j ν_j / (price_j M_kj) of the actions k that are still in.

    The program is written in the order of the actions' texts: so the answer, where there are several, does not depend on the
    order in which they are listed.
    """
    from scipy.optimize import linprog

    order = np.array(sorted(range(len(problem.actions)), key=lambda a: str(problem.actions[a])))
    among = np.frombuffer(alive, bool)[order]
    gain = (1 / divergences(problem) / problem.prices)[np.ix_(order, order)][among]  # float[K, A]
    count = len(order)
    solution = linprog(
        np.append(np.zeros(count), -1.0),  # the least gain v is maximised
        A_ub=np.column_stack([-gain, np.ones(len(gain))]),
        b_ub=np.zeros(len(gain)),
        A_eq=np.append(np.ones(count), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * (count + 1),
    )
    share = np.zeros(count)
    share[order] = np.maximum(solution.x[:-1], 0)
    return np.asarray(share / share.sum())


def _within(problem: Problem, phase: int) -> tuple[Floats, Bools]:  # float[A, A, S], bool[A, A, S]
    """The ratios w_kj(x), and which of them are within their limit."""
    law = _law(problem)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(law[None] > 0, law[:, None] / law[None], 0.0)
        limit = 2 * math.log(2 * 2 ** (phase - 1)) * divergences(problem)
    return ratio, ratio <= limit[:, :, None] * (1 + SLACK)


@memory_cache
def _weights(problem: Problem, phase: int) -> tuple[Floats, Floats]:  # float[A, A·S] twice
    """The weight of a reward in each cell (action j, state x) for each action k, and its part of Z_k."""
    ratio, within = _within(problem, phase)
    share = (1 / divergences(problem))[:, :, None] * np.ones(ratio.shape)
    count = len(ratio)
    return (share * ratio * within).reshape(count, -1), share.reshape(count, -1)


@memory_cache
def _kept(problem: Problem, phase: int) -> Floats:  # float[A, A]
    """The expected share of a round of action j that counts for k: 1 / M_kj, less the chance under k of weights cut off."""
    ratio, within = _within(problem, phase)
    return np.asarray((ratio * within * _law(problem)[None]).sum(axis=2) / divergences(problem))
