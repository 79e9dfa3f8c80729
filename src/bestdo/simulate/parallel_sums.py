"""Sums on worlds whose variables are independent: a few counts decide the reward, the rest are binomials.

Let V be the variables that the reward really depends on. Over n rounds the counts of (values of V, reward) are
multinomial. Every other variable is independent of both, so how often it takes a value among the successes, and among
the failures, is binomial, independently for each variable.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Intervention, do
from bestdo.causal.unlisted_law import ProductLaw
from bestdo.simulate.binomial_sums import binomial
from bestdo.simulate.world import World
from bestdo.statistics.importance import Importance
from bestdo.statistics.seen import Seen

__all__ = ["importance_sums", "seen_sums"]

Floats = NDArray[np.float64]
_MOST_STATES = 4096


@dataclass(frozen=True, eq=False)
class Classes:
    """For one action: the joint values that some variables can take when it is played, and how likely each is."""

    values: NDArray[np.int64]
    """int[C, W]: of the watched variables."""
    chance: Floats
    """float[C]"""
    success: Floats
    """float[C]: P(success) given these values."""

    def drawn(self, n: NDArray[np.integer], rng: np.random.Generator) -> tuple[Floats, Floats]:  # float[L, C] twice
        """How many of n rounds (int[L]) fall into each class with a success, and with a failure."""
        if len(self.chance) == 1:
            won = binomial(n[:, None], self.success, rng)
            return won, n[:, None] - won
        cells = np.concatenate([self.chance * self.success, self.chance * (1 - self.success)])
        counts = rng.multinomial(n, cells / cells.sum()).astype(np.float64)
        return counts[:, : len(self.chance)], counts[:, len(self.chance) :]


def _is_parallel(world: World) -> bool:
    graph = world.model.graph
    return (
        all(not graph.parents[n] for n in graph.names if n != graph.reward)
        and not graph.hidden
        and all(len(a) <= 1 for a in world.problem.actions)
        and do() in world.problem.actions
    )


@lru_cache(maxsize=4096)
def _classes(world: World, action: Intervention, watched: tuple[str, ...]) -> Classes | None:
    """The reachable values of the watched variables under an action; None when there are too many."""
    graph, tables = world.model.graph, world.model.tables
    assert graph.reward is not None
    marginals = {}
    for name in watched:
        marginals[name] = tables[name]
        if name in action:
            marginals[name] = np.eye(graph.size(name))[graph.variable(name).code(action[name])]
    reachable = [np.flatnonzero(marginals[n]) for n in watched]
    if np.prod([float(len(r)) for r in reachable]) > _MOST_STATES:
        return None
    values = np.array(list(itertools.product(*reachable)), np.int64).reshape(-1, len(watched))
    chance = np.prod([marginals[n][values[:, i]] for i, n in enumerate(watched)], axis=0) * np.ones(len(values))
    causes = [values[:, watched.index(p)] for p in graph.parents[graph.reward]]
    success = tables[graph.reward][(*causes, graph.variable(graph.reward).code(graph.success))]
    return Classes(values, chance, np.broadcast_to(success, chance.shape))


@lru_cache(maxsize=64)
def _columns(world: World, names: tuple[str, ...]) -> tuple[NDArray[np.int64], Floats, list[tuple[str, list[int]]]]:
    """Where the values of the variables named are counted.

    Gives the columns of the actions that set a two-valued variable to each value, how likely its second value is, and
    the other variables with their columns.
    """
    graph, actions = world.model.graph, world.problem.actions
    column = {next(iter(a.items())): i for i, a in enumerate(actions) if a}
    two, chance, many = [], [], []
    for name in names:
        columns = [column.get((name, value), -1) for value in graph.variable(name).values]
        if len(columns) == 2 and min(columns) >= 0:
            two.append(columns)
            chance.append(world.model.tables[name][1])
        elif max(columns) >= 0:
            many.append((name, columns))
    return np.array(two, np.int64).reshape(-1, 2), np.array(chance), many


def _occurred(world: World, names: tuple[str, ...], n: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
    """In how many of n rounds (float[L]) each value of these variables occurred, under the action that sets it."""
    two, chance, many = _columns(world, names)
    counts = np.zeros((len(n), len(world.problem.actions)))
    if len(two):
        rounds = np.broadcast_to(n.astype(np.int64)[:, None], (len(n), len(two)))
        second = binomial(rounds, chance, rng)
        counts[:, two[:, 1]] = second
        counts[:, two[:, 0]] = np.subtract(n[:, None], second, out=second)
    for name, columns in many:
        drawn = rng.multinomial(n.astype(np.int64), world.model.tables[name])
        for code, column in enumerate(columns):
            if column >= 0:
                counts[:, column] = drawn[:, code]
    return counts


def _matches(world: World, watched: tuple[str, ...], values: NDArray[np.int64]) -> Floats:  # float[C, A]
    """Which values of the watched variables (int[C, W]) are those that each action on them sets; do() always matches."""
    match = np.zeros((len(values), len(world.problem.actions)))
    for i, action in enumerate(world.problem.actions):
        if not action:
            match[:, i] = 1
        for name, value in action.items():
            if name in watched:
                match[:, i] = values[:, watched.index(name)] == world.model.graph.variable(name).code(value)
    return match


class _Watching(NamedTuple):
    """What rounds of do() show on a world: worked out once."""

    action: int
    classes: Classes
    """Of the values of the reward's causes."""
    match: Floats
    """float[C, A]"""
    others: tuple[str, ...]
    """The variables that do not cause the reward."""


