"""Random tables of a family, a variable and its parents: from what causal top-two believes of it, before or after rounds.

An arrow says that a parent may matter. A table is drawn in two steps: which parents matter, and how; then its numbers. The
probabilities of these are those of the belief (`learners/beliefs/families.py`), with one exception: that both of two parents
matter, in any way, is weighted by `ALL` here and by `ALL_OF_TWO` there. How often the variable takes each of its values on
the whole (its base rates), which the belief takes from the rounds, is drawn as well: all are equally likely.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from bestdo.arrays import Floats
from bestdo.errors import TooLarge
from bestdo.learners.beliefs.families import (
    ALL,
    CONCENTRATIONS,
    EFFECTS,
    SIZES,
    WIDE_CHANCES,
    WIDE_CONCENTRATIONS,
    Families,
    families,
    has_effects,
    is_wide,
    work_of,
)
from bestdo.learners.kernels import family_lanes

__all__ = ["Causes", "dirichlet", "drawn_given", "drawn_tables", "family"]

Causes = Literal["any", "few", "all"]
"""The parents that matter: any of them, one or two, or all."""

_MOST_WORK = 2**24
"""The most steps of one look at the counts of a family (sets of parents × rows), before tables given them are drawn: 64 MB
for the rows, enough for 16 parents of two values. Limits memory and time. Not measured."""
_TINY = 1e-300
"""The smallest gamma number: for parameters near 0 they underflow to 0, and a row of zeros has no sum to divide by."""


def dirichlet(weights: Floats, rng: np.random.Generator) -> Floats:
    """Draws from Dirichlet distributions whose parameters are the rows of `weights` (its last axis)."""
    gammas = np.maximum(rng.standard_gamma(weights), _TINY)
    return np.asarray(gammas / gammas.sum(axis=-1, keepdims=True))


def drawn_tables(
    parents: tuple[int, ...], values: int, lanes: int, rng: np.random.Generator, causes: Causes = "any"
) -> Floats:  # float[L, *parents, values]
    """A table for each lane, of a variable and parents with so many values each, before anything was seen."""
    table = np.empty((lanes, *parents, values))
    base = dirichlet(np.ones((lanes, values)), rng) if parents else np.full((lanes, values), 1 / values)
    matter = len(SIZES)  # as a number of parents: all, in any way; above it: all, each by itself
    chance = _chances(parents, values, causes)
    kind = rng.choice(len(chance), size=lanes, p=chance)
    if is_wide(parents):
        weight = rng.choice(WIDE_CONCENTRATIONS, size=lanes, p=WIDE_CHANCES)
    else:
        weight = np.array(CONCENTRATIONS)[rng.integers(0, len(CONCENTRATIONS), size=lanes)]
    order = rng.random((lanes, len(parents))).argsort(axis=1)  # the first ones are those that matter
    for lane in np.flatnonzero(kind < matter):
        some = np.sort(order[lane, : kind[lane]])
        sizes = [parents[i] for i in some]
        rows = dirichlet(np.broadcast_to(weight[lane] * base[lane], (*sizes, values)), rng)
        table[lane] = rows.reshape(*(n if i in some else 1 for i, n in enumerate(parents)), values)
    whole = np.flatnonzero(kind == matter)
    rows_like = (len(whole), *([1] * len(parents)), values)
    parameters = (weight[whole, None] * base[whole]).reshape(rows_like)
    table[whole] = dirichlet(np.broadcast_to(parameters, (len(whole), *parents, values)), rng)
    for e, spread in enumerate(EFFECTS):
        lots = np.flatnonzero(kind == matter + 1 + e)
        if len(lots):
            table[lots, ..., 1] = _by_effects(parents, np.clip(base[lots, 1], _TINY, 1), spread, rng)
            table[lots, ..., 0] = 1 - table[lots, ..., 1]
    return table


def _chances(parents: tuple[int, ...], values: int, causes: Causes) -> Floats:
    """The probability that no, one, two, … parents matter; all, in any way; all, each by itself (for each spread).

    Two parents are weighted as more of them are, while the belief has `ALL_OF_TWO` for them.
    """
    sizes = [chance if k <= len(parents) else 0.0 for k, chance in enumerate(SIZES)]
    left = (1 - sum(SIZES) - ALL) / len(EFFECTS) if has_effects(parents, values) else 0.0
    chance = np.array([*sizes, ALL, *[left] * len(EFFECTS)])
    if causes == "few" and parents:  # a drawn graph may have left none
        chance[[0, *range(len(SIZES), len(chance))]] = 0
    elif causes == "all":
        chance[: len(SIZES)] = 0
    return np.asarray(chance / chance.sum())


def _by_effects(parents: tuple[int, ...], base: Floats, spread: float, rng: np.random.Generator) -> Floats:
    """P(second value) in every row: log odds of the base rate, plus a normal effect of each parent's value."""
    odds = np.log(base) - np.log1p(-np.minimum(base, 1 - 1e-12))
    odds = np.broadcast_to(odds.reshape(-1, *[1] * len(parents)), (len(base), *parents))
    for i, size in enumerate(parents):
        if size == 2:
            effect = spread * math.sqrt(2) * rng.standard_normal((len(base), 1)) * np.array([-0.5, 0.5])
        else:
            effect = spread * rng.standard_normal((len(base), size))
        odds = odds + effect.reshape(len(base), *(n if k == i else 1 for k, n in enumerate(parents)))
    return np.asarray(1 / (1 + np.exp(-odds)))


def family(parents: tuple[int, ...], values: int, causes: Causes = "any") -> Families:
    """The belief about one family, with the probabilities of its members that `causes` leaves."""
    if work_of(parents) > _MOST_WORK:
        raise TooLarge(
            f"a variable with {len(parents)} causes: tables that agree with rounds are drawn for up to {_MOST_WORK:,} steps, "
            f"and this would take {work_of(parents):,}"
        )
    members = families([(parents, values)])
    if causes == "any" or not parents:
        return members
    whole = members.rows == math.prod(parents)  # the set of all parents; with one value each, others may be like it
    out = ~whole if causes == "all" else (members.rows == 1) | whole
    effects = members.effects_prior if causes == "all" else np.full_like(members.effects_prior, -math.inf)
    return members._replace(prior=np.where(out[:, None], -math.inf, members.prior), effects_prior=effects)


def drawn_given(found: Families, counts: Floats, lanes: int, rng: np.random.Generator) -> Floats:  # float[L, cells]
    """A table for each lane given how often each cell was counted: float[1, cells] for all lanes, or float[L, cells]."""
    tables = np.empty((lanes, counts.shape[1]))
    counts = np.ascontiguousarray(counts, np.float64)
    if len(counts) == 1:
        family_lanes.drawn_tables(found, counts[0], rng, tables)
    else:
        family_lanes.drawn_by_lane(found, counts, rng, tables)
    return tables
