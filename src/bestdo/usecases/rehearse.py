"""Simulates an experiment before it is run, on many worlds that agree with the graph: which learner, how many rounds?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, Unpack

from numpy.typing import ArrayLike

import bestdo.display as display
from bestdo.arguments import listed, mapping, of_type, real_number, seed_number, whole_number
from bestdo.bandit.answer import Best
from bestdo.bandit.goal import EARN, FIND
from bestdo.bandit.learner import Learner, in_study
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Progress
from bestdo.data.compose import compose
from bestdo.data.problem_options import ProblemOptions, check_names
from bestdo.errors import BestdoError
from bestdo.experiments.engine.experiment import Experiment, Row
from bestdo.experiments.engine.result_table import texts_of
from bestdo.learners import LEARNERS, by_title, title
from bestdo.learners.older_learners import current
from bestdo.simulate import Prior
from bestdo.simulate.driver import rounds_in_flight
from bestdo.study import Study
from bestdo.usecases.compare import MOST_SIMULATIONS, Refusal, checked_rounds, comparison, table_size
from bestdo.usecases.progress_bar import progress_bar
from bestdo.usecases.rehearsal_worlds import NOTHING, how_drawn, prior_of, priors_of, what_is_given
from bestdo.usecases.simulation import Simulation

__all__ = [
    "Rehearsal",
    "rehearse",
    "rehearse_problem",
    "rehearse_study",
    "rounds_in_flight",
    "sensible_for",
]

_SENSIBLE = {
    ("action", FIND): tuple(
        name
        for name in ("causal-top-two", "watch-then-act", "algorithm-1", "algorithm-2", "sequential-halving", "uniform")
        if name in LEARNERS
    ),
    ("action", EARN): ("causal-thompson", "thompson", "kl-ucb", "causal-top-two", "uniform"),
    ("rule", FIND): ("causal-top-two", "top-two", "uniform"),
    ("rule", EARN): ("causal-thompson", "thompson", "linear-thompson", "uniform"),
}
"""Learners that are tried when none are named, by what they are to find (`Contexts.answer`) and by goal; those that the
problem is not for are left out."""


def rehearse(
    problem: object,
    rounds: float | Sequence[float] = (20, 40, 80, 160),
    learners: str | Learner[Any] | Sequence[str | Learner[Any]] | None = None,
    worlds: int = 2000,
    *,
    known: Mapping[str, ArrayLike] | None = None,
    different: float | None = None,
    given: Progress = NOTHING,
    at_once: int | None = None,
    delay: int = 0,
    seed: int = 0,
    executor: Executor | None = None,
    workers: int = 1,
    progress: bool | display.Told = True,
    **options: Unpack[ProblemOptions],
) -> Rehearsal:
    """The regret of every learner for every number of rounds on many worlds, and how often it keeps the best action.

    problem: a Problem, the path of a file, or anything else that `bestdo.compose` takes (options: as there, `reward`,
    `set`, `first`, `goal` …); or a running Study, whose rest is rehearsed by its own learner unless others are named, on
    worlds drawn given what has been seen: rounds are then those from now on. rounds: a number or a list of them (money,
    where actions have costs). learners: names or objects; those that suit most problems when not given. worlds: how many
    are drawn. The worlds agree with the problem's graph and law; `known` are tables that are not drawn, `different` is how
    much better the best action is believed to be than the average one, in the unit of the reward. `given` is what has been
    played already: then every learner knows it, and the rounds rehearsed come on top. A result is known `delay` rounds
    later, with at most `at_once` rounds out (see `play`). seed: of all random numbers. workers or executor: processes, or
    any `concurrent.futures.Executor`. progress: whether a bar is shown, or a function of one's own.

    Where the reward has three causes or more, half of the worlds are such that one or two of them matter, and half such that
    all do: the column `panel` says which. The result has `rows`, `advice`, `to_frame()` and `plot()`.

    Raises NotValid where no learner is for the problem, and BestdoError for arguments that make no sense.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("price -> sales", reward="sales", success="1")
    >>> found = bestdo.rehearse(graph, rounds=[10, 80], learners="uniform", worlds=500)
    >>> found.rows[0]["regret"] > found.rows[1]["regret"]
    True
    """
    check_names(rehearse, options)
    flight = rounds_in_flight(at_once, delay)
    tried = None if learners is None else listed("learners", learners, "['causal-top-two', 'uniform']")
    numbers = checked_rounds(rounds, 0)
    different = None if different is None else real_number("how different actions are believed to be", different)
    of_type("what was played already", given, Progress, "study.progress()")
    if known is not None:
        mapping("known", known, "{'season': [0.5, 0.5]}")
    with progress_bar("rehearse", progress) as update:
        simulation = Simulation(
            whole_number("the number of worlds", worlds, most=MOST_SIMULATIONS),
            seed_number(seed),
            executor=executor,
            workers=whole_number("the number of workers", workers),
            progress=update,
        )
        if isinstance(problem, Study):
            return rehearse_study(problem, numbers, simulation, tried or (), different=different, in_flight=flight)
        composed = compose(problem, **options)
        return rehearse_problem(
            composed.problem,
            numbers,
            simulation,
            sensible_for(composed.problem) if tried is None else tried,
            known=composed.tables if known is None else known,
            different=different,
            given=given,
            in_flight=flight,
        )


def sensible_for(problem: Problem) -> tuple[str, ...]:
    """Learners that are tried when none are named."""
    return _SENSIBLE[problem.contexts.answer, problem.goal]


class Rehearsal(NamedTuple):
    """The result of a rehearsal."""

    rows: list[Row]
    """The rows, one for each learner and number of rounds."""
    refused: list[Refusal]
    """The learners that are not for the problem."""
    worlds: str
    """In words, on which worlds it was simulated."""
    now: Best | None = None
    """The recommendation of a running study as things stand: in the worlds it is the best as often as this says."""
    texts: Mapping[str, Any] = MappingProxyType({})
    """The texts of the picture, as in the manifest of a figure."""

    @property
    def advice(self) -> str:
        """The conclusion, in a few sentences: the learner, the number of rounds, and the gain from them."""
        return display.advice(self.rows)

    def __repr__(self) -> str:
        return f"Rehearsal({table_size(self.rows)})"

    def _repr_html_(self) -> str:
        return display.html(self)

    def plot(self) -> Any:
        """The regret against the number of rounds, as a matplotlib figure."""
        return display.plot(self)

    def to_frame(self, library: str | None = None) -> Any:
        """A row for each learner and number of rounds, as a data frame; see `bestdo.display.to_frame`."""
        return display.to_frame(self, library)


def rehearse_problem(
    problem: Problem,
    rounds: Sequence[float],
    simulation: Simulation,
    learners: Sequence[str | Learner[Any]] | None = None,
    *,
    known: Mapping[str, ArrayLike] | None = None,
    different: float | None = None,
    given: Progress = NOTHING,
    in_flight: int = 1,
) -> Rehearsal:
    """The rehearsal of a study of this problem, by each learner on many worlds; see `rehearse`."""
    one = {"": prior_of(problem, known, different, given)} if given.rounds else None
    priors = priors_of(problem, known, different) if one is None else one
    return _rehearsed(
        priors, _in_studies(sensible_for(problem) if learners is None else learners), rounds, simulation, in_flight
    )


def rehearse_study(
    study: Study,
    rounds: Sequence[float],
    simulation: Simulation,
    learners: Sequence[str | Learner[Any]] = (),
    *,
    different: float | None = None,
    in_flight: int = 1,
) -> Rehearsal:
    """The rehearsal of the rest of a study, by its own learner or those named; see `rehearse`.

    The recommended action is the best in as many worlds as the study says (`Study.best`).
    """
    own = {title(study.status()["learner"]): study.learner}
    found = study.findings()
    prior = prior_of(study.problem, None, different, study.progress())
    if prior.progress.rounds and not study.problem.limits and not study.problem.first:
        prior = prior.believing(found.problem.actions.index(found.best.action), found.best.p_best)
    tried = _in_studies(learners) if learners else own
    rehearsed = _rehearsed({"": prior}, tried, rounds, simulation, in_flight)
    return rehearsed._replace(now=found.best)


def _in_studies(names: Sequence[str | Learner[Any]]) -> dict[str, Learner[Any]]:
    """Learners as studies play them, by their full names."""
    return {name: in_study(current(learner)) for name, learner in by_title(*names).items()}


def _rehearsed(
    priors: Mapping[str, Prior],
    learners: Mapping[str, Learner[Any]],
    rounds: Sequence[float],
    simulation: Simulation,
    in_flight: int,
) -> Rehearsal:
    """Simulates the experiment of a rehearsal, the worlds divided among its priors; says which learners are left out."""
    experiment, refused = _experiment(priors, learners, rounds)
    for refusal in dict.fromkeys(str(refusal._replace(world="")) for refusal in refused):
        simulation.say(refusal)
    each = max(2, -(-simulation.sims // len(priors)))
    once = {refusal.learner: refusal._replace(world="") for refusal in refused}
    simulation = replace(simulation, sims=each)
    rows = simulation.table(_with_flight(experiment, in_flight))
    return Rehearsal(rows, list(once.values()), experiment.caption, texts=texts_of(experiment))


def _with_flight(experiment: Experiment, in_flight: int) -> Experiment:
    """The experiment with so many rounds in flight, each study beside one that waits for every result."""
    if in_flight == 1:
        return experiment
    flight: dict[str, Any] = {"in_flight": in_flight}
    settings = (replace(s, given={**s.given, **flight}, waits_beside=True, **flight) for s in experiment.settings)
    return replace(experiment, settings=tuple(settings))


def _experiment(
    priors: Mapping[str, Prior], learners: Mapping[str, Learner[Any]], rounds: Sequence[float]
) -> tuple[Experiment, list[Refusal]]:
    """The experiment behind a rehearsal, and the learners that are not for the problem, with their reasons."""
    if not rounds or min(rounds) < 0:
        raise BestdoError("at least one number of rounds is needed, and none below 0")
    experiment, refused = comparison(priors, learners, sorted(dict.fromkeys(rounds)), "rehearse")
    given = {panel: what_is_given(prior) for panel, prior in priors.items()}
    settings = tuple(replace(setting, given=given[setting.panel]) for setting in experiment.settings)
    prior = next(iter(priors.values()))
    more = " more" if prior.progress.rounds else ""
    unit = prior.problem.unit.axis.format(more=more)
    return replace(
        experiment,
        title=f"What{more} rounds {prior.problem.goal.measure.buys}",
        x_label=f"T, the {unit}",
        settings=settings,
        log_x=min(rounds) > 0,
        caption=how_drawn(priors),
        beside={"p_best": f"how often the best {prior.problem.contexts.answer} is kept"},
    ), refused
