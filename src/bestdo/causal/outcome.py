"""A number given the state of its parents: its mean and spread in each row, and the shape of its distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestdo.arrays import Floats
from bestdo.causal.variable import Variable
from bestdo.errors import TableError, shown, unknown

__all__ = ["Outcome"]

_SHAPES = ("normal", "lognormal", "counts", "zeros", "beta")
"""Normal; skewed to the right; whole numbers (Poisson, or negative binomial with more spread); many zeros and a few large
(exponential where it is not zero); and between bounds (a scaled Beta). Each has any mean and spread that it can have."""
_EXACT = 1e-9  # how far, relative to the mean, a spread may be from that of a Poisson variable to be taken as one


@dataclass(frozen=True, eq=False)
class Outcome:
    """A number given the state of its parents.

    mean and spread: arrays with an axis for each parent. shape: "normal", or "beta" for a number with two bounds. A
    Model raises TableError where they do not fit its graph.

    >>> import bestdo
    >>> dose = bestdo.Variable("dose", ("low", "high"))
    >>> pain = bestdo.Variable("pain", number=bestdo.Number(0, 10))
    >>> graph = bestdo.Graph.of([dose, pain], [("dose", "pain")], reward="pain", aim="minimise")
    >>> model = bestdo.Model(graph, {"dose": [0.5, 0.5]}, {"pain": bestdo.Outcome([6.0, 4.0], [1.0, 1.0], "beta")})
    >>> model.means(bestdo.Actions.single(graph)).round(1).tolist()
    [5.0, 6.0, 4.0]
    """

    mean: Floats
    """float[*values of the parents]"""
    spread: Floats
    """float[*values of the parents]: the standard deviation."""
    shape: str = "normal"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self.mean.tobytes(), self.spread.tobytes(), self.shape

    @classmethod
    def of(cls, variable: Variable, parents: tuple[Variable, ...], outcome: Outcome) -> Outcome:
        """The outcome with checked arrays: raises TableError where its variable cannot have such means and spreads."""
        sizes = tuple(len(p.values) for p in parents)
        if outcome.shape not in _SHAPES:
            raise TableError(unknown("shape", outcome.shape, _SHAPES, of=f" of {shown(variable.name)}"))
        mean, spread = (_array(variable, what, getattr(outcome, what), sizes) for what in ("mean", "spread"))
        wrong = _wrong(variable, outcome.shape, mean, spread)
        if wrong is not None:
            row, why = wrong
            given = ", ".join(f"{p.name}={p.values[i]}" for p, i in zip(parents, row, strict=True))
            raise TableError(
                f"{shown(variable.name)}{' given ' + given if given else ''} has the mean {mean[row]:g} and the spread "
                f"{spread[row]:g}; {why}"
            )
        return cls(mean, spread, outcome.shape)

    def draw(
        self,
        row: NDArray[np.integer],
        rng: np.random.Generator,
        bounds: tuple[float, float] | None,
        weight: Floats | None = None,
    ) -> Floats:
        """A number for each row of the parents' values (the index into the flattened arrays): float, of the same shape.

        With a weight (of the same shape) numbers are sums over so many units, each with this mean and spread.
        """
        mean, spread = self.mean.reshape(-1)[row], self.spread.reshape(-1)[row]
        if weight is not None:
            mean, spread = mean * weight, spread * np.sqrt(weight)
        if self.shape == "normal":
            return np.asarray(rng.normal(mean, spread))
        if self.shape == "lognormal":
            log = np.log1p((spread / mean) ** 2)
            return np.asarray(rng.lognormal(np.log(mean) - log / 2, np.sqrt(log)))
        if self.shape == "zeros":
            share = 2 * mean**2 / (mean**2 + spread**2)  # of rounds that are not zero
            return np.asarray(np.where(rng.random(mean.shape) < share, rng.exponential(mean / share), 0.0))
        if self.shape == "counts":
            extra = np.maximum(spread**2 - mean, 0)
            wide = extra > _EXACT * mean  # a Poisson variable whose mean is a Gamma variable
            of = np.where(wide, mean**2 / np.where(wide, extra, 1), 1)
            rate = np.where(wide, rng.gamma(of, mean / of), mean)
            return np.asarray(rng.poisson(rate), np.float64)
        assert bounds is not None
        low, high = bounds
        middle, wide_ = (mean - low) / (high - low), spread / (high - low)
        worth = middle * (1 - middle) / wide_**2 - 1
        return np.asarray(low + (high - low) * rng.beta(middle * worth, (1 - middle) * worth))

    def at_most(self, number: float, bounds: tuple[float, float] | None) -> Floats:  # float[*values of the parents]
        """The probability that a number drawn as by `draw` is at most this one, in each row."""
        from scipy.special import betainc, ndtr, pdtr

        mean, spread = self.mean, self.spread
        if self.shape == "normal":
            return np.asarray(ndtr((number - mean) / spread))
        if self.shape == "beta":
            assert bounds is not None
            low, high = bounds
            middle, wide_ = (mean - low) / (high - low), spread / (high - low)
            worth = middle * (1 - middle) / wide_**2 - 1
            place = min(max((number - low) / (high - low), 0.0), 1.0)
            return np.asarray(betainc(middle * worth, (1 - middle) * worth, place))
        if number < 0:
            return np.zeros(mean.shape)
        if self.shape == "lognormal":
            log = np.log1p((spread / mean) ** 2)
            with np.errstate(divide="ignore"):
                return np.asarray(ndtr((np.log(number) - np.log(mean) + log / 2) / np.sqrt(log)))
        if self.shape == "zeros":
            share = 2 * mean**2 / (mean**2 + spread**2)
            return np.asarray(1 - share * np.exp(-number * share / mean))
        whole, extra = math.floor(number), np.maximum(spread**2 - mean, 0)
        wide = extra > _EXACT * mean
        of = np.where(wide, mean**2 / np.where(wide, extra, 1), 1)
        return np.asarray(np.where(wide, betainc(of, whole + 1, of / (of + mean)), pdtr(whole, mean)))


def _array(variable: Variable, what: str, given: ArrayLike, sizes: tuple[int, ...]) -> Floats:
    """The means or spreads as a read-only array with one axis for each parent; one number stands for all rows."""
    try:
        array = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise TableError(f"the {what} of {shown(variable.name)} is not an array of numbers") from None
    if array.ndim == 0 or array.shape == (1,):
        array = np.full(sizes, float(array.reshape(-1)[0]))
    if array.shape != sizes:
        raise TableError(f"the {what} of {shown(variable.name)} has shape {array.shape}; expected {sizes}")
    if not np.isfinite(array).all():
        raise TableError(f"the {what} of {shown(variable.name)} holds a number that is not finite")
    array.setflags(write=False)
    return array


def _wrong(variable: Variable, shape: str, mean: Floats, spread: Floats) -> tuple[tuple[int, ...], str] | None:
    """The first row that the shape cannot have, and why; None where there is none."""
    number = variable.number
    assert number is not None
    bounds = number.bounds
    checks = [(spread <= 0, "a spread is above 0")]
    if shape in ("lognormal", "zeros", "counts"):
        checks.append((mean <= 0, f"the mean of {shape!r} is above 0"))
    if shape == "zeros":
        checks.append((spread < mean, "'zeros' needs a spread that is at least the mean"))
    if shape == "counts":
        checks.append((spread**2 < mean * (1 - _EXACT), "'counts' needs a spread of at least the root of the mean"))
    if shape == "beta":
        if bounds is None:
            return (0,) * mean.ndim, "'beta' needs low and high"
        low, high = bounds
        checks.append(((mean <= low) | (mean >= high), f"a mean lies between {low:g} and {high:g}"))
        checks.append((spread**2 >= (mean - low) * (high - mean), "'beta' needs a smaller spread"))
    elif math.isfinite(number.ends[1]):
        return (0,) * mean.ndim, f"the number is at most {number.high:g}, which only the shape 'beta' keeps to"
    elif math.isfinite(number.ends[0]) and (shape == "normal" or number.ends[0] > 0):
        return (0,) * mean.ndim, f"the number is at least {number.low:g}, which the shape {shape!r} does not keep to"
    for bad, why in checks:
        if bad.any():
            return tuple(int(i) for i in np.argwhere(bad)[0]), why
    return None
