"""CCPE: best-arm identification with a fixed confidence, by intervals from watching and from plays together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds, require_graph
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.learners.count_state import Counts, add_block, means, play_once, rounded, start_counts
from bestdo.memory_cache import memory_cache
from bestdo.statistics.formula_counts import Joint

__all__ = ["CCPE"]


_STRICTLY = 1e-12
"""Bounds that only touch, up to rounding, count as no longer overlapping."""
_DIGITS = 9
"""Bounds and centres are compared to so many decimals, so that rounding errors do not break ties."""


class _Watched(NamedTuple):
    """Actions on the same variables that rounds of do() tell about, and where these are counted."""

    actions: Ints
    """int[K]"""
    at: Ints
    """int[K, Z]: the cells of their values, one for each joint value z of what is adjusted for."""
    all: Ints
    """int[X, Z]: the cells of all values of what they set."""
    size: float
    """The number of variables adjusted for, at least 1, times the number of their joint values."""


@dataclass(frozen=True)
class CCPE:
    """CCPE: watches once, then plays the leader and its strongest rival, until the rival's upper bound is below the leader's.

    Xiong & Chen (2023), the version for general graphs, hidden variables allowed. Every action has an interval by its own n
    plays, mean ± α_I √(ln(K ln(2n) / δ) / n), and where watching tells about it one by the t rounds of do(),
    Σ_z P(z) E[Y | x, z] ± α_O √(ln(20 N K Z I ln(2t) / δ) / (q t)), q = min_z P(x, z); their intersection counts. K is the
    number of actions, N that of variables, Z and I how many are adjusted for and how many values these have. The leader has
    the highest centre, the rival the highest upper end of the others. It stops when the rival's upper end is at most `within`
    above the leader's lower one: then the leader is that close to the best with probability 1 − δ.

    The form of the radii, α_I = 2 and α_O = 8 are from a review of the paper and could not be compared with its text. These
    α are so large that watching narrows no interval in fewer than some thousand rounds.

    Deviations: actions that need an admissible sequence of several steps, or another formula, are learned by their plays
    alone; do() is not played for watching where it tells about no action; any number of values; the horizon is a limit.
    Its version for generalised linear models is not built.
    """

    delta: float = 0.05
    within: float = 0.0
    """ε: how much worse than the best action the returned one may be, in the reward's unit."""
    alpha_played: float = 2.0
    """α_I: what the radius of an action's own plays is multiplied by."""
    alpha_watched: float = 8.0
    """α_O: the same for what was watched."""

    traits = Traits(reasons=True, stops=True)
    tell = staticmethod(add_block)

    def statistic(self, problem: Problem, horizon: float) -> Joint:
        """Counts of plays of each action, and the joint counts of rounds of do()."""
        return Joint(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        require_graph(problem, "CCPE")
        require_bounds(problem, "CCPE", or_spread=True)
        counts = start_counts(problem, horizon, lanes, rng)
        return counts._replace(tally=Tally.zeros(lanes, Joint(problem).cells))

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of one step of CCPE: do() where that tells about an action, the leader a_h and its rival a_l."""
        leader, rival, sure = self._pair(state)
        going = ~sure & (state.left > 0)
        if not going.any():
            return None
        chosen = [leader, rival]
        if _watched(state.problem):
            chosen.insert(0, np.full(len(leader), state.problem.actions.index(do())))
        return Plan(play_once(chosen, state).counts * going[:, None])

    def reason(self, state: Counts, action: int) -> str:
        """The leader, the strongest rival, or watching."""
        leader, rival, _ = self._pair(state)
        if action in (leader[0], rival[0]):
            return "it leads, or is the strongest rival by what was watched and played"
        return "watching once for each pair that is played: this teaches about every action that it identifies"

    def best(self, state: Counts) -> Ints:  # int[L]
        """The action whose interval has the highest centre."""
        centre = rounded(_centre(*self.bounds(state)), _DIGITS, state.problem)
        return argmax(centre, state.ties, state.block)

    def estimates(self, state: Counts) -> Estimates:
        """The centre and ends of each action's interval, which hold together, at all times, with probability 1 − δ."""
        low, high = self.bounds(state)
        mean, bounded = _centre(low, high), state.problem.graph.bounds is not None
        low, high = np.minimum(low, high), np.maximum(low, high)  # an empty intersection
        if bounded:
            low, high = np.clip(low, 0, 1), np.clip(high, 0, 1)
        own = state.tally.weight[:, : state.played.shape[1]].copy()
        for watched in _watched(state.problem):
            own[:, watched.actions] += state.tally.weight[:, watched.at].sum(axis=2)
        return Estimates(mean, low, high, state.played, own, contenders=state.problem.contenders, bounded=bounded)

    def sure(self, state: Counts) -> Bools:  # bool[L]
        """A mask of the lanes that have stopped because the bounds of leader and rival no longer overlap."""
        return self._pair(state)[2]

    def certainty(self, state: Counts) -> str:
        """The certainty about the best action in the first lane, in a sentence."""
        leader, rival, sure = self._pair(state)
        percent, name = f"{100 * (1 - self.delta):g} %", state.problem.actions
        about = f" (or within {self.within:g} of it)" if self.within else ""
        if sure[0]:
            return f"sure at {percent}: {name[int(leader[0])]} is the best{about}"
        return f"not sure at {percent} yet: {name[int(rival[0])]} cannot be ruled out"

    def _pair(self, state: Counts) -> tuple[Ints, Ints, Bools]:
        """The leader and its rival (int[L] each), and whether their bounds no longer overlap (bool[L])."""
        low, high = self.bounds(state)
        lanes, problem = np.arange(len(low)), state.problem
        leader = argmax(rounded(_centre(low, high), _DIGITS, problem), state.ties, state.block)
        others = np.where(np.isfinite(high), rounded(high, _DIGITS, problem), high)
        others[lanes, leader] = -np.inf
        alone = int(problem.contenders.sum()) == 1
        rival = leader if alone else argmax(others, state.ties, state.block)
        worst, best = problem.graph.span
        within = self.within / abs(best - worst)
        known = np.isfinite(low[lanes, leader])
        apart = alone | (high[lanes, rival] <= low[lanes, leader] + within + _STRICTLY)
        return leader, rival, np.asarray(known & apart)

    def bounds(self, state: Counts) -> tuple[Floats, Floats]:  # float[L, A] twice
        """The ends of each action's interval: the intersection of those by plays and by watching; infinite where unknown."""
        problem, tally = state.problem, state.tally
        actions = state.played.shape[1]
        own = tally.cells(slice(0, actions))
        mean, n = np.nan_to_num(means(own)), own.weight
        reach = self.alpha_played * _radius(actions * np.log(2 * np.maximum(n, 1)) / self.delta, n)
        low, high = mean - reach, mean + reach
        for watched in _watched(problem):
            n_xz, s_xz = tally.weight[:, watched.at], tally.reward[:, watched.at]  # float[L, K, Z]
            n_z = tally.weight[:, watched.all].sum(axis=1)  # float[L, Z]
            t = n_z.sum(axis=1)
            value = ((n_z / np.maximum(t, 1)[:, None])[:, None] * s_xz / np.maximum(n_xz, 1)).sum(axis=2)
            kinds = 20 * len(problem.graph.observed) * actions * watched.size
            inside = kinds * np.log(2 * np.maximum(t, 1)) / self.delta
            reach = self.alpha_watched * _radius(inside[:, None], n_xz.min(axis=2))
            low[:, watched.actions] = np.maximum(low[:, watched.actions], value - reach)
            high[:, watched.actions] = np.minimum(high[:, watched.actions], value + reach)
        return low, high


def _radius(inside: Floats, n: Floats) -> Floats:
    """√(ln(inside) / n), infinite where n is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(n > 0, np.sqrt(np.maximum(np.log(inside), 0) / n), np.inf))


def _centre(low: Floats, high: Floats) -> Floats:  # float[L, A]
    """The middle of each interval; NaN where it is infinite."""
    known = np.isfinite(low) & np.isfinite(high)
    return np.asarray(np.where(known, (np.where(known, low, 0) + np.where(known, high, 0)) / 2, np.nan))


@memory_cache
def _watched(problem: Problem) -> tuple[_Watched, ...]:
    """The actions that can be learned by watching alone or by adjusting, and the cells of their counts."""
    graph, watched = problem.graph, []
    for reading in Joint(problem).readings:
        cells = np.arange(reading.cells.start, reading.cells.stop).reshape(reading.shape)
        learned = [
            (action, answer.intervention)
            for action, answer in zip(reading.actions, reading.identified, strict=True)
            if answer.how in ("seeing", "adjusting")
        ]
        if not learned:
            continue
        set_ = [i for i, n in enumerate(reading.names) if n in learned[0][1]]  # the same in all: they share a formula
        first = np.moveaxis(cells, set_, range(len(set_)))
        names = [reading.names[i] for i in set_]
        at = np.stack([first[tuple(graph.variable(n).code(do_[n]) for n in names)].ravel() for _, do_ in learned])
        adjusted, values = len(reading.names) - len(set_), at.shape[1]
        actions = np.array([action for action, _ in learned])
        watched.append(_Watched(actions, at, first.reshape(-1, values), float(max(adjusted, 1) * values)))
    return tuple(watched)
