"""The posterior of one lane in plain numpy, checked in `test_column_oracle`: the compiled one is compared with it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from bestdo.arrays import Floats
from bestdo.learners.beliefs.column_members import Members

__all__ = ["LanePosterior", "Moments"]

_UNLIKELY = 1e-4  # as in kernels/column_posterior.pxi


class Moments(NamedTuple):
    """The sums of one lane's rounds: XᵀX, Xᵀy, Σ y²."""

    gram: Floats
    xy: Floats
    yy: float


class LanePosterior:
    """The posterior of one lane: effects are deviations from `base`, those of normal members in the columns of the design.

    Covariances are in units of the variance of a round, which is `noise` of a member.
    """

    def __init__(self, members: Members, moments: Moments) -> None:
        self.members, prior = members, members.arrays
        self.log_normal, self.log_sets, self.worth = prior.log_normal, prior.log_sets, prior.worth
        self.rows_start = prior.set_start[:-1]
        self.of_many = np.repeat(prior.of_many, np.diff(prior.set_start)).astype(bool)[:, None]
        self.slots = np.flatnonzero(prior.log_outlier > -np.inf).tolist()
        gram, n, total = moments.gram, moments.gram[0, 0], moments.xy[0]
        self.degrees = self.squares = np.inf
        if members.number:
            self.base = total / n if n > 0 else members.middle
            around = max(moments.yy - n * self.base**2, 0.0)
            self.variance = around / (n - 1) if n > 1 and around > 0 else members.most_variance
            self.degrees = n + members.prior_rounds
            self.squares = around + members.prior_rounds * self.variance
        else:
            self.base = (total + 1) / (n + 2)
            self.variance = self.base * (1 - self.base)
        self.sigma = math.sqrt(self.variance)
        rest = moments.xy - self.base * gram[0]  # Xᵀ (y - base)
        self._inverses: dict[int, Floats] = {}
        log_normal = self._weigh_normal(gram, rest, n)
        log_sets = self._weigh_sets(gram, rest)
        log_outlier = self._weigh_outliers()
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
        self._determinant += 0.5 * math.log1p(
            self.members.constant**2 * n
        )  # the constant is the base in all other members
        return self.log_normal + self._determinant + self._fit(self.explained)

    def inverse(self, k: int) -> Floats:  # float[d, d]
        """The inverse of a normal member's root: its covariance is inverseᵀ · inverse."""
        if k not in self._inverses:
            self._inverses[k], _ = lapack.dtrtri(self.roots[k], lower=1)
        return self._inverses[k]

    def _weigh_outliers(self) -> Floats:  # float[slots, main]
        """The log weights of normal members in which one column matters more than the others.

        Its precision is less: the covariance V of the others grows by gain × V_j V_jᵀ, the mean by gain × mean_j × V_j.
        """
        slots, main = self.slots, self.members.design.main
        found = np.full((len(slots), main), -np.inf)
        self.gain = np.zeros((len(slots), main))
        self.outlier_explained = np.repeat(self.explained[slots, None], main, axis=1)
        for slot, k in enumerate(slots):
            member, inverse = self.members.normal[k], self.inverse(k)
            own = np.einsum("ij,ij->j", inverse, inverse)  # the diagonal of the covariance
            less = member.precision - self.members.wide**-2.0
            scale = 1 - less * own
            self.gain[slot] = less / scale
            self.outlier_explained[slot] += self.gain[slot] * self.means[k] ** 2
            log = member.outliers + self._determinant[k] - 0.5 * np.log(member.precision * self.members.wide**2 * scale)
            found[slot] = log + self._fit(self.outlier_explained[slot])
            found[slot, 0] = -np.inf
        return found

    def _weigh_sets(self, gram: Floats, rest: Floats) -> Floats:  # float[T, C]
        """The log weights of tables of one cause or two; keeps means and covariances of their rows."""
        sets = self.members.design.row_sets
        rounds, sums = (sets.row @ np.stack([gram[0], rest], axis=1)).T
        rounds, worth, start = np.maximum(rounds, 0.0), self.worth, self.rows_start
        total = rounds[:, None] + worth  # float[R, C]
        shift = np.zeros(total.shape)
        if self.of_many.any():  # these rows are drawn to the mean of the rows, weighed by how much each tells
            weight = rounds[:, None] / total
            each = weight * (sums / np.maximum(rounds, 1e-9))[:, None]
            middle = np.add.reduceat(each, start, axis=0) / (np.add.reduceat(weight, start, axis=0) + 0.5)
            shift = np.where(self.of_many, middle[sets.set_of], 0.0)
        moved = sums[:, None] - rounds[:, None] * shift
        self.row_mean, self.row_share = shift + moved / total, 1 / total
        explained = moved**2 / total + shift * (2 * sums[:, None] - rounds[:, None] * shift)
        self.set_explained = np.add.reduceat(explained, start, axis=0)
        loss = np.add.reduceat(np.log(total / worth), start, axis=0) / 2
        return self.log_sets - loss + self._fit(self.set_explained)

    def _average(self) -> None:
        """Keeps the mean of all effects, and which members are likely enough to be looked at."""
        sets, slots = self.members.design.row_sets, self.slots
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
            k, weight, gain = self.slots[slot], self.outlier[slot], self.gain[slot]
            d, mean, inverse = len(self.means[k]), self.means[k], self.inverse(k)
            along = inverse.T @ (inverse @ sums[:d])  # V · sums
            each = mean @ sums[:d] + (gain * mean)[:, None] * along  # the sums' means, column by column, float[d, K]
            within = weight * self.noise(self.outlier_explained[slot])
            inner = (within * gain)[:, None] * along + (weight * gain * mean)[:, None] * each
            found[:d] += within.sum() * along + mean[:, None] * (weight @ each) + inverse.T @ (inverse @ inner)
        sets, start = self.members.design.row_sets, self.rows_start
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
            found[mine, : len(self.means[k])] = (
                self.means[k] + self._deviations(k, np.full(len(mine), self.explained[k]), rng)[0]
            )
        slot_of, column = np.divmod(own, design.main)
        for slot in np.unique(slot_of[kind == 2]):
            mine = np.flatnonzero((kind == 2) & (slot_of == slot))
            k, j = self.slots[slot], column[mine]
            inverse, gain, mean = self.inverse(k), self.gain[slot][j], self.means[k]
            deviations, sigmas = self._deviations(k, self.outlier_explained[slot][j], rng)
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
        self, k: int, explained: Floats, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:  # float[draws, d], float[draws]
        """Draws from a normal member around its mean, and their standard deviations of a round.

        `explained` (float[draws]) says how much of the squares is explained, by an outlier as well.
        """
        sigmas = self._sigmas(explained, rng)
        noise = rng.standard_normal((len(explained), len(self.means[k])))
        if k in self._inverses:
            return sigmas[:, None] * (noise @ self._inverses[k]), sigmas
        return sigmas[:, None] * lapack.dtrtrs(self.roots[k], noise.T, lower=1, trans=1)[0].T, sigmas
