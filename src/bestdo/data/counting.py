"""Counts of what occurs together in old data, computed by the engine that holds them.

Every row becomes one number, or a few where the variables are many: the codes of its values as the digits of a number. The
engine makes the numbers and counts them; only the counts come here, so the data may be larger than memory or on a cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.old_rounds import Fingerprint, OldData, rounds_of
from bestdo.bandit.problem import Problem
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.data.frames import Column, Table, needed, opened
from bestdo.data.labels import MISSING, as_text, meaning
from bestdo.errors import BestdoError, NotValid, TooLarge, shown

__all__ = ["MOST_CELLS", "observed"]

MOST_CELLS = 1_000_000
_LARGEST = 2**62
_ROWS_AT_ONCE = 2**21
_AT_ONCE = 2**20  # cells
_NESTED = 24

Ints = NDArray[np.int64]
Lots = Iterator[tuple[Ints, Ints]]
"""Keys, int[C, K], and how often each occurs, int[C]; the same key may come again in another lot."""


def observed(
    source: object,
    problem: Problem,
    columns: Mapping[str, str] | None = None,
    statistic: Statistic | None = None,
    most: int = MOST_CELLS,
    only: Collection[str] | None = None,
) -> OldData:
    """The counts of a file or a data frame; the statistic's sums instead where more than `most` different rows occur.

    `only` names the variables that matter; the others are then missing everywhere. The reward always matters.
    """
    table = opened(source, problem.graph, columns)
    if only is not None:
        wanted = {*only, problem.graph.reward}
        table = replace(table, columns=[c for c in table.columns if c.variable.name in wanted])
    while True:
        gathered = _Gathered(table, problem, statistic, most)
        try:
            for keys, times in _lots(table, most):
                gathered.add(keys, times)
        except (BestdoError, MemoryError, KeyboardInterrupt):
            raise
        except Exception as error:  # each engine has errors of its own
            text = (str(error).strip() or type(error).__name__).splitlines()[0][:300]
            raise BestdoError(f"{shown(table.name, 300)} cannot be read: {text}") from None
        data = gathered.found()
        if not gathered.unknown.any():
            return data
        _learn(table, gathered.unknown)  # says what is wrong; or the meaning of more values is known now


# keys: the codes as digits


def _packs(columns: Sequence[Column]) -> list[list[tuple[int, int]]]:
    """For each key the columns in it, each with the worth of its digit: 0 unknown, 1 missing, 2 the first value."""
    packs: list[list[tuple[int, int]]] = [[]]
    worth = 1
    for i, column in enumerate(columns):
        base = len(column.variable.values) + 2
        if worth * base > _LARGEST:
            packs.append([])
            worth = 1
        packs[-1].append((i, worth))
        worth *= base
    return packs


def _raw(column: Column) -> Any:
    """The column as it can be compared."""
    nw = needed("narwhals")
    return nw.col(column.name).cast(nw.String) if column.text else nw.col(column.name)


def _digit(column: Column, worth: int) -> list[Any]:
    """Expressions that add up to the column's digit."""
    nw = needed("narwhals")
    null, raw = nw.col(column.name).is_null(), _raw(column)
    if column.floats:
        null = null | nw.col(column.name).is_nan()
    forms = list(column.meaning.items())
    terms = []
    for first in range(0, max(1, len(forms)), _NESTED):  # no deeper than engines like it
        term = nw.lit(0, nw.Int64)
        if first == 0:
            term = nw.when(null).then(nw.lit(worth, nw.Int64)).otherwise(term)
        for value, code in reversed(forms[first : first + _NESTED]):
            term = nw.when(raw == value).then(nw.lit((code + 2) * worth, nw.Int64)).otherwise(term)
        terms.append(term)
    return terms


