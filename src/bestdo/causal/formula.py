"""Identification formulas: expressions in observed probabilities that print as mathematics and evaluate on counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.text import quoted

__all__ = [
    "Average",
    "Formula",
    "Marginals",
    "P",
    "Product",
    "Ratio",
    "Sum",
    "marginals_of",
    "product",
    "slopes",
    "sum_out",
    "variables",
    "variance",
]


Marginals = Callable[[tuple[str, ...]], NDArray[np.floating | np.integer]]
"""Gives the counts or probabilities of the joint values of some variables: number[*lanes, *values]."""


def marginals_of(names: Sequence[str], table: NDArray[np.floating | np.integer]) -> Marginals:
    """The marginals of one table of joint counts, number[*lanes, *values of names]."""
    lanes = table.ndim - len(names)
    axis = {n: lanes + i for i, n in enumerate(names)}

    def marginal(margin: tuple[str, ...]) -> NDArray[np.floating | np.integer]:
        """The table summed over the other variables, its axes in the order wanted."""
        summed = table.sum(axis=tuple(i for n, i in axis.items() if n not in margin))
        left = [n for n in names if n in margin]
        return np.moveaxis(summed, [lanes + left.index(n) for n in margin], range(lanes, lanes + len(margin)))

    return marginal


def _spread(names: Sequence[str], array: Floats, onto: Sequence[str]) -> Floats:
    """The array with its named axes put in the order of `onto`, and an axis of length 1 where it has none."""
    lanes = array.ndim - len(names)
    have = [n for n in onto if n in names]
    moved = np.moveaxis(array, [lanes + list(names).index(n) for n in have], range(lanes, array.ndim))
    missing = tuple(lanes + i for i, n in enumerate(onto) if n not in names)
    return np.expand_dims(moved, missing)


def _listed(names: Iterable[str], primed: frozenset[str]) -> str:
    """The names as text, separated by commas, some with a prime."""
    return ", ".join(quoted(n) + "′" * (n in primed) for n in names)


def _divide(above: Floats, below: Floats) -> Floats:
    """The quotient; NaN where the divisor is 0: nothing was counted there, so the value is not known."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below == 0, np.nan, above / below)


def _shown(formula: Formula) -> str:
    """The formula as mathematics, with all its variables free."""
    return formula.show(frozenset(formula.names), frozenset())


@final
@dataclass(frozen=True)
class P:
    """P(of | given), the observed probability when nothing is set."""

    of: tuple[str, ...]
    given: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that the value depends on, which are the axes of its table."""
        return (*self.of, *self.given)

    def evaluate(self, marginal: Marginals) -> Floats:  # float[*lanes, *values of names]
        """The table of the formula's values."""
        joint = np.asarray(marginal(self.names), np.float64)
        lanes = joint.ndim - len(self.names)
        return _divide(joint, joint.sum(axis=tuple(range(lanes, lanes + len(self.of))), keepdims=True))

    def show(self, free: frozenset[str], primed: frozenset[str]) -> str:
        """The formula as mathematics; a summed name that is also free outside the sum gets a prime inside it."""
        bar = " | " + _listed(self.given, primed) if self.given else ""
        return f"P({_listed(self.of, primed)}{bar})"

    __str__ = _shown


