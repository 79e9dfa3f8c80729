"""A loop that draws binomial numbers."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport binomial_t, random_binomial

from bestdo.causal.random_bits cimport after, bits, mixed

# Up to so many fair coins are flipped as bits, 64 at a time; for more, numpy's sampler, whose cost does not grow, is used.
# Chosen so that the paper's horizons of 400 rounds are below it: docs/results/benchmarks.md, T = 400 beside T = 4,000.
cdef enum:
    _MOST_COINS = 512


def binomials(const int64_t[:, ::1] n, const double[::1] p, uint64_t seed, rng, double[:, ::1] out):
    """Draws Binomial(n, p) for n (int[L, K]) and p (float[K]) into out (float[L, K]).

    Where p is 1/2 and n at most `_MOST_COINS`, the set bits of splitmix64 numbers are counted; elsewhere numpy draws.
    """
    cdef bitgen_t *source = bits(rng)
    cdef binomial_t known  # what numpy's sampler works out for one pair of n and p
    cdef Py_ssize_t lane, k
    cdef int64_t left
    memset(&known, 0, sizeof(binomial_t))
    with rng.bit_generator.lock, nogil:
        for lane in range(n.shape[0]):
            for k in range(n.shape[1]):
                left = n[lane, k]
                if left <= 0 or p[k] <= 0:
                    out[lane, k] = 0
                elif p[k] >= 1:
                    out[lane, k] = left
                elif p[k] != 0.5 or left > _MOST_COINS:
                    out[lane, k] = random_binomial(source, p[k], left, &known)
                else:
                    out[lane, k] = _heads(left, &seed)


cdef inline int64_t _heads(int64_t coins, uint64_t *seed) noexcept nogil:
    """How many of some fair coins show heads."""
    cdef uint64_t z
    cdef uint64_t state = seed[0]
    cdef int64_t heads = 0
    while coins > 0:
        state = after(state, 1)
        z = mixed(state)
        if coins < 64:
            z >>= 64 - coins
        z -= (z >> 1) & <uint64_t>0x5555555555555555  # the number of bits that are set: one instruction, compilers know
        z = (z & <uint64_t>0x3333333333333333) + ((z >> 2) & <uint64_t>0x3333333333333333)
        z = (z + (z >> 4)) & <uint64_t>0x0F0F0F0F0F0F0F0F
        heads += <int64_t>((z * <uint64_t>0x0101010101010101) >> 56)
        coins -= 64
    seed[0] = state
    return heads
