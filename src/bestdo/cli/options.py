"""The options that commands share, and how a problem is composed and a study opened."""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from bestdo.bandit.horizon import Horizon
    from bestdo.bandit.problem import Problem
    from bestdo.bandit.reading import Reading
    from bestdo.data.compose import Composed
    from bestdo.data.problem_options import ProblemOptions
    from bestdo.errors import BestdoError
    from bestdo.files import Contents, Wanted
    from bestdo.study import Study

__all__ = [
    "F",
    "TypedOptions",
    "TypedReward",
    "at_once_option",
    "block_option",
    "checked_horizon",
    "counting",
    "data_options",
    "files_argument",
    "filled",
    "form_option",
    "happened_option",
    "hint",
    "horizon_options",
    "must_exist",
    "number_argument",
    "of_a_study",
    "opened",
    "parsed",
    "print_json",
    "problem_options",
    "reward_options",
    "storage_option",
    "sure_option",
    "values_argument",
    "who_option",
    "why_option",
]

F = TypeVar("F", bound=Callable[..., object])

storage_option = click.option(
    "--storage",
    metavar="URL",
    envvar="BESTDO_STORAGE",
    show_envvar=True,
    default="sqlite:///bestdo.db",
    show_default=True,
    help="The database: sqlite:///FILE or postgresql://….",
)
study_option = click.option("--study", "name", metavar="NAME", help="Which study; not needed when there is only one.")
form_option = click.option(
    "-f", "--format", "form", type=click.Choice(["table", "json"]), default="table", help="For people or for programs."
)
who_option = click.option("--who", metavar="NAME", default="", help="Who says so; kept in the log.")
why_option = click.option("--why", metavar="TEXT", required=True, help="The reason; kept in the log.")
block_option = click.option(  # of version 0.1, where it let several people work at once
    "--block", type=click.IntRange(1), metavar="K", hidden=True, help="Rounds planned together, by learners that can."
)
at_once_option = click.option(
    "--at-once", type=click.IntRange(1), metavar="K", help="At most K rounds out at once; no limit when not given."
)
_goal_option = click.option(
    "--goal",
    type=click.Choice(["find", "earn"]),
    help="What rounds are for: to find the best action, or to earn while learning it; find when the file does not say.",
)
_graph_only_option = click.option(
    "--graph-only", is_flag=True, help="Learners know the graph alone: the tables that the file gives stay unused."
)
_in_doubt_option = click.option(
    "--in-doubt", is_flag=True, help="Each FILE is a graph that may be the right one; they have the same variables."
)
files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path())
happened_option = click.option(
    "--happened", is_flag=True, help="This is what happened, although another value was set."
)
sure_option = click.option("--sure", is_flag=True, help="A number is right, although it is far outside all before.")
number_argument = click.argument("number", type=click.IntRange(1))
values_argument = click.argument("values", nargs=-1, required=True, metavar="NAME=VALUE…")
_rounds = click.option("--rounds", type=click.IntRange(1), metavar="N", help="The horizon: all rounds of the study.")
_budget = click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="B",
    help="Instead, where actions have costs: their sum.",
)

column_option = click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="VARIABLE=COLUMN",
    help="How the column of a variable is called in the data, where the names differ; may be given several times.",
)
_data_options = (
    column_option,
    click.option(
        "--missing",
        multiple=True,
        metavar="TEXT,…",
        help='What stands for a missing value in the data, beside empty cells and NA: --missing "-,?,999".',
    ),
    click.option(
        "--same",
        multiple=True,
        metavar="TEXT=VALUE",
        help='What a text in the data means: --same ja=yes, and --same "=no" for empty cells; may be given several times.',
    ),
    click.option(
        "--ignore", multiple=True, metavar="COLUMN", help="A column that is left out; may be given several times."
    ),
    click.option("--sheet", "sheet_name", metavar="NAME", help="The sheet of an Excel file, where it has several."),
)


def filled(**words: str) -> Callable[[F], F]:
    """A decorator that puts words into the help of a command, where it has their names in braces."""

    def changed(command: F) -> F:
        command.__doc__ = (command.__doc__ or "").format(**words)
        return command

    return changed


def of_a_study(command: F) -> F:
    """Adds the options of every command on one study."""
    return storage_option(study_option(command))


