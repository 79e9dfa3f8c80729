"""The recommendation from the filled sheet of a fixed plan."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, Unpack

import bestdo.display as display
from bestdo.arguments import path_of
from bestdo.bandit.answer import Answer, Best
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.reading import Reading
from bestdo.data.compose import compose
from bestdo.data.plan_sheet import FilledSheet, read_sheet
from bestdo.data.problem_options import ProblemOptions, check_names
from bestdo.learners.fixed_plan import estimate_plan
from bestdo.usecases.design import require_known

__all__ = ["SheetEstimate", "estimate"]


class SheetEstimate(NamedTuple):
    """The recommendation, what is known of each action, and what was filled in."""

    best: Best
    estimates: Estimates
    filled: FilledSheet

    def __repr__(self) -> str:
        return f"SheetEstimate({self.best!r})"

    def _repr_html_(self) -> str:
        return display.html(self)

    def plot(self) -> Any:
        """The intervals as a matplotlib figure, that of the recommended action first."""
        return display.plot(self)

    def to_frame(self, library: str | None = None) -> Any:
        """A row for each action, as a data frame of pandas or Polars; see `bestdo.display.to_frame`."""
        return display.to_frame(self, library)


def estimate(
    problem: object,
    sheet: str | os.PathLike[str],
    reading: Reading | Mapping[str, Any] | None = None,
    **options: Unpack[ProblemOptions],
) -> SheetEstimate:
    r"""The recommendation from a sheet that `bestdo.fixed_plan` made for the problem, as a spreadsheet saved it.

    problem: as it was given to `fixed_plan`. sheet: the path of the filled sheet, CSV or Excel; lines may be empty. reading:
    more about the table. options: as in `bestdo.compose`. The result has `best`, `estimates` and `filled`.

    Raises NotKnown where too little is known of the problem, and FileError, with line and column, where a line is wrong.

    >>> import bestdo
    >>> from pathlib import Path
    >>> sheet = bestdo.fixed_plan("examples/farm.toml", rounds=2).sheet().decode().splitlines()
    >>> filled = [sheet[0], "1,do(moisture=wet),set moisture to wet,low,poor,wet,good", *sheet[2:]]
    >>> written = Path("plan.csv").write_text("\n".join(filled))
    >>> bestdo.estimate("examples/farm.toml", "plan.csv").filled.empty
    1
    """
    check_names(estimate, options)
    problem, sheet = compose(problem, **options).problem, path_of("a filled sheet", sheet)
    require_known(problem)
    filled = read_sheet(problem, sheet, reading)
    kept, found = estimate_plan(problem, filled.rounds)
    found = found._replace(actions=problem.actions, best=kept)
    return SheetEstimate(Answer.of(problem, found, filled.empty).best, found, filled)
