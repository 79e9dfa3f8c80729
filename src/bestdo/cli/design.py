"""`bestdo design`: the optimal fixed plan on a sheet, for when rounds cannot be decided one by one."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING

import click

from bestdo.cli.options import TypedOptions, data_options, files_argument, form_option, hint, problem_options

if TYPE_CHECKING:
    from bestdo.bandit.problem import Problem
    from bestdo.bandit.reading import Reading

__all__ = ["design"]

_data = click.option(
    "--data",
    metavar="OLD",
    type=click.Path(),
    help="Old data, when nobody set anything (CSV, Excel, Parquet): how often values occur is estimated from them.",
)


@click.command()
@files_argument
@problem_options
@click.option("--rounds", type=click.IntRange(1), metavar="N", help="How many rounds the plan has.")
@click.option(
    "--budget", type=click.FloatRange(0, min_open=True), metavar="X", help="Instead: what the rounds may cost together."
)
@_data
@data_options
@click.option("-o", "--output", metavar="SHEET", help="Where the sheet goes, as in plan.csv; plan.json goes beside it.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the order of the rounds.")
@click.option(
    "--separator",
    type=click.Choice(["comma", "semicolon", "tab"]),
    default="comma",
    show_default=True,
    help="Between columns; spreadsheets set to a decimal comma want semicolons.",
)
@form_option
def design(
    files: tuple[str, ...],
    options: TypedOptions,
    rounds: int | None,
    budget: float | None,
    data: str | None,
    reading: Reading,
    output: str | None,
    seed: int,
    separator: str,
    form: str,
) -> None:
    """Write the optimal fixed plan for the problem in FILE, for when all rounds must be decided beforehand.

    The sheet has a line for each round, in a random order, and an empty column for everything that is seen. Fill it in
    and give it to bestdo estimate. With --budget it is the plan that learns most for its money. With
    --data the problem with what was estimated goes beside the sheet, as in plan.toml: give that to bestdo estimate.
    """
    from bestdo.errors import BestdoError, NotKnown
    from bestdo.report.sections.plan import plan_as_data, plan_lines
    from bestdo.report.study_report import show_goal
    from bestdo.report.writers.terminal import show as write
    from bestdo.usecases.design import design as made

    if (rounds is None) == (budget is None):
        raise BestdoError("say how many rounds the plan has (--rounds N), or what it may cost (--budget X)")
    known = options.composed(files, data, reading)
    for note in known.notes[len(known.contents.notes) :]:
        click.echo(note, err=True)
    problem = known.problem
    with hint(NotKnown, " (bestdo design --data OLD, bestdo new)"):
        plan = made(problem, rounds=rounds, budget=budget, seed=seed)
    about = plan_as_data(plan)
    if output:
        _write(output, plan.sheet(separator), about, problem if data else None)
    if form == "json":
        click.echo(json.dumps(about, ensure_ascii=False, indent=2))
    else:
        show_goal(problem)
        write(plan_lines(plan))
        if budget is not None and problem.cost is None:
            click.echo("the file names no costs, so that every round costs 1", err=True)
    if output:
        given = [_beside(output, ".toml")] if data else [*files, *options.words]
        again = shlex.join(["bestdo", "estimate", *given, output])
        click.echo(f"wrote {output} and {_beside(output, '.json')}; fill it in, then: {again}", err=True)


def _beside(output: str, extension: str) -> str:
    """The path of the file beside the sheet with this extension."""
    return os.path.splitext(output)[0] + extension


def _write(output: str, sheet: bytes, about: dict[str, object], estimated: Problem | None) -> None:
    """Writes the sheet and the files beside it; a file that exists already, perhaps filled in, is never replaced."""
    from bestdo.errors import BestdoError, shown
    from bestdo.files import Contents, toml
    from bestdo.files.atomic_io import read_bytes, write_bytes

    files = {output: sheet, _beside(output, ".json"): (json.dumps(about, ensure_ascii=False, indent=1) + "\n").encode()}
    if estimated:
        files[_beside(output, ".toml")] = toml.write(Contents(estimated.graph, estimated)).encode()
    if os.path.splitext(output)[1].lower() not in (".csv", ".tsv", ".txt"):
        raise BestdoError(f"{shown(output, 300)}: the sheet is CSV; give a name that ends in .csv")
    for path, content in files.items():
        if os.path.exists(path) and read_bytes(path) != content:
            raise BestdoError(
                f"{shown(path, 300)} exists already, perhaps filled in: give another name, or move it away"
            )
    for path, content in files.items():
        write_bytes(path, content)
