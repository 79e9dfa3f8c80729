"""The posterior of a regression on columns in one lane: an average over members (`learners/beliefs/column_members.py`)."""

cdef double _UNLIKELY = 1e-4  # members less likely than this are left out of averages


cdef class Posterior:
    """What is believed in one lane, and room to work in: filled by `update`.

    Effects are deviations from `base`; covariances are in units of the variance of a round. The precision of a normal member
    is Uᵀ U, and W is the inverse of U, both upper triangles, row by row.
    """

    cdef readonly Py_ssize_t size, main
    # the number of columns, and without products
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
    # the posterior's arrays by name
    cdef double[:, :, ::1] u, w
    cdef double[:, ::1] mean, outlier, gain, row_mean, row_share, set_weight, set_explained
    cdef double[::1] normal, explained, determinant, effects, rest, row_rounds, row_sum, work, along, inner
    cdef int64_t[::1] inverted
    cdef double[:, ::1] gram

    def __init__(self, members):
        arrays = members.arrays
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
        self.u, self.w, self.gram = np.zeros((g, d, d)), np.zeros((g, d, d)), np.zeros((d, d))
        self.rest, self.work, self.along, self.inner = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
        self.row_rounds, self.row_sum, self.inverted = np.zeros(r), np.zeros(r), np.zeros(g, np.int64)

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
        cdef double[:, ::1] found = np.empty((sums.shape[0], self.size))
        cdef Py_ssize_t k
        _fits(sums.shape[1] == self.size)
        for k in range(sums.shape[0]):
            covariance_with(self, &sums[k, 0], &found[k, 0])
        return np.asarray(found)

    def drawn(self, Py_ssize_t draws, rng, bint some=False):
        """Draws of the effects, float[draws, D]; with `some`, of the members in which something matters."""
        cdef double[:, ::1] found = np.empty((draws, self.size))
        cdef bitgen_t *source = bits(rng)
        cdef Py_ssize_t k
        with rng.bit_generator.lock, nogil:
            for k in range(draws):
                draw_effects(self, some, source, &found[k, 0])
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
    """The posterior after some sums."""
    cdef Py_ssize_t d = post.size
    cdef Py_ssize_t i, j, k, at
    cdef double n = half[0]
    cdef double around, constant
    cdef double *rest = &post.rest[0]
    post.degrees = post.squares = INFINITY
    if post.number:
        post.base = xy[0] / n if n > 0 else post.middle
        around = max(yy - n * post.base * post.base, 0.0)
        post.variance = around / (n - 1) if n > 1 and around > 0 else post.most_variance
        post.degrees = n + post.prior_rounds
        post.squares = around + post.prior_rounds * post.variance
    else:
        post.base = (xy[0] + 1) / (n + 2)
        post.variance = post.base * (1 - post.base)
    at = 0
    for i in range(d):
        memcpy(&post.gram[i, i], half + at, (d - i) * sizeof(double))
        at += d - i
    for j in range(d):
        rest[j] = xy[j] - post.base * post.gram[0, j]
    constant = 0.5 * log1p(post.constant * post.constant * n)
    for k in range(post.kinds):
        _normal(post, k, rest)
        post.determinant[k] += constant
        post.normal[k] = post.log_normal[k] + post.determinant[k] + _likelihood(post, post.explained[k])
    _tables(post, rest)
    for k in range(post.kinds):
        _outliers(post, k)
    _weighed(post)
    _average(post)


