"""The belief in a regression on columns, lane by lane: what each action tells, mean effects and draws."""

from libc.math cimport INFINITY, exp, log, log1p, sqrt
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_chisquare, random_standard_normal

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
    ANY_WIDTH static void add_one(double *restrict out, const double *restrict row, double by, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) out[i] += by * row[i];
    }

    /* Adds four rows, each `next` numbers behind the one before. */
    ANY_WIDTH static void add_four(double *restrict out, const double *restrict row, Py_ssize_t next,
                                   double one, double two, double three, double four, Py_ssize_t n) {
        const double *b = row + next, *c = b + next, *d = c + next;
        for (Py_ssize_t i = 0; i < n; i++) out[i] += (one * row[i] + two * b[i]) + (three * c[i] + four * d[i]);
    }

    ANY_WIDTH static void scale_all(double *restrict out, double by, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) out[i] *= by;
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
    void add_one(double *out, const double *row, double by, Py_ssize_t n) noexcept nogil
    void add_four(
        double *out, const double *row, Py_ssize_t next, double one, double two, double three, double four, Py_ssize_t n
    ) noexcept nogil
    void scale_all(double *out, double by, Py_ssize_t n) noexcept nogil
    double dot(const double *a, const double *b, Py_ssize_t n) noexcept nogil


cdef int _fits(bint right) except -1:
    """Sees that arrays have the shapes that they should have."""
    if not right:
        raise ValueError("an array with another number of lanes, columns or actions than the others")
    return 0


include "column_posterior.pxi"
include "column_gains.pxi"


def mean_effects(
    members, const double[:, ::1] half, const double[:, ::1] xy, const double[::1] yy, double[:, ::1] effects
):
    """The mean effects of every lane (float[L, D]); returns the base and the spread of a round, float[L] each."""
    cdef Posterior post = Posterior(members)
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
