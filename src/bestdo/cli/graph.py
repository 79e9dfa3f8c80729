"""`bestdo check` and `bestdo draw`: what a graph says, before a single round is paid for."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING

import click

from bestdo.cli.options import column_option, composed, counting, parsed, problem_options, reward_options

if TYPE_CHECKING:
    from bestdo.files import Contents

__all__ = ["check", "draw"]


@click.command()
@click.argument("file", type=click.Path())
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
@click.option("--data", metavar="LOG", help="Old data, CSV or Parquet: what they answer, and whether they agree.")
@column_option
def check(
    file: str,
    reward: str | None,
    success: str | None,
    graph_only: bool,
    form: str,
    rounds: int | None,
    data: str | None,
    columns: tuple[str, ...],
) -> None:
    """Say what the graph implies: which actions can never be best, how each can be learned, and what is guaranteed.

    FILE is a problem in bestdo's own format (TOML), a network (BIF) or a graph (DAGitty, DOT, GML).

    With --data also what a log of days on which nobody set anything already answers, with 95 % intervals, and whether
    it contradicts the independences that the graph claims.
    """
    from bestdo.report import check_report as report
    from bestdo.usecases.check import check as checked

    known = composed(file, reward, success, graph_only)
    with counting(data) if data is not None else contextlib.nullcontext():
        found = checked(known.problem, rounds=rounds, data=data, columns=parsed(columns))
    if form == "json":
        click.echo(json.dumps(report.as_data(found), ensure_ascii=False, indent=2))
    else:
        report.show(found, actions_given=known.actions_given)


@click.command()
@click.argument("file", type=click.Path())
@reward_options
@click.option("-o", "--output", metavar="FILE", default="-", help="A name ending in .svg (default: print it).")
@click.option("--do", "action", metavar="ACTION", help='Draw the graph after an intervention, as in "do(rain=no)".')
def draw(file: str, reward: str | None, success: str | None, output: str, action: str | None) -> None:
    """Draw the graph as an SVG picture.

    Hidden variables are dashed, the reward and the variables that may be set are marked.
    """
    from bestdo.causal.action import Actions, Intervention
    from bestdo.files import read
    from bestdo.report.drawing import draw as drawn

    _check_output(file, output)
    contents = read(file, reward=reward, success=success)
    do = Intervention.parse(action) if action else None
    if do:
        Actions(contents.graph, [do])  # complains about what cannot be set
    picture = drawn(contents.graph, _settable(contents), do)
    try:
        with click.open_file(output, "w", encoding="utf-8", atomic=output != "-") as stream:
            stream.write(picture)
    except OSError as error:
        raise click.FileError(output, error.strerror or str(error)) from None
    if output != "-":
        click.echo(f"drew {output}", err=True)


def _check_output(file: str, output: str) -> None:
    """A picture never replaces the graph that it is of, nor hides under another format's name."""
    from bestdo.errors import BestdoError, shown

    if output == "-":
        return
    if os.path.exists(output) and os.path.exists(file) and os.path.samefile(file, output):
        raise BestdoError(
            f"{shown(output, 300)} is the file to draw, which the picture would replace; give another name"
        )
    if not output.lower().endswith(".svg"):
        raise BestdoError(f"{shown(output, 300)}: the picture is SVG; give a name that ends in .svg, or - to print it")


def _settable(contents: Contents) -> set[str]:
    return set[str]().union(*contents.problem.actions) if contents.problem else set()
