"""The paper's three learners written plainly: one simulation at a time, one round after the other.

A direct implementation of the paper, with NumPy over the variables of a round and a Python loop over the rounds. It is
kept for comparison; that it gives the right regrets is tested in `tests/paper/test_reference.py`.
"""

import math

import numpy as np


class Parallel:
    """The paper's world: X_i is 1 with probability q_i, the reward depends on X_1."""

    def __init__(self, variables, m, epsilon):
        self.n = variables
        self.q = np.array([0.0] * m + [0.5] * (variables - m))
        self.p = np.concatenate([1 - self.q, self.q])  # P(X_i = 0), then P(X_i = 1)
        self.best, self.other = 0.5 + epsilon, 0.5 - self.q[0] * epsilon / (1 - self.q[0])
        self.means = np.full(2 * variables + 1, 0.5)
        self.means[variables], self.means[0] = self.best, self.other

    def sample(self, action, rng):
        """Plays one round of an action: the values of all variables, and the reward."""
        x = (rng.random(self.n) < self.q).astype(int)
        if action < 2 * self.n:
            x[action % self.n] = action // self.n
        y = int(rng.random() < (self.best if x[0] == 1 else self.other))
        return x, y


def argmax(values, rng):
    """The index of the largest value, one of the equals at random."""
    best = np.flatnonzero(values == np.max(values))
    return rng.choice(best)


def algorithm_1(world, horizon, rng):
    """The action that Algorithm 1 recommends, as in the authors' code."""
    n = world.n
    seen, won = np.zeros(2 * n + 1), np.zeros(2 * n + 1)
    half = horizon // 2
    for _ in range(half):
        x, y = world.sample(2 * n, rng)
        now = np.concatenate([1 - x, x, [1]])
        seen += now
        won += now * y
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = won / seen
    p = seen / half
    order = np.argsort(p)
    m = next(i for i in range(2 * n + 1) if p[order[i]] >= 1 / (i + 1))
    for action in order[:m]:
        count = half // m
        total = 0
        for _ in range(count):
            _, y = world.sample(action, rng)
            total += y
        mean[action] = total / count
    return argmax(np.nan_to_num(mean, nan=-1), rng)


def algorithm_2(world, horizon, rng):
    """The action that Algorithm 2 recommends, as in the authors' code."""
    n = world.n
    m = int((world.q == 0).sum())
    eta = np.zeros(2 * n + 1)
    eta[n : n + m] = 1 / (2 * m)
    eta[2 * n] = 0.5
    sums = np.zeros(2 * n + 1)
    for _ in range(horizon):
        action = rng.choice(2 * n + 1, p=eta)
        x, y = world.sample(action, rng)
        chance = np.where(x == 1, world.q, 1 - world.q)
        before = np.concatenate([[1.0], np.cumprod(chance[:-1])])
        after = np.concatenate([np.cumprod(chance[:0:-1])[::-1], [1.0]])
        others = before * after  # P(x | do(X_i = j)) is the product over the other variables
        law = np.concatenate([others * (x == 0), others * (x == 1), [np.prod(chance)]])
        sums += y * law / np.dot(eta, law)
    return int(np.argmax(sums))


def successive_rejects(world, horizon, rng):
    """The action that Successive Rejects recommends."""
    k = 2 * world.n + 1
    log_bar = 0.5 + sum(1 / i for i in range(2, k + 1))
    alive = list(range(k))
    plays, won = np.zeros(k), np.zeros(k)
    before = 0
    for phase in range(1, k):
        n = math.ceil((horizon - k) / (log_bar * (k + 1 - phase)))
        for action in alive:
            for _ in range(n - before):
                _, y = world.sample(action, rng)
                plays[action] += 1
                won[action] += y
        before = n
        mean = won[alive] / plays[alive]
        alive.pop(argmax(-mean, rng))
    return alive[0]
