"""What a learner is expected to lose in a small game, by every possible outcome written out; nothing here uses the library.

A game says what a round of each action can bring. A rule says which plans follow which sums, and how likely each is.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

SAME = 1e-9
"""Values this close are ties, as rounding errors would otherwise decide."""


class Game(NamedTuple):
    """A small game: for each action its mean and what a round of it can bring."""

    means: tuple
    kinds: tuple
    """For each action the possible outcomes: their chance, the cells that the round counts in, and the reward."""
    cells: int


def bandit(means):
    """Each action counts in a cell of its own."""
    kinds = tuple(tuple((p if y else 1 - p, (a,), y) for y in (0, 1)) for a, p in enumerate(means))
    return Game(tuple(means), kinds, len(means))


def through(law, success, plays=False):
    """A round of action a meets state x with chance law[a][x], and counts there (with `plays`, for the action as well)."""
    kinds = []
    for a, row in enumerate(law):
        kinds.append(
            tuple(
                (p * (q if y else 1 - q), (x, len(row) + a) if plays else (x,), y)
                for x, (p, q) in enumerate(zip(row, success, strict=True))
                for y in (0, 1)
            )
        )
    means = tuple(sum(p * q for p, q in zip(row, success, strict=True)) for row in law)
    return Game(means, tuple(kinds), len(success) + len(law) * plays)


def parallel_game(q, epsilon, matching=False, watch=True):
    """The paper's parallel bandit. Actions: X1=0, X2=0, …, X1=1, X2=1, …, do(). Rounds of do() count for all values seen.

    With `matching` rounds of every action do; without `watch` there is no do().
    """
    below = q[0] * epsilon / (1 - q[0])
    names = [(i, j) for j in (0, 1) for i in range(len(q))] + [None] * watch
    kinds, means = [], []
    for a, name in enumerate(names):
        found = []
        for x in np.ndindex(*[2] * len(q)):
            p = 1.0
            for i, c in enumerate(q):
                p *= (x[i] == name[1]) if name and name[0] == i else (c if x[i] else 1 - c)
            success = 0.5 + epsilon if x[0] else 0.5 - below
            seen = [len(q) * v + i for i, v in enumerate(x)] if name is None or matching else []
            for y in (0, 1):
                if p * (success if y else 1 - success) > 0:
                    found.append((p * (success if y else 1 - success), tuple(sorted({a, *seen})), y))
        kinds.append(tuple(found))
        means.append(sum(p * y for p, _, y in found))
    return Game(tuple(means), tuple(kinds), len(names))


def expected(game, rule, keep):
    """The expected regret summed over all rounds, and that of the action kept.

    `rule(played, n, s, memory)` gives the next plans as (chance, plan, memory), none when the game is over;
    `keep(n, s, memory)` the chance with which each action is kept. n and s are rounds and successes of the cells.
    """
    best = max(game.means)
    gaps = [best - m for m in game.means]

    @functools.cache
    def value(played, n, s, memory):
        plans = rule(played, n, s, memory)
        if not plans:
            return 0.0, sum(p * g for p, g in zip(keep(n, s, memory), gaps, strict=True))
        summed, kept = 0.0, 0.0
        for chance, plan, remembered in plans:
            if chance <= 0:
                continue
            summed += chance * sum(c * g for c, g in zip(plan, gaps, strict=True))
            then = tuple(a + b for a, b in zip(played, plan, strict=True))
            for (n2, s2), p in _after(game, plan, n, s).items():
                more, regret = value(then, n2, s2, remembered)
                summed += chance * p * more
                kept += chance * p * regret
        return summed, kept

    nothing = (0,) * game.cells
    return value((0,) * len(game.means), nothing, nothing, None)


def _after(game, plan, n, s):
    """The chances of all sums after these rounds."""
    found = {(n, s): 1.0}
    for a, times in enumerate(plan):
        for _ in range(times):
            new = {}
            for (n1, s1), chance in found.items():
                for p, cells, y in game.kinds[a]:
                    n2 = tuple(k + (i in cells) for i, k in enumerate(n1))
                    s2 = tuple(k + y * (i in cells) for i, k in enumerate(s1))
                    new[n2, s2] = new.get((n2, s2), 0.0) + chance * p
            found = new
    return found


def one_of(values):
    """The chance of each action where one of the highest values is taken at random; None is below all."""
    clean = [-math.inf if v is None else v for v in values]
    top = max(clean)
    ties = [v == top or (v > -math.inf and top - v < SAME) for v in clean]
    return [t / sum(ties) for t in ties]


def means_of(n, s):
    """Successes per round; None where there was none."""
    return [b / a if a else None for a, b in zip(n, s, strict=True)]


def highest(value, horizon):
    """A rule that plays one round of an action with the highest value(played, n, s), and one that keeps the best mean."""

    def rule(played, n, s, memory):
        if sum(played) >= horizon:
            return []
        return single(one_of(value(played, n, s)))

    return rule


def single(chances):
    """Plans of one round each."""
    return [(p, tuple(int(i == a) for i in range(len(chances))), None) for a, p in enumerate(chances)]


def best_mean(actions):
    """Keeps the best mean of the first so many cells."""
    return lambda n, s, memory: one_of(means_of(n[:actions], s[:actions]))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2


@functools.cache
def _beta(a, b):
    """The density and the distribution function of Beta(a, b), both whole numbers above 0, at the nodes."""
    x = _NODES
    density = math.factorial(a + b - 1) / (math.factorial(a - 1) * math.factorial(b - 1)) * x ** (a - 1)
    below = sum(math.comb(a + b - 1, j) * x**j * (1 - x) ** (a + b - 1 - j) for j in range(a, a + b))
    return density * (1 - x) ** (b - 1), below


def chances_of_best(parameters):
    """The chance that each of independent Beta variables is the largest: exact, as the integrand is a polynomial."""
    parts = [_beta(*p) for p in parameters]
    found = []
    for i, (density, _) in enumerate(parts):
        rest = np.prod([below for j, (_, below) in enumerate(parts) if j != i], axis=0)
        found.append(float(np.sum(_WEIGHTS * density * rest)))
    return found
