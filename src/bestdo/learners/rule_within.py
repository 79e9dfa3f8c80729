"""The best rule within limits that hold on average over everybody, so that one context can give what another takes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints

__all__ = ["Excess", "Within", "best_rule", "draw_within"]

Excess = Sequence[Sequence[Floats]]
"""For each limit, by each belief that must hold: joint draws of how far each pair of context and action exceeds the bound
times how often the context occurs (float[D, C, A]). A rule keeps the limit in a draw if the sum over contexts is <= 0."""

_CAUTION = (0.0, 0.5, 1.0, 2.0)
"""Standard deviations that are added to the mean excess of a pair, where multipliers are looked for. Chosen, not measured."""
_STARTS = 6  # rules in which single contexts are changed
_STEPS = 24  # halvings of the interval of a multiplier
_ROUNDING = 1e-12


class Within(NamedTuple):
    """A rule, with the probability that it and its neighbours keep all limits over everybody."""

    rule: Ints
    """int[C]"""
    chance: float
    """The probability that the rule keeps them."""
    swapped: Floats
    """float[C, A]: the probability that the rule does with another action in one context; its own action has `chance`."""
    single: Floats
    """float[A]: the probability that one action for everybody does."""


def best_rule(value: Floats, can: Bools, order: Floats, excess: Excess, sure: float) -> Within:
    """The rule with the largest sum of values (float[C, A]) that keeps all limits with a probability of at least `sure`.

    Of the pairs that can be chosen (bool[C, A]; one in each context at least), ties by a random order (float[C, A]). Values
    minus multipliers times the excess are largest in each context by itself; a multiplier is found by bisection, several by a
    few directions in which they grow together. Then single contexts change as long as that is better. Where no rule that was
    found keeps the limits, the one that came nearest.
    """
    found = [_largest(value, can, order), *_by_multipliers(value, can, order, excess, sure)]
    chances = [_chance(rule, excess) for rule in found]
    places = np.arange(len(value))
    enough = [i for i, chance in enumerate(chances) if chance >= sure]
    if not enough:
        near = [(chance, -_beyond(rule, excess)) for chance, rule in zip(chances, found, strict=True)]
        return _improved(found[max(range(len(found)), key=near.__getitem__)], value, can, excess, sure)
    some = sorted(enough, key=lambda i: -value[places, found[i]].sum())[:_STARTS]
    rules = [_improved(found[i], value, can, excess, sure) for i in some]
    return max(rules, key=lambda each: value[places, each.rule].sum())


def _largest(value: Floats, can: Bools, order: Floats) -> Ints:  # int[C]
    """The action with the largest value in each context."""
    some = np.where(can, value, -np.inf)
    return np.asarray(np.argmax((some == some.max(axis=1, keepdims=True)) * (1 + order), axis=1))


def _totals(rule: Ints, excess: Excess) -> list[list[Floats]]:  # float[D] each
    """The sums over contexts in each draw."""
    places = np.arange(len(rule))
    return [[each[:, places, rule].sum(axis=1) for each in beliefs] for beliefs in excess]


def _kept(totals: Sequence[Sequence[Floats]]) -> Floats:
    """The probability that all limits are kept, of sums over contexts whose first axis are draws.

    Of each limit the least by any belief; limits as if they were independent.
    """
    each = [np.min([(total <= _ROUNDING).mean(axis=0) for total in beliefs], axis=0) for beliefs in totals]
    return np.asarray(np.prod(each, axis=0))


def _chance(rule: Ints, excess: Excess) -> float:
    """The probability that a rule keeps all limits."""
    return float(_kept(_totals(rule, excess)))


def _beyond(rule: Ints, excess: Excess) -> float:
    """How far a rule lies beyond the limits on average, by the belief that says most, summed over limits."""
    return float(sum(max(max(each.mean() for each in beliefs), 0.0) for beliefs in _totals(rule, excess)))


def _swapped(rule: Ints, excess: Excess) -> Floats:  # float[C, A]
    """The probability that a rule keeps all limits with another action in one context."""
    places = np.arange(len(rule))
    return _kept(
        [
            [
                each + (each[:, places, rule].sum(axis=1)[:, None] - each[:, places, rule])[:, :, None]
                for each in beliefs
            ]
            for beliefs in excess
        ]
    )


def _by_multipliers(value: Floats, can: Bools, order: Floats, excess: Excess, sure: float) -> list[Ints]:
    """Rules that are best for multipliers of the limits: the least that keep them, in each direction; the most cautious."""
    directions = [*np.eye(len(excess)), np.ones(len(excess))] if len(excess) > 1 else [np.ones(1)]
    rules = []
    for caution, direction in product(_CAUTION, directions):
        price = np.zeros(value.shape)
        for weight, beliefs in zip(direction, excess, strict=True):
            each = np.max([one.mean(axis=0) + caution * one.std(axis=0) for one in beliefs], axis=0)
            price = price + weight * each / max(float(np.abs(each[can]).max(initial=0.0)), 1e-300)
        scale = max(float(np.ptp(value[can])), 1e-12)
        low, high = 1e-6 * scale, 1e6 * scale
        rules.append(_largest(-price, can, order))
        for _ in range(_STEPS):
            middle = np.sqrt(low * high)
            rule = _largest(value - middle * price, can, order)
            rules.append(rule)
            low, high = (low, middle) if _chance(rule, excess) >= sure else (middle, high)
    return list({rule.tobytes(): rule for rule in rules}.values())


def _improved(rule: Ints, value: Floats, can: Bools, excess: Excess, sure: float) -> Within:
    """The rule with single contexts changed as long as it is better and kept, or likelier to be kept where it is not."""
    places = np.arange(len(value))
    while True:
        chance, swapped = _chance(rule, excess), np.where(can, _swapped(rule, excess), 0.0)
        if chance >= sure:
            gain = np.where(swapped >= sure, value - value[places, rule][:, None], -np.inf)
        else:
            gain = swapped - chance
        gain[places, rule] = 0.0
        gain = np.where(can, gain, -np.inf)
        if gain.max() <= _ROUNDING:
            return Within(rule, chance, _swapped(rule, excess), _kept([[e.sum(axis=1) for e in b] for b in excess]))
        context, action = np.unravel_index(gain.argmax(), gain.shape)
        rule = rule.copy()
        rule[context] = action


def draw_within(value: Floats, can: Bools, excess: Floats) -> Bools:  # bool[L, C, A]
    """The pairs with which the best rule keeps all limits over everybody in one draw of all outcomes.

    `value` (float[L, C, A]) and `excess` (float[J, L, C, A]) are times how often each context occurs; a multiplier of all
    limits together is found by bisection in all lanes at once. In each context, those that come nearest where none does.
    """
    lanes = len(value)
    size = np.abs(excess).max(axis=(2, 3), keepdims=True)
    price = (excess / np.maximum(size, 1e-300)).sum(axis=0)
    value = np.where(np.isfinite(value), value, -1e300)
    spread = np.maximum(np.ptp(np.where(can, value, value[can].min(initial=0.0)), axis=(1, 2)), 1e-12)

    def sums(multiplier: Floats) -> tuple[Floats, Floats]:
        """The excess of the best rule in each context (float[J, L, C]), and over all contexts (float[J, L])."""
        some = np.where(can, value - multiplier[:, None, None] * price, -np.inf)
        own = np.take_along_axis(excess, some.argmax(axis=2)[None, :, :, None], axis=3)[..., 0]
        return own, own.sum(axis=2)

    low, high = np.full(lanes, 1e-6) * spread, np.full(lanes, 1e6) * spread
    for _ in range(_STEPS):
        middle = np.sqrt(low * high)
        kept = (sums(middle)[1] <= _ROUNDING).all(axis=0)
        low, high = np.where(kept, low, middle), np.where(kept, middle, high)
    free = (sums(np.zeros(lanes))[1] <= _ROUNDING).all(axis=0)
    own, total = sums(np.where(free, 0.0, high))
    swapped = total[:, :, None, None] - own[..., None] + excess
    over = np.where(can, np.maximum(swapped, 0.0).sum(axis=0), np.inf)
    return np.asarray(over <= np.maximum(over.min(axis=2, keepdims=True), _ROUNDING)) & can
