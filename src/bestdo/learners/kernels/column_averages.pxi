"""The mean of all effects over all members, and covariances of eight sums of effects at once."""

cdef extern from *:
    """
    /* The sums of a row of a table: of the columns that make up its indicator. */
    ANY_WIDTH static void take_rows(double *restrict out, const double *restrict x, const int64_t *column,
                                    const double *restrict entry, Py_ssize_t first, Py_ssize_t last) {
        eight sum = {0};
        for (Py_ssize_t e = first; e < last; e++) LESS(sum, -entry[e], AT(x + 8 * column[e]));
        AT(out) = sum;
    }

    /* Adds the numbers of a row to the columns that make it up. */
    ANY_WIDTH static void give_rows(double *restrict out, const double *restrict row, const int64_t *column,
                                    const double *restrict entry, Py_ssize_t first, Py_ssize_t last) {
        eight own = AT(row);
        for (Py_ssize_t e = first; e < last; e++) LESS(AT(out + 8 * column[e]), -entry[e], own);
    }

    /* Adds what the means of a table's rows (`next` numbers apart) say of eight sums: each times that of the sums. */
    ANY_WIDTH static void add_between(double *restrict more, const double *restrict rows, const double *restrict mean,
                                      Py_ssize_t next, double weight, Py_ssize_t n) {
        eight inside = {0};
        for (Py_ssize_t r = 0; r < n; r++) LESS(inside, -mean[r * next], AT(rows + 8 * r));
        for (Py_ssize_t r = 0; r < n; r++) LESS(AT(more + 8 * r), -weight * mean[r * next], inside);
    }

    /* Adds rows of eight numbers, one for each column that matters more in a member: its mean effect of eight sums goes into
       `each`, what it adds to their covariance by its own column into `inner`. */
    ANY_WIDTH static void outlier_eight(double *restrict inner, double *restrict each, const double *restrict own,
                                        const double *restrict along, double chance, double gain, double mean,
                                        double noise) {
        for (int k = 0; k < 8; k++) {
            double rows = own[k] + gain * mean * along[k];
            each[k] += chance * rows;
            inner[k] = chance * gain * (noise * along[k] + mean * rows);
        }
    }
    """
    void take_rows(
        double *out, const double *x, const int64_t *column, const double *entry, Py_ssize_t first, Py_ssize_t last
    ) noexcept nogil
    void give_rows(
        double *out, const double *row, const int64_t *column, const double *entry, Py_ssize_t first, Py_ssize_t last
    ) noexcept nogil
    void add_between(
        double *more, const double *rows, const double *mean, Py_ssize_t next, double weight, Py_ssize_t n
    ) noexcept nogil
    void outlier_eight(
        double *inner, double *each, const double *own, const double *along, double chance, double gain, double mean,
        double noise
    ) noexcept nogil

cdef double _UNLIKELY = 1e-4  # members less likely than this are left out of averages


cdef inline bint _counts(Posterior post, Py_ssize_t k) noexcept nogil:
    """Whether a normal member counts in averages, by itself or with outliers."""
    return max(post.with_outliers[k], post.normal[k]) > _UNLIKELY


cdef void _add_rows(Posterior post, Py_ssize_t r, double amount, double *out) noexcept nogil:
    """Adds an effect on one row of a table to the effects of the columns."""
    cdef Py_ssize_t e
    for e in range(post.entry_start[r], post.entry_start[r + 1]):
        out[post.entry_column[e]] += post.entry[e] * amount


cdef void _spread_of_eight(Posterior post, Py_ssize_t k, const double *sums, double *out) noexcept nogil:
    """The covariances of a normal member with eight sums of effects (float[d, 8] of float[d, 8])."""
    cdef Py_ssize_t d = post.columns[k]
    cdef Py_ssize_t full = eights(d)
    memcpy(out, sums, 8 * d * sizeof(double))
    memset(out + 8 * d, 0, 8 * (full - d) * sizeof(double))
    eight_down(&post.u[k, 0, 0], post.step, full, &post.inverse[k, 0], out)
    eight_up(&post.u[k, 0, 0], post.step, full, &post.inverse[k, 0], out)


