"""What the rounds of a study have earned so far: the sum of their rewards."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from bestdo.bandit.estimate import Estimate
from bestdo.causal.graph import Graph
from bestdo.causal.number import read_number
from bestdo.study import Study
from bestdo.text import counted

__all__ = ["Earnings", "earnings"]


class Earnings(NamedTuple):
    """The sum of the rewards of all rounds that were told."""

    rounds: int
    total: float
    """In the unit of the reward; the number of successes where one value is success."""
    missed: float
    """How much better always doing the best would have been, by the means as they are known now; NaN where they are not."""
    graph: Graph

    @property
    def in_words(self) -> str:
        """In one or two sentences."""
        if not self.rounds:
            return "Nothing is earned yet."
        graph = self.graph
        if graph.success is not None:
            part = f"{self.total:g} of {counted(self.rounds, 'round')} had {graph.reward} = {graph.success}"
            said = f"Earned so far: {part}, {100 * self.total / self.rounds:.0f} %."
        else:
            unit = f" {graph.variable(graph.reward or '').unit}".rstrip()
            mean = self.total / self.rounds
            said = f"Earned so far: {self.total:.4g}{unit} in {counted(self.rounds, 'round')}, {mean:.4g}{unit} on average."
        if not math.isfinite(self.missed):
            return said
        return f"{said} Always doing the best would have made that about {abs(self.missed):.2g} {self._better}."

    @property
    def _better(self) -> str:
        """Whether a better sum is more or less."""
        return "less" if self.graph.aim == "minimise" else "more"


def earnings(study: Study, lines: Iterable[Estimate]) -> Earnings:
    """What a study has earned; `lines` are the estimates of its actions, by which what was missed is reckoned."""
    graph, told = study.problem.graph, [row["values"] for row in study.rounds() if row["status"] == "told"]
    reward = graph.reward or ""
    rewards = [_reward(graph, str(values[reward])) for values in told]
    known = [line for line in lines if line.played]
    missed = math.nan
    if known and not study.problem.first:
        best = (min if graph.aim == "minimise" else max)(line.mean for line in known)
        missed = sum(line.played * abs(best - line.mean) for line in known)
    return Earnings(len(told), math.fsum(rewards), missed, graph)


def _reward(graph: Graph, value: str) -> float:
    """The reward of a round from the value that was told."""
    if graph.success is not None:
        return float(value == graph.success)
    if graph.worth is not None:
        return dict(graph.worth)[value]
    return read_number(graph.reward or "", value)
