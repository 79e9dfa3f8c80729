"""The worlds of a rehearsal: how they are drawn, in words too, and what they are like before a round is played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Progress
from bestdo.errors import BestdoError
from bestdo.simulate import Prior
from bestdo.simulate.family_tables import Causes
from bestdo.simulate.prior import with_difference
from bestdo.simulate.world import best_over_everybody
from bestdo.simulate.world_batch import Worlds

__all__ = ["NOTHING", "how_drawn", "prior_of", "priors_of", "what_is_given"]

FEW, ALL = "few causes matter", "all causes matter"
"""The two priors of a rehearsal, where the reward has enough causes for them to differ; as panels of its table."""

NOTHING = Progress()
"""An empty record: no round so far."""
_MANY = 3
"""Causes of the reward from which on worlds in which one or two of them matter, and worlds in which all do, are rehearsed
apart."""
_WORLDS = 4000
"""Worlds from which the mean of the best action and the regret without an experiment are estimated: a standard error of at
most 0.5 / sqrt(4000) = 0.008. Chosen, not measured."""

_CELLS = 2**24
"""Table cells of all these worlds together (128 MB); large models get fewer worlds. Chosen, not measured."""


def prior_of(
    problem: Problem,
    known: Mapping[str, ArrayLike] | None = None,
    different: float | None = None,
    given: Progress = NOTHING,
    causes: Causes = "any",
) -> Prior:
    """The distribution from which worlds are drawn; see `rehearse`."""
    prior = Prior.of(problem, known, causes)
    if different is None:
        return prior.given(given)
    if not problem.graph.rewarded.spread_known:  # only rounds say how far apart means are
        return with_difference(prior.given(given), different)
    return with_difference(prior, different).given(given)


def priors_of(
    problem: Problem, known: Mapping[str, ArrayLike] | None = None, different: float | None = None
) -> dict[str, Prior]:
    """The distributions from which worlds are drawn before an experiment: one, or two where the reward has many causes.

    Of two, one that has hardly any worlds as different as asked for is left out.
    """
    graph = problem.graph
    assert graph.reward is not None
    if len(graph.parents[graph.reward]) < _MANY:
        return {"": prior_of(problem, known, different)}
    found, refused = {}, []
    for panel, causes in ((FEW, "few"), (ALL, "all")):
        try:
            found[panel] = prior_of(problem, known, different, causes=cast("Causes", causes))
        except BestdoError as error:
            refused.append(error)
    if refused and (not found or different is None):
        raise refused[0]
    return found


def how_drawn(priors: Mapping[str, Prior]) -> str:
    """In words, how the worlds are drawn."""
    prior = next(iter(priors.values()))
    drawn = f"table{'s' if len(prior.unknown) > 1 else ''} of {', '.join(prior.unknown)}"
    how = "given what has been seen" if prior.progress.rounds else "at random"
    text = f"worlds that agree with the graph: {drawn if len(drawn) < 80 else 'tables'} drawn {how}"
    if len(priors) > 1:
        return f"{text}, so that one or two causes of {prior.problem.graph.reward} matter, or all of them"
    matter = {FEW: ("one or two causes matter", "all"), ALL: ("all causes matter", "few")}.get(next(iter(priors)))
    if matter is None:
        return text
    return f"{text}, so that {matter[0]}; hardly any world in which {matter[1]} matter is as different as asked for"


class _Given(NamedTuple):
    """The values of some worlds before a round is played."""

    best: NDArray[np.float64]
    """float[L]: the value of the best answer in each world in which there is one, more being better."""
    gains: NDArray[np.float64]
    """float[L, A]: the value of each action for everybody in these worlds."""
    without: float
    """The regret of the answer that looks best as things stand."""
    columns: dict[str, float]
    """Further columns of the table."""


def _of_actions(worlds: Worlds) -> _Given:
    """The values of worlds in which one action is kept for everybody."""
    problem = worlds.problem
    left = np.flatnonzero(problem.playable) if problem.retired else slice(None)
    gains, breaks = worlds.gains[:, left], worlds.breaks[:, left]
    best, expected = gains.max(axis=1), gains.mean(axis=0)
    if not problem.limits:
        return _Given(best, gains, float(best.mean() - expected.max()), {})
    some = ~breaks.all(axis=1)
    best = np.where(breaks, -np.inf, gains).max(axis=1)[some]
    without = min(float(worlds.regret(np.full(worlds.lanes, a)).mean()) for a in np.flatnonzero(problem.playable))
    if not some.any():
        raise BestdoError("in no world that agrees with the graph does an action keep all limits")
    return _Given(best, gains[some], without, {"no_action_keeps": float(1 - some.mean())})  # the share of such worlds


def _of_rules(worlds: Worlds) -> _Given:
    """The values of worlds in which a rule is kept: the best, the loss of the one that looks best, the gain of a rule.

    The gain is that of the best rule over the best single action for everybody, on average over the worlds. An action that
    breaks a limit in a context is worth as much as the worst there, and where every action does nothing is lost.
    """
    means, chance = worlds.means_by_context
    gains = np.nan_to_num(worlds.problem.graph.rewarded.scale.sign * means) * chance[:, :, None]
    breaks = worlds.breaks_by_context
    none = breaks.all(axis=2, keepdims=True)
    gains = np.where(none, gains.max(axis=2, keepdims=True), np.where(breaks, gains.min(axis=2, keepdims=True), gains))
    best = gains.max(axis=2).sum(axis=1)
    if worlds.problem.limits.over_everybody:
        raw = np.nan_to_num(worlds.problem.graph.rewarded.scale.sign * means)
        best, some = best_over_everybody(raw, chance, breaks, worlds.beyond_everybody)
        if not some.any():
            raise BestdoError("in no world that agrees with the graph does a rule keep all limits")
        best = np.where(some, best, gains.sum(axis=1).max(axis=1))
    without = float(best.mean() - gains.mean(axis=0).max(axis=1).sum())
    gain = float((best - gains.sum(axis=1).max(axis=1)).mean())
    people = float((chance * breaks.all(axis=2)).sum(axis=1).mean())  # in a context in which no action keeps the limits
    limits = worlds.problem.limits.fields({"no_action_keeps": people})
    return _Given(best, worlds.gains, without, {"rule_gain": gain, **limits})


_GIVEN = {"action": _of_actions, "rule": _of_rules}
"""The values of worlds, by the form of the recommendation (`Contexts.answer`)."""


def what_is_given(prior: Prior) -> dict[str, float]:
    """The worlds on average, and the recommendation without a further round."""
    worlds = prior.worlds(max(2, min(_WORLDS, _CELLS // prior.cells)), np.random.default_rng(0))
    best, gains, without, columns = _GIVEN[prior.problem.contexts.answer](worlds)
    sign = prior.problem.graph.rewarded.scale.sign
    return {
        "best_mean": sign * float(best.mean()),  # of the worlds that are drawn
        "better_than_average": float((best - gains.mean(axis=1)).mean()),
        "regret_without": without,
        **columns,
        "rounds_before": float(sum(len(r.action) if r.times is None else r.times.sum() for r in prior.progress.rounds)),
    }
