"""What a round of an action shows about the differences of eight pairs of actions."""

cdef double _LEAST_VARIANCE = 0.01  # of a success, by which a round is rated

cdef extern from *:
    """
    /* The variance of eight sums of effects by causes that vary by themselves, around the expected columns of an action. */
    ANY_WIDTH static void spread_of_row(double *restrict out, double *restrict slope, const double *restrict row,
                                        const double *restrict along, Py_ssize_t main, const uint8_t *two_valued,
                                        const int64_t *blocks, Py_ssize_t n, const int64_t *products, Py_ssize_t pairs) {
        eight spread = {0};
        if (pairs) memcpy(slope, along, 8 * main * sizeof(double));
        for (Py_ssize_t p = 0; p < pairs; p++) {
            const Py_ssize_t one = products[2 * p], other = products[2 * p + 1];
            const eight own = AT(along + 8 * (main + p));
            LESS(AT(slope + 8 * one), -row[other], own);
            LESS(AT(slope + 8 * other), -row[one], own);
        }
        const double *s = pairs ? slope : along;
        for (Py_ssize_t j = 0; j < main; j++)
            if (two_valued[j]) ADD_SQUARE(spread, 0.5 - row[j] * row[j], AT(s + 8 * j));
        for (Py_ssize_t b = 0; b < n; b++) {
            eight first = {0};
            for (Py_ssize_t j = blocks[2 * b]; j < blocks[2 * b + 1]; j++) {
                LESS(first, -row[j], AT(s + 8 * j));
                ADD_SQUARE(spread, row[j], AT(s + 8 * j));
            }
            ADD_SQUARE(spread, -1.0, first);
        }
        AT(out) = spread;
    }
    """
    void spread_of_row(
        double *out, double *slope, const double *row, const double *along, Py_ssize_t main, const uint8_t *two_valued,
        const int64_t *blocks, Py_ssize_t n, const int64_t *products, Py_ssize_t pairs
    ) noexcept nogil


cdef class Shown:
    """How columns vary by themselves, and room to work in."""

    cdef const uint8_t[::1] two_valued
    cdef const int64_t[:, ::1] blocks, products
    cdef double[:, ::1] apart, along, slope, sums

    def __init__(self, Posterior post, Py_ssize_t actions, two_valued, blocks, products):
        _fits(len(two_valued) == post.main and post.main + len(products) == post.size)
        self.two_valued, self.blocks, self.products = two_valued, blocks, products
        self.apart, self.along = np.zeros((post.size, 8)), np.zeros((post.size, 8))
        self.slope, self.sums = np.zeros((post.main, 8)), np.zeros((actions, 8))


cdef double _variance_of_round(Posterior post, double effect) noexcept nogil:
    """The variance by which a round is rated of an action with this mean effect."""
    cdef double mean
    if post.number:
        return noise_of(post, 0.0)
    mean = min(max(post.base + effect, 0.0), 1.0)
    return max(mean * (1 - mean), _LEAST_VARIANCE)


cdef void add_shown(
    Shown room, Posterior post, Columns made, Pairs found, Py_ssize_t first, const int64_t[::1] of, double *out
) noexcept nogil:
    """Adds the share of the variance of differences that a round of some actions removes, over eight pairs from the first on.

    What it shows is the expected square of a sum of effects in a round: its mean's, and its variance by causes not set. These
    vary by themselves, each with the others at their expected columns.
    """
    cdef Py_ssize_t a, i, e
    cdef Py_ssize_t count = min(8, found.count - first)
    cdef const double *row
    cdef const double *one
    cdef const double *other
    cdef double[8] variance
    cdef double[8] spread
    cdef double noise, effect
    memset(&room.apart[0, 0], 0, 8 * post.size * sizeof(double))
    for e in range(count):
        one, other = &made.rows[found.leader[first + e], 0], &made.rows[found.challenger[first + e], 0]
        for i in range(made.size):
            room.apart[i, e] = one[i] - other[i]
    covariance_of_eight(post, &room.apart[0, 0], &room.along[0, 0])
    for e in range(count):
        variance[e] = 0.0
        for i in range(made.size):
            variance[e] += room.apart[i, e] * room.along[i, e]
        variance[e] = max(variance[e], 1e-30)
    sums_of_eight(made, &room.along[0, 0], &room.sums[0, 0])
    for i in range(of.shape[0]):
        a = of[i]
        row = &made.rows[a, 0]
        spread_of_row(spread, &room.slope[0, 0], row, &room.along[0, 0], post.main, &room.two_valued[0],
                      &room.blocks[0, 0], room.blocks.shape[0], &room.products[0, 0], room.products.shape[0])
        noise = _variance_of_round(post, dot(row, &post.effects[0], made.size))
        for e in range(count):
            effect = room.sums[a, e]
            out[a] += min(1.0, (effect * effect + max(spread[e], 0.0)) / (variance[e] * noise))
