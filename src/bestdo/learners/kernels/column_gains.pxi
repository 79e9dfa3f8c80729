"""The information gain of rounds about the differences of actions, in a regression on columns."""

cdef double _NEAR = 1e-9  # means that differ by less, in spreads of a round, are equal


cdef class Room:
    """Room to work in, for so many actions, pairs and draws, and designs whose columns vary so by themselves."""

    cdef Promises drawn
    cdef Pairs found
    cdef Shown shown
    cdef tuple key, of_columns

    def __init__(self, Posterior post, tuple key, tuple of_columns):
        actions, pairs, draws = key
        self.key, self.of_columns = key, of_columns
        self.drawn, self.found = Promises(post, draws, actions), Pairs(pairs, draws)
        self.shown = Shown(post, actions, *of_columns)


cdef Room _room_of(Posterior post, actions, pairs, draws, tuple of_columns):
    """The room of the last question, where this one has the same size."""
    cdef Room room = post.room
    key = (actions, pairs, draws)
    if room is None or room.key != key or any(one is not other for one, other in zip(room.of_columns, of_columns)):
        post.room = room = Room(post, key, of_columns)
    return room


def gains(
    members,
    const double[:, ::1] half,
    const double[:, ::1] xy,
    const double[::1] yy,
    Columns made,
    const double[:, :, ::1] own,
    const int64_t[::1] some,
    const int64_t[::1] of,
    two_valued,
    blocks,
    products,
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
    cdef Room room = _room_of(post, made.actions, pairs, draws, (two_valued, blocks, products))
    cdef Promises drawn = room.drawn
    cdef Pairs found = room.found
    cdef Shown shown = room.shown
    cdef bitgen_t *source = bits(rng)
    cdef Py_ssize_t lanes = out.shape[0]
    cdef Py_ssize_t lane, first
    cdef double near
    _fits(half.shape[0] == xy.shape[0] == yy.shape[0] == lanes and half.shape[1] == post.size * (post.size + 1) // 2)
    _fits(xy.shape[1] == made.size == own.shape[2] == post.size and made.actions == out.shape[1])
    _fits(own.shape[0] == lanes and own.shape[1] == made.varying.shape[0])
    with rng.bit_generator.lock, nogil:
        for lane in range(lanes):
            if made.varying.shape[0]:
                vary(made, &own[lane, 0, 0])
            update(post, &half[lane, 0], &xy[lane, 0], yy[lane])
            near = _NEAR * sqrt(post.variance)
            _promised(drawn, post, made, some, near, source)
            _paired(found, drawn, some, near, source)
            memset(&out[lane, 0], 0, made.actions * sizeof(double))
            for first in range(0, found.count, 8):
                add_shown(shown, post, made, found, first, of, &out[lane, 0])
