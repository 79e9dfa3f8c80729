"""A loop that draws binomial numbers."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport binomial_t

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
