"""`bestdo rehearse`: simulates the experiment, to choose the learner and the number of rounds."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from bestdo.cli.options import (
    TypedOptions,
    at_once_option,
    form_option,
    of_a_study,
    opened,
    problem_options,
)
from bestdo.cli.simulation import Whole, dask_option, learners_option, own_modules, rounds_of, simulating

if TYPE_CHECKING:
    from bestdo.bandit.problem import Problem
    from bestdo.usecases.rehearse import Rehearsal

__all__ = ["rehearse"]


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE…]", type=click.Path())
@click.option("--rounds", metavar="T,…", help="Numbers of rounds to try: 20,40,80,160 when not given.")
@click.option("--budget", metavar="B,…", help="Instead, where actions have costs: what may be spent.")
@click.option(
    "--learner",
    "learners",
    multiple=True,
    metavar="NAME",
    help="A learner's name, or module:Class; say it again for more. The sensible ones (a study's own) when none is named.",
)
@learners_option
@click.option("--worlds", type=Whole(2), default=2000, show_default=True, help="On how many worlds each is played.")
@click.option(
    "--different",
    type=click.FloatRange(0, min_open=True),
    metavar="X",
    help="By how much the best action is believed to be better than the average one, in the reward's unit; in chances "
    "of success 0.02 is little, 0.2 is much. Worlds that differ more, or less, are then drawn more seldom, so that it is X "
    "on average. When not given, it is 0.1 to 0.2 on average (of a number: of what lies between its bounds, or of twice its "
    "spread), whatever the number of causes.",
)
@at_once_option
@click.option(
    "--delay",
    type=Whole(0),
    default=0,
    show_default=True,
    metavar="D",
    help="A result is known only when D more rounds were handed out.",
)
@problem_options
@of_a_study
@click.option("--seed", type=Whole(0), default=0, show_default=True, help="Seed of all random numbers.")
@click.option("--workers", type=Whole(1), help="Processes; one per core when not given.")
@click.option("-o", "--output", metavar="FOLDER", default="out", show_default=True, help="Where the files go.")
@dask_option
@form_option
def rehearse(
    files: tuple[str, ...],
    rounds: str | None,
    budget: str | None,
    learners: tuple[str, ...],
    worlds: int,
    different: float | None,
    at_once: int | None,
    delay: int,
    options: TypedOptions,
    storage: str,
    name: str | None,
    seed: int,
    workers: int | None,
    output: str,
    dask: str | None,
    form: str,
) -> None:
    """Play the experiment on many worlds that agree with FILE, to choose the learner and the number of rounds.

    The reward's table is drawn anew in every world, and so are all tables that the file does not give; those that it
    gives are known to the learners. An arrow says that a cause may matter: where the reward has three causes or more, half
    of the worlds are such that one or two of them matter, and half such that all do. The advice says where these two differ.
    What is rehearsed is the study that bestdo new begins with the same FILE and options.
    Without FILE it is a study that is running (--study NAME): the worlds are drawn given what it has seen, and the rounds
    are those that would come on top.

    FOLDER gets rehearse.csv, .parquet, .json, .svg and .png. An interrupted rehearsal goes on where it stopped when the
    same command is given again.
    """
    from bestdo.errors import BestdoError
    from bestdo.usecases.rehearse import rehearse_problem, rehearse_study, rounds_in_flight

    if files and name is not None:
        raise BestdoError("give a FILE, or --study NAME, not both")
    own_modules(learners)
    flight = rounds_in_flight(at_once, delay)
    known = options.composed(files) if files else None
    study = opened(storage, name) if known is None else None
    with simulating("rehearse", worlds, seed, workers, output, dask, learners) as (simulation, done):
        if study is not None:
            problem = study.problem
            horizons = _horizons(problem, rounds, budget)
            found = rehearse_study(study, horizons, simulation, learners, different=different, in_flight=flight)
        else:
            assert known is not None
            problem = known.problem
            horizons = _horizons(problem, rounds, budget)
            found = rehearse_problem(
                problem,
                horizons,
                simulation,
                learners or None,
                known=known.tables,
                different=different,
                in_flight=flight,
            )
    said = done()
    _show(found, problem, form)
    click.echo(said, err=True)


def _horizons(problem: Problem, rounds: str | None, budget: str | None) -> Sequence[float]:
    """The horizons to try: rounds, or budgets where actions have costs."""
    return {"rounds": _rounds, "cost": _budgets}[problem.unit.name](problem, rounds, budget)


def _rounds(problem: Problem, rounds: str | None, budget: str | None) -> Sequence[float]:
    """The numbers of rounds to try."""
    from bestdo.errors import BestdoError

    if budget is not None:
        raise BestdoError("say --rounds T,…: the actions have no costs")
    return rounds_of(rounds or "20,40,80,160")


def _budgets(problem: Problem, rounds: str | None, budget: str | None) -> Sequence[float]:
    """The budgets to try."""
    from bestdo.errors import BestdoError

    try:
        found = [float(part) for part in (budget or "").split(",")]
    except ValueError:
        found = []
    if not found or rounds is not None or not all(math.isfinite(b) and b > 0 for b in found):
        low, high = problem.prices.min(), problem.prices.max()
        raise BestdoError(f"say --budget B,…, as in 50,100: the actions have costs ({low:g} to {high:g} a round)")
    return found


def _show(found: Rehearsal, problem: Problem, form: str) -> None:
    """Prints the result of a rehearsal."""
    from bestdo.report.comparison_table import show
    from bestdo.report.sections.recommendation import as_things_stand
    from bestdo.report.sections.rehearsal import advice, cost_of_delay
    from bestdo.report.study_report import show_goal, show_limits
    from bestdo.report.writers.terminal import say

    if form == "json":
        left_out = [refusal._asdict() for refusal in found.refused]
        data: dict[str, Any] = {
            "rows": found.rows,
            "left_out": left_out,
            "advice": advice(found.rows),
            "worlds": found.worlds,
        }
        if said := cost_of_delay(found.rows):
            data["cost_of_delay"] = said
        if found.now is not None:
            data["now"] = found.now.with_certainty()
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    graph = problem.graph
    show_goal(problem)
    show_limits(problem)
    what = problem.contexts.answer
    say(f"{found.worlds[0].upper()}{found.worlds[1:]}.")
    for panel, given in {row["panel"]: row for row in found.rows}.items():
        on, shown = f"If {panel}, on" if panel else "On", graph.rewarded.digits
        ahead = f"{given['better_than_average']:{shown}} better than the average action."
        if (
            graph.bounds is None and not given["rounds_before"]
        ):  # where the means lie is anybody's guess, and told to nobody
            say(f"{on} average the best {what} is {ahead}")
            continue
        say(f"{on} average the best {what} {graph.rewarded.brings} {given['best_mean']:{shown}}, which is {ahead}")
    if found.now is not None:
        say(as_things_stand(found.now))
    say("")
    show(found.rows, unit=graph.rewarded.unit)
    say(advice(found.rows))
    for line in cost_of_delay(found.rows):
        say(f"What it costs not to wait for results: {line}.")
