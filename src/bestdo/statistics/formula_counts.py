"""Joint counts of rounds of do(), as identification formulas need them, and counts of plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.estimate import deviations, variance_of_rounds
from bestdo.bandit.problem import Problem
from bestdo.bandit.reach import reach_of
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.causal.formula import Formula, marginals_of, slopes, variables, variance
from bestdo.causal.identify import Identification, identify
from bestdo.errors import TooLarge
from bestdo.memory_cache import memory_cache
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen
from bestdo.statistics.summing import count_table

__all__ = ["Joint"]


# The most cells of one formula's table: with more, watching would hardly see each of them once. Not measured.
_MOST_CELLS_OF_ONE = 2**10
# The most cells of all tables, each a number per lane: 8 MB for one lane. A limit of memory.
_MOST_CELLS = 10**6
# How many numbers are kept in one array when the variance of numbers is computed, by taking cells in portions: 16 MB.
_NUMBERS_AT_ONCE = 2**21
# A cell never seen is given so many rounds, so that the formula has a value there; a worth of at most so many plays counts
# as 0. Any number far below one round would do; not measured.
_TINY = 1e-6


@dataclass(frozen=True, eq=False)
class _Reading:
    """A formula, where the joint counts that it needs stand in a tally, and the actions whose means it gives."""

    formula: Formula
    names: tuple[str, ...]
    """The variables of its table; the reward is not one of them, as successes are counted apart."""
    shape: tuple[int, ...]
    first: int
    """The number of the first cell of its table."""
    actions: tuple[int, ...]
    identified: tuple[Identification, ...]
    """The way in which each of these actions is learned."""

    @property
    def cells(self) -> slice:
        """The place of the table in the tally."""
        return slice(self.first, self.first + int(np.prod(self.shape)))


@memory_cache
def _readings(actions: Actions) -> tuple[_Reading, ...]:
    """The readings, one for each formula of the actions; formulas of the same variables share a table."""
    if do() not in actions:
        return ()
    graph, by_formula = actions.graph, dict[Formula, list[Identification]]()
    for action in actions:
        answer = identify(graph, action)
        if action and answer.formula is not None:  # rounds of do() are its own plays
            by_formula.setdefault(answer.formula, []).append(answer)
    readings: list[_Reading] = []
    place: dict[tuple[str, ...], int] = {}
    end = len(actions)
    for formula, answers in by_formula.items():
        names = tuple(n for n in graph.names if n in variables(formula) and n != graph.reward)
        shape = tuple(graph.size(n) for n in names)
        size = int(np.prod(shape))
        if size > _MOST_CELLS_OF_ONE:
            continue
        if names not in place:
            place[names], end = end, end + size
        numbers = tuple(actions.index(a.intervention) for a in answers)
        readings.append(_Reading(formula, names, shape, place[names], numbers, tuple(answers)))
    if end > _MOST_CELLS:
        raise TooLarge(
            f"the formulas of {len(actions):,} actions need counts of {end:,} cells, and at most {_MOST_CELLS:,} are kept; "
            "allow fewer actions"
        )
    return tuple(readings)


@dataclass(frozen=True)
class Joint:
    """Plays and successes of each action, then the joint counts that each action's formula needs.

    A round in which a part of the action was set and the rest of its values occurred counts as a play, where `Seen` says
    that it is as good as one. The joint counts are of the rounds of do() alone, because formulas are about what is seen
    when nothing is set; a round with a missing value is left out of the tables that need it. An action without a formula,
    or with one that needs more than a thousand cells, has its plays only. Valid for every problem.
    """

    problem: Problem

    @property
    def readings(self) -> tuple[_Reading, ...]:
        """The formulas, and where their counts stand."""
        return _readings(self.problem.actions)

    @property
    def cells(self) -> int:
        """The number of cells of a tally."""
        return max([len(self.problem.actions), *(int(r.cells.stop) for r in self.readings)])

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Rounds and successes in each cell."""
        actions = self.problem.actions
        watching = rounds.action == (actions.index(do()) if do() in actions else -1)
        watched, acted = rounds.pick(np.flatnonzero(watching)), rounds.pick(np.flatnonzero(~watching))
        parts = Seen(self.problem) if any(len(a) > 1 for a in actions) else Played(self.problem)
        own = parts.tally(acted, lanes).plus(Played(self.problem).tally(watched, lanes))
        tables = list[Tally]()
        column = {n: i for i, n in enumerate(actions.graph.names)}
        for reading in {r.names: r for r in self.readings}.values():
            tables.append(count_table(watched, [column[n] for n in reading.names], reading.shape, lanes))
        return own.beside(*tables)

    def watched(self, tally: Tally) -> tuple[Floats, Floats, Floats]:  # float[L, A] three times
        """Each action's mean by its formula, how many plays that is worth, and the variance of one such play.

        The first two are NaN and 0 where watching does not tell.

        The worth is mean (1 − mean) over the variance of the formula's value, by the delta method. For the variance, the
        successes of each cell are shrunk a little towards the overall mean, as a cell in which all rounds had the same
        reward is not known for certain. A cell that was never seen has the overall mean, and those that were seen keep their
        own. Its variance is that of one round, which is the most that a probability can have, and the errors of all such
        cells are added as if they had the same sign. Where a cell that the formula needs was never seen, one play is taken
        off the worth.

        Where the reward is a number or has a worth, E[Y | …] stands in the place of P(success | …), and the variance of all
        rewards that were watched in the place of mean (1 − mean).
        """
        lanes, actions = len(tally.weight), len(self.problem.actions)
        mean, worth, variance = (np.full((lanes, actions), fill) for fill in (np.nan, 0.0, 0.0))
        number = not self.problem.graph.two_values
        for reading in self.readings:
            for action, value, known, one in (
                self._read_numbers(reading, tally) if number else self._read(reading, tally)
            ):
                mean[:, action], worth[:, action] = np.where(known > 0, value, np.nan), known
                variance[:, action] = one
        return mean, worth, variance

    def _read(self, reading: _Reading, tally: Tally) -> Iterator[tuple[int, Floats, Floats, Floats]]:
        """The readings of a formula for each of its actions: its number, and value, worth and a play's variance float[L]."""
        graph = self.problem.graph
        assert graph.reward is not None
        success = graph.success_place
        n, s = tally.weight[:, reading.cells], tally.reward[:, reading.cells]
        total = n.sum(axis=1)
        overall = (s.sum(axis=1) + 1) / (total + 2)
        near = (s + overall[:, None]) / (n + 1)

        def joint(rounds: Floats, successes: Floats) -> Floats:
            both = [rounds - successes, successes] if success else [successes, rounds - successes]
            return np.stack(both, axis=-1).reshape(len(n), *reading.shape, 2)

        names = (*reading.names, graph.reward)
        never = n == 0
        filled, sizes = np.where(never, _TINY, n), np.where(never, 1.0, n)
        smooth = joint(filled, filled * near)
        spread = variance(reading.formula, names, smooth, joint(sizes, sizes * near))
        if never.any():  # cells never seen may all be wrong in the same direction
            won, lost = joint(never * 1.0, never * 1.0), joint(never * 1.0, never * 0.0)
            both = slopes(reading.formula, names, smooth, np.stack([won, lost]))
            chance = overall.reshape(-1, *[1] * (both.ndim - 2))
            spread = spread + both[0] ** 2 / chance + both[1] ** 2 / (1 - chance)
        tables = (
            reading.formula.evaluate(marginals_of(names, joint(n, s))),
            reading.formula.evaluate(marginals_of(names, joint(filled, np.where(never, filled * near, s)))),
            reading.formula.evaluate(marginals_of(names, smooth)),
            spread,
        )
        for action, answer in zip(reading.actions, reading.identified, strict=True):
            value, plain, centre, error = (answer.at(table)[:, success] for table in tables)
            unseen = np.isnan(value)  # some cell that the formula needs
            centre = np.clip(centre, overall / (total + 2), 1 - (1 - overall) / (total + 2))
            known = centre * (1 - centre) / np.where(error > 0, error, np.inf) - unseen
            known = np.where((known > _TINY) & (total > 0), known, 0.0)
            yield action, np.clip(np.where(unseen, plain, value), 0, 1), known, centre * (1 - centre)

    def _read_numbers(self, reading: _Reading, tally: Tally) -> Iterator[tuple[int, Floats, Floats, Floats]]:
        """The table as by `_read`, for rewards of any size: sums of rewards take the place of successes.

        The formula is linear in them, so that on the counts [n − s, s] of two values it gives E[Y | …] at the second one.
        Rewards are taken from the overall mean, so that their level costs no digits. The variance has two parts: that of the
        rewards in each cell (`variance_of_rounds`), and that of the cells' counts, with the means of the cells fixed.
        """
        graph = self.problem.graph
        sums = tally.cells(reading.cells)
        n, total = sums.weight, sums.weight.sum(axis=1)
        overall = sums.reward.sum(axis=1) / np.maximum(total, 1)
        s = sums.reward - n * overall[:, None]
        squares = (sums.squares - 2 * overall[:, None] * sums.reward + n * overall[:, None] ** 2).sum(axis=1)
        one = np.where(total > 1, np.maximum(squares, 0) / np.maximum(total - 1, 1), 0.0)  # the variance of a reward
        each = variance_of_rounds(n, deviations(sums), graph)[0]
        one = reach_of(graph).variance(one)
        each = np.where(np.isfinite(each), each, one[:, None])

        def joint(rounds: Floats, rewards: Floats) -> Floats:
            return np.stack([rounds - rewards, rewards], axis=-1).reshape(*rounds.shape[:-1], *reading.shape, 2)

        def value(rounds: Floats, rewards: Floats) -> Floats:
            return reading.formula.evaluate(marginals_of(names, joint(rounds, rewards)))

        names = (*reading.names, str(graph.reward))
        never = n == 0
        filled, sizes = np.where(never, _TINY, n), np.where(never, 1.0, n)
        mean = s / (n + 1)  # shrunk a little towards the overall mean, 0
        spread: Floats = np.zeros(1)
        portion = max(1, _NUMBERS_AT_ONCE // max(1, n.size * 2))
        for start in range(0, n.shape[1], portion):
            which = np.arange(start, min(start + portion, n.shape[1]))
            alone = (which[:, None, None] == np.arange(n.shape[1])) * 1.0  # float[C', 1, C]
            by_count = slopes(reading.formula, names, joint(filled, filled * mean), joint(2 * alone, alone))
            by_reward = value(np.broadcast_to(filled, (len(which), *n.shape)), alone * filled)
            size, variance = (
                part[:, which].T.reshape(len(which), len(n), *[1] * (by_count.ndim - 2)) for part in (sizes, each)
            )
            spread = spread + ((by_count**2 + by_reward**2 * variance) / size).sum(axis=0)
        if never.any():  # cells never seen may all be wrong in the same direction
            by_count = slopes(
                reading.formula, names, joint(filled, filled * mean), joint(2.0 * never, 1.0 * never)[None]
            )
            by_reward = value(filled, never * filled)
            spread = spread + by_count[0] ** 2 + by_reward**2 * one.reshape(-1, *[1] * (by_reward.ndim - 1))
        tables = value(n, s), value(filled, np.where(never, 0.0, s)), spread
        for action, answer in zip(reading.actions, reading.identified, strict=True):
            exact, plain, error = (answer.at(table)[:, 1] for table in tables)
            unseen = np.isnan(exact)
            known = one / np.where(error > 0, error, np.inf) - unseen
            known = np.where((known > _TINY) & (total > 1), known, 0.0)
            adjusted = overall + np.where(unseen, plain, exact)
            yield action, np.clip(adjusted, *graph.rewarded.reach), known, one
