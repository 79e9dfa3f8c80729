"""`bestdo estimate`: the recommendation from the filled sheet of a fixed plan."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from bestdo.cli.options import TypedOptions, data_options, files_argument, form_option, problem_options

if TYPE_CHECKING:
    from bestdo.bandit.reading import Reading

__all__ = ["estimate"]


@click.command()
@files_argument
@problem_options
@click.argument("sheet", type=click.Path())
@data_options
@form_option
def estimate(
    files: tuple[str, ...],
    sheet: str,
    options: TypedOptions,
    reading: Reading,
    form: str,
) -> None:
    """Recommend an action from SHEET, a plan that bestdo design wrote for FILE and that has been filled in.

    Excel, or CSV as spreadsheets save it: commas, semicolons or tabs, UTF-8 or UTF-16, columns in any order. Lines
    left empty are missing, not failures. A line that cannot be right stops everything, and is named.
    """
    from bestdo.bandit.answer import Answer
    from bestdo.report.sections.plan import filled_as_data, filled_lines
    from bestdo.report.study_report import show_answer, show_goal
    from bestdo.report.writers.terminal import show as write
    from bestdo.usecases.estimate import estimate as estimated

    problem = options.composed(files).problem
    _, estimates, filled = estimated(problem, sheet, reading)
    answer = Answer.of(problem, estimates, filled.empty)
    if form == "json":
        data = {**answer.as_data(), "sheet": filled_as_data(filled)}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        graph = problem.graph
        assert graph.reward is not None
        show_goal(problem)
        write(filled_lines(filled, graph.reward, graph.parents[graph.reward]))
        show_answer(answer)
