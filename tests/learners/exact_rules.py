"""The rules of published learners, one action and one state at a time, from their papers; nothing here uses the library."""

import itertools
import math
from statistics import NormalDist

import numpy as np

from learners.exact_play import Game, chances_of_best, means_of, one_of, single

LAW, SUCCESS = ((0.9, 0.1), (0.5, 0.5), (0.3, 0.7)), (0.3, 0.8)
"""The chances of two states of the reward's only cause under each of three actions, and of success in each state."""


def ucb(alpha):
    def value(played, n, s):
        t = max(1, sum(n))
        return [b / a + math.sqrt(alpha * math.log(t) / (2 * a)) if a else math.inf for a, b in zip(n, s, strict=True)]

    return value


def kl_ucb(played, n, s):
    if 0 in n:
        return [float(a == 0) for a in n]
    level = math.log(sum(n) + 1)

    def bound(p, most):
        low, high = p, 1.0
        for _ in range(60):
            q = (low + high) / 2
            d = (p * math.log(p / q) if p else 0) + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0)
            low, high = (q, high) if d <= most else (low, q)
        return low

    return [bound(b / a, level / a) for a, b in zip(n, s, strict=True)]


def thompson(horizon):
    def rule(played, n, s, memory):
        chances = chances_of_best([(1 + b, 1 + a - b) for a, b in zip(n, s, strict=True)])
        return single(chances) if sum(played) < horizon else []

    return rule


def posterior_mean(n, s, memory):
    return one_of([(1 + b) / (2 + a) for a, b in zip(n, s, strict=True)])


def top_two(horizon, tries=20):
    """The leader with chance 1/2; else another best of further draws, the second best of the last of `tries`."""

    def rule(played, n, s, memory):
        if sum(played) >= horizon:
            return []
        beta = [(1 + b, 1 + a - b) for a, b in zip(n, s, strict=True)]
        p = chances_of_best(beta)
        chance = [0.5 * x for x in p]
        for i, leads in enumerate(p):
            others = [j for j in range(len(p)) if j != i]
            last = chances_of_best([beta[j] for j in others])
            for j, second in zip(others, last, strict=True):
                again = leads ** (tries - 1)
                chance[j] += 0.5 * leads * (p[j] * (1 - again) / (1 - leads) + again * second)
        return single(chance)

    return rule


def npts(horizon):
    """Two values: Beta(1 + successes, failures), and 1 where there are no failures."""

    def rule(played, n, s, memory):
        if sum(played) >= horizon:
            return []
        sure = [a == b for a, b in zip(n, s, strict=True)]
        if any(sure):
            return single(one_of([float(x) for x in sure]))
        return single(chances_of_best([(1 + b, a - b) for a, b in zip(n, s, strict=True)]))

    return rule


def linear_thompson(horizon):
    """Two actions with a coefficient each: normal with mean (s - n / 2) / (n + 1) and spread 1 / 2√(n + 1)."""

    def rule(played, n, s, memory):
        if sum(played) >= horizon:
            return []
        mean = [(b - a / 2) / (a + 1) for a, b in zip(n, s, strict=True)]
        spread = math.sqrt(sum(0.25 / (a + 1) for a in n))
        p = NormalDist().cdf((mean[1] - mean[0]) / spread)
        return single([1 - p, p])

    return rule


def shrunken_mean(n, s, memory):
    return one_of([(b - a / 2) / (a + 1) for a, b in zip(n, s, strict=True)])


def lucb(horizon, delta=0.05):
    def rule(played, n, s, memory):
        k, left = len(n), horizon - sum(played)
        if not any(n):
            return [(1.0, (1,) * k, None)]
        if not left:
            return []
        beta = [math.sqrt(math.log(1.25 * k * sum(n) ** 4 / delta) / (2 * a)) for a in n]
        mean, plans = means_of(n, s), []
        for leader, p in enumerate(one_of(mean)):
            rivals = one_of([None if a == leader else mean[a] + beta[a] for a in range(k)])
            for rival, q in enumerate(rivals):
                if p * q and mean[rival] + beta[rival] < mean[leader] - beta[leader]:
                    raise AssertionError("sure too soon for this check")
                plan = tuple(int(a == leader) + int(a == rival and left > 1) for a in range(k))
                plans.append((p * q, plan, None))
        return plans

    return rule


def survivors(alive, keep, n, s):
    """Who is left, with what chance, when the worst are dropped one by one, ties at random."""
    if len(alive) <= keep:
        return {alive: 1.0}
    found = {}
    for worst, p in zip(alive, one_of([-s[a] / n[a] for a in alive]), strict=True):
        if p:
            for rest, q in survivors(tuple(a for a in alive if a != worst), keep, n, s).items():
                found[rest] = found.get(rest, 0.0) + p * q
    return found


