"""Random worlds for a problem: tables drawn by what is believed before an experiment, or given rounds."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestdo.arrays import Floats
from bestdo.bandit.combinations import HIDDEN_AND_NUMBER
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Progress, Rounds, concatenate
from bestdo.causal.action import Actions, states
from bestdo.causal.fit import family_counts
from bestdo.causal.graph import Graph
from bestdo.causal.model import checked_table
from bestdo.causal.number_causes import number_causes, summed_out, tables_summed_out
from bestdo.causal.outcome import Outcome
from bestdo.errors import BestdoError, TooLarge, shown
from bestdo.learners.beliefs.families import Families
from bestdo.simulate.candidate_worlds import candidate_weights, check_drawable, drawn_graphs, embedded
from bestdo.simulate.family_tables import Causes, drawn_given, drawn_tables, family
from bestdo.simulate.gibbs import gibbs_counts
from bestdo.simulate.outcome_rows import RowSums, drawn_outcome, outcome_given
from bestdo.simulate.world_batch import Worlds, joined

__all__ = ["Prior", "with_difference"]


_MOST_CELLS = 2**20
"""The most numbers in the tables of one world: 8 MB. Limits memory and time. Not measured."""
_WORLDS = 4000
"""The number of worlds that show how often to keep each: the standard error of an average is 1/63 of the spread."""
_LOOKED_AT = 2**24
"""The most numbers in the tables of all these worlds (128 MB): large models get fewer worlds. Not measured."""
_RAREST = 0.005
"""The least share of the drawn worlds that are as different as asked for: the others are drawn in vain."""
_STEPS = 40
"""Steps of the bisection for `tilt`, which is found to 2^-40 of `_STEEPEST`."""
_STEEPEST = 1e4
"""The largest `tilt`: worlds that are 0.001 off are then kept once in 20,000 times."""
_SELDOM = 0.02
"""The least probability of keeping a world because of its best action: fewer worlds kept would take long. Not measured."""
_SPARE = 1.2
"""The surplus of worlds drawn over those that seem to be needed, so that one further draw mostly suffices. Not measured."""
_EQUAL = 1e-12
"""Means that differ by less are equal: such differences are rounding errors."""


@dataclass(frozen=True, eq=False)
class Prior:
    """A distribution over worlds: every table that is not known is drawn as the belief in families says.

    What that is, `family_tables` says. Worlds may be kept more or less often by their true means: by how much the best
    action exceeds the average one (`with_difference`), or by which action is the best (`believing`).
    """

    problem: Problem
    unknown: tuple[str, ...]
    """The variables whose tables, or means and spreads, are drawn."""
    known: Mapping[str, Floats] = field(default_factory=dict)
    """The tables that are the same in all worlds."""
    causes: Causes = "any"
    """The parents of the reward that matter."""
    counts: Mapping[str, Floats] = field(default_factory=dict)
    """float[*values of the parents, values]: how often each cell of each table was counted in the rounds so far."""
    near_hidden: Mapping[str, Floats] = field(default_factory=dict)
    """float[M, …]: M sets of counts for the tables next to a hidden variable; each world is drawn given one set."""
    sums: RowSums | None = None
    """The sums over the rounds so far of a reward that is a number, in each row of its parents."""
    progress: Progress = field(default_factory=Progress)
    """The rounds played before the simulation: every learner is told them first."""
    tilt: float = 0.0
    difference: float = 0.0
    """A world whose best action exceeds the average one by d is kept with probability min(1, exp(tilt (d - difference))).

    Both as learners have them (`Graph.span`)."""
    keep: tuple[int, float, float] | None = None
    """An action, and with which probability a world is kept in which it is a best one, or is not; None: all are kept."""

    @classmethod
    def of(cls, problem: Problem, known: Mapping[str, ArrayLike] | None = None, causes: Causes = "any") -> Prior:
        """The prior of a problem, with any of the reward's causes, few of them or all of them mattering.

        Tables in `known` are kept, and so are those that follow from the law of the reward's parents, where the problem
        knows it.
        """
        known = known or {}
        problem, given = _without_number_causes(
            problem, {**_known_from_law(problem, known), **_units(problem.graph), **known}
        )
        graph = problem.graph
        kept = {n: checked_table(graph, n, t) for n, t in given.items()}
        if graph.reward in kept:
            raise BestdoError(f"the table of the reward {shown(graph.reward)} is what is to be learned: leave it out")
        cells = sum(states(graph, (*graph.parents[n], n)) for n in graph.names)
        if cells > _MOST_CELLS:
            raise TooLarge(f"the tables of this graph have {cells:,} cells; at most {_MOST_CELLS:,} can be drawn")
        check_drawable(problem, kept)
        return cls(problem, tuple(n for n in graph.names if n not in kept), kept, causes)

    def given(self, progress: Progress) -> Prior:
        """The posterior given these rounds, which every learner is told before it plays on."""
        graph, parts = self.problem.graph, progress.rounds
        if not parts:
            return replace(self, progress=progress)
        if self.problem.graphs.arrows and graph.number is None:
            candidate_weights(self.problem, parts)  # raises where rounds cannot weigh the candidates
            return replace(self, progress=progress)
        each = [family_counts(graph, self.problem.actions, r.action, r.x, r.times) for r in parts]
        counts = {n: np.sum([part[n] for part in each], axis=0) for n in self.unknown}
        near = {}
        if graph.number is not None:
            _check_seen(graph)
            counts.pop(str(graph.reward))
            return replace(self, counts=counts, sums=_row_sums(self.problem, parts), progress=progress)
        if graph.hidden:
            near = gibbs_counts(self.problem, self._draw, self.known, parts)
        return replace(self, counts=counts, near_hidden=near, progress=progress)

    def believing(self, action: int, p_best: float) -> Prior:
        """The worlds in which an action is a best one as often as a learner says that it is.

        Worlds in which it is a best one are kept more seldom than the others, or the others more seldom than these.
        """
        share = _is_best(_scores(self.worlds(self._looked_at, np.random.default_rng(1))), action).mean()
        share, p = (np.clip(x, 1 / self._looked_at, 1 - 1 / self._looked_at) for x in (share, p_best))
        odds = float(p / (1 - p) * (1 - share) / share)
        return replace(self, keep=(action, max(min(1.0, odds), _SELDOM), max(min(1.0, 1 / odds), _SELDOM)))

    @property
    def cells(self) -> int:
        """The number of cells in the tables of one world."""
        graph = self.problem.graph
        return sum(states(graph, (*graph.parents[n], n)) for n in graph.names)

    @property
    def _looked_at(self) -> int:
        """The number of worlds that are looked at to learn how often to accept each."""
        return max(2, min(_WORLDS, _LOOKED_AT // self.cells))

    def worlds(self, lanes: int, rng: np.random.Generator) -> Worlds:
        """Draws a world for each lane."""
        if not self.tilt and self.keep is None:
            return self._drawn(lanes, rng)
        found: list[tuple[Worlds, NDArray[np.int64]]] = []
        missing = tried = lanes
        while missing:
            drawn = self._drawn(tried, rng)
            kept = np.flatnonzero(rng.random(tried) < self._chance_to_keep(_scores(drawn)))
            found.append((drawn, kept[:missing]))
            missing -= min(len(kept), missing)
            tried = min(lanes, math.ceil(_SPARE * missing * tried / max(len(kept), 1)) + 1)
        return joined([drawn.pick(kept) for drawn, kept in found])

    def _drawn(self, lanes: int, rng: np.random.Generator) -> Worlds:
        """Draws a world for each lane, all of which are kept."""
        if self.problem.graphs.arrows:
            return self._drawn_in_doubt(lanes, rng)
        tables = self._tables(lanes, rng)
        numbers = {n: self._outcome(n, lanes, rng) for n in self.unknown if n not in tables}
        return Worlds(self.problem, lanes, tables, self.progress, numbers)

    def _drawn_in_doubt(self, lanes: int, rng: np.random.Generator) -> Worlds:
        """Draws a graph for each lane from the candidates, by their probabilities, and then its tables."""
        parts = []
        for graph, own, graphs in drawn_graphs(self.problem, self._weights, lanes, rng):
            tables: dict[str, Floats] = dict(self.known)
            for name in (n for n in self.unknown if n in graph.valued):
                tables[name] = embedded(graph, name, graphs, partial(self._drawn_in_graph, name, rng))
            numbers = {n: self._outcome(n, len(own), rng) for n in self.unknown if n not in tables}
            parts.append((own, Worlds(self.problem, len(own), tables, self.progress, numbers, graph)))
        return parts[0][1] if len(parts) == 1 else Worlds(self.problem, lanes, {}, self.progress, parts=tuple(parts))

    def _drawn_in_graph(self, name: str, rng: np.random.Generator, graph: Graph, lanes: int) -> Floats:  # float[L, …]
        """Tables of a variable in one of the candidates, given what was counted in its family."""
        sizes = tuple(map(graph.size, graph.parents[name]))
        if not self.progress.rounds:
            return drawn_tables(sizes, graph.size(name), lanes, rng, self._causes(name))
        key = name, graph.parents[name]
        if key not in self._counted:
            actions = Actions(graph, self.problem.actions)
            each = [family_counts(graph, actions, r.action, r.x, r.times) for r in self.progress.rounds]
            for other in (n for n in self.unknown if n in graph.valued):
                self._counted[other, graph.parents[other]] = np.sum([part[other] for part in each], axis=0)
        belief = family(sizes, graph.size(name), self._causes(name))
        flat = self._counted[key].reshape(1, -1)
        return drawn_given(belief, flat, lanes, rng).reshape(lanes, *sizes, graph.size(name))

    @cached_property
    def _weights(self) -> Floats:  # float[K], or float[F]
        """The probability of each candidate, or of each set of parents, by the rounds so far."""
        return candidate_weights(self.problem, self.progress.rounds)

    @cached_property
    def _counted(self) -> dict[tuple[str, tuple[str, ...]], Floats]:
        """Counts of each cell of a family, a variable with its parents in a candidate; filled when needed."""
        return {}

    def _outcome(self, name: str, lanes: int, rng: np.random.Generator) -> Outcome:
        """The means and spreads of a variable that is a number, for each lane."""
        graph = self.problem.graph
        if self.sums is not None and name == graph.reward:
            return outcome_given(graph, name, self.sums, lanes, rng, self._causes(name))
        return drawn_outcome(graph, name, lanes, rng, self._causes(name))

    def _chance_to_keep(self, means: Floats) -> Floats:  # float[L]
        """The probability that worlds with these means, as learners have them (float[L, A]), are kept."""
        chance = np.ones(len(means))
        if self.tilt:
            chance = np.exp(np.minimum(self.tilt * (_differences(means) - self.difference), 0.0))
        if self.keep is not None:
            action, best, other = self.keep
            chance = chance * np.where(_is_best(means, action), best, other)
        return chance

    def _tables(self, lanes: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Tables of all variables but numbers, with a leading axis of lanes where they are not known."""
        tables: dict[str, Floats] = dict(self.known)
        which = rng.integers(0, max((len(c) for c in self.near_hidden.values()), default=1), size=lanes)
        for name in (n for n in self.unknown if n in self.problem.graph.valued):
            near = self.near_hidden.get(name)
            counts = self.counts[name][None] if name in self.counts else None
            tables[name] = self._draw(name, counts if near is None else near[which], lanes, rng)
        return tables

    def _draw(self, name: str, counts: Floats | None, lanes: int, rng: np.random.Generator) -> Floats:  # float[L, …]
        """A table of one variable for each lane, given counts (float[1 or L, …]) or before anything was counted."""
        graph = self.problem.graph
        parents = tuple(graph.size(p) for p in graph.parents[name])
        if counts is None:
            return drawn_tables(parents, graph.size(name), lanes, rng, self._causes(name))
        flat = counts.reshape(len(counts), -1)
        return drawn_given(self._families[name], flat, lanes, rng).reshape(lanes, *parents, graph.size(name))

    def _causes(self, name: str) -> Causes:
        return self.causes if name == self.problem.graph.reward else "any"

    @cached_property
    def _families(self) -> dict[str, Families]:
        """The belief about the family of each variable whose table is drawn."""
        graph = self.problem.graph
        return {
            n: family(tuple(graph.size(p) for p in graph.parents[n]), graph.size(n), self._causes(n))
            for n in self.unknown
            if n in graph.valued
        }


