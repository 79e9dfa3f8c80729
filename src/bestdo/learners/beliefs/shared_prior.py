"""Posteriors of actions' outcomes under a prior that all actions share, so that the luckiest of many is not believed.

The chances of all actions are drawn from one Beta distribution, or their means from one normal distribution, of which nothing
but a wide range is assumed; what all actions show says where it lies and how much actions differ. Of many actions that harm
alike, one shows no harm by chance: by its own rounds it looks safe, beside the others it does not.
"""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats, Ints

__all__ = ["chance_below", "chance_draws", "chance_worth", "mean_below", "mean_draws"]


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
    from scipy.special import betainc

    found = np.empty(n.shape)
    for lane in range(len(n)):
        weight, a, b, which = _shared_chances(n[lane], s[lane], float(rounds[lane]))
        found[lane] = (weight @ betainc(a, b, bound))[which]
    return found


def chance_worth(n: Floats, s: Floats, rounds: Floats) -> tuple[Floats, Floats]:  # float[L, A] each
    """The mean of each action's chance under the prior of `chance_below`, and the rounds that all rounds are worth for it.

    As many rounds of its own as make a Beta posterior of the same variance; none before the first round.
    """
    nothing = np.zeros((1, 1))
    mean, variance = _moments(nothing[0], nothing[0], 0.0)
    before = mean * (1 - mean) / variance
    found = [_moments(n[lane], s[lane], float(rounds[lane])) for lane in range(len(n))]
    mean, variance = np.array([each[0] for each in found]), np.array([each[1] for each in found])
    return mean, np.maximum(mean * (1 - mean) / np.maximum(variance, 1e-300) - before, 0.0)


def _moments(n: Floats, s: Floats, rounds: float) -> tuple[Floats, Floats]:  # float[A] each
    """The mean and the variance of each action's chance in one lane."""
    weight, a, b, which = _shared_chances(n, s, rounds)
    each, total = a / (a + b), a + b
    mean = weight @ each
    variance = weight @ (each * (1 - each) / (total + 1) + (each - mean) ** 2)
    return mean[which], variance[which]


def chance_draws(n: Floats, s: Floats, rounds: float, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
    """Joint draws of all chances of one lane under the prior of `chance_below`, from counts float[A]."""
    weight, a, b, which = _shared_chances(n, s, rounds)
    place = rng.choice(len(weight), size=draws, p=weight)
    return np.asarray(rng.beta(a[place][:, which], b[place][:, which]))


def _shared_chances(n: Floats, s: Floats, rounds: float) -> tuple[Floats, Floats, Floats, Ints]:
    """The weights of possible shared distributions (float[H]), and the posterior under each, by different counts.

    Those are the parameters of Beta distributions (float[H, N]), and the counts that each action has (int[A]).
    """
    from scipy.special import betaln, expit

    centre = expit(np.linspace(-7.0, 7.0, _CENTRES))
    a = np.multiply.outer(_WORTH, centre).ravel()[:, None]  # float[H, 1]
    b = np.multiply.outer(_WORTH, 1 - centre).ravel()[:, None]
    prior = np.tile(centre * (1 - centre), len(_WORTH))  # uniform on the centre, whose logit has even steps
    pairs, which, times = np.unique(
        np.stack([n, s]), axis=1, return_inverse=True, return_counts=True
    )  # many actions, few different counts
    good, bad = pairs[1], np.maximum(pairs[0] - pairs[1], 0.0)
    part = min(1.0, rounds / max(float(n.sum()), 1.0))
    log = part * ((betaln(a + good, b + bad) - betaln(a, b)) @ times)
    weight = prior * np.exp(log - log.max())
    return weight / weight.sum(), a + good, b + bad, which.reshape(-1)


def mean_below(mean: Floats, error: Floats, degrees: Floats, bound: float) -> Floats:  # float[L, A]
    """The probability that each action's mean is at most the bound, from means with standard errors (float[L, A]).

    The centre of the shared distribution may be anything. Student's distribution with the degrees of freedom of each mean.
    """
    from scipy.special import stdtr

    found = np.empty(mean.shape)
    for lane in range(len(mean)):
        weight, middle, spread = _shared_means(mean[lane], error[lane])
        found[lane] = weight @ stdtr(degrees[lane], (bound - middle) / spread) / weight.sum()
    return found


def mean_draws(
    mean: Floats, error: Floats, degrees: Floats, draws: int, rng: np.random.Generator
) -> Floats:  # float[D, A]
    """Joint draws of all means of one lane under the prior of `mean_below` (float[A] each)."""
    weight, middle, spread = _shared_means(mean, error)
    place = rng.choice(len(weight), size=draws, p=weight / weight.sum())
    size = draws, len(mean)
    return np.asarray(middle[place] + spread[place] * rng.standard_t(np.broadcast_to(degrees, size), size=size))


def _shared_means(mean: Floats, error: Floats) -> tuple[Floats, Floats, Floats]:
    """The weights of possible shared distributions (float[H]), and middle and spread of each mean then (float[H, A])."""
    known = error < _FAR
    if known.sum() < 2:  # nothing is shared
        return np.ones(1), mean[None], error[None]
    own = np.minimum(error, _FAR) ** 2  # float[A]
    apart_by = (_SPREADS[:, None] * np.median(error[known])) ** 2  # float[H, 1]
    part = np.where(known, 1 / (own + apart_by), 0.0)  # float[H, A]: the precision with which each shows the centre
    whole = part.sum(axis=1, keepdims=True)
    centre = part @ np.where(known, mean, 0.0) / whole[:, 0]
    apart = np.where(known, mean - centre[:, None], 0.0)
    log = -0.5 * (np.log(own + apart_by)[:, known].sum(axis=1) + np.log(whole[:, 0]) + (part * apart**2).sum(axis=1))
    left = apart_by / (own + apart_by)  # float[H, A]: which part of its distance from the centre each mean keeps
    variance = left * own + (1 - left) ** 2 / whole
    return np.exp(log - log.max()), centre[:, None] + left * apart, np.sqrt(variance)
