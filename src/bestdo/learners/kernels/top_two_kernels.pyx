"""Loops of causal top-two on counts: drawing pairs, and what a round of each action tells about them."""

from libc.math cimport INFINITY, M_PI, copysign, fabs, sqrt
from libc.stdint cimport int64_t, uint8_t, uint64_t

import numpy as np

from bestdo.causal.random_bits cimport after, mixed

cdef enum:
    _LOW = 4095  # mask of 12 bits: an index into the 4,096 quantiles


cdef uint64_t _draw_pairs(
    const double *angle,
    const double *spread,
    Py_ssize_t actions,
    double scale,
    const double *quantiles,
    uint64_t seed,
    int64_t[::1] leader,
    int64_t[::1] challenger,
) noexcept nogil:
    """Writes the best and the second best of K normal draws of all actions in one lane; returns the next seed."""
    cdef Py_ssize_t a, k, begin, one, two
    cdef double first, second, part, x
    cdef uint64_t z
    for k in range(leader.shape[0]):
        first, second, one, two = -INFINITY, -INFINITY, 0, 0
        part = scale if k % 2 else 1.0
        for begin in range(0, actions, 5):
            seed = after(seed, 1)
            z = mixed(seed)
            for a in range(begin, min(begin + 5, actions)):
                x = angle[a] + part * spread[a] * quantiles[z & _LOW]
                z >>= 12
                if x > second:
                    if x > first:
                        first, second, one, two = x, first, a, one
                    else:
                        second, two = x, a
        leader[k], challenger[k] = one, two
    return seed


def top_pairs(
    const double[:, :] good,
    const double[:, :] all_,
    const double[:] scale,
    const double[::1] quantiles,
    uint64_t seed,
    int64_t[:, ::1] leader,
    int64_t[:, ::1] challenger,
):
    """Writes the best and the second best action of K draws of all means into leader and challenger (int[L, K]).

    The means are good / all_ (float[L, A]). Draws are normal on the scale of angles, asin(2 mean − 1), with the standard
    deviation 1 / √(all_ + 1), multiplied by `scale` (float[L]) in every other draw. Normal numbers are taken from a list of
    4,096 equally likely ones, five for each number of splitmix64, because most of the time is spent here.
    """
    cdef Py_ssize_t lane, a
    cdef Py_ssize_t actions = good.shape[1]
    cdef double side, far, fit
    cdef double[:, ::1] work = np.empty((2, actions))
    cdef double *angle = &work[0, 0]
    cdef double *spread = &work[1, 0]
    with nogil:
        for lane in range(good.shape[0]):
            for a in range(actions):
                side = 2 * good[lane, a] / all_[lane, a] - 1
                far = fabs(side)  # asin by Hastings' polynomial, to 7e-5
                fit = 1.5707288 + far * (-0.2121144 + far * (0.0742610 - 0.0187293 * far))
                angle[a] = copysign(0.5 * M_PI - sqrt(1 - far) * fit, side)
                spread[a] = 1 / sqrt(all_[lane, a] + 1)
            seed = _draw_pairs(angle, spread, actions, scale[lane], &quantiles[0], seed, leader[lane], challenger[lane])


def top_normal_pairs(
    const double[:, ::1] mean,
    const double[:, ::1] spread,
    const double[:] scale,
    const double[::1] quantiles,
    uint64_t seed,
    int64_t[:, ::1] leader,
    int64_t[:, ::1] challenger,
):
    """What `top_pairs` does where the means (float[L, A]) themselves are normal, with these standard deviations."""
    cdef Py_ssize_t lane
    with nogil:
        for lane in range(mean.shape[0]):
            seed = _draw_pairs(
                &mean[lane, 0],
                &spread[lane, 0],
                mean.shape[1],
                scale[lane],
                &quantiles[0],
                seed,
                leader[lane],
                challenger[lane],
            )


cdef double _POOLED = 6.0  # rounds that the variance of all cells counts as in one cell: as in `variance_of_rounds`
cdef double _SAME = 1e-12  # a variance below this share of the mean square is a rounding error


