"""The belief in families, lane by lane: what each action tells, mean tables and draws."""

cimport numpy as cnp
from libc.math cimport INFINITY, M_PI, exp, fabs, lgamma, log, log1p, pow, sqrt
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_normal

import numpy as np

from bestdo.causal.random_bits cimport bits

cnp.import_array()


cdef void *_data(cnp.ndarray array, int kind) except? NULL:
    """The numbers of an array, which must be of this kind and stand one after the other."""
    if cnp.PyArray_TYPE(array) != kind or not cnp.PyArray_IS_C_CONTIGUOUS(array):
        raise TypeError(f"an array of {array.dtype} that is not of the kind wanted, or not contiguous")
    return cnp.PyArray_DATA(array)


cdef double *floats(array) except? NULL:
    return <double *>_data(array, cnp.NPY_FLOAT64)


cdef int64_t *ints(array) except? NULL:
    return <int64_t *>_data(array, cnp.NPY_INT64)


cdef int32_t *short_ints(array) except? NULL:
    return <int32_t *>_data(array, cnp.NPY_INT32)


cdef uint32_t *places(array) except? NULL:
    return <uint32_t *>_data(array, cnp.NPY_UINT32)


cdef int16_t *codes(array) except? NULL:
    return <int16_t *>_data(array, cnp.NPY_INT16)


include "main_effects.pxi"
include "circuits.pxi"
include "family_posterior.pxi"
include "family_means.pxi"
include "number_family.pxi"
include "family_draws.pxi"

cdef int _fits(bint right) except -1:
    """Sees that arrays have the shapes that they should have."""
    if not right:
        raise ValueError("an array with another number of lanes, cells or actions than the others")
    return 0


cdef double _EQUAL = 1e-9  # means nearer than this are equal: which of them is second is drawn


cdef void _first_two(
    const double *mean, const int64_t[::1] among, bitgen_t *rng, Py_ssize_t *one, Py_ssize_t *two
) noexcept nogil:
    """The best and the second best of some actions."""
    cdef Py_ssize_t k
    cdef double x
    cdef double first = -INFINITY
    cdef double second = -INFINITY
    one[0] = two[0] = 0
    for k in range(among.shape[0]):
        x = mean[among[k]] + _EQUAL * _uniform(rng)
        if x > first:
            first, second, two[0], one[0] = x, first, one[0], among[k]
        elif x > second:
            second, two[0] = x, among[k]


def told_by_circuit(
    passes, families, const double[:, ::1] counts, const int64_t[::1] among, Py_ssize_t pairs, rng, double[:, ::1] out
):
    """Which share of the variance of differences a round of each action removes, summed over pairs: float[L, A].

    A pair is the best and the second best of the contenders `among` (int[C]) under tables drawn from the posterior; the
    variance is that under the members that were drawn, of the difference linearised at the mean tables.
    """
    cdef Posterior post = Posterior(families)
    cdef Room room = Room(passes)
    cdef bitgen_t *source = bits(rng)
    cdef Py_ssize_t lane, k, c, known
    cdef Py_ssize_t cells = post.cell_count
    cdef Py_ssize_t[2] two
    cdef double[:, ::1] work = np.empty((4, cells))
    cdef double[:, ::1] slope = np.empty((2 * pairs, cells))
    cdef int64_t[::1] slot = np.empty(room.actions, np.int64)
    cdef double *table = &work[0, 0]
    cdef double *mean = &work[1, 0]
    cdef double *gain = &work[2, 0]
    cdef double *difference = &work[3, 0]
    _fits(counts.shape[0] == out.shape[0] and counts.shape[1] == post.told)
    _fits(cells == room.given and out.shape[1] == room.actions)
    with rng.bit_generator.lock, nogil:
        for lane in range(counts.shape[0]):
            update(post, &counts[lane, 0])
            mean_tables(post, False, mean)
            memset(gain, 0, cells * sizeof(double))
            slot[:] = -1
            known = 0
            for _ in range(pairs):
                draw_tables(post, source, table)
                means(room, table, &out[lane, 0])
                _first_two(&out[lane, 0], among, source, &two[0], &two[1])
                for k in range(2):  # each only once
                    if slot[two[k]] < 0:
                        slopes(room, mean, two[k], &slope[known, 0])
                        slot[two[k]] = known
                        known += 1
                for c in range(cells):
                    difference[c] = slope[slot[two[0]], c] - slope[slot[two[1]], c]
                add_gains(post, difference, gain)
            expected(room, mean, gain, &out[lane, 0])


include "graph_draws.pxi"


