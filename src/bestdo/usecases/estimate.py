"""The recommendation from the filled sheet of a fixed plan."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.reading import Reading
from bestdo.data.plan_sheet import FilledSheet, read_sheet
from bestdo.learners.fixed_plan import estimate_plan
from bestdo.study.queries import Best
from bestdo.usecases.design import require_known

__all__ = ["SheetEstimate", "estimate"]


class SheetEstimate(NamedTuple):
    """The recommendation, what is known of each action, and what was filled in."""

    best: Best
    estimates: Estimates
    filled: FilledSheet


def estimate(
    problem: Problem, sheet: str | os.PathLike[str], reading: Reading | Mapping[str, Any] | None = None
) -> SheetEstimate:
    """The recommendation from a sheet that `design` made for the problem, as a spreadsheet saved it: CSV or Excel."""
    require_known(problem)
    filled = read_sheet(problem, sheet, reading)
    kept, found = estimate_plan(problem, filled.rounds)
    return SheetEstimate(Best.of(problem, kept, found, filled.empty), found, filled)
