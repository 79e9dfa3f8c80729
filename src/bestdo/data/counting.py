"""Counts the different rows of old data, by the engine that holds the data.

Every row becomes an integer key, or several where the variables are many: the codes of its values are the digits of the
key. The engine computes the keys and counts them; only the counts come here, so the data may be larger than memory or on
a cluster. Variables that are measured in numbers are counted by what stands in their columns, and read here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.bandit.combinations import OLD_DATA_WITHOUT_WATCHING
from bestdo.bandit.old_rounds import Fingerprint, OldData, rounds_of
from bestdo.bandit.problem import Problem
from bestdo.bandit.reading import Reading
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.sums import side_by_side
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.data.experiment_column import refuse_experiment
from bestdo.data.frames import Column, Table, open_table
from bestdo.data.labels import MISSING, measured
from bestdo.data.notes_on_numbers import notes_on_numbers
from bestdo.data.optional_libraries import for_data
from bestdo.data.row_keys import comparable, digits, total
from bestdo.data.unknown_values import learn_values, notes_on_values
from bestdo.errors import BestdoError, GraphError, NotValid, TooLarge, shown
from bestdo.text import left_out

__all__ = ["MOST_CELLS", "chosen_rows", "observed"]

MOST_CELLS = 1_000_000
"""The most different rows that are kept (docs/explanation/old-data.md); beyond, only a learner's sums are. Limits memory,
and the size of a study's log. Not measured."""
_LARGEST_KEY = 2**62
"""Keys stay below this, so that they and their products fit into 64 bits in every engine."""
_ROWS_AT_ONCE = 2**21
"""Rows of a frame in memory, or of a file by Polars, that are counted at once. Limits memory; fewer are slower. Its effect
is measured by `python -m benchmarks.observe`."""
_CELLS_AT_ONCE = 2**20
"""Different rows that are summed by a statistic at once. Limits memory. Not measured."""
_SAMPLE, _FEW = 8, 16
"""The rows that decide whether to count all at once (of `most` / 8, at most `most` / 16 different): a guess that saves
a pass over the data, and costs memory where it is wrong. Not measured."""
_FEW_WRONG = 3
"""The most values that are no numbers that a message lists."""

Parts = Iterator[tuple[Ints, Ints]]
"""Counts in parts: keys, int[C, K], and how often each occurs, int[C]; a key may occur in several parts. Each column of
numbers has two keys of its own at the end: the code as a digit, and the bits of the number."""


def observed(
    source: object,
    problem: Problem,
    reading: Reading | Mapping[str, Any] | None = None,
    statistic: Statistic | None = None,
    most: int = MOST_CELLS,
    only: Collection[str] | None = None,
) -> OldData:
    """Counts the different rows of a file or a data frame; beyond `most` of them, sums by the statistic instead.

    Nobody set anything in them: a column that says what somebody did is an error, unless it is left out on purpose.
    `reading` say how the table is to be read: columns of other names, what is missing, what means the same.
    `only` names the variables that are read, beside the reward; the others are then missing in every row.
    """
    table = _opened(source, problem, reading)
    refuse_experiment(table.frame, table.unused, table.name)
    return _counted(table, problem, statistic, most, only)


def chosen_rows(source: object, problem: Problem, reading: Reading | Mapping[str, Any] | None = None) -> OldData:
    """The counts of rows in which something was chosen, whatever their other columns say of that."""
    return _counted(_opened(source, problem, reading), problem)


def _opened(source: object, problem: Problem, reading: Reading | Mapping[str, Any] | None) -> Table:
    """A table, read as the problem and a person say."""
    return open_table(source, problem.graph, problem.reading.over(Reading.of(reading)))


