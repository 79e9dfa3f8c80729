"""The contents of the columns of a table: labels and their counts, numbers and their spread, dates, missing values.

The table is read once, in parts, by Polars; of each column no more is kept than its most frequent labels and a sample of its
numbers, so that it may be larger than memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.number import LARGEST
from bestdo.data.labels import as_text
from bestdo.data.optional_libraries import for_data
from bestdo.errors import BestdoError, shown

__all__ = ["MOST_LABELS", "ColumnProfile", "TableProfile", "profile"]

MOST_LABELS = 200
"""The most different texts of a column that are taken for labels; one with more holds free text. Chosen, not measured."""
_ROWS_AT_ONCE, _COLUMNS_AT_ONCE = 2**19, 8
"""Rows and columns that are looked at together. They limit memory: a million rows of 37 columns of text in Parquet take
2.6 s and 320 MB, with all columns at once 1.5 s and 710 MB."""
_NUMBERS_KEPT = 100_000
"""Different numbers of each part of a column that are kept, evenly through their order: quantiles are right to 1e-5."""
_MOSTLY = 0.9
"""The share of what is there that must be numbers, or dates, for a column of numbers or dates. Chosen, not measured."""
_FEW_LABELS = 12
"""Different values, some of them no numbers, up to which a column holds labels although most of them are numbers."""
_ODD_KEPT = 50
"""Different texts that are kept of those in a column of numbers that are none."""
_ABSENT = ("", "na", "n/a", "#n/a", "nan")
_NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?$"
_CODE = re.compile(r"0\d+")
_DATE = r"^(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})([ T].*)?$|^\d{1,2}:\d{2}(:\d{2})?$"


@dataclass(frozen=True)
class ColumnProfile:
    """The contents of a column."""

    name: str
    rows: int
    missing: int
    """Rows in which the value is missing."""
    empty: int = field(default=0, kw_only=True)
    """The missing rows in which the cell is empty, and does not say NA."""
    labels: Mapping[str, int] = field(default_factory=dict)
    """The labels, as they are written most often, and the number of rows of each; empty where there are too many."""
    numbers: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """The column's numbers in increasing order, each once; a sample where there are very many."""
    times: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """The number of rows with each of the numbers."""
    odd: Mapping[str, int] = field(default_factory=dict)
    """The most frequent texts that are no numbers, and in how many rows they stand."""
    dates: int = 0
    """Rows with a date or a time."""
    unique: bool = False
    """Whether every row has another value."""

    @property
    def seen(self) -> int:
        """Rows in which a value is there."""
        return self.rows - self.missing

    @property
    def kind(self) -> str:
        """The kind of column: "labels", "numbers", "dates", "texts" (too many to be labels) or "nothing"."""
        if not self.seen:
            return "nothing"
        if self.dates >= _MOSTLY * self.seen:
            return "dates"
        if self.times.sum() >= _MOSTLY * self.seen and not (self.odd and 0 < len(self.labels) <= _FEW_LABELS):
            return "numbers"
        return "labels" if 0 < len(self.labels) <= MOST_LABELS else "texts"

    @property
    def is_codes(self) -> bool:
        """Whether its numbers are labels that must stay apart: some begin with 0, as 01067, or few have equals."""
        padded = len(self.labels) <= MOST_LABELS and any(map(_CODE.fullmatch, self.labels))
        return padded or (len(self.labels) <= _FEW_LABELS and bool(self.equals))

    @property
    def equals(self) -> tuple[str, ...]:
        """The first of its labels that are the same number, as 8.1 and 8.10; none where all differ."""
        alike: dict[float, list[str]] = {}
        for text in sorted(self.labels):
            if (number := _as_number(text)) is not None:
                alike.setdefault(number, []).append(text)
        return next((tuple(texts) for texts in alike.values() if len(texts) > 1), ())

    def below(self, border: float) -> float:
        """The share of the numbers that are below a border."""
        total = float(self.times.sum())
        return float(self.times[self.numbers < border].sum()) / total if total else 0.0

    def quantile(self, share: float) -> float:
        """The smallest number that at least this share of the numbers does not exceed."""
        up_to = np.cumsum(self.times)
        return float(self.numbers[min(int(np.searchsorted(up_to, share * up_to[-1])), len(self.numbers) - 1)])

    def without(self, missing: Collection[str]) -> ColumnProfile:
        """The column where these texts and numbers stand for missing values."""
        texts = {text.casefold() for text in missing}
        codes = [n for text in missing if (n := _as_number(text)) is not None]
        gone = np.isin(self.numbers, codes)
        more = int(self.times[gone].sum()) + sum(n for text, n in self.odd.items() if text.casefold() in texts)
        return self if not more else replace(
            self,
            missing=self.missing + more,
            labels={t: n for t, n in self.labels.items() if t.casefold() not in texts and _as_number(t) not in codes},
            numbers=self.numbers[~gone],
            times=self.times[~gone],
            odd={t: n for t, n in self.odd.items() if t.casefold() not in texts},
        )  # fmt: skip

    def renamed(self, same: Mapping[str, str | tuple[str, ...]]) -> ColumnProfile:
        """The column where texts are the values that they mean; numbers stay as they are unless all mean something."""
        meant = {text.casefold(): value for text, value in same.items() if isinstance(value, str)}
        empty = meant.pop("", "") if self.empty else ""
        if len(self.labels) != 1 and empty.casefold() not in map(str.casefold, self.labels):
            empty = ""  # empty cells of other columns are missing
        known = [label for label in self.labels if label.casefold() in meant]
        numbers = self.kind == "numbers" and not self.is_codes
        if not (known or empty) or (numbers and not empty and len(known) < len(self.labels)):
            return self
        labels = Counter[str]()
        for label, times in self.labels.items():
            labels[meant.get(label.casefold(), label)] += times
        column = self
        if empty:
            labels[empty] += self.empty
            column = replace(self, missing=self.missing - self.empty, empty=0)
        return replace(column, labels=_merged(labels), odd=dict(labels), numbers=np.zeros(0), times=np.zeros(0))


