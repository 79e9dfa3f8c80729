"""The two phases that several learners share: half of the horizon of do(), then plays of the actions that it left open."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.errors import NotValid
from bestdo.learners.algorithm_1 import end_first_phase, watching_rounds
from bestdo.learners.count_state import Counts, add_block

__all__ = ["HalfState", "ask_half", "require_do", "spend_evenly", "tell_half"]


class HalfState(NamedTuple):
    """Counts, and which actions the second phase plays."""

    counts: Counts
    rare: Bools
    """bool[L, A]: the actions that the first phase left open; all False before it is told."""


def require_do(problem: Problem, who: str) -> None:
    """Raises NotValid, naming `who` starts by watching, where the problem does not allow do()."""
    if do() not in problem.actions:
        raise NotValid(f"{who} starts by watching, and the problem does not allow the action do()")


def ask_half(state: HalfState, request: Request, rng: np.random.Generator) -> Plan | None:
    """Half of the horizon of do() first, then the rare actions equally often, or do() again where none is rare."""
    counts, prices = state.counts, state.counts.problem.prices
    watching, _, first = watching_rounds(counts)
    plan = np.zeros(counts.played.shape, np.int64)
    if counts.block == 0 and first.any():
        plan[:, watching] = first
        return Plan(plan)
    if counts.block > 1:
        return None
    plan = spend_evenly(counts.money, state.rare, prices, rng)
    again = np.floor(np.maximum(counts.money, 0) / prices[watching] + SLACK)
    plan[:, watching] += np.where(state.rare.any(axis=1), 0, again).astype(np.int64)
    return Plan(plan) if plan.any() else None


def tell_half(state: HalfState, plan: Plan, tally: Tally, decide: Callable[[Counts], Bools]) -> HalfState:
    """The state after a block; after the first one `decide` says which actions are rare (bool[L, A])."""
    before = end_first_phase(state.counts, plan)
    counts = add_block(before, plan, tally)
    if before.block == 0:
        return HalfState(counts, decide(counts) & counts.tally.weight.any(axis=1, keepdims=True))
    return state._replace(counts=counts)


def spend_evenly(money: Floats, among: Bools, prices: Floats, rng: np.random.Generator) -> Ints:  # int[L, A]
    """The plays of each candidate (bool[L, A]) when a budget (float[L]) goes to all of them equally often.

    What is left over pays for one more round of some of them, in random order, while it lasts.
    """
    cost = np.where(among, prices, 0.0)
    total = cost.sum(axis=1)
    each = np.floor(np.maximum(money, 0) / np.where(total > 0, total, np.inf) + SLACK)
    order = np.where(among, rng.random(among.shape), np.inf).argsort(axis=1)
    left = money - each * total
    more = np.cumsum(np.take_along_axis(cost, order, axis=1), axis=1) <= left[:, None] + SLACK
    extra = np.zeros(among.shape, bool)
    np.put_along_axis(extra, order, more, axis=1)
    return np.asarray(among * (each[:, None] + extra), np.int64)
