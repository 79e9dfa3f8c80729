"""Samplers of the sums of `Seen` and `Importance` on worlds whose variables are independent of each other.

Let V be the variables that the reward really depends on. Over n rounds the counts of (values of V, reward) are
multinomial. Every other variable is independent of both, so how often it takes a value among the successes, and among
the failures, is binomial, independently for each variable.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Intervention, do
from bestdo.memory_cache import memory_cache
from bestdo.simulate import parallel_kernels
from bestdo.simulate.binomial_sums import binomial
from bestdo.simulate.world import World
from bestdo.statistics.importance import Importance
from bestdo.statistics.seen import Seen

__all__ = ["importance_sums", "seen_law", "seen_sums", "weighed_classes"]

_MOST_STATES = 4096
"""The most joint values of the variables counted together; with more, rounds are drawn one by one. The time to draw one
lane's multinomial counts grows with it. Not measured."""
_CELLS_AT_ONCE = 2**22
"""Lanes (or actions) × classes counted at once: 32 MB for each array of counts or weights. With more classes than that, the
actions that a design plays are counted one after the other: some worlds of `bestdo figure held-out` took 4 GB otherwise.
That is another order of additions, so smaller numbers may change the last digits of tables."""
_SAME_SHARE = 1e-12
"""Differences below this between eta's share of a value and its probability are rounding, not a preference of eta."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The C joint values that some variables can take under an action, with their probabilities."""

    values: NDArray[np.int64]
    """int[C, W]: the values of the W variables that are counted together."""
    chance: Floats
    """float[C]: the probability of these values under the action."""
    success: Floats
    """float[C]: P(success) given these values."""

    @property
    def cells(self) -> Floats:  # float[2 C]
        """The probability of each class with a success, then of each with a failure; of one class, as they are."""
        if len(self.chance) == 1:
            return np.concatenate([self.success, 1 - self.success])
        cells = np.concatenate([self.chance * self.success, self.chance * (1 - self.success)])
        return np.asarray(cells / cells.sum())

    def without_values(self) -> Classes:
        """The part that drawing counts needs: a tenth of the memory."""
        return Classes(np.empty((0, 0), np.int64), self.chance, self.success)

    def draw(self, n: NDArray[np.integer], rng: np.random.Generator) -> tuple[Floats, Floats]:  # float[L, C] twice
        """Draws how many of n rounds (int[L]) fall into each class with a success, and with a failure."""
        if len(self.chance) == 1:
            won = binomial(n[:, None], self.success, rng)
            return won, n[:, None] - won
        counts = rng.multinomial(n, self.cells).astype(np.float64)
        return counts[:, : len(self.chance)], counts[:, len(self.chance) :]


def _is_parallel(world: World) -> bool:
    """Whether no variable but the reward has causes, none is hidden, and actions, do() among them, set at most one."""
    graph = world.model.graph
    return (
        all(not graph.parents[n] for n in graph.names if n != graph.reward)
        and not graph.hidden
        and all(len(a) <= 1 for a in world.problem.actions)
        and do() in world.problem.actions
    )


def _classes(world: World, action: Intervention, names: tuple[str, ...]) -> Classes | None:
    """The joint values of these variables with positive probability under an action; None when there are too many."""
    graph, tables = world.model.graph, world.model.tables
    assert graph.reward is not None
    marginals = {}
    for name in names:
        marginals[name] = tables[name]
        if name in action:
            marginals[name] = np.eye(graph.size(name))[graph.variable(name).code(action[name])]
    reachable = [np.flatnonzero(marginals[n]) for n in names]
    if np.prod([float(len(r)) for r in reachable]) > _MOST_STATES:
        return None
    values = np.array(list(itertools.product(*reachable)), np.int64).reshape(-1, len(names))
    chance = np.prod([marginals[n][values[:, i]] for i, n in enumerate(names)], axis=0) * np.ones(len(values))
    causes = [values[:, names.index(p)] for p in graph.parents[graph.reward]]
    success = tables[graph.reward][(*causes, graph.success_code)]
    return Classes(values, chance, np.broadcast_to(success, chance.shape))


