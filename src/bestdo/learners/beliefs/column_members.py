"""The prior belief about a regression on columns: an average over members, weighed by how well each foretold the rounds.

A member says which columns matter, and by how much: none; one cause or two, in any way; all causes; all causes and one column
more than the others; all causes and products of two. All are normal given the variance of a round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.learners.beliefs.column_design import Design

__all__ = ["MemberArrays", "Members"]

_NONE, _ONE, _TWO = 0.04, 0.22, 0.12
"""The prior probabilities that no cause matters, one does in any way, two do; shared evenly by the causes and pairs."""
_MAIN, _OUTLIER, _PAIRED = 0.24, 0.08, 0.3
"""The prior probabilities that all causes matter, that one column does more than the others, and that products do, too."""
_WORTH = {0.03: 0.04, 0.3: 0.12, 1.5: 0.28, 8.0: 0.26, 40.0: 0.16, 200.0: 0.09, 1000.0: 0.05}
"""The rounds that the prior of a row of one cause or two may be worth, each with its probability."""
_SCALES = {0.02: 0.1, 0.06: 0.25, 0.2: 0.35, 0.6: 0.2, 2.0: 0.1}
"""The spreads of main effects, in spreads of a round."""
_PAIR_SCALES = {
    (0.02, 0.02): 0.15,
    (0.06, 0.03): 0.15,
    (0.06, 0.06): 0.15,
    (0.2, 0.06): 0.2,
    (0.2, 0.2): 0.2,
    (0.6, 0.3): 0.1,
    (2.0, 1.0): 0.05,
}
"""The spreads of main effects and of products of two."""
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

    log_none: ClassVar[float] = math.log(_NONE)
    """The log prior probability that nothing matters."""
    prior_rounds: ClassVar[float] = 4.0
    """The rounds that the prior of the variance of a number is worth."""
    wide: ClassVar[float] = _WIDE
    """The spread of a column that matters more than the others."""
    constant: ClassVar[float] = _CONSTANT
    """The spread of the constant."""

    @cached_property
    def normal(self) -> list[_Normal]:
        """The normal members."""
        main, size = self.design.main, self.design.size
        paired = size > main
        part = 1.0 if paired else 1 + _PAIRED / (_MAIN + _OUTLIER)
        found = []
        for scale, chance in _SCALES.items():
            precision = np.full(main, scale**-2.0)
            precision[0] = _CONSTANT**-2
            outliers = np.log(_OUTLIER * part * chance / (main - 1)) if scale < _WIDE / 2 and main > 1 else -np.inf
            found.append(_normal(main, precision, _MAIN * part * chance, float(outliers)))
        for (scale, of_pair), chance in _PAIR_SCALES.items() if paired else ():
            precision = np.where(self.design.is_pair, of_pair**-2.0, scale**-2.0)
            precision[0] = _CONSTANT**-2
            found.append(_normal(size, precision, _PAIRED * chance, -math.inf))
        return found

    @cached_property
    def _log_sets(self) -> Floats:  # float[T, C]
        """The log prior probability of each table of one cause or two, with each worth of the prior."""
        causes = self.design.row_sets.causes
        twos = int((causes == 2).sum())
        each = np.where(causes == 1, _ONE / max(1, (causes == 1).sum()), _TWO / max(1, twos))
        each = each * (1 if twos else 1 + _TWO / _ONE)
        return np.asarray(np.log(each)[:, None] + np.log(list(_WORTH.values())))

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
            np.array(list(_WORTH)),
            many,
            np.searchsorted(row, np.arange(len(sets.set_of) + 1)),
            column,
            sets.row[row, column],
        )
