"""The worth of a rule where each context is counted by itself: the differences between contexts are estimated."""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats

__all__ = ["with_common_effects"]


_SPREADS = 0.0, 0.1, 0.2, 0.4, 0.7, 1.0
"""The possible spreads of the differences between contexts, as parts of the spread of all means, equally likely beforehand.
Not tuned: the last is the most that they can be."""

_UNKNOWN = 1e4
"""The factor of the variance of a pair without rounds, so that its prior is no evidence. Not tuned."""
_MOST_EFFECTS = 300
"""Contexts and actions together beyond which draws stay as they are: 4,096 pairs with so many take half a second."""


def with_common_effects(drawn: Floats, seen: Floats, chances: bool = False) -> Floats:  # float[D, C, A]
    """Draws of means (float[D, C, A]) that were independent, as they are if contexts and actions have effects in common.

    `seen` (float[C, A]) is how many rounds each pair has; one without any says nothing. Where the means are `chances`, drawn
    as Beta variables, what the prior adds to the rounds is taken off first: it moves all means towards each other.

    The mean of a pair is the effect of its context plus that of its action plus an interaction. Interactions are normal with
    an unknown spread, averaged over by how well it explains the means (restricted likelihood). The best of many independent
    means is too good to be true: with no interaction a rule gains nothing, and these draws say how likely that is.
    """
    draws, contexts, actions = drawn.shape
    if contexts + actions > _MOST_EFFECTS:
        return drawn
    rng = np.random.default_rng(2)
    mean, noise = drawn.mean(axis=0).reshape(-1), np.maximum(drawn.var(axis=0).reshape(-1), 1e-12)
    rounds = seen.reshape(-1)
    nothing = rounds <= 0
    if chances:
        own = mean * (1 - mean)
        sure = own < 1e-6  # drawn as 0 or 1 without a prior, which some rounds alike do not prove
        one = np.where(sure, (rounds + 1) / (rounds + 2) ** 2, own)  # the variance of a round
        worth = np.where(sure, rounds, np.maximum(one / noise - 1, rounds))  # rounds, and what the prior is worth
        centre = float((mean * worth).sum() / max(float(worth.sum()), 1e-9))
        mean = np.where(nothing, mean, centre + (mean - centre) * worth / np.maximum(rounds, 1e-9))
        noise = np.where(nothing, noise, one / np.maximum(rounds, 1e-9))
    noise = np.where(nothing, _UNKNOWN * noise, noise)
    design = np.zeros((contexts * actions, contexts + actions - 1))
    pairs = np.arange(contexts * actions)
    design[pairs, pairs // actions] = 1
    later = pairs % actions > 0
    design[pairs[later], contexts + pairs[later] % actions - 1] = 1
    fits, likelihood, widest = [], [], float(mean[~nothing].std()) if not nothing.all() else 0.0
    for part in _SPREADS:
        spread = (part * widest) ** 2
        weight = 1 / (noise + spread)
        information = (design.T * weight) @ design
        effects = np.linalg.solve(information, design.T @ (weight * mean))
        rest = mean - design @ effects
        fits.append((spread, effects, np.linalg.cholesky(np.linalg.inv(information))))
        likelihood.append((np.log(weight).sum() - np.linalg.slogdet(information)[1] - (weight * rest**2).sum()) / 2)
    chance = np.exp(np.array(likelihood) - max(likelihood))
    which = rng.choice(len(_SPREADS), draws, p=chance / chance.sum())
    found = np.empty((draws, contexts * actions))
    for i, (spread, effects, root) in enumerate(fits):
        mine = np.flatnonzero(which == i)
        common = (effects + rng.standard_normal((len(mine), len(effects))) @ root.T) @ design.T
        kept = spread / (spread + noise)
        own = np.sqrt(kept * noise) * rng.standard_normal(common.shape)
        found[mine] = common + kept * (mean - common) + own
    return found.reshape(drawn.shape)
