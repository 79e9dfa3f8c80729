"""The information gain of rounds about the differences of actions, in a regression on columns."""

cdef double _NEAR = 1e-9  # means that differ by less, in spreads of a round, are equal


def gains(
    members,
    const double[:, ::1] half,
    const double[:, ::1] xy,
    const double[::1] yy,
    Columns made,
    const double[:, :, ::1] own,
    const int64_t[::1] some,
    const int64_t[::1] of,
    const uint8_t[::1] two_valued,
    const int64_t[:, ::1] blocks,
    const int64_t[:, ::1] products,
    Py_ssize_t pairs,
    Py_ssize_t draws,
    rng,
    double[:, ::1] out,
):
    """The expected share of the variance of differences that a round of each action removes, summed over pairs: float[L, A].

    `half`, `xy` and `yy` are the sums of each lane, `made` the expected columns of each action, and `own` (float[L, V, D])
    those of the actions that vary. Of the actions, `some` are compared, rounds of others (`of`) are rated.
    `two_valued` (bool[main]) are the columns of causes of two values, `blocks` (int[B, 2]) the first and last columns of
    other causes, `products` (int[P, 2]) the columns whose products the last columns are.

    A draw promises the square of how far its best is above its mean. Leaders are the best of draws taken by that, without
    putting back; a challenger is the best of another draw with another best, taken alike, or else the second best.
    """
    cdef Posterior post = posterior_of(members)
    cdef Promises drawn = Promises(post, draws, out.shape[1])
    cdef Pairs found = Pairs(pairs, draws)
    cdef Shown shown = Shown(post, made, two_valued, blocks, products)
    cdef bitgen_t *source = bits(rng)
    cdef Py_ssize_t lanes = out.shape[0]
    cdef Py_ssize_t lane, first
    cdef double near
    cdef int64_t[::1] every = np.arange(out.shape[1])
    _fits(half.shape[0] == xy.shape[0] == yy.shape[0] == lanes and half.shape[1] == post.size * (post.size + 1) // 2)
    _fits(xy.shape[1] == made.size == own.shape[2] == post.size and made.actions == out.shape[1])
    _fits(own.shape[0] == lanes and own.shape[1] == made.varying.shape[0])
    _fits(two_valued.shape[0] == post.main and post.main + products.shape[0] == post.size)
    with rng.bit_generator.lock, nogil:
        for lane in range(lanes):
            if made.varying.shape[0]:
                vary(made, own[lane], every)
            update(post, &half[lane, 0], &xy[lane, 0], yy[lane])
            near = _NEAR * sqrt(post.variance)
            _promised(drawn, post, made, some, near, source)
            _paired(found, drawn, some, near, source)
            memset(&out[lane, 0], 0, made.actions * sizeof(double))
            for first in range(0, found.count, 8):
                add_shown(shown, post, made, found, first, of, &out[lane, 0])
