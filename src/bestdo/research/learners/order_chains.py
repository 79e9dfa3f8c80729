"""The probabilities of sets of parents where no graph is known: an average over orders of the variables, drawn by chains."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bestdo.arrays import Floats, Ints

__all__ = ["Uniform", "first_orders", "move", "set_chances"]

Uniform = Callable[[int], Floats]
"""Returns so many random numbers below 1 for each lane, float[L, K]; others at every call."""

LEAST_WEIGHT = 1e-10
"""Sets of parents with less of the weight of their variable's best set than this are left out; the empty set stays."""
_LEAST = 1e-300
"""The least weight of the empty set, so that every order has one."""
_ANY_TWO = 5
"""The number of proposals of which one exchanges any two variables; the others exchange two neighbours."""


def first_orders(variables: int, chains: int, uniform: Uniform) -> Ints:  # int[L, M, N]
    """An order of the variables for each chain, drawn evenly."""
    drawn = uniform(chains * variables)
    return np.asarray(drawn.reshape(len(drawn), chains, variables).argsort(axis=2))


class _Kept:
    """The sets of each variable that are probable enough to count, side by side: [L, N, W]."""

    def __init__(self, sets: Ints, scores: Floats, least: float) -> None:
        weight = np.exp(scores - scores.max(axis=2, keepdims=True))  # float[L, N, S]
        kept = weight >= least
        kept[:, :, 0] = True
        width = int(kept.sum(axis=2).max())
        self.place = np.argsort(~kept, axis=2, kind="stable")[:, :, :width]
        self.sets = np.take_along_axis(np.broadcast_to(sets, scores.shape), self.place, axis=2)
        weight = np.where(kept, weight, 0.0)
        weight[:, :, 0] = np.maximum(weight[:, :, 0], _LEAST)
        self.weight = np.take_along_axis(weight, self.place, axis=2)
        self.lane = np.arange(len(scores))[:, None, None]

    def log_sums(self, variable: Ints, before: Ints) -> Floats:  # float[L, M, K]
        """The log of the summed weights of the sets of parents that come before each variable (int[L, M, K], as bits)."""
        fits = (self.sets[self.lane, variable] & ~before[..., None]) == 0
        return np.asarray(np.log((self.weight[self.lane, variable] * fits).sum(axis=-1)))


def _before(orders: Ints) -> Ints:  # int[L, M, N]
    """The variables that come before each variable, as bits."""
    bits = np.left_shift(1, orders)
    before = np.empty_like(orders)
    np.put_along_axis(before, orders, np.cumsum(bits, axis=2) - bits, axis=2)
    return before


def move(
    sets: Ints, scores: Floats, orders: Ints, steps: int, uniform: Uniform, least: float = LEAST_WEIGHT
) -> Ints:  # int[L, M, N]
    """The orders of all chains after so many proposals to exchange two variables, each taken by Metropolis' rule.

    The weight of an order is the sum of the weights of all graphs that agree with it (Friedman & Koller 2003): the product
    over variables of the sum of exp(score), float[L, N, S], over the sets of parents (`sets`, int[N, S], as bits) that come
    before it.
    """
    lanes, chains, variables = orders.shape
    if variables < 2:
        return orders
    kept, every = _Kept(sets, scores, least), np.broadcast_to(np.arange(variables), orders.shape)
    before = _before(orders)
    log = kept.log_sums(every, before)  # float[L, M, N]
    for step in range(steps):
        drawn = uniform(3 * chains).reshape(lanes, 3, chains)
        neighbours = bool(step % _ANY_TWO)
        first = (drawn[:, 0] * (variables - neighbours)).astype(np.int64)
        far = (drawn[:, 1] * (variables - 1)).astype(np.int64)
        second = first + 1 if neighbours else far + (far >= first)
        places = np.stack([first, second], axis=2)  # int[L, M, 2]
        pair = np.take_along_axis(orders, places, axis=2)
        proposed = orders.copy()
        np.put_along_axis(proposed, places, pair[:, :, ::-1], axis=2)
        if neighbours:  # only these two see others before them
            seen = np.take_along_axis(before, pair, axis=2)
            seen[:, :, 0] |= np.left_shift(1, pair[:, :, 1])
            seen[:, :, 1] &= ~np.left_shift(1, pair[:, :, 0])
            new_before, new_log = before.copy(), log.copy()
            np.put_along_axis(new_before, pair, seen, axis=2)
            np.put_along_axis(new_log, pair, kept.log_sums(pair, seen), axis=2)
        else:
            new_before = _before(proposed)
            new_log = kept.log_sums(every, new_before)
        with np.errstate(divide="ignore"):
            taken = (np.log(drawn[:, 2]) < new_log.sum(axis=2) - log.sum(axis=2))[..., None]
        orders, before, log = (
            np.where(taken, proposed, orders),
            np.where(taken, new_before, before),
            np.where(taken, new_log, log),
        )
    return orders


def set_chances(sets: Ints, scores: Floats, orders: Ints, least: float = LEAST_WEIGHT) -> Floats:  # float[L, N, S]
    """The probability of each set of parents of each variable, averaged over the orders."""
    kept = _Kept(sets, scores, least)
    before, chances = _before(orders), np.zeros(scores.shape)
    for lane, order in enumerate(before):  # one by one: all lanes at once would take much memory
        weight = kept.weight[lane] * ((kept.sets[lane] & ~order[..., None]) == 0)  # float[M, N, W]
        np.put_along_axis(
            chances[lane], kept.place[lane], (weight / weight.sum(axis=-1, keepdims=True)).mean(axis=0), axis=1
        )
    return chances