@dataclass(frozen=True)
class TypedReward:
    """The options about the reward as they were typed."""

    reward: str | None
    success: str | None
    worth: tuple[str, ...]
    aim: str | None

    @property
    def said(self) -> Wanted:
        """The options as Python has them."""
        from bestdo.causal.number import read_number
        from bestdo.errors import BestdoError, shown
        from bestdo.files import Wanted

        numbers: dict[str, float] = {}
        for text in self.worth:
            value, equals, number = text.rpartition("=")
            if not equals or not value:
                raise BestdoError(f"--worth {shown(text)} is not of the form VALUE=NUMBER, as in MILD=-1")
            if value in numbers:
                raise BestdoError(f"the worth of {shown(value)} is said twice")
            numbers[value] = read_number(f"the worth of {value}", number)
        return Wanted(self.reward, self.success, numbers or None, self.aim)

    @property
    def words(self) -> tuple[str, ...]:
        """The options as words of the next command."""
        worth = (("--worth", each) for each in self.worth)
        typed = [("--reward", self.reward), ("--success", self.success), *worth, ("--aim", self.aim)]
        return tuple(word for option, value in typed if value is not None for word in (option, value))


def reward_options(command: Callable[..., object]) -> Callable[..., object]:
    """Adds the options that say what is wanted, where the file does not; the command gets them as one argument, `wish`."""

    @functools.wraps(command)
    def with_wish(
        reward: str | None, success: str | None, worth: tuple[str, ...], aim: str | None, **others: object
    ) -> object:
        return command(wish=TypedReward(reward, success, worth, aim), **others)

    reward = click.option("--reward", metavar="NAME", help="The variable that matters, when the file does not say.")
    success = click.option("--success", metavar="VALUE", help="Which value of the reward is success.")
    worth = click.option(
        "--worth",
        multiple=True,
        metavar="VALUE=NUMBER",
        help="Instead of a success: what a value of the reward is worth; said again for each of its values.",
    )
    aim = click.option(
        "--aim",
        type=click.Choice(["maximise", "minimise"]),
        help="Whether a reward that is a number, or its worth, should be large or small.",
    )
    return reward(success(worth(aim(with_wish))))


@dataclass(frozen=True)
class TypedOptions:
    """The options of a command about the problem in its files: equal for every command that takes a problem."""

    said: Wanted
    goal: str | None
    graph_only: bool
    in_doubt: bool
    words: tuple[str, ...]
    """The options that say what is wanted, as they were typed: for the next command."""

    def composed(
        self,
        files: tuple[str, ...],
        data: str | None = None,
        reading: Reading | None = None,
        *,
        said: Wanted | None = None,
    ) -> Composed:
        """The problem of a file, or of several, each of which may have the right graph; notes on it are printed.

        `said` stands in place of what the options say is wanted.
        """
        said = self.said if said is None else said
        with reward_hints():
            known = self._together(files, said) if self.in_doubt else self._alone(files, said, data, reading)
        for note in known.contents.notes:
            click.echo(note, err=True)
        if not any(known.problem.graph.parents.values()):
            click.echo(
                f"note: {files[0]} has no arrows: nothing is said to cause anything, so no action can change the reward",
                err=True,
            )
        return known

    def contents(self, files: tuple[str, ...]) -> Contents:
        """The graph of a file, or of several, each of which may have the right one."""
        from bestdo.files import read

        if self.in_doubt:
            return self.composed(files).contents
        with reward_hints():
            return read(self.only(files), *self.said)

    def only(self, files: tuple[str, ...]) -> str:
        """The single file."""
        if len(files) > 1:
            raise click.UsageError("several files are read together with --in-doubt: each may have the right graph.")
        return files[0]

    def _alone(self, files: tuple[str, ...], said: Wanted, data: str | None, reading: Reading | None) -> Composed:
        """The problem of one file."""
        from bestdo.data.compose import compose

        return compose(self.only(files), data=data, reading=reading, **self._as_options(said))

    def _together(self, files: tuple[str, ...], said: Wanted) -> Composed:
        """The problem of several files."""
        from bestdo.data.in_doubt import in_doubt

        return in_doubt(files, **self._as_options(said))

    def _as_options(self, said: Wanted) -> ProblemOptions:
        """The options as Python has them."""
        wish: ProblemOptions = {"reward": said.reward, "success": said.success, "worth": said.worth, "aim": said.aim}
        return {**wish, "goal": self.goal, "graph_only": self.graph_only}


