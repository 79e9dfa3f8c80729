"""The posterior of a regression on columns: an average over members, by how well each foretold the rounds.

A member says which columns matter, and by how much: none; one cause or two, in any way; all causes; all causes and one column
more than the others; all causes and products of two. All are normal given the variance of a round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.linalg import lapack

from bestdo.arrays import Bools, Floats, Ints
from bestdo.learners.beliefs.column_design import Design

__all__ = ["LanePosterior", "Members", "Moments"]

_NONE, _ONE, _TWO = 0.04, 0.32, 0.18
"""The prior probabilities that no cause matters, one does in any way, two do; shared evenly by the causes and pairs."""
_MAIN, _OUTLIER, _PAIRED = 0.26, 0.08, 0.12
"""The prior probabilities that all causes matter, that one column does more than the others, and that products do, too."""
_WORTH = {0.3: 0.12, 1.5: 0.32, 8.0: 0.26, 40.0: 0.16, 200.0: 0.09, 1000.0: 0.05}
"""The rounds that the prior of a row of one cause or two may be worth, each with its probability."""
_SCALES = {0.02: 0.1, 0.06: 0.25, 0.2: 0.4, 0.6: 0.25}
"""The spreads of main effects, in spreads of a round."""
_PAIR_SCALES = {
    (0.02, 0.02): 0.15,
    (0.06, 0.03): 0.15,
    (0.06, 0.06): 0.15,
    (0.2, 0.06): 0.2,
    (0.2, 0.2): 0.2,
    (0.6, 0.3): 0.15,
}
"""The spreads of main effects and of products of two."""
_WIDE = 1.0
"""The spread of a column that matters more than the others."""
_CONSTANT = 10.0
"""The spread of the constant."""
_MANY = 5
"""The number of values from which on the rows of one cause are drawn to their own mean, not to that of the rounds."""
_UNLIKELY = 1e-4
"""Members less likely than this are left out of averages."""
_HOPELESS = 40.0
"""Normal members whose log weight is so far below the largest have no outliers."""
_PRIOR_ROUNDS = 4.0
"""The rounds that the prior of the variance of a number is worth."""


class Moments(NamedTuple):
    """What one lane's rounds say: XᵀX, Xᵀy, Σ y²."""

    gram: Floats
    """float[D, D]"""
    xy: Floats
    """float[D]"""
    yy: float


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
    def worth(self) -> Floats:  # float[C]
        """The rounds that the prior of a row may be worth."""
        return np.array(list(_WORTH))

    @cached_property
    def log_sets(self) -> Floats:  # float[T, C]
        """The log prior probability of each table of one cause or two, with each worth of the prior."""
        causes = self.design.row_sets.causes
        twos = int((causes == 2).sum())
        each = np.where(causes == 1, _ONE / max(1, (causes == 1).sum()), _TWO / max(1, twos))
        each = each * (1 if twos else 1 + _TWO / _ONE)
        return np.asarray(np.log(each)[:, None] + np.log(list(_WORTH.values())))

    @cached_property
    def rows_start(self) -> Ints:  # int[T]
        """The first row of each table."""
        return np.flatnonzero(np.diff(self.design.row_sets.set_of, prepend=-1))

    @cached_property
    def many(self) -> Ints:
        """The tables of one cause of many values."""
        return np.flatnonzero(np.array(self.design.sizes) >= _MANY)

    @cached_property
    def of_many(self) -> Bools:  # bool[R, 1]
        """Which rows are those of such tables."""
        return np.isin(self.design.row_sets.set_of, self.many)[:, None]

    @cached_property
    def slots(self) -> list[int]:
        """The normal members in which one column may matter more than the others."""
        return [k for k, member in enumerate(self.normal) if member.outliers > -math.inf]

    @cached_property
    def log_normal(self) -> Floats:  # float[G]
        """The log prior probabilities of the normal members."""
        return np.array([member.log_prior for member in self.normal])


