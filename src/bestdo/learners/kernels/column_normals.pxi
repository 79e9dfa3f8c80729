"""Many standard normal numbers at once, from one random number: elementwise, so they are the same on every processor."""

cdef extern from *:
    """
    #include <math.h>

    /* The double with these bits. */
    static inline double with_bits(uint64_t bits) { double one; memcpy(&one, &bits, 8); return one; }

    /* Number i of the stream that starts here (SplitMix64; Steele, Lea and Flood 2014). */
    static inline uint64_t number_of(uint64_t start, uint64_t i) {
        uint64_t z = start + i * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    /* The logarithm of a number in [2^-1000, 2^1000]: that of its fraction as a series in (m - 1) / (m + 1). */
    static inline double log_of(double x) {
        uint64_t bits;
        memcpy(&bits, &x, 8);
        double power = with_bits((bits >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
        double m = with_bits((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
        double large = m > 1.4142135623730951 ? 1.0 : 0.0;
        m *= 1.0 - 0.5 * large;
        power += large;
        double s = (m - 1.0) / (m + 1.0), z = s * s;
        double sum = z * (1.0 / 17 + z * (1.0 / 19 + z * (1.0 / 21)));
        sum = z * (1.0 / 9 + z * (1.0 / 11 + z * (1.0 / 13 + z * (1.0 / 15 + sum))));
        sum = z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + sum)));
        return power * 0.6931471805599453 + 2.0 * s * (1.0 + sum);
    }

    /* Twice n standard normal numbers: radius and angle of pairs (Box and Muller 1958). The angle lies between -45 and 45
       degrees; two bits say whether the coordinates change places, and the sign of the longer one. */
    ANY_WIDTH static void normal_numbers(double *restrict out, Py_ssize_t n, uint64_t start) {
        double *restrict other = out + n;
        for (Py_ssize_t i = 0; i < n; i++) {
            uint64_t one = number_of(start, 2 * (uint64_t)i), two = number_of(start, 2 * (uint64_t)i + 1);
            double chance = 2.0 - with_bits((one >> 12) | 0x3ff0000000000000u);
            double a = (with_bits((two >> 12) | 0x3ff0000000000000u) - 1.5) * 1.5707963267948966, z = a * a;
            double radius = sqrt(-2.0 * log_of(chance));
            double sine = z * (-1.0 / 39916800 + z * (1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0)));
            sine = z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + sine))));
            double cosine = z * (-1.0 / 87178291200.0 + z / 20922789888000.0);
            cosine = z * (-1.0 / 3628800 + z * (1.0 / 479001600.0 + cosine));
            cosine = z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + cosine))));
            double x = radius * (1.0 + cosine) * ((two & 2) ? 1.0 : -1.0), y = radius * (a + a * sine);
            out[i] = (two & 1) ? x : y;
            other[i] = (two & 1) ? y : x;
        }
    }
    """
    void normal_numbers(double *out, Py_ssize_t n, uint64_t start) noexcept nogil
