"""Many worlds at once: every lane has tables of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.bandit.limit import Limit
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan, Progress, Rounds, concatenate
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.sums import each_sum
from bestdo.bandit.tally import Tally
from bestdo.causal import sampling
from bestdo.causal.action import Actions, states
from bestdo.causal.graph import Graph
from bestdo.causal.inference import Factor, contract
from bestdo.causal.model import Model
from bestdo.causal.outcome import Outcome
from bestdo.simulate.binomial_sums import binomial
from bestdo.simulate.world import World, breaks_of_rule, by_context, regret_of_rule, regret_within_limits, seen_rounds
from bestdo.statistics.played import Played

__all__ = ["Worlds", "joined", "tally_of_worlds"]


_ROWS_AT_ONCE = 2**20
"""About how many rounds are drawn and summed at once. Limits memory; fewer are slower where blocks are short. Not measured.
Another number draws other random numbers."""
_LANE = "\0lane"  # the name of the axis of lanes: no variable can have it


@dataclass(frozen=True, eq=False)
class Worlds:
    """A problem, and a true model behind it for each lane."""

    problem: Problem
    lanes: int
    tables: Mapping[str, Floats]
    """float[L, *values of the parents, values] for each variable; without the axis of lanes where all share a table."""
    progress: Progress = field(default_factory=Progress)
    """The rounds played before the simulation, the same in all lanes."""
    numbers: Mapping[str, Outcome] = field(default_factory=dict)
    """The mean and spread of each variable that is a number, float[L, *values of the parents]; these have no table."""
    truth: Graph | None = None
    """The graph of the tables, where it is not the problem's: one that has all arrows of these lanes' true graphs."""
    parts: tuple[tuple[NDArray[np.int64], Worlds], ...] = ()
    """The parts where no graph has the arrows of all lanes: some lanes (int[·]) and their worlds; no tables then."""

    @property
    def graph(self) -> Graph:
        """The graph of the tables."""
        return self.problem.graph if self.truth is None else self.truth

    def _gathered(self, of: Callable[[Worlds], Floats]) -> Floats:
        """The results of a function for the lanes of each part, in the order of all lanes."""
        each = [of(part) for _, part in self.parts]
        whole = np.empty((self.lanes, *each[0].shape[1:]), each[0].dtype)
        for (lanes, _), own in zip(self.parts, each, strict=True):
            whole[lanes] = own
        return whole

    def pick(self, which: NDArray[np.int64]) -> Worlds:
        """The worlds of some lanes."""
        if self.parts:
            own = [(np.flatnonzero(np.isin(which, lanes)), lanes, part) for lanes, part in self.parts]
            made = ((at, part.pick(np.searchsorted(lanes, which[at]))) for at, lanes, part in own if len(at))
            return replace(self, lanes=len(which), parts=tuple(made))
        tables = {n: t[which] if self._own(n) else t for n, t in self.tables.items()}
        numbers = {n: Outcome(o.mean[which], o.spread[which], o.shape) for n, o in self.numbers.items()}
        return replace(self, lanes=len(which), tables=tables, numbers=numbers)

    def one(self, lane: int) -> World:
        """The world of one lane."""
        for lanes, part in self.parts:
            if lane in lanes:
                return part.one(int(np.flatnonzero(lanes == lane)[0]))
        graph = self.graph
        tables = {n: t[lane] if self._own(n) else t for n, t in self.tables.items()}
        numbers = {n: Outcome(o.mean[lane], o.spread[lane], o.shape) for n, o in self.numbers.items()}
        return World(self.problem, Model(graph, tables, numbers), mistaken=bool(self.problem.graphs.arrows))

    def _own(self, name: str) -> bool:
        """Whether each lane has its own table of this variable."""
        return self.tables[name].ndim > len(self.graph.parents[name]) + 1

    @cached_property
    def means(self) -> Floats:  # float[L, A]
        """The true mean of each action in each lane, in the reward's own unit.

        Actions that set the same variables share one contraction, over all values of these.
        """
        return self._gathered(lambda part: part.means) if self.parts else self._sums(())[:, 0]

    def _sums(self, first: tuple[str, ...]) -> Floats:  # float[L, C, A]
        """P(context) times the true mean of each action in each context, a state of the variables `first`."""
        graph, actions = self.graph, self.problem.actions
        groups: dict[tuple[str, ...], list[int]] = {}
        for a, action in enumerate(actions):
            groups.setdefault(tuple(action), []).append(a)
        sums = np.empty((self.lanes, states(graph, first), len(actions)))
        for names, group in groups.items():
            factors = self._factors(names, first)
            active = [n for n in names if any(n in f.names for f in factors)]
            table = contract(factors, [_LANE, *active, *first], self._sizes)
            for a in group:
                mean = table
                for name in active:
                    mean = mean[:, graph.variable(name).code(actions[a][name])]
                sums[:, :, a] = mean.reshape(self.lanes, -1)
        return sums

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return {_LANE: self.lanes, **{v.name: len(v.values) for v in self.graph.variables}}

    @cached_property
    def means_by_context(self) -> tuple[Floats, Floats]:  # float[L, C, A] and float[L, C]
        """The true mean of each action in each context, and how often each context occurs, in each lane."""
        return by_context(self.problem, lambda: (self.means[:, None], np.ones((self.lanes, 1))), self._means_given)

    def _means_given(self) -> tuple[Floats, Floats]:  # float[L, C, A] and float[L, C]
        """The means and shares of contexts, where variables are seen first."""
        first = self.problem.first
        if self.parts:
            means, chances = (self._gathered(lambda part, i=i: part.means_by_context[i]) for i in range(2))  # type: ignore[misc]
            return means, chances
        chance = contract(self._factors((), first, reward=False), [_LANE, *first], self._sizes).reshape(self.lanes, -1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return self._sums(first) / chance[:, :, None], chance

    @cached_property
    def breaks_by_context(self) -> NDArray[np.bool_]:  # bool[L, C, A]
        """A mask of the actions that truly break a limit of the problem in each context, in each lane."""
        return by_context(self.problem, lambda: self.breaks[:, None], self._breaks_given)

    def _breaks_given(self) -> NDArray[np.bool_]:  # bool[L, C, A]
        """A mask of the actions that break a limit, where variables are seen first."""
        if self.parts:
            return np.asarray(self._gathered(lambda part: part.breaks_by_context.astype(np.float64)) > 0)
        broken = np.tile(~self.problem.playable, (self.lanes, len(self.problem.contexts), 1))
        for limit in self.problem.kept_limits.in_each:
            broken |= ~limit.keeps(self._of(limit).means_by_context[0])
        return broken

    @cached_property
    def beyond_everybody(self) -> Floats:  # float[L, J, C, A]
        """How far the outcome of each limit over everybody lies beyond its bound in each context, in each lane."""
        limits = self.problem.kept_limits.over_everybody
        if self.parts and limits:
            return self._gathered(lambda part: part.beyond_everybody)
        found = [limit.beyond(self._of(limit).means_by_context[0]) for limit in limits]
        size = len(found), self.lanes, len(self.problem.contexts), len(self.problem.actions)
        return np.moveaxis(np.reshape(found, size), 0, 1)

    def breaks_of_rule(self, rule: NDArray[np.integer]) -> NDArray[np.bool_]:  # bool[L, C]
        """Whether the rule kept in each lane (int[L, C]) truly breaks a limit in each context; in all, one over everybody."""
        return breaks_of_rule(rule, self.means_by_context[1], self.breaks_by_context, self.beyond_everybody)

    def _of(self, limit: Limit) -> Worlds:
        """The worlds with a limited outcome as the reward."""
        graph = limit.of(self.graph)
        outcome = Problem(graph, Actions(graph, self.problem.actions), first=self.problem.first)
        tables, numbers = limit.truth(self.graph, self.tables, self.numbers)
        return replace(self, problem=outcome, truth=None, tables=tables, numbers=numbers)

    def regret_of_rule(self, rule: NDArray[np.integer]) -> Floats:  # float[L]
        """The regret of the rule kept in each lane (int[L, C]) against the best one, on average over contexts."""
        means, chance = self.means_by_context
        return regret_of_rule(means, chance, rule, self.graph, self.breaks_by_context, self.beyond_everybody)

    def sample_given(
        self, codes: NDArray[np.integer], lane: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.integer], Mapping[str, Floats]]:  # int[R, V], and float[R] each
        """Rows of values, with variables set to these codes (int[R, V]) where they are not -1, and the numbers in them."""
        if self.parts:
            return self._sampled_in_parts(codes, lane, rng)
        columns, width = self._columns
        x = sampling.sample_given(columns, codes, rng, lane * width)
        return x, self._numbers(lane, x, rng)

    def _sampled_in_parts(
        self, codes: NDArray[np.integer], lane: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.integer], Mapping[str, Floats]]:  # int[R, V], and float[R] each
        """The result of `sample_given`, part by part."""
        x, numbers = np.empty(codes.shape, np.int64), dict[str, Floats]()
        for lanes, part in self.parts:
            rows = np.flatnonzero(np.isin(lane, lanes))
            x[rows], own_numbers = part.sample_given(codes[rows], np.searchsorted(lanes, lane[rows]), rng)
            for name, own in own_numbers.items():
                numbers.setdefault(name, np.full(len(lane), np.nan))[rows] = own
        return x, numbers

    @property
    def gains(self) -> Floats:  # float[L, A]
        """The true means, negative where they are to be small: more is better."""
        return self.graph.rewarded.scale.sign * self.means

    @cached_property
    def breaks(self) -> NDArray[np.bool_]:  # bool[L, A]
        """A mask of the actions that truly break a limit of the problem, or are retired, in each lane."""
        if self.parts:
            return np.asarray(self._gathered(lambda part: part.breaks.astype(np.float64)) > 0)
        broken = np.tile(~self.problem.playable, (self.lanes, 1))
        for limit in self.problem.limits:
            broken |= ~limit.keeps(self._of(limit).means)
        return broken

    def regret(self, best: NDArray[np.integer]) -> Floats:  # float[L]
        """The regret of the action kept in each lane (int[L]) against the best one; see `regret_within_limits`."""
        return regret_within_limits(self.gains, self.breaks, best)

    def _factors(self, cut: tuple[str, ...], first: tuple[str, ...] = (), reward: bool = True) -> list[Factor]:
        """The tables that the mean, and the law of what is seen first, depend on when these variables are set."""
        graph = self.graph
        assert graph.reward is not None
        factors = [Factor((_LANE,), np.ones(self.lanes))]
        matter = graph.without_arrows_into(cut).ancestors([*first, *([graph.reward] if reward else [])])
        for name in (n for n in graph.order if n in matter and n not in cut):
            if name in self.numbers:
                if name == graph.reward:
                    factors.append(Factor((_LANE, *graph.parents[name]), self.numbers[name].mean, name))
                continue
            axes, table = (*graph.parents[name], name), self.tables[name]
            if name == graph.reward:
                axes, table = axes[:-1], graph.rewarded.mean_of(table)
            factors.append(Factor((_LANE, *axes) if self._own(name) else axes, table, name))
        return factors

    @cached_property
    def _columns(self) -> tuple[sampling.Columns, int]:
        """The arguments of `sampling.sample`, with the limits of all lanes one after the other, and each lane's number."""
        graph = self.graph
        first = {n: t[0] if self._own(n) else t for n, t in self.tables.items()}
        measured = {n: np.ones((*o.mean.shape[1:], 1)) for n, o in self.numbers.items()}  # a number has one value
        limits = []
        for name in (n for n in graph.order if n not in measured):
            below = np.cumsum(self.tables[name], axis=-1)[..., :-1]
            below = below if self._own(name) else np.broadcast_to(below, (self.lanes, *below.shape))
            limits.append(below.reshape(self.lanes, -1))
        by_lane = np.concatenate(limits, axis=1)
        columns = sampling.columns(graph, {**first, **measured})._replace(limits=by_lane.reshape(-1))
        return columns, by_lane.shape[1]

    def rounds(self, plan: Plan, rng: np.random.Generator, first: int = 0) -> Rounds:
        """Plays a plan for the lanes from `first` on, each in its own world; hidden variables are not shown."""
        if self.parts:
            return self._rounds_in_parts(plan, rng, first)
        lanes, actions = plan.counts.shape
        cells = np.repeat(np.arange(lanes * actions), plan.counts.reshape(-1))
        lane, action = np.divmod(cells, actions)
        columns, width = self._columns
        x = sampling.sample(columns, self.problem.actions, action, rng, (lane + first) * width)
        numbers = self._numbers(lane + first, x, rng)
        rounds = seen_rounds(self.graph, lane, action, x, numbers)
        return rounds._replace(numbers=self.problem.numbers(numbers))

    def _rounds_in_parts(self, plan: Plan, rng: np.random.Generator, first: int) -> Rounds:
        """The result of `rounds`, part by part."""
        parts = []
        for lanes, part in self.parts:
            some = np.flatnonzero((lanes >= first) & (lanes < first + len(plan.counts)))
            if len(some):
                own = part.rounds(Plan(plan.counts[lanes[some] - first]), rng, int(some[0]))
                parts.append(own._replace(lane=lanes[some][own.lane] - first))
        return concatenate(parts)._replace(times=None)

    def _numbers(self, lane: NDArray[np.int64], x: NDArray[np.integer], rng: np.random.Generator) -> dict[str, Floats]:
        """The numbers in rows of values (int[R, V]), each drawn in the world of its lane."""
        graph, numbers = self.graph, dict[str, Floats]()
        for name in graph.drawn_order(self.numbers):
            outcome, row = self.numbers[name], lane
            for parent in graph.parents[name]:
                row = row * graph.size(parent) + x[:, graph.names.index(parent)]
            number = graph.variable(name).number
            assert number is not None
            numbers[name] = outcome.draw(row, rng, number.bounds, number.weight(numbers))
        return numbers


