"""The belief in a regression on columns, lane by lane: what each action tells, mean effects and draws."""

from libc.math cimport INFINITY, exp, log, log1p, sqrt
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_chisquare, random_standard_exponential, random_standard_normal

import threading

import numpy as np

from bestdo.causal.random_bits cimport bits

cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__x86_64__) && defined(__linux__)
    #define ANY_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define ANY_WIDTH
    #endif

    /* Numbers of a row are worked out one by one, so that they are the same whatever the width of the processor. */
    ANY_WIDTH static void add_times(double *restrict out, const double *restrict row, double by, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) out[i] += by * row[i];
    }

    /* Eight sums at a time, in this order on every processor. */
    ANY_WIDTH static double dot(const double *restrict a, const double *restrict b, Py_ssize_t n) {
        double part[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        Py_ssize_t i = 0;
        for (; i + 8 <= n; i += 8)
            for (int k = 0; k < 8; k++) part[k] += a[i + k] * b[i + k];
        for (; i < n; i++) part[i & 7] += a[i] * b[i];
        return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }
    """
    void add_times(double *out, const double *row, double by, Py_ssize_t n) noexcept nogil
    double dot(const double *a, const double *b, Py_ssize_t n) noexcept nogil


cdef int _fits(bint right) except -1:
    """Sees that arrays have the shapes that they should have."""
    if not right:
        raise ValueError("an array with another number of lanes, columns or actions than the others")
    return 0


include "column_blocks.pxi"
include "column_normals.pxi"
include "column_posterior.pxi"
include "column_averages.pxi"
include "column_draws.pxi"
include "column_expected.pxi"
include "column_pairs.pxi"
include "column_shown.pxi"
include "column_gains.pxi"


_ROOMS = threading.local()
_KEPT = 3  # posteriors in each thread: a study asks about its reward and its limits, many times for the same sums


def posterior_of(members):
    """The posterior for some members that this thread has used before, with what it was told last; or a new one."""
    kept = _ROOMS.__dict__.setdefault("kept", [])
    for place, found in enumerate(kept):
        if (<Posterior>found).members is members:
            kept.append(kept.pop(place))
            return found
    if len(kept) == _KEPT:
        kept.pop(0)
    made = Posterior(members)
    kept.append(made)
    return made


def mean_effects(
    members, const double[:, ::1] half, const double[:, ::1] xy, const double[::1] yy, double[:, ::1] effects
):
    """The mean effects of every lane (float[L, D]); returns the base and the spread of a round, float[L] each."""
    cdef Posterior post = posterior_of(members)
    cdef Py_ssize_t lane
    cdef double[::1] base = np.empty(effects.shape[0])
    cdef double[::1] sigma = np.empty(effects.shape[0])
    _fits(half.shape[0] == xy.shape[0] == yy.shape[0] == effects.shape[0])
    _fits(half.shape[1] == post.size * (post.size + 1) // 2 and xy.shape[1] == effects.shape[1] == post.size)
    with nogil:
        for lane in range(effects.shape[0]):
            update(post, &half[lane, 0], &xy[lane, 0], yy[lane])
            memcpy(&effects[lane, 0], &post.effects[0], post.size * sizeof(double))
            base[lane], sigma[lane] = post.base, sqrt(post.variance)
    return np.asarray(base), np.asarray(sigma)


def draw_by_lane(
    members, const double[:, ::1] half, const double[:, ::1] xy, const double[::1] yy, rng, double[:, ::1] effects
):
    """One draw of the effects in every lane (float[L, D]); returns the base, float[L]."""
    cdef Posterior post = posterior_of(members)
    cdef bitgen_t *source = bits(rng)
    cdef Py_ssize_t lane, i
    cdef double least
    cdef double[::1] base = np.empty(effects.shape[0])
    cdef double[:, ::1] eight = np.empty((eights(post.size), 8))
    cdef int64_t[::1] which = np.empty(2, np.int64)
    _fits(half.shape[0] == xy.shape[0] == yy.shape[0] == effects.shape[0])
    _fits(half.shape[1] == post.size * (post.size + 1) // 2 and xy.shape[1] == effects.shape[1] == post.size)
    with rng.bit_generator.lock, nogil:
        for lane in range(effects.shape[0]):
            update(post, &half[lane, 0], &xy[lane, 0], yy[lane])
            choose_members(post, False, 1, source, &least, &which[0])
            draw_eight(post, &which[0], 1, source, &eight[0, 0])
            for i in range(post.size):
                effects[lane, i] = eight[i, 0]
            base[lane] = post.base
    return np.asarray(base)
