"""The inner loop of sampling."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint64_t

import numpy as np

from bestdo.causal.random_bits cimport after, mixed

# How many rows are drawn at a time, so that their columns stay in the processor's cache: 100,000 rows of `alarm` took as long
# with 256, 512 and 1024 (`python -m benchmarks learners` has the time).
cdef enum:
    _CHUNK = 1024

ctypedef fused code:
    int8_t
    int16_t


cdef int32_t[:, ::1] _what_is_set(const int16_t[:, ::1] codes):
    """The variables that each action sets, as many as the most that one sets; -1 where there are fewer: int[A, most]."""
    cdef Py_ssize_t a, v, k
    cdef Py_ssize_t most = 1
    cdef int32_t[:, ::1] sets
    for a in range(codes.shape[0]):
        k = 0
        for v in range(codes.shape[1]):
            k += codes[a, v] >= 0
        most = max(most, k)
    sets = np.empty((codes.shape[0], most), np.int32)
    sets[:] = -1
    for a in range(codes.shape[0]):
        k = 0
        for v in range(codes.shape[1]):
            if codes[a, v] >= 0:
                sets[a, k] = v
                k += 1
    return sets


def draw_rows(
    model, const int16_t[:, ::1] codes, const int64_t[::1] plays, const int64_t[::1] shift, uint64_t seed, rows
):
    """Fills `rows` (int8[R, V] or int16[R, V]) with samples, one for each play.

    A value's code is how many cumulative probabilities a uniform number reaches. `shift` (int[R], or empty) is added to where
    the limits of each row start. The uniform numbers are those of splitmix64, 53 bits each, in sequence from the seed.
    """
    if rows.itemsize == 1:
        _draw[int8_t](model, codes, plays, shift, seed, rows)
    else:
        _draw[int16_t](model, codes, plays, shift, seed, rows)


cdef int _draw(
    model,
    const int16_t[:, ::1] codes,
    const int64_t[::1] plays,
    const int64_t[::1] shift,
    uint64_t seed,
    code[:, ::1] rows,
) except -1:
    cdef const int64_t[::1] places = model.place
    cdef const int64_t[::1] parents = model.parents
    cdef const int64_t[::1] parent = model.parent
    cdef const int64_t[::1] strides = model.stride
    cdef const int64_t[::1] starts = model.start
    cdef const int64_t[::1] values = model.values
    cdef const double[::1] limits = model.limits
    cdef Py_ssize_t first, size, v, r, e, k, most
    cdef Py_ssize_t variables = rows.shape[1]
    cdef int64_t stride
    cdef code *column
    cdef const code *other
    cdef int64_t[_CHUNK] state  # where the limits of each row stand
    cdef double[_CHUNK] uniform
    cdef code[:, ::1] drawn = np.empty((variables, _CHUNK), f"i{sizeof(code)}")
    cdef int32_t[::1] last = np.empty(variables, np.int32)
    cdef int32_t[:, ::1] chain  # of the rows that set a variable, from the last one: each row and the place of the next
    cdef int32_t[:, ::1] sets = _what_is_set(codes)
    most = sets.shape[1]
    chain = np.empty((_CHUNK * most, 2), np.int32)
    with nogil:
        first = 0
        while first < rows.shape[0]:
            size = min(<Py_ssize_t>_CHUNK, rows.shape[0] - first)
            last[:] = -1
            for r in range(size):
                for k in range(most):
                    v = sets[plays[first + r], k]
                    if v < 0:
                        break
                    e = r * most + k
                    chain[e, 0], chain[e, 1], last[v] = r, last[v], e
            for v in range(variables):
                column = &drawn[places[v], 0]
                for r in range(size):
                    state[r] = starts[v]
                if shift.shape[0]:
                    for r in range(size):
                        state[r] += shift[first + r]
                for e in range(parents[v], parents[v + 1]):
                    other, stride = &drawn[parent[e], 0], strides[e]
                    for r in range(size):
                        state[r] += other[r] * stride
                for r in range(size):
                    uniform[r] = <double><int64_t>(mixed(after(seed, r)) >> 11) * 2.0**-53
                seed = after(seed, size)
                if values[v] == 1:
                    for r in range(size):
                        column[r] = 0
                else:
                    for r in range(size):
                        column[r] = uniform[r] >= limits[state[r]]
                for k in range(1, values[v] - 1):
                    for r in range(size):
                        column[r] += uniform[r] >= limits[state[r] + k]
                e = last[places[v]]
                while e >= 0:
                    column[chain[e, 0]] = <code>codes[plays[first + chain[e, 0]], places[v]]
                    e = chain[e, 1]
            for r in range(size):
                for v in range(variables):
                    rows[first + r, v] = drawn[v, r]
            first += size
    return 0
