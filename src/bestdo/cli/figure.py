"""`bestdo figure`: the figures of the paper and others like them."""

from __future__ import annotations

import click

from bestdo.cli.simulation import simulating, simulation_options

__all__ = ["figure"]


@click.command()
@click.argument("names", nargs=-1, metavar="NAME…")
@click.option("--list", "listed", is_flag=True, help="Say which figures there are.")
@click.option(
    "--panel", "panels", multiple=True, metavar="TEXT", help="Only panels with TEXT in their heading; repeatable."
)
@click.option("--x", "points", multiple=True, metavar="X", help="Only this point of the x axis; repeatable.")
@click.option(
    "--learner", "learners", multiple=True, metavar="NAME", help="Only this learner of the figure; repeatable."
)
@simulation_options(sims=10_000)
def figure(
    names: tuple[str, ...],
    listed: bool,
    panels: tuple[str, ...],
    points: tuple[str, ...],
    learners: tuple[str, ...],
    sims: int,
    seed: int,
    workers: int | None,
    output: str,
    dask: str | None,
) -> None:
    """Draw the figures named, or all: for each a table with standard errors, then a picture of it.

    FOLDER gets NAME.csv and NAME.parquet (the table), NAME.json (how it came about), NAME.svg and NAME.png. The table is
    the same, byte for byte, for any number of workers. An interrupted run goes on where it stopped when the same command
    is given again.
    """
    from bestdo.usecases.figure import descriptions, named, narrowed
    from bestdo.usecases.figure import figure as simulated

    if listed:
        for known, shows in descriptions().items():
            click.echo(f"{known:28} {shows}")
        return
    if not names:
        raise click.UsageError("name a figure, or say all; bestdo figure --list says which there are")
    for wanted in [narrowed(whole, panels, points, learners) for whole in named(names)]:
        with simulating(wanted.name, sims, seed, workers, output, dask) as (simulation, done):
            simulated(wanted, simulation)
        click.echo(done())
