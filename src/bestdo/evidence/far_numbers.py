"""Numbers far outside all others: slips of the decimal point or of the unit, questioned before they count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Bools, Floats, Ints

__all__ = ["Others", "far_places", "in_unit"]

_LEAST = 8
"""Fewer numbers than that which differ from the median say nothing about how far numbers reach."""
_FARTHER, _EARLY = 5.0, 8.0
"""A number is far where its distance from the median is more than 5 (1 + 8 / k) times the largest of k others. Chosen so that
no honest shape is questioned more often than once in 1,000 tells: 0.5 for lognormal numbers whose spread is twice their mean
and for Student's t with 2 degrees of freedom, at most 0.15 for normal numbers, many zeros and counts
(`tests/evidence/test_far_numbers.py`)."""
_FARTHER_IN_LOGS = 2.0
"""Numbers of one sign are also far where this factor is exceeded for both distances, of the numbers and of their logarithms:
a slip among lognormal numbers. Chosen with `_FARTHER`."""
_TIMES = 3.0
"""Only what is so many times larger than the largest, or smaller than the smallest, is questioned: an effect is no slip."""
_MOST_AT_ONCE, _SHARE = 20, 0.02
"""The most numbers of a table that are compared with the rest together, since slips hide each other. Chosen, not measured."""


@dataclass(frozen=True)
class Others:
    """The numbers with which one is compared: their median, how far they reach, and their sizes."""

    median: float
    reach: float
    """The largest distance from the median."""
    different: float
    """The count of numbers that differ from the median."""
    smallest: float
    """The smallest size above 0."""
    largest: float
    """The largest size."""
    signs: tuple[float, ...]
    """The signs that occur; 0 is one."""
    middle_size: float
    """The median of the logarithms of sizes."""
    reach_of_sizes: float
    """The largest distance of a logarithm from their median."""

    @classmethod
    def of(cls, numbers: Floats, times: Floats | None = None) -> Others:  # float[R] without NaN, how often each occurs
        """The summary of some numbers."""
        times = np.ones(len(numbers)) if times is None else times
        if not len(numbers):
            return cls(0.0, 0.0, 0.0, 0.0, 0.0, (), 0.0, 0.0)
        median = _median(numbers, times)
        apart = np.abs(numbers - median)
        sizes = np.abs(numbers[numbers != 0])
        logs = np.log(sizes) if len(sizes) else np.zeros(1)
        middle = _median(logs, times[numbers != 0]) if len(sizes) else 0.0
        return cls(
            median,
            float(apart.max()),
            float(times[apart > 0].sum()),
            float(sizes.min(initial=np.inf)),
            float(sizes.max(initial=0.0)),
            tuple(np.unique(np.sign(numbers)).tolist()),
            middle,
            float(np.abs(logs - middle).max()),
        )

    def has_far(self, number: float) -> bool:
        """Whether a number lies far outside the others; 0 never does, as nothing may have happened."""
        if number == 0 or self.different < _LEAST or not self._unlike_in_size(number):
            return False
        apart = abs(number - self.median)
        if apart > _FARTHER * (1 + _EARLY / self.different) * self.reach:
            return True
        in_logs = abs(np.log(abs(number)) - self.middle_size) > _FARTHER_IN_LOGS * self.reach_of_sizes
        one_sign = self.signs == (float(np.sign(number)),)
        return bool(one_sign and in_logs and apart > _FARTHER_IN_LOGS * self.reach)

    def _unlike_in_size(self, number: float) -> bool:
        """Whether a number is several times larger or smaller than all others, or has a sign that none of them has."""
        size = abs(number)
        return size > _TIMES * self.largest or size < self.smallest / _TIMES or np.sign(number) not in self.signs

    def in_words(self, number: float, unit: str = "") -> str:
        """How far a number is from the others, in words: "40 times the largest so far (300 euro)"."""
        if np.sign(number) not in self.signs:
            return f"and no other so far is {'below' if number < 0 else 'above'} 0"
        if abs(number) > self.largest:
            return f"{abs(number) / self.largest:,.3g} times the largest so far ({in_unit(self.largest, unit)})"
        smallest = in_unit(self.smallest, unit)
        return f"and the smallest so far is {self.smallest / abs(number):,.3g} times as large ({smallest})"


def in_unit(number: float, unit: str) -> str:
    """A number in words, with its unit where it has one."""
    return f"{number:,.6g}{f' {unit}' if unit else ''}"


def far_places(numbers: Floats, times: Ints) -> Ints:  # float[C] with NaN where there is none, int[C]
    """The places of the numbers of a table that lie far outside the rest; several slips do not hide each other."""
    known = np.flatnonzero(~np.isnan(numbers) & (numbers != 0))
    order = known[np.argsort(np.abs(numbers[known]), kind="stable")]
    most = int(min(_MOST_AT_ONCE, _SHARE * times[~np.isnan(numbers)].sum() + 1, len(order)))
    far = np.unique(np.concatenate([order[:most], order[len(order) - most :]]))
    while len(far):
        kept: Bools = ~np.isnan(numbers)
        kept[far] = False
        rest = Others.of(numbers[kept], times[kept].astype(np.float64))
        still = [rest.has_far(number) for number in numbers[far].tolist()]
        if all(still):
            break
        far = far[still]
    return far


def _median(numbers: Floats, times: Floats) -> float:
    """The median of numbers that occur so often."""
    order = np.argsort(numbers, kind="stable")
    whole = times[order].cumsum()
    return float(numbers[order][int(np.searchsorted(whole, whole[-1] / 2))])
