"""The prior belief about a regression on columns: an average over members, weighed by how well each foretold the rounds.

A member says which columns matter, and by how much: none; one cause or two, in any way; all causes; all causes and one column
more than the others; all causes and products of two. All are normal given the variance of a round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.learners.beliefs.column_design import Design

__all__ = ["MemberArrays", "Members"]

_NONE, _ONE, _TWO = 0.04, 0.3, 0.16
"""The prior probabilities that no cause matters, one does in any way, two do; shared evenly by the causes and pairs."""
_MAIN, _OUTLIER, _PAIRED = 0.25, 0.08, 0.17
"""The prior probabilities that all causes matter, that one column does more than the others, and that products do, too."""


class _Chances(NamedTuple):
    """The prior probabilities of the kinds of members, as above."""

    none: float
    one: float
    two: float
    main: float
    outlier: float
    paired: float


_USUAL = _Chances(_NONE, _ONE, _TWO, _MAIN, _OUTLIER, _PAIRED)
_IN_CONTEXTS = _Chances(none=0.002, one=0.05, two=0.028, main=0.1, outlier=0.02, paired=0.8)
"""Where something is seen first, it is asked in which contexts which action is better: of that, products alone tell.

Rounds with much noise hardly show each of them, so that their evidence is against them though their sum decides. So it is,
too, against all that is set, beside what is seen first: that nothing else matters has the chance of `none` once more.
"""


class _Spreads(NamedTuple):
    """The prior spreads of members, each with its probability."""

    worth: Mapping[float, float]
    """The rounds that the prior of a row of one cause or two may be worth."""
    main: Mapping[float, float]
    """The spreads of main effects, in spreads of a round."""
    paired: Mapping[tuple[float, float], float]
    """The spreads of main effects and of products of two."""
    in_contexts: Mapping[float, float]
    """The spreads of main effects, and of products with what is seen first, where something is."""


_OF_SUCCESS = _Spreads(
    {0.3: 0.12, 1.5: 0.32, 8.0: 0.26, 40.0: 0.16, 200.0: 0.09, 1000.0: 0.05},
    {0.02: 0.1, 0.06: 0.25, 0.2: 0.4, 0.6: 0.25},
    {
        (0.02, 0.02): 0.15,
        (0.06, 0.03): 0.15,
        (0.06, 0.06): 0.15,
        (0.2, 0.06): 0.2,
        (0.2, 0.2): 0.2,
        (0.6, 0.3): 0.15,
    },
    {0.0075: 0.1, 0.015: 0.15, 0.03: 0.15, 0.06: 0.15, 0.12: 0.15, 0.25: 0.15, 0.5: 0.15},
)
_OF_NUMBER = _Spreads(
    {0.03: 0.04, **_OF_SUCCESS.worth, 1.5: 0.28},
    {**_OF_SUCCESS.main, 0.2: 0.35, 0.6: 0.2, 2.0: 0.1},
    {**_OF_SUCCESS.paired, (0.6, 0.3): 0.1, (2.0, 1.0): 0.05},
    {0.0075: 0.1, 0.015: 0.13, 0.03: 0.13, 0.06: 0.14, 0.12: 0.14, 0.25: 0.14, 0.5: 0.13, 1.5: 0.09},
)
"""A round may be the mean of many, so that causes move it by more than its spread; the chance of a success they cannot."""
_SEEN = 3.0
"""How much wider effects of what is seen first are than those of what is set: they choose nothing, and are often larger."""
_TWO_SET = 0.5
"""How much narrower products of two things that are set are than those with what is seen first."""
_WIDE = 1.0
"""The spread of a column that matters more than the others."""
_CONSTANT = 10.0
"""The spread of the constant."""
_MANY = 5
"""The number of values from which on the rows of one cause are drawn to their own mean, not to that of the rounds."""


class _Normal(NamedTuple):
    """A normal member: a regression on the first columns, given their prior spreads."""

    columns: int
    precision: Floats
    """float[columns]: 1 / the squared prior spread of each, in spreads of a round."""
    log_prior: float
    half_log_precision: float
    """Half of the sum of the logarithms of the precisions."""
    outliers: float
    """The log prior probability that one of the columns, each alike, matters more; -inf where none may."""


def _normal(columns: int, precision: Floats, chance: float, outliers: float) -> _Normal:
    return _Normal(columns, precision, math.log(chance), 0.5 * float(np.log(precision).sum()), outliers)


class MemberArrays(NamedTuple):
    """The members as arrays: G normal ones, T tables of one cause or two with R rows in all, C worths of their priors."""

    columns: Ints
    """int[G]: the number of columns of each normal member."""
    precision: Floats
    """float[G, D]: 1 / the squared prior spread of each column."""
    log_normal: Floats
    """float[G]: the log prior probability of each normal member."""
    half_log_precision: Floats
    """float[G]: half of the sums of the logarithms of the precisions."""
    log_outlier: Floats
    """float[G]: the log prior probability that one of the columns, each alike, matters more; -inf where none may."""
    set_start: Ints
    """int[T + 1]: the first row of each table."""
    log_sets: Floats
    """float[T, C]: the log prior probability of each table with each worth."""
    worth: Floats
    """float[C]: the rounds that the prior of a row may be worth."""
    of_many: NDArray[np.uint8]
    """bool[T]: the tables of one cause of many values."""
    entry_start: Ints
    """int[R + 1]: where the columns begin that make up each row's indicator."""
    entry_column: Ints
    """The columns."""
    entry: Floats
    """The part of each of them."""


