"""One binomial number at a time: fair coins are flipped as bits, all else is drawn by numpy."""

from libc.stdint cimport int64_t, uint64_t
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport binomial_t, random_binomial

from bestdo.causal.random_bits cimport after, mixed

# Up to so many fair coins are flipped as bits, 64 at a time; for more, numpy's sampler, whose cost does not grow, is used.
# Chosen so that the paper's horizons of 400 rounds are below it: docs/results/benchmarks.md, T = 400 beside T = 4,000.
cdef enum:
    MOST_COINS = 512


cdef inline int64_t binomial_number(
    int64_t n, double p, uint64_t *seed, bitgen_t *source, binomial_t *known
) noexcept nogil:
    """Draws Binomial(n, p): where p is 1/2 and n at most `MOST_COINS`, as set bits of splitmix64 numbers, else by numpy."""
    if n <= 0 or p <= 0:
        return 0
    if p >= 1:
        return n
    if p != 0.5 or n > MOST_COINS:
        return random_binomial(source, p, n, known)
    return heads(n, seed)


cdef inline int64_t ones(uint64_t z) noexcept nogil:
    """How many of 64 bits are set: one instruction, compilers know."""
    z -= (z >> 1) & <uint64_t>0x5555555555555555
    z = (z & <uint64_t>0x3333333333333333) + ((z >> 2) & <uint64_t>0x3333333333333333)
    z = (z + (z >> 4)) & <uint64_t>0x0F0F0F0F0F0F0F0F
    return <int64_t>((z * <uint64_t>0x0101010101010101) >> 56)


cdef inline int64_t heads(int64_t coins, uint64_t *seed) noexcept nogil:
    """How many of some fair coins show heads."""
    cdef uint64_t z
    cdef uint64_t state = seed[0]
    cdef int64_t found = 0
    while coins > 0:
        state = after(state, 1)
        z = mixed(state)
        if coins < 64:
            z >>= 64 - coins
        found += ones(z)
        coins -= 64
    seed[0] = state
    return found
