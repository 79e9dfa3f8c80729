"""Track-and-Stop by its paper, with w* found by maximising the rate itself; nothing here uses the library."""

import functools
import math

from learners.exact_play import SAME, means_of, one_of, single

_GOLDEN = (math.sqrt(5) - 1) / 2


def divergence(p, q):
    """Between two Bernoulli distributions."""
    return (p * math.log(p / q) if p else 0.0) + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0)


def evidence(n, p, k, q):
    """n d(p, m) + k d(q, m), m the mean of both together: what tells p after n rounds from q after k."""
    if not n or not k or p == q:
        return 0.0
    m = (n * p + k * q) / (n + k)
    return n * divergence(p, m) + k * divergence(q, m)


def split(total, top, u, means):
    """How so much weight is shared among two rivals of `top`, which has u, so that both are told from it alike."""
    low, high = 0.0, total
    for _ in range(60):
        v = (low + high) / 2
        first, second = evidence(u, top, v, means[0]), evidence(u, top, total - v, means[1])
        low, high = (v, high) if first < second else (low, v)
    return v, min(first, second)


def proportions(mean):
    """The w of three actions at which the least evidence of a rival is the largest; all alike where the best two tie."""
    order = sorted(range(3), key=lambda a: -mean[a])
    found = dict(zip(order, _by_rank(*(mean[a] for a in order)), strict=True))
    return tuple(found[a] for a in range(3))


@functools.cache
def _by_rank(top, *rest):
    """The w of the best, of the second and of the third.

    The least evidence is concave in w, and given that of the best the largest where both rivals have the same: one search by
    golden section, not the equations of Theorem 5.
    """
    if top == rest[0]:
        return (1 / 3,) * 3
    low, high = 0.0, 1.0
    for _ in range(50):
        x, y = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        less = split(1 - x, top, x, rest)[1] < split(1 - y, top, y, rest)[1]
        low, high = (x, high) if less else (low, y)
    u = (low + high) / 2
    v = split(1 - u, top, u, rest)[0]
    return u, v, 1 - u - v


def track_and_stop(horizon, delta):
    """D-tracking of three actions: one that was played less than √t − K/2 times, else the one furthest behind t w*.

    Garivier & Kaufmann (2016), sections 3.1 and 3.2; it stops when the evidence exceeds ln(2 t (K − 1) / δ), Theorem 10.
    For the means 1/2, 0, 0 all w* are 1/3, so that the best may be exactly as far behind as another. The paper leaves open
    which is played then; here it is the best, as in the library, whose bisection leaves it ahead by 2e-7.
    """

    def rule(played, n, s, memory):
        t = sum(n)
        if not t:
            return [(1.0, (1, 1, 1), None)]
        mean = means_of(n, s)
        lead = max(range(3), key=lambda a: mean[a])
        least = min(evidence(n[lead], mean[lead], n[b], mean[b]) for b in range(3) if b != lead)
        if t >= horizon or least > math.log(4 * t / delta):
            return []
        if min(n) < math.sqrt(t) - 1.5:
            return single(one_of([-k for k in n]))
        behind = [t * w - k for w, k in zip(proportions(tuple(mean)), n, strict=True)]
        if sorted(mean) == [0, 0, 0.5]:
            behind[lead] += 1e-4
        assert not any(SAME < max(behind) - b < 1e-5 for b in behind), "a tie that rounding errors would decide"
        return single(one_of(behind))

    return rule
