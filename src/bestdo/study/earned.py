"""The earnings of the rounds of a study so far, against the best action as it is known now."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bestdo.bandit.earned import Earned
from bestdo.bandit.estimate import Estimate
from bestdo.bandit.problem import Problem
from bestdo.bandit.rule import Rule, Value
from bestdo.study.fold import Row

__all__ = ["earned_by"]


def earned_by(rows: Sequence[Row], problem: Problem, lines: Sequence[Estimate], kept: int, rule: Rule) -> Earned:
    """The earnings of these rounds, and those that the best action would have brought for the same part of the horizon.

    `lines` are the estimates of all actions, `kept` the one that is recommended. The best is the rule where something is seen
    first; otherwise, with costs, the action with the best mean per money among those that can be the best and keep all
    limits, and without costs the one that is recommended.
    """
    rewarded, prices = problem.graph.rewarded, problem.price_list
    total = math.fsum(rewarded.read(row.values[str(problem.graph.reward)]) for row in rows)
    name, value, price = "the rule", rule.value, prices.on_average(rule.actions, rule.shares)
    if not problem.first:
        able = {i: rewarded.scale.sign * one.mean for i, one in enumerate(lines) if _can_be_best(one, problem.sure)}
        one = lines[prices.best_buy(kept, able)]
        name, value, price = str(one.action), Value(one.mean, one.low, one.high), prices.of(one.action)
    amount = math.fsum(prices.of(row.action) for row in rows) / price
    low, high = sorted((amount * value.low, amount * value.high))
    return Earned(problem, len(rows), total, name, amount * value.mean, low, high)


def _can_be_best(one: Estimate, sure: float) -> bool:
    """Whether an action can be the best as far as known, and keeps all limits with the probability asked for."""
    return one.contender and not one.dropped and math.isfinite(one.mean) and one.keeps >= sure
