"""The question whether a told number is right: one that lies far outside what was told before is refused until confirmed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import Problem
from bestdo.causal.number import is_number, read_number
from bestdo.causal.variable import Variable
from bestdo.errors import Unusual, shown
from bestdo.evidence.far_numbers import Others, in_unit
from bestdo.study.log import Log

__all__ = ["ask_whether_right"]

_NOTHING: Mapping[str, str] = MappingProxyType({})
_LATEST = 400
"""A number is compared with so many rounds, the last ones: 2 ms to read them. Chosen, not measured."""


def ask_whether_right(
    log: Log, problem: Problem, number: int, values: Mapping[str, str], instead: Mapping[str, str] = _NOTHING
) -> None:
    """Raises Unusual where a value of a round is a number far outside what other rounds showed.

    `instead` are the values that the round had before: a number that stays was confirmed, or is nothing special.
    """
    measured = [v for v in map(problem.graph.variable, values) if v.measured]
    told = [(v, here) for v in measured if (here := _amount(v, values)) != _amount(v, instead) and not math.isnan(here)]
    others = [row.values for row in log.latest_rows(_LATEST, number) if not row.deviated] if told else []
    for variable, here in told:
        before = np.array([_amount(variable, row) for row in others])
        rest = Others.of(before[~np.isnan(before)])
        if rest.has_far(here):  # seldom, so that old data are read only then
            rest = _with_old(log, problem, variable, before)
        if rest.has_far(here):
            per = "".join(f" per {shown(name)}" for name in variable.kind.told_with)
            unit = "" if per else variable.unit
            said = f"{shown(variable.name)}{per} is {in_unit(here, unit)}, {rest.in_words(here, unit)}"
            raise Unusual(f"{said}; if it is right, say that you are sure")


def _with_old(log: Log, problem: Problem, variable: Variable, before: Floats) -> Others:
    """The numbers of a variable that were told (float[R], NaN where there is none), and those of old data."""
    parts, times = [before], [np.ones(len(before))]
    for body in log.old():
        old = OldData.from_data(body, problem.graph)
        if variable.name in old.numbers:
            per = [old.numbers[name] for name in variable.kind.told_with if name in old.numbers]
            parts.append(old.numbers[variable.name] / np.prod([np.ones(len(old.times)), *per], axis=0))
            times.append(old.times.astype(np.float64))
    numbers, often = np.concatenate(parts), np.concatenate(times)
    known = np.isfinite(numbers)
    return Others.of(numbers[known], often[known])


def _amount(variable: Variable, values: Mapping[str, str]) -> float:
    """The number that a round showed of a variable, per unit of what is told with it; NaN where there is none."""
    own, *others = (_number(values.get(name, "")) for name in (variable.name, *variable.kind.told_with))
    return own / math.prod(others)


def _number(text: str) -> float:
    """The number that a text is; NaN for another text."""
    return read_number("", text) if is_number(text.strip()) else math.nan