def _counted(
    table: Table,
    problem: Problem,
    statistic: Statistic | None = None,
    most: int = MOST_CELLS,
    only: Collection[str] | None = None,
) -> OldData:
    """The different rows of an open table and how often each occurs, or sums."""
    if only is not None:
        wanted = {*only, *problem.graph.rewarded.told}
        table = replace(table, columns=[c for c in table.columns if c.variable.name in wanted])
    while True:
        counts = _Counts(table, problem, statistic, most)
        try:
            for keys, times in _count(table, most):
                counts.add(keys, times)
        except (BestdoError, MemoryError, KeyboardInterrupt):
            raise
        except Exception as error:  # each engine has errors of its own
            text = (str(error).strip() or type(error).__name__).splitlines()[0][:300]
            raise BestdoError(f"{shown(table.name, 300)} cannot be read: {text}") from None
        data = counts.old_data()
        if not counts.unknown.any():
            return data
        learn_values(table, counts.unknown)  # adds the meaning of more values, or raises an error; then counts again


# keys: the codes as digits


def _sorted_out(columns: Sequence[Column]) -> tuple[list[tuple[int, Column]], list[tuple[int, Column]]]:
    """The columns that hold values, and those that hold numbers, each with its index."""
    parts: tuple[list[tuple[int, Column]], list[tuple[int, Column]]] = [], []
    for i, column in enumerate(columns):
        parts[column.variable.measured].append((i, column))
    return parts


def _keys(columns: Sequence[Column]) -> list[list[tuple[int, int]]]:
    """The columns in each key, by index, each with the place value of its digit.

    A digit is 0 for an unknown value, 1 for a missing one, 2 for the first value of the variable, and so on.
    """
    keys: list[list[tuple[int, int]]] = [[]]
    unit = 1
    for i, column in _sorted_out(columns)[0]:
        base = len(column.variable.values) + 2
        if unit * base > _LARGEST_KEY:
            keys.append([])
            unit = 1
        keys[-1].append((i, unit))
        unit *= base
    return [key for key in keys if key]


def _decode(keys: Ints, columns: Sequence[Column]) -> tuple[NDArray[np.int16], dict[str, Floats]]:  # int16[C, columns]
    """The codes of the values in keys, -1 missing and -2 unknown; and the numbers of the columns that have some."""
    codes = np.zeros((len(keys), len(columns)), np.int16)
    numbers = {}
    last = keys.shape[1]
    for i, column in reversed(_sorted_out(columns)[1]):
        last -= 2
        codes[:, i] = keys[:, last] - 2
        numbers[column.variable.name] = np.ascontiguousarray(keys[:, last + 1]).view(np.float64)
    for k, members in enumerate(_keys(columns)):
        rest = keys[:, k].copy()
        for i, _ in members:
            rest, digit = np.divmod(rest, len(columns[i].variable.values) + 2)
            codes[:, i] = digit - 2
    return codes, numbers


# counting, by the engine


