"""Which sums over rounds a learner wants: how much each round counts towards each action."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.causal.identify import Identification, identify
from bestdo.causal.law import Law
from bestdo.causal.separation import separated
from bestdo.errors import NotValid, shown

__all__ = [
    "Importance",
    "Played",
    "Seen",
    "States",
    "Statistic",
    "counted_cells",
    "counted_in_parts",
    "require_law",
    "sum_by_lane",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_FEW = 2**16
_CELLS_AT_ONCE = 2**22


class Statistic(Protocol):
    """Turns rounds into sums. Says which problems it is valid for, and refuses others in words."""

    @property
    def problem(self) -> Problem:
        """The problem whose rounds are summed."""
        ...

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums over these rounds; adding the tallies of two lots of rounds gives the tally of both."""
        ...


def sum_by_lane(lane: NDArray[np.int64], values: NDArray[np.generic], lanes: int) -> Floats:  # float[L, K]
    """Adds up the rows (float[R, K]) that belong to the same lane."""
    if np.any(lane[1:] < lane[:-1]):
        order = np.argsort(lane, kind="stable")
        lane, values = lane[order], values[order]
    result = np.zeros((lanes, values.shape[1]))
    starts = np.flatnonzero(np.r_[True, lane[1:] != lane[:-1]]) if lane.size else np.array([], int)
    if lane.size:
        result[lane[starts]] = np.add.reduceat(values, starts, axis=0, dtype=np.float64)
    return result


def require_law(problem: Problem, who: str) -> Law:
    """The law of the reward's parents, or a refusal that says what is missing."""
    graph = problem.graph
    assert graph.reward is not None
    if problem.law is None:
        raise NotValid(
            f"{who} needs the law of the reward's parents under each action: [tables] or [law] in the file, "
            "the law of a Problem in Python"
        )
    unseen = [p for p in graph.parents[graph.reward] if p in graph.hidden]
    if unseen:
        raise NotValid(f"{who} needs to see all parents of the reward, and {', '.join(map(shown, unseen))} is hidden")
    return problem.law


