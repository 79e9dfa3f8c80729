"""The prior belief about a family, a variable and its parents: an average over its members.

A member says what the variable's table may look like. Either some of the parents matter, in any way, and the others do not;
or all matter, each by itself (main effects on the logit scale). For a number also: each by itself, and two of them, or every
two of them, together (interactions).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints

__all__ = ["BASES", "LISTED", "Families", "families", "has_effects", "is_wide", "work_of"]


SIZES = (0.01, 0.07, 0.07)
"""The prior probability that no parent, one parent or two parents matter, shared evenly by all such sets of parents."""
ALL = 0.15
"""The prior probability that all parents matter, in any way."""
ALL_OF_TWO = 0.5
"""The prior that all of two parents matter: with the law known, regret on flat tables was 1.15 to 1.25 times the optimum with
0.15 (`tests/learners/test_bayes_optimum.py`)."""
EFFECTS = (0.7, 2.0)
"""Standard deviations of main effects on the logit scale; each has half of what is left of the prior."""
CONCENTRATIONS = (0.5, 2.0, 8.0)
"""The rounds that the prior of a row may be worth; equally likely before anything is seen."""
NUMBER_CONCENTRATIONS = (0.1, 1.0, 8.0)
"""The concentrations for a reward that is a number: its rows' means differ by 3, 1 or 0.35 spreads of one round."""
MANY_VALUES = 16
"""The number of values of a parent from which on rows may be much alike: small real differences of many rows look like none
where the prior of a row is worth 8 rounds at most (`tests/learners/test_many_values.py`)."""
WIDE_CONCENTRATIONS = (*CONCENTRATIONS, 32.0, 128.0, 512.0)
"""The concentrations of a family with a parent of many values."""
WIDE_CHANCES = (0.15, 0.4, 0.25, 0.12, 0.06, 0.02)
"""The probabilities of the concentrations of such a family: rows that are much alike are less likely, and need evidence."""
WIDE_NUMBER_CONCENTRATIONS = (*NUMBER_CONCENTRATIONS, 64.0, 512.0, 4096.0)
"""The concentrations of a number with a parent of many values."""
NUMBER_EFFECTS = (0.35, 1.5)
"""Standard deviations of main effects on a number, in those of one round."""
INTERACTIONS = ((0.7, 0.7), (0.7, 0.35))
"""Standard deviations of main effects and of interactions on a number: where one pair of parents interacts, where all do."""
INTERACTING = 1 / 3
"""The share of a number's effects, from three parents on, that have interactions; half of it for one pair, half for all.

Two parents in any way are the set of both. Measured by `tests/learners/test_interactions.py` (docs/results/numbers.md).
"""
_MOST_PAIRED = 64  # columns of main effects and all interactions: wider ones are left out
_FREE = 0.25  # precision of the constant of effects on a number, the variance of one round being 1
_MOST_FEATURES = 32  # of main effects: a factor with so many columns takes about as long as all else
LISTED = 1023
"""Counts up to which logarithms of rising factorials are listed."""
BASES = 33
"""The number of base rates of two values that are told apart, at equal steps of the logit from -5 to 5."""


class NumberEffects(NamedTuple):
    """The kinds of effects on a number, as arrays: E kinds, each with some columns of one whole design of P columns."""

    prior: Floats
    """float[E]: log prior probability of each kind."""
    features: Ints
    """int[E]: how many columns the kind has."""
    at: Ints
    """int[E]: where its part of `column` and `precision` begins."""
    column: Ints
    """The kind's columns of the whole design."""
    precision: Floats
    """The precision of the effect of each of these columns: 1 / variance, the variance of one round being 1."""
    design_at: Ints
    """int[E]: where the kind's design begins in `design`."""
    design: Floats
    """The columns of each row of the whole table, for each kind, and at last for the whole design."""
    width: int
    """P."""


class Families(NamedTuple):
    """The members of all families, as arrays: sets of parents first, in the order of the families, then main effects."""

    start: Ints
    """int[N + 1]: the first cell of each table; a row has a cell for each value of the variable."""
    values: Ints
    """int[N]: the length of each table's rows."""
    first: Ints
    """int[N + 1]: the first set of parents of each family; the last number is how many sets there are (J)."""
    rows: Ints
    """int[J]: how many rows the table has when only these parents matter."""
    cell: Ints
    """int[J + 1]: where the counts of these rows stand, in one array for all sets."""
    at: Ints
    """int[J]: where the set's part of `row` begins."""
    row: NDArray[np.int32]
    """The row of the smaller table for each row of the whole table, for each set."""
    prior: Floats
    """float[J, C]: log prior probability of each set with each concentration."""
    wide: Ints
    """int[N]: whether rows are centred by themselves, each by how much it tells, and not on the mean of all rounds: in a
    family with a parent of many values, where rounds go to the better rows."""
    concentration: Floats
    """float[C]: how many rounds the prior of a row may be worth."""
    base: Floats
    """float[BASES]: the base rates that are told apart."""
    rising: Floats
    """float[BASES, LISTED + 1, C]: log of a (a + 1) … (a + n - 1), a = concentration × base."""
    rising_all: Floats
    """float[LISTED + 1, C]: the same for the concentration itself."""
    features: Ints
    """int[N]: how many columns main effects have; 0 for a family without that member."""
    design_at: Ints
    """int[N]: where the family's columns begin in `design`."""
    design: Floats
    """The columns of each row of the whole table."""
    precision: Floats
    """float[E]: of a main effect: 1 / variance."""
    effects_prior: Floats
    """float[N]: log prior probability of each of the E kinds of main effects."""
    number: int
    """The family of a reward that is a number, whose table has the mean of each row in its only cell; -1: there is none."""
    middle: float
    """The mean that is believed of a number before anything is seen."""
    number_concentration: Floats
    """float[C]: how many rounds the prior of a number's row may be worth."""
    effect: NumberEffects
    """The kinds of effects on a number."""


