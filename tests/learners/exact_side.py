"""The rules of learners whose choice depends on the order of rounds, one action at a time; nothing here uses the library."""

import math

from learners.exact_play import one_of, single


def drawn(update, chances, horizon, start):
    """A rule that draws one action by `chances(memory)`; memory grows by `update(memory, action, new n, new s)`.

    What a round brought is what the sums have grown by since then.
    """

    def rule(played, n, s, memory):
        if memory is None:
            held = start
        else:
            held, action, n0, s0 = memory
            held = update(held, action, diff(n, n0), diff(s, s0))
        if sum(played) >= horizon:
            return []
        return [(p, plan, (held, plan.index(1), n, s)) for p, plan, _ in single(chances(held)) if p]

    def diff(new, old):
        return tuple(b - a for a, b in zip(old, new, strict=True))

    return rule


def exp3_ix(k, horizon, seen):
    """Memory: the estimated losses and the sum of Q. `seen` are the chances that do(), the last action, shows each."""

    def rate(held):
        return math.sqrt(math.log(k) / (k + held[1]))

    def chances(held):
        weight = [math.exp(-rate(held) * x) for x in held[0]]
        return [w / sum(weight) for w in weight]

    def update(held, action, n, s):
        p, eta = chances(held), rate(held)
        o = [p[i] + (p[k - 1] * seen[i] if i < k - 1 else 0) for i in range(k)]
        loss = tuple(x + (n[i] - s[i]) / (o[i] + eta) for i, x in enumerate(held[0]))
        return loss, held[1] + sum(a / (b + eta) for a, b in zip(p, o, strict=True))

    return drawn(update, chances, horizon, ((0.0,) * k, 0.0))


def corral(law, horizon, wrong):
    """Corral over C-UCB and UCB by the code of Bilodeau, Wang & Roy, with or without its error.

    Memory: p, ρ of both, η of both, and the sums of both: (n, weighed rewards) of states, and of actions.
    """
    k, states, share, grow = len(law), len(law[0]), 1 / horizon, math.exp(1 / math.log(horizon))
    first = 1 / (240 * math.sqrt(2 * horizon) * math.log(horizon) ** 1.5)
    nothing = ((0,) * states, (0.0,) * states), ((0,) * k, (0.0,) * k)

    def smooth(p):
        return (1 - share) * p * share / 2 if wrong else (1 - share) * p + share / 2

    def bounds(sums, rho, t):
        wide = [rho * math.log(t) / max(1, a) for a in sums[0]]
        return [b / max(1, a) + math.sqrt(4 * w) + 4 / 3 * w for a, b, w in zip(*sums, wide, strict=True)]

    def update(held, base, cell, y):
        p, chance, rho, eta, sums = held
        divided = (p if wrong else chance) if base == 0 else (1 - p if wrong else 1 - chance)
        n, s = sums[base]
        n = tuple(a + (i == cell) for i, a in enumerate(n))
        s = tuple(b + y / divided * (i == cell) for i, b in enumerate(s))
        sums = ((n, s), sums[1]) if base == 0 else (sums[0], (n, s))
        loss = [(1 - y) / divided * (base == i) for i in (0, 1)]
        low, high = min(loss), max(loss)
        for _ in range(80):
            lam = (low + high) / 2
            total = 1 / (1 / p + eta[0] * (loss[0] - lam)) + 1 / (1 / (1 - p) + eta[1] * (loss[1] - lam))
            low, high = (lam, high) if total < 1 else (low, lam)
        p = 1 / (1 / p + eta[0] * (loss[0] - lam))
        chance = smooth(p)
        passed = [1 / chance > rho[0], 1 / (1 - chance) > rho[1]]
        rho = tuple(2 / c if over else r for c, over, r in zip((chance, 1 - chance), passed, rho, strict=True))
        if wrong:
            eta = tuple(e * grow ** sum(passed) for e in eta)
        else:
            eta = tuple(e * grow**over for e, over in zip(eta, passed, strict=True))
        return p, chance, rho, eta, sums

    def rule(played, n, s, memory):
        if memory is None:
            held = 0.5, 0.5 if wrong else smooth(0.5), (4.0, 4.0), (first, first), nothing
        else:
            held, base, n0, s0 = memory
            new = [i for i in range(states + k) if n[i] > n0[i]]
            held = update(held, base, new[0] if base == 0 else new[1] - states, s[new[0]] - s0[new[0]])
        t = sum(played) + 1
        if t > horizon:
            return []
        upper = bounds(held[4][0], held[2][0], t)
        causal = one_of([sum(p * u for p, u in zip(row, upper, strict=True)) for row in law])
        plain = one_of(bounds(held[4][1], held[2][1], t))
        plans = []
        for base, chance, choice in ((0, held[1], causal), (1, 1 - held[1], plain)):
            plans += [(chance * p, plan, (held, base, n, s)) for p, plan, _ in single(choice) if p]
        return plans

    return rule
