"""The display of means: their meaning, their unit, their decimals, and the axis that they fit on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bestdo.text import decimals_of, rounded, share

if TYPE_CHECKING:
    from bestdo.bandit.estimate import Estimate
    from bestdo.bandit.rule import Value
    from bestdo.causal.graph import Graph
    from bestdo.evidence.answers import Answer

__all__ = ["UNKNOWN", "Axis", "RewardScale", "Written", "axis_of"]

Written = Callable[[float], str]
"""The way in which a probability is written: `chance` or `percent`."""
UNKNOWN = "not known yet"
"""Stands for an interval without ends."""
_MOST_TICKS = 5
"""Ticks of an axis. Chosen, not measured."""
_FORMS = {"share": share, "number": rounded}
_LONGEST = 4.0
"""Intervals that are longer than so many times the median one are cut at the axis's end. Chosen, not measured."""


@dataclass(frozen=True)
class Axis:
    """The range of an axis and its ticks, which begin and end it."""

    ticks: tuple[float, ...]

    @property
    def span(self) -> tuple[float, float]:
        """The axis's least and largest number."""
        return self.ticks[0], self.ticks[-1]

    @property
    def labels(self) -> tuple[str, ...]:
        """The ticks as text."""
        short = tuple(f"{tick:g}" for tick in self.ticks)
        return short if len(set(short)) == len(short) else tuple(f"{tick:.12g}" for tick in self.ticks)

    @property
    def ends(self) -> tuple[str, ...]:
        """The labels of the first and the last tick, and of that in the middle where there is one."""
        labels = self.labels
        return (labels[0], labels[len(labels) // 2], labels[-1]) if len(labels) % 2 else (labels[0], labels[-1])


@dataclass(frozen=True)
class RewardScale:
    """The display of the means of a problem's actions."""

    label: str
    """The meaning of a mean: "chance of yield = good", or "mean harvest, t/ha"."""
    unit: str
    decimals: int
    axis: Axis
    sign: float = 1.0
    """1 where larger means are better, otherwise -1."""
    form: str = "number"
    """The form in which a mean is shown, as in `_FORMS`."""

    @property
    def smaller(self) -> bool:
        """Whether smaller means are better."""
        return self.sign < 0

    @classmethod
    def of(cls, graph: Graph, lines: Sequence[Estimate] | Sequence[Answer] | Sequence[Value]) -> RewardScale:
        """The scale for these estimates, in the unit of the reward."""
        from statistics import median

        ends = [(line.low, line.high) for line in lines if math.isfinite(line.low) and math.isfinite(line.high)]
        lengths = [high - low for low, high in ends if high > low]
        decimals = max(decimals_of(min(lengths) / 2) if lengths else 2, graph.rewarded.least_decimals)
        usual = median(lengths) if lengths else 0.0
        shown = [line.mean for line in lines if math.isfinite(line.mean)]
        shown += [end for low, high in ends if high - low <= _LONGEST * usual for end in (low, high)]
        reward = graph.rewarded
        return cls(reward.label, reward.summed_unit, decimals, axis_of(graph, shown), reward.scale.sign, reward.form)

    def mean(self, mean: float) -> str:
        """A mean as text; a dash where nothing is known."""
        return _FORMS[self.form](mean, self.decimals) if math.isfinite(mean) else "–"

    def with_unit(self, mean: float) -> str:
        """A mean with its unit."""
        return f"{self.mean(mean)}{' ' + self.unit if self.unit else ''}"

    @property
    def heading(self) -> str:
        """The heading of a column of means."""
        return f"mean ({self.unit})" if self.unit else "mean"

    def interval(self, low: float, high: float) -> str:
        """An interval as text."""
        if not (math.isfinite(low) and math.isfinite(high)):
            return UNKNOWN
        return f"{rounded(low, self.decimals)}{' to ' if low < 0 else '–'}{rounded(high, self.decimals)}"

    def rank(self, mean: float) -> float:
        """A number by which means are sorted: the best first, those that are not known last."""
        return -self.sign * mean if math.isfinite(mean) else math.inf


def axis_of(graph: Graph, shown: Iterable[float]) -> Axis:
    """The axis of means: of all that are possible for values, and of those shown for numbers."""
    found = [number for number in shown if math.isfinite(number)]
    bounds = graph.bounds
    if graph.number is None or not found or (min(found), max(found)) == bounds:
        low, high = bounds or (0.0, 1.0)
        return Axis(tuple(low + (high - low) * k / (_MOST_TICKS - 1) for k in range(_MOST_TICKS)))
    return Axis(_round_ticks(min(found), max(found)))


def _round_ticks(low: float, high: float) -> tuple[float, ...]:
    """Evenly spaced round numbers, at most five, from one at or below the low one to one at or above the high one."""
    if high <= low:
        around = abs(low) / 10 or 1.0
        low, high = low - around, high + around
    size = 10.0 ** math.floor(math.log10((high - low) / (_MOST_TICKS - 1)))
    for step in (size * k for k in (1, 2, 2.5, 5, 10, 20)):
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first < _MOST_TICKS:
            return tuple(float(f"{k * step:.12g}") for k in range(first, last + 1))
    return low, high
