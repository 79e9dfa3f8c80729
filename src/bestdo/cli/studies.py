"""`bestdo studies`, `extend`, `export` and the other commands on whole studies and databases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from bestdo.cli.options import (
    F,
    block_option,
    checked_horizon,
    form_option,
    hint,
    horizon_options,
    must_exist,
    of_a_study,
    opened,
    print_json,
    storage_option,
    who_option,
    why_option,
)

__all__ = ["COMMANDS"]


def _of_an_end(command: F) -> F:
    """Adds the options of the commands that end a study and can undo that."""
    why = click.option("--why", metavar="TEXT", default="", help="The reason; kept in the log.")
    undo = click.option("--undo", is_flag=True, help="Take it back.")
    return why(undo(who_option(of_a_study(command))))


@click.command()
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="A name ending in .csv, .parquet or .json (default: print JSON).",
)
@click.option(
    "--rule",
    metavar="FILE",
    help="Instead the rule, where something is seen first: a name ending in .json, .csv or .py.",
)
@of_a_study
def export(output: str, rule: str | None, storage: str, name: str | None) -> None:
    """Write the study into a file.

    JSON holds the whole log, and bestdo import reads it; CSV and Parquet have a row for each round, for other programs. A
    rule is an action for each context; as a Python program it runs without bestdo.
    """
    from bestdo.errors import BestdoError, shown
    from bestdo.report import study_report as report
    from bestdo.study.exchange import exported, table

    if rule is not None:
        opened(storage, name).save_rule(rule)
        click.echo(f"wrote {rule}", err=True)
        return
    extension = ".json" if output == "-" else Path(output).suffix.lower()
    if extension not in (".csv", ".parquet", ".json"):
        raise BestdoError(f"{shown(output, 300)}: give a name that ends in .csv, .parquet or .json, or - to print JSON")
    study = opened(storage, name)
    if extension == ".json":
        data = (json.dumps(exported(study), indent=2) + "\n").encode()
    else:
        data = (report.as_csv if extension == ".csv" else report.as_parquet)(table(study))
    try:
        with click.open_file(output, "wb", atomic=output != "-") as stream:
            stream.write(data)
    except OSError as error:
        raise click.FileError(output, error.strerror or str(error)) from None
    if output != "-":
        click.echo(f"wrote {output}", err=True)


@click.command("import")
@click.argument("file", type=click.Path())
@click.option("--name", metavar="NAME", help="Another name for the study than the one it had.")
@storage_option
def import_(file: str, name: str | None, storage: str) -> None:
    """Read a study from FILE, written by bestdo export as JSON; it goes on as it would have where it was."""
    from bestdo.errors import BestdoError, Conflict, shown
    from bestdo.study.exchange import imported

    try:
        with click.open_file(file, encoding="utf-8") as stream:
            data: Any = json.load(stream)
    except OSError as error:
        raise click.FileError(file, error.strerror or str(error)) from None
    except (ValueError, RecursionError):
        raise BestdoError(
            f"{shown(file, 300)} is not a complete export of a study: bestdo import reads what bestdo export -o NAME.json "
            "wrote (tables in CSV or Parquet do not hold the log)"
        ) from None
    try:
        with hint(Conflict, " (--name NAME)"):
            study = imported(storage, data, name)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BestdoError(f"{shown(file, 300)} does not hold a complete study: {error!r}") from None
    click.echo(f"imported {shown(study.name)}", err=True)


@click.command()
@click.option("--all", "archived", is_flag=True, help="Those in the archive too.")
@storage_option
@form_option
def studies(archived: bool, storage: str, form: str) -> None:
    """List the studies in the database, or of the server."""
    from bestdo.report import study_report as report
    from bestdo.study.study import statuses

    must_exist(storage)
    found = [status for status in statuses(storage) if status["archived"] <= archived]
    if form == "json":
        print_json(found)
    else:
        report.show_studies(found)


@click.command()
@horizon_options
@why_option
@who_option
@of_a_study
def extend(rounds: int | None, budget: float | None, why: str, who: str, storage: str, name: str | None) -> None:
    """Give the whole study more rounds, or a larger budget: the new number, not what is added."""
    from bestdo.errors import BestdoError

    study = opened(storage, name)
    horizon, before = checked_horizon(study.problem, rounds, budget), study.status()["horizon"]
    if (amount := horizon.amount) < before:
        raise BestdoError(
            f"the horizon is {before:g} already, and {amount:g} would be less: say what the whole study may have "
            f"({before + amount:g} for {amount:g} more); bestdo close ends a study early"
        )
    study.extend(rounds, why, budget=budget, who=who)
    click.echo(f"the horizon was {before:g}, and is {horizon.now} now", err=True)


@click.command()
@click.argument("learner", metavar="NAME")
@block_option
@why_option
@who_option
@of_a_study
def learner(learner: str, block: int | None, why: str, who: str, storage: str, name: str | None) -> None:
    """Let the learner NAME go on with the study; it is told everything so far.

    What was planned already is still handed out.
    """
    parameters = {} if block is None else {"block": block}
    from bestdo.usecases.known_learners import reservations

    study = opened(storage, name)
    study.change_learner(learner, why, parameters=parameters, who=who)
    click.echo(f"the learner is {learner} now", err=True)
    if another := reservations(learner, study.problem.goal):
        click.echo(f"  {another}", err=True)


@click.command()
@click.argument("action", metavar="ACTION")
@click.option(
    "--cost", type=click.FloatRange(0, min_open=True), metavar="C", help="Of one round, where actions have one."
)
@why_option
@who_option
@of_a_study
def add(action: str, cost: float | None, why: str, who: str, storage: str, name: str | None) -> None:
    """Allow a further ACTION, as "do(temperature=high)", from now on."""
    opened(storage, name).add_action(action, why, cost=cost, who=who)
    click.echo(f"{action} may be played now", err=True)


@click.command()
@click.argument("action", metavar="ACTION")
@click.option("--undo", is_flag=True, help="Take it back: ACTION may be played again.")
@why_option
@who_option
@of_a_study
def retire(action: str, undo: bool, why: str, who: str, storage: str, name: str | None) -> None:
    """Take ACTION out of the study: neither played nor recommended any more; its rounds count."""
    study = opened(storage, name)
    (study.unretire if undo else study.retire)(action, why, who=who)
    click.echo(f"{action} may be played again" if undo else f"{action} is retired: its rounds count", err=True)
    retired = list(map(str, study.problem.retired))
    for out in (each for each in study.status()["open"] if each["action"] in retired):
        click.echo(
            f"round {out['number']} of {out['action']} is out with {out['worker'] or 'nobody in particular'}: tell it if it "
            "was played, or withdraw it",
            err=True,
        )


@click.command(context_settings={"ignore_unknown_options": True})  # a number may begin with a minus
@click.argument("variable", metavar="VARIABLE")
@click.argument("cut", nargs=-1, required=True, metavar="NUMBER…")
@click.option("--why", metavar="TEXT", default="", help="The reason; kept in the log.")
@who_option
@of_a_study
def recut(variable: str, cut: tuple[str, ...], why: str, who: str, storage: str, name: str | None) -> None:
    """Cut the numbers of VARIABLE at other borders, between each two of its values one.

    The log has the numbers as they were measured, so all rounds told so far are counted again. What is planned already is
    still handed out. Another recut undoes it.
    """
    study = opened(storage, name)
    before = study.problem.law
    study.recut(variable, cut, why, who=who)
    borders = ", ".join(f"{border:g}" for border in study.problem.graph.variable(variable).cut)
    click.echo(f"{variable} is cut at {borders} from now on, and so are all numbers told so far", err=True)
    if before is not None and study.problem.law is None:
        click.echo("what the file says of how often values occur is for the old cuts, and not used any more", err=True)


@click.command()
@_of_an_end
def close(why: str, undo: bool, who: str, storage: str, name: str | None) -> None:
    """Hand out no more rounds; what is out can still be told."""
    from bestdo.errors import shown

    study = opened(storage, name)
    (study.reopen if undo else study.close)(why, who=who)
    click.echo(f"{'opened' if undo else 'closed'} {shown(study.name)}", err=True)


@click.command()
@_of_an_end
def archive(why: str, undo: bool, who: str, storage: str, name: str | None) -> None:
    """Put the study away: closed, and left out of bestdo studies."""
    from bestdo.errors import shown

    study = opened(storage, name)
    (study.unarchive if undo else study.archive)(why, who=who)
    click.echo(f"{'brought back' if undo else 'archived'} {shown(study.name)}", err=True)


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@of_a_study
def delete(yes: bool, storage: str, name: str | None) -> None:
    """Forget the study and all its rounds; asks first."""
    from bestdo.errors import BestdoError, shown

    study = opened(storage, name)
    told = study.status()["told"]
    if not yes and not click.confirm(f"Delete {shown(study.name)} and its {told} told rounds for ever?", err=True):
        raise BestdoError("nothing was deleted")
    study.delete()
    click.echo(f"deleted {shown(study.name)}", err=True)


@click.command()
@click.argument("file", type=click.Path())
@storage_option
def backup(file: str, storage: str) -> None:
    """Copy the whole SQLite database into FILE, while others may be writing."""
    import sqlite3

    from bestdo.errors import StorageError, shown
    from bestdo.study.storage import Storage

    must_exist(storage)
    try:
        Storage(storage).backup(file)
    except sqlite3.Error as error:
        raise StorageError(f"the backup {shown(file, 300)} cannot be written: {error}") from None
    click.echo(f"wrote {file}", err=True)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--yes", is_flag=True, help="Do not ask.")
@storage_option
def restore(file: str, yes: bool, storage: str) -> None:
    """Put the SQLite database back as it was in FILE, a backup; asks first.

    What is there now is kept beside it, in a backup of its own.
    """
    from bestdo.errors import BestdoError
    from bestdo.study.storage import restored

    question = f"Replace everything in {storage} by what is in {file}?"
    if not yes and not click.confirm(question, err=True):
        raise BestdoError("nothing was restored")
    kept = restored(storage, file)
    click.echo(f"restored {file}" + (f"; what was there before is in {kept}" if kept else ""), err=True)


COMMANDS: tuple[click.Command, ...] = (
    export,
    import_,
    studies,
    extend,
    learner,
    add,
    recut,
    retire,
    close,
    archive,
    delete,
    backup,
    restore,
)
"""The commands in the order in which a person meets them."""
