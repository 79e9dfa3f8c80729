"""What the rounds of a study have earned so far, against the best action as it is known now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from bestdo.bandit.estimate import Estimate
from bestdo.bandit.problem import Problem
from bestdo.bandit.rule import Rule
from bestdo.causal.graph import Graph
from bestdo.study.fold import Row

__all__ = ["Earned", "earned_by"]


class Earned(NamedTuple):
    """The sum of the rewards of all rounds that were told, and what the best action would be expected to have brought."""

    graph: Graph
    rounds: int
    total: float
    """In the unit of the reward; the number of successes where one value is success."""
    best: str
    """The best action as known now, per money where rounds have costs; or the rule, where something is seen first."""
    expected: float
    """What as many rounds of it, or as many as the same money pays for, bring by its mean; NaN where that is unknown."""
    low: float
    """With the lower end of the 95 % interval of its mean."""
    high: float

    @property
    def in_words(self) -> str:
        """In one or two sentences."""
        if not self.rounds:
            return "Nothing is earned yet."
        unit = f" {self.graph.variable(str(self.graph.reward)).unit}".rstrip()
        said = f"Earned so far: {self.graph.rewarded.total(self.total, self.rounds)}."
        if not math.isfinite(self.expected):
            return said
        known = all(map(math.isfinite, (self.low, self.high)))
        interval = f" (95 % interval {self.low:.3g} to {self.high:.3g})" if known else ""
        return f"{said} By what is known now, {self.best} would have brought {self.expected:.3g}{unit}{interval}."

    def as_data(self) -> dict[str, Any]:
        """The same for JSON; null where nothing is known."""
        numbers = {"expected": self.expected, "low": self.low, "high": self.high}
        finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        return {"rounds": self.rounds, "total": self.total, "best": self.best, **finite, "in_words": self.in_words}

    @classmethod
    def of_data(cls, graph: Graph, data: dict[str, Any]) -> Earned:
        """What `as_data` made."""
        numbers = (math.nan if data[name] is None else float(data[name]) for name in ("expected", "low", "high"))
        return cls(graph, int(data["rounds"]), float(data["total"]), str(data["best"]), *numbers)


def earned_by(
    rows: Sequence[Row], problem: Problem, lines: Sequence[Estimate], kept: int, rule: Rule | None = None
) -> Earned:
    """What these rounds have earned; `lines` are the estimates of all actions, `kept` the one that is recommended.

    With costs the best action is that with the best mean per money among those that can be the best.
    """
    graph = problem.graph
    total = math.fsum(graph.rewarded.read(row.values[str(graph.reward)]) for row in rows)
    if rule is not None:
        times, name, mean, low, high = len(rows), "the rule", rule.value.mean, rule.value.low, rule.value.high
        return Earned(graph, len(rows), total, name, times * mean, times * low, times * high)
    sign, prices = graph.rewarded.scale.sign, problem.price_list
    able = [i for i, one in enumerate(lines) if one.contender and not one.dropped and math.isfinite(one.mean)]
    one = lines[prices.best_buy(kept, {i: sign * lines[i].mean for i in able})]
    amount = math.fsum(prices.of(row.action) for row in rows) / prices.of(one.action)
    low, high = sorted((amount * one.low, amount * one.high))
    return Earned(graph, len(rows), total, str(one.action), amount * one.mean, low, high)