cdef void average(Posterior post) noexcept nogil:
    """The mean of all effects."""
    cdef Py_ssize_t d, k, j, t, r, c
    cdef double *out = &post.effects[0]
    cdef double *shift = &post.inner[0, 0]
    cdef double *along = &post.along[0, 0]
    cdef double total
    memset(out, 0, post.size * sizeof(double))
    for k in range(post.kinds):
        if not _counts(post, k):
            continue
        d = post.columns[k]
        solve_mean(post, k)
        total = post.normal[k] if post.normal[k] > _UNLIKELY else 0.0
        if post.with_outliers[k] > _UNLIKELY:
            total += post.with_outliers[k]
            memset(shift, 0, 8 * d * sizeof(double))
            for j in range(post.main):
                shift[8 * j] = post.outlier[k, j] * post.gain[k, j] * post.mean[k, j]
            _spread_of_eight(post, k, shift, along)
            for j in range(d):
                out[j] += along[8 * j]
        add_times(out, &post.mean[k, 0], total, d)
    for t in range(post.sets):
        for r in range(post.set_start[t], post.set_start[t + 1]):
            total = 0.0
            for c in range(post.worths):
                total += post.set_weight[t, c] * post.row_mean[r, c]
            _add_rows(post, r, total, out)


cdef void covariance_of_eight(Posterior post, const double *sums, double *out) noexcept nogil:
    """The posterior covariances of all effects with eight sums of effects: float[D, 8] of float[D, 8]."""
    cdef double[8] own
    cdef Py_ssize_t k, e
    sum_eight(own, &post.effects[0], sums, post.size)
    for e in range(8):
        own[e] = -own[e]
    memset(out, 0, 8 * post.size * sizeof(double))
    add_eight(out, &post.effects[0], own, post.size)
    for k in range(post.kinds):
        if _counts(post, k):
            _add_normal(post, k, sums, out)
    _add_tables(post, sums, out)


cdef void _add_normal(Posterior post, Py_ssize_t k, const double *sums, double *out) noexcept nogil:
    """Adds the part of a normal member, with its outliers, to the covariances of eight sums."""
    cdef Py_ssize_t d = post.columns[k]
    cdef Py_ssize_t j, e
    cdef double[8] own
    cdef double[8] each
    cdef double *along = &post.along[0, 0]
    cdef double *inner = &post.inner[0, 0]
    cdef double noise, one, total
    _spread_of_eight(post, k, sums, along)
    sum_eight(own, &post.mean[k, 0], sums, d)
    total = 0.0
    memset(each, 0, 8 * sizeof(double))
    if post.normal[k] > _UNLIKELY:
        total = post.normal[k] * noise_of(post, post.explained[k])
        for e in range(8):
            each[e] = post.normal[k] * own[e]
    if post.with_outliers[k] > _UNLIKELY:
        memset(inner, 0, 8 * d * sizeof(double))
        for j in range(post.main):
            if post.outlier[k, j] > 0:
                noise, one = noise_of(post, _explained(post, k, j)), post.outlier[k, j]
                total += one * noise
                outlier_eight(inner + 8 * j, each, own, along + 8 * j, one, post.gain[k, j], post.mean[k, j], noise)
    add_eight(out, &post.mean[k, 0], each, d)
    add_times(out, along, total, 8 * d)
    if post.with_outliers[k] > _UNLIKELY:
        _spread_of_eight(post, k, inner, along)
        add_times(out, along, 1.0, 8 * d)


cdef void _add_tables(Posterior post, const double *sums, double *out) noexcept nogil:
    """Adds the part of all tables of one cause or two to the covariances of eight sums."""
    cdef Py_ssize_t t, c, r, first
    cdef double share, weight
    cdef double *rows
    cdef double *more
    for t in range(post.sets):
        if post.likely_sets[t] < 1e-12:
            continue
        first = post.set_start[t]
        for r in range(first, post.set_start[t + 1]):
            rows, more = &post.row_sums[r - first, 0], &post.row_more[r - first, 0]
            take_rows(rows, sums, &post.entry_column[0], &post.entry[0], post.entry_start[r], post.entry_start[r + 1])
            share = 0.0
            for c in range(post.worths):
                share += post.set_weight[t, c] * noise_of(post, post.set_explained[t, c]) * post.row_share[r, c]
            for c in range(8):
                more[c] = share * rows[c]
        for c in range(post.worths):
            weight = post.set_weight[t, c]
            if weight >= 1e-12:
                add_between(&post.row_more[0, 0], &post.row_sums[0, 0], &post.row_mean[first, c], post.worths, weight,
                            post.set_start[t + 1] - first)
        for r in range(first, post.set_start[t + 1]):
            give_rows(out, &post.row_more[r - first, 0], &post.entry_column[0], &post.entry[0], post.entry_start[r],
                      post.entry_start[r + 1])
