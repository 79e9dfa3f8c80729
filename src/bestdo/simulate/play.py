"""Simulated studies: many lanes of a learner in a world, and what they ended with."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import bestdo.display as display
from bestdo.arguments import seed_number, shown_value, whole_number
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import SLACK
from bestdo.bandit.rounds import Plan
from bestdo.errors import BestdoError, unknown
from bestdo.learners import learner as learner_by_name
from bestdo.learners.game import Game, game_of
from bestdo.simulate.beginnings import Played, begin
from bestdo.simulate.driver import play_out, rounds_in_flight
from bestdo.simulate.fused_play import kept_by_loop
from bestdo.simulate.prior import Prior
from bestdo.simulate.same_chance import SameChance
from bestdo.simulate.summed_regret import summed_regret
from bestdo.simulate.world import World
from bestdo.simulate.world_batch import Worlds
from bestdo.simulate.world_class import WorldClass

__all__ = ["Outcomes", "outcomes", "play", "refuse_problem"]

_MEASURES = ("regret", "earned")
"""The measures that `play` returns: the regret of the action kept, or the regret summed over all rounds."""
_SUMMED_AT: dict[str, NDArray[np.float64] | None] = {"regret": None, "earned": np.empty(0)}
"""The times at which the summed regret is noted before the end, by measure; None where it is not summed."""

_CELLS_AT_ONCE = 50_000
"""The most lanes × actions played at once, so that an array of them (400 kB) stays in the processor's cache. Not measured.
Another number draws other random numbers, and so other tables of figures."""
_MOST_LANES = 10_000_000
"""Studies simulated by one call: the standard error of a mean regret is then below 0.0002. Chosen, not measured."""
_TABLE_CELLS_AT_ONCE = 2**23
"""The most numbers in the tables of all worlds that are drawn at once: 64 MB. Fewer lanes at once are slower. Not measured.
Another number draws other random numbers."""


def refuse_problem(world: World | Prior, learner: Learner[Any], horizon: float) -> None:
    """Raises NotValid or TooLarge where a learner is not for the problem, as it says at the start or of old rounds."""
    rng = np.random.default_rng(0)
    drawn = world if isinstance(world, World) or not world.progress.rounds else world.worlds(1, rng)
    begun = begin(drawn, game_of(learner, world.problem), horizon, 1, rng)
    begun.game.best(begun.state)


def play(
    world: World | Prior,
    learner: Learner[Any] | str,
    rounds: float | None = None,
    lanes: int = 1000,
    seed: int | np.random.Generator = 0,
    *,
    budget: float | None = None,
    worlds: int | np.random.Generator | None = None,
    at_once: int | None = None,
    delay: int = 0,
    measure: str = _MEASURES[0],
    same_chance: bool = False,
    progress: bool | display.Told = True,
) -> NDArray[np.float64]:  # float[L]
    """The simple regret of each lane: the mean of the best action minus that of the action the learner recommends.

    world: what is simulated, as `bestdo.world("farm")` returns. learner: a name or an object. rounds: of each simulated
    study; where actions have costs, say `budget` instead, what may be spent. lanes: how many studies are simulated. seed: a
    number, or a generator of numpy, from which all random numbers come.

    With limits the best action is the best of those that keep them, and one that breaks a limit counts as the worst of all.
    Where variables are seen first it is the regret of the learner's rule: its expectation over contexts.

    With a prior every lane has a world of its own, drawn with the seed `worlds`; without that, `seed` draws them, and two
    learners meet different worlds. If the prior was given rounds, learners are told them first, and `rounds` is what may be
    played in addition.

    With a delay, the result of a round is known only when so many more rounds were handed out; `at_once` caps how many
    are in flight. Without a delay, so many are in flight all the time.

    measure: "regret", or "earned" for the regret summed over all rounds: that of the action played in each, by true means.
    What a learner leaves unplayed counts as rounds of the action that it recommends. With costs the best action is that with
    the largest mean per money.

    same_chance: what happens in a round depends on the seed, the number of the round, the lane and the action, not on the
    learner: learners played with the same seed meet the same chance.

    What takes longer shows a progress bar in a terminal and in a notebook, unless `progress` is False.

    Raises NotValid where the learner is not for the problem, TooLarge for more rounds than can be simulated, and BestdoError
    for other arguments that make no sense, and for a learner that breaks its contract.

    >>> import bestdo
    >>> regret = bestdo.play(bestdo.world("farm"), "causal-top-two", rounds=40, lanes=200)
    >>> bool(regret.mean() < bestdo.play(bestdo.world("farm"), "uniform", rounds=40, lanes=200).mean())
    True
    """
    if not isinstance(world, World | Prior):
        raise BestdoError(f"a world is needed, as bestdo.world('farm') returns, not {shown_value(world)}")
    resumes = bool(world.progress.rounds)
    horizon = world.problem.horizon(rounds, budget, least=0 if resumes else 1).amount
    lanes = whole_number("the number of lanes", lanes, most=_MOST_LANES)
    drawn = None if worlds is None else _generator(worlds)
    flight = rounds_in_flight(at_once, delay)
    if measure not in _MEASURES:
        raise BestdoError(unknown("measure", measure, _MEASURES))
    rng = _generator(seed)
    chance = int(rng.integers(2**63)) if same_chance else None
    with display.progress_bar("play", progress) as update:
        found = outcomes(
            world,
            learner,
            horizon,
            lanes,
            rng,
            drawn,
            in_flight=flight,
            progress=update,
            summed_at=_SUMMED_AT[measure],
            chance=chance,
        )
    return getattr(found, measure)  # type: ignore[no-any-return]


def _generator(seed: Any) -> np.random.Generator:
    """The generator of a seed, or the one that was given."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed_number(seed))