def _units(graph: Graph) -> dict[str, Floats]:
    """Tables of one value of the numbers that others are counted per unit of, where nothing says how large they are: 1."""
    unknown = (n for n in graph.units if graph.variable(n).kind.usual is None)
    return {n: np.ones((*map(graph.size, graph.parents[n]), 1)) for n in unknown}


def _check_seen(graph: Graph) -> None:
    """Raises BestdoError where a cause is hidden: hidden values are not drawn given numbers."""
    if graph.hidden:
        raise BestdoError(HIDDEN_AND_NUMBER.why(shown(graph.hidden[0])))


def _row_sums(problem: Problem, parts: Sequence[Rounds]) -> RowSums:
    """The sums over rounds of a reward that is a number, in each row of its parents, in its own unit."""
    graph = problem.graph
    reward, rounds = str(graph.reward), concatenate(parts)
    columns = [graph.names.index(p) for p in graph.parents[reward]]
    sizes = tuple(graph.size(p) for p in graph.parents[reward])
    whole = (rounds.x[:, columns] >= 0).all(axis=1) & ~np.isnan(rounds.y.astype(np.float64))
    row = np.zeros(int(whole.sum()), np.int64)
    for column, size in zip(columns, sizes, strict=True):
        row = row * size + rounds.x[whole, column]
    worst, best = graph.span
    number = worst + rounds.y[whole].astype(np.float64) * (best - worst)
    times = np.ones(len(row)) if rounds.times is None else rounds.times[whole].astype(np.float64)
    sums = [np.bincount(row, times * number**k, minlength=math.prod(sizes)).reshape(sizes) for k in range(3)]
    return RowSums(*(np.asarray(part, np.float64) for part in sums))