def problem_options(command: Callable[..., object]) -> Callable[..., object]:
    """Adds the options that say what the problem in FILE… is; the command gets them as one argument, `options`."""

    @functools.wraps(command)
    def with_options(wish: TypedReward, goal: str | None, graph_only: bool, in_doubt: bool, **others: object) -> object:
        return command(options=TypedOptions(wish.said, goal, graph_only, in_doubt, wish.words), **others)

    return reward_options(_goal_option(_graph_only_option(_in_doubt_option(with_options))))


def data_options(command: Callable[..., object]) -> Callable[..., object]:
    """Adds the options that say how a table of data is read; the command gets them as one argument, `reading`."""

    @functools.wraps(command)
    def with_options(
        columns: tuple[str, ...],
        missing: tuple[str, ...],
        same: tuple[str, ...],
        ignore: tuple[str, ...],
        sheet_name: str | None,
        **others: object,
    ) -> object:
        from bestdo.bandit.reading import Reading

        said = {
            "columns": parsed(columns),
            "missing": [text for each in missing for text in map(str.strip, each.split(",")) if text],
            "same": list(same),
            "ignore": list(ignore),
            "sheet": sheet_name,
        }
        return command(reading=Reading.of(said), **others)

    found: Callable[..., object] = with_options
    for option in reversed(_data_options):
        found = option(found)
    return found


@contextlib.contextmanager
def reward_hints() -> Iterator[None]:
    """Adds the options that name the reward, and which way is good, to errors that ask for them."""
    from bestdo.errors import NoAim, NoReward, NoSuccess

    hints = (
        hint(NoReward, ": say --reward NAME --success VALUE"),
        hint(NoSuccess, ": say --success VALUE"),
        hint(NoAim, ": say --aim maximise or --aim minimise"),
    )
    with hints[0], hints[1], hints[2]:
        yield


def horizon_options(command: F) -> F:
    """Adds the options of the horizon: rounds, or a budget."""
    return _rounds(_budget(command))


def checked_horizon(problem: Problem, rounds: int | None, budget: float | None) -> Horizon:
    """The horizon from the options: rounds, or a budget where actions have costs."""
    return problem.horizon(rounds, budget, ("--rounds N", "--budget B"))


@contextlib.contextmanager
def hint(kind: type[BestdoError], words: str) -> Iterator[None]:
    """Adds what to type on the command line to errors of that kind."""
    try:
        yield
    except kind as error:
        raise kind(f"{error}{words}") from None


def opened(url: str, name: str | None) -> Study:
    """The study of that name; the only one when none is named."""
    gc.disable()  # modules are no garbage: looking for some while they are imported takes a tenth of the time
    from bestdo.study import Study

    gc.freeze()
    gc.enable()
    return Study.open(name, url)


def must_exist(url: str) -> None:
    """Raises an error where a database file is missing; only `new` and `import` make one."""
    from bestdo.study.storage import must_exist

    must_exist(url)


def parsed(values: tuple[str, ...], names: Iterable[str] = ()) -> dict[str, str]:
    """The values in NAME=VALUE pairs, by name; the known names may themselves hold an equals sign."""
    from bestdo.errors import BestdoError, shown

    found: dict[str, str] = {}
    for text in values:
        known = (n for n in names if text.lower().startswith(f"{n.lower()}="))
        variable = text[: max(map(len, known), default=len(text.partition("=")[0]))]
        equals, value = text[len(variable) :][:1], text[len(variable) + 1 :]
        if not equals or not variable:
            raise BestdoError(f"{shown(text)} is not of the form NAME=VALUE, as in yield=good")
        if found.setdefault(variable, value) != value:
            raise BestdoError(f"{shown(variable)} is told twice: {shown(found[variable])} and {shown(value)}")
    return found


@contextlib.contextmanager
def counting(file: str) -> Iterator[None]:
    """Shows on a terminal that a file is being counted."""
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(f"counting {os.path.basename(file)} …")):
        yield


def print_json(data: object) -> None:
    """Prints data for programs."""
    click.echo(json.dumps(data, indent=2))