@memory_cache
def _columns(world: World, names: tuple[str, ...]) -> tuple[NDArray[np.int64], Floats, list[tuple[str, list[int]]]]:
    """The actions (columns of a tally) that set each value of the variables named.

    Three parts: int[K, 2] for the K two-valued variables whose values can both be set, the probability of the second
    value of each, and the other variables with a list of columns by value, -1 where no action sets it.
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


def _draw_values(world: World, names: tuple[str, ...], n: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
    """Draws in how many of n rounds (float[L]) each value of these variables occurs, by the action that sets it."""
    two, chance, many = _columns(world, names)
    counts = np.zeros((len(n), len(world.problem.actions)))
    if len(two):
        rounds = np.broadcast_to(n.astype(np.int64)[:, None], (len(n), len(two)))
        second = binomial(rounds, chance, rng)
        counts[:, two[:, 1]] = second
        counts[:, two[:, 0]] = np.subtract(n[:, None], second, out=second)
    for name, columns in many:
        by_value = rng.multinomial(n.astype(np.int64), world.model.tables[name])
        for code, column in enumerate(columns):
            if column >= 0:
                counts[:, column] = by_value[:, code]
    return counts


def _matches(world: World, names: tuple[str, ...], values: NDArray[np.int64]) -> Floats:  # float[C, A]
    """1 where the values of these variables (int[C, W]) contain what the action sets, else 0; do() always matches."""
    actions, graph = world.problem.actions, world.model.graph
    match = np.zeros((len(values), len(actions)))
    place = np.array([graph.names.index(n) for n in names], np.int64)
    codes = world.actions.codes[:, place]  # int[A, W]: -1 where the action sets nothing
    which, column = np.nonzero(codes >= 0)
    match[:, which] = values[:, column] == codes[which, column]
    match[:, actions.index(do())] = 1
    return match


class _Watching(NamedTuple):
    """The facts about a world that the sums over rounds of do() need."""

    action: int
    """The index of do()."""
    classes: Classes
    """The joint values of the reward's causes under do()."""
    match: Floats
    """float[C, A]: which actions these values match, as `_matches` says."""
    others: tuple[str, ...]
    """The variables that do not cause the reward."""


@memory_cache
def _watching(world: World) -> _Watching | None:
    """The facts about a world that the sums over rounds of do() need, once per world; None where these cannot be drawn."""
    if not _is_parallel(world):
        return None
    graph = world.model.graph
    causes = graph.parents[_reward(world)]
    classes = _classes(world, do(), causes)
    if classes is None:
        return None
    others = tuple(n for n in graph.names if n != graph.reward and n not in causes)
    return _Watching(world.problem.actions.index(do()), classes, _matches(world, causes, classes.values), others)


def seen_law(world: World, statistic: Seen) -> parallel_kernels.SeenLaw | None:
    """The arguments of compiled loops that draw the sums of `Seen` as `seen_sums` does; None for worlds unknown to them."""
    watching = _watching(world)
    if watching is None:
        return None
    do_nothing, classes, match, others = watching
    two, chance, many = _columns(world, others)
    if many:
        return None
    seen = np.array(statistic.seen_by[do_nothing])
    return parallel_kernels.SeenLaw(do_nothing, world.means, classes.cells, match.astype(bool), two, chance, seen)


def seen_sums(world: World, statistic: Seen, plan: Plan, rng: np.random.Generator) -> Tally | None:
    """Draws the sums of `Seen` on a parallel world, or gives None.

    Plays of do() count towards every action that `seen_by` allows and whose value occurs; plays of others towards
    themselves.
    """
    watching = _watching(world)
    if watching is None:
        return None
    do_nothing, classes, match, others = watching
    seen = statistic.seen_by[do_nothing]
    watched = plan.counts[:, do_nothing]
    weight, reward = plan.counts.astype(np.float64), np.zeros(plan.counts.shape)
    weight[:, do_nothing] = 0
    if weight.any():
        reward = binomial(plan.counts, np.where(np.arange(len(seen)) == do_nothing, 0.0, world.means), rng)
    if watched.any():
        won, lost = classes.draw(watched, rng)
        good = won @ match + _draw_values(world, others, won.sum(axis=1), rng)
        total = lost @ match + _draw_values(world, others, lost.sum(axis=1), rng)
        total += good
        weight += total if seen.all() else total * seen
        reward += good if seen.all() else good * seen
    return Tally.from_counts(weight, reward)


