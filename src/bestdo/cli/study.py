"""`bestdo new`, `ask`, `tell`, `best` and the rest of a study's life: a real experiment, one round at a time."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from bestdo.study import Study

__all__ = ["COMMANDS"]

F = TypeVar("F", bound=Callable[..., object])

_SQLITE = "sqlite:///"
_DAY = 86_400.0

_storage = click.option(
    "--storage",
    metavar="URL",
    envvar="BESTDO_STORAGE",
    show_envvar=True,
    default=f"{_SQLITE}bestdo.db",
    show_default=True,
    help="The database: sqlite:///FILE or postgresql://….",
)
_study = click.option("--study", "name", metavar="NAME", help="Which study; not needed when there is only one.")
_form = click.option(
    "-f", "--format", "form", type=click.Choice(["table", "json"]), default="table", help="For people or for programs."
)
_who = click.option("--who", metavar="NAME", default="", help="Who says so; kept in the log.")
_why = click.option("--why", metavar="TEXT", required=True, help="The reason; kept in the log.")
_happened = click.option("--happened", is_flag=True, help="This is what happened, although another value was set.")
_number = click.argument("number", type=click.IntRange(1))
_values = click.argument("values", nargs=-1, required=True, metavar="NAME=VALUE…")
_rounds = click.option("--rounds", type=click.IntRange(1), required=True, metavar="N", help="The horizon: all rounds.")


def _of_a_study(command: F) -> F:
    """The options of every command on one study."""
    return _storage(_study(command))


def _opened(url: str, name: str | None) -> Study:
    """The study of that name; the only one when none is named."""
    from bestdo.errors import BestdoError, shown
    from bestdo.study import Study
    from bestdo.study.storage import Storage
    from bestdo.study.study import names

    _must_exist(url)
    storage = Storage(url)
    if name is None:
        found = names(storage)
        if not found:
            raise BestdoError("there is no study in this database yet: bestdo new FILE --rounds N makes one")
        if len(found) > 1:
            listed = ", ".join(map(shown, found[:12])) + (f" and {len(found) - 12} more" if len(found) > 12 else "")
            raise BestdoError(f"there are {len(found)} studies: say --study NAME, one of {listed}")
        name = found[0]
    return Study(storage, name)


def _must_exist(url: str) -> None:
    """Only `new` and `import` make a database; elsewhere a missing file is a wrong folder or a slip of the pen."""
    from bestdo.errors import BestdoError, shown

    file = url.removeprefix(_SQLITE)
    if file != url and not os.path.exists(file.partition("?")[0]):
        raise BestdoError(
            f"there is no database {shown(file, 300)}: bestdo new FILE --rounds N makes one, --storage URL names another"
        )


def _parsed(values: tuple[str, ...]) -> dict[str, str]:
    from bestdo.errors import BestdoError, shown

    found: dict[str, str] = {}
    for text in values:
        variable, equals, value = text.partition("=")
        if not equals or not variable:
            raise BestdoError(f"{shown(text)} is not of the form NAME=VALUE, as in yield=good")
        if found.setdefault(variable, value) != value:
            raise BestdoError(f"{shown(variable)} is told twice: {shown(found[variable])} and {shown(value)}")
    return found


def _print(data: object) -> None:
    click.echo(json.dumps(data, indent=2))


@click.command()
@click.argument("file", type=click.Path())
@_rounds
@click.option("--name", metavar="NAME", help="The study's name; the file's when not given.")
@click.option(
    "--learner", metavar="NAME", help="As in bestdo compare --learners; chosen, and why said, when not given."
)
@click.option(
    "--block", type=click.IntRange(1), metavar="K", help="Rounds out at once, for learners that go one by one."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of all randomness.")
@click.option(
    "--lease",
    type=click.FloatRange(0),
    default=7.0,
    metavar="DAYS",
    show_default=True,
    help=("After how long a round that nobody told is handed out again."),
)
@click.option("--load-if-exists", is_flag=True, help="Go on with the study of that name, if there is one.")
@click.option("--reward", metavar="NAME", help="The variable to maximise, when the file does not say.")
@click.option("--success", metavar="VALUE", help="Which value of the reward is success.")
@_storage
@_form
def new(
    file: str,
    rounds: int,
    name: str | None,
    learner: str | None,
    block: int | None,
    seed: int,
    lease: float,
    load_if_exists: bool,
    reward: str | None,
    success: str | None,
    storage: str,
    form: str,
) -> None:
    """Begin a study of the problem in FILE.

    Every single action is taken where the file names none.
    """
    from bestdo.cli.graph import every_single_action
    from bestdo.files import read
    from bestdo.report import study as report
    from bestdo.study import Study
    from bestdo.study.auto import choose

    contents = read(file, reward=reward, success=success)
    problem = contents.problem or every_single_action(contents.graph)
    why = ""
    if learner is None:
        learner, why = choose(problem, rounds)
    made = Study.create(
        storage,
        Path(file).name.removesuffix(".gz").partition(".")[0] if name is None else name,
        problem,
        learner,
        rounds,
        seed=seed,
        parameters={} if block is None else {"block": block},
        lease=lease * _DAY,
        load_if_exists=load_if_exists,
    )
    status = made.status()  # of the study that was there, with --load-if-exists
    if form == "json":
        _print({**status, "why": why if status["learner"] == learner else ""})
    else:
        report.show_new(status, len(made.problem.actions), why if status["learner"] == learner else "")


@click.command()
@click.option("--worker", metavar="NAME", default="", help="Who will play it; asking again gives the same open round.")
@click.option("-n", "count", type=click.IntRange(1), default=1, show_default=True, help="How many rounds.")
@_of_a_study
@_form
def ask(worker: str, count: int, storage: str, name: str | None, form: str) -> None:
    """Say what to do in the next round, and why.

    The exit code is 3 when there is nothing to do: the study has finished, or waits for rounds that are out.
    """
    from bestdo.report import study as report

    study = _opened(storage, name)
    asked = study.ask(worker, count)
    if form == "json":
        _print([report.asked_as_data(each) for each in asked])
    else:
        tell = "bestdo tell" if name is None else f"bestdo tell --study {shlex.quote(name)}"
        report.show_asked(asked, study.problem.graph, tell)


@click.command()
@_number
@_values
@click.option("--key", metavar="TEXT", help="A name of your own for the result; no two rounds share one.")
@_happened
@_who
@_of_a_study
def tell(
    number: int, values: tuple[str, ...], key: str | None, happened: bool, who: str, storage: str, name: str | None
) -> None:
    """Tell what round NUMBER showed: the reward, and what else was seen.

    The same again does nothing; other values for a round that was told are a conflict (exit code 2).
    """
    study = _opened(storage, name)
    study.tell(number, _parsed(values), key=key, who=who, happened=happened)
    click.echo(f"told round {number}", err=True)


@click.command()
@_number
@_why
@click.option("--never-played", is_flag=True, help="Its place among the rounds is given back; otherwise it is lost.")
@_who
@_of_a_study
def withdraw(number: int, why: str, never_played: bool, who: str, storage: str, name: str | None) -> None:
    """Take round NUMBER back."""
    _opened(storage, name).withdraw(number, why, lost=not never_played, who=who)
    click.echo(f"withdrew round {number}: {'never played' if never_played else 'lost'}", err=True)


@click.command()
@_number
@_values
@_why
@_happened
@_who
@_of_a_study
def amend(
    number: int, values: tuple[str, ...], why: str, happened: bool, who: str, storage: str, name: str | None
) -> None:
    """Correct what was told of round NUMBER: all its values anew. The log keeps both."""
    _opened(storage, name).amend(number, _parsed(values), why, who=who, happened=happened)
    click.echo(f"amended round {number}", err=True)


@click.command()
@click.argument("text")
@click.option("--round", "number", type=click.IntRange(1), metavar="N", help="The round it is about.")
@_who
@_of_a_study
def note(text: str, number: int | None, who: str, storage: str, name: str | None) -> None:
    """Keep a remark in the log."""
    _opened(storage, name).note(text, number, who=who)
    click.echo("noted" if number is None else f"noted on round {number}", err=True)


@click.command()
@_of_a_study
@_form
def best(storage: str, name: str | None, form: str) -> None:
    """Recommend an action, as things stand, and show what is known of all."""
    from bestdo.report import study as report

    study = _opened(storage, name)
    kept, estimates = study.best(), study.estimates()
    if form == "json":
        _print(report.best_as_data(kept, estimates, study.problem.actions))
    else:
        report.show_best(kept, estimates, study.problem.actions)


@click.command()
@_of_a_study
@_form
def status(storage: str, name: str | None, form: str) -> None:
    """Say where the study stands: rounds used, told and out, and with whom."""
    from bestdo.report import study as report

    found = _opened(storage, name).status()
    if form == "json":
        _print(found)
    else:
        report.show_status(found)


@click.command()
@_of_a_study
@_form
def history(storage: str, name: str | None, form: str) -> None:
    """Show the log: everything that happened, oldest first."""
    from bestdo.report import study as report

    events = _opened(storage, name).history()
    if form == "json":
        _print(events)
    else:
        report.show_history(events)


@click.command()
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="A name ending in .csv, .parquet or .json (default: print JSON).",
)
@_of_a_study
def export(output: str, storage: str, name: str | None) -> None:
    """Write the study into a file.

    JSON holds the whole log, and bestdo import reads it; CSV and Parquet have a row for each round, for other programs.
    """
    from bestdo.errors import BestdoError, shown
    from bestdo.report import study as report
    from bestdo.study.exchange import exported, table

    extension = ".json" if output == "-" else Path(output).suffix.lower()
    if extension not in (".csv", ".parquet", ".json"):
        raise BestdoError(f"{shown(output, 300)}: give a name that ends in .csv, .parquet or .json, or - to print JSON")
    study = _opened(storage, name)
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
@_storage
def import_(file: str, name: str | None, storage: str) -> None:
    """Read a study from FILE, written by bestdo export as JSON; it goes on as it would have where it was."""
    from bestdo.errors import BestdoError, shown
    from bestdo.study.exchange import imported

    try:
        with click.open_file(file, encoding="utf-8") as stream:
            data: Any = json.load(stream)
    except OSError as error:
        raise click.FileError(file, error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise BestdoError(f"{shown(file, 300)} is not JSON, as bestdo export writes it: {error}") from None
    try:
        study = imported(storage, data, name)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BestdoError(f"{shown(file, 300)} holds no whole study: {error!r}") from None
    click.echo(f"imported {shown(study.name)}", err=True)


@click.command()
@_storage
@_form
def studies(storage: str, form: str) -> None:
    """List the studies in the database."""
    from bestdo.report import study as report
    from bestdo.study import Study
    from bestdo.study.storage import Storage
    from bestdo.study.study import names

    _must_exist(storage)
    database = Storage(storage)
    found = [Study(database, name).status() for name in names(database)]
    if form == "json":
        _print(found)
    else:
        report.show_studies(found)


@click.command()
@_rounds
@_why
@_who
@_of_a_study
def extend(rounds: int, why: str, who: str, storage: str, name: str | None) -> None:
    """Set another number of rounds for the whole study."""
    _opened(storage, name).extend(rounds, why, who=who)
    click.echo(f"the horizon is {rounds} rounds now", err=True)


@click.command()
@click.option("--why", metavar="TEXT", default="", help="The reason; kept in the log.")
@_who
@_of_a_study
def close(why: str, who: str, storage: str, name: str | None) -> None:
    """Hand out no more rounds; what is out can still be told."""
    from bestdo.errors import shown

    study = _opened(storage, name)
    study.close(why, who=who)
    click.echo(f"closed {shown(study.name)}", err=True)


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@_of_a_study
def delete(yes: bool, storage: str, name: str | None) -> None:
    """Forget the study and all its rounds; asks first."""
    from bestdo.errors import BestdoError, shown

    study = _opened(storage, name)
    told = study.status()["told"]
    if not yes and not click.confirm(f"Delete {shown(study.name)} and its {told} told rounds for ever?", err=True):
        raise BestdoError("nothing was deleted")
    study.delete()
    click.echo(f"deleted {shown(study.name)}", err=True)


@click.command()
@click.argument("file", type=click.Path())
@_storage
def backup(file: str, storage: str) -> None:
    """Copy the whole SQLite database into FILE, while others may be writing."""
    import sqlite3

    from bestdo.errors import StorageError, shown
    from bestdo.study.storage import Storage

    _must_exist(storage)
    try:
        Storage(storage).backup(file)
    except sqlite3.Error as error:
        raise StorageError(f"the backup {shown(file, 300)} cannot be written: {error}") from None
    click.echo(f"wrote {file}", err=True)


COMMANDS: tuple[click.Command, ...] = (
    new,
    ask,
    tell,
    withdraw,
    amend,
    note,
    best,
    status,
    history,
    export,
    import_,
    studies,
    extend,
    close,
    delete,
    backup,
)
"""In the order in which a person meets them."""