def _chunks(rounds: Rounds, cells: int) -> list[Rounds]:
    size = max(1, _CELLS_AT_ONCE // max(1, cells))
    return [rounds.pick(slice(i, i + size)) for i in range(0, len(rounds.lane), size)]


def counted_cells(cell: NDArray[np.integer], rounds: Rounds, lanes: int, cells: int) -> Tally:
    """How often each cell (int[R], lane × cells + cell) occurred, and the successes."""
    times = np.ones(len(cell)) if rounds.times is None else rounds.times.astype(np.float64)
    weight = np.bincount(cell, times, minlength=lanes * cells).reshape(lanes, cells)
    reward = np.bincount(cell, times * rounds.y, minlength=lanes * cells).reshape(lanes, cells)
    return Tally.counted(np.asarray(weight, np.float64), np.asarray(reward, np.float64))


def counted_in_parts(
    rounds: Rounds, lanes: int, cells: int, at_once: int, found: Callable[[Rounds], tuple[Ints, Ints]]
) -> Tally:
    """The counts of so many rounds after the other; `found` gives the round and the cell of every count they add."""
    result = Tally.zeros(lanes, cells)
    for first in range(0, len(rounds.lane), at_once):
        part = rounds.pick(slice(first, first + at_once))
        row, cell = found(part)
        result = result.plus(counted_cells(part.lane[row] * cells + cell, part.pick(row), lanes, cells))
    return result


def _repeated(values: NDArray[np.generic], rounds: Rounds) -> NDArray[np.generic]:  # [R, K]
    """The rows' values, times how often each row occurred."""
    return values if rounds.times is None else values * rounds.times[:, None].astype(np.float64)


@dataclass(frozen=True)
class Played:
    """A round counts towards the action that was played. Valid for every problem."""

    problem: Problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Plays and successes of each action."""
        actions = len(self.problem.actions)
        return counted_cells(rounds.lane * actions + rounds.action, rounds, lanes, actions)


@lru_cache(maxsize=128)
def _seen_by(actions: Actions) -> NDArray[np.bool_]:  # bool[A, A]
    """Which rounds are as good as which actions, by rule 2 of do-calculus."""
    graph = actions.graph
    assert graph.reward is not None
    good = np.eye(len(actions), dtype=bool)
    known: dict[tuple[frozenset[str], frozenset[str]], bool] = {}
    for j, a in enumerate(actions):
        for size in range(len(a)):
            for names in itertools.combinations(a, size):
                b = do({n: a[n] for n in names})
                if b not in actions:
                    continue
                pair = frozenset(names), frozenset(a) - frozenset(names)
                if pair not in known:
                    known[pair] = separated(
                        graph, [graph.reward], pair[1], pair[0], no_arrows_into=pair[0], no_arrows_out_of=pair[1]
                    )
                good[actions.index(b), j] = known[pair]
    good.setflags(write=False)
    return good


@lru_cache(maxsize=128)
def _not_seen(actions: Actions) -> Identification | None:
    """The first action that cannot be learned by watching alone."""
    answers = (identify(actions.graph, a) for a in actions)
    return next((found for found in answers if found.how != "seeing"), None)


@dataclass(frozen=True)
class Seen:
    """A round counts towards every action that it is as good as.

    That is the action played, and each action of which a part was set (or nothing) and the rest of its values
    occurred, where the graph says that seeing these is as good as setting them. A confounded action counts its plays
    only: `seen_by` says which, and `require` refuses it with the reason.
    """

    problem: Problem

    @cached_property
    def seen_by(self) -> NDArray[np.bool_]:  # bool[A, A]
        """seen_by[b, a]: whether a round of b, in which the rest of a's values occurred, is as good as one of a."""
        return _seen_by(self.problem.actions)

    def require(self, who: str) -> None:
        """Refuses problems in which some action cannot be learned by watching."""
        found = _not_seen(self.problem.actions)
        if found is not None:
            raise NotValid(
                f"{who} needs seeing to be as good as doing for every action, and for {found.intervention} it is not: "
                f"{found.reason}"
            )

    def counts(self, rounds: Rounds) -> NDArray[np.bool_]:  # bool[R, A]
        """Which rounds count towards which actions."""
        codes = self.problem.actions.codes
        counts = self.seen_by[rounds.action]
        if len(rounds.x) * codes.size <= _FEW:  # all at once, as for a single round
            counts &= ((codes < 0) | (rounds.x[:, None, :] == codes)).all(axis=2)
        else:
            for v in np.flatnonzero(codes.max(axis=0) >= 0):
                those = np.flatnonzero(codes[:, v] >= 0)
                counts[:, those] &= rounds.x[:, v, None] == codes[None, those, v]
        counts[np.arange(len(counts)), rounds.action] = True  # a play counts, though what it set may not be recorded
        return counts

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """For each action how often it was seen or played, and the successes among those rounds."""
        codes = self.problem.actions.codes
        result = Tally.zeros(lanes, len(codes))
        for part in _chunks(rounds, len(codes)):
            counts = self.counts(part)
            weight = sum_by_lane(part.lane, _repeated(counts, part), lanes)
            reward = sum_by_lane(part.lane, _repeated(counts & part.y[:, None], part), lanes)
            result = result.plus(Tally.counted(weight, reward))
        return result


@dataclass(frozen=True, eq=False)
class Importance:
    """A round counts towards action a by P(parents of the reward seen | a) / Q(the same), cut at a limit.

    Q is the mixture of the actions' laws by `eta`: the sums mean something only for rounds whose actions were drawn by
    `eta`. Needs `problem.law`. Algorithm 2 of the paper; R_a(X) there.
    """

    problem: Problem
    eta: Floats
    """float[A]: how the rounds are sampled."""
    limit: Floats | None = None
    """float[A]: B_a of the paper; None leaves the weights as they are."""
    zero_above: bool = True
    """Whether a weight above its limit counts as 0, as in the paper, or as the limit."""

    def __post_init__(self) -> None:
        require_law(self.problem, "importance weighting")

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Sums of R, R × reward and their squares for each action; rounds with a missing parent are left out."""
        law = require_law(self.problem, "importance weighting")
        place = {n: i for i, n in enumerate(self.problem.graph.names)}
        columns = [place[p] for p in law.parents]
        result = Tally.zeros(lanes, len(self.eta))
        for part in _chunks(rounds, len(self.eta)):
            part = part.pick(np.flatnonzero((part.x[:, columns] >= 0).all(axis=1)))
            weight = self.cut(law.ratios(part.x[:, columns], self.eta))  # float[R, A]
            count = np.bincount(part.lane, part.times, minlength=lanes)[:, None] * np.ones(len(self.eta))
            y = part.y[:, None]
            lots = (weight, weight**2, weight * y, weight**2 * y)
            sums = (sum_by_lane(part.lane, _repeated(lot, part), lanes) for lot in lots)
            result = result.plus(Tally(count, *sums))
        return result

    def cut(self, ratios: Floats) -> Floats:  # float[..., A]
        """The ratios after truncation."""
        if self.limit is None:
            return ratios
        return np.where(ratios <= self.limit, ratios, 0.0) if self.zero_above else np.minimum(ratios, self.limit)


@dataclass(frozen=True)
class States:
    """Counts of each state of the reward's parents, and the successes among them: for the plug-in estimator.

    The state of the parents decides the reward's law whatever was set, so rounds of all actions add. Cells are the
    states in the order of the law's table. Needs `problem.law` as an explicit table.
    """

    problem: Problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """How often each state was seen, and the successes."""
        law = require_law(self.problem, "the plug-in estimator")
        sizes = [self.problem.graph.size(p) for p in law.parents]
        place = {n: i for i, n in enumerate(self.problem.graph.names)}
        columns = [place[p] for p in law.parents]
        whole = rounds.pick(np.flatnonzero((rounds.x[:, columns] >= 0).all(axis=1)))
        states = int(np.prod(sizes))
        cell = whole.lane * states + np.ravel_multi_index(tuple(whole.x[:, columns].T), sizes)
        return counted_cells(cell, whole, lanes, states)