@dataclass(frozen=True)
class Members:
    """The members of a regression on the columns of a design."""

    design: Design
    number: bool
    """Whether the variance of a round is learned: that of a success follows from its chance."""
    middle: float
    """The mean that is believed before anything is seen."""
    most_variance: float
    """The variance of a round that is believed before two rewards differ."""

    prior_rounds: ClassVar[float] = 4.0
    """The rounds that the prior of the variance of a number is worth."""
    wide: ClassVar[float] = _WIDE
    """The spread of a column that matters more than the others."""
    constant: ClassVar[float] = _CONSTANT
    """The spread of the constant."""

    @property
    def log_none(self) -> float:
        """The log prior probability that nothing matters."""
        return math.log(self.chances.none)

    @property
    def chances(self) -> _Chances:
        """The prior probabilities of the kinds of members."""
        return _IN_CONTEXTS if self._in_contexts else _USUAL

    @property
    def _in_contexts(self) -> bool:
        """Whether there are products with what is seen first."""
        return bool((self.design.seen_in[self.design.is_pair] == 1).any())

    @property
    def _spreads(self) -> _Spreads:
        return _OF_NUMBER if self.number else _OF_SUCCESS

    @cached_property
    def normal(self) -> list[_Normal]:
        """The normal members."""
        main, size, given = self.design.main, self.design.size, self.chances
        paired = size > main
        part = 1.0 if paired else 1 + given.paired / (given.main + given.outlier)
        found = []
        for scale, chance in self._spreads.main.items():
            outliers = np.log(given.outlier * part * chance / (main - 1)) if scale < _WIDE / 2 and main > 1 else -np.inf
            found.append(
                _normal(main, self._precision(scale, scale)[:main], given.main * part * chance, float(outliers))
            )
        for (scale, of_pair), chance in self._of_products.items() if paired else ():
            found.append(_normal(size, self._precision(scale, of_pair), given.paired * chance, -math.inf))
        return found

    @property
    def _of_products(self) -> Mapping[tuple[float, float], float]:
        """The spreads of main effects and of products, each with its probability."""
        if not self._in_contexts:
            return self._spreads.paired
        return {(scale, scale): chance for scale, chance in self._spreads.in_contexts.items()}

    def _precision(self, scale: float, of_pair: float) -> Floats:  # float[D]
        """1 / the squared prior spread of each column, given those of main effects and of products."""
        design = self.design
        spread = np.where(design.is_pair, of_pair, scale)
        if self._in_contexts:
            of_set = np.where(design.is_pair, _TWO_SET, 1.0)
            spread = spread * np.choose(design.seen_in, [of_set, np.where(design.is_pair, 1.0, _SEEN), 1.0])
        spread[0] = _CONSTANT
        return np.asarray(spread**-2.0)

    @cached_property
    def _log_sets(self) -> Floats:  # float[T, C]
        """The log prior probability of each table of one cause or two, with each worth of the prior."""
        causes, given = self.design.row_sets.causes, self.chances
        of_seen = self.design.tables_of_seen if self._in_contexts else np.zeros(len(causes), bool)
        one, two = (causes == 1) & ~of_seen, (causes == 2) & ~of_seen
        each = np.where(one, given.one / max(1, one.sum()), given.two / max(1, two.sum()))
        each = np.where(
            of_seen, given.none / max(1, of_seen.sum()), each * (1 if two.any() else 1 + given.two / given.one)
        )
        return np.asarray(np.log(each)[:, None] + np.log(list(self._spreads.worth.values())))

    @cached_property
    def arrays(self) -> MemberArrays:
        """The members as arrays."""
        normal, sets = self.normal, self.design.row_sets
        precision = np.ones((len(normal), self.design.size))
        for k, member in enumerate(normal):
            precision[k, : member.columns] = member.precision
        row, column = (np.ascontiguousarray(part) for part in np.nonzero(sets.row))
        many = np.zeros(len(sets.causes), np.uint8)
        many[np.flatnonzero(np.array(self.design.sizes) >= _MANY)] = 1
        return MemberArrays(
            np.array([member.columns for member in normal]),
            precision,
            np.array([member.log_prior for member in normal]),
            np.array([member.half_log_precision for member in normal]),
            np.array([member.outliers for member in normal]),
            np.append(np.flatnonzero(np.diff(sets.set_of, prepend=-1)), len(sets.set_of)),
            self._log_sets,
            np.array(list(self._spreads.worth)),
            many,
            np.searchsorted(row, np.arange(len(sets.set_of) + 1)),
            column,
            sets.row[row, column],
        )