@dataclass(frozen=True, eq=False)
class Layout:
    """The facts about a world and a design that drawing the sums of `Importance` needs.

    A variable is *passive* when eta is proportional to its probabilities over its values (eta_j / p_j is the same for
    each value j) and it does not cause the reward; then it does not change P(x | a) / Q(x) of actions on other
    variables, and its counts are binomial given the rest. The others are *active*.
    """

    passive: tuple[str, ...]
    """The names of the passive variables."""
    classes: tuple[Classes, ...]
    """The joint values of the active variables, for each action that eta plays."""
    weights: tuple[Floats, ...]
    """float[C, A] for each: the weight of a round of a class towards do() and the actions on active variables."""
    densities: tuple[Floats, ...]
    """float[C] for each: P(x | do()) / Q(x)."""
    natural: Floats
    """float[A]: the probability of each action's values under do(); infinite where it is 0."""


@memory_cache
def _layout(world: World, statistic: Importance) -> Layout | None:
    """The layout of a world and a design; None where the sums of `Importance` cannot be drawn."""
    law, actions, graph = world.problem.law, world.problem.actions, world.model.graph
    if law is None or law.marginals is None or not _is_parallel(world) or len(law.parents) != len(graph.names) - 1:
        return None
    if not all(np.array_equal(m, world.model.tables[n]) for n, m in zip(law.parents, law.marginals, strict=True)):
        return None  # the law that weighs the rounds is not the one that they are drawn from
    active = _active(world, statistic.eta)
    passive = tuple(n for n in graph.names if n not in active and n != _reward(world))
    parts = []
    for b in map(int, np.flatnonzero(statistic.eta)):
        classes = _classes(world, actions[b], active)
        if classes is None or not set(passive).isdisjoint(actions[b]):
            return None
        likeliest = np.array([m.argmax() for m in law.marginals])  # passive variables: any possible value will do
        rows = np.tile(likeliest, (len(classes.values), 1))
        rows[:, [law.parents.index(n) for n in active]] = classes.values
        ratios = law.ratios(rows, statistic.eta)  # float[C, A]
        weight = statistic.cut(ratios) * _matches(world, active, classes.values)
        parts.append((classes.without_values(), weight, ratios[:, actions.index(do())].copy()))
    tables = world.model.tables
    chance = np.array([np.prod([tables[n][graph.variable(n).code(v)] for n, v in a.items()]) for a in actions])
    all_classes, weights, densities = zip(*parts, strict=True)
    return Layout(passive, all_classes, weights, densities, np.where(chance > 0, chance, np.inf))


def importance_sums(world: World, statistic: Importance, plan: Plan, rng: np.random.Generator) -> Tally | None:
    """Draws the sums of `Importance` on a parallel world with few active variables, or gives None."""
    played = np.flatnonzero(statistic.eta)
    layout = _layout(world, statistic)
    if layout is None or plan.counts[:, statistic.eta == 0].any():
        return None
    sums = [np.zeros(plan.counts.shape) for _ in range(4)]
    by_density: dict[float, tuple[Floats, Floats]] = {}
    classes = sum(len(c.chance) for c in layout.classes)
    few = max(plan.counts.shape) * classes <= _CELLS_AT_ONCE
    for lot in [range(len(played))] if few else [[i] for i in range(len(played))]:
        draws = [layout.classes[i].draw(plan.counts[:, played[i]], rng) for i in lot]
        won = np.concatenate([w for w, _ in draws], axis=1)  # float[L, classes of the lot]
        lost = np.concatenate([x for _, x in draws], axis=1)
        _add_by_class(sums, won, lost, np.concatenate([layout.weights[i] for i in lot]))
        if layout.passive:
            _add_by_density(by_density, won, lost, np.concatenate([layout.densities[i] for i in lot]))
    for density, (won, lost) in sorted(by_density.items()):
        good = _draw_values(world, layout.passive, won, rng)
        bad = _draw_values(world, layout.passive, lost, rng)
        _add_by_action(sums, good, bad, statistic.cut(density / layout.natural))
    rounds = np.repeat(plan.counts.sum(axis=1, keepdims=True), len(statistic.eta), axis=1).astype(np.float64)
    return Tally(rounds, *sums)


