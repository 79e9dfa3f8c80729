"""What the rounds of a study have earned so far, against the best action as it is known now."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bestdo.bandit.earned import Earned
from bestdo.bandit.estimate import Estimate
from bestdo.bandit.problem import Problem
from bestdo.bandit.rule import Rule
from bestdo.study.fold import Row

__all__ = ["earned_by"]


def earned_by(rows: Sequence[Row], problem: Problem, lines: Sequence[Estimate], kept: int, rule: Rule) -> Earned:
    """What these rounds have earned; `lines` are the estimates of all actions, `kept` the one that is recommended.

    With costs the best action is that with the best mean per money among those that can be the best.
    """
    graph = problem.graph
    total = math.fsum(graph.rewarded.read(row.values[str(graph.reward)]) for row in rows)
    if problem.first:
        times, name, mean, low, high = len(rows), "the rule", rule.value.mean, rule.value.low, rule.value.high
        return Earned(graph, len(rows), total, name, times * mean, times * low, times * high)
    sign, prices = graph.rewarded.scale.sign, problem.price_list
    able = [i for i, one in enumerate(lines) if one.contender and not one.dropped and math.isfinite(one.mean)]
    one = lines[prices.best_buy(kept, {i: sign * lines[i].mean for i in able})]
    amount = math.fsum(prices.of(row.action) for row in rows) / prices.of(one.action)
    low, high = sorted((amount * one.low, amount * one.high))
    return Earned(graph, len(rows), total, str(one.action), amount * one.mean, low, high)