cdef void _normal(Posterior post, Py_ssize_t k, const double *rest) noexcept nogil:
    """The root of a normal member's precision, what it explains, and the logarithm of its determinants."""
    cdef Py_ssize_t d = post.columns[k]
    cdef Py_ssize_t i, j, size = post.size
    cdef double *u = &post.u[k, 0, 0]
    cdef double *solved = &post.mean[k, 0]  # Uᵀ⁻¹ rest, until it is turned into the mean
    cdef double one
    cdef double logs = 0.0
    cdef double squares = 0.0
    post.inverted[k] = 0
    memcpy(solved, rest, d * sizeof(double))
    for i in range(d):
        memcpy(u + i * size + i, &post.gram[i, i], (d - i) * sizeof(double))
        u[i * size + i] += post.precision[k, i]
        j = 0
        while j + 4 <= i:
            add_four(u + i * size + i, u + j * size + i, size, -u[j * size + i], -u[(j + 1) * size + i],
                     -u[(j + 2) * size + i], -u[(j + 3) * size + i], d - i)
            j += 4
        while j < i:
            add_one(u + i * size + i, u + j * size + i, -u[j * size + i], d - i)
            j += 1
        one = 1 / sqrt(u[i * size + i])
        logs -= log(one)
        scale_all(u + i * size + i, one, d - i)
        solved[i] *= one
        squares += solved[i] * solved[i]
        add_one(solved + i + 1, u + i * size + i + 1, -solved[i], d - i - 1)
    post.explained[k] = squares
    post.determinant[k] = post.half_log_precision[k] - logs


cdef void _invert(Posterior post, Py_ssize_t k) noexcept nogil:
    """The inverse of a normal member's root, and with it the mean."""
    cdef Py_ssize_t d = post.columns[k]
    cdef Py_ssize_t i, j, size = post.size
    cdef const double *u = &post.u[k, 0, 0]
    cdef double *w = &post.w[k, 0, 0]
    cdef double *solved = &post.work[0]
    cdef double one, total
    if post.inverted[k]:
        return
    for i in range(d - 1, -1, -1):
        memset(w + i * size, 0, d * sizeof(double))
        one = 1 / u[i * size + i]
        j = i + 1
        while j + 4 <= d:
            add_four(w + i * size + j, w + j * size + j, size, -u[i * size + j] * one, -u[i * size + j + 1] * one,
                     -u[i * size + j + 2] * one, -u[i * size + j + 3] * one, d - j)
            j += 4
        while j < d:
            add_one(w + i * size + j, w + j * size + j, -u[i * size + j] * one, d - j)
            j += 1
        w[i * size + i] = one
    memcpy(solved, &post.mean[k, 0], d * sizeof(double))
    for i in range(d):
        total = 0.0
        for j in range(i, d):
            total += w[i * size + j] * solved[j]
        post.mean[k, i] = total
    post.inverted[k] = 1


cdef void _spread_of(Posterior post, Py_ssize_t k, const double *sums, double *out) noexcept nogil:
    """The covariance of a normal member with a sum of effects: W Wᵀ sums."""
    cdef Py_ssize_t d = post.columns[k]
    cdef Py_ssize_t i, j, size = post.size
    cdef const double *w = &post.w[k, 0, 0]
    cdef double *inner = &post.work[0]
    cdef double total
    memset(inner, 0, d * sizeof(double))
    for i in range(d):
        if sums[i] != 0:
            add_one(inner + i, w + i * size + i, sums[i], d - i)
    for i in range(d):
        out[i] = dot(w + i * size + i, inner + i, d - i)


cdef inline double _explained(Posterior post, Py_ssize_t k, Py_ssize_t j) noexcept nogil:
    """The squares that a normal member explains in which column j matters more; -1: none does."""
    return post.explained[k] + (post.gain[k, j] * post.mean[k, j] * post.mean[k, j] if j >= 0 else 0.0)