def dropping(phases):
    """Phases of (plays, keep). Memory: the phase, and who is in."""

    def rule(played, n, s, memory):
        phase, alive = memory or (0, tuple(range(len(n))))
        if phase > len(phases):
            return []
        still = survivors(alive, phases[phase - 1][1], n, s) if phase else {alive: 1.0}
        if phase == len(phases):
            return [(p, (0,) * len(n), (phase + 1, rest)) for rest, p in still.items()]
        plays = phases[phase][0]
        return [(p, tuple(plays * (a in rest) for a in range(len(n))), (phase + 1, rest)) for rest, p in still.items()]

    return rule


def the_last(n, s, memory):
    return [float(a in memory[1]) for a in range(len(n))]


def dropping_schedule(actions, horizon):
    """Audibert & Bubeck (2010), figure 2: plays of each phase, and how many stay."""
    bar = 0.5 + sum(1 / i for i in range(2, actions + 1))
    upto = [0] + [math.ceil((horizon - actions) / (bar * (actions + 1 - k))) for k in range(1, actions)]
    return [(b - a, actions - k) for k, (a, b) in enumerate(itertools.pairwise(upto), 1)]


def sequential_halving(actions, horizon):
    """Karnin, Koren & Somekh (2013), Algorithm 1, where no rounding occurs."""
    phases, size = [], actions
    for _ in range(math.ceil(math.log2(actions))):
        plays = horizon / (size * math.ceil(math.log2(actions)))
        assert plays == int(plays)
        size = math.ceil(size / 2)
        phases.append((int(plays), size))
    return dropping(phases)


def successive_elimination(sweeps, delta):
    """Two actions: both are played until one is 2α behind, or the rounds end. Memory: who was dropped."""

    def rule(played, n, s, memory):
        t = n[0]
        if t and memory is None:
            alpha = math.sqrt(math.log(math.pi**2 / 3 * 2 * t**2 / delta) / (2 * t))
            if abs(s[0] - s[1]) / t >= 2 * alpha:
                return [(1.0, (0, 0), "over")]
        return [(1.0, (1, 1), None)] if memory is None and t < sweeps else []

    return rule


def evenly(played, n, s, memory):
    """Seven rounds of three actions: two each, and one at random."""
    if sum(played):
        return []
    return [(1 / 3, tuple(2 + (a == b) for a in range(3)), None) for b in range(3)]


def c_ucb(horizon, radius):
    def value(played, n, s):
        log = 2 * math.log(horizon)
        upper = [b / max(1, a) + math.sqrt(radius * log / max(1, a)) for a, b in zip(n, s, strict=True)]
        return [sum(p * u for p, u in zip(row, upper, strict=True)) for row in LAW]

    return value


def c_ucb_2(law):
    least = [min(row[x] for row in law) for x in range(2)]

    def value(played, n, s):
        t = sum(n) + 1
        radius = math.sqrt(math.log(2 * t * t) / (2 * t))
        return [sum(p * (s[x] / max(1, n[x]) + radius / least[x]) for x, p in enumerate(row)) for row in law]

    return value


def c_ts(horizon):
    """With two states the best action of a draw is one of the two that lead to either state most often."""

    def rule(played, n, s, memory):
        if sum(played) >= horizon:
            return []
        first = chances_of_best([(1 + b, 1 + a - b) for a, b in zip(n, s, strict=True)])[0]
        return single([first, 0.0, 1 - first])

    return rule


def mean_by_states(law):
    def keep(n, s, memory):
        n, s = n[:2], s[:2]
        theta = [b / a if a else sum(s) / max(1, sum(n)) for a, b in zip(n, s, strict=True)]
        return one_of([sum(p * t for p, t in zip(row, theta, strict=True)) for row in law])

    return keep


def crm(horizon):
    def rule(played, n, s, memory):
        if sum(played) >= horizon:
            return []
        if not n[4]:
            return single([0, 0, 0, 0, 1.0])
        log, mean = math.log(max(1, sum(played))), means_of(n, s)
        gap = max(m for m in mean if m is not None) - mean[4]
        beta = min(2 * math.sqrt(2) / gap, math.sqrt(log)) if gap > 0 else 1.0
        if n[4] < beta**2 * log:
            return single([0, 0, 0, 0, 1.0])
        bound = [m + math.sqrt(8 * log / a) if a else math.inf for m, a in zip(mean, n, strict=True)]
        return single(one_of(bound))

    return rule


def ucb_plus(horizon, alpha=1.0):
    """All four actions on two variables with two values compete: 2 × 2 × ln √6 is above 3."""

    def value(played, n, s):
        return [b / a + math.sqrt(alpha * math.log(horizon) / a) if a else math.inf for a, b in zip(n, s, strict=True)]

    return value


def rarely_seen(n, watched):
    """Algorithm 1 by its proofs: p < 1/m, m the least tau >= 2 with at most tau actions below 1/tau."""
    p = [k / watched for k in n[:4]]
    m = next(tau for tau in range(2, 9) if sum(x < 1 / tau for x in p) <= tau)
    return [x < 1 / m for x in p]


