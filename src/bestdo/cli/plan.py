"""`bestdo design`, `bestdo estimate` and `bestdo rehearse`: what can be decided before a round is paid for."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from bestdo.cli.compare import Whole, list_learners, one_thread, rounds_of, simulated
from bestdo.cli.graph import every_single_action, graph_file
from bestdo.cli.options import form_option, of_a_study, opened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bestdo.bandit.problem import Problem
    from bestdo.experiments import Experiment
    from bestdo.experiments.comparison import Refusal

__all__ = ["design", "estimate", "rehearse"]

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}


@click.command()
@graph_file
@click.option("--rounds", type=click.IntRange(1), metavar="N", help="How many rounds the plan has.")
@click.option(
    "--budget", type=click.FloatRange(0, min_open=True), metavar="X", help="Instead: what the rounds may cost together."
)
@click.option("-o", "--output", metavar="SHEET", help="Where the sheet goes, as in plan.csv; plan.json goes beside it.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the order of the rounds.")
@click.option(
    "--separator",
    type=click.Choice(list(_SEPARATORS)),
    default="comma",
    show_default=True,
    help="Between columns; spreadsheets set to a decimal comma want semicolons.",
)
@form_option
def design(
    file: str,
    reward: str | None,
    success: str | None,
    rounds: int | None,
    budget: float | None,
    output: str | None,
    seed: int,
    separator: str,
    form: str,
) -> None:
    """Write the optimal fixed plan for the problem in FILE, for when all rounds must be decided beforehand.

    The sheet has a line for each round, in a random order, and an empty column for everything that is seen. Fill it in
    and give it to bestdo estimate. With --budget the plan has as many rounds of the same design as the money pays for.
    """
    from bestdo.design.optimal import optimal_design
    from bestdo.errors import BestdoError
    from bestdo.files.sheet import sheet
    from bestdo.learners.planned import affordable, plan
    from bestdo.report.plan import plan_as_data, show_plan

    problem = _known(file, reward, success)
    if (rounds is None) == (budget is None):
        raise BestdoError("say how many rounds the plan has (--rounds N), or what it may cost (--budget X)")
    if rounds is None:
        assert budget is not None
        rounds = affordable(problem, budget, seed)
    plays = plan(problem, rounds, seed)
    data = plan_as_data(problem, optimal_design(problem), plays, seed)
    if output:
        _write(file, output, sheet(problem, plays, _SEPARATORS[separator]), data)
    if form == "json":
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        show_plan(data, len(problem.actions))
        if budget is not None and problem.cost is None:
            click.echo("the file names no costs, so that every round costs 1", err=True)
    if output:
        click.echo(f"wrote {output} and {_beside(output)}; fill it in, then: bestdo estimate {file} {output}", err=True)


def _beside(output: str) -> str:
    return f"{os.path.splitext(output)[0]}.json"


def _write(file: str, output: str, sheet: bytes, data: dict[str, object]) -> None:
    """Writes the sheet and what stands beside it; a sheet that is there, perhaps filled in, is never replaced."""
    from bestdo.errors import BestdoError, shown
    from bestdo.files.disk import read_bytes, write_bytes

    beside = (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()
    if os.path.splitext(output)[1].lower() not in (".csv", ".tsv", ".txt"):
        raise BestdoError(f"{shown(output, 300)}: the sheet is CSV; give a name that ends in .csv")
    for path, content in ((output, sheet), (_beside(output), beside)):
        if os.path.exists(path) and read_bytes(path) != content:
            raise BestdoError(
                f"{shown(path, 300)} is there already, perhaps filled in: give another name, or move it away"
            )
    write_bytes(output, sheet)
    write_bytes(_beside(output), beside)


@click.command()
@graph_file
@click.argument("sheet", type=click.Path())
@form_option
def estimate(file: str, sheet: str, reward: str | None, success: str | None, form: str) -> None:
    """Recommend an action from SHEET, a plan that bestdo design wrote for FILE and that has been filled in.

    CSV as spreadsheets save it: commas, semicolons or tabs, UTF-8 or UTF-16, columns in any order. Lines left empty are
    missing, not failures. A line that cannot be right stops everything, and is named.
    """
    from bestdo.files.sheet import read_sheet
    from bestdo.learners.planned import estimated
    from bestdo.report.plan import filled_as_data, show_filled
    from bestdo.report.study import best_as_data, show_best
    from bestdo.study.study import Best

    problem = _known(file, reward, success)
    filled = read_sheet(problem, sheet)
    kept, found = estimated(problem, filled.rounds)
    best = Best.of(problem.actions[kept], kept, found, filled.empty)
    if form == "json":
        data = {**best_as_data(best, found, problem.actions), "sheet": filled_as_data(filled)}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        graph = problem.graph
        assert graph.reward is not None
        show_filled(filled, graph.reward, graph.parents[graph.reward])
        show_best(best, found, problem.actions)


def _known(file: str, reward: str | None, success: str | None) -> Problem:
    """The problem of a file with the law of the reward's parents; what is needed is said where it is not known."""
    from bestdo.errors import NotValid, shown
    from bestdo.experiments.comparison import knowing
    from bestdo.files import read

    contents = read(file, reward=reward, success=success)
    problem = contents.problem or every_single_action(contents.graph)
    if contents.model is not None:
        problem = knowing(problem, contents.model).problem
    if problem.law is None:
        graph = problem.graph
        assert graph.reward is not None
        causes = ", ".join(map(shown, graph.parents[graph.reward][:8])) or "none"
        raise NotValid(
            f"a fixed plan needs to know how often the direct causes of {shown(graph.reward)} ({causes}) take each of "
            f"their values, by themselves and under each action, and {shown(file, 300)} does not say. Give a table for "
            f"every variable but {shown(graph.reward)} under [tables]. Where nobody knows, a study learns it as it goes: "
            "bestdo new"
        )
    return problem