cdef void _outliers(Posterior post, Py_ssize_t k) noexcept nogil:
    """The log weights of a normal member in which one column matters more than the others."""
    cdef Py_ssize_t j, size = post.size
    cdef Py_ssize_t main = post.main
    cdef double own, less, scale
    cdef const double *w = &post.w[k, 0, 0]
    for j in range(main):
        post.outlier[k, j] = -INFINITY
        post.gain[k, j] = 0
    if post.log_outlier[k] == -INFINITY:
        return
    _invert(post, k)
    for j in range(1, main):
        own = dot(w + j * size + j, w + j * size + j, post.columns[k] - j)
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
    cdef double rounds, total, shift, moved, explained, loss, weight, sums, part
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
            part = 1.0
            for r in range(post.set_start[t], post.set_start[t + 1]):
                total = post.row_rounds[r] + post.worth[c]
                moved = post.row_sum[r] - post.row_rounds[r] * shift
                post.row_mean[r, c], post.row_share[r, c] = shift + moved / total, 1 / total
                explained += moved * moved / total + shift * (2 * post.row_sum[r] - post.row_rounds[r] * shift)
                part *= total / post.worth[c]
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
        for j in range(post.main):
            post.outlier[k, j] /= total
    for t in range(post.sets):
        for c in range(post.worths):
            post.set_weight[t, c] /= total


cdef double _with_outliers(Posterior post, Py_ssize_t k) noexcept nogil:
    """The probability of a normal member in which one column matters more."""
    cdef Py_ssize_t j
    cdef double total = 0.0
    if post.log_outlier[k] > -INFINITY:
        for j in range(post.main):
            total += post.outlier[k, j]
    return total


cdef void _add_rows(Posterior post, Py_ssize_t r, double amount, double *out) noexcept nogil:
    """Adds an effect on one row of a table to the effects of the columns."""
    cdef Py_ssize_t e
    for e in range(post.entry_start[r], post.entry_start[r + 1]):
        out[post.entry_column[e]] += post.entry[e] * amount


cdef void _average(Posterior post) noexcept nogil:
    """The mean of all effects."""
    cdef Py_ssize_t d, k, j, t, r, c
    cdef double *out = &post.effects[0]
    cdef double *shift = &post.inner[0]
    cdef double weight, total
    memset(out, 0, post.size * sizeof(double))
    for k in range(post.kinds):
        d = post.columns[k]
        weight = _with_outliers(post, k)
        if max(weight, post.normal[k]) <= _UNLIKELY:
            continue
        _invert(post, k)
        total = post.normal[k] if post.normal[k] > _UNLIKELY else 0.0
        if weight > _UNLIKELY:
            total += weight
            memset(shift, 0, d * sizeof(double))
            for j in range(post.main):
                shift[j] = post.outlier[k, j] * post.gain[k, j] * post.mean[k, j]
            _spread_of(post, k, shift, &post.along[0])
            add_one(out, &post.along[0], 1.0, d)
        add_one(out, &post.mean[k, 0], total, d)
    for t in range(post.sets):
        for r in range(post.set_start[t], post.set_start[t + 1]):
            total = 0.0
            for c in range(post.worths):
                total += post.set_weight[t, c] * post.row_mean[r, c]
            _add_rows(post, r, total, out)