@lru_cache(maxsize=64)
def _watching(world: World) -> _Watching | None:
    if not _is_parallel(world):
        return None
    graph = world.model.graph
    causes = graph.parents[_reward(world)]
    classes = _classes(world, do(), causes)
    if classes is None:
        return None
    others = tuple(n for n in graph.names if n != graph.reward and n not in causes)
    return _Watching(world.problem.actions.index(do()), classes, _matches(world, causes, classes.values), others)


def seen_sums(world: World, statistic: Seen, plan: Plan, rng: np.random.Generator) -> Tally | None:
    """Sums of `Seen` where all variables are independent and actions set at most one of them."""
    found = _watching(world)
    if found is None:
        return None
    watching, classes, match, others = found
    seen = statistic.seen_by[watching]
    watched = plan.counts[:, watching]
    weight, reward = plan.counts.astype(np.float64), np.zeros(plan.counts.shape)
    weight[:, watching] = 0
    if weight.any():
        reward = binomial(plan.counts, np.where(np.arange(len(seen)) == watching, 0.0, world.means), rng)
    if watched.any():
        won, lost = classes.drawn(watched, rng)
        good = won @ match + _occurred(world, others, won.sum(axis=1), rng)
        bad = lost @ match + _occurred(world, others, lost.sum(axis=1), rng)
        bad += good
        weight += bad if seen.all() else bad * seen
        reward += good if seen.all() else good * seen
    return Tally.counted(weight, reward)


@dataclass(frozen=True, eq=False)
class Layout:
    """How the sums of `Importance` fall apart on a world: worked out once for a world and a design."""

    quiet: tuple[str, ...]
    """Variables whose values are all favoured alike by eta (eta_j / p_j is the same for each value j): they leave
    P(x | a) / Q(x) of other actions alone, and are binomial given the rest."""
    classes: tuple[Classes, ...]
    """For each action that eta plays: the values of the other variables."""
    weights: tuple[Floats, ...]
    """float[C, A] for each: what a round of a class counts for actions on those variables and for do()."""
    densities: tuple[Floats, ...]
    """float[C] for each: P(x | do()) / Q(x)."""
    natural: Floats
    """float[A]: how likely each action's value is when nothing is set; infinite where it never happens."""


