"""Loops of causal top-two on counts: drawing pairs, and what a round of each action tells about them."""

from libc.math cimport INFINITY, M_PI, copysign, fabs, sqrt
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from bestdo.causal.random_bits cimport after, mixed
from bestdo.learners.kernels.lane_steps cimport difficulty_of, tie_key, tie_order

cdef enum:
    _LOW = 4095  # mask of 12 bits: an index into the 4,096 quantiles


cdef inline Py_ssize_t _groups(Py_ssize_t actions) noexcept nogil:
    """How many numbers of splitmix64 one draw of all actions takes: one for five actions."""
    return (actions + 4) // 5


def _work(Py_ssize_t actions):
    """Memory for `_draw_pairs`: angles, spreads, scaled spreads, draws, all of them in whole groups, and the best of each.

    What fills the last group can never be drawn as the best.
    """
    work = np.zeros((5, 5 * _groups(actions)))
    work[0] = -np.inf
    return work


cdef uint64_t _draw_pairs(
    double[:, ::1] work,
    Py_ssize_t actions,
    double scale,
    const double *quantiles,
    uint64_t seed,
    int64_t *leader,
    int64_t *challenger,
    Py_ssize_t pairs,
) noexcept nogil:
    """Writes the best and the second best of K normal draws of all actions in one lane; returns the next seed.

    Angles and spreads are in the first rows of `work`. Of equal draws the first is the better one.
    """
    cdef Py_ssize_t a, k, group, best, other, one, two
    cdef Py_ssize_t groups = _groups(actions)
    cdef double first, second, x0, x1, x2, x3, x4
    cdef double *angle = &work[0, 0]
    cdef double *scaled = &work[2, 0]
    cdef double *draw = &work[3, 0]
    cdef double *most = &work[4, 0]
    cdef double *spread
    cdef uint64_t z
    for a in range(5 * groups):
        scaled[a] = scale * work[1, a]
    for k in range(pairs):
        spread = scaled if k % 2 else &work[1, 0]
        for group in range(groups):
            a = 5 * group
            seed = after(seed, 1)
            z = mixed(seed)
            x0 = angle[a] + spread[a] * quantiles[z & _LOW]
            x1 = angle[a + 1] + spread[a + 1] * quantiles[(z >> 12) & _LOW]
            x2 = angle[a + 2] + spread[a + 2] * quantiles[(z >> 24) & _LOW]
            x3 = angle[a + 3] + spread[a + 3] * quantiles[(z >> 36) & _LOW]
            x4 = angle[a + 4] + spread[a + 4] * quantiles[(z >> 48) & _LOW]
            draw[a], draw[a + 1], draw[a + 2], draw[a + 3], draw[a + 4] = x0, x1, x2, x3, x4
            x0 = x0 if x0 > x1 else x1
            x2 = x2 if x2 > x3 else x3
            x0 = x0 if x0 > x2 else x2
            most[group] = x0 if x0 > x4 else x4
        first, second, best, other = -INFINITY, -INFINITY, 0, 0
        for group in range(groups):
            if most[group] > second:
                if most[group] > first:
                    first, second, best, other = most[group], first, group, best
                else:
                    second, other = most[group], group
        one = 5 * best
        while draw[one] != first:
            one += 1
        two = 5 * other
        if groups > 1:
            while draw[two] != second:
                two += 1
        for a in range(5 * best, 5 * best + 5):  # the second best may be in the group of the best
            if a != one and (draw[a] > second or (draw[a] == second and a < two)):
                second, two = draw[a], a
        leader[k], challenger[k] = one, two
    return seed