def work_of(parents: Sequence[int]) -> int:
    """The steps that one pass over all sets of parents takes, for parents with these numbers of values."""
    sets = sum(math.comb(len(parents), k) for k in range(min(len(parents), len(SIZES) - 1) + 1)) + 1
    return sets * math.prod(parents)


def has_effects(parents: Sequence[int], values: int) -> bool:
    """Whether main effects are a member of a family, given by the numbers of values of its parents and of its variable."""
    columns = 1 + sum(1 if size == 2 else size for size in parents)
    return values == 2 and len(parents) > 1 and columns <= _MOST_FEATURES


def is_wide(parents: Sequence[int]) -> bool:
    """Whether a family has a parent of many values, given by the numbers of values of its parents."""
    return max(parents, default=0) >= MANY_VALUES


def families(
    shapes: Sequence[tuple[tuple[int, ...], int]],
    number: int | None = None,
    middle: float = 0.0,
    all_matter: bool = False,
) -> Families:
    """The members of families, each given by the numbers of values of its parents and of its variable.

    `number` is the family of a reward that is a number, and `middle` what its mean is believed to be before anything is seen.
    With `all_matter` the only member of each family is that all its parents matter, in any way.
    """
    first, rows, cell = [0], [], [0]
    prior: list[list[float]] = []
    wide = [is_wide(parents) for parents, _ in shapes]
    concentrations, of_number = (
        (WIDE_CONCENTRATIONS, WIDE_NUMBER_CONCENTRATIONS) if any(wide) else (CONCENTRATIONS, NUMBER_CONCENTRATIONS)
    )
    row: list[NDArray[np.int32]] = []
    features: list[int] = []
    design: list[Floats] = []
    for v, (parents, values) in enumerate(shapes):
        codes = np.indices(parents).reshape(len(parents), math.prod(parents))  # int[parents, rows]
        for some, chance in {tuple(range(len(parents))): 1.0}.items() if all_matter else _sets(len(parents)).items():
            smaller = np.zeros(codes.shape[1], np.int32)
            for i in some:
                smaller = smaller * parents[i] + codes[i]
            rows.append(math.prod(parents[i] for i in some))
            cell.append(cell[-1] + rows[-1] * values)
            row.append(smaller.astype(np.int32))
            few = [math.log(chance) - math.log(len(CONCENTRATIONS))] * len(CONCENTRATIONS)
            none = [-math.inf] * (len(concentrations) - len(CONCENTRATIONS))
            prior.append([math.log(chance * part) for part in WIDE_CHANCES] if wide[v] else few + none)
        first.append(len(rows))
        effects = not all_matter and has_effects(parents, 2 if v == number else values)
        columns = _columns(parents, codes) if effects else np.zeros((0, 0))
        features.append(columns.shape[1])
        design.append(columns.reshape(-1))
    start = np.cumsum([0] + [math.prod(parents) * values for parents, values in shapes])
    left = [(1 - sum(SIZES) - _all_of(len(parents))) / len(EFFECTS) for parents, _ in shapes]
    return Families(
        start,
        np.array([values for _, values in shapes]),
        np.array(first),
        np.array(rows),
        np.array(cell),
        np.cumsum([0] + [len(part) for part in row[:-1]]),
        np.concatenate(row),
        np.array(prior),
        np.array(wide, np.int64),
        np.array(concentrations),
        *_listed(concentrations),
        np.array(features),
        np.cumsum([0] + [len(part) for part in design[:-1]]),
        np.concatenate(design),
        1 / np.array(EFFECTS) ** 2,
        np.log(left),
        -1 if number is None else number,
        middle,
        np.array(of_number),
        _number_effects(() if number is None else shapes[number][0]),
    )


