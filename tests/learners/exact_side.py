"""More rules of published learners, some of which depend on the order of rounds; nothing here uses the library."""

import math

from learners.exact_play import Game, one_of, single


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


def one_cause_game(q, success):
    """X -> Y, actions X=0, X=1 and do(). Cells: X=0, X=1 where X was not set, and the rounds with X=0, and with X=1."""
    kinds = []
    for v in (0, 1):
        kinds.append(tuple((success[v] if y else 1 - success[v], (2 + v,), y) for y in (0, 1)))
    kinds.append(
        tuple(
            ((q if x else 1 - q) * (success[x] if y else 1 - success[x]), (x, 2 + x), y) for x in (0, 1) for y in (0, 1)
        )
    )
    return Game((*success, (1 - q) * success[0] + q * success[1]), tuple(kinds), 4)


def linear_models(horizon, radius):
    """BLM-LR and BGLM-OFU with one cause and 0.15 of their radius: bounds cut at 1, a constant and a slope for the reward."""

    def value(played, n, s):
        rho = 0.15 * radius(3, sum(played) + 1, horizon)
        free = n[0] + n[1]
        x = min(1.0, n[1] / (1 + free) + rho / math.sqrt(1 + free))
        m = [[1 + n[2] + n[3], n[3]], [n[3], 1 + n[3]]]  # I + sum of (1, x)(1, x)'
        det = m[0][0] * m[1][1] - m[0][1] ** 2
        inverse = [[m[1][1] / det, -m[0][1] / det], [-m[0][1] / det, m[0][0] / det]]
        b = s[2] + s[3], s[3]
        theta = [sum(i * j for i, j in zip(row, b, strict=True)) for row in inverse]
        found = []
        for z in (0.0, 1.0, x):
            width = inverse[0][0] + 2 * z * inverse[0][1] + z * z * inverse[1][1]
            found.append(max(0.0, min(1.0, theta[0] + z * theta[1] + rho * math.sqrt(width))))
        return found

    return value


def rho_lr(n, t, horizon):
    return math.sqrt(n * math.log(1 + n * t) + 2 * math.log(n * math.sqrt(horizon))) + math.sqrt(n)


def rho_ofu(n, t, horizon):
    return 3 * math.sqrt(math.log(3 * n * math.sqrt(horizon)))


def mean_by_tables(n, s, memory):
    rows = [s[2 + x] / n[2 + x] if n[2 + x] else 0.5 for x in (0, 1)]
    one = n[1] / (n[0] + n[1]) if n[0] + n[1] else 0.5
    return one_of([*rows, (1 - one) * rows[0] + one * rows[1]])


def lingape(law, horizon, delta=0.05):
    """LinGapE by rank-one updates of the inverse, two states; rewards count from 1/2. No round is left out for being sure."""

    def fit(n, s):
        inverse, b = [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0]
        log_det = 0.0
        for row, rounds, won in zip(law, n, s, strict=True):
            b = [c + x * (won - rounds / 2) for c, x in zip(b, row, strict=True)]
            for _ in range(rounds):
                u = times(inverse, row)
                down = 1 + dot(row, u)
                log_det += math.log(down) / 2
                inverse = [[inverse[i][j] - u[i] * u[j] / down for j in (0, 1)] for i in (0, 1)]
        return inverse, times(inverse, b), log_det

    def dot(x, y):
        return x[0] * y[0] + x[1] * y[1]

    def times(m, x):
        return [dot(m[0], x), dot(m[1], x)]

    def rule(played, n, s, memory):
        if not sum(played):
            return [(1.0, (1,) * len(law), None)]
        if sum(played) >= horizon:
            return []
        inverse, theta, log_det = fit(n, s)
        wide = 0.5 * math.sqrt(2 * (log_det + math.log(1 / delta))) + math.sqrt(2) / 2
        mean = [dot(row, theta) for row in law]
        chance = [0.0] * len(law)
        for i, p in enumerate(one_of(mean)):
            gap = []
            for j, row in enumerate(law):
                y = [a - b for a, b in zip(law[i], row, strict=True)]
                gap.append(None if i == j else mean[j] - mean[i] + wide * math.sqrt(dot(y, times(inverse, y))))
            assert not p or max(g for g in gap if g is not None) > 0
            for j, q in enumerate(one_of(gap)):
                y = [a - b for a, b in zip(law[i], law[j], strict=True)]
                left = []
                for row in law:  # the length of y after one more round of this row
                    u = times(inverse, row)
                    left.append(-dot(y, times(inverse, y)) + dot(y, u) ** 2 / (1 + dot(row, u)))
                for a, r in enumerate(one_of(left)):
                    chance[a] += p * q * r
        return single(chance)

    def keep(n, s, memory):
        return one_of([dot(row, fit(n, s)[1]) for row in law])

    return rule, keep