def weighed_classes(
    world: World, statistic: Importance
) -> tuple[Ints, Floats, Ints, Ints, Floats, Ints, Floats, Ints, Floats] | None:
    """The arguments of the loop `weigh_all` for the sums of `Importance` as above; None for worlds that it does not know."""
    layout = _layout(world, statistic)
    if layout is None:
        return None
    two, chance, many = _columns(world, layout.passive)
    if many:
        return None
    start = np.cumsum([0, *(len(c.chance) for c in layout.classes)])
    rows, column = zip(*(np.nonzero(w) for w in layout.weights), strict=True)
    share = np.concatenate([w[r, a] for w, r, a in zip(layout.weights, rows, column, strict=True)])
    entries = np.concatenate(
        [[0], *(np.bincount(r, minlength=len(w)) for r, w in zip(rows, layout.weights, strict=True))]
    )
    densities = np.concatenate(layout.densities)
    groups = np.unique(densities[densities > 0])
    factor = np.array([statistic.cut(g / layout.natural) for g in groups.tolist()]).reshape(-1, len(layout.natural))
    group = np.where(densities > 0, np.searchsorted(groups, densities), -1)
    cells = np.concatenate([c.cells for c in layout.classes])
    return start, cells, np.cumsum(entries), np.concatenate(column), share, group, factor, two, chance


def _add_by_class(sums: list[Floats], won: Floats, lost: Floats, weight: Floats) -> None:
    """Adds weight, weight², weight × reward and weight² × reward of counts by class, with weights float[C, A]."""
    total, square = won + lost, weight**2
    for k, (counts, w) in enumerate(((total, weight), (total, square), (won, weight), (won, square))):
        sums[k] += counts @ w


def _add_by_density(
    by_density: dict[float, tuple[Floats, Floats]], won: Floats, lost: Floats, densities: Floats
) -> None:
    """Adds successes and failures (float[L, C] each) by the positive ones of the densities (float[C]) of their classes."""
    for density in np.unique(densities[densities > 0]).tolist():
        here = densities == density
        good, bad = won[:, here].sum(axis=1), lost[:, here].sum(axis=1)
        before = by_density.get(density, (0.0, 0.0))
        by_density[density] = before[0] + good, before[1] + bad


def _add_by_action(sums: list[Floats], won: Floats, lost: Floats, weight: Floats) -> None:
    """Adds the same four sums for counts by action, float[L, A] both, with weights float[A]; overwrites the counts."""
    lost += won
    for k, counts in ((0, lost), (2, won)):
        counts *= weight
        sums[k] += counts
        counts *= weight
        sums[k + 1] += counts


def _reward(world: World) -> str:
    """The name of the reward."""
    assert world.problem.graph.reward is not None
    return world.problem.graph.reward


def _active(world: World, eta: Floats) -> tuple[str, ...]:
    """The variables that the reward depends on, and those over whose values eta is not proportional to their law."""
    graph, actions = world.model.graph, world.problem.actions
    active = set(graph.parents[_reward(world)])
    share: dict[str, dict[str, float]] = {}
    for i, action in enumerate(actions):
        for name, value in action.items():
            share.setdefault(name, {})[value] = float(eta[i])
    for name in graph.names:
        if name == _reward(world):
            continue
        shares = np.array([share.get(name, {}).get(v, 0.0) for v in graph.variable(name).values])
        difference = shares - shares.sum() * world.model.tables[name]
        if np.abs(difference).max() > _SAME_SHARE:
            active.add(name)
    return tuple(n for n in graph.names if n in active)
