"""The information gain of rounds about the differences of actions, in a regression on columns."""

cdef double _LEAST_VARIANCE = 0.01  # of a success, by which a round is rated
cdef double _NEAR = 1e-9  # means that differ by less, in spreads of a round, are equal


cdef class Columns:
    """The expected columns of all actions in one lane, written as few numbers: deviations from a reference."""

    cdef Py_ssize_t actions, size, main
    cdef double[::1] reference, entry
    cdef int64_t[::1] start, column

    def __init__(self, Py_ssize_t actions, Py_ssize_t size, Py_ssize_t main):
        self.actions, self.size, self.main = actions, size, main
        self.reference, self.entry = np.zeros(size), np.empty(actions * size)
        self.start, self.column = np.zeros(actions + 1, np.int64), np.empty(actions * size, np.int64)


cdef void _written(Columns made, const double *expected) noexcept nogil:
    """Takes the columns of all actions (float[A, D]): around those of the first action, or around zero if that is shorter."""
    cdef Py_ssize_t a, j
    cdef Py_ssize_t size = made.size
    cdef Py_ssize_t same = 0
    cdef Py_ssize_t zero = 0
    cdef Py_ssize_t at = 0
    for a in range(made.actions):
        for j in range(size):
            same += expected[a * size + j] == expected[j]
            zero += expected[a * size + j] == 0
    for j in range(size):
        made.reference[j] = expected[j] if same > zero else 0.0
    for a in range(made.actions):
        made.start[a] = at
        for j in range(size):
            if expected[a * size + j] != made.reference[j]:
                made.column[at], made.entry[at] = j, expected[a * size + j] - made.reference[j]
                at += 1
    made.start[made.actions] = at


cdef void _sums(Columns made, const double *effects, double *out) noexcept nogil:
    """The expected sums of effects under all actions."""
    cdef Py_ssize_t a, e
    cdef double total
    cdef double common = dot(&made.reference[0], effects, made.size)
    for a in range(made.actions):
        total = 0.0
        for e in range(made.start[a], made.start[a + 1]):
            total += made.entry[e] * effects[made.column[e]]
        out[a] = common + total


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


cdef Py_ssize_t _best(const double *means, const int64_t[::1] some, Py_ssize_t but, double near, bitgen_t *rng) noexcept nogil:
    """The place of the best of some actions, but for one place; of equals, which sparse draws have many of, one at random."""
    cdef Py_ssize_t i
    cdef Py_ssize_t best = 0
    cdef Py_ssize_t equals = 0
    cdef double most = -INFINITY
    for i in range(some.shape[0]):
        if i != but:
            most = max(most, means[some[i]])
    for i in range(some.shape[0]):
        if i != but and means[some[i]] >= most - near:
            equals += 1
            if equals == 1 or rng.next_double(rng.state) * equals < 1:
                best = i
    return best


