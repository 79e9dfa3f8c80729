"""The information gain of rounds in a regression on columns, in plain numpy: the compiled one is compared with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.learners.beliefs.column_design import Design
from learners.column_oracle import LanePosterior

__all__ = ["expected_squares", "gain"]


def leaders_and_challengers(
    means: Floats, pairs: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of leaders and challengers among some actions, from draws of their means (float[draws, some]).

    A draw promises the square of how far its best is above its mean. Leaders are the best of draws taken by that, without
    putting back; a challenger is the best of another draw with another best, taken alike, or else the second best.
    """
    most = means.max(axis=1)
    equal = means >= most[:, None] - 1e-9  # one of equals, at random
    best = np.where(equal, rng.random(means.shape), -1.0).argmax(axis=1)
    promise = np.log((most - means.mean(axis=1)) ** 2 + 1e-300)
    chosen = np.argsort(-promise - rng.gumbel(size=len(promise)))[:pairs]
    others = np.where(best != best[chosen][:, None], promise + rng.gumbel(size=(len(chosen), len(promise))), -np.inf)
    challenger = best[others.argmax(axis=1)]
    for at in np.flatnonzero(np.isinf(others).all(axis=1)):
        rest = np.where(np.arange(means.shape[1]) == best[chosen[at]], -np.inf, means[chosen[at]])
        challenger[at] = np.where(rest >= rest.max() - 1e-9, rng.random(len(rest)), -1.0).argmax()
    return best[chosen], challenger


def gain(
    posterior: LanePosterior, expected: Floats, pairs: int, draws: int, rng: np.random.Generator
) -> Floats:  # float[A]
    """The share of the variance of differences that a round of each action removes, by its expected columns (float[A, D])."""
    effects = posterior.drawn(draws, rng, some=True)
    leader, challenger = leaders_and_challengers(effects @ expected.T, pairs, rng)
    apart = (expected[leader] - expected[challenger]).T  # float[D, K]
    along = posterior.covariance_with(apart)
    own = posterior.noise(np.zeros(1))
    if not posterior.members.number:
        mean = np.clip(posterior.base + expected @ posterior.mean, 0, 1)
        own = np.clip(mean * (1 - mean), 0.01, 0.25)[:, None]
    variance = np.maximum((apart * along).sum(axis=0), 1e-30)
    shown = np.stack([expected_squares(posterior.members.design, row, along) for row in expected])
    return np.asarray(np.minimum(1, shown / (variance * own)).sum(axis=1))


def expected_squares(design: Design, expected: Floats, along: Floats) -> Floats:  # float[K]
    """The expected squares of sums of effects (float[D, K]), by the expected columns of an action (float[D]).

    Causes vary one by one around what is expected, each with products that have the other cause as expected: the variance is
    the sum over all values of a cause.
    """
    found = (expected @ along) ** 2
    for k, size in enumerate(design.sizes):
        own = slice(int(design.start[k]), int(design.start[k + 1]))
        coding = design.codings[k]
        share = np.linalg.lstsq(np.vstack([coding.T, np.ones(size)]), np.append(expected[own], 1.0), rcond=None)[0]
        states = np.repeat(expected[None], size, axis=0)
        states[:, own] = coding
        main = states[:, : design.main]
        states[:, design.main :] = design.products(main)
        sums = states @ along
        found += share @ sums**2 - (share @ sums) ** 2
    return found
