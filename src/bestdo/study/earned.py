"""What the rounds of a study have earned so far, against the best action as it is known now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from bestdo.bandit.estimate import Estimate
from bestdo.bandit.problem import Problem
from bestdo.bandit.rule import Rule
from bestdo.causal.graph import Graph
from bestdo.causal.number import read_number
from bestdo.study.fold import Row
from bestdo.text import counted

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
        graph, rounds = self.graph, counted(self.rounds, "round")
        unit = f" {graph.variable(str(graph.reward)).unit}".rstrip()
        if graph.success is not None:
            had = f"{self.total:g} of {rounds} had {graph.reward} = {graph.success}"
            said = f"Earned so far: {had}, {100 * self.total / self.rounds:.0f} %."
        else:
            mean = self.total / self.rounds
            said = f"Earned so far: {self.total:.4g}{unit} in {rounds}, {mean:.4g}{unit} on average."
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
    total = math.fsum(_reward(graph, row.values[str(graph.reward)]) for row in rows)
    if rule is not None:
        times, name, mean, low, high = len(rows), "the rule", rule.value.mean, rule.value.low, rule.value.high
        return Earned(graph, len(rows), total, name, times * mean, times * low, times * high)
    sign, prices = -1 if graph.aim == "minimise" else 1, problem.price_list
    able = [i for i, one in enumerate(lines) if one.contender and not one.dropped and math.isfinite(one.mean)]
    one = lines[prices.best_buy(kept, {i: sign * lines[i].mean for i in able})]
    amount = math.fsum(prices.of(row.action) for row in rows) / prices.of(one.action)
    low, high = sorted((amount * one.low, amount * one.high))
    return Earned(graph, len(rows), total, str(one.action), amount * one.mean, low, high)


def _reward(graph: Graph, value: str) -> float:
    """The reward of a round, in its own unit, from the value that was told."""
    if graph.number is not None:
        return read_number(str(graph.reward), value)
    return graph.payoffs[graph.variable(str(graph.reward)).code(value)]