def joined(worlds: Sequence[Worlds]) -> Worlds:
    """The worlds of all lanes, one lot after the other; in one piece where all have the problem's graph."""
    lanes = sum(each.lanes for each in worlds)
    if all(each.truth is None and not each.parts for each in worlds):
        return _in_one_piece(worlds, lanes)
    parts, first = [], 0
    for each in worlds:
        own = each.parts or ((np.arange(each.lanes), each),)
        parts += [(lanes_here + first, part) for lanes_here, part in own if part.lanes]
        first += each.lanes
    return replace(worlds[0], lanes=lanes, tables={}, numbers={}, parts=tuple(parts))


def _in_one_piece(worlds: Sequence[Worlds], lanes: int) -> Worlds:
    """The worlds of all lanes with tables one behind the other; those that all lanes share stay as they are."""
    one = worlds[0]
    tables = {
        n: np.concatenate([each.tables[n] for each in worlds]) if one._own(n) else t for n, t in one.tables.items()
    }
    numbers = {
        n: Outcome(
            np.concatenate([each.numbers[n].mean for each in worlds]),
            np.concatenate([each.numbers[n].spread for each in worlds]),
            outcome.shape,
        )
        for n, outcome in one.numbers.items()
    }
    return replace(one, lanes=lanes, tables=tables, numbers=numbers)


