"""The options that simulating commands share, the number of processes and the progress bar."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from bestdo.cli.options import F
from bestdo.errors import BestdoError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from bestdo.usecases.simulation import Simulation

__all__ = [
    "Whole",
    "cores",
    "dask_option",
    "learners_option",
    "on_cluster",
    "own_modules",
    "rounds_of",
    "simulating",
    "simulation_options",
]


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Whole(click.IntRange):
    """The type of options that are whole numbers with a least value."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; raises an error that says what is wanted."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"{value!r} is not a whole number of at least {self.min}", param, ctx)


dask_option = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Play on the workers of a Dask cluster, given the address of its scheduler, as tcp://host:8786.",
)


@contextlib.contextmanager
def on_cluster(address: str | None, workers: int | None, learners: Iterable[str]) -> Iterator[Executor | None]:
    """The executor of the Dask cluster at an address, whose workers get the files of own learners; None without one."""
    if address is None:
        yield None
        return
    if workers is not None:
        raise click.UsageError("say --dask or --workers, not both: the cluster has its own workers")
    from bestdo.usecases.dask_cluster import cluster

    with cluster(address, learners) as executor:
        yield executor


def own_modules(learners: Iterable[str]) -> None:
    """Lets `module:Class` name a module in the working directory; installed modules of the same name come first.

    Says which learners repeat an error or choice of published code.
    """
    here = os.getcwd()
    if any(":" in name for name in learners) and here not in sys.path:
        sys.path.append(here)
    for name in learners:
        file, _, path = name.partition(":")
        if file.endswith(".py") and path:
            module = file.removesuffix(".py").replace("/", ".").lstrip(".")
            raise BestdoError(f"a learner is named by its module, not by its file: write {module}:{path} for {name}")
    from bestdo.usecases.known_learners import warning

    for text in filter(None, map(warning, dict.fromkeys(learners))):
        click.echo(text, err=True)


def simulation_options(sims: int) -> Callable[[F], F]:
    """The options of every command that simulates."""

    def decorate(command: F) -> F:
        for option in (
            dask_option,
            click.option(
                "-o", "--output", metavar="FOLDER", default="out", show_default=True, help="Where the files go."
            ),
            click.option("--workers", type=Whole(1), help="Processes; one per core when not given."),
            click.option("--seed", type=Whole(0), default=0, show_default=True, help="Seed of all random numbers."),
            click.option("--sims", type=Whole(1), default=sims, show_default=True, help="Simulations for each point."),
        ):
            command = option(command)
        return command

    return decorate


def _list_learners(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Prints the learners that can be named, and ends the command."""
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


def rounds_of(text: str) -> list[int]:
    """The numbers of rounds that an option lists."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise click.BadParameter(
            f"{text!r} is not a list of whole numbers above 0, as in 20,40,80", param_hint="--rounds"
        )
    return sorted({int(part) for part in parts})


@contextlib.contextmanager
def simulating(
    name: str, sims: int, seed: int, workers: int | None, output: str, dask: str | None, learners: Iterable[str] = ()
) -> Iterator[tuple[Simulation, Callable[[], str]]]:
    """A simulation with a progress bar, and a function that draws its table afterwards and says how long it took."""
    from bestdo.data.optional_libraries import matplotlib
    from bestdo.report.figure import draw
    from bestdo.usecases.progress_bar import progress_bar
    from bestdo.usecases.simulation import Simulation

    matplotlib()
    started = time.perf_counter()

    def done() -> str:
        picture = draw(output, name)[0].with_suffix("")
        return f"{name}: {time.perf_counter() - started:.1f} s; {picture}.svg .png .csv .parquet .json"

    try:
        with on_cluster(dask, workers, learners) as executor, progress_bar(name) as progress:
            yield (
                Simulation(
                    sims,
                    seed,
                    output,
                    workers or cores(),
                    executor,
                    progress=progress,
                    say=lambda text: click.echo(text, err=True),
                    command=shlex.join(["bestdo", *sys.argv[1:]]),
                ),
                done,
            )
    except KeyboardInterrupt:
        click.echo(f"\nwhat is done is kept in {output}; the same command continues from there", err=True)
        raise click.Abort from None
