"""What the rounds of a study have earned so far, against the best action as it is known now."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bestdo.bandit.earned import Earned
from bestdo.bandit.estimate import Estimate
from bestdo.bandit.problem import Problem
from bestdo.bandit.rule import Rule
from bestdo.causal.graph import Graph
from bestdo.causal.number import read_number
from bestdo.study.fold import Row

__all__ = ["earned_by"]


def earned_by(rows: Sequence[Row], problem: Problem, lines: Sequence[Estimate], kept: int, rule: Rule) -> Earned:
    """What these rounds have earned; `lines` are the estimates of all actions, `kept` the one that is recommended.

    With costs the best action is that with the best mean per money among those that can be the best.
    """
    graph = problem.graph
    total = math.fsum(_reward(graph, row.values[str(graph.reward)]) for row in rows)
    if problem.first:
        times, name, mean, low, high = len(rows), "the rule", rule.value.mean, rule.value.low, rule.value.high
        return Earned(graph, len(rows), total, name, times * mean, times * low, times * high)
    amount, best = float(len(rows)), kept
    if problem.cost is not None:
        spent = math.fsum(problem.cost[problem.actions.index(row.action)] for row in rows)
        sign = -1 if graph.aim == "minimise" else 1
        able = [i for i, one in enumerate(lines) if one.contender and not one.dropped and math.isfinite(one.mean)]
        best = max(able, key=lambda i: sign * lines[i].mean / problem.prices[i], default=kept)
        amount = spent / float(problem.prices[best])
    one = lines[best]
    low, high = sorted((amount * one.low, amount * one.high))
    return Earned(graph, len(rows), total, str(one.action), amount * one.mean, low, high)


def _reward(graph: Graph, value: str) -> float:
    """The reward of a round, in its own unit, from the value that was told."""
    if graph.number is not None:
        return read_number(str(graph.reward), value)
    return graph.payoffs[graph.variable(str(graph.reward)).code(value)]
