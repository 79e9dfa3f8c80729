"""`bestdo observe`: takes old data into a study."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from bestdo.cli.options import counting, data_options, form_option, of_a_study, opened, print_json, who_option

if TYPE_CHECKING:
    from bestdo.bandit.reading import Reading

__all__ = ["observe"]


@click.command()
@click.argument("file", type=click.Path(), required=False)
@data_options
@click.option(
    "--probability",
    metavar="COLUMN",
    default="",
    help="For rows of a policy that chose at random: the column with the probability of what it chose. They count as plays.",
)
@click.option(
    "--chosen", multiple=True, metavar="VARIABLE", help="With --probability: what it chose, if not all that can be set."
)
@click.option("--force", is_flag=True, help="Count them, although data with the same counts were observed already.")
@click.option("--undo", metavar="FINGERPRINT", help="Instead: take old data back; the first letters are enough.")
@click.option("--why", metavar="TEXT", default="", help="The reason for taking them back; kept in the log.")
@who_option
@of_a_study
@form_option
def observe(
    file: str | None,
    reading: Reading,
    probability: str,
    chosen: tuple[str, ...],
    force: bool,
    undo: str | None,
    why: str,
    who: str,
    storage: str,
    name: str | None,
    form: str,
) -> None:
    """Take old data (CSV, Excel or Parquet) into a study: rows seen while nobody set anything.

    They count as rounds of do() and use up none of the study's rounds. A column for each variable that was seen; the
    reward's is needed. What the data answer by themselves is said at once. The same data again are a conflict (exit
    code 2).
    """
    from bestdo.bandit.arrow_chance import arrows_as_data
    from bestdo.errors import BestdoError
    from bestdo.report.sections import old_data as report
    from bestdo.report.writers.terminal import show as write
    from bestdo.usecases.observe import observe as take

    if (file is None) == (undo is None):
        raise BestdoError("name the file of old data, or say --undo FINGERPRINT")
    study = opened(storage, name)
    if undo is not None:
        study.unobserve(undo, why, who=who)
        click.echo("took the old data back", err=True)
        return
    assert file is not None
    reading = reading.with_options(probability=probability, chosen=chosen)
    with counting(file):
        observed = take(study, file, reading=reading, force=force, who=who)
    if form == "json":
        data = {k: v for k, v in observed.found.as_data().items() if k not in ("x", "times", "sums", "probability")}
        doubts = arrows_as_data(observed.arrows)
        if observed.settling is not None:
            doubts["settling"] = observed.settling.as_data()
        print_json({**data, "actions": report.answers_as_data(observed.answers), **doubts})
    else:
        again = "bestdo observe" if name is None else f"bestdo observe --study {shlex.quote(name)}"
        write(report.observed_lines(observed, study.problem, f"{again} --undo"))
