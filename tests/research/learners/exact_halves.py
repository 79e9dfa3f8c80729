"""Half of a budget of do(), then plays, where X is the only cause: all outcomes written out without the library."""

import itertools
import math

import numpy as np


def outcomes(rounds, chances):
    """Every vector of counts of so many rounds over cells with these chances, with its probability."""
    for counts in itertools.product(range(rounds + 1), repeat=len(chances)):
        if sum(counts) == rounds:
            ways = math.factorial(rounds) / math.prod(map(math.factorial, counts))
            yield np.array(counts), ways * math.prod(c**n for c, n in zip(chances, counts, strict=True))


def chance_of_one(q, success, budget, cost, watch_on, pooled):
    """The probability of recommending do(X=1), P(X=1) = q, where the value seen less often is played in the second half.

    `watch_on(share)` says whether it watches on instead, by the share of that value; on equal shares it does. The mean of
    the value that is played is over all rounds with `pooled`, otherwise over its plays.
    """
    cells = [(1 - q) * (1 - success[0]), (1 - q) * success[0], q * (1 - success[1]), q * success[1]]
    half, total = budget // 2, 0.0
    for seen, chance in outcomes(half, cells):
        n = seen.reshape(2, 2).sum(axis=1)
        rare = int(n[1] < n[0])
        on = n[0] == n[1] or watch_on(n.min() / half)
        law = [1 - success[rare], success[rare]]
        for new, weight in outcomes(half, cells) if on else outcomes(half // cost, law):
            sums = seen.reshape(2, 2).astype(float)
            if on:
                sums += new.reshape(2, 2)
            else:
                sums[rare] = sums[rare] * pooled + new
            with np.errstate(invalid="ignore"):
                mean = np.nan_to_num(sums[:, 1] / sums.sum(axis=1), nan=-1.0)
            total += chance * weight * (0.5 if mean[0] == mean[1] else float(mean[1] > mean[0]))
    return total
