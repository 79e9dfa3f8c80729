"""Posteriors of actions' outcomes under a prior that all actions share, so that the luckiest of many is not believed.

The chances of all actions are drawn from one Beta distribution, or their means from one normal distribution, of which nothing
but a wide range is assumed; what all actions show says where it lies and how much actions differ. Of many actions that harm
alike, one shows no harm by chance: by its own rounds it looks safe, beside the others it does not.
"""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats

__all__ = ["chance_below", "mean_below"]


_CENTRES = 41
"""Centres of the shared distribution of chances: quantiles of the uniform prior, closer together towards 0 and 1."""
_WORTH = 2.0 ** np.arange(1, 10)
"""In rounds, what the shared distribution is worth: 2 lets every action be anything, 512 makes all nearly the same."""
_SPREADS = np.geomspace(0.01, 100.0, 25)
"""Standard deviations of the shared distribution of means, in units of the median standard error of the actions' means."""
_FAR = 1e100  # the error of a mean of which nothing is known, in place of infinity


def chance_below(n: Floats, s: Floats, bound: float, rounds: Floats) -> Floats:  # float[L, A]
    """The probability that each action's chance is at most the bound, from s events in n rounds (float[L, A]).

    A round can count for several actions. `rounds` (float[L]) is how many there are at least: what is learned of the shared
    distribution counts as that many.
    """
    from scipy.special import betainc, betaln, expit

    logit = np.linspace(-7.0, 7.0, _CENTRES)
    centre = expit(logit)
    a = np.multiply.outer(_WORTH, centre).ravel()[:, None]  # float[H, 1]
    b = np.multiply.outer(_WORTH, 1 - centre).ravel()[:, None]
    prior = np.tile(centre * (1 - centre), len(_WORTH))  # uniform on the centre, whose logit has even steps
    found = np.empty(n.shape)
    for lane in range(len(n)):
        pairs, which, times = np.unique(
            np.stack([n[lane], s[lane]]), axis=1, return_inverse=True, return_counts=True
        )  # many actions, few different counts
        good, bad = pairs[1], np.maximum(pairs[0] - pairs[1], 0.0)
        part = min(1.0, float(rounds[lane]) / max(float(n[lane].sum()), 1.0))
        log = part * ((betaln(a + good, b + bad) - betaln(a, b)) @ times)
        weight = prior * np.exp(log - log.max())
        below = betainc(a + good, b + bad, bound)
        found[lane] = ((weight / weight.sum()) @ below)[which.reshape(-1)]
    return found


def mean_below(mean: Floats, error: Floats, degrees: Floats, bound: float) -> Floats:  # float[L, A]
    """The probability that each action's mean is at most the bound, from means with standard errors (float[L, A]).

    The centre of the shared distribution may be anything. Student's distribution with the degrees of freedom of each mean.
    """
    from scipy.special import stdtr

    found = np.empty(mean.shape)
    for lane in range(len(mean)):
        known = error[lane] < _FAR
        if known.sum() < 2:  # nothing is shared
            found[lane] = stdtr(degrees[lane], (bound - mean[lane]) / error[lane])
            continue
        own = np.minimum(error[lane], _FAR) ** 2  # float[A]
        spread = (_SPREADS[:, None] * np.median(error[lane][known])) ** 2  # float[H, 1]
        part = np.where(known, 1 / (own + spread), 0.0)  # float[H, A]: the precision with which each shows the centre
        whole = part.sum(axis=1, keepdims=True)
        centre = part @ np.where(known, mean[lane], 0.0) / whole[:, 0]
        apart = np.where(known, mean[lane] - centre[:, None], 0.0)
        log = -0.5 * (np.log(own + spread)[:, known].sum(axis=1) + np.log(whole[:, 0]) + (part * apart**2).sum(axis=1))
        weight = np.exp(log - log.max())
        left = spread / (own + spread)  # float[H, A]: which part of its distance from the centre each mean keeps
        middle = centre[:, None] + left * apart
        variance = left * own + (1 - left) ** 2 / whole
        below = stdtr(degrees[lane], (bound - middle) / np.sqrt(variance))
        found[lane] = weight @ below / weight.sum()
    return found