def _added(terms: list[Any]) -> Any:
    """The sum, as a tree that is not deep."""
    if len(terms) == 1:
        return terms[0]
    return _added(terms[: len(terms) // 2]) + _added(terms[len(terms) // 2 :])


def _decoded(keys: Ints, columns: Sequence[Column]) -> NDArray[np.int16]:  # int16[C, columns]
    """The codes: -1 missing, -2 unknown."""
    codes = np.zeros((len(keys), len(columns)), np.int16)
    for k, pack in enumerate(_packs(columns)):
        rest = keys[:, k].copy()
        for i, _ in pack:
            rest, digit = np.divmod(rest, len(columns[i].variable.values) + 2)
            codes[:, i] = digit - 2
    return codes


# counting, by the engine


def _lots(table: Table, most: int) -> Lots:
    """The counts, in one lot where the engine can make them in one go and they fit."""
    nw = needed("narwhals")
    packs = _packs(table.columns)
    names = [f"key{k}" for k in range(len(packs))]
    made = [
        _added([t for i, worth in pack for t in _digit(table.columns[i], worth)]).alias(n)
        for n, pack in zip(names, packs, strict=True)
    ]
    frame = table.frame
    if isinstance(frame, nw.DataFrame):
        for first in range(0, len(frame), _ROWS_AT_ONCE):
            yield _counted(frame[first : first + _ROWS_AT_ONCE].select(*made), names)
        return
    keys = frame.select(*made)
    can_be = float(np.prod([len(c.variable.values) + 1.0 for c in table.columns]))
    if can_be <= most or len(_counted(keys.head(most // 8), names)[1]) <= most // 16:  # by the first rows not many
        yield _counted(keys, names)
    elif frame.implementation.is_polars():
        for batch in nw.to_native(keys).collect_batches(chunk_size=_ROWS_AT_ONCE):
            yield _counted(nw.from_native(batch), names)
    else:
        yield from _split(keys, names, packs, table.columns, most)


def _counted(keys: Any, names: list[str]) -> tuple[Ints, Ints]:
    """How often each key occurs."""
    nw = needed("narwhals")
    found = keys.group_by(*names).agg(nw.len().alias("times"))
    if isinstance(found, nw.LazyFrame):
        found = found.collect(engine="streaming") if found.implementation.is_polars() else found.collect()
    columns = [np.asarray(found[n].to_numpy(), np.int64) for n in names]
    return np.stack(columns, axis=1), np.asarray(found["times"].to_numpy(), np.int64)


def _split(keys: Any, names: list[str], packs: list[list[tuple[int, int]]], columns: list[Column], most: int) -> Lots:
    """Too many at once: the rows of each value of the first variables, one after the other."""
    nw = needed("narwhals")
    digits = [(k, worth, len(columns[i].variable.values) + 2) for k, pack in enumerate(packs) for i, worth in pack]
    todo = [(keys, 0)]
    while todo:
        part, depth = todo.pop()
        if depth == len(digits) or len(_counted(part.head(most + most // 8), names)[1]) <= most:
            yield _counted(part, names)
            continue
        k, worth, base = digits[depth]
        digit = nw.col(names[k]) // worth % base
        todo += [(part.filter(digit == d), depth + 1) for d in range(base)]


# putting the lots together


class _Gathered:
    """Cells while they are few; then a statistic's sums."""

    def __init__(self, table: Table, problem: Problem, statistic: Statistic | None, most: int) -> None:
        self.table, self.problem, self.statistic, self.most = table, problem, statistic, most
        self.unknown = np.zeros(len(table.columns), np.int64)
        self.rows = self.without_reward = self.whole = 0
        self._print = Fingerprint(problem.graph)
        self._lots: list[tuple[Ints, Ints]] = []
        self._sums: Tally | None = None
        graph = problem.graph
        self._place = [graph.names.index(c.variable.name) for c in table.columns]
        assert graph.reward is not None
        self._reward = graph.names.index(graph.reward)
        self._needed = [graph.names.index(p) for p in (*graph.parents[graph.reward], graph.reward)]

    def add(self, keys: Ints, times: Ints) -> None:
        """Takes in a lot."""
        self.rows += int(times.sum())
        self._lots.append((keys, times))
        if self._sums is not None:
            self._flush()
        elif sum(len(t) for _, t in self._lots) > 2 * self.most:
            self._merge()
            if len(self._lots[0][1]) > self.most:
                self._flush()

    def found(self) -> OldData:
        """All of it."""
        self._merge()
        if self._sums is not None or (self._lots and len(self._lots[0][1]) > self.most):
            self._flush()
        x, times = np.zeros((0, len(self.problem.graph.names)), np.int16), np.zeros(0, np.int64)
        if self._lots:
            x, times = self._taken(*self._lots[0])
            self._print.add(x, times)
        if not self._print.rows and not self.unknown.any():
            raise BestdoError(f"{shown(self.table.name, 300)} holds no row with its reward: nothing can be counted")
        notes = list(self.table.notes)
        if self.without_reward:
            notes.append(f"{self.without_reward:,} rows are left out: the reward is missing")
        notes += _said(self.table.columns)
        return OldData(x, times, self.rows, str(self._print), self.without_reward, self.whole, self._sums, tuple(notes))

    def _merge(self) -> None:
        if not self._lots:
            return
        keys = np.concatenate([k for k, _ in self._lots])
        times = np.concatenate([t for _, t in self._lots])
        order = np.lexsort(keys.T)
        keys, times = keys[order], times[order]
        if len(self._lots) > 1:
            new = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(axis=1)]) if len(keys) else np.array([], int)
            keys, times = keys[new], np.add.reduceat(times, new) if len(keys) else times
        self._lots = [(keys, times)]

    def _taken(self, keys: Ints, times: Ints) -> tuple[NDArray[np.int16], Ints]:
        """The cells that count: values that are known, with their reward."""
        codes = _decoded(keys, self.table.columns)
        self.unknown += ((codes == -2) * times[:, None]).sum(axis=0)
        x = np.full((len(keys), len(self.problem.graph.names)), MISSING, np.int16)
        x[:, self._place] = codes
        bad = (codes == -2).any(axis=1)
        rewarded = x[:, self._reward] >= 0
        self.without_reward += int(times[~bad & ~rewarded].sum())
        keep = ~bad & rewarded & (times > 0)
        x, times = x[keep], times[keep]
        self.whole += int(times[(x[:, self._needed] >= 0).all(axis=1)].sum())
        return x, times

    def _flush(self) -> None:
        if self.statistic is None:
            raise TooLarge(
                f"more than {self.most:,} different rows occur in {shown(self.table.name, 300)}: too many to be kept. "
                "In a study with a learner its sums are kept instead; or leave columns out"
            )
        if do() not in self.problem.actions:
            raise NotValid("old data are rounds of do(), and the problem does not allow the action do()")
        pieces = ((k[i : i + _AT_ONCE], t[i : i + _AT_ONCE]) for k, t in self._lots for i in range(0, len(t), _AT_ONCE))
        for keys, times in pieces:
            x, times = self._taken(keys, times)
            self._print.add(x, times)
            sums = self.statistic.tally(rounds_of(x, times, self.problem, self.problem.actions.index(do())), 1)
            self._sums = sums if self._sums is None else self._sums.plus(sums)
        self._lots = []


# values that are not the graph's


def _said(columns: Sequence[Column]) -> list[str]:
    """What was not taken as it stands."""
    same: dict[str, list[str]] = {}
    for column in columns:
        values = column.variable.values
        said = {as_text(raw): values[code] for raw, code in column.meaning.items() if code >= 0}
        listed = [f"{raw} as {shown(value)}" for raw, value in said.items() if raw != value][:6]
        if listed:
            same.setdefault(f"taken are {', '.join(listed)}", []).append(shown(column.variable.name))
    return [f"{', '.join(names)}: {text}" for text, names in same.items()]


def _learn(table: Table, unknown: Ints) -> None:
    """The meaning of values that were not expected; an error that counts and shows the rows where they have none."""
    nw = needed("narwhals")
    wrong = []
    for column, rows in zip(table.columns, unknown, strict=True):
        if not rows:
            continue
        digit = _added(_digit(column, 1)).alias("digit")
        found = table.frame.select(nw.col(column.name), digit).filter(nw.col("digit") == 0)
        values = found.group_by(column.name).agg(nw.len().alias("times")).select(column.name)
        values = values.head(10_000)
        values = values.collect() if isinstance(values, nw.LazyFrame) else values
        new = {
            raw: code for raw in values[column.name].to_list() if (code := meaning(column.variable, raw)) is not None
        }
        if new:
            column.meaning.update({str(raw) if column.text else raw: code for raw, code in new.items()})
        else:
            wrong.append(_wrong(table, column, int(rows)))
    if wrong:
        more = f"\nand {len(wrong) - 5} more columns" if len(wrong) > 5 else ""
        raise BestdoError("\n".join(wrong[:5]) + more)


def _wrong(table: Table, column: Column, rows: int) -> str:
    """How many rows hold something else than the variable's values, and three of them."""
    nw = needed("narwhals")
    frame, numbered = table.frame, True
    if frame.implementation.is_polars():
        frame = nw.from_native(nw.to_native(frame).with_row_index("row number"))
    elif isinstance(frame, nw.DataFrame):
        frame = frame.with_row_index("row number")
    else:
        numbered = False
    digit = _added(_digit(column, 1)).alias("digit")
    kept = [nw.col("row number")] if numbered else []
    found = frame.select(*kept, nw.col(column.name), digit).filter(nw.col("digit") == 0).head(3)
    found = found.collect() if isinstance(found, nw.LazyFrame) else found
    values = [shown(v) for v in found[column.name].to_list()]
    if numbered:
        values = [f"{v} in row {r + 1:,}" for v, r in zip(values, found["row number"].to_list(), strict=True)]
    allowed = ", ".join(map(shown, column.variable.values[:12]))
    more = f" and {len(column.variable.values) - 12} more" if len(column.variable.values) > 12 else ""
    return (
        f"{shown(table.name, 300)}: {rows:,} row{'' if rows == 1 else 's'} with a value of {shown(column.variable.name)} "
        f"that the graph does not know: {', '.join(values)}{', …' if rows > len(values) else ''}; allowed: {allowed}{more}"
    )