class LanePosterior:
    """The posterior of one lane: effects are deviations from `base`, those of normal members in the columns of the design.

    Covariances are in units of the variance of a round, which is `noise` of a member.
    """

    def __init__(self, members: Members, moments: Moments) -> None:
        self.members = members
        gram, n, total = moments.gram, moments.gram[0, 0], moments.xy[0]
        self.degrees = self.squares = np.inf
        if members.number:
            self.base = total / n if n > 0 else members.middle
            around = max(moments.yy - n * self.base**2, 0.0)
            self.variance = around / (n - 1) if n > 1 and around > 0 else members.most_variance
            self.degrees = n + _PRIOR_ROUNDS
            self.squares = around + _PRIOR_ROUNDS * self.variance
        else:
            self.base = (total + 1) / (n + 2)
            self.variance = self.base * (1 - self.base)
        self.sigma = math.sqrt(self.variance)
        rest = moments.xy - self.base * gram[0]  # Xᵀ (y - base)
        self._inverses: dict[int, Floats] = {}
        log_normal = self._weigh_normal(gram, rest, n)
        log_sets = self._weigh_sets(gram, rest)
        log_outlier = self._weigh_outliers(log_normal)
        log = np.concatenate([[members.log_none], log_normal, log_outlier.reshape(-1), log_sets.reshape(-1)])
        chance = np.exp(log - log.max())
        chance /= chance.sum()
        ends = np.cumsum([1, log_normal.size, log_outlier.size])
        self.none, self.normal = chance[0], chance[1 : ends[1]]
        self.outlier = chance[ends[1] : ends[2]].reshape(log_outlier.shape)
        self.sets = chance[ends[2] :].reshape(log_sets.shape)
        self._average()

    def _fit(self, explained: Floats) -> Floats:
        """The log likelihood ratio of members that explain so much of the squares, to the one in which nothing matters."""
        if not self.members.number:
            return explained / (2 * self.variance)
        return -self.degrees / 2 * np.log1p(-np.minimum(explained / self.squares, 1 - 1e-12))

    def noise(self, explained: Floats) -> Floats:
        """The expected variance of a round in members that explain so much of the squares."""
        if not self.members.number:
            return np.full(np.shape(explained), self.variance)
        return np.asarray((self.squares - explained) / (self.degrees - 2))

    def _sigmas(self, explained: Floats, rng: np.random.Generator) -> Floats:
        """Draws of the standard deviation of a round, one for each number."""
        if not self.members.number:
            return np.full(np.shape(explained), self.sigma)
        return np.asarray(np.sqrt((self.squares - explained) / rng.chisquare(self.degrees, np.shape(explained))))

    def _weigh_normal(self, gram: Floats, rest: Floats, n: float) -> Floats:  # float[G]
        """The log weights of normal members; keeps their roots, the Cholesky factors of their precisions, and means."""
        self.roots: list[Floats] = []
        self.means: list[Floats] = []
        members = self.members.normal
        self.explained, self._determinant = np.empty(len(members)), np.empty(len(members))
        for k, member in enumerate(members):
            d = member.columns
            precision = gram[:d, :d].copy(order="F")
            precision[np.diag_indices(d)] += member.precision
            root, _ = lapack.dpotrf(precision, lower=1, overwrite_a=1)
            solved, _ = lapack.dtrtrs(root, rest[:d], lower=1)
            self.roots.append(root)
            self.means.append(lapack.dtrtrs(root, solved, lower=1, trans=1)[0])
            self.explained[k] = solved @ solved
            self._determinant[k] = member.half_log_precision - np.log(np.diagonal(root)).sum()
        self._determinant += 0.5 * math.log1p(_CONSTANT**2 * n)  # the constant is the base in all other members
        return self.members.log_normal + self._determinant + self._fit(self.explained)

    def inverse(self, k: int) -> Floats:  # float[d, d]
        """The inverse of a normal member's root: its covariance is inverseᵀ · inverse."""
        if k not in self._inverses:
            self._inverses[k], _ = lapack.dtrtri(self.roots[k], lower=1)
        return self._inverses[k]

    def _weigh_outliers(self, log_normal: Floats) -> Floats:  # float[slots, main]
        """The log weights of normal members in which one column matters more than the others.

        Its precision is less: the covariance V of the others grows by gain × V_j V_jᵀ, the mean by gain × mean_j × V_j.
        """
        slots, main = self.members.slots, self.members.design.main
        found, top = np.full((len(slots), main), -np.inf), log_normal.max()
        self.gain = np.zeros((len(slots), main))
        for slot, k in enumerate(slots):
            if log_normal[k] < top - _HOPELESS:
                continue
            member, inverse = self.members.normal[k], self.inverse(k)
            own = np.einsum("ij,ij->j", inverse, inverse)  # the diagonal of the covariance
            less = member.precision - _WIDE**-2.0
            scale = 1 - less * own
            self.gain[slot] = less / scale
            explained = self.explained[k] + self.gain[slot] * self.means[k] ** 2
            log = member.outliers + self._determinant[k] - 0.5 * np.log(member.precision * _WIDE**2 * scale)
            found[slot] = log + self._fit(explained)
            found[slot, 0] = -np.inf
        return found

    def _weigh_sets(self, gram: Floats, rest: Floats) -> Floats:  # float[T, C]
        """The log weights of tables of one cause or two; keeps means and covariances of their rows."""
        members, sets = self.members, self.members.design.row_sets
        rounds, sums = (sets.row @ np.stack([gram[0], rest], axis=1)).T
        rounds, worth, start = np.maximum(rounds, 0.0), members.worth, members.rows_start
        total = rounds[:, None] + worth  # float[R, C]
        shift = np.zeros(total.shape)
        if len(members.many):  # these rows are drawn to the mean of the rows, weighed by how much each tells
            weight = rounds[:, None] / total
            each = weight * (sums / np.maximum(rounds, 1e-9))[:, None]
            middle = np.add.reduceat(each, start, axis=0) / (np.add.reduceat(weight, start, axis=0) + 0.5)
            shift = np.where(members.of_many, middle[sets.set_of], 0.0)
        moved = sums[:, None] - rounds[:, None] * shift
        self.row_mean, self.row_share = shift + moved / total, 1 / total
        explained = moved**2 / total + shift * (2 * sums[:, None] - rounds[:, None] * shift)
        self.set_explained = np.add.reduceat(explained, start, axis=0)
        loss = np.add.reduceat(np.log(total / worth), start, axis=0) / 2
        return members.log_sets - loss + self._fit(self.set_explained)

    def _average(self) -> None:
        """Keeps the mean of all effects, and which members are likely enough to be looked at."""
        sets, slots = self.members.design.row_sets, self.members.slots
        self.likely = [k for k in range(len(self.normal)) if self.normal[k] > _UNLIKELY]
        self.likely_slots = [slot for slot in range(len(slots)) if self.outlier[slot].sum() > _UNLIKELY]
        self.mean = (self.sets[sets.set_of] * self.row_mean).sum(axis=1) @ sets.row
        for k in self.likely:
            self.mean[: len(self.means[k])] += self.normal[k] * self.means[k]
        for slot in self.likely_slots:
            mean, inverse, weight = self.means[slots[slot]], self.inverse(slots[slot]), self.outlier[slot]
            shift = inverse.T @ (inverse @ (weight * self.gain[slot] * mean))
            self.mean[: len(mean)] += weight.sum() * mean + shift

    def covariance_with(self, sums: Floats) -> Floats:  # float[D, K]
        """The posterior covariance of all effects with some sums of effects (float[D, K])."""
        found = -self.mean[:, None] * (self.mean @ sums)
        noise = self.noise(self.explained)
        for k in self.likely:
            d, mean, inverse = len(self.means[k]), self.means[k], self.inverse(k)
            within = noise[k] * (inverse.T @ (inverse @ sums[:d]))
            found[:d] += self.normal[k] * (within + mean[:, None] * (mean @ sums[:d]))
        for slot in self.likely_slots:
            k, weight, gain = self.members.slots[slot], self.outlier[slot], self.gain[slot]
            d, mean, inverse = len(self.means[k]), self.means[k], self.inverse(k)
            along = inverse.T @ (inverse @ sums[:d])  # V · sums
            each = mean @ sums[:d] + (gain * mean)[:, None] * along  # the sums' means, column by column, float[d, K]
            inner = noise[k] * (weight * gain)[:, None] * along + (weight * gain * mean)[:, None] * each
            found[:d] += (
                weight.sum() * noise[k] * along + mean[:, None] * (weight @ each) + inverse.T @ (inverse @ inner)
            )
        sets, start = self.members.design.row_sets, self.members.rows_start
        weight = self.sets[sets.set_of]  # float[R, C]
        rows = sets.row @ sums  # float[R, K]
        within = (weight * self.row_share * self.noise(self.set_explained)[sets.set_of]).sum(axis=1)[:, None] * rows
        each = np.add.reduceat(self.row_mean[:, :, None] * rows[:, None, :], start, axis=0)  # float[T, C, K]
        between = ((weight * self.row_mean)[:, :, None] * each[sets.set_of]).sum(axis=1)
        return found + sets.row.T @ (within + between)

    def drawn(self, draws: int, rng: np.random.Generator, some: bool = False) -> Floats:  # float[draws, D]
        """Draws of the effects; with `some`, of the members in which something matters."""
        design, found = self.members.design, np.zeros((draws, self.members.design.size))
        parts = [np.array([0.0 if some else self.none]), self.normal, self.outlier.reshape(-1), self.sets.reshape(-1)]
        chance = np.concatenate(parts)
        which = np.sort(rng.choice(len(chance), draws, p=chance / chance.sum()))
        bounds = np.cumsum([len(part) for part in parts])
        kind = np.searchsorted(bounds, which, side="right")
        own = which - np.concatenate([[0], bounds])[kind]
        for k in np.unique(own[kind == 1]):
            mine = np.flatnonzero((kind == 1) & (own == k))
            found[mine, : len(self.means[k])] = self.means[k] + self._deviations(k, len(mine), rng)[0]
        slot_of, column = np.divmod(own, design.main)
        for slot in np.unique(slot_of[kind == 2]):
            mine = np.flatnonzero((kind == 2) & (slot_of == slot))
            k, j = self.members.slots[slot], column[mine]
            inverse, gain, mean = self.inverse(k), self.gain[slot][j], self.means[k]
            deviations, sigmas = self._deviations(k, len(mine), rng)
            along = gain * mean[j] + sigmas * np.sqrt(gain) * rng.standard_normal(len(mine))
            found[mine, : len(mean)] = mean + deviations + along[:, None] * (inverse[:, j].T @ inverse)
        mine = np.flatnonzero(kind == 3)
        if len(mine):
            t, c = np.divmod(own[mine], self.sets.shape[1])
            sigmas = self._sigmas(self.set_explained[t, c], rng)
            rows = self.row_mean[:, c].T + sigmas[:, None] * np.sqrt(self.row_share[:, c].T) * rng.standard_normal(
                (len(mine), len(self.row_mean))
            )
            found[mine] = np.where(design.row_sets.set_of == t[:, None], rows, 0.0) @ design.row_sets.row
        return rng.permutation(found) if not some else found

    def _deviations(
        self, k: int, draws: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:  # float[draws, d], float[draws]
        """Draws from a normal member around its mean, and their standard deviations of a round."""
        sigmas = self._sigmas(np.full(draws, self.explained[k]), rng)
        noise = rng.standard_normal((draws, len(self.means[k])))
        if k in self._inverses:
            return sigmas[:, None] * (noise @ self._inverses[k]), sigmas
        return sigmas[:, None] * lapack.dtrtrs(self.roots[k], noise.T, lower=1, trans=1)[0].T, sigmas
