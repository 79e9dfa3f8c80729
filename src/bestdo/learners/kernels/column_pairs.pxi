"""Pairs of leader and challenger, taken from draws of all means by what each draw promises."""

cdef extern from *:
    """
    /* The largest numbers so far, and their sums. */
    ANY_WIDTH static void largest_eight(double *restrict most, double *restrict total, const double *restrict row) {
        for (int k = 0; k < 8; k++) {
            most[k] = row[k] > most[k] ? row[k] : most[k];
            total[k] += row[k];
        }
    }

    /* How many rows reach the least number, and the last of them. */
    ANY_WIDTH static void reach_eight(double *restrict count, double *restrict last, const double *restrict least,
                                      const double *restrict row, double number) {
        for (int k = 0; k < 8; k++) {
            double yes = row[k] >= least[k] ? 1.0 : 0.0;
            count[k] += yes;
            last[k] = yes > 0 ? number : last[k];
        }
    }
    """
    void largest_eight(double *most, double *total, const double *row) noexcept nogil
    void reach_eight(double *count, double *last, const double *least, const double *row, double number) noexcept nogil



cdef Py_ssize_t _taken(const double *weight, Py_ssize_t n, bitgen_t *rng) noexcept nogil:
    """A number below n by its weight; -1 where all weights are 0."""
    cdef Py_ssize_t i
    cdef Py_ssize_t last = -1
    cdef double total = 0.0
    for i in range(n):
        total += weight[i]
    total *= rng.next_double(rng.state)
    for i in range(n):
        if weight[i] > 0:
            last = i
            total -= weight[i]
            if total < 0:
                break
    return last


cdef Py_ssize_t _best(
    const double *means, const int64_t[::1] some, Py_ssize_t but, double near, bitgen_t *rng
) noexcept nogil:
    """The place of the best of some actions, whose means are every eighth number, but for one place.

    Of equals, which sparse draws have many of, one at random.
    """
    cdef Py_ssize_t i
    cdef Py_ssize_t best = 0
    cdef Py_ssize_t equals = 0
    cdef double most = -INFINITY
    for i in range(some.shape[0]):
        if i != but:
            most = max(most, means[8 * some[i]])
    for i in range(some.shape[0]):
        if i != but and means[8 * some[i]] >= most - near:
            equals += 1
            if equals == 1 or rng.next_double(rng.state) * equals < 1:
                best = i
    return best


cdef class Promises:
    """Draws of all means in one lane: the best of some actions in each, and the square of how far it is above their mean."""

    cdef Py_ssize_t draws, actions
    cdef double[:, ::1] means
    # float[batches of eight draws × A, 8]
    cdef double[::1] promise, least
    cdef int64_t[::1] best, place
    # int[draws]: the place of the best among the actions; where the draw's means begin
    cdef int64_t[:, ::1] which
    cdef double[:, ::1] effects

    def __init__(self, Posterior post, Py_ssize_t draws, Py_ssize_t actions):
        self.draws, self.actions = draws, actions
        self.means = np.empty(((draws // 8 + post.kinds + 3) * actions, 8))
        self.promise, self.least = np.empty(draws), np.empty(draws)
        self.best, self.place = np.empty(draws, np.int64), np.empty(draws, np.int64)
        self.which, self.effects = np.empty((draws, 2), np.int64), np.empty((eights(post.size), 8))


cdef void _promised(
    Promises made, Posterior post, Columns columns, const int64_t[::1] some, double near, bitgen_t *rng
) noexcept nogil:
    """Draws the means of all actions, without the member in which nothing matters, and keeps what each draw promises."""
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t batch = 0
    cdef Py_ssize_t count, e, i
    cdef double *means
    cdef double[8] most
    cdef double[8] total
    cdef double[8] reach
    cdef double[8] equals
    cdef double[8] last
    choose_members(post, True, made.draws, rng, &made.least[0], &made.which[0, 0])
    while first < made.draws:
        count = draw_eight(post, &made.which[first, 0], made.draws - first, rng, &made.effects[0, 0])
        means = &made.means[batch * made.actions, 0]
        sums_of_eight(columns, &made.effects[0, 0], means)
        for e in range(8):
            most[e], total[e], equals[e], last[e] = -INFINITY, 0.0, 0.0, 0.0
        for i in range(some.shape[0]):
            largest_eight(most, total, means + 8 * some[i])
        for e in range(8):
            reach[e] = most[e] - near
        for i in range(some.shape[0]):
            reach_eight(equals, last, reach, means + 8 * some[i], i)
        for e in range(count):
            made.best[first + e] = <int64_t>last[e] if equals[e] == 1 else _best(means + e, some, -1, near, rng)
            made.place[first + e] = batch * made.actions * 8 + e
            made.promise[first + e] = (most[e] - total[e] / some.shape[0]) * (most[e] - total[e] / some.shape[0]) + 1e-300
        first, batch = first + count, batch + 1


cdef class Pairs:
    """Pairs of leader and challenger in one lane."""

    cdef Py_ssize_t count
    cdef int64_t[::1] leader, challenger
    cdef double[::1] left, others

    def __init__(self, Py_ssize_t pairs, Py_ssize_t draws):
        self.count = 0
        self.leader, self.challenger = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)
        self.left, self.others = np.empty(draws), np.empty(draws)


cdef void _paired(
    Pairs made, Promises drawn, const int64_t[::1] some, double near, bitgen_t *rng
) noexcept nogil:
    """Takes pairs from draws, by what these promise."""
    cdef Py_ssize_t k, i, one
    made.count = 0
    for k in range(drawn.draws):
        made.left[k] = drawn.promise[k]
    while made.count < made.leader.shape[0]:
        k = _taken(&made.left[0], drawn.draws, rng)
        if k < 0:
            return
        made.left[k] = 0.0
        one = drawn.best[k]
        for i in range(drawn.draws):
            made.others[i] = drawn.promise[i] if drawn.best[i] != one else 0.0
        i = _taken(&made.others[0], drawn.draws, rng)
        made.leader[made.count] = some[one]
        made.challenger[made.count] = some[
            drawn.best[i] if i >= 0 else _best(&drawn.means[0, 0] + drawn.place[k], some, one, near, rng)
        ]
        made.count += 1