cdef void covariance_with(Posterior post, const double *sums, double *out) noexcept nogil:
    """The posterior covariance of all effects with a sum of effects."""
    cdef Py_ssize_t d, k, j, t, r, c, e
    cdef double weight, noise, own, total, rows, inside, each
    cdef double *along = &post.along[0]
    cdef double *inner = &post.inner[0]
    own = dot(&post.effects[0], sums, post.size)
    for j in range(post.size):
        out[j] = -own * post.effects[j]
    for k in range(post.kinds):
        d = post.columns[k]
        weight = _with_outliers(post, k)
        if max(weight, post.normal[k]) <= _UNLIKELY:
            continue
        noise = noise_of(post, post.explained[k])
        own = dot(&post.mean[k, 0], sums, d)
        _spread_of(post, k, sums, along)
        total = 0.0
        if post.normal[k] > _UNLIKELY:
            total = post.normal[k]
            add_one(out, &post.mean[k, 0], post.normal[k] * own, d)
        total *= noise
        if weight > _UNLIKELY:
            each = 0.0
            memset(inner, 0, d * sizeof(double))
            for j in range(post.main):
                if post.outlier[k, j] > 0:
                    noise = noise_of(post, _explained(post, k, j))
                    total += post.outlier[k, j] * noise
                    rows = own + post.gain[k, j] * post.mean[k, j] * along[j]  # the mean of the sum
                    each += post.outlier[k, j] * rows
                    inner[j] = post.outlier[k, j] * post.gain[k, j] * (noise * along[j] + post.mean[k, j] * rows)
            add_one(out, &post.mean[k, 0], each, d)
        add_one(out, along, total, d)
        if weight > _UNLIKELY:
            _spread_of(post, k, inner, along)
            add_one(out, along, 1.0, d)
    for t in range(post.sets):
        for c in range(post.worths):
            weight = post.set_weight[t, c]
            if weight < 1e-12:
                continue
            noise, inside = noise_of(post, post.set_explained[t, c]), 0.0
            for r in range(post.set_start[t], post.set_start[t + 1]):
                rows = 0.0
                for e in range(post.entry_start[r], post.entry_start[r + 1]):
                    rows += post.entry[e] * sums[post.entry_column[e]]
                post.row_sum[r] = rows  # the sums of before are not needed any more
                inside += post.row_mean[r, c] * rows
            for r in range(post.set_start[t], post.set_start[t + 1]):
                _add_rows(
                    post, r, weight * (noise * post.row_share[r, c] * post.row_sum[r] + post.row_mean[r, c] * inside), out
                )


cdef double _sigma(Posterior post, double explained, bitgen_t *rng) noexcept nogil:
    """A draw of the standard deviation of a round."""
    if not post.number:
        return sqrt(post.variance)
    return sqrt((post.squares - explained) / random_chisquare(rng, post.degrees))


cdef void draw_effects(Posterior post, bint some, bitgen_t *rng, double *out) noexcept nogil:
    """A draw of the effects: of a member by its probability, then of its effects."""
    cdef Py_ssize_t k, j, t, r, c
    cdef double sigma
    cdef double u = rng.next_double(rng.state) * (1 - post.none if some else 1.0)
    memset(out, 0, post.size * sizeof(double))
    if not some:
        u -= post.none
        if u < 0:
            return
    for k in range(post.kinds):
        u -= post.normal[k]
        if u < 0:
            _draw_normal(post, k, -1, rng, out)
            return
        if post.log_outlier[k] > -INFINITY:
            for j in range(post.main):
                u -= post.outlier[k, j]
                if u < 0:
                    _draw_normal(post, k, j, rng, out)
                    return
    for t in range(post.sets):
        for c in range(post.worths):
            u -= post.set_weight[t, c]
            if u < 0:
                sigma = _sigma(post, post.set_explained[t, c], rng)
                for r in range(post.set_start[t], post.set_start[t + 1]):
                    _add_rows(
                        post,
                        r,
                        post.row_mean[r, c] + sigma * sqrt(post.row_share[r, c]) * random_standard_normal(rng),
                        out,
                    )
                return


cdef void _draw_normal(Posterior post, Py_ssize_t k, Py_ssize_t j, bitgen_t *rng, double *out) noexcept nogil:
    """A draw of the effects of a normal member, in which column j matters more; -1: none does."""
    cdef Py_ssize_t d = post.columns[k]
    cdef Py_ssize_t i, size = post.size
    cdef const double *w
    cdef double sigma
    cdef double *noise = &post.work[0]
    cdef double along
    _invert(post, k)
    w = &post.w[k, 0, 0]
    sigma = _sigma(post, _explained(post, k, j), rng)
    for i in range(d):
        noise[i] = sigma * random_standard_normal(rng)
    if j >= 0:  # the covariance grows by gain × V_j V_jᵀ; V_j = W Wᵀ e_j
        along = post.gain[k, j] * post.mean[k, j] + sigma * sqrt(post.gain[k, j]) * random_standard_normal(rng)
        add_one(noise + j, w + j * size + j, along, d - j)
    for i in range(d):
        out[i] = post.mean[k, i] + dot(w + i * size + i, noise + i, d - i)