@dataclass(frozen=True)
class TableProfile:
    """The contents of a table."""

    name: str
    """The table as messages call it."""
    rows: int
    columns: tuple[ColumnProfile, ...]

    def column(self, name: str) -> ColumnProfile:
        """The column of that name."""
        return next(c for c in self.columns if c.name == name)


def profile(frame: Any, name: str) -> TableProfile:
    """The contents of each column of a frame (narwhals, of any engine)."""
    pl = for_data("polars")
    columns = [_Column(c, dtype) for c, dtype in frame.collect_schema().items()]
    rows = 0
    for first in range(0, len(columns), _COLUMNS_AT_ONCE):
        some = columns[first : first + _COLUMNS_AT_ONCE]
        rows = 0
        try:
            for part in _parts(frame.select([column.name for column in some])):
                rows += len(part)
                for column in some:
                    column.add(part[column.name], pl)
        except pl.exceptions.PolarsError as error:
            text = (str(error).strip() or type(error).__name__).splitlines()[0][:300]
            raise BestdoError(f"{shown(name, 300)} cannot be read: {text}") from None
    return TableProfile(name, rows, tuple(column.profile(rows) for column in columns))


def _parts(frame: Any) -> Iterator[Any]:
    """The frame in parts, each a DataFrame of Polars."""
    nw = for_data("narwhals")
    if isinstance(frame, nw.LazyFrame) and frame.implementation.is_polars():
        yield from nw.to_native(frame).collect_batches(chunk_size=_ROWS_AT_ONCE)
        return
    whole = frame.collect(backend="polars") if isinstance(frame, nw.LazyFrame) else frame
    native = whole.to_polars()
    for first in range(0, len(native), _ROWS_AT_ONCE):
        yield native[first : first + _ROWS_AT_ONCE]