@click.command()
@click.argument("file", type=click.Path(), required=False)
@click.option("--rounds", metavar="T,…", help="Numbers of rounds to try: 20,40,80,160 when not given.")
@click.option("--budget", metavar="B,…", help="Instead, where actions have costs: what may be spent.")
@click.option(
    "--learner",
    "learners",
    multiple=True,
    metavar="NAME",
    help="A learner's name, or module:Class; say it again for more. The sensible ones (a study's own) when none is named.",
)
@click.option(
    "--learners",
    "listed",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=list_learners,
    help="List the names.",
)
@click.option("--worlds", type=Whole(2), default=2000, show_default=True, help="On how many worlds each is played.")
@click.option(
    "--different",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="X",
    help="By how much the best action is believed to be better than the average one, in chances of success: 0.02 is "
    "little, 0.2 is much. Every table is equally likely when not given.",
)
@click.option("--graph-only", is_flag=True, help="Draw the tables of all variables, also those that the file gives.")
@click.option("--reward", metavar="NAME", help="The variable to maximise, when the file does not say.")
@click.option("--success", metavar="VALUE", help="Which value of the reward is success.")
@of_a_study
@click.option("--seed", type=Whole(0), default=0, show_default=True, help="Of all randomness.")
@click.option("--workers", type=Whole(1), help="Processes; one per core when not given.")
@click.option("-o", "--output", metavar="FOLDER", default="out", show_default=True, help="Where files go.")
@form_option
def rehearse(
    file: str | None,
    rounds: str | None,
    budget: str | None,
    learners: tuple[str, ...],
    worlds: int,
    different: float | None,
    graph_only: bool,
    reward: str | None,
    success: str | None,
    storage: str,
    name: str | None,
    seed: int,
    workers: int | None,
    output: str,
    form: str,
) -> None:
    """Play the experiment on many worlds that agree with FILE, to choose the learner and the number of rounds.

    The reward's table is drawn anew in every world, and so are all tables that the file does not give. Without FILE it is
    a study that is running (--study NAME): the worlds are drawn given what it has seen, and the rounds are those that
    would come on top.

    FOLDER gets rehearse.csv, .parquet, .json, .svg and .png. An interrupted rehearsal goes on where it stopped when the
    same command is given again.
    """
    one_thread()
    from bestdo.errors import BestdoError
    from bestdo.experiments.rehearsal import SENSIBLE, own_learner, prior_of, rehearsal
    from bestdo.experiments.titles import called

    if file is not None:
        if name is not None:
            raise BestdoError("give a FILE, or --study NAME, not both")
        problem, known = _believed(file, reward, success, graph_only)
        prior = prior_of(problem, known, different)
        players = called(*(learners or SENSIBLE))
    else:
        study = opened(storage, name)
        prior = prior_of(study.problem, None, different, study.begun())
        players = called(*learners) if learners else own_learner(study)
    experiment, refused = rehearsal(prior, players, _horizons(prior.problem, rounds, budget))
    _rehearsed(experiment, refused, worlds, seed, workers, output, form)


def _horizons(problem: Problem, rounds: str | None, budget: str | None) -> Sequence[float]:
    """What is to be tried, in what the problem counts."""
    from bestdo.errors import BestdoError

    if problem.cost is None:
        if budget is not None:
            raise BestdoError("say --rounds T,…: the actions have no costs")
        return rounds_of(rounds or "20,40,80,160")
    try:
        found = [float(part) for part in (budget or "").split(",")]
    except ValueError:
        found = []
    if not found or rounds is not None or not all(math.isfinite(b) and b > 0 for b in found):
        low, high = min(problem.cost), max(problem.cost)
        raise BestdoError(
            f"say --budget B,…, as in 50,100: the actions have costs ({low:g} to {high:g} a round), so that money is spent"
        )
    return found


def _believed(
    file: str, reward: str | None, success: str | None, graph_only: bool
) -> tuple[Problem, dict[str, NDArray[np.float64]]]:
    """The problem with what its learners may know, and the tables that are not drawn."""
    from bestdo.experiments.comparison import knowing
    from bestdo.files import read

    contents = read(file, reward=reward, success=success)
    problem = contents.problem or every_single_action(contents.graph)
    if graph_only:
        return replace(problem, law=None), {}
    if contents.model is not None:
        problem = knowing(problem, contents.model).problem
    tables = contents.model.tables if contents.model is not None else contents.tables
    return problem, {n: t for n, t in tables.items() if n != problem.graph.reward}


def _rehearsed(
    experiment: Experiment,
    refused: Sequence[Refusal],
    worlds: int,
    seed: int,
    workers: int | None,
    output: str,
    form: str,
) -> None:
    """Plays a rehearsal; says what it shows."""
    from bestdo.experiments.rehearsal import advice
    from bestdo.report.comparison import show
    from bestdo.report.study import say

    for refusal in refused:
        click.echo(str(refusal), err=True)
    table, done = simulated(experiment, worlds, seed, workers, output)
    rows = table.to_dicts()
    if form == "json":
        data = {"rows": rows, "left_out": [refusal._asdict() for refusal in refused], "advice": advice(rows)}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        given = rows[0]
        say(f"{experiment.caption[0].upper()}{experiment.caption[1:]}.")
        say(
            f"On average the best action succeeds with probability {given['best_mean']:.2f}, which is "
            f"{given['better_than_average']:.2f} better than the average action."
        )
        say("")
        show(rows)
        say(advice(rows))
    click.echo(done, err=True)