@final
@dataclass(frozen=True)
class Product:
    """The product of some formulas; 1 when there are none."""

    terms: tuple[Formula, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that the value depends on."""
        return tuple(dict.fromkeys(n for t in self.terms for n in t.names))

    def evaluate(self, marginal: Marginals) -> Floats:  # float[*lanes, *values of names]
        """The table of the formula's values; 0 times an unknown value (NaN) is 0."""
        names = self.names
        result, zero = np.ones([1] * len(names)), np.zeros([1] * len(names), bool)
        for term in self.terms:
            table = _spread(term.names, term.evaluate(marginal), names)
            result, zero = result * table, zero | (table == 0)
        return np.where(zero, 0.0, result)

    def show(self, free: frozenset[str], primed: frozenset[str]) -> str:
        """The expression as mathematics."""
        shown = [t.show(free, primed) for t in self.terms]
        if len(shown) > 1:
            shown = [f"[{s}]" if isinstance(t, Sum) else s for s, t in zip(shown, self.terms, strict=True)]
        return " ".join(shown) or "1"

    __str__ = _shown


@final
@dataclass(frozen=True)
class Sum:
    """A formula summed over all values of some variables."""

    over: tuple[str, ...]
    term: Formula

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that the value depends on."""
        return tuple(n for n in self.term.names if n not in self.over)

    def evaluate(self, marginal: Marginals) -> Floats:  # float[*lanes, *values of names]
        """The table of the formula's values."""
        table = self.term.evaluate(marginal)
        lanes = table.ndim - len(self.term.names)
        return np.asarray(table.sum(axis=tuple(lanes + self.term.names.index(n) for n in self.over)), np.float64)

    def show(self, free: frozenset[str], primed: frozenset[str]) -> str:
        """The expression as mathematics."""
        inside = primed - set(self.over) | (free & set(self.over))
        return f"Σ_{{{_listed(self.over, inside)}}} {self.term.show(free, inside)}"

    __str__ = _shown


@final
@dataclass(frozen=True)
class Ratio:
    """A formula divided by another."""

    above: Formula
    below: Formula

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that the value depends on."""
        return tuple(dict.fromkeys((*self.above.names, *self.below.names)))

    def evaluate(self, marginal: Marginals) -> Floats:  # float[*lanes, *values of names]
        """The table of the formula's values."""
        above, below = self.above.evaluate(marginal), self.below.evaluate(marginal)
        return _divide(_spread(self.above.names, above, self.names), _spread(self.below.names, below, self.names))

    def show(self, free: frozenset[str], primed: frozenset[str]) -> str:
        """The expression as mathematics."""
        return f"({self.above.show(free, primed)}) / ({self.below.show(free, primed)})"

    __str__ = _shown


@final
@dataclass(frozen=True)
class Average:
    """A formula whose value does not depend on the variables `over`, averaged over their observed distribution.

    On exact probabilities any one value of these variables would do. On counts the average uses all rounds, and leaves
    out the values for which the formula is not known.
    """

    over: tuple[str, ...]
    term: Formula

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that the value depends on."""
        return tuple(n for n in self.term.names if n not in self.over)

    def evaluate(self, marginal: Marginals) -> Floats:  # float[*lanes, *values of names]
        """The table of the formula's values."""
        names = (*self.names, *self.over)
        table = _spread(self.term.names, self.term.evaluate(marginal), names)
        weight = np.where(np.isnan(table), 0.0, _spread(self.over, P(self.over).evaluate(marginal), names))
        last = tuple(range(-len(self.over), 0))
        return _divide((np.nan_to_num(table) * weight).sum(axis=last), weight.sum(axis=last))

    def show(self, free: frozenset[str], primed: frozenset[str]) -> str:
        """The expression as mathematics."""
        return f"{self.term.show(free, primed)}, for any {_listed(self.over, primed)}"

    def __str__(self) -> str:
        return self.show(frozenset(self.term.names), frozenset())


Formula = P | Product | Sum | Ratio | Average


def product(terms: Iterable[Formula]) -> Formula:
    """The product of some formulas, with products among them flattened."""
    flat = [f for t in terms for f in (t.terms if isinstance(t, Product) else (t,))]
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def sum_out(over: Iterable[str], term: Formula) -> Formula:
    """The sum of a term over those of the variables `over` that it depends on."""
    inner = term if isinstance(term, Sum) else Sum((), term)
    summed = tuple(n for n in over if n in term.names)
    return Sum((*summed, *inner.over), inner.term) if summed or inner.over else term


def variables(formula: Formula) -> tuple[str, ...]:
    """All variables that stand in a formula, those that are summed over included."""
    match formula:
        case P():
            names = formula.names
        case Product():
            names = tuple(n for t in formula.terms for n in variables(t))
        case Ratio():
            names = (*variables(formula.above), *variables(formula.below))
        case Sum() | Average():
            names = (*variables(formula.term), *formula.over)
    return tuple(dict.fromkeys(names))


# The relative step of central differences. On 50 random tables of the front door the variance changes by 3e-9 at most when
# it is ten times smaller, by 3e-7 when it is ten times larger; below 1e-6 rounding takes over.
_STEP = 1e-4
# How many numbers `variance` keeps in one array, by taking the cells in portions: 16 MB. Not measured.
_CELLS_AT_ONCE = 2**21


def slopes(formula: Formula, names: Sequence[str], table: Floats, groups: Floats) -> Floats:
    """The derivatives of a formula's values by the logarithm of the counts of groups of cells, by central differences.

    table: float[L, *values of names]; groups: number[G, L or 1, *values of names], 1 for the cells that belong to a group,
    whose counts grow by the same factor. Gives float[G, L, *values of formula.names].
    """
    up, down = (formula.evaluate(marginals_of(names, table * (1 + sign * _STEP * groups))) for sign in (1, -1))
    return np.asarray((up - down) / (2 * _STEP))


def variance(
    formula: Formula, names: Sequence[str], table: Floats, sizes: Floats | None = None
) -> Floats:  # float[L, *values of formula.names]
    """The variance of a formula's values on joint counts of independent rounds, float[L, *values of names].

    By the delta method: counts n_c are about Poisson, so it is Σ_c n_c (∂f / ∂n_c)² = Σ_c (∂f / ∂ log n_c)² / n_c over
    the cells c in which something was counted; a formula does not depend on the total. NaN where the formula is. `sizes`
    are the n_c to divide by, where they are not the counts themselves.
    """
    lanes, cells = len(table), int(np.prod(table.shape[1:]))
    counts = (table if sizes is None else sizes).reshape(lanes, cells)
    total: Floats = np.zeros(1)
    for start in range(0, cells, size := max(1, _CELLS_AT_ONCE // max(1, lanes * cells))):
        which = np.arange(start, min(start + size, cells))
        alone = (which[:, None] == np.arange(cells)).reshape(len(which), 1, *table.shape[1:])
        slope = slopes(formula, names, table, alone)
        n = counts[:, which].T.reshape(len(which), lanes, *[1] * (slope.ndim - 2))
        total = total + np.where(n > 0, slope**2 / np.where(n > 0, n, 1), slope * 0).sum(axis=0)
    return total
