"""Random bits: those of a numpy generator, and those of splitmix64 (Steele, Lea & Flood 2014), which is faster."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint64_t
from numpy.random cimport bitgen_t


cdef inline bitgen_t *bits(rng) except NULL:
    """The source of random bits of a generator, which numpy's own functions draw from too."""
    return <bitgen_t *>PyCapsule_GetPointer(rng.bit_generator.capsule, "BitGenerator")


cdef inline uint64_t after(uint64_t seed, uint64_t steps) noexcept nogil:
    """The state of splitmix64 after some steps."""
    return seed + steps * <uint64_t>0x9E3779B97F4A7C15


cdef inline uint64_t mixed(uint64_t z) noexcept nogil:
    """The 64 bits that belong to a state of splitmix64."""
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)
