"""Expected regret without simulation: every possible outcome of small games, written out from the paper's text.

Nothing here uses the library but the world's numbers and, to compare, many lanes of the library's learners: a million in
the campaign.
"""

import itertools
import math

import numpy as np
import pytest

from bestdo.learners.algorithm_1 import ParallelBandit
from bestdo.learners.algorithm_2 import GeneralAlgorithm
from bestdo.simulate import parallel, play

LANES = (200_000, pytest.param(1_000_000, marks=pytest.mark.campaign))
CHUNK = 20_000


def outcomes(q, epsilon, action=None):
    """All (x, y) of a round with their probabilities; `action` is (variable, value) or None for do()."""
    below = q[0] * epsilon / (1 - q[0])
    for x in itertools.product((0, 1), repeat=len(q)):
        p = 1.0
        for i, (value, chance) in enumerate(zip(x, q, strict=True)):
            if action is not None and action[0] == i:
                p *= value == action[1]
            else:
                p *= chance if value else 1 - chance
        success = 0.5 + epsilon if x[0] else 0.5 - below
        for y in (0, 1):
            chance = p * (success if y else 1 - success)
            if chance > 0:
                yield x, y, chance


def multisets(kinds, size):
    """All ways to draw `size` rounds of these kinds: counts and probability."""
    for drawn in itertools.combinations_with_replacement(range(len(kinds)), size):
        full = tuple(drawn.count(kind) for kind in range(len(kinds)))
        ways = math.factorial(size)
        p = 1.0
        for c, (*_, chance) in zip(full, kinds, strict=True):
            ways //= math.factorial(c)
            p *= chance**c
        yield full, ways * p


def true_means(q, epsilon):
    names = [(i, j) for i in range(len(q)) for j in (0, 1)] + [None]
    return {a: sum(p * y for _, y, p in outcomes(q, epsilon, a)) for a in names}


def expected(values, means):
    """The expected regret of taking one of the best estimates at random."""
    top = max(values.values())
    best = [a for a, v in values.items() if abs(v - top) < 1e-12]
    return max(means.values()) - sum(means[a] for a in best) / len(best)


def algorithm_1(q, epsilon, horizon, rule):
    """Algorithm 1 line by line, second phase only, no leftover rounds; `rule` says which actions are rare."""
    means, n, half = true_means(q, epsilon), len(q), horizon // 2
    kinds = list(outcomes(q, epsilon))
    total = 0.0
    for counts, chance in multisets(kinds, half):
        if chance == 0:
            continue
        seen, won = dict.fromkeys(means, 0), dict.fromkeys(means, 0)
        for c, (x, y, _) in zip(counts, kinds, strict=True):
            for a in means:
                if a is None or x[a[0]] == a[1]:
                    seen[a] += c
                    won[a] += c * y
        p = {a: seen[a] / half for a in means if a is not None}
        small = [min(p[i, 0], p[i, 1]) for i in range(n)]
        m = next(tau for tau in range(2, n + 1) if sum(s < 1 / tau for s in small) <= tau)
        rare = [a for a in p if rule(p[a], m)]
        each = half // len(rare) if rare else 0
        estimate = {a: won[a] / seen[a] if seen[a] else -1.0 for a in means}
        if each == 0:
            total += chance * expected(estimate, means)
            continue
        for wins in itertools.product(range(each + 1), repeat=len(rare)):
            here = chance
            for a, w in zip(rare, wins, strict=True):
                here *= math.comb(each, w) * means[a] ** w * (1 - means[a]) ** (each - w)
                estimate[a] = w / each
            if here > 0:
                total += here * expected(estimate, means)
    return total


def algorithm_2(q, epsilon, counts):
    """Algorithm 2 untruncated, each action played as often as `counts` says, weights from the counts."""
    means = true_means(q, epsilon)
    eta = {a: c / sum(counts.values()) for a, c in counts.items()}

    def law(x, a):
        return math.prod(
            (x[i] == a[1]) if a is not None and a[0] == i else (c if x[i] else 1 - c) for i, c in enumerate(q)
        )

    plays = [a for a, c in counts.items() for _ in range(c)]
    total = 0.0
    for rounds in itertools.product(*(list(outcomes(q, epsilon, a)) for a in plays)):
        chance = math.prod(p for *_, p in rounds)
        estimate = dict.fromkeys(means, 0.0)
        for x, y, _ in rounds:
            if y:
                mixture = sum(e * law(x, b) for b, e in eta.items())
                for a in means:
                    estimate[a] += law(x, a) / mixture
        total += chance * expected({a: round(v, 9) for a, v in estimate.items()}, means)
    return total


def simulated(q, epsilon, horizon, learner, lanes):
    """Mean and standard error of so many lanes."""
    world = parallel(q, epsilon)
    rng = np.random.default_rng(20161205)
    regret = np.concatenate([play(world, learner, horizon, CHUNK, seed=rng) for _ in range(lanes // CHUNK)])
    return regret.mean(), regret.std() / math.sqrt(lanes)


ONE = [
    ((0.5, 0.5), 0.3, 4),
    ((0.1, 0.5), 0.3, 6),
    ((0.0, 0.5), 0.4, 6),
    ((0.3, 0.9), 0.2, 8),
    ((0.2, 0.5, 0.5), 0.3, 4),
]


@pytest.mark.parametrize(("q", "epsilon", "horizon"), ONE)
@pytest.mark.parametrize("rare", ["at_most", "below"])
@pytest.mark.parametrize("lanes", LANES)
def test_algorithm_1(q, epsilon, horizon, rare, lanes):
    rules = {"at_most": lambda p, m: p <= 1 / m, "below": lambda p, m: p < 1 / m}
    learner = ParallelBandit(rare=rare, difficulty="variables", pooled=False, leftover=False, watch_on=False)
    mean, error = simulated(q, epsilon, horizon, learner, lanes)
    assert abs(mean - algorithm_1(q, epsilon, horizon, rules[rare])) < 3 * error


TWO = [
    ((0.5, 0.5), 0.3, {None: 3, (0, 1): 1}),
    ((0.1, 0.5), 0.3, {None: 2, (0, 1): 2}),
    ((0.0, 0.5), 0.4, {None: 2, (0, 1): 3}),
    ((0.3, 0.9), 0.2, {None: 2, (0, 1): 1, (1, 0): 1}),
    ((0.2, 0.5, 0.5), 0.3, {None: 2, (0, 1): 1}),
]


@pytest.mark.parametrize(("q", "epsilon", "counts"), TWO)
@pytest.mark.parametrize("lanes", LANES)
def test_algorithm_2(q, epsilon, counts, lanes):
    world = parallel(q, epsilon)
    eta = [0.0] * len(world.problem.actions)
    for i, action in enumerate(world.problem.actions):
        key = next(((int(n[1:]) - 1, int(v)) for n, v in action.items()), None)
        eta[i] = counts.get(key, 0) / sum(counts.values())
    learner = GeneralAlgorithm(eta=tuple(eta), estimator="importance", rounded=True)
    mean, error = simulated(q, epsilon, sum(counts.values()), learner, lanes)
    assert abs(mean - algorithm_2(q, epsilon, counts)) < 3 * error
