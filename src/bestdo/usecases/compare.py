"""Compares learners by simulation on models of which all tables are known."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Unpack

import bestdo.display as display
from bestdo.arguments import listed, real_number, seed_number, text_of, whole_number
from bestdo.bandit.goal import EARN, FIND, Goal
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.data.compose import Composed, compose
from bestdo.data.problem_options import ProblemOptions, check_names
from bestdo.errors import BestdoError, NotValid, TooLarge, shown
from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.experiments.engine.result_table import texts_of
from bestdo.learners import by_title
from bestdo.learners import learner as named_learner
from bestdo.simulate import Prior, World
from bestdo.simulate.play import refuse_problem
from bestdo.text import counted
from bestdo.usecases.progress_bar import progress_bar
from bestdo.usecases.simulation import Simulation

__all__ = [
    "Compared",
    "Refusal",
    "checked_rounds",
    "compare",
    "compare_problems",
    "comparison",
    "table_size",
    "usual_for",
]

MOST_ROUNDS = 10_000_000
"""Rounds of the longest study that is simulated: one lane of causal top-two would take hours. Chosen, not measured."""
MOST_SIMULATIONS = 10_000_000
"""Simulations of a cell of a table: the standard error of a regret is then below 0.0002. Chosen, not measured."""
_USUAL = {
    FIND: ("causal-top-two", "algorithm-1", "algorithm-2", "successive-rejects", "uniform"),
    EARN: ("causal-thompson", "thompson", "kl-ucb", "causal-top-two", "uniform"),
}
"""Learners that are compared when none are named, by goal."""


class Refusal(NamedTuple):
    """A learner that does not work on a problem, and why."""

    world: str
    learner: str
    rounds: tuple[float, ...]
    """The horizons at which it refuses; all of them, as a rule."""
    reason: str

    def __str__(self) -> str:
        where = f" on {self.world}" if self.world else ""
        return f"{self.learner} is left out{where}: {self.reason}"


class Compared(NamedTuple):
    """A comparison of learners."""

    rows: list[Row]
    """The rows, one for each problem, learner and number of rounds."""
    refused: list[Refusal]
    """The learners that are not in the table, each with its reason."""
    texts: Mapping[str, Any] = MappingProxyType({})
    """The texts of the picture, as in the manifest of a figure."""

    def __repr__(self) -> str:
        names = dict.fromkeys(refusal.learner for refusal in self.refused)
        left_out = f"; left out, see refused: {', '.join(names)}" if names else ""
        return f"Compared({table_size(self.rows)}{left_out})"

    def _repr_html_(self) -> str:
        return display.html(self)

    def plot(self, title: str | None = None) -> Any:
        """The regret against the number of rounds, as a matplotlib figure; `title` replaces its title, "" leaves it out."""
        texts = self.texts if title is None else {**self.texts, "title": text_of("the title", title)}
        return display.plot(self._replace(texts=texts))

    def to_frame(self, library: str | None = None) -> Any:
        """A row for each problem, learner and number of rounds, as a data frame; see `bestdo.display.to_frame`."""
        return display.to_frame(self, library)


def compare(
    problems: object,
    rounds: float | Sequence[float] = (20, 40, 80),
    learners: str | Learner[Any] | Sequence[str | Learner[Any]] | Mapping[str, str | Learner[Any]] | None = None,
    sims: int = 1000,
    *,
    seed: int = 0,
    executor: Executor | None = None,
    workers: int = 1,
    progress: bool | display.Told = True,
    **options: Unpack[ProblemOptions],
) -> Compared:
    """The regret of every learner on every problem for every number of rounds, and how often it keeps the best action.

    problems: one that has all its tables, as a path, a World or anything that `bestdo.compose` takes; a list of those; or a
    mapping from short names to them. options: as in `bestdo.compose` (`reward`, `set`, `first`, `goal` …); with the goal
    "earn" the regret is summed over all rounds, and all learners meet the same chance. rounds: a number or a list of them
    (budgets, where actions have costs). learners: names or objects, or a mapping from labels to them; the usual five when
    not given. sims: simulations of each cell of the table. seed: of all random numbers; each cell has its own. workers or
    executor: processes, or any `concurrent.futures.Executor`. progress: whether a bar is shown, or a function of one's own.
    The result has `rows`, `to_frame()`, `plot()` and `refused`: learners that do not work on a problem are left out, as
    stderr says, too.

    Raises NotValid where no learner is for the problem, and BestdoError for arguments that make no sense.

    >>> import bestdo
    >>> found = bestdo.compare(bestdo.world("farm"), rounds=20, learners=["causal-top-two", "uniform"], sims=200)
    >>> [row["learner"] for row in found.rows]
    ['Causal top-two', 'Uniform']
    """
    check_names(compare, options)
    found = {name: compose(each, **options) for name, each in _by_name(problems).items()}
    tried: Any = usual_for(found.values()) if learners is None else learners
    if not isinstance(tried, Mapping):
        tried = tuple(listed("learners", tried, "['causal-top-two', 'uniform']"))
    with progress_bar("compare", progress) as update:
        simulation = Simulation(
            whole_number("the number of simulations", sims, most=MOST_SIMULATIONS),
            seed_number(seed),
            executor=executor,
            workers=whole_number("the number of workers", workers),
            progress=update,
            say=partial(print, file=sys.stderr),
        )
        return compare_problems(found, checked_rounds(rounds), tried, simulation)


def usual_for(problems: Iterable[Composed]) -> tuple[str, ...]:
    """Learners that are compared on problems when none are named; by their goal."""
    return _USUAL[_goal_of(composed.problem for composed in problems)]


def _goal_of(problems: Iterable[Problem]) -> Goal:
    """The goal of some problems; an error where they have several, because one table shows one kind of regret."""
    goals = sorted({problem.goal for problem in problems})
    if len(goals) > 1:
        raise BestdoError(
            "some of the problems are to find and some to earn: say which goal is compared (goal, --goal)"
        )
    return goals[0]


def checked_rounds(rounds: Any, least: int = 1) -> list[float]:
    """Numbers of rounds, or budgets, to simulate: one or a list; sorted, each once."""
    numbers = [real_number("a number of rounds", each) for each in listed("rounds", rounds, "[20, 40, 80]")]
    if not numbers or min(numbers) < least:
        seen = f", not {min(numbers):g}" if numbers else ""
        raise BestdoError(f"at least one number of rounds is needed, and none below {least}{seen}")
    return sorted({int(number) if number == int(number) else number for number in numbers})


def _by_name(problems: Any) -> dict[str, Any]:
    """The problems by short names: those of a mapping, or of their files, or numbers."""
    if isinstance(problems, Mapping):
        return {str(name): each for name, each in problems.items()}
    each = problems if isinstance(problems, list | tuple) else [problems]
    if not each:
        raise BestdoError("there is no problem to compare learners on: give one, or a list of some")
    files = [Path(os.fsdecode(one)) for one in each if isinstance(one, str | os.PathLike)]
    if len(files) < len(each):
        return {str(number) if len(each) > 1 else "": one for number, one in enumerate(each, 1)}
    return dict(zip(_short_names(files), each, strict=True))


def _short_names(files: Sequence[Path]) -> list[str]:
    """A name for each file: without its folder and extension, unless two would have the same."""
    stems = [file.name.removesuffix(".gz").rpartition(".")[0] or file.name for file in files]
    return [stem if stems.count(stem) == 1 else str(file) for file, stem in zip(files, stems, strict=True)]


def compare_problems(
    problems: Mapping[str, Composed],
    rounds: Sequence[float],
    learners: Sequence[str | Learner[Any]] | Mapping[str, str | Learner[Any]],
    simulation: Simulation,
) -> Compared:
    """The comparison of learners on problems; see `compare`.

    Problems are given by short names, and need all their tables: rounds are drawn from these, and learners know of them
    what the problem says. Learners that do not work on a problem are left out, and `simulation.say` is told before the
    simulations begin.
    """
    worlds = {}
    for name, composed in problems.items():
        if composed.model is None:
            raise BestdoError(
                f"{shown(composed.name or name, 300) if composed.name or name else 'the problem'} holds no tables of "
                "probabilities; to compare, the truth must be known. Without it, rehearse tries learners on worlds that "
                "agree with the graph"
            )
        worlds[name] = World(composed.problem, composed.model)
    if isinstance(learners, Mapping):
        found = {str(label): named_learner(each) for label, each in learners.items()}
    else:
        found = by_title(*learners)
    experiment, refused = comparison(worlds, found, rounds)
    for refusal in refused:
        simulation.say(str(refusal))
    return Compared(simulation.table(experiment), refused, texts_of(experiment))


def table_size(rows: Sequence[Row]) -> str:
    """The numbers of learners and of rounds of a table, in words."""
    learners, horizons = ({row[column] for row in rows} for column in ("learner", "horizon"))
    return f"{counted(len(learners), 'learner')}, {counted(len(horizons), 'horizon')}, {counted(len(rows), 'row')}"


def comparison(
    worlds: Mapping[str, World | Prior],
    learners: Mapping[str, Learner[Any]],
    rounds: Sequence[float],
    name: str = "compare",
) -> tuple[Experiment, list[Refusal]]:
    """The experiment of every learner in every world for every number of rounds, and the learners that refuse, with reasons.

    A learner says at the start, or when it is told the rounds so far, that it is not for a problem.
    """
    if max(rounds, default=0) > MOST_ROUNDS:
        raise TooLarge(f"{max(rounds):,.0f} rounds are too many to simulate: at most {MOST_ROUNDS:,} are allowed")
    settings, refused = [], []
    for panel, world in worlds.items():
        left_out: dict[str, dict[float, str]] = {}
        for label, learner in learners.items():
            reasons: dict[float, str] = {t: reason for t in rounds if (reason := _refuses(world, learner, label, t))}
            if reasons:
                left_out[label] = reasons
                refused.append(Refusal(panel, label, tuple(reasons), next(iter(reasons.values()))))
        for t in rounds:
            out = frozenset(label for label, reasons in left_out.items() if t in reasons)
            settings.append(Setting(t, world, t, panel=panel, left_out=out))
    if all(s.left_out.issuperset(learners) for s in settings):
        raise NotValid("no learner is left:\n" + "\n".join(map(str, refused)))
    measure = _goal_of(world.problem for world in worlds.values()).measure
    experiment = Experiment(
        name=name,
        title=measure.title,
        x_label="T, the number of rounds",
        settings=tuple(settings),
        learners=learners,
        over_time=measure.noted,
        y=measure.column,
        y_error=measure.error,
        y_label=measure.label,
    )
    return experiment, refused


def _refuses(world: World | Prior, learner: Learner[Any], label: str, horizon: float) -> str:
    """The reason why the learner does not work in a world; empty where it does."""
    try:
        refuse_problem(world, learner, horizon)
    except (NotValid, TooLarge) as error:
        return str(error)
    except BestdoError:
        raise
    except Exception as error:
        raise BestdoError(
            f"{label} failed: {error!r}; bestdo.testing.check_learner tells what is wrong with a learner"
        ) from error
    return ""