def gains(
    members,
    const double[:, ::1] half,
    const double[:, ::1] xy,
    const double[::1] yy,
    const double[:, :, ::1] expected,
    const int64_t[::1] some,
    const uint8_t[::1] two_valued,
    const int64_t[:, ::1] blocks,
    const int64_t[:, ::1] products,
    Py_ssize_t pairs,
    Py_ssize_t draws,
    rng,
    double[:, ::1] out,
):
    """The expected share of the variance of differences that a round of each action removes, summed over pairs: float[L, A].

    `half`, `xy` and `yy` are the sums of each lane, `expected` (float[L or 1, A, D]) the expected columns of each action,
    `some` the actions that are compared. `two_valued` (bool[main]) are the columns of causes of two values, `blocks` (int[B,
    2]) the first and last columns of other causes, `products` (int[P, 2]) the columns whose products the last columns are.

    A draw promises the square of how far its best is above its mean. Leaders are the best of draws taken by that, without
    putting back; a challenger is the best of another draw with another best, taken alike, or else the second best.
    """
    cdef Posterior post = Posterior(members)
    cdef Columns made = Columns(out.shape[1], post.size, post.main)
    cdef bitgen_t *source = bits(rng)
    cdef Py_ssize_t lanes = out.shape[0]
    cdef Py_ssize_t actions = out.shape[1]
    cdef Py_ssize_t count = some.shape[0]
    cdef Py_ssize_t lane, k, a, i, one, other, leader, challenger
    cdef double most, total, variance, near
    cdef double[:, ::1] means = np.empty((draws, actions))
    cdef double[::1] promise = np.empty(draws)
    cdef double[::1] left = np.empty(draws)
    cdef double[::1] others = np.empty(draws)
    cdef int64_t[::1] first = np.empty(draws, np.int64)
    cdef double[::1] effects = np.empty(post.size)
    cdef double[::1] apart = np.empty(post.size)
    cdef double[::1] along = np.empty(post.size)
    cdef double[::1] slope = np.empty(post.main)
    cdef double[::1] noise = np.empty(actions)
    cdef double[::1] shown = np.empty(actions)
    cdef const double *columns
    _fits(half.shape[0] == xy.shape[0] == yy.shape[0] == lanes and half.shape[1] == post.size * (post.size + 1) // 2)
    _fits(xy.shape[1] == expected.shape[2] == post.size and expected.shape[1] == actions)
    _fits(expected.shape[0] == lanes or expected.shape[0] == 1)
    _fits(two_valued.shape[0] == post.main and post.main + products.shape[0] == post.size)
    with rng.bit_generator.lock, nogil:
        for lane in range(lanes):
            columns = &expected[lane if expected.shape[0] > 1 else 0, 0, 0]
            if lane == 0 or expected.shape[0] > 1:
                _written(made, columns)
            update(post, &half[lane, 0], &xy[lane, 0], yy[lane])
            near = _NEAR * sqrt(post.variance)
            for k in range(draws):
                draw_effects(post, True, source, &effects[0])
                _sums(made, &effects[0], &means[k, 0])
                total = 0.0
                for i in range(count):
                    total += means[k, some[i]]
                first[k] = _best(&means[k, 0], some, -1, near, source)
                most = means[k, some[first[k]]]
                promise[k] = left[k] = (most - total / count) * (most - total / count) + 1e-300
            _sums(made, &post.effects[0], &noise[0])
            for a in range(actions):
                if post.number:
                    noise[a] = noise_of(post, 0.0)
                else:
                    most = min(max(post.base + noise[a], 0.0), 1.0)
                    noise[a] = max(most * (1 - most), _LEAST_VARIANCE)
                out[lane, a] = 0.0
            for _ in range(pairs):
                k = _taken(&left[0], draws, source)
                if k < 0:
                    break
                left[k] = 0.0
                one = first[k]
                for i in range(draws):
                    others[i] = promise[i] if first[i] != one else 0.0
                i = _taken(&others[0], draws, source)
                if i >= 0:
                    other = first[i]
                else:
                    other = _best(&means[k, 0], some, one, near, source)
                leader, challenger = some[one], some[other]
                for i in range(post.size):
                    apart[i] = columns[leader * post.size + i] - columns[challenger * post.size + i]
                covariance_with(post, &apart[0], &along[0])
                variance = max(dot(&apart[0], &along[0], post.size), 1e-30)
                _shown(made, columns, &along[0], two_valued, blocks, products, &slope[0], &shown[0])
                for a in range(actions):
                    out[lane, a] += min(1.0, shown[a] / (variance * noise[a]))


cdef void _shown(
    Columns made,
    const double *expected,
    const double *along,
    const uint8_t[::1] two_valued,
    const int64_t[:, ::1] blocks,
    const int64_t[:, ::1] products,
    double *slope,
    double *out,
) noexcept nogil:
    """The expected square of a sum of effects in a round of each action: its mean's, and its variance by causes not set.

    Causes that are not set vary by themselves, each with the others at their expected columns.
    """
    cdef Py_ssize_t a, j, p, b
    cdef const double *row
    cdef double spread, first, second
    _sums(made, along, out)
    for a in range(made.actions):
        row = expected + a * made.size
        memcpy(slope, along, made.main * sizeof(double))
        for p in range(products.shape[0]):
            slope[products[p, 0]] += row[products[p, 1]] * along[made.main + p]
            slope[products[p, 1]] += row[products[p, 0]] * along[made.main + p]
        spread = 0.0
        for j in range(made.main):
            if two_valued[j]:
                spread += (0.5 - row[j] * row[j]) * slope[j] * slope[j]
        for b in range(blocks.shape[0]):
            first = second = 0.0
            for j in range(blocks[b, 0], blocks[b, 1]):
                first += row[j] * slope[j]
                second += row[j] * slope[j] * slope[j]
            spread += second - first * first
        out[a] = out[a] * out[a] + max(spread, 0.0)