def _scores(worlds: Worlds) -> Floats:  # float[L, A]
    """The means as learners have them: on a scale on which more is better, and of which a success uses 0 to 1."""
    worst, best = worlds.problem.graph.span
    return np.asarray((worlds.means - worst) / (best - worst))


def _without_number_causes(problem: Problem, given: Mapping[str, ArrayLike]) -> tuple[Problem, Mapping[str, ArrayLike]]:
    """The problem in which no number causes a limited outcome, and its tables: drawn tables cannot depend on a number.

    A number hands its causes on to its effect, so that actions matter for the outcome as they do for the number.
    """
    for name in (limit.variable for limit in problem.limits if number_causes(problem.graph, limit.variable)):
        own = {n: np.asarray(table, np.float64) for n, table in given.items()}
        given, _ = tables_summed_out(problem.graph, name, own, {})
        graphs = problem.graphs.each(partial(summed_out, outcome=name))
        problem = replace(problem, law=None).by(graphs)
    return problem, given


def _known_from_law(problem: Problem, known: Container[str]) -> dict[str, Floats]:
    """The tables that follow from the law of the reward's parents; none where all its variables are `known`."""
    law, graph = problem.law, problem.graph
    if law is None or all(name in known for name in graph.ancestors(law.parents)):
        return {}
    return law.tables()