def hac_ucb(law, horizon):
    """Bilodeau, Wang & Roy's code; no contradiction can be found in so few rounds (asserted)."""
    log = 2 * math.log(horizon)

    def rule(played, n, s, memory):
        sweeps = round(math.sqrt(horizon) / 3 + 1)
        if not sum(played):
            return [(1.0, (sweeps,) * 3, None)]
        if sum(played) >= horizon:
            return []
        upper = [s[i] / max(1, n[i]) + math.sqrt(log / (2 * max(1, n[i]))) for i in range(5)]
        by_states = [sum(p * u for p, u in zip(row, upper, strict=False)) for row in law]
        for a in range(3):
            off = upper[2 + a] - by_states[a]
            below = sum(p * math.sqrt(2 * log / max(1, n[x])) for x, p in enumerate(law[a]))
            assert -below <= off <= math.sqrt(2 * log / n[2 + a])
        ties = [by > max(by_states) - 1e-9 for by in by_states]
        return single(one_of([k if t else None for k, t in zip(played, ties, strict=True)]))

    return rule


def wu_side_observations(horizon, seen, alpha, power):
    """Wu, György & Szepesvári's rule with do() as the last action, which shows the others with these chances.

    Memory: how many rounds were not of the best so far, n_e. Rewards have the variance 1/4. An action not seen yet is
    shown first; all others have been seen then.
    """
    k = len(seen) + 1

    def plan(gaps, wanted):
        """The cheapest corner of the linear program: the rounds of do() after which some action needs none of its own.

        The fewest of equally cheap ones, but the most where watching costs nothing.
        """
        found = []
        for watch in {wanted[-1], *(w / p for w, p in zip(wanted[:-1], seen, strict=True))}:
            if watch >= wanted[-1]:
                own = [max(0.0, w - watch * p) for w, p in zip(wanted[:-1], seen, strict=True)]
                cost = sum(c * g for c, g in zip((*own, watch), gaps, strict=True))
                found.append((round(cost, 9), watch if gaps[-1] else -watch, (*own, watch)))
        return min(found)[2]

    def rule(played, n, s, memory):
        t, explored = sum(played), memory or 0
        if t >= horizon:
            return []
        if 0 in n:
            chances = one_of([-a for a in n])
            return [(p, step, explored + 1) for p, step, _ in single(chances)]
        mean = [b / a for a, b in zip(n, s, strict=True)]
        gaps = [max(mean) - m for m in mean]
        best = mean.index(max(mean))
        near = [max(g, 1e-3) for g in gaps]
        near[best] = min(g for a, g in enumerate(near) if a != best)
        wanted = [0.25 * 2 / g**2 for g in near]
        times = 4 * alpha * math.log(max(2, t))
        if all(a >= times * w for a, w in zip(n, wanted, strict=True)):
            return [(p, step, explored) for p, step, _ in single(one_of(mean))]
        if min(n) < 0.5 * explored**power / k:
            chances = one_of([-a for a in n])
        else:
            chances = one_of([times * c - a for c, a in zip(plan(gaps, wanted), played, strict=True)])
        return [(p, step, explored + 1) for p, step, _ in single(chances)]

    return rule
