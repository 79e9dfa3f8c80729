"""Simulates an experiment before it is run, on many worlds that agree with the graph: which learner, how many rounds?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bestdo.bandit.learner import Learner, in_study
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Progress
from bestdo.errors import BestdoError
from bestdo.experiments.engine.experiment import Experiment, Row
from bestdo.learners import LEARNERS, by_title, title
from bestdo.simulate import Prior
from bestdo.simulate.prior import with_difference
from bestdo.study import Study
from bestdo.text import counted
from bestdo.usecases.compare import Refusal, comparison
from bestdo.usecases.simulation import Simulation

__all__ = [
    "SENSIBLE",
    "Rehearsal",
    "advice",
    "prior_of",
    "rehearse",
    "rehearse_problem",
    "rehearse_study",
    "what_more_rounds_buy",
]

SENSIBLE = tuple(
    name
    for name in ("causal-top-two", "watch-then-act", "algorithm-1", "algorithm-2", "sequential-halving", "uniform")
    if name in LEARNERS
)
"""Learners that are tried when none are named; those that the problem is not for are left out."""

_NOTHING = Progress()
_WORLDS = 4000
"""Worlds from which the mean of the best action and the regret without an experiment are estimated: a standard error of at
most 0.5 / sqrt(4000) = 0.008. Chosen, not measured."""

_CELLS = 2**24
"""Table cells of all these worlds together (128 MB); large models get fewer worlds. Chosen, not measured."""

_ENOUGH = 0.9
"""The advice is the least number of rounds that brings this share of what the largest brings. Chosen, not measured."""

_NOTICEABLE = 3.0
"""Standard errors by which an experiment must lower the regret for the advice to recommend it. Chosen, not measured."""

_AS_GOOD = 2.0
"""Standard errors within which learners are called as good as each other. Chosen, not measured."""


def rehearse(
    problem: Problem,
    rounds: Sequence[float],
    learners: Sequence[str] = SENSIBLE,
    worlds: int = 2000,
    *,
    known: Mapping[str, ArrayLike] | None = None,
    different: float | None = None,
    given: Progress = _NOTHING,
    seed: int = 0,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """The regret of every learner for every number of rounds on many worlds, and how often it keeps the best action.

    The worlds agree with the problem's graph and law; `known` are tables that are not drawn, `different` is how much
    better the best action is believed to be than the average one, in chances of success (without it, every table is
    equally likely). `given` is what has been played already: then the worlds are drawn given that, every learner knows it,
    and the rounds rehearsed come on top.
    """
    simulation = Simulation(worlds, seed, executor=executor, workers=workers, progress=progress)
    return rehearse_problem(problem, rounds, simulation, learners, known=known, different=different, given=given).rows


def what_more_rounds_buy(
    study: Study,
    rounds: Sequence[float] = (10, 20, 40, 80),
    worlds: int = 1000,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """What `rehearse` returns, for the rest of a study: its own learner, on worlds drawn given what has been seen so far.

    The numbers are rounds from now on (with costs, money from now on), whatever is left of the horizon.
    """
    simulation = Simulation(worlds, executor=executor, workers=workers, progress=progress)
    return rehearse_study(study, rounds, simulation).rows


class Rehearsal(NamedTuple):
    """The result of a rehearsal."""

    rows: list[Row]
    """One for each learner and number of rounds."""
    refused: list[Refusal]
    """The learners that are not for the problem."""
    worlds: str
    """In words, on which worlds it was simulated."""


def rehearse_problem(
    problem: Problem,
    rounds: Sequence[float],
    simulation: Simulation,
    learners: Sequence[str] = SENSIBLE,
    *,
    known: Mapping[str, ArrayLike] | None = None,
    different: float | None = None,
    given: Progress = _NOTHING,
) -> Rehearsal:
    """The rehearsal of a study of this problem, by each learner on many worlds; see `rehearse`."""
    return _rehearsed(prior_of(problem, known, different, given), _in_studies(learners), rounds, simulation)


def rehearse_study(
    study: Study,
    rounds: Sequence[float],
    simulation: Simulation,
    learners: Sequence[str] = (),
    *,
    different: float | None = None,
) -> Rehearsal:
    """The rehearsal of the rest of a study, by its own learner or those named; see `what_more_rounds_buy`."""
    own = {title(study.status()["learner"]): study.learner}
    prior = prior_of(study.problem, None, different, study.progress())
    return _rehearsed(prior, _in_studies(learners) if learners else own, rounds, simulation)


def _in_studies(names: Sequence[str]) -> dict[str, Learner[Any]]:
    """Learners as studies play them, by their full names."""
    return {name: in_study(learner) for name, learner in by_title(*names).items()}


def _rehearsed(
    prior: Prior, learners: Mapping[str, Learner[Any]], rounds: Sequence[float], simulation: Simulation
) -> Rehearsal:
    """Simulates the experiment of a rehearsal; says first which learners are left out."""
    experiment, refused = _experiment(prior, learners, rounds)
    for refusal in refused:
        simulation.say(str(refusal))
    return Rehearsal(simulation.table(experiment), refused, experiment.caption)


def prior_of(
    problem: Problem,
    known: Mapping[str, ArrayLike] | None = None,
    different: float | None = None,
    given: Progress = _NOTHING,
) -> Prior:
    """The distribution from which worlds are drawn; see `rehearse`."""
    prior = Prior.of(problem, known)
    if different is not None:
        prior = with_difference(prior, different)
    return prior.given(given)


def _experiment(
    prior: Prior, learners: Mapping[str, Learner[Any]], rounds: Sequence[float]
) -> tuple[Experiment, list[Refusal]]:
    """The experiment behind a rehearsal, and the learners that are not for the problem, with their reasons."""
    if not rounds or min(rounds) < 0:
        raise BestdoError("at least one number of rounds is needed, and none below 0")
    experiment, refused = comparison({"": prior}, learners, sorted(dict.fromkeys(rounds)), "rehearse")
    means = prior.worlds(max(2, min(_WORLDS, _CELLS // prior.cells)), np.random.default_rng(0)).means
    best, expected = means.max(axis=1), means.mean(axis=0)
    given = {
        "best_mean": float(best.mean()),  # of the worlds that are drawn
        "better_than_average": float((best - means.mean(axis=1)).mean()),
        "regret_without": float(best.mean() - expected.max()),  # of the action that looks best as things stand
        "rounds_before": float(sum(len(r.action) if r.times is None else r.times.sum() for r in prior.progress.rounds)),
    }
    settings = tuple(replace(setting, given=given) for setting in experiment.settings)
    drawn = f"table{'s' if len(prior.weights) > 1 else ''} of {', '.join(prior.weights)}"
    more = " more" if prior.progress.rounds else ""
    unit = "what may be spent" if prior.problem.cost else f"number of{more} rounds"
    return replace(
        experiment,
        title=f"What{more} rounds buy",
        x_label=f"T, the {unit}",
        settings=settings,
        log_x=min(rounds) > 0,
        caption=f"worlds that agree with the graph: {drawn if len(drawn) < 80 else 'tables'} drawn"
        + (" given what has been seen" if prior.progress.rounds else " at random"),
        beside={"p_best": "how often the best action is kept"},
    ), refused


def advice(table: Sequence[Row]) -> str:
    """Advice in one or two sentences: which learner, how many rounds, and what that brings.

    It is the least number of rounds that brings nine tenths of what the largest number brings.
    """
    best = {t: min((r for r in table if r["horizon"] == t), key=lambda r: r["regret"]) for t in _horizons(table)}
    most = best[max(best)]
    before = most["regret_without"]
    gained = before - most["regret"]
    now = "as things stand" if most["rounds_before"] else "without an experiment"
    if gained <= _NOTICEABLE * most["standard_error"]:
        return (
            f"Up to {_rounds(most)} buy next to nothing here: the action kept is worse than the best one by "
            f"{most['regret']:.3f} on average, against {before:.3f} {now}."
        )
    chosen = next(row for row in best.values() if before - row["regret"] >= _ENOUGH * gained)
    text = (
        f"{chosen['learner']} for {_rounds(chosen)}{_or(table, chosen)}: it keeps the best action in "
        f"{chosen['p_best']:.0%} of such worlds, and what it keeps is worse than the best by {chosen['regret']:.3f} on "
        f"average, against {before:.3f} {now}"
    )
    if chosen is most:
        return f"{text}; more rounds than that may still be worth their price."
    return f"{text}; {_rounds(most)} would lower that to {most['regret']:.3f}."


def _horizons(table: Sequence[Row]) -> list[float]:
    """The horizons of a table, in order."""
    return sorted({row["horizon"] for row in table})


def _rounds(row: Row) -> str:
    """The horizon of a row, in words."""
    if isinstance(row["horizon"], float):
        return f"a budget of {row['horizon']:g}"
    return counted(row["horizon"], "more round" if row["rounds_before"] else "round")


def _or(table: Sequence[Row], chosen: Row) -> str:
    """In words, the learners that are as good as the one chosen, as far as the simulations can tell."""
    same = [
        row["learner"]
        for row in table
        if row["horizon"] == chosen["horizon"]
        and row["learner"] != chosen["learner"]
        and row["regret"] - chosen["regret"]
        <= _AS_GOOD * float(np.hypot(row["standard_error"], chosen["standard_error"]))
    ]
    return f" ({' and '.join(same)} {'is' if len(same) == 1 else 'are'} as good)" if same else ""