def _sets(parents: int) -> dict[tuple[int, ...], float]:
    """The sets of parents that may be all that matters, and the probability of each before anything is seen."""
    found: dict[tuple[int, ...], float] = {}
    for size, chance in enumerate(SIZES[: parents + 1]):
        for some in itertools.combinations(range(parents), size):
            found[some] = chance / math.comb(parents, size)
    whole = tuple(range(parents))
    found[whole] = found.get(whole, 0.0) + _all_of(parents)
    return found


def _all_of(parents: int) -> float:
    """The prior probability that so many parents all matter, in any way."""
    return ALL_OF_TWO if parents == 2 else ALL


def _columns(parents: tuple[int, ...], codes: NDArray[np.integer]) -> Floats:  # float[rows, features]
    """A constant, and for each parent a column for each of its values; for two values one that tells them apart."""
    columns = [np.ones(codes.shape[1])]
    for size, code in zip(parents, codes, strict=True):
        if size == 2:
            columns.append(math.sqrt(2) * (code - 0.5))
        else:
            columns += [(code == k).astype(np.float64) for k in range(size)]
    return np.stack(columns, axis=1)


def _number_effects(parents: tuple[int, ...]) -> NumberEffects:
    """The kinds of effects of these parents on a number: main effects, and with one pair's interactions or all pairs'."""
    kinds: list[tuple[float, Ints, Floats]] = []  # prior, columns, precision
    whole = np.zeros((math.prod(parents), 0))
    if has_effects(parents, 2):
        codes = np.indices(parents).reshape(len(parents), math.prod(parents))
        main = _columns(parents, codes)
        pairs = _interactions(parents, codes)
        paired = len(parents) > 2 and main.shape[1] + sum(p.shape[1] for p in pairs) <= _MOST_PAIRED
        whole = np.concatenate([main, *pairs], axis=1) if paired else main
        left = 1 - sum(SIZES) - _all_of(len(parents))
        own = np.arange(main.shape[1])
        for sd in NUMBER_EFFECTS:
            kinds.append(((1 - INTERACTING * paired) * left / len(NUMBER_EFFECTS), own, np.full(len(own), sd**-2)))
        if paired:
            ends = np.cumsum([main.shape[1]] + [p.shape[1] for p in pairs])
            spans = [np.arange(a, b) for a, b in itertools.pairwise(ends)]
            chance = INTERACTING * left / 2
            for (of_main, of_pair), some in zip(INTERACTIONS, (spans, [np.concatenate(spans)]), strict=True):
                for span in some:
                    precision = np.repeat([of_main**-2, of_pair**-2], [len(own), len(span)])
                    kinds.append((chance / len(some), np.concatenate([own, span]), precision))
    for _, _, precision in kinds:
        precision[0] = _FREE
    designs = [whole[:, columns].reshape(-1) for _, columns, _ in kinds] + [whole.reshape(-1)]
    features = np.array([len(columns) for _, columns, _ in kinds], np.int64)
    return NumberEffects(
        np.log([chance for chance, _, _ in kinds]),
        features,
        np.cumsum(features) - features,
        np.concatenate([columns for _, columns, _ in kinds] or [np.zeros(0, np.int64)]),
        np.concatenate([precision for _, _, precision in kinds] or [np.zeros(0)]),
        np.cumsum([0] + [len(part) for part in designs[:-1]]),
        np.concatenate(designs),
        whole.shape[1],
    )


def _interactions(parents: tuple[int, ...], codes: NDArray[np.integer]) -> list[Floats]:  # float[rows, features] each
    """The products of the columns that tell the values apart, for each pair of parents."""
    apart = [_contrasts(size)[code] for size, code in zip(parents, codes, strict=True)]
    return [(one[:, :, None] * two[:, None, :]).reshape(len(one), -1) for one, two in itertools.combinations(apart, 2)]


def _contrasts(size: int) -> Floats:  # float[size, size - 1]
    """Columns of length 1 that are orthogonal to each other and to the constant: independent values without their mean."""
    k, value = np.arange(1, size), np.arange(size)[:, None]
    return np.asarray(((value < k) - k * (value == k)) / np.sqrt(k * (k + 1)))


@lru_cache(maxsize=2)
def _listed(concentrations: tuple[float, ...]) -> tuple[Floats, Floats, Floats]:
    """Base rates, and logarithms of rising factorials of concentration × base rate and of the concentration."""
    logit = np.linspace(-5, 5, BASES)
    base = 1 / (1 + np.exp(-logit))
    base = (base + 1 - base[::-1]) / 2  # so that both values of a variable are on the list
    each, steps = np.array(concentrations), np.arange(LISTED)[:, None]
    of_base, of_all = np.log(base[:, None, None] * each + steps), np.log(each + steps)
    return base, _summed(of_base), _summed(of_all)


def _summed(logs: Floats) -> Floats:
    """Sums of the first numbers on the last axis but one, from none of them to all."""
    nothing = np.zeros_like(logs[..., :1, :])
    return np.ascontiguousarray(np.concatenate([nothing, np.cumsum(logs, axis=-2)], axis=-2))