@lru_cache(maxsize=64)
def _layout(world: World, statistic: Importance) -> Layout | None:
    law, actions, graph = world.problem.law, world.problem.actions, world.model.graph
    if not isinstance(law, ProductLaw) or not _is_parallel(world) or len(law.parents) != len(graph.names) - 1:
        return None
    if not all(np.array_equal(m, world.model.tables[n]) for n, m in zip(law.parents, law.marginals, strict=True)):
        return None  # the learner's belief of the law is not the truth: its weights are, but the rounds are not by it
    active = _active(world, statistic.eta)
    quiet = tuple(n for n in graph.names if n not in active and n != _reward(world))
    parts = []
    for b in map(int, np.flatnonzero(statistic.eta)):
        classes = _classes(world, actions[b], active)
        if classes is None or not set(quiet).isdisjoint(actions[b]):  # plays of a quiet one: left to the rows
            return None
        likeliest = np.array([m.argmax() for m in law.marginals])  # quiet variables: any value that can be
        rows = np.tile(likeliest, (len(classes.values), 1))
        rows[:, [law.parents.index(n) for n in active]] = classes.values
        ratios = law.ratios(rows, statistic.eta)  # float[C, A]
        weight = statistic.cut(ratios) * _matches(world, active, classes.values)
        parts.append((classes, weight, ratios[:, actions.index(do())]))
    tables = world.model.tables
    chance = np.array([np.prod([tables[n][graph.variable(n).code(v)] for n, v in a.items()]) for a in actions])
    all_classes, weights, densities = zip(*parts, strict=True)
    return Layout(quiet, all_classes, weights, densities, np.where(chance > 0, chance, np.inf))


def importance_sums(world: World, statistic: Importance, plan: Plan, rng: np.random.Generator) -> Tally | None:
    """Sums of `Importance` on such worlds, where few variables move the mixture's density."""
    played = np.flatnonzero(statistic.eta)
    layout = _layout(world, statistic)
    if layout is None or plan.counts[:, statistic.eta == 0].any():
        return None
    drawn = [c.drawn(plan.counts[:, b], rng) for c, b in zip(layout.classes, played, strict=True)]
    won = np.concatenate([w for w, _ in drawn], axis=1)  # float[L, all classes]
    lost = np.concatenate([x for _, x in drawn], axis=1)
    sums = [np.zeros((len(won), len(statistic.eta))) for _ in range(4)]
    _add(sums, won, lost, np.concatenate(layout.weights))
    densities = np.concatenate(layout.densities)
    for density in np.unique(densities[densities > 0]):
        here = densities == density
        good = _occurred(world, layout.quiet, won[:, here].sum(axis=1), rng)
        bad = _occurred(world, layout.quiet, lost[:, here].sum(axis=1), rng)
        _add_counts(sums, good, bad, statistic.cut(density / layout.natural))
    rounds = np.repeat(plan.counts.sum(axis=1, keepdims=True), len(statistic.eta), axis=1).astype(np.float64)
    return Tally(rounds, *sums)


def _add(sums: list[Floats], won: Floats, lost: Floats, weight: Floats) -> None:
    """Adds weight, weight², weight × reward and weight² × reward of counts by class, with weights float[C, A]."""
    total, square = won + lost, weight**2
    for k, (counts, w) in enumerate(((total, weight), (total, square), (won, weight), (won, square))):
        sums[k] += counts @ w


def _add_counts(sums: list[Floats], won: Floats, lost: Floats, weight: Floats) -> None:
    """The same for counts by action, float[L, A] both, with weights float[A]; uses up the counts."""
    lost += won
    for k, counts in ((0, lost), (2, won)):
        counts *= weight
        sums[k] += counts
        counts *= weight
        sums[k + 1] += counts


def _reward(world: World) -> str:
    assert world.problem.graph.reward is not None
    return world.problem.graph.reward


def _active(world: World, eta: Floats) -> tuple[str, ...]:
    """The variables that the reward depends on, and those of which eta favours some values."""
    graph, actions = world.model.graph, world.problem.actions
    active = set(graph.parents[_reward(world)])
    favour: dict[str, dict[str, float]] = {}
    for i, action in enumerate(actions):
        for name, value in action.items():
            favour.setdefault(name, {})[value] = float(eta[i])
    for name in graph.names:
        if name == _reward(world):
            continue
        given = np.array([favour.get(name, {}).get(v, 0.0) for v in graph.variable(name).values])
        scaled = given - given.sum() * world.model.tables[name]
        if np.abs(scaled).max() > 1e-12:
            active.add(name)
    return tuple(n for n in graph.names if n in active)
