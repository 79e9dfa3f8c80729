"""`bestdo new`, `ask`, `tell`, `best` and the other commands of a running study."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from bestdo.cli.options import (
    TypedOptions,
    at_once_option,
    block_option,
    checked_horizon,
    column_option,
    form_option,
    happened_option,
    hint,
    horizon_options,
    number_argument,
    of_a_study,
    opened,
    parsed,
    print_json,
    problem_options,
    storage_option,
    sure_option,
    values_argument,
    who_option,
    why_option,
)

if TYPE_CHECKING:
    from bestdo.bandit.problem import Problem

    pass

__all__ = ["COMMANDS"]


def _days(text: str) -> float:
    """A number of days, also written 1d; an error in a sentence for what is none, or below 0."""
    try:
        days = float(str(text).removesuffix("d"))
    except ValueError:
        days = -1.0
    if not days >= 0:
        raise click.BadParameter(f"{str(text)!r:.60} is no number of days, as 7 or 0.5.")
    return days


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path())
@horizon_options
@click.option("--name", metavar="NAME", help="The study's name; the file's when not given.")
@click.option(
    "--learner", metavar="NAME", help="As in bestdo compare --learners; chosen, and why said, when not given."
)
@block_option
@at_once_option
@click.option(
    "--wait",
    is_flag=True,
    help="Strict phases: nothing new is planned before all results of the last phase are told.",
)
@click.option(
    "--until-sure",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="P",
    help="Stop as soon as one action is the best with this confidence, 0.95 say, however early that is.",
)
@click.option(
    "--alarm",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.05,
    show_default=True,
    metavar="P",
    help="How often rounds may seem to contradict a graph that is right, in the whole study; 0: no alarm.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of all random numbers.")
@click.option(
    "--lease",
    type=_days,
    default=7.0,
    metavar="DAYS",
    show_default=True,
    help="After how many days a round that nobody told is handed out again: 1, 0.5, 30.",
)
@click.option("--load-if-exists", is_flag=True, help="Go on with the study of that name, if there is one.")
@problem_options
@storage_option
@form_option
def new(
    files: tuple[str, ...],
    rounds: int | None,
    budget: float | None,
    name: str | None,
    learner: str | None,
    block: int | None,
    at_once: int | None,
    wait: bool,
    until_sure: float | None,
    alarm: float,
    seed: int,
    lease: float,
    load_if_exists: bool,
    options: TypedOptions,
    storage: str,
    form: str,
) -> None:
    """Begin a study of the problem in FILE.

    Every single action is taken where the file names none. The tables that the file gives for variables other than the
    reward are known to the learner, and kept in the study.
    """
    from bestdo.errors import Conflict
    from bestdo.report import study_report as report
    from bestdo.study import Study
    from bestdo.study.creation import usual_name

    problem = options.composed(files).problem
    checked_horizon(problem, rounds, budget)
    with hint(Conflict, " (--load-if-exists, or --name NAME)"):
        made = Study.create(
            problem,
            rounds,
            budget=budget,
            learner=learner,
            name=usual_name(files[0]) if name is None else name,
            storage=storage,
            seed=seed,
            parameters={} if block is None else {"block": block},
            lease=lease,
            until_sure=until_sure,
            alarm=alarm,
            at_once=at_once,
            wait=wait,
            load_if_exists=load_if_exists,
        )
    status = made.status()  # of the study that was there, with --load-if-exists
    if form == "json":
        print_json({**status, "why": made.why_learner})
    else:
        report.show_goal(made.problem)
        report.show_limits(made.problem)
        report.show_new(status, made.problem, made.why_learner)


@click.command()
@click.option(
    "--worker",
    metavar="NAME",
    default="",
    help="Who will play it; asking again gives the same open round, but a new one with --seen.",
)
@click.option("-n", "count", type=click.IntRange(1), default=1, show_default=True, help="How many rounds.")
@click.option(
    "--seen",
    multiple=True,
    metavar="NAME=VALUE",
    help="What is seen before the action is chosen, where the problem names it; several times for several variables.",
)
@click.option(
    "--contexts", metavar="FILE", help="Instead, a table (CSV, Excel, Parquet) with a row for each of several rounds."
)
@column_option
@click.option("--key", metavar="TEXT", help="With --seen or --contexts: the same request again gives the same rounds.")
@of_a_study
@form_option
def ask(
    worker: str,
    count: int,
    seen: tuple[str, ...],
    contexts: str | None,
    columns: tuple[str, ...],
    key: str | None,
    storage: str,
    name: str | None,
    form: str,
) -> None:
    """Say what to do in the next round, and why.

    The exit code is 3 when there is nothing to do: the study has finished, or waits for rounds that are out.
    """
    from bestdo.errors import Waiting

    study = opened(storage, name)
    from bestdo.report import study_report as report
    from bestdo.text import counted

    with hint(Waiting, " (bestdo tell NUMBER NAME=VALUE…, bestdo withdraw NUMBER --why TEXT)"):
        asked = study.ask(worker, count, context=_context(study.problem, seen, contexts, columns), key=key)
    if form == "json":
        print_json([report.asked_as_data(each) for each in asked])
    else:
        tell = "bestdo tell" if name is None else f"bestdo tell --study {shlex.quote(name)}"
        report.show_asked(asked, study.problem.graph, tell)
    if asked.fewer is not None:
        click.echo(f"only {counted(len(asked), 'round')}: {asked.fewer}", err=True)


def _context(
    problem: Problem, seen: tuple[str, ...], file: str | None, columns: tuple[str, ...]
) -> dict[str, str] | list[dict[str, str]] | None:
    """The values seen first, by options or in a file; None where nothing is said and nothing is seen first."""
    from bestdo.errors import BestdoError

    if file is not None and seen:
        raise BestdoError("say what is seen first either by --seen or by --contexts FILE")
    if file is not None and problem.first:
        from bestdo.data.context_table import contexts_in

        found = contexts_in(file, problem, parsed(columns))
        for note in found.notes:
            click.echo(note, err=True)
        return found.contexts
    if columns:
        raise BestdoError("--column says how columns of a table are called: it goes with --contexts FILE")
    missing = " ".join(f"--seen {shlex.quote(f'{name}=…')}" for name in problem.first)
    if missing and not seen:
        raise BestdoError(f"what is seen before the action is chosen must be said: {missing} (left empty if not known)")
    given = parsed(seen, problem.first)
    return {name: value for name, value in given.items() if value} if seen or file else None


@click.command()
@number_argument
@values_argument
@click.option("--key", metavar="TEXT", help="A name of your own for the result; no two rounds share one.")
@happened_option
@sure_option
@who_option
@of_a_study
def tell(
    number: int,
    values: tuple[str, ...],
    key: str | None,
    happened: bool,
    sure: bool,
    who: str,
    storage: str,
    name: str | None,
) -> None:
    """Tell what round NUMBER showed: the reward, and what else was seen.

    The same again does nothing; other values for a round that was told are a conflict (exit code 2).
    """
    from bestdo.causal.action import Intervention
    from bestdo.errors import Deviates, Unusual, shown

    study = opened(storage, name)
    with hint(Deviates, ": --happened"), hint(Unusual, ": --sure"):
        seen = parsed(values, study.problem.graph.observed)
        study.tell(number, seen, key=key, who=who, happened=happened, sure=sure)
    told = study.rounds(number - 1, 1)[0]
    click.echo(f"told round {number}{' late: its lease had ended' if told.get('late') else ''}", err=True)
    for limit in study.problem.limits:
        if limit.variable not in {*told["values"], *Intervention.parse(told["action"])}:
            click.echo(
                f"{shown(limit.variable)} was not told: the round says little or nothing about the limit {limit}; once it is "
                f"known: bestdo amend {number} {shlex.quote(f'{limit.variable}=…')} --why TEXT",
                err=True,
            )


@click.command()
@number_argument
@why_option
@click.option("--never-played", is_flag=True, help="Its place among the rounds is given back; otherwise it is lost.")
@who_option
@of_a_study
def withdraw(number: int, why: str, never_played: bool, who: str, storage: str, name: str | None) -> None:
    """Take round NUMBER back."""
    opened(storage, name).withdraw(number, why, lost=not never_played, who=who)
    click.echo(f"withdrew round {number}: {'never played' if never_played else 'lost'}", err=True)


@click.command()
@number_argument
@click.option("--why", default="", metavar="TEXT", help="The reason, for the log.")
@who_option
@of_a_study
def undo(number: int, why: str, who: str, storage: str, name: str | None) -> None:
    """Take back that round NUMBER was told: it is out again, as before. The log keeps what was told."""
    opened(storage, name).undo(number, why, who=who)
    click.echo(f"round {number} is out again", err=True)


@click.command()
@number_argument
@values_argument
@why_option
@happened_option
@sure_option
@who_option
@of_a_study
def amend(
    number: int,
    values: tuple[str, ...],
    why: str,
    happened: bool,
    sure: bool,
    who: str,
    storage: str,
    name: str | None,
) -> None:
    """Correct what was told of round NUMBER: these values replace the earlier ones, the others stay.

    The log keeps both.
    """
    from bestdo.errors import Deviates, Unusual

    study = opened(storage, name)
    with hint(Deviates, ": --happened"), hint(Unusual, ": --sure"):
        seen = parsed(values, study.problem.graph.observed)
        study.amend(number, seen, why, who=who, happened=happened, sure=sure)
    now = ", ".join(f"{n}={v}" for n, v in study.rounds(number - 1, 1)[0]["values"].items())
    click.echo(f"amended round {number}: {now}", err=True)


@click.command()
@click.argument("text")
@click.option("--round", "number", type=click.IntRange(1), metavar="N", help="The round it is about.")
@who_option
@of_a_study
def note(text: str, number: int | None, who: str, storage: str, name: str | None) -> None:
    """Keep a remark in the log."""
    opened(storage, name).note(text, number, who=who)
    click.echo("noted" if number is None else f"noted on round {number}", err=True)


@click.command()
@click.option("--picture", metavar="FILE", help="Also draw how the estimates moved: a name ending in .svg or .png.")
@of_a_study
@form_option
def best(picture: str | None, storage: str, name: str | None, form: str) -> None:
    """Recommend an action, as things stand, and show what is known of all; a rule where something is seen first."""
    study = opened(storage, name)
    from bestdo.report import study_report as report

    found = study.findings()
    kept, estimates, actions = found.best, found.estimates, found.problem.actions
    if picture is not None:
        from bestdo.report.estimate_plot import draw_estimates
        from bestdo.study.estimate_history import moved

        draw_estimates(picture, study.name, actions, kept.action, moved(study), estimates)
    if form == "json":
        print_json(found.as_data())
    else:
        report.show(study, found)


@click.command()
@of_a_study
@form_option
def status(storage: str, name: str | None, form: str) -> None:
    """Say where the study stands: rounds used, told and out, and with whom."""
    study = opened(storage, name)
    from bestdo.report import study_report as report

    found = study.status()
    if form == "json":
        print_json(found)
    else:
        report.show_goal(study.problem)
        report.show_status(found)


@click.command()
@of_a_study
@form_option
def history(storage: str, name: str | None, form: str) -> None:
    """Show the log: everything that happened, oldest first."""
    events = opened(storage, name).history()
    from bestdo.report import study_report as report

    if form == "json":
        print_json(events)
    else:
        report.show_history(events)


COMMANDS: tuple[click.Command, ...] = (new, ask, tell, withdraw, amend, undo, note, best, status, history)
"""The commands in the order in which a person meets them."""
