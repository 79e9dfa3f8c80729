"""Loops that draw binomial numbers, and the sums of `Seen` on worlds whose variables are independent of each other."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport binomial_t, random_multinomial

import numpy as np

from bestdo.causal.random_bits cimport bits
from bestdo.simulate.binomial_draws cimport binomial_number


def binomials(const int64_t[:, ::1] n, const double[::1] p, uint64_t seed, rng, double[:, ::1] out):
    """Draws Binomial(n, p) for n (int[L, K]) and p (float[K]) into out (float[L, K])."""
    cdef bitgen_t *source = bits(rng)
    cdef binomial_t known  # what numpy's sampler works out for one pair of n and p
    cdef Py_ssize_t lane, k
    memset(&known, 0, sizeof(binomial_t))
    with rng.bit_generator.lock, nogil:
        for lane in range(n.shape[0]):
            for k in range(n.shape[1]):
                out[lane, k] = binomial_number(n[lane, k], p[k], &seed, source, &known)


def add_seen_round(
    const int64_t[::1] chosen,
    Py_ssize_t watching,
    const double[::1] means,
    double[::1] cells,
    const uint8_t[:, ::1] match,
    const int64_t[:, ::1] two,
    const double[::1] chance,
    const uint8_t[::1] seen,
    rng,
    double[:, ::1] weight,
    double[:, ::1] reward,
    double[:, ::1] played,
):
    """Plays one round in each lane and adds it to the sums of `Seen` and to the plays (float[L, A] each).

    Draws what `seen_sums` draws, in the same order. `chosen` (int[L]) is what each lane plays, `watching` the index of do(),
    `means` those of all actions. `cells` are the probabilities of a success in each of C classes of values of the reward's
    causes, then those of a failure; with C = 1 that of a success alone. `match` (bool[C, A]) are the actions that agree with
    a class; the others' values are those of the columns `two` (int[K, 2]), the second with `chance` (float[K]). Rounds of do()
    count towards the actions `seen` (bool[A]).
    """
    cdef bitgen_t *source = bits(rng)
    cdef binomial_t known
    cdef Py_ssize_t lane, a, k, won
    cdef Py_ssize_t classes = match.shape[0]
    cdef Py_ssize_t lanes = chosen.shape[0]
    cdef Py_ssize_t column
    cdef uint64_t seed = 0
    cdef bint some_play = False
    cdef bint some_watch = False
    cdef int64_t[::1] place = np.empty(lanes, np.int64)  # the class of a round of do(), + C for a failure; else -1
    cdef int64_t[::1] counts = np.empty(2 * classes, np.int64)
    memset(&known, 0, sizeof(binomial_t))
    with rng.bit_generator.lock, nogil:
        for lane in range(lanes):
            played[lane, chosen[lane]] += 1
            if chosen[lane] == watching:
                some_watch = True
            else:
                some_play = True
        if some_play:
            seed = source.next_uint64(source.state)
            for lane in range(lanes):
                a = chosen[lane]
                if a != watching:
                    weight[lane, a] += 1
                    reward[lane, a] += binomial_number(1, means[a], &seed, source, &known)
        if some_watch:
            if classes == 1:
                seed = source.next_uint64(source.state)
            for lane in range(lanes):
                place[lane] = -1
                if chosen[lane] != watching:
                    continue
                if classes == 1:
                    place[lane] = 1 - binomial_number(1, cells[0], &seed, source, &known)
                    continue
                memset(&counts[0], 0, 2 * classes * sizeof(int64_t))
                random_multinomial(source, 1, &counts[0], &cells[0], 2 * classes, &known)
                place[lane] = 0
                while not counts[place[lane]]:
                    place[lane] += 1
            for won in range(1, -1, -1):  # first the rounds with a success, then the others
                if two.shape[0]:
                    seed = source.next_uint64(source.state)
                for lane in range(lanes):
                    if place[lane] < 0 or (place[lane] < classes) != won:
                        continue
                    k = place[lane] - (0 if won else classes)
                    for a in range(match.shape[1]):
                        if match[k, a] and seen[a]:
                            weight[lane, a] += 1
                            reward[lane, a] += won
                    for k in range(two.shape[0]):
                        column = two[k, binomial_number(1, chance[k], &seed, source, &known)]
                        if seen[column]:
                            weight[lane, column] += 1
                            reward[lane, column] += won
