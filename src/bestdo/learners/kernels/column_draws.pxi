"""Draws of the effects: members first, in their order, then eight draws of one member at a time."""

cdef int64_t _NOTHING = -1  # in place of a member: the one in which nothing matters


cdef struct Taken:
    # members of draws, taken one after the other
    const double *least
    # uniform numbers in their order, and how many of them are below `chance`, the probability of all members so far
    int64_t *which
    Py_ssize_t at, draws
    double chance


cdef inline void _take(Taken *taken, int64_t member, int64_t place, double chance) noexcept nogil:
    """Gives a member to the draws that fall into its probability."""
    if chance <= 0:
        return
    taken.chance += chance
    while taken.at < taken.draws and taken.least[taken.at] < taken.chance:
        taken.which[2 * taken.at], taken.which[2 * taken.at + 1] = member, place
        taken.at += 1


cdef void choose_members(
    Posterior post, bint some, Py_ssize_t draws, bitgen_t *rng, double *least, int64_t *which
) noexcept nogil:
    """The members of some draws by their probabilities, in the order of the members (int[draws, 2]).

    A normal member and the column that matters more (-1: none does); or the number of normal members, and the place of a
    table with its worth; or -1, where nothing matters: not with `some`. Uniform numbers in their order (float[draws]) are
    sums of exponential ones divided by their total.
    """
    cdef Py_ssize_t k, j
    cdef Taken taken
    cdef double total = 0.0
    for k in range(draws):
        total += random_standard_exponential(rng)
        least[k] = total
    total = (1 - post.none if some else 1.0) / (total + random_standard_exponential(rng))
    for k in range(draws):
        least[k] *= total
    taken.least, taken.which, taken.at, taken.draws, taken.chance = least, which, 0, draws, 0.0
    if not some:
        _take(&taken, _NOTHING, 0, post.none)
    for k in range(post.kinds):
        _take(&taken, k, -1, post.normal[k])
        if post.with_outliers[k] > 0:
            for j in range(post.main):
                _take(&taken, k, j, post.outlier[k, j])
    for k in range(post.sets):
        for j in range(post.worths):
            _take(&taken, post.kinds, k * post.worths + j, post.set_weight[k, j])
    for k in range(taken.at, draws):  # rounding errors
        which[2 * k], which[2 * k + 1] = _NOTHING, 0


cdef Py_ssize_t draw_eight(
    Posterior post, const int64_t *which, Py_ssize_t draws, bitgen_t *rng, double *out
) noexcept nogil:
    """The first draws of the effects (float[D, 8]: the first columns) and their number: 8 of one kind at most."""
    cdef Py_ssize_t count = 1
    cdef Py_ssize_t e
    while count < min(8, draws) and which[2 * count] == which[0]:
        count += 1
    memset(out, 0, 8 * post.size * sizeof(double))
    if which[0] == post.kinds:
        for e in range(count):
            _draw_table(post, which[2 * e + 1] // post.worths, which[2 * e + 1] % post.worths, rng, out + e)
    elif which[0] != _NOTHING:
        _draw_normal(post, which, count, rng, out)
    return count


cdef double _sigma(Posterior post, double explained, bitgen_t *rng) noexcept nogil:
    """A draw of the standard deviation of a round."""
    if not post.number:
        return sqrt(post.variance)
    return sqrt((post.squares - explained) / random_chisquare(rng, post.degrees))


cdef void _draw_table(Posterior post, Py_ssize_t t, Py_ssize_t c, bitgen_t *rng, double *out) noexcept nogil:
    """A draw of the effects of the table of one cause or two, added to every eighth number."""
    cdef Py_ssize_t r, e
    cdef double sigma = _sigma(post, post.set_explained[t, c], rng)
    cdef double amount
    for r in range(post.set_start[t], post.set_start[t + 1]):
        amount = post.row_mean[r, c] + sigma * sqrt(post.row_share[r, c]) * random_standard_normal(rng)
        for e in range(post.entry_start[r], post.entry_start[r + 1]):
            out[8 * post.entry_column[e]] += post.entry[e] * amount


cdef void _draw_normal(Posterior post, const int64_t *which, Py_ssize_t count, bitgen_t *rng, double *out) noexcept nogil:
    """Up to eight draws of the effects of a normal member, in each of which one column may matter more."""
    cdef Py_ssize_t k = which[0]
    cdef Py_ssize_t d = post.columns[k]
    cdef Py_ssize_t full = eights(d)
    cdef Py_ssize_t e, i, j
    cdef double *noise = &post.work[0, 0]
    cdef const double *w
    cdef double along
    cdef double[8] ones
    cdef double[8] sigma
    solve_mean(post, k)
    normal_numbers(noise, 4 * full, rng.next_uint64(rng.state))
    memset(noise + 8 * d, 0, 8 * (full - d) * sizeof(double))
    for e in range(8):
        sigma[e] = _sigma(post, _explained(post, k, which[2 * e + 1]), rng) if e < count else 0.0
        ones[e] = 1.0
    times_eight(noise, sigma, d)
    for e in range(count):
        j = which[2 * e + 1]
        if j >= 0:  # the covariance grows by gain × V_j V_jᵀ; V_j = W Wᵀ e_j
            along = sigma[e] * sqrt(post.gain[k, j]) * random_standard_normal(rng)
            along += post.gain[k, j] * post.mean[k, j]
            w = &post.w[post.slot[k], j, 0]
            for i in range(j, d):
                noise[8 * i + e] += along * w[i]
    eight_up(&post.u[k, 0, 0], post.step, full, &post.inverse[k, 0], noise)
    memcpy(out, noise, 8 * d * sizeof(double))
    add_eight(out, &post.mean[k, 0], ones, d)


cdef void shuffle(int64_t[::1] order, bitgen_t *rng) noexcept nogil:
    """Puts numbers into a random order."""
    cdef Py_ssize_t i, j
    for i in range(order.shape[0] - 1, 0, -1):
        j = <Py_ssize_t>(rng.next_double(rng.state) * (i + 1))
        order[i], order[j] = order[j], order[i]
