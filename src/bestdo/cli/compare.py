"""`bestdo figure` and `bestdo compare`: learners side by side, on the paper's worlds and on people's own."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bestdo.cli.options import F, composed, form_option, problem_options

if TYPE_CHECKING:
    from bestdo.usecases.compose import Composed
    from bestdo.usecases.simulation import Simulation

__all__ = ["Whole", "compare", "figure", "learners_option", "one_thread", "rounds_of", "simulating"]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Whole(click.IntRange):
    """A whole number that is not too small."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; or what is wanted, in words."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"{value!r} is not a whole number of at least {self.min}", param, ctx)


def _runs(sims: int) -> Callable[[F], F]:
    """The options of every command that simulates."""

    def decorate(command: F) -> F:
        for option in (
            click.option("-o", "--output", metavar="FOLDER", default="out", show_default=True, help="Where files go."),
            click.option("--workers", type=Whole(1), help="Processes; one per core when not given."),
            click.option("--seed", type=Whole(0), default=0, show_default=True, help="Of all randomness."),
            click.option("--sims", type=Whole(1), default=sims, show_default=True, help="Simulations for each point."),
        ):
            command = option(command)
        return command

    return decorate


@click.command()
@click.argument("names", nargs=-1, metavar="NAME…")
@click.option("--list", "listed", is_flag=True, help="Say which figures there are.")
@_runs(sims=10_000)
def figure(names: tuple[str, ...], listed: bool, sims: int, seed: int, workers: int | None, output: str) -> None:
    """Draw the figures named, or all: for each a table with standard errors, then a picture of it.

    FOLDER gets NAME.csv and NAME.parquet (the table), NAME.json (how it came about), NAME.svg and NAME.png. The table is
    the same, byte for byte, for any number of workers. An interrupted run goes on where it stopped when the same command
    is given again.
    """
    one_thread()
    from bestdo.usecases.figure import descriptions, named
    from bestdo.usecases.figure import figure as simulated

    if listed:
        for known, shows in descriptions().items():
            click.echo(f"{known:28} {shows}")
        return
    if not names:
        raise click.UsageError("name a figure, or say all; bestdo figure --list says which there are")
    for wanted in named(names):
        with simulating(wanted.name, sims, seed, workers, output) as (simulation, done):
            simulated(wanted, simulation)
        click.echo(done())


def _list_learners(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Prints the learners that can be named, and is done."""
    if not wanted:
        return
    from bestdo.usecases.known_learners import descriptions

    for name, words in descriptions().items():
        click.echo(f"{name:32} {words}")
    context.exit()


learners_option = click.option(
    "--learners",
    "listed",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_learners,
    help="List the names.",
)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path())
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
@_runs(sims=1_000)
def compare(
    files: tuple[str, ...],
    learners: tuple[str, ...],
    rounds: str,
    reward: str | None,
    success: str | None,
    graph_only: bool,
    form: str,
    sims: int,
    seed: int,
    workers: int | None,
    output: str,
) -> None:
    """Compare learners on your own models.

    Each FILE holds a model: a graph with all its tables (TOML, BIF). Its actions are taken, or every single action
    where it names none. Learners know the graph, and the tables of all variables but the reward (Algorithm 2 needs
    them); never the rest. A learner that is not valid on a problem is left out, and why is said. Learners of other
    packages are known by their entry point, bestdo.learners, or are named as module:Class.

    FOLDER gets compare.csv, .parquet, .json, .svg and .png, one panel for each file.
    """
    one_thread()
    from bestdo.report.comparison_table import show
    from bestdo.usecases.compare import USUAL
    from bestdo.usecases.compare import compare as compared

    horizons = rounds_of(rounds)
    for name in sorted({n for n in learners if learners.count(n) > 1}):
        click.echo(f"{name} is named twice, and plays once", err=True)
    problems = _problems(files, reward, success, graph_only)
    with simulating("compare", sims, seed, workers, output) as (simulation, done):
        found = compared(problems, horizons, learners or USUAL, simulation)
    said = done()
    if form == "json":
        data = {"rows": found.rows, "left_out": [refusal._asdict() for refusal in found.refused]}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        show(found.rows)
    click.echo(said, err=True)


def one_thread() -> None:
    """Workers are how bestdo uses many cores; threads of linear algebra would only be in their way."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def rounds_of(text: str) -> list[int]:
    """The numbers of rounds that an option lists."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise click.BadParameter(
            f"{text!r} is not a list of whole numbers above 0, as in 20,40,80", param_hint="--rounds"
        )
    return sorted({int(part) for part in parts})


def _problems(files: tuple[str, ...], reward: str | None, success: str | None, graph_only: bool) -> dict[str, Composed]:
    """The problem of each file, by a short name; where there are several, options name the reward of those that do not."""
    from bestdo.errors import NoReward

    files = _once(files)
    stems = [Path(file).name.removesuffix(".gz").rpartition(".")[0] or Path(file).name for file in files]
    problems = {}
    for file, stem in zip(files, stems, strict=True):
        name = stem if stems.count(stem) == 1 else file
        if len(files) > 1:
            with contextlib.suppress(NoReward):
                problems[name] = composed(file, None, None, graph_only)
                continue
        problems[name] = composed(file, reward, success, graph_only)
    return problems


def _once(files: tuple[str, ...]) -> tuple[str, ...]:
    """Each file once, however it is spelled."""
    found: dict[str, str] = {}
    for file in files:
        if os.path.realpath(file) in found:
            click.echo(f"{file} is given twice, and compared once", err=True)
        found.setdefault(os.path.realpath(file), file)
    return tuple(found.values())


@contextlib.contextmanager
def simulating(
    name: str, sims: int, seed: int, workers: int | None, output: str
) -> Iterator[tuple[Simulation, Callable[[], str]]]:
    """A simulation with a bar on the terminal; and what draws its table afterwards, and says how long it all took."""
    from bestdo.data.optional_libraries import matplotlib
    from bestdo.report.figure import draw
    from bestdo.usecases.simulation import Simulation

    matplotlib()
    started = time.perf_counter()

    def done() -> str:
        picture = draw(output, name)[0].with_suffix("")
        return f"{name}: {time.perf_counter() - started:.1f} s; {picture}.svg .png .csv .parquet .json"

    try:
        with _progress(name) as progress:
            yield (
                Simulation(
                    sims,
                    seed,
                    output,
                    workers or _cores(),
                    progress=progress,
                    say=lambda text: click.echo(text, err=True),
                    command=shlex.join(["bestdo", *sys.argv[1:]]),
                ),
                done,
            )
    except KeyboardInterrupt:
        click.echo(f"\nwhat is done is kept in {output}; the same command goes on from there", err=True)
        raise click.Abort from None


@contextlib.contextmanager
def _progress(name: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on the terminal; nothing where there is none."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
