"""The posterior of a regression on columns in one lane: an average over members (`learners/beliefs/column_members.py`)."""

cdef class Posterior:
    """What is believed in one lane, and room to work in: filled by `update`.

    Effects are deviations from `base`; covariances are in units of the variance of a round. The precision of a normal member
    is Uᵀ U, and W is the inverse of U, both upper triangles, row by row; W is there for members with outliers.
    """

    cdef readonly Py_ssize_t size, main
    # the number of columns, and without products
    cdef Py_ssize_t step, wide_step
    # the length of a row of u and of w; behind a member's own columns of u, eight by eight, is U⁻ᵀ of what is left to explain
    cdef object members, room
    # the members, and room for questions (`column_gains.pxi`)
    cdef Py_ssize_t kinds, sets, rows, worths
    # how many normal members, tables of one cause or two, rows of these, and worths of their priors
    cdef bint number
    cdef double middle, most_variance, prior_rounds, wide, constant, log_none
    cdef const int64_t[::1] columns, set_start, entry_start, entry_column
    # int[G]; int[T + 1]: the first row of each table; int[R + 1] and int: the columns that make up each row's indicator
    cdef const double[::1] entry, log_normal, half_log_precision, log_outlier, worth
    cdef const double[:, ::1] precision, log_sets
    cdef const uint8_t[::1] of_many
    # bool[T]: tables of one cause of many values, whose rows are drawn to their own mean
    cdef readonly double base, variance, degrees, squares, none
    cdef readonly dict arrays
    # the posterior's arrays by name; the mean of a normal member is there where it was needed
    cdef double[:, :, ::1] u, w
    cdef double[:, ::1] inverse, mean, outlier, gain, row_mean, row_share, set_weight, set_explained, gram
    cdef double[::1] normal, likely_sets, with_outliers, explained, determinant, effects, rest, row_rounds, row_sum, half, xy
    cdef double[:, ::1] work, along, inner, row_sums, row_more
    # float[columns, 8]: room for eight columns
    cdef int64_t[::1] solved, slot
    # bool[G]: whether the mean is known; int[G]: the place of w of a member with outliers
    cdef bint knows
    cdef double yy

    def __init__(self, members):
        arrays = members.arrays
        self.members, self.room, self.knows = members, None, False
        self.size, self.main, self.number = members.design.size, members.design.main, members.number
        self.middle, self.most_variance, self.prior_rounds = members.middle, members.most_variance, members.prior_rounds
        self.wide, self.constant, self.log_none = members.wide, members.constant, members.log_none
        self.columns, self.set_start, self.entry_start = arrays.columns, arrays.set_start, arrays.entry_start
        self.entry_column, self.entry, self.of_many = arrays.entry_column, arrays.entry, arrays.of_many
        self.log_normal, self.half_log_precision = arrays.log_normal, arrays.half_log_precision
        self.log_outlier, self.worth = arrays.log_outlier, arrays.worth
        self.precision, self.log_sets = arrays.precision, arrays.log_sets
        g = self.kinds = len(arrays.columns)
        t = self.sets = len(arrays.set_start) - 1
        r = self.rows = arrays.set_start[t]
        c = self.worths = len(arrays.worth)
        d, main = self.size, self.main
        self.arrays = made = {
            "mean": np.zeros((g, d)), "outlier": np.zeros((g, main)), "gain": np.zeros((g, main)),
            "row_mean": np.zeros((r, c)), "row_share": np.zeros((r, c)), "sets": np.zeros((t, c)),
            "set_explained": np.zeros((t, c)), "normal": np.zeros(g), "explained": np.zeros(g),
            "determinant": np.zeros(g), "effects": np.zeros(d),
        }
        self.mean, self.outlier, self.gain = made["mean"], made["outlier"], made["gain"]
        self.row_mean, self.row_share = made["row_mean"], made["row_share"]
        self.set_weight, self.set_explained = made["sets"], made["set_explained"]
        self.normal, self.explained, self.determinant = made["normal"], made["explained"], made["determinant"]
        self.effects = made["effects"]
        full = eights(d)
        self.step, self.wide_step = full + 8, eights(main)
        slots = int(np.isfinite(arrays.log_outlier).sum())
        self.slot = np.cumsum(np.isfinite(arrays.log_outlier)) - 1
        self.u, self.w = np.zeros((g, full, self.step)), np.zeros((slots, self.wide_step, self.wide_step))
        self.inverse, self.gram, self.rest = np.zeros((g, full)), np.zeros((full, full)), np.zeros(full)
        self.work, self.along, self.inner = np.zeros((full, 8)), np.zeros((full, 8)), np.zeros((full, 8))
        self.row_rounds, self.row_sum, self.likely_sets = np.zeros(r), np.zeros(r), np.zeros(t)
        self.row_sums, self.row_more = np.zeros((r, 8)), np.zeros((r, 8))
        self.with_outliers, self.solved = np.zeros(g), np.zeros(g, np.int64)
        self.half, self.xy = np.zeros(d * (d + 1) // 2), np.zeros(d)

    def told(self, const double[::1] half, const double[::1] xy, double yy):
        """The posterior after these sums: the upper half of XᵀX row by row, Xᵀy and Σ y²."""
        _fits(half.shape[0] == self.size * (self.size + 1) // 2 and xy.shape[0] == self.size)
        with nogil:
            update(self, &half[0], &xy[0], yy)
        return self

    def noise(self):
        """The expected variance of a round."""
        cdef Py_ssize_t k, j, t, c
        cdef double total = self.none * noise_of(self, 0.0)
        for k in range(self.kinds):
            total += self.normal[k] * noise_of(self, self.explained[k])
            for j in range(self.main):
                if self.outlier[k, j] > 0:
                    total += self.outlier[k, j] * noise_of(self, _explained(self, k, j))
        for t in range(self.sets):
            for c in range(self.worths):
                total += self.set_weight[t, c] * noise_of(self, self.set_explained[t, c])
        return total

    def covariance_with(self, const double[:, ::1] sums):
        """The posterior covariance of all effects with some sums of effects: float[K, D] of float[K, D]."""
        cdef double[:, ::1] eight = np.zeros((self.size, 8))
        cdef double[:, ::1] out = np.empty((self.size, 8))
        _fits(sums.shape[1] == self.size)
        found = np.empty((sums.shape[0], self.size))
        for k in range(0, sums.shape[0], 8):
            some = np.asarray(sums[k : k + 8])
            np.asarray(eight)[:, : len(some)] = some.T
            covariance_of_eight(self, &eight[0, 0], &out[0, 0])
            found[k : k + 8] = np.asarray(out).T[: len(some)]
        return found

    def drawn(self, Py_ssize_t draws, rng, bint some=False):
        """Draws of the effects, float[draws, D]; with `some`, of the members in which something matters."""
        cdef double[:, ::1] found = np.empty((draws, self.size))
        cdef double[:, ::1] eight = np.empty((eights(self.size), 8))
        cdef int64_t[:, ::1] which = np.empty((draws, 2), np.int64)
        cdef double[::1] least = np.empty(draws)
        cdef int64_t[::1] order = np.arange(draws)
        cdef bitgen_t *source = bits(rng)
        cdef Py_ssize_t first, count, k, i
        if not draws:
            return np.asarray(found)
        with rng.bit_generator.lock, nogil:
            choose_members(self, some, draws, source, &least[0], &which[0, 0])
            shuffle(order, source)  # members come in their order
            first = 0
            while first < draws:
                count = draw_eight(self, &which[first, 0], draws - first, source, &eight[0, 0])
                for k in range(count):
                    for i in range(self.size):
                        found[order[first + k], i] = eight[i, k]
                first += count
        return np.asarray(found)


cdef inline double _likelihood(Posterior post, double explained) noexcept nogil:
    """The log likelihood ratio of a member that explains so much of the squares, to the one in which nothing matters."""
    if not post.number:
        return explained / (2 * post.variance)
    return -post.degrees / 2 * log1p(-min(explained / post.squares, 1 - 1e-12))


cdef inline double noise_of(Posterior post, double explained) noexcept nogil:
    """The expected variance of a round in a member that explains so much."""
    return (post.squares - explained) / (post.degrees - 2) if post.number else post.variance


cdef void update(Posterior post, const double *half, const double *xy, double yy) noexcept nogil:
    """The posterior after some sums; those of the last time are not worked out again."""
    cdef Py_ssize_t cells = post.size * (post.size + 1) // 2 * sizeof(double)
    cdef Py_ssize_t k
    cdef double constant
    if post.knows and yy == post.yy and not memcmp(xy, &post.xy[0], post.size * sizeof(double)):
        if not memcmp(half, &post.half[0], cells):
            return
    memcpy(&post.half[0], half, cells)
    memcpy(&post.xy[0], xy, post.size * sizeof(double))
    post.yy, post.knows = yy, True
    _left(post)
    constant = 0.5 * log1p(post.constant * post.constant * half[0])
    for k in range(post.kinds):
        _normal(post, k)
        post.determinant[k] += constant
        post.normal[k] = post.log_normal[k] + post.determinant[k] + _likelihood(post, post.explained[k])
    _tables(post, &post.rest[0])
    for k in range(post.kinds):
        _outliers(post, k)
    _weighed(post)
    average(post)


cdef void _left(Posterior post) noexcept nogil:
    """The base, the variance of a round, and what is left to explain of the sums that are known."""
    cdef Py_ssize_t d = post.size
    cdef Py_ssize_t i, at
    cdef double n = post.half[0]
    cdef double around
    post.degrees = post.squares = INFINITY
    if post.number:
        post.base = post.xy[0] / n if n > 0 else post.middle
        around = max(post.yy - n * post.base * post.base, 0.0)
        post.variance = around / (n - 1) if n > 1 and around > 0 else post.most_variance
        post.degrees = n + post.prior_rounds
        post.squares = around + post.prior_rounds * post.variance
    else:
        post.base = (post.xy[0] + 1) / (n + 2)
        post.variance = post.base * (1 - post.base)
    at = 0
    for i in range(d):
        memcpy(&post.gram[i, i], &post.half[at], (d - i) * sizeof(double))
        at += d - i
    for i in range(d):
        post.rest[i] = post.xy[i] - post.base * post.gram[0, i]


cdef void _normal(Posterior post, Py_ssize_t k) noexcept nogil:
    """The root of a normal member's precision, what it explains, and the logarithm of its determinants."""
    cdef Py_ssize_t d = post.columns[k]
    cdef Py_ssize_t full = eights(d)
    cdef Py_ssize_t i, first, step = post.step
    cdef double *u = &post.u[k, 0, 0]
    cdef double one
    cdef double product = 1.0
    cdef double logs = 0.0
    cdef double squares = 0.0
    for i in range(full):
        first = i & ~(<Py_ssize_t>15)
        memset(u + i * step + first, 0, (full + 8 - first) * sizeof(double))
        if i < d:
            memcpy(u + i * step + i, &post.gram[i, i], (d - i) * sizeof(double))
            u[i * step + i] += post.precision[k, i]
            u[i * step + full] = post.rest[i]
        else:
            u[i * step + i] = 1.0
    root_of(u, step, full, 8, &post.inverse[k, 0])
    for i in range(d):
        one = u[i * step + full]
        squares += one * one
        product *= post.inverse[k, i]
        if not 1e-150 < product < 1e150:
            logs += log(product)
            product = 1.0
    post.solved[k] = 0
    post.explained[k] = squares
    post.determinant[k] = post.half_log_precision[k] + logs + log(product)


cdef void solve_mean(Posterior post, Py_ssize_t k) noexcept nogil:
    """The mean of a normal member."""
    cdef Py_ssize_t d = post.columns[k]
    cdef Py_ssize_t full = eights(d)
    cdef Py_ssize_t i
    cdef double *work = &post.work[0, 0]
    if post.solved[k]:
        return
    for i in range(full):
        memcpy(work + 8 * i, &post.u[k, i, full], 8 * sizeof(double))
    eight_up(&post.u[k, 0, 0], post.step, full, &post.inverse[k, 0], work)
    for i in range(d):
        post.mean[k, i] = work[8 * i]
    post.solved[k] = 1


cdef inline double _explained(Posterior post, Py_ssize_t k, Py_ssize_t j) noexcept nogil:
    """The squares that a normal member explains in which column j matters more; -1: none does."""
    return post.explained[k] + (post.gain[k, j] * post.mean[k, j] * post.mean[k, j] if j >= 0 else 0.0)


cdef void _outliers(Posterior post, Py_ssize_t k) noexcept nogil:
    """The log weights of a normal member in which one column matters more than the others."""
    cdef Py_ssize_t j
    cdef Py_ssize_t main = post.main
    cdef Py_ssize_t next = post.wide_step
    cdef double own, less, scale
    cdef double *w
    for j in range(main):
        post.outlier[k, j] = -INFINITY
        post.gain[k, j] = 0
    if post.log_outlier[k] == -INFINITY:
        return
    w = &post.w[post.slot[k], 0, 0]
    solve_mean(post, k)
    inverse_of(&post.u[k, 0, 0], post.step, next, &post.inverse[k, 0], w, next)
    for j in range(1, main):
        own = dot(w + j * next + j, w + j * next + j, next - j)
        less = post.precision[k, j] - 1 / (post.wide * post.wide)
        scale = 1 - less * own
        post.gain[k, j] = less / scale
        post.outlier[k, j] = (
            post.log_outlier[k] + post.determinant[k]
            - 0.5 * log(post.precision[k, j] * post.wide * post.wide * scale)
            + _likelihood(post, _explained(post, k, j))
        )


cdef void _tables(Posterior post, const double *rest) noexcept nogil:
    """The log weights of tables of one cause or two, with the means and shares of their rows."""
    cdef Py_ssize_t t, r, c, e
    cdef double rounds, total, share, shift, moved, explained, loss, weight, sums, part, each
    for r in range(post.rows):
        rounds = sums = 0.0
        for e in range(post.entry_start[r], post.entry_start[r + 1]):
            rounds += post.entry[e] * post.gram[0, post.entry_column[e]]
            sums += post.entry[e] * rest[post.entry_column[e]]
        post.row_rounds[r], post.row_sum[r] = max(rounds, 0.0), sums
    for t in range(post.sets):
        for c in range(post.worths):
            shift = 0.0
            if post.of_many[t]:
                sums, weight = 0.0, 0.5
                for r in range(post.set_start[t], post.set_start[t + 1]):
                    part = 1 / (post.row_rounds[r] + post.worth[c])
                    sums += part * post.row_sum[r]
                    weight += part * post.row_rounds[r]
                shift = sums / weight
            explained = loss = 0.0
            part, each = 1.0, 1 / post.worth[c]
            for r in range(post.set_start[t], post.set_start[t + 1]):
                total = post.row_rounds[r] + post.worth[c]
                share = 1 / total
                moved = post.row_sum[r] - post.row_rounds[r] * shift
                post.row_mean[r, c], post.row_share[r, c] = shift + moved * share, share
                explained += moved * moved * share + shift * (2 * post.row_sum[r] - post.row_rounds[r] * shift)
                part *= total * each
                if part > 1e200:
                    loss += log(part)
                    part = 1.0
            loss += log(part)
            post.set_explained[t, c] = explained
            post.set_weight[t, c] = post.log_sets[t, c] - 0.5 * loss + _likelihood(post, explained)


cdef void _weighed(Posterior post) noexcept nogil:
    """The probabilities of all members from their log weights."""
    cdef Py_ssize_t k, j, t, c
    cdef double top = post.log_none
    cdef double total
    for k in range(post.kinds):
        top = max(top, post.normal[k])
        for j in range(post.main):
            top = max(top, post.outlier[k, j])
    for t in range(post.sets):
        for c in range(post.worths):
            top = max(top, post.set_weight[t, c])
    post.none = total = exp(post.log_none - top)
    for k in range(post.kinds):
        post.normal[k] = exp(post.normal[k] - top)
        total += post.normal[k]
        for j in range(post.main):
            post.outlier[k, j] = exp(post.outlier[k, j] - top) if post.outlier[k, j] > top - 60 else 0.0
            total += post.outlier[k, j]
    for t in range(post.sets):
        for c in range(post.worths):
            post.set_weight[t, c] = exp(post.set_weight[t, c] - top) if post.set_weight[t, c] > top - 60 else 0.0
            total += post.set_weight[t, c]
    post.none /= total
    for k in range(post.kinds):
        post.normal[k] /= total
        post.with_outliers[k] = 0.0
        for j in range(post.main):
            post.outlier[k, j] /= total
            post.with_outliers[k] += post.outlier[k, j]
    for t in range(post.sets):
        post.likely_sets[t] = 0.0
        for c in range(post.worths):
            post.set_weight[t, c] /= total
            post.likely_sets[t] += post.set_weight[t, c]
