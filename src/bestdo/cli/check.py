"""`bestdo check`: what a graph implies for an experiment, before the first round."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

import click

from bestdo.bandit.confidence import level_name
from bestdo.cli.options import TypedOptions, counting, data_options, files_argument, filled, problem_options
from bestdo.formats import format_names

if TYPE_CHECKING:
    from bestdo.bandit.reading import Reading

__all__ = ["check"]


@click.command()
@files_argument
@problem_options
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="Words and a table for people, or JSON for programs.",
)
@click.option(
    "--rounds", type=click.IntRange(1), metavar="N", help="Also say what the theorems guarantee after N rounds."
)
@click.option(
    "--data", metavar="LOG", help="Old data, CSV, Excel or Parquet: what they answer, and whether they agree."
)
@data_options
@filled(graphs=format_names("TOML", "BIF"), level=level_name())
def check(
    files: tuple[str, ...],
    options: TypedOptions,
    form: str,
    rounds: int | None,
    data: str | None,
    reading: Reading,
) -> None:
    """Say what the graph implies: which actions can never be best, how each can be learned, and what is guaranteed.

    FILE is a problem in bestdo's own format (TOML), a network (BIF) or a graph ({graphs}).

    Where arrows are in doubt (a ?-> b in a file, or several files with --in-doubt), what holds in all graphs that are
    possible, and which of the doubtful arrows matter.

    With --data also what a log of days on which nobody set anything already answers, with {level} intervals, and whether
    it contradicts the independences that the graph claims.
    """
    from bestdo.report import check_report as report
    from bestdo.usecases.check import check as checked

    known = options.composed(files)
    with counting(data) if data is not None else contextlib.nullcontext():
        found = checked(known.problem, rounds=rounds, data=data, reading=reading)
    if form == "json":
        click.echo(json.dumps(report.as_data(found), ensure_ascii=False, indent=2))
    else:
        report.show(found, actions_given=known.actions_given)
