"""What a rule is worth where each context is counted by itself: how much actions differ between contexts is estimated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["with_common_effects"]

Floats = NDArray[np.float64]

_SPREADS = 0.0, 0.1, 0.2, 0.4, 0.7, 1.0
"""How widely the differences between contexts may be spread, as parts of the spread of all means, equally likely beforehand.
Not tuned: the last is the most that they can be."""

_MOST_EFFECTS = 300
"""Contexts and actions together beyond which draws stay as they are: 4,096 pairs with so many take half a second."""


def with_common_effects(drawn: Floats) -> Floats:  # float[D, C, A]
    """Draws of means (float[D, C, A]) that were independent, as they are if contexts and actions have effects in common.

    The mean of a pair is the effect of its context plus that of its action plus an interaction. Interactions are normal with
    an unknown spread, averaged over by how well it explains the means (restricted likelihood). The best of many independent
    means is too good to be true: with no interaction a rule gains nothing, and these draws say how likely that is.
    """
    draws, contexts, actions = drawn.shape
    if contexts + actions > _MOST_EFFECTS:
        return drawn
    rng = np.random.default_rng(2)
    mean, noise = drawn.mean(axis=0).reshape(-1), np.maximum(drawn.var(axis=0).reshape(-1), 1e-12)
    design = np.zeros((contexts * actions, contexts + actions - 1))
    pairs = np.arange(contexts * actions)
    design[pairs, pairs // actions] = 1
    later = pairs % actions > 0
    design[pairs[later], contexts + pairs[later] % actions - 1] = 1
    fits, likelihood = [], []
    for part in _SPREADS:
        spread = (part * mean.std()) ** 2
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
