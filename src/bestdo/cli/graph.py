"""`bestdo check` and `bestdo draw`: what a graph says, before a single round is paid for."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from bestdo.cli.options import F, column_option, counting, parsed, reward_options

if TYPE_CHECKING:
    from bestdo.bandit.problem import Problem
    from bestdo.causal.graph import Graph
    from bestdo.files import Contents

__all__ = ["check", "draw", "every_single_action", "graph_file"]


def graph_file(command: F) -> F:
    """The argument and options of every command that reads a graph from a file."""
    return click.argument("file", type=click.Path())(reward_options(command))


@click.command()
@graph_file
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="Words and a table for people, or JSON for programs.",
)
@click.option("--data", metavar="LOG", help="Old data, CSV or Parquet: what they answer, and whether they agree.")
@column_option
def check(
    file: str, reward: str | None, success: str | None, form: str, data: str | None, columns: tuple[str, ...]
) -> None:
    """Say what the graph implies: which actions can never be best, and how each can be learned.

    FILE is a problem in bestdo's own format (TOML), a network (BIF) or a graph (DAGitty, DOT, GML).

    With --data also what a log of days on which nobody set anything already answers, with 95 % intervals, and whether
    it contradicts the independences that the graph claims.
    """
    from bestdo.design.outlook import Outlook
    from bestdo.files import read
    from bestdo.report import check_report as outlook
    from bestdo.report import old_data_report as old

    contents = read(file, reward=reward, success=success)
    problem = contents.problem or every_single_action(contents.graph)
    answer = Outlook.of(problem, contents.model)
    found = None
    if data is not None:
        from bestdo.data.data_check import check_data

        with counting(data):
            found = check_data(data, problem, parsed(columns))
    if form == "json":
        said = outlook.as_data(answer)
        if found is not None:
            said["data"] = old.examined_as_data(found)
        click.echo(json.dumps(said, ensure_ascii=False, indent=2))
        return
    outlook.show(answer, actions_given=contents.problem is not None)
    if found is not None:
        old.show_examined(found)


def every_single_action(graph: Graph) -> Problem:
    """What is taken when the file names no actions."""
    from bestdo.bandit.problem import Problem
    from bestdo.causal.action import Actions
    from bestdo.errors import GraphError, shown

    if graph.reward is None:
        two = [n for n in graph.observed if graph.size(n) == 2]
        listed = ", ".join(map(shown, two[:8])) + (f" and {len(two) - 8} more" if len(two) > 8 else "")
        raise GraphError(
            "the file names no reward: say --reward NAME --success VALUE"
            f" (observed variables with two values: {listed or 'none'})"
        )
    return Problem(graph, Actions.single(graph))


@click.command()
@graph_file
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