def _successes(worlds: Worlds, plan: Plan, rng: np.random.Generator) -> Tally:
    """The plays and successes of each action, drawn as binomial numbers."""
    won = binomial(plan.counts.reshape(1, -1), worlds.means.reshape(-1), rng)
    return Tally.from_counts(plan.counts.astype(np.float64), won.reshape(plan.counts.shape))


_SAMPLERS: dict[type, Callable[[Worlds, Plan, np.random.Generator], Tally]] = {Played: _successes}
"""The samplers of sums over successes, by the kind of statistic."""


def tally_of_worlds(worlds: Worlds, statistic: Statistic, plan: Plan, rng: np.random.Generator) -> Tally:
    """Plays a plan: the statistic's sums, drawn as binomial numbers for `Played` and round by round for others."""
    sampler = worlds.problem.graph.rewarded.drawn_by(_SAMPLERS).get(type(statistic))
    if sampler is not None:
        return sampler(worlds, plan, rng)
    step = max(1, _ROWS_AT_ONCE // max(1, int(plan.counts.sum(axis=1).max(initial=0))))
    parts = []
    for first in range(0, worlds.lanes, step):
        part = Plan(plan.counts[first : first + step])
        parts.append(statistic.tally(worlds.rounds(part, rng, first), len(part.counts)))
    return parts[0] if len(parts) == 1 else each_sum(lambda *sums: np.concatenate(sums), *parts)