def normal_cells(
    const double[:, :] n,
    const double[:, :] s,
    const double[:, :] q,
    const double[:, :] strength,
    const double[::1] distinct,
    double middle,
    double most,
    double unknown,
    double[:, ::1] total,
    double[:, ::1] rounds,
    double[:, ::1] variance,
    double[:, ::1] degrees,
):
    """Writes the posterior of each cell's mean into the last four arrays (float[L, C]): see `normal_posterior`.

    From rounds, sums of rewards and of their squares (float[L, C]); the prior of a cell is worth `strength` rounds
    (float[L or 1, C or 1]) of the mean of all, or of `middle` where there is none. `distinct` (float[L]) is how many rounds
    there are, `most` the largest variance of one round, `unknown` that before two rewards differ.
    """
    cdef Py_ssize_t lane, c
    cdef double all_n, all_s, all_q, centre, pooled, free, some, own, deviation, strong
    cdef bint known
    with nogil:
        for lane in range(n.shape[0]):
            all_n, all_s, all_q, pooled, free = 0.0, 0.0, 0.0, 0.0, 0.0
            for c in range(n.shape[1]):
                all_n += n[lane, c]
                all_s += s[lane, c]
                all_q += q[lane, c]
                if n[lane, c] > 0:
                    deviation = q[lane, c] - s[lane, c] * s[lane, c] / n[lane, c]
                    deviation = deviation if deviation > _SAME * q[lane, c] else 0.0
                    pooled += deviation
                    free += max(n[lane, c] - 1, 0.0)
                else:
                    deviation = 0.0
                variance[lane, c] = deviation
            centre = all_s / all_n if all_n > 0 else middle
            known = pooled > 0
            if known:
                pooled /= free
            else:  # of all rounds together, where no two of a cell differ
                pooled = all_q - all_n * centre * centre
                pooled = pooled / (all_n - 1) if all_n > 1 and pooled > _SAME * all_q else unknown
            some = min(_POOLED, free)
            for c in range(n.shape[1]):
                strong = strength[min(lane, strength.shape[0] - 1), min(c, strength.shape[1] - 1)]
                total[lane, c] = s[lane, c] + strong * centre
                rounds[lane, c] = n[lane, c] + strong
                degrees[lane, c] = free if known else 1.0
                if known:
                    own = max(n[lane, c] - 1, 0.0) + some
                    if variance[lane, c] + some * pooled > own * pooled:
                        degrees[lane, c], own = own, (variance[lane, c] + some * pooled) / own
                    else:
                        own = pooled
                else:
                    own = pooled
                variance[lane, c] = min(own, most)
                degrees[lane, c] = max(min(degrees[lane, c], distinct[lane] - 1), 1.0)


cdef inline double _of_cell(double weight, double mean, double spread) noexcept nogil:
    """weight² × the variance of one round; that of a success where `spread` is negative."""
    return weight * weight * mean * (1 - mean) if spread < 0 else weight * weight * spread


def seen_gains(
    const double[:, :] good,
    const double[:, :] all_,
    const double[:, :] spread,
    const double[:, :] weight,
    const double[:, :] counts,
    const double[:, :] played,
    const int64_t[::1] start,
    const int64_t[::1] showing,
    const uint8_t[:, :] shows,
    const int64_t[:, ::1] leader,
    const int64_t[:, ::1] challenger,
    double[:, ::1] out,
):
    """Adds to out (float[L, A]) the share of the variance of each pair's difference that a round of each action removes.

    An action's mean is a weighted sum of Beta variables, those in the cells from start[a] on (all float[L, C]), or of normal
    ones where the variance of one round (spread, float[L, C]) is not left empty; the variance of each falls by one part in
    n + 1 when the cell is seen once more. The actions `showing` (int[B]) can show the cells `shows` (bool[B, C]);
    the probability that a round of one does is estimated by how often the cell was counted without its action being played,
    plus 1/2, divided by the rounds as good as the action that shows it, plus 1.
    """
    cdef Py_ssize_t lane, of, b, c, k, i, a
    cdef int64_t[2] two
    cdef double whole, mean, n, share, seen
    cdef bint normal = spread.shape[0] > 0
    cdef double[::1] could = np.empty(len(showing))
    with nogil:
        for lane in range(leader.shape[0]):
            of = min(lane, weight.shape[0] - 1)
            for b in range(showing.shape[0]):
                could[b] = 1.0
                for c in range(start[showing[b]], start[showing[b] + 1]):
                    could[b] += counts[lane, c]
            for k in range(leader.shape[1]):
                two[0], two[1], whole = leader[lane, k], challenger[lane, k], 0.0
                for i in range(2):
                    for c in range(start[two[i]], start[two[i] + 1]):
                        mean = good[lane, c] / all_[lane, c]
                        whole += _of_cell(weight[of, c], mean, spread[lane, c] if normal else -1) / (all_[lane, c] + 1)
                for i in range(2):
                    a = two[i]
                    for c in range(start[a], start[a + 1]):
                        mean, n = good[lane, c] / all_[lane, c], all_[lane, c] + 1
                        share = _of_cell(weight[of, c], mean, spread[lane, c] if normal else -1) / (n * n * whole)
                        out[lane, a] += share * weight[of, c]
                        seen = max(counts[lane, c] - weight[of, c] * played[lane, a], 0.0) + 0.5
                        for b in range(showing.shape[0]):
                            if shows[b, c]:
                                out[lane, showing[b]] += share * min(seen / could[b], 1.0)