cdef void _weighed(const double[:, ::1] law, const double *numbers, double *out) noexcept nogil:
    """The sums of law (float[A, S]) × numbers (float[S]): float[A]. Eight sums at a time, which compilers do at once."""
    cdef Py_ssize_t a, s, k
    cdef Py_ssize_t even = law.shape[1] & ~7
    cdef double[8] part
    cdef const double *own
    for a in range(law.shape[0]):
        own = &law[a, 0]
        for k in range(8):
            part[k] = 0
        for s in range(0, even, 8):
            for k in range(8):
                part[k] += own[s + k] * numbers[s + k]
        for s in range(even, law.shape[1]):
            part[0] += own[s] * numbers[s]
        out[a] = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]))


def told_by_law(
    const double[:, ::1] law,
    const double[::1] payoff,
    families,
    const double[:, ::1] counts,
    const int64_t[::1] among,
    Py_ssize_t pairs,
    rng,
    double[:, ::1] out,
):
    """The same where the law of the reward's parents is known (float[A, S]), and the reward's table is the only one.

    A row's mean is the sum of payoff (float[values]) × cell.
    """
    cdef Posterior post = Posterior(families)
    cdef bitgen_t *source = bits(rng)
    cdef Py_ssize_t lane, s, k, one, two
    cdef Py_ssize_t values = payoff.shape[0]
    cdef double apart
    cdef double[:, ::1] work = np.zeros((4, post.cell_count))
    cdef double *table = &work[0, 0]
    cdef double *gain = &work[1, 0]
    cdef double *slope = &work[2, 0]
    cdef double *won = &work[3, 0]
    _fits(counts.shape[0] == out.shape[0] and counts.shape[1] == post.told)
    _fits(post.cell_count == values * law.shape[1] and out.shape[1] == law.shape[0])
    with rng.bit_generator.lock, nogil:
        for lane in range(counts.shape[0]):
            update(post, &counts[lane, 0])
            memset(gain, 0, post.cell_count * sizeof(double))
            for _ in range(pairs):
                draw_tables(post, source, table)
                for s in range(law.shape[1]):
                    won[s] = 0
                    for k in range(values):
                        won[s] += payoff[k] * table[values * s + k]
                _weighed(law, won, &out[lane, 0])
                _first_two(&out[lane, 0], among, source, &one, &two)
                for s in range(law.shape[1]):
                    apart = law[one, s] - law[two, s]
                    for k in range(values):
                        slope[values * s + k] = payoff[k] * apart
                add_gains(post, slope, gain)
            for s in range(law.shape[1]):
                won[s] = gain[values * s]
            _weighed(law, won, &out[lane, 0])


def tables_of_lanes(families, const double[:, ::1] counts, double[:, ::1] tables):
    """The mean tables of every lane: float[L, cells]."""
    cdef Posterior post = Posterior(families)
    cdef Py_ssize_t lane
    _fits(counts.shape[0] == tables.shape[0] and counts.shape[1] == post.told and tables.shape[1] == post.cell_count)
    with nogil:
        for lane in range(counts.shape[0]):
            update(post, &counts[lane, 0])
            mean_tables(post, True, &tables[lane, 0])


def drawn_tables(families, const double[::1] counts, rng, double[:, ::1] tables):
    """Draws of the tables of one lane: float[D, cells]."""
    cdef Posterior post = Posterior(families)
    cdef bitgen_t *source = bits(rng)
    cdef Py_ssize_t d
    _fits(counts.shape[0] == post.told and tables.shape[1] == post.cell_count)
    with rng.bit_generator.lock, nogil:
        update(post, &counts[0])
        for d in range(tables.shape[0]):
            draw_tables(post, source, &tables[d, 0])


def drawn_by_lane(families, const double[:, ::1] counts, rng, double[:, ::1] tables):
    """One draw of the tables of every lane: float[L, cells]."""
    cdef Posterior post = Posterior(families)
    cdef bitgen_t *source = bits(rng)
    cdef Py_ssize_t lane
    _fits(counts.shape[0] == tables.shape[0] and counts.shape[1] == post.told and tables.shape[1] == post.cell_count)
    with rng.bit_generator.lock, nogil:
        for lane in range(counts.shape[0]):
            update(post, &counts[lane, 0])
            draw_tables(post, source, &tables[lane, 0])


def means_by_circuit(passes, const double[:, ::1] tables, double[:, ::1] out):
    """The means of all actions (float[L, A]) under the tables of every lane (float[L, cells])."""
    cdef Room room = Room(passes)
    cdef Py_ssize_t lane
    _fits(tables.shape[0] == out.shape[0] and tables.shape[1] == room.given and out.shape[1] == room.actions)
    with nogil:
        for lane in range(tables.shape[0]):
            means(room, &tables[lane, 0], &out[lane, 0])
