"""A graph with its conditional tables: exact distributions, means and samples under any intervention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestdo.arguments import mapping, of_type
from bestdo.arrays import Floats
from bestdo.causal import sampling, to_libraries
from bestdo.causal.action import Actions, Intervention, check_intervention, states
from bestdo.causal.action import do as do_
from bestdo.causal.contexts import checked_first
from bestdo.causal.graph import Graph
from bestdo.causal.inference import MOST_NUMBERS, Factor, contract, derivatives
from bestdo.causal.law import ParentLaw
from bestdo.causal.outcome import Outcome
from bestdo.errors import GraphError, TableError, TooLarge, shown
from bestdo.text import counted

__all__ = ["Model"]


_SUM_TOLERANCE = 1e-5  # how far a row's sum may be from 1: files are often written with six digits
_EXACT = 1e-12  # how far it may be before the row is divided by its sum: what rounding in double precision explains
_MOST_CELLS = 2**26  # the most numbers in one table: 512 MB, a limit of memory
_MOST_AXES = 60  # the most axes of one table: numpy has at most 64
# How many times as many settings as allowed actions a set of variables may have for all of them to be computed in one
# contraction, of which the unwanted ones are then thrown away. Not measured.
_SETTINGS_PER_ACTION = 4


@dataclass(frozen=True, eq=False, init=False)
class Model:
    """A causal Bayesian network: a graph and one table per variable, P(variable | its parents).

    `tables[name]` has one axis per parent, in the order of `graph.parents[name]`, and the variable's own values last. A
    variable that is a number has an outcome in `numbers`, and the table of its one value need not be given.

    Raises TableError where a table is missing, has another shape, or a row that is no distribution.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("price -> sales", reward="sales")
    >>> model = bestdo.Model(graph, {"price": [0.5, 0.5], "sales": [[0.4, 0.6], [0.7, 0.3]]})
    >>> model.means(bestdo.Actions.single(graph)).round(2).tolist()
    [0.45, 0.6, 0.3]
    """

    graph: Graph
    tables: Mapping[str, Floats]
    numbers: Mapping[str, Outcome]

    def __init__(
        self, graph: Graph, tables: Mapping[str, ArrayLike], numbers: Mapping[str, Outcome] | None = None
    ) -> None:
        of_type("the graph of a model", graph, Graph, "Graph.parse('price -> sales')")
        mapping("tables", tables, "{'price': [0.5, 0.5]}")
        for name in [*tables, *mapping("numbers", numbers or {}, "{'yield': Outcome(mean, spread)}")]:
            graph.variable(name)
        outcomes = _outcomes(graph, numbers or {}, tables)
        tables = {**{n: np.ones((*o.mean.shape, 1)) for n, o in outcomes.items()}, **tables}
        object.__setattr__(self, "numbers", MappingProxyType(outcomes))
        missing = [n for n in graph.names if n not in tables]
        if missing:
            raise TableError(f"a model needs a table for every variable; missing: {', '.join(map(shown, missing[:8]))}")
        object.__setattr__(self, "graph", graph)
        checked = {n: checked_table(graph, n, tables[n]) for n in graph.names}
        object.__setattr__(self, "tables", MappingProxyType(checked))

    def __repr__(self) -> str:
        numbers = sum(table.size for table in self.tables.values())
        return f"Model({counted(len(self.graph.names), 'variable')}, {counted(numbers, 'number')} in its tables)"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Model)
            and self.graph == other.graph
            and all(np.array_equal(t, other.tables[n]) for n, t in self.tables.items())
            and self.numbers == other.numbers
        )

    def __hash__(self) -> int:
        return hash((self.graph, *(t.tobytes() for t in self.tables.values()), *self.numbers.values()))

    def __reduce__(self) -> tuple[object, ...]:
        return Model, (self.graph, dict(self.tables), dict(self.numbers))

    def __str__(self) -> str:
        return f"Model of {len(self.graph.names)} variables: {self.graph}"

    @cached_property
    def _single(self) -> dict[str, int]:
        """The variables with one value, each with that value's code: their axes are left out of every table."""
        return {v.name: 0 for v in self.graph.variables if len(v.values) == 1}

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return {v.name: len(v.values) for v in self.graph.variables}

    def _factors(self, of: Iterable[str], cut: Iterable[str], fixed: Mapping[str, int]) -> list[Factor]:
        """The tables of the ancestors of `of` after an intervention on `cut`, at the `fixed` values."""
        cut = set(cut)
        fixed = {**self._single, **fixed}
        factors = []
        for name in self.graph.without_arrows_into(cut).ancestors(of):
            if name in cut:
                continue
            axes = (*self.graph.parents[name], name)
            where = tuple(fixed.get(n, slice(None)) for n in axes)
            factors.append(Factor(tuple(n for n in axes if n not in fixed), self.tables[name][where], name))
        return sorted(factors, key=lambda f: f.owner)  # the same order in every run

    def distribution(
        self, of: Sequence[str], do: Intervention | None = None, given: Mapping[str, str] | None = None
    ) -> Floats:
        """P(of | do, given), exactly: float[*values of `of`], summing to 1.

        By surgery (the tables of the variables set are left out) and one contraction of the tables that matter.
        """
        do = do_() if do is None else do
        of = [of] if isinstance(of, str) else list(of)
        check_intervention(self.graph, do)
        given = {n: str(v) for n, v in (given or {}).items()}
        fixed = {n: self.graph.variable(n).code(v) for n, v in {**do, **given}.items()}
        for name in of:
            self.graph.variable(name)
        if len(set(of)) < len(of):
            raise GraphError(f"a variable is asked for twice: {', '.join(map(shown, of))}")
        for name, value in given.items():
            if do.get(name, value) != value:
                raise GraphError(f"{shown(name)} cannot be set to {shown(do[name])} and seen as {shown(value)}")
        self._check_cells(states(self.graph, of), of)
        fixed |= self._single
        free = [n for n in of if n not in fixed]
        factors = self._factors({*of, *given}, do, fixed)
        table = contract(factors, free, self._sizes)
        total = table.sum()
        if given:
            if total <= 0:
                evidence = ", ".join(f"{n}={v}" for n, v in given.items())
                raise TableError(
                    f"P({evidence} | {do}) is 0: no probability is defined given an event that never happens"
                )
            table = table / total
        full = np.zeros([self._sizes[n] for n in of])
        full[tuple(fixed.get(n, slice(None)) for n in of)] = table
        return full

    def means(self, actions: Actions) -> Floats:
        """P(reward = success | a), or the mean of the number that the reward is or is worth, exactly: float[A]."""
        reward = self.graph.reward
        if reward is None:
            raise GraphError("means need a reward: graph.rewarding(name, success)")
        self._check_actions(actions)
        self._check_known(reward)
        parts = (worth * self._mean_tables._chances(actions, reward, code) for code, worth in self.graph.rewarded.parts)
        return np.asarray(sum(parts))

    def means_of(self, actions: Actions, name: str) -> Floats:
        """The mean of a variable that is a number under each action, exactly: float[A]."""
        self._check_actions(actions)
        self._check_known(name)
        return self._mean_tables._chances(actions, name, 0)

    def _check_known(self, name: str) -> None:
        """Raises TableError for a number whose means the model has not."""
        if name in self.graph.numeric and name not in self.numbers:
            raise TableError(f"the means of {shown(name)} are not known: the model has no mean and spread of it")

    @cached_property
    def _mean_tables(self) -> Model:
        """The model in which the table of a number's one value has its means: contractions then give means."""
        if not self.numbers:
            return self
        made = object.__new__(Model)
        means = {n: o.mean[..., None] for n, o in self.numbers.items()}
        made.__dict__.update(graph=self.graph, tables={**self.tables, **means}, numbers=self.numbers)
        return made

    def _chances(self, actions: Actions, reward: str, code: int) -> Floats:
        """P(reward has this value | a) for each action: float[A]."""
        single = [i for i, a in enumerate(actions) if len(a) < 2]
        several = [i for i, a in enumerate(actions) if len(a) > 1]
        means = np.empty(len(actions))
        try:
            means[single] = self._single_means([actions[i] for i in single], reward, code)
        except TooLarge:  # with some variables set the tables can be smaller: one set of variables at a time
            several = list(range(len(actions)))
        if several:
            means[several] = self._law(Actions(self.graph, [actions[i] for i in several]), [reward])[:, code]
        return means

    def _single_means(self, actions: Sequence[Intervention], reward: str, code: int) -> list[float]:
        """The means of do() and of actions that set one variable, all at once.

        P(success) is linear in each variable's table, so its derivative by P(x | parents), summed over the parents, is
        P(success) when the variable is set to x.
        """
        factors = self._factors([reward], (), {reward: code})
        mean, by = derivatives(factors, self._sizes)
        after = {}
        for factor, slope in zip(factors, by, strict=True):
            name = factor.owner
            if name != reward and name not in self._single:
                after[name] = slope.sum(axis=tuple(range(slope.ndim - 1)))
        return [
            next((float(after[n][self.graph.variable(n).code(v)]) for n, v in a.items() if n in after), mean)
            for a in actions
        ]

    def means_given(self, actions: Actions, first: Sequence[str]) -> tuple[Floats, Floats]:  # float[C, A] and float[C]
        """The mean of the reward under each action in each context, as `means` has it, and how often each context occurs.

        A context is a state of the variables `first`, which the actions must not cause; the last of them varies fastest. The
        mean is NaN in a context that never occurs. Actions that set the same variables share one contraction.
        """
        reward = self.graph.reward
        if reward is None:
            raise GraphError("means need a reward: graph.rewarding(name, success)")
        self._check_actions(actions)
        checked_first(self.graph, actions, first)
        chance = self.distribution(first).reshape(-1)
        parts = self.graph.rewarded.parts
        sums = np.asarray(sum(w * self._mean_tables._sums_given(actions, reward, code, first) for code, w in parts))
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums.T / chance[:, None], chance

    def _sums_given(self, actions: Actions, reward: str, code: int, first: Sequence[str]) -> Floats:  # float[A, C]
        """P(reward has this value, first | a) for each action."""
        contexts = states(self.graph, first)
        self._check_cells(len(actions) * contexts, first)
        result = np.zeros([len(actions), *(self._sizes[n] for n in first)])
        of = [reward, *first]
        for names, rows in self._by_causes(actions, of).items():
            few = states(self.graph, names) > _SETTINGS_PER_ACTION * len(rows)  # then each by itself
            for part in [[i] for i in rows] if few else [rows]:
                codes = [self._codes(actions[i], sorted(names)) for i in part]
                fixed = {reward: code, **(codes[0] if few else {})}
                factors = self._factors(of, names, fixed)
                active = [n for n in sorted(names) if n not in fixed and any(n in f.names for f in factors)]
                free = [n for n in first if n not in self._single]
                table = contract(factors, [*active, *free], self._sizes)
                for i, set_ in zip(part, codes, strict=True):
                    result[i] = table[tuple(set_[n] for n in active)].reshape(result.shape[1:])
        return result.reshape(len(actions), contexts)

    def _codes(self, action: Intervention, names: Iterable[str]) -> dict[str, int]:
        """The codes of the values to which an action sets some variables."""
        return {n: self.graph.variable(n).code(action[n]) for n in names}

    def _by_causes(self, actions: Actions, of: Iterable[str]) -> dict[frozenset[str], list[int]]:
        """The numbers of the actions by which causes of some variables they set."""
        causes = self.graph.ancestors(of)
        groups: dict[frozenset[str], list[int]] = {}
        for i, action in enumerate(actions):
            groups.setdefault(causes.intersection(action), []).append(i)
        return groups

    def parent_law(self, actions: Actions) -> ParentLaw:
        """P(parents of the reward | a) for each action, exactly, as a table of all their values."""
        if self.graph.reward is None:
            raise GraphError("the law of the reward's parents needs a reward: graph.rewarding(name, success)")
        return self.law_of(self.graph.parents[self.graph.reward], actions)

    def law_of(self, names: Sequence[str], actions: Actions) -> ParentLaw:
        """P(names | a) for each action, exactly; the actions may belong to a graph with more arrows than the model's."""
        own = Actions(self.graph, actions)
        return ParentLaw(actions, tuple(names), self._law(own, names))

    def _law(self, actions: Actions, of: Sequence[str]) -> Floats:  # float[A, *values of `of`]
        """P(of | a) for each action, exactly; actions that set the same causes of `of` share one contraction."""
        self._check_actions(actions)
        self._check_cells(len(actions) * states(self.graph, of), of)
        result = np.zeros([len(actions), *(self._sizes[n] for n in of)])
        for names, rows in self._by_causes(actions, of).items():
            if states(self.graph, names) > _SETTINGS_PER_ACTION * len(rows):  # few are allowed: one by one
                for i in rows:
                    result[i] = self.distribution(of, actions[i])
            else:
                self._fill(result, actions, rows, sorted(names), of)
        return result

    def _fill(self, result: Floats, actions: Actions, rows: list[int], names: list[str], of: Sequence[str]) -> None:
        """Writes P(of | a) into these rows of the result; their actions all set the variables `names`."""
        factors = self._factors(of, names, {})
        active = [n for n in names if any(n in f.names for f in factors)]
        free = [n for n in of if n not in names and n not in self._single]
        table = contract(factors, [*active, *free], self._sizes)
        for i in rows:
            code = {**self._single, **self._codes(actions[i], names)}
            result[(i, *(code.get(n, slice(None)) for n in of))] = table[tuple(code[n] for n in active)]

    def _check_actions(self, actions: Actions) -> None:
        if actions.graph is not self.graph and actions.graph != self.graph:
            raise GraphError("the actions belong to another graph than the model's")

    to_pgmpy, to_pyagrum = to_libraries.model_to_pgmpy, to_libraries.model_to_pyagrum

    def _check_cells(self, cells: int, of: Sequence[str]) -> None:
        if cells > MOST_NUMBERS:
            raise TooLarge(
                f"the joint law of {len(of)} variables under these actions has {cells:,} numbers; "
                f"at most {MOST_NUMBERS:,} fit"
            )

    def sample(self, actions: Actions, plays: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.integer]:
        """A sampled row of values for each play: int8[*shape of plays, V], in the order of `graph.names`.

        `plays` holds numbers of actions, in any shape: rounds, or lanes by rounds. The rows are int16 where a variable
        has more than 127 values.
        """
        self._check_actions(actions)
        return sampling.sample(self._columns, actions, plays, rng)

    def sample_given(self, codes: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.integer]:
        """A sampled row for each row of codes (int[R, V]), as `sample`: set to these, and drawn where they are -1."""
        return sampling.sample_given(self._columns, codes, rng)

    def draw_numbers(self, x: NDArray[np.integer], rng: np.random.Generator) -> Mapping[str, Floats]:
        """The numbers in rows of values as `sample` gives them (int[R, V]): for each variable that is a number, float[R]."""
        numbers: dict[str, Floats] = {}
        for name in self.graph.drawn_order(self.numbers):
            outcome, number = self.numbers[name], self.graph.variable(name).number
            columns = [self.graph.names.index(p) for p in self.graph.parents[name]]
            row = np.zeros(len(x), np.int64)
            for column, size in zip(columns, outcome.mean.shape, strict=True):
                row = row * size + x[:, column]
            assert number is not None
            numbers[name] = outcome.draw(row, rng, number.bounds, number.weight(numbers))
        return numbers

    @cached_property
    def _columns(self) -> sampling.Columns:
        return sampling.columns(self.graph, self.tables)