def algorithm_1(horizon):
    """T/2 rounds of do(), then the rare actions equally often, those left over to some at random; do() if there are none."""
    half = horizon // 2

    def rule(played, n, s, memory):
        if not sum(played):
            return [(1.0, (0, 0, 0, 0, half), None)]
        if memory or sum(played) >= horizon:
            return []
        rare, left = rarely_seen(n, half), horizon - half
        if not any(rare):
            return [(1.0, (0, 0, 0, 0, left), "over")]
        return [(p, (*plan, 0), "over") for p, plan in split(left, rare)]

    return rule


def split(rounds, among):
    """All ways to split rounds evenly, the rest at random."""
    each, over = divmod(rounds, sum(among))
    members = [a for a, b in enumerate(among) if b]
    lucky = [c for c in np.ndindex(*[2] * len(members)) if sum(c) == over]
    for c in lucky:
        plan = [0] * len(among)
        for a, more in zip(members, c, strict=True):
            plan[a] = each + more
        yield 1 / len(lucky), tuple(plan)


def algorithm_1_rejects(horizon):
    """Three actions never happen: half is watched, the rest is Successive Rejects among them, the last two get all left."""
    half, rare = horizon // 2, (3, 4, 5)
    schedule = dropping_schedule(3, horizon - half)

    def rule(played, n, s, memory):
        phase, alive = memory or (0, rare)
        if phase > len(schedule) + 1:
            return []
        if not phase:
            return [(1.0, (0,) * 6 + (half,), (1, rare))]
        still = survivors(alive, schedule[phase - 2][1], n, s) if phase > 1 else {alive: 1.0}
        plans = []
        for rest, p in still.items():
            if phase > len(schedule):
                ways = [(1.0, (0,) * 7)]
            elif phase == len(schedule):
                ways = split(horizon - sum(played), [a in rest for a in range(7)])
            else:
                ways = [(1.0, tuple(schedule[phase - 1][0] * (a in rest) for a in range(7)))]
            plans += [(p * q, plan, (phase + 1, rest)) for q, plan in ways]
        return plans

    return rule


def not_rejected(n, s, memory):
    return one_of([None if a in (3, 4, 5) and a not in memory[1] else m for a, m in enumerate(means_of(n, s))])


def weighted_game(horizon, eta, truncated, beyond=0.0):
    """Algorithm 2 on the graph of two causes, q = (0, 1/2): the played actions are do(X1=1) and do(), by eta.

    By their counts and a self-normalised estimate, or as the paper says: drawn, and weights above B are `beyond` times B.
    """
    states = [(i, j) for i in (0, 1) for j in (0, 1)]

    def law(x, a):
        q = (0.0, 0.5)
        return math.prod(float(x[i] == a[1]) if a and a[0] == i else (c if x[i] else 1 - c) for i, c in enumerate(q))

    names = [(0, 0), (1, 0), (0, 1), (1, 1), None]
    mixture = [sum(e * law(x, a) for e, a in zip(eta, names, strict=True)) for x in states]
    weight = [[law(x, a) / m for x, m in zip(states, mixture, strict=True)] for a in names]
    m = max(sum(w * law(x, a) for x, w in zip(states, row, strict=True)) for row, a in zip(weight, names, strict=True))
    limit = math.sqrt(m * horizon / math.log(2 * horizon * 5)) if truncated else math.inf
    kinds = tuple(
        tuple(
            (law(x, a) * (p if y else 1 - p), (i,), y)
            for i, x in enumerate(states)
            for y, p in ((0, 0.8 if x[0] else 0.5), (1, 0.8 if x[0] else 0.5))
            if law(x, a) > 0
        )
        for a in names
    )
    means = tuple(sum(p * y for p, _, y in kind) for kind in kinds)

    def rule(played, n, s, memory):
        if sum(played):
            return []
        if not truncated:
            return [(1.0, tuple(round(horizon * e) for e in eta), None)]
        return [
            (math.comb(horizon, k) * eta[2] ** k * eta[4] ** (horizon - k), (0, 0, k, 0, horizon - k), None)
            for k in range(horizon + 1)
        ]

    def keep(n, s, memory):
        if truncated:
            kept = [[w if w <= limit else beyond * limit for w in row] for row in weight]
            return one_of([sum(w * b for w, b in zip(row, s, strict=True)) for row in kept])
        total = [sum(w * a for w, a in zip(row, n, strict=True)) for row in weight]
        return one_of(
            [
                sum(w * b for w, b in zip(row, s, strict=True)) / all_ if all_ else None
                for row, all_ in zip(weight, total, strict=True)
            ]
        )

    return Game(means, kinds, 4), horizon, rule, keep


def once(plan):
    return lambda played, n, s, memory: [] if sum(played) else [(1.0, plan, None)]