class _Column:
    """Adds up what the parts of a column hold."""

    def __init__(self, name: str, dtype: Any) -> None:
        nw = for_data("narwhals")
        self.name = name
        self.dated = dtype in (nw.Date, nw.Datetime, nw.Time, nw.Duration)
        self.numeric = dtype.is_numeric() and dtype != nw.Decimal
        self.nested = dtype in (nw.List, nw.Struct, nw.Array)
        self.missing = self.empty = self.dates = 0
        self.unique = True
        self.labels: Counter[str] | None = Counter()
        self.odd: Counter[str] = Counter()
        self.numbers: list[NDArray[np.float64]] = []
        self.times: list[NDArray[np.float64]] = []

    def add(self, part: Any, pl: Any) -> None:
        """Adds a part of the column: a Series of Polars."""
        if self.dated or self.nested:
            self.missing += part.null_count()
            self.dates += (len(part) - part.null_count()) * self.dated
            self.labels = None
            return
        counts = part.alias("value").value_counts(name="times")
        if self.numeric:
            self._add_numbers(counts, pl)
        else:
            self._add_texts(counts, pl)
        self.unique = self.unique and bool((counts["times"] == 1).all())

    def _add_numbers(self, counts: Any, pl: Any) -> None:
        """Adds the numbers of a part, each with how often it occurs."""
        value = pl.col("value").cast(pl.Float64)
        gone = value.is_null() | value.is_nan()
        self.missing += int(counts.filter(gone)["times"].sum())
        self.empty = self.missing
        there = counts.filter(~gone).select(value, "times")
        self._count_labels(there)
        self._keep(there.filter(pl.col("value").abs() <= LARGEST))
        self._keep_odd(there.filter(pl.col("value").abs() > LARGEST).select(pl.col("value").cast(pl.String), "times"))

    def _add_texts(self, counts: Any, pl: Any) -> None:
        """Adds the texts of a part: those that are numbers, and the others."""
        text = pl.col("value").cast(pl.String).str.replace_all("\u00a0", " ").str.strip_chars()
        counts = counts.select(text, "times").group_by("value").agg(pl.col("times").sum())
        lower = pl.col("value").str.to_lowercase()
        gone = lower.is_null() | lower.is_in(_ABSENT)
        self.missing += int(counts.filter(gone)["times"].sum())
        self.empty += int(counts.filter(lower.is_null() | (lower == ""))["times"].sum())
        there = counts.filter(~gone)
        self._count_labels(there)
        number = pl.col("value").str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
        is_number = pl.col("value").str.contains(_NUMBER) & (number.abs() <= LARGEST)
        self.dates += int(there.filter(pl.col("value").str.contains(_DATE))["times"].sum())
        self._keep(there.filter(is_number).select(number, "times"))
        self._keep_odd(there.filter(~is_number.fill_null(False)))

    def _keep_odd(self, texts: Any) -> None:
        """Keeps the most frequent texts that are no numbers."""
        self.odd.update(dict(texts.sort("times", "value", descending=[True, False]).head(_ODD_KEPT).iter_rows()))

    def _count_labels(self, there: Any) -> None:
        """Counts what is there, until it is too much."""
        if self.labels is None or len(there) > 4 * MOST_LABELS:  # a label may be written in several ways
            self.labels = None
            return
        for raw, times in there.iter_rows():
            self.labels[as_text(raw)] += times
        if len(self.labels) > 4 * MOST_LABELS:
            self.labels = None

    def _keep(self, numbers: Any) -> None:
        """Keeps the numbers with how often they occur, evenly sampled where they are very many."""
        numbers = numbers.sort("value")
        step = -(-len(numbers) // _NUMBERS_KEPT) or 1
        self.numbers.append(numbers["value"].to_numpy()[::step])
        self.times.append(np.add.reduceat(numbers["times"].to_numpy(), np.arange(0, len(numbers), step)).astype(float))

    def profile(self, rows: int) -> ColumnProfile:
        """The contents of all parts."""
        seen = rows - self.missing
        numbers, which = np.unique(np.concatenate([*self.numbers, np.zeros(0)]), return_inverse=True)
        times = np.bincount(which, np.concatenate([*self.times, np.zeros(0)]), len(numbers)).astype(float)
        labels = {} if self.labels is None else _merged(self.labels)
        unique = seen > 1 and (len(labels) == seen if labels else self.unique and not self.dated)
        fields = (self.name, rows, self.missing, labels, numbers, times, dict(self.odd), self.dates, unique)
        return ColumnProfile(*fields, empty=self.empty)


def _merged(labels: Mapping[str, int]) -> dict[str, int]:
    """The labels, those that differ in capitals alone counted as one, as it is written most often."""
    forms: dict[str, str] = {}
    total: Counter[str] = Counter()
    for label, times in sorted(labels.items(), key=lambda item: (-item[1], item[0])):
        total[forms.setdefault(label.casefold(), label)] += times
    return dict(total)


def _as_number(text: str) -> float | None:
    """The number that a text shows; None where it shows none."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
