"""`bestdo init`: a problem from a graph and a table, by questions or options."""

from __future__ import annotations

import csv
import os
import sys
from typing import TYPE_CHECKING

import click

from bestdo.cli.options import TypedReward, counting, data_options, filled, parsed, reward_options
from bestdo.errors import BestdoError, shown
from bestdo.formats import format_names

if TYPE_CHECKING:
    from bestdo.bandit.reading import Reading
    from bestdo.usecases.init_draft import Draft
    from bestdo.usecases.init_questions import Question
    from bestdo.usecases.init_source import Base

__all__ = ["init"]


@click.command()
@click.argument("graph", required=False)
@click.option(
    "--data", metavar="TABLE", help="Old data, CSV, Excel or Parquet: their columns say which values there are."
)
@click.option(
    "-o", "--output", metavar="FILE", default="problem.toml", show_default=True, help="The file; - prints it."
)
@reward_options
@click.option("--set", "settable", multiple=True, metavar="NAMES", help="What may be set: names, with commas between.")
@click.option(
    "--at-most", type=click.IntRange(1), metavar="N", help="How many variables may be set at once; one if not said."
)
@click.option("--hidden", multiple=True, metavar="NAMES", help="What nobody sees.")
@click.option("--first", multiple=True, metavar="NAMES", help="What is seen before an action is chosen.")
@click.option("--values", multiple=True, metavar="NAME=A,B", help="The values of a variable, in this order.")
@click.option("--cut", multiple=True, metavar="NAME=NUMBER", help="Where numbers are cut; said again for several cuts.")
@data_options
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@filled(formats=format_names())
def init(
    graph: str | None,
    data: str | None,
    output: str,
    wish: TypedReward,
    settable: tuple[str, ...],
    at_most: int | None,
    hidden: tuple[str, ...],
    first: tuple[str, ...],
    values: tuple[str, ...],
    cut: tuple[str, ...],
    reading: Reading,
    force: bool,
) -> None:
    """Make a problem from GRAPH and a table of old data, and write it into a file that you can edit.

    GRAPH is a file ({formats}) or text such as "season -> price; price -> sale". Without it there is
    a variable for each column. What is not said is asked on a terminal.

    \b
    Example:
      bestdo init psa.dagitty --data patients.xlsx --reward infarct --success no --set dose -o psa.toml
    """  # noqa: D301 (\b keeps click from filling the lines)
    from bestdo.files.atomic_io import write_bytes
    from bestdo.report import init_report as report
    from bestdo.usecases.init import opened_table, settled
    from bestdo.usecases.init_draft import Wishes
    from bestdo.usecases.init_questions import cuts_of
    from bestdo.usecases.init_source import base_of

    if output != "-" and os.path.lexists(output) and not force:
        raise BestdoError(f"there is a file {shown(output, 300)} already: --force writes over it, -o names another")
    if output != "-" and not output.lower().endswith(".toml"):
        raise BestdoError(f"{shown(output, 300)}: the file's name must end in .toml")
    wishes = Wishes(
        *wish.said, _names(settable), at_most, _names(hidden), _names(first), _values(values), cuts_of(cut), reading
    )
    dialogue = _Dialogue() if sys.stdin.isatty() and sys.stdout.isatty() else None
    base = None if graph is None else base_of(graph)
    if data is None:
        table = None
    else:
        with counting(data):
            table = opened_table(data, reading, base)
    if base is None and table is not None and dialogue is not None:
        base = _arrows([column.name for column in table.columns])
    draft = settled(base, table, wishes, dialogue)
    text = report.commented(draft)
    if output == "-":
        click.echo(text, nl=False)
        return
    write_bytes(output, text.encode())
    if dialogue is None or not dialogue.shown:
        _show(draft)
    click.echo()
    for note in report.notes(draft):
        click.echo(f"note: {note}")
    click.echo(f"wrote {output}; now:\n")
    for command in report.next_commands(draft, output, data):
        click.echo(f"  {command}")


def _split(text: str) -> list[str]:
    """The parts of a text between commas; one that holds a comma stands in quotes."""
    return [part.strip() for part in next(csv.reader([text], skipinitialspace=True), []) if part.strip()]


def _names(given: tuple[str, ...]) -> tuple[str, ...] | None:
    """The names of an option that takes several; None where it was not given."""
    return tuple(name for text in given for name in _split(text)) if given else None


def _values(given: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The values of variables, from NAME=A,B."""
    return {name: tuple(_split(text)) for name, text in parsed(given).items()}


class _Dialogue:
    """Asks a person on a terminal, until the answer is one that can be taken."""

    def __init__(self) -> None:
        self.shown = False

    def __call__(self, question: Question, draft: Draft) -> tuple[str, ...]:
        """Asks a question."""
        if not self.shown and question.key != "column":
            _show(draft)
            self.shown = True
        click.echo()
        click.secho(question.text, bold=True)
        if question.choices:
            several = " (several: with commas)" if question.several else ""
            click.echo(
                f"  {', '.join(question.choices)}{several}{' (-: no column holds it)' * (question.key == 'column')}"
            )
        proposed = None if question.default is None else ", ".join(question.default) or "Enter: no"
        while True:
            answer = click.prompt(">", default=proposed, prompt_suffix=" ")
            if answer == proposed:
                return question.default or ()
            try:
                return question.taken(_split(answer))
            except BestdoError as error:
                click.secho(str(error), fg="red")


def _show(draft: Draft) -> None:
    """Shows what each variable is to be."""
    from rich.console import Console

    from bestdo.report.init_report import draft_table

    console = Console()
    console.print()
    console.print(draft_table(draft))


def _arrows(columns: list[str]) -> Base | None:
    """The graph that a person types, arrow by arrow; None where there is none."""
    from bestdo.usecases.init_source import base_of

    click.echo(f"The columns are: {', '.join(columns)}")
    click.secho(
        "What causes what? One arrow or chain on a line, such as  age -> pressure  (Enter when done)", bold=True
    )
    lines: list[str] = []
    while line := click.prompt(">", default="", show_default=False, prompt_suffix=" ").strip():
        try:
            base_of("; ".join([*lines, line]))
            lines.append(line)
        except BestdoError as error:
            click.secho(str(error), fg="red")
    return base_of("; ".join(lines)) if lines else None
