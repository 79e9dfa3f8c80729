"""`bestdo compare`: compares learners on people's own models."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bestdo.cli.options import TypedOptions, files_argument, form_option, problem_options
from bestdo.cli.simulation import learners_option, own_modules, rounds_of, simulating, simulation_options

if TYPE_CHECKING:
    from bestdo.data.compose import Composed

__all__ = ["compare"]


@click.command()
@files_argument
@click.option(
    "--learner",
    "learners",
    multiple=True,
    metavar="NAME",
    help="A learner's name, or module:Class for one of your own; say it again for more of them.",
)
@learners_option
@click.option("--rounds", default="20,40,80", show_default=True, metavar="T,…", help="Numbers of rounds to compare at.")
@problem_options
@form_option
@simulation_options(sims=1_000)
def compare(
    files: tuple[str, ...],
    learners: tuple[str, ...],
    rounds: str,
    options: TypedOptions,
    form: str,
    sims: int,
    seed: int,
    workers: int | None,
    output: str,
    dask: str | None,
) -> None:
    """Compare learners on your own models.

    Each FILE holds a model: a graph with all its tables (TOML, BIF). Its actions are taken, or every single action
    where it names none. Learners know the graph, and the tables of all variables but the reward (Algorithm 2 needs
    them); never the rest. A learner that is not valid on a problem is left out, and why is said. Learners of other
    packages are known by their entry point, bestdo.learners, or are named as module:Class.

    With --goal earn the regret is summed over all rounds, and all learners meet the same chance.

    With --in-doubt the files are one problem: learners know that the graph of each may be right, and the model of the one
    FILE that has all tables is the truth.

    FOLDER gets compare.csv, .parquet, .json, .svg and .png, one panel for each file.
    """
    from bestdo.report.comparison_table import show
    from bestdo.report.study_report import show_goal
    from bestdo.usecases.compare import compare_problems, usual_for

    horizons = rounds_of(rounds)
    own_modules(learners)
    for name in sorted({n for n in learners if learners.count(n) > 1}):
        click.echo(f"{name} is named twice; it is compared once", err=True)
    problems = _problems(files, options)
    with simulating("compare", sims, seed, workers, output, dask, learners) as (simulation, done):
        found = compare_problems(problems, horizons, learners or usual_for(problems.values()), simulation)
    said = done()
    if form == "json":
        data = {"rows": found.rows, "left_out": [refusal._asdict() for refusal in found.refused]}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        for known in {p.problem.graph.wanted: p for p in problems.values()}.values():
            show_goal(known.problem)
        units = {known.problem.graph.rewarded.unit for known in problems.values()}
        show(found.rows, unit=units.pop() if len(units) == 1 else "")
    click.echo(said, err=True)


def _problems(files: tuple[str, ...], options: TypedOptions) -> dict[str, Composed]:
    """The problem of each file, by a short name; of several files, the options concern those that need them."""
    from bestdo.errors import NoAim, NoReward, NoSuccess
    from bestdo.files import Wanted

    files = _once(files)
    if options.in_doubt:
        return {"in doubt": options.composed(files)}
    stems = [Path(file).name.removesuffix(".gz").rpartition(".")[0] or Path(file).name for file in files]
    problems = {}
    for file, stem in zip(files, stems, strict=True):
        name = stem if stems.count(stem) == 1 else file
        if len(files) > 1:
            with contextlib.suppress(NoAim, NoReward, NoSuccess):
                problems[name] = options.composed((file,), said=Wanted())
                continue
        problems[name] = options.composed((file,))
    return problems


def _once(files: tuple[str, ...]) -> tuple[str, ...]:
    """The files without duplicates, however their paths are written."""
    found: dict[str, str] = {}
    for file in files:
        if os.path.realpath(file) in found:
            click.echo(f"{file} is given twice; it is compared once", err=True)
        found.setdefault(os.path.realpath(file), file)
    return tuple(found.values())