cdef inline void _angles(const double *good, const double *all_, Py_ssize_t actions, double[:, ::1] work) noexcept nogil:
    """Writes the angles of means good / all_ and their standard deviations into the first rows of `work`."""
    cdef Py_ssize_t a
    cdef double side, far, fit
    cdef double *angle = &work[0, 0]
    cdef double *spread = &work[1, 0]
    for a in range(actions):
        side = 2 * good[a] / all_[a] - 1
        far = fabs(side)  # asin by Hastings' polynomial, to 7e-5
        fit = 1.5707288 + far * (-0.2121144 + far * (0.0742610 - 0.0187293 * far))
        angle[a] = copysign(0.5 * M_PI - sqrt(1 - far) * fit, side)
        spread[a] = 1 / sqrt(all_[a] + 1)


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
    cdef double[:, ::1] work = _work(actions)
    cdef double[:, ::1] own = np.empty((2, actions))
    with nogil:
        for lane in range(good.shape[0]):
            for a in range(actions):
                own[0, a], own[1, a] = good[lane, a], all_[lane, a]
            _angles(&own[0, 0], &own[1, 0], actions, work)
            seed = _draw_pairs(
                work, actions, scale[lane], &quantiles[0], seed, &leader[lane, 0], &challenger[lane, 0], leader.shape[1]
            )


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
    cdef Py_ssize_t lane, a
    cdef Py_ssize_t actions = mean.shape[1]
    cdef double[:, ::1] work = _work(actions)
    with nogil:
        for lane in range(mean.shape[0]):
            for a in range(actions):
                work[0, a], work[1, a] = mean[lane, a], spread[lane, a]
            seed = _draw_pairs(
                work, actions, scale[lane], &quantiles[0], seed, &leader[lane, 0], &challenger[lane, 0], leader.shape[1]
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


def next_plays(
    const double[:, ::1] weight,
    const double[:, ::1] reward,
    const double[:, ::1] played,
    Py_ssize_t watching,
    const uint8_t[::1] shown,
    const int64_t[::1] among,
    const double[::1] tuned,
    Py_ssize_t pairs,
    const double[::1] quantiles,
    uint64_t seed,
    const uint64_t[::1] key,
    const uint32_t[::1] label,
    uint64_t block,
    int64_t[::1] chosen,
):
    """Writes the action that causal top-two plays next into chosen (int[L]), all of its steps for one lane after the other.

    The same as `CausalTopTwo.ask` with `CountBelief` for successes (whole sums `weight` and `reward`, and plays, float[L, A])
    without strata and costs, where rounds of do() alone, its index is `watching`, show others (`shown`, bool[A]).
    Pairs are drawn among the actions `among` (int[B]). `tuned` is what `CountBelief.tuned` says.
    """
    cdef Py_ssize_t lane, a, k, i, winner
    cdef Py_ssize_t actions = weight.shape[1]
    cdef Py_ssize_t some = among.shape[0]
    cdef bint all_compete = some == actions
    cdef double watched, strong, centre, hard, scale, whole, share, could, n, all_n, all_s, of_one
    cdef uint32_t of_lane
    cdef uint32_t order, best_order
    cdef double[:, ::1] work = _work(some)
    cdef double[:, ::1] own = np.empty((5, actions))
    cdef int64_t[:, ::1] two = np.empty((2, pairs), np.int64)
    cdef double *good = &own[0, 0]
    cdef double *all_ = &own[1, 0]
    cdef double *told = &own[2, 0]
    with nogil:
        for lane in range(weight.shape[0]):
            watched = max(weight[lane, watching], 1.0)
            all_n, all_s = 0.0, 0.0
            for a in range(actions):
                told[a] = (weight[lane, a] - played[lane, a]) / watched
                all_n += weight[lane, a]
                all_s += reward[lane, a]
            told[watching] = 1.0
            hard = difficulty_of(told, actions, actions - 1)
            strong = min(max(tuned[0] * hard / tuned[1], 1.0), tuned[2])
            centre = (all_s + 1) / (all_n + 2)
            scale = min(max(max(tuned[3] / hard, tuned[4]), tuned[5]), tuned[6])
            centre = strong * centre
            for a in range(actions):
                good[a] = reward[lane, a] + centre
                all_[a] = weight[lane, a] + strong
            if all_compete:
                _angles(good, all_, actions, work)
            else:
                for k in range(some):
                    own[3, k], own[4, k] = good[among[k]], all_[among[k]]
                _angles(&own[3, 0], &own[4, 0], some, work)
            seed = _draw_pairs(work, some, scale, &quantiles[0], seed, &two[0, 0], &two[1, 0], pairs)
            for k in range(pairs):
                two[0, k], two[1, k] = among[two[0, k]], among[two[1, k]]
                told[two[0, k]], told[two[1, k]] = 0.0, 0.0
            told[watching], could = 0.0, 1.0 + weight[lane, watching]
            for k in range(pairs):
                whole = 0.0
                for i in range(2):
                    a = two[i, k]
                    whole += _of_cell(1.0, good[a] / all_[a], -1) / (all_[a] + 1)
                for i in range(2):
                    a = two[i, k]
                    n = all_[a] + 1
                    share = _of_cell(1.0, good[a] / all_[a], -1) / (n * n * whole)
                    told[a] += share
                    if shown[a]:
                        told[watching] += share * min((max(weight[lane, a] - played[lane, a], 0.0) + 0.5) / could, 1.0)
            of_lane = tie_key(key[lane], block)
            winner, of_one, best_order = watching, told[watching], tie_order(of_lane, label[watching])
            for k in range(pairs):
                for i in range(2):
                    a = two[i, k]
                    if told[a] >= of_one and a != winner:
                        order = tie_order(of_lane, label[a])
                        if told[a] > of_one or order > best_order or (order == best_order and a < winner):
                            winner, of_one, best_order = a, told[a], order
            chosen[lane] = winner