class Outcomes(NamedTuple):
    """The results of the studies of a simulation."""

    regret: NDArray[np.float64]
    """float[L]"""
    breaks: NDArray[np.float64] | None = None
    """float[L]: in which share of the contexts, weighted by how often they occur, the action kept breaks a limit (0 or
    1 where nothing is seen first); not where the study says that no action does. None where there are no limits."""
    none: NDArray[np.float64] | None = None
    """float[L]: in which share of the contexts the study says that no action keeps all limits."""
    earned: NDArray[np.float64] | None = None
    """float[L]: the regret summed over all rounds, where it is asked for."""
    over_time: NDArray[np.float64] | None = None
    """float[L, K]: the same when so much of the horizon was used."""


def outcomes(
    world: World | Prior | WorldClass,
    learner: Learner[Any] | str,
    horizon: float,
    lanes: int,
    rng: np.random.Generator,
    worlds: np.random.Generator | None = None,
    *,
    in_flight: int = 1,
    progress: display.Told | None = None,
    summed_at: NDArray[np.float64] | None = None,
    chance: int | None = None,
) -> Outcomes:
    """The results of `play`, with each study's answer about the limits; `progress` is told how much of all horizons is used.

    With `summed_at` (float[K], perhaps empty) also the summed regret, at the end and when so much of the horizon was used.
    With `chance`, a seed, what happens in a round does not depend on the learner (`SameChance`).
    """
    game = game_of(learner_by_name(learner), world.problem)
    resumes = bool(world.progress.rounds)
    if lanes < 1 or not horizon >= (0 if resumes else world.problem.prices.min() - SLACK):
        raise BestdoError(f"at least one lane and one round are needed, not {lanes} and a horizon of {horizon:g}")
    size = _CELLS_AT_ONCE // (len(world.problem.actions) * len(world.problem.contexts))
    if isinstance(world, Prior):
        size = min(size, _TABLE_CELLS_AT_ONCE // world.cells)
    parts = [min(max(1, size), lanes - first) for first in range(0, lanes, max(1, size))]
    made = (world if isinstance(world, World) else world.worlds(part, worlds or rng) for part in parts)
    used, problem = 0.0, world.problem

    def played(plan: Plan, context: NDArray[np.int64] | None) -> None:
        nonlocal used
        used += float(problem.price(plan.counts).sum())
        progress(int(used), int(lanes * horizon))  # type: ignore[misc]

    told, each = None if progress is None else played, list[Outcomes]()
    by_loop = in_flight == 1 and summed_at is None and chance is None
    for k, (one, part) in enumerate(zip(made, parts, strict=True)):
        kept = kept_by_loop(one, game, horizon, part, rng) if by_loop else None
        if kept is None:
            key = None if chance is None else (chance, k)
            each.append(_ended(one, game, horizon, part, rng, in_flight, told, summed_at, key))
            continue
        each.append(Outcomes(one.regret(kept)))
        if progress is not None:
            used += part * horizon
            progress(int(used), int(lanes * horizon))
    if len(each) == 1:
        return each[0]
    return Outcomes._make(None if part[0] is None else np.concatenate(part) for part in zip(*each, strict=True))


def _ended(
    world: World | Worlds,
    game: Game,
    horizon: float,
    lanes: int,
    rng: np.random.Generator,
    in_flight: int,
    played: Played | None,
    summed_at: NDArray[np.float64] | None,
    key: tuple[int, int] | None,
) -> Outcomes:
    """The results of the studies of some lanes; `key` is the seed of common random numbers and the number of the part."""
    seed = None if key is None else int(np.random.SeedSequence(key).generate_state(1, np.uint64)[0])
    chance = None if seed is None else SameChance(world, lanes, seed)
    if summed_at is None:
        return _kept(world, game, play_out(world, game, horizon, lanes, rng, in_flight, played, chance))[0]
    summed = summed_regret(world, lanes, summed_at)

    def both(plan: Plan, context: NDArray[np.int64] | None) -> None:
        summed.add(plan.counts, context)
        if played is not None:
            played(plan, context)

    ended, kept = _kept(world, game, play_out(world, game, horizon, lanes, rng, in_flight, both, chance))
    summed.keep(horizon, kept)
    return ended._replace(earned=summed.total, over_time=summed.noted)


def _kept(world: World | Worlds, game: Game, state: Any) -> tuple[Outcomes, NDArray[np.int64]]:  # and int[L, C]
    """The results of the studies of some lanes, by their states, and the action that each keeps in each context."""
    rule, within = game.recommended(state)
    chance = np.broadcast_to(world.means_by_context[1], rule.shape)
    broken = world.breaks_of_rule(rule)
    wrong, none = ((chance * part).sum(axis=1) for part in (broken & within, ~within))
    return Outcomes(world.regret_of_rule(rule), **world.problem.limits.fields({"breaks": wrong, "none": none})), rule
