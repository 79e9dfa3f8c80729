"""BBB with one cause X of the reward Y and the actions do(X=0), do(X=1), do(): all outcomes, from the paper; no library code.

A state counts the rounds of do() by X and Y, then the plays of do(X=0) and do(X=1) by Y: eight numbers, failures first. There
are two orders of X and Y, and each of 32 chains is in one of them. How many are in the order X, Y is a chance variable of 33
values, whose distribution is carried along with every state: so nothing is left to chance, nor to how well the chains mix.
"""

import math

import numpy as np
from scipy import special

CHAINS, PROPOSALS, PROPOSALS_AT_FIRST = 32, 5, 500
SAMPLE_SIZE = 8.0
TIE = 1e-9


def likelihood(rows):
    """The marginal likelihood of a table, a row of counts for each state of the parents: one round after another."""
    found = 1.0
    for row in rows:
        prior = SAMPLE_SIZE / (len(rows) * len(row))
        before = 0
        for count in row:
            for i in range(count):
                found *= (prior + i) / (prior * len(row) + before)
                before += 1
    return found


def families(state):
    """The likelihoods of X without a parent and with Y (over rounds of do()), and of Y without a parent and with X."""
    w = np.array(state[:4]).reshape(2, 2)
    everything = w + np.array(state[4:]).reshape(2, 2)
    tables = [w.sum(axis=1)], w.T, [everything.sum(axis=0)], everything
    return [likelihood([[int(c) for c in row] for row in table]) for table in tables]


def no_parent(state, share):
    """The probability that X has no parent, where so large a share of the orders begins with X."""
    alone, with_y, *_ = families(state)
    return share + (1 - share) * alone / (alone + with_y)


def share_of_all(state):
    """The share of the order X, Y where the orders are weighed exactly, by all graphs that agree with them."""
    alone, with_y, y_alone, with_x = families(state)
    x_first, y_first = alone * (y_alone + with_x), (alone + with_y) * y_alone
    return x_first / (x_first + y_first)


def moved(state, proposals=PROPOSALS):
    """How many chains are in the order X, Y, given how many were: each proposes the other order so often (Metropolis)."""
    share = share_of_all(state)
    leave, come = min(1.0, (1 - share) / share), min(1.0, share / (1 - share))
    stay, arrive = np.linalg.matrix_power([[1 - leave, leave], [come, 1 - come]], proposals)[:, 0]
    found = np.zeros((CHAINS + 1, CHAINS + 1))
    for k in range(CHAINS + 1):
        found[k] = np.convolve(binomial(k, stay), binomial(CHAINS - k, arrive))
    return found


def binomial(n, p):
    return np.array([math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)])


def back_door(n, good, all_rounds):
    """The mean of Y among the n rounds of do() with this X, and how many rounds it is worth: at least 1.

    Where there are none, with one round more that is spread over both values of X; so in the variance as well.
    """
    smooth = (good + 0.25) / (n + 0.5)
    mean = good / n if n else smooth
    mean = min(max(mean, 0.5 / (all_rounds + 1)), 1 - 0.5 / (all_rounds + 1))
    variance = smooth * (1 - smooth) / (n + 0.5)
    return mean, min(max(mean * (1 - mean) / variance - 1, 1.0), all_rounds + 1.0)


def posteriors(state):
    """For do(X=0), do(X=1) and do() the Beta distribution where X has no parent, and where Y is its parent."""
    failed, good = state[0] + state[2], state[1] + state[3]
    rounds = failed + good
    found = []
    for x in (0, 1):
        priors = (
            back_door(state[2 * x] + state[2 * x + 1], state[2 * x + 1], rounds),
            (
                (good + 0.5) / (rounds + 1),
                max(rounds, 1.0),
            ),
        )
        bad, well = state[4 + 2 * x : 6 + 2 * x]
        found.append([(m * worth + well, (1 - m) * worth + bad) for m, worth in priors])
    return [*found, [(0.5 + good, 0.5 + failed)] * 2]


def quantiles(state, weight, p):
    """The p-quantile of each action's mixture, weight (float[K]) that X has no parent: float[3, K]."""
    found = []
    for first, second in posteriors(state):
        low, high = np.zeros(len(weight)), np.ones(len(weight))
        for _ in range(50):
            middle = (low + high) / 2
            below = weight * special.betainc(*first, middle) + (1 - weight) * special.betainc(*second, middle) < p
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        found.append((low + high) / 2)
    return np.array(found)


def means(state, weight):
    """The posterior mean of each action: float[3, K]."""
    return np.array([weight * a / (a + b) + (1 - weight) * c / (c + d) for (a, b), (c, d) in posteriors(state)])


def chosen(values):
    """The chance of each action where the highest value is taken, ties at random: float[3, K]."""
    ties = values > values.max(axis=0) - TIE
    return ties / ties.sum(axis=0)


def outcomes(q, success, action):
    """What a round can bring: the chance, and which count grows."""
    for x in (0, 1):
        for y in (0, 1):
            p = success[x] if y else 1 - success[x]
            if action == 2:
                yield (q if x else 1 - q) * p, 2 * x + y
            elif action == x:
                yield p, 4 + 2 * x + y


def expected(q, success, horizon, old, chains=True):
    """The expected regret, summed and of the action kept, after these old rounds of do() (by X and Y).

    Without `chains` by the exact average over both orders.
    """
    true = np.array([*success, (1 - q) * success[0] + q * success[1]])
    gaps = true.max() - true
    start = (*old, 0, 0, 0, 0)
    states = {start: binomial(CHAINS, 0.5) @ moved(start, PROPOSALS_AT_FIRST) if chains else np.ones(1)}
    summed = 0.0
    for played in range(horizon + 1):
        after, kept = {}, 0.0
        for state, chance in states.items():
            if chains and played:
                chance = chance @ moved(state)
            shares = np.arange(CHAINS + 1) / CHAINS if chains else np.array([share_of_all(state)])
            weight = no_parent(state, shares)
            if played == horizon:
                kept += gaps @ chosen(means(state, weight)) @ chance
                continue
            choice = chosen(quantiles(state, weight, 1 - 1 / (played + 1))) * chance
            summed += gaps @ choice.sum(axis=1)
            for action, own in enumerate(choice):
                if own.any():
                    for p, place in outcomes(q, success, action):
                        new = (*state[:place], state[place] + 1, *state[place + 1 :])
                        after[new] = after.get(new, 0.0) + p * own
        states = after
    return summed, kept