def _differences(means: Floats) -> Floats:  # float[L]
    """The advantage of the best action over the average one."""
    return np.asarray(means.max(axis=1) - means.mean(axis=1))


def _is_best(means: Floats, action: int) -> NDArray[np.bool_]:  # bool[L]
    """In which lanes no action is better than this one."""
    return np.asarray(means[:, action] >= means.max(axis=1) - _EQUAL)


def with_difference(prior: Prior, difference: float) -> Prior:
    """The prior with its worlds chosen so that the best action exceeds the average one by `difference`, on average.

    Both in the reward's own unit. If worlds are mostly less different, those below the difference are kept the more
    seldom the farther they are below it, and those above it always; if they are mostly more different, the other way
    round. How much more seldom is found by bisection, on worlds drawn with a fixed seed.
    """
    worst, best = prior.problem.graph.span
    unit = abs(best - worst)
    difference /= unit
    found = _differences(_scores(prior.worlds(prior._looked_at, np.random.default_rng(0))))
    way = 1.0 if found.mean() < difference else -1.0
    if (way * found >= way * difference).mean() < _RAREST:
        often = np.quantile(found, (_RAREST, 1 - _RAREST))
        raise BestdoError(
            f"of the worlds that agree with this graph, 99 in 100 have a best action that is better than the average one by "
            f"{unit * often[0]:.2g} to {unit * often[1]:.2g}: such worlds cannot be chosen so that it is "
            f"{unit * difference:g} on average"
        )

    def excess(tilt: float) -> float:
        kept = np.exp(np.minimum(way * tilt * (found - difference), 0.0))
        return way * (float((kept * found).sum() / kept.sum()) - difference)

    low, high = 0.0, _STEEPEST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return replace(prior, tilt=way * high, difference=difference)