def _count(table: Table, most: int) -> Parts:
    """Counts the rows: at once where there are certainly or probably few different ones, otherwise in parts."""
    nw = for_data("narwhals")
    members = _keys(table.columns)
    names = [f"key{k}" for k in range(len(members))]
    expressions = [
        total([t for i, unit in key for t in digits(table.columns[i], unit)]).alias(n)
        for n, key in zip(names, members, strict=True)
    ]
    raw = {f"raw{i}": column for i, column in _sorted_out(table.columns)[1]}
    expressions += [(comparable(column) if column.text else nw.col(column.name)).alias(n) for n, column in raw.items()]
    frame = table.frame

    def counted(part: Any) -> tuple[Ints, Ints]:
        return _count_keys(part, names, raw, table.name)

    if isinstance(frame, nw.DataFrame):
        for first in range(0, len(frame), _ROWS_AT_ONCE):
            yield counted(frame[first : first + _ROWS_AT_ONCE].select(*expressions))
        return
    keys = frame.select(*expressions)
    possible = math.inf if raw else float(np.prod([len(c.variable.values) + 1.0 for c in table.columns]))
    if possible <= most or len(counted(keys.head(most // _SAMPLE))[1]) <= most // _FEW:
        yield counted(keys)
    elif frame.implementation.is_polars():
        for batch in nw.to_native(keys).collect_batches(chunk_size=_ROWS_AT_ONCE):
            yield counted(nw.from_native(batch))
    else:
        yield from _split(keys, names, members, table.columns, most, counted)


def _count_keys(keys: Any, names: list[str], raw: Mapping[str, Column], name: str) -> tuple[Ints, Ints]:
    """The different keys, and how often each occurs; raises an error for what is no number in a column of numbers."""
    nw = for_data("narwhals")
    counts = keys.group_by(*names, *raw).agg(nw.len().alias("times"))
    if isinstance(counts, nw.LazyFrame):
        counts = counts.collect(engine="streaming") if counts.implementation.is_polars() else counts.collect()
    columns = [np.asarray(counts[n].to_numpy(), np.int64) for n in names]
    times = np.asarray(counts["times"].to_numpy(), np.int64)
    for n, column in raw.items():
        columns += _measured(column, counts[n].to_list(), times, name)
    return np.stack(columns, axis=1), times


def _measured(column: Column, values: list[Any], times: Ints, name: str) -> tuple[Ints, Ints]:
    """The digits of the codes of what stands in a column of numbers, and the bits of the numbers."""
    read: dict[Any, tuple[int, float]] = {}
    wrong: dict[Any, str] = {}
    for value in values:
        if value not in read and value not in wrong:
            try:
                read[value] = measured(column.variable, value, column.reading)
            except GraphError as error:
                wrong[value] = str(error)
    if wrong:
        rows = int(sum(often for value, often in zip(values, times.tolist(), strict=True) if value in wrong))
        more = ", …" if len(wrong) > _FEW_WRONG else ""
        listed = "; ".join(list(wrong.values())[:_FEW_WRONG])
        percent = any(isinstance(value, str) and value.strip().endswith("%") for value in wrong)
        hint = "write 16.7 % as 0.167" if percent else "--missing TEXT says what stands for a missing value"
        said = f"{rows:,} row{'' if rows == 1 else 's'} cannot be taken: {listed}{more} ({hint})"
        raise BestdoError(f"{shown(name, 300)}: {said}")
    codes = np.array([read[value][0] for value in values], np.int64)
    numbers = np.array([read[value][1] for value in values], np.float64)
    return codes + 2, numbers.view(np.int64)


def _split(
    keys: Any,
    names: list[str],
    members: list[list[tuple[int, int]]],
    columns: list[Column],
    most: int,
    counted: Callable[[Any], tuple[Ints, Ints]],
) -> Parts:
    """Counts the rows of each value of the first variables, one after the other, as few variables as necessary."""
    nw = for_data("narwhals")
    digits = [(k, unit, len(columns[i].variable.values) + 2) for k, key in enumerate(members) for i, unit in key]
    todo = [(keys, 0)]
    while todo:
        part, depth = todo.pop()
        if depth == len(digits) or len(counted(part.head(most + most // _SAMPLE))[1]) <= most:
            yield counted(part)
            continue
        k, unit, base = digits[depth]
        digit = nw.col(names[k]) // unit % base
        todo += [(part.filter(digit == d), depth + 1) for d in range(base)]


# adding up the parts


class _Counts:
    """Adds up the counts of all parts: cells while there are few; beyond `most`, the sums of a statistic."""

    def __init__(self, table: Table, problem: Problem, statistic: Statistic | None, most: int) -> None:
        self.table, self.problem, self.statistic, self.most = table, problem, statistic, most
        self.unknown = np.zeros(len(table.columns), np.int64)  # int[columns]: rows with an unknown value
        self.rows = self.without_reward = self.whole = 0
        self._fingerprint = Fingerprint(problem.graph)
        self._parts: list[tuple[Ints, Ints]] = []
        self._sums: Tally | None = None
        graph = problem.graph
        self._place = [graph.names.index(c.variable.name) for c in table.columns]
        assert graph.reward is not None
        self._rewarded = [graph.names.index(name) for name in graph.rewarded.told]
        self._needed = [graph.names.index(p) for p in (*graph.parents[graph.reward], graph.reward)]

    def add(self, keys: Ints, times: Ints) -> None:
        """Adds the counts of a part."""
        self.rows += int(times.sum())
        self._parts.append((keys, times))
        if self._sums is not None:
            self._add_to_sums()
        elif sum(len(t) for _, t in self._parts) > 2 * self.most:
            self._merge()
            if len(self._parts[0][1]) > self.most:
                self._add_to_sums()

    def old_data(self) -> OldData:
        """The old data that all parts make."""
        self._merge()
        if self._sums is not None or (self._parts and len(self._parts[0][1]) > self.most):
            self._add_to_sums()
        x, times = np.zeros((0, len(self.problem.graph.names)), np.int16), np.zeros(0, np.int64)
        numbers: dict[str, Floats] = {}
        if self._parts:
            x, times, numbers = self._usable_cells(*self._parts[0])
            self._fingerprint.add(x, times, numbers)
        if not self._fingerprint.rows and not self.unknown.any():
            raise BestdoError(f"{shown(self.table.name, 300)} holds no row with its reward: nothing can be counted")
        notes = list(self.table.notes)
        if self.without_reward:
            notes.append(f"{left_out(self.without_reward)}: the reward is missing")
        notes += notes_on_values(self.table.columns)
        notes += notes_on_numbers(self.table, numbers, times)
        return OldData(
            x,
            times,
            self.rows,
            str(self._fingerprint),
            self.without_reward,
            self.whole,
            self._sums,
            tuple(notes),
            numbers,
        )

    def _merge(self) -> None:
        """Makes one part of all parts, in which each key occurs once."""
        if not self._parts:
            return
        keys = np.concatenate([k for k, _ in self._parts])
        times = np.concatenate([t for _, t in self._parts])
        order = np.lexsort(keys.T)
        keys, times = keys[order], times[order]
        if len(self._parts) > 1:
            new = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(axis=1)]) if len(keys) else np.array([], int)
            keys, times = keys[new], np.add.reduceat(times, new) if len(keys) else times
        self._parts = [(keys, times)]

    def _usable_cells(self, keys: Ints, times: Ints) -> tuple[NDArray[np.int16], Ints, dict[str, Floats]]:
        """The cells without unknown values and with a reward, how often each occurs, their numbers; others are counted."""
        codes, numbers = _decode(keys, self.table.columns)
        self.unknown += ((codes == -2) * times[:, None]).sum(axis=0)
        x = np.full((len(keys), len(self.problem.graph.names)), MISSING, np.int16)
        x[:, self._place] = codes
        bad = (codes == -2).any(axis=1)
        rewarded = (x[:, self._rewarded] >= 0).all(axis=1)
        self.without_reward += int(times[~bad & ~rewarded].sum())
        keep = ~bad & rewarded & (times > 0)
        x, times = x[keep], times[keep]
        self.whole += int(times[(x[:, self._needed] >= 0).all(axis=1)].sum())
        return x, times, {name: column[keep] for name, column in numbers.items()}

    def _add_to_sums(self) -> None:
        """Adds all parts to the statistic's sums, and forgets them."""
        if self.statistic is None:
            raise TooLarge(
                f"more than {self.most:,} different rows occur in {shown(self.table.name, 300)}: too many to be kept. "
                "In a study with a learner its sums are kept instead; or leave columns out"
            )
        if do() not in self.problem.actions:
            raise NotValid(OLD_DATA_WITHOUT_WATCHING.why("problem"))
        step = _CELLS_AT_ONCE
        pieces = ((k[i : i + step], t[i : i + step]) for k, t in self._parts for i in range(0, len(t), step))
        for keys, times in pieces:
            x, times, numbers = self._usable_cells(keys, times)
            self._fingerprint.add(x, times, numbers)
            action = self.problem.actions.index(do())
            sums = side_by_side(self.statistic.tally(rounds_of(x, times, self.problem, action, numbers), 1))
            self._sums = sums if self._sums is None else self._sums.plus(sums)
        self._parts = []
