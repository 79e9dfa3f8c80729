"""Steps of learners in one lane that several compiled loops take: the difficulty of what was seen, and the order of ties."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from bestdo.causal.random_bits cimport after


cdef inline int64_t difficulty_of(const double *chance, Py_ssize_t actions, int64_t counted) noexcept nogil:
    """What `design.difficulty` says of these chances; those above 1/2 need not be of the actions that are `counted`."""
    cdef int64_t low = 2
    cdef int64_t high = max(2, counted)
    cdef int64_t tau, rare
    cdef Py_ssize_t a
    cdef double limit
    while low < high:
        tau = (low + high) // 2
        limit, rare = 1.0 / tau, 0
        for a in range(actions):
            rare += <int64_t>1 if chance[a] < limit else <int64_t>0
        if rare <= tau:
            high = tau
        else:
            low = min(tau + 1, high)
    return low


cdef inline uint32_t tie_key(uint64_t key, uint64_t block) noexcept nogil:
    """The key of lane and block that `tie_order` needs."""
    cdef uint64_t z = after(key, block)
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    return <uint32_t>(((z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB) >> 32)


cdef inline uint32_t tie_order(uint32_t key, uint32_t label) noexcept nogil:
    """The random order of an action for ties, as `Ties.order` has it; the key is that of lane and block."""
    cdef uint32_t z = key ^ label
    z = (z ^ (z >> 16)) * <uint32_t>0x85EBCA6B
    z = (z ^ (z >> 13)) * <uint32_t>0xC2B2AE35
    return z ^ (z >> 16)