def _outcomes(graph: Graph, numbers: Mapping[str, Outcome], tables: Mapping[str, ArrayLike]) -> dict[str, Outcome]:
    """The outcomes of the variables that are numbers, checked; raises TableError where one is missing or not due.

    A number with a table of ones and no outcome is one whose means do not matter.
    """
    due = graph.numeric
    for name in numbers:
        if name not in due:
            raise TableError(f"{shown(name)} is given a mean and a spread, and it is not a number")
    missing = [n for n in due if n not in numbers and n not in tables]
    if missing:
        raise TableError(
            f"a model needs the mean and the spread of every number; missing: {', '.join(map(shown, missing))}"
        )
    variables = {n: tuple(graph.variable(p) for p in graph.parents[n]) for n in due}
    return {n: Outcome.of(graph.variable(n), variables[n], numbers[n]) for n in due if n in numbers}


def checked_table(graph: Graph, name: str, table: ArrayLike) -> Floats:
    """The table as a read-only array, after checking its shape and that every row is a distribution."""
    axes = (*graph.parents[name], name)
    cells = states(graph, axes)
    if cells > _MOST_CELLS or len(axes) > _MOST_AXES:
        raise TooLarge(
            f"the table of {shown(name)} with {len(axes) - 1} parents would hold {cells:,} numbers on {len(axes)} axes; "
            f"at most {_MOST_CELLS:,} on {_MOST_AXES} axes fit"
        )
    try:
        array = np.array(table, np.float64)
    except (TypeError, ValueError):
        raise TableError(f"the table of {shown(name)} is not an array of numbers") from None
    shape = tuple(graph.size(n) for n in axes)
    if array.shape != shape:
        raise TableError(
            f"the table of {shown(name)} has shape {array.shape}; expected {shape}: "
            f"one axis for each of {', '.join(map(shown, axes))}"
        )
    sums = array.sum(axis=-1)
    bad = ~((array >= 0).all(axis=-1) & (np.abs(sums - 1) <= _SUM_TOLERANCE))  # NaN is bad, too
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        row = ", ".join(f"{p:g}" for p in array[where][:8])
        given = ", ".join(f"{p}={graph.variable(p).values[i]}" for p, i in zip(axes, where, strict=False))
        raise TableError(
            f"the table of {shown(name)}{' given ' + given if given else ''} is {row}, which sums to "
            f"{float(sums[where]):g}; probabilities are at least 0 and sum to 1"
        )
    if (np.abs(sums - 1) > _EXACT).any():
        array = array / sums[..., None]
    array.setflags(write=False)
    return array
