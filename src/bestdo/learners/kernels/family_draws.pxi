"""Tables drawn from the posterior of families, and what one more count tells under the members that were drawn."""

cdef double _NOTHING = 1e-14  # a variance of rounding errors


cdef inline double _uniform(bitgen_t *rng) noexcept nogil:
    return rng.next_double(rng.state)


cdef double _gamma(double shape, bitgen_t *rng) noexcept nogil:
    """A Gamma number, by Marsaglia & Tsang (2000)."""
    cdef double d, c, x, v, u
    cdef double factor = 1.0
    if shape < 1:
        factor, shape = pow(_uniform(rng), 1 / shape), shape + 1
    d = shape - 1.0 / 3
    c = 1 / sqrt(9 * d)
    while True:
        x = random_standard_normal(rng)
        v = 1 + c * x
        if v > 0:
            v = v * v * v
            u = _uniform(rng)
            if u < 1 - 0.0331 * x * x * x * x or log(u) < 0.5 * x * x + d * (1 - v + log(v)):
                return factor * d * v


cdef void _draw_member(Posterior post, Py_ssize_t v, bitgen_t *rng) noexcept nogil:
    cdef Py_ssize_t j, i, e
    cdef int64_t *member = post.member + 2 * v
    cdef double u = _uniform(rng)
    for j in range(post.first[v], post.first[v + 1]):
        for i in range(post.kinds):
            u -= post.weight[j * post.kinds + i]
            if u < 0:
                member[0], member[1] = j, i
                return
    for e in range(_effect_kinds(post, v)):
        u -= post.effects[_kind(post, v, e)]
        if u < 0:
            member[0], member[1] = -1, e
            return
    member[0], member[1] = post.first[v], 0  # rounding


cdef void _draw_row(
    Posterior post, Py_ssize_t v, Py_ssize_t at, double each, const double *base, bitgen_t *rng, double *row
) noexcept nogil:
    """A draw from Dirichlet(counts + each × base)."""
    cdef Py_ssize_t k
    cdef Py_ssize_t values = post.values[v]
    cdef double u
    cdef double total = 0.0
    for k in range(values):
        row[k] = _gamma(post.cells[at + k] + each * base[k], rng)
        total += row[k]
    if total < 1e-290:  # a small prior, nothing seen: all of it on one value
        for k in range(values):
            row[k] = 0
        u, k = _uniform(rng) - base[0], 0
        while u >= 0 and k < values - 1:
            k += 1
            u -= base[k]
        row[k] = total = 1.0
    for k in range(values):
        row[k] /= total


cdef void draw_table(Posterior post, Py_ssize_t v, bitgen_t *rng, double *table) noexcept nogil:
    """Draws a member for one family (post.member), and then all cells of its table."""
    cdef Py_ssize_t j, i, row
    cdef Py_ssize_t values = post.values[v]
    cdef double each, q
    cdef const double *base
    cdef regression own
    memset(table + post.start[v], 0, (post.start[v + 1] - post.start[v]) * sizeof(double))
    _draw_member(post, v, rng)
    if v == post.number:
        draw_number(post, v, rng, table)
        return
    j, i = post.member[2 * v], post.member[2 * v + 1]
    if j < 0:
        own = regression_of(post, v)
        draw_effects(&own, _mode(post, v, i), _precision_factor(post, v, i), rng, post.work)
        for row in range(own.rows):
            q = chance(&own, row, post.work, 1.0)
            table[post.start[v] + 2 * row] = 1 - q
            table[post.start[v] + 2 * row + 1] = q
        return
    each, base = post.concentration[i], base_of(post, v, j, i)
    for row in range(post.rows[j]):
        _draw_row(post, v, post.cell[j] + row * values, each, base, rng, post.row_work + row * values)
    spread_out(post, v, j, table)


cdef void draw_tables(Posterior post, bitgen_t *rng, double *table) noexcept nogil:
    """Draws the tables of all families."""
    cdef Py_ssize_t v
    for v in range(post.n):
        draw_table(post, v, rng, table)


cdef double _gain_by_rows(Posterior post, Py_ssize_t v, const double *slope) noexcept nogil:
    """The variance of a sum of slope × cell under the member drawn; post.less: how much less after one more count."""
    cdef Py_ssize_t row, k, own
    cdef Py_ssize_t values = post.values[v]
    cdef Py_ssize_t start = post.start[v]
    cdef Py_ssize_t j = post.member[2 * v]
    cdef double each = post.concentration[post.member[2 * v + 1]]
    cdef double total, first, second, alpha, variance
    cdef double whole = 0.0
    cdef double *rows = post.row_work
    cdef const double *base = base_of(post, v, j, post.member[2 * v + 1])
    memset(rows, 0, post.rows[j] * values * sizeof(double))
    for row in range(_rows(post, v)):
        own = post.row[post.at[j] + row] * values
        for k in range(values):
            rows[own + k] += slope[start + row * values + k]
    for row in range(post.rows[j]):
        total, first, second = 0.0, 0.0, 0.0
        for k in range(values):
            alpha = post.cells[post.cell[j] + row * values + k] + each * base[k]
            total += alpha
            first += alpha * rows[row * values + k]
            second += alpha * (rows[row * values + k] * rows[row * values + k])
        variance = max(second / total - (first / total) * (first / total), 0.0) / (total + 1)
        whole += variance
        rows[row * values] = variance / (total + 1)
    for row in range(_rows(post, v)):
        own = post.row[post.at[j] + row] * values
        for k in range(values):
            post.less[start + row * values + k] = rows[own]
    return whole


cdef double gain_of_family(Posterior post, Py_ssize_t v, const double *slope) noexcept nogil:
    """The variance that one family's table adds to a difference; post.less: how much less after one more count.

    The difference is linear in the tables, with this slope (float[cells]); its variance is that under the members drawn.
    """
    cdef Py_ssize_t e, start
    cdef regression own
    if v == post.number:
        return gain_by_number(post, v, slope)
    if post.member[2 * v] >= 0:
        return _gain_by_rows(post, v, slope)
    e, start, own = post.member[2 * v + 1], post.start[v], regression_of(post, v)
    know_spread(post, v, e, &own)
    return gain_by_effects(
        &own,
        slope + start,
        _mode(post, v, e),
        _precision_factor(post, v, e),
        post.spread + e * post.cell_count + start,
        post.work,
        post.less + start,
    )


cdef void add_gains(Posterior post, const double *slope, double *gain) noexcept nogil:
    """Adds, per cell, which share of the variance of a difference of means goes by one more count in the cell's row."""
    cdef Py_ssize_t v, k
    cdef double whole = 0.0
    for v in range(post.n):
        whole += gain_of_family(post, v, slope)
    if whole > _NOTHING:
        for k in range(post.cell_count):
            gain[k] += post.less[k] / whole
