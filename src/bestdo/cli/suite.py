"""`bestdo suite`: learners of the field and of one's own on named worlds, beside the archive of all others."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from bestdo.cli.options import form_option
from bestdo.cli.simulation import Whole, cores, dask_option, on_cluster, own_modules
from bestdo.errors import BestdoError
from bestdo.text import counted

__all__ = ["suite"]

_SHORT = 120
"""Up to so many seconds an estimate is in seconds."""


@click.group(invoke_without_command=True)
@click.pass_context
def suite(context: click.Context) -> None:
    """Compare learners on the worlds of the suite, beside the archive of all learners."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


kind_option = click.option(
    "--kind", "kinds", multiple=True, metavar="KIND", help="Only worlds of this kind; repeatable."
)
world_option = click.option("--world", "worlds", multiple=True, metavar="NAME", help="Only this world; repeatable.")


@suite.command("list")
@kind_option
@form_option
def list_worlds(kinds: tuple[str, ...], form: str) -> None:
    """List the worlds: name, kind, goal, what is measured, horizons, and how many learners are in the archive."""
    from bestdo.research.report.suite_summary import show_worlds, worlds_as_data
    from bestdo.research.suite.suite import described, left_out

    found, missing = described(kinds), left_out((), kinds)
    if form == "json":
        click.echo(json.dumps(worlds_as_data(found), ensure_ascii=False, indent=2))
    else:
        show_worlds(found)
    if missing:
        click.echo(missing, err=True)


@suite.command("show")
@click.argument("world")
@form_option
def show_world(world: str, form: str) -> None:
    """Say what WORLD is: its goal, horizons and source, what was published, and the best learners in the archive."""
    from bestdo.research.report.suite_summary import show_world, worlds_as_data
    from bestdo.research.suite.suite import described

    (found,) = described((), [world])
    if form == "json":
        click.echo(json.dumps(worlds_as_data([found])[0], ensure_ascii=False, indent=2))
    else:
        show_world(found)


@suite.command()
@click.argument("learners", nargs=-1, required=True, metavar="LEARNER…")
@click.option(
    "--quick", is_flag=True, help="Few simulations: about two minutes on two cores for one learner. The default."
)
@click.option("--full", is_flag=True, help="As many simulations as the archive has.")
@world_option
@kind_option
@click.option("--estimate", is_flag=True, help="Only say how long it would take, by the archive's costs.")
@click.option("-o", "--output", metavar="FOLDER", default="out", show_default=True, help="Where the files go.")
@click.option("--seed", type=Whole(0), default=0, show_default=True, help="Seed of all random numbers.")
@click.option("--workers", type=Whole(1), help="Processes; one per core when not given.")
@click.option("--no-report", is_flag=True, help="Only the tables: no report, which takes some seconds.")
@dask_option
@click.option("--archive", metavar="FOLDER", help="Also write the results as an archive, compressed, into this folder.")
def run(
    learners: tuple[str, ...],
    quick: bool,
    full: bool,
    worlds: tuple[str, ...],
    kinds: tuple[str, ...],
    estimate: bool,
    output: str,
    seed: int,
    workers: int | None,
    no_report: bool,
    dask: str | None,
    archive: str | None,
) -> None:
    """Play every LEARNER in every world that it is for.

    LEARNER is a name (bestdo compare --learners lists them), module:Class for one of your own, whose module may be in the
    working directory, or all. What a learner refuses is a row with the reason. All other learners are taken from the archive.

    FOLDER gets results.csv (the same, byte for byte, for any number of workers), costs.csv (processor seconds) and
    archive.json (how it came about), and the report that bestdo suite report makes of them. An interrupted run goes on
    where it stopped when the same command is given again, and a learner whose code has changed plays its own cells again.
    """
    from bestdo.research.report.suite_summary import show_run
    from bestdo.research.suite.suite import estimated_seconds, keep_archive, suite_run

    if quick and full:
        raise click.UsageError("say --quick or --full, not both")
    effort = "full" if full else "quick"
    own_modules(learners)
    if estimate:
        seconds, unseen = estimated_seconds(learners, worlds, kinds, effort)
        time_text = f"{seconds / 60:,.0f} minutes" if seconds > _SHORT else f"{max(seconds, 1):.0f} s"
        known = [f"about {time_text} of one core"] if seconds else []
        more = [f"{counted(unseen, 'cell')} that the archive says nothing about"] if unseen else []
        click.echo(", and ".join([*known, *more]) or "nothing is played")
        return
    started = time.perf_counter()
    try:
        with on_cluster(dask, workers, learners) as executor:
            found = suite_run(
                learners,
                worlds,
                kinds=kinds,
                effort=effort,
                seed=seed,
                folder=output,
                executor=executor,
                workers=workers or cores(),
                say=lambda text: click.echo(text, err=True),
                command=shlex.join(["bestdo", *sys.argv[1:]]),
            )
    except KeyboardInterrupt:
        click.echo(f"\nwhat is done is kept in {output}; the same command continues from there", err=True)
        raise click.Abort from None
    if archive is not None:
        keep_archive(found, archive)
    show_run(found)
    click.echo(
        f"suite: {time.perf_counter() - started:.1f} s; {Path(output)}/results.csv costs.csv archive.json", err=True
    )
    if not no_report:
        try:
            _report(output, [output])
        except BestdoError as error:  # the tables are there
            click.echo(f"no report: {error}", err=True)
    if found.run.failed:
        raise click.ClickException(
            f"{counted(len(found.run.failed), 'cell')} failed, as the table says with file and line; they are played again "
            "next time. bestdo.check_learner in Python says more about what is wrong with a learner"
        )


@suite.command()
@click.argument("results", nargs=-1, metavar="[RESULTS.csv]…", type=click.Path())
@click.option("-o", "--output", metavar="FOLDER", default="out", show_default=True, help="Where the files go.")
def report(results: tuple[str, ...], output: str) -> None:
    """Write the leaderboard of the archive; with RESULTS.csv, of your own learner beside it.

    RESULTS.csv is that of bestdo suite run, or the folder that holds it. FOLDER gets report.html, report.md and report.tex,
    and their pictures as SVG and PDF: places with intervals, regret against rounds on every world, strengths by kind of
    world, cost. The same results give the same bytes.
    """
    _report(output, results)


def _report(folder: str, results: Sequence[str]) -> None:
    """Writes the report of these results into the folder, and says where it is."""
    from bestdo.research.report.suite_report import write_report
    from bestdo.research.suite.leaderboard import leaderboard

    board = leaderboard(map(Path, results))
    for note in board.notes:
        click.echo(f"note: {note}", err=True)
    paths = write_report(board, Path(folder))
    click.echo(f"report: {Path(folder)}/{' '.join(path.name for path in paths)} pictures", err=True)
