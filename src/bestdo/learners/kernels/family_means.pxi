"""Mean tables of families: their members by how likely they are."""

cdef void spread_out(Posterior post, Py_ssize_t v, Py_ssize_t j, double *table) noexcept nogil:
    """Adds the rows of a set of parents (post.row_work) to all rows of the whole table."""
    cdef Py_ssize_t row, own, k
    cdef Py_ssize_t values = post.values[v]
    for row in range(_rows(post, v)):
        own = post.row[post.at[j] + row] * values
        for k in range(values):
            table[post.start[v] + row * values + k] += post.row_work[own + k]


cdef void mean_tables(Posterior post, bint exact, double *table) noexcept nogil:
    """The expectation of every cell: the members by their weights; main effects at their mode where it need not be exact."""
    cdef Py_ssize_t v, j, e, i, k, row, values
    cdef double total
    cdef double unlikely = _UNLIKELY if exact else _RARE
    for v in range(post.n):
        values = post.values[v]
        for k in range(post.start[v], post.start[v + 1]):
            table[k] = 0
        if v == post.number:
            mean_number(post, v, exact, table)
            continue
        for j in range(post.first[v], post.first[v + 1]):
            total = 0.0
            for i in range(post.kinds):
                total += post.weight[j * post.kinds + i]
            if total >= unlikely:
                _add_mean_rows(post, v, j, table)
        for e in range(_effect_kinds(post, v)):
            if post.effects[v * post.effect_kinds + e] >= unlikely:
                _add_mean_effects(post, v, e, exact, table)
        for row in range(_rows(post, v)):
            total = 0.0
            for k in range(values):
                total += table[post.start[v] + row * values + k]
            for k in range(values):
                table[post.start[v] + row * values + k] /= total


cdef void _add_mean_rows(Posterior post, Py_ssize_t v, Py_ssize_t j, double *table) noexcept nogil:
    """Adds the mean table of a set of parents, times how likely it is."""
    cdef Py_ssize_t row, at, k, i
    cdef Py_ssize_t values = post.values[v]
    cdef double n, each, scale
    for row in range(post.rows[j]):
        at, n = post.cell[j] + row * values, 0.0
        for k in range(values):
            n += post.cells[at + k]
            post.row_work[row * values + k] = 0
        for i in range(post.kinds):
            each = post.concentration[i]
            scale = post.weight[j * post.kinds + i] / (n + each)
            for k in range(values):
                post.row_work[row * values + k] += scale * (
                    post.cells[at + k] + each * base_of(post, v, j, i)[k]
                )
    spread_out(post, v, j, table)


cdef void _add_mean_effects(Posterior post, Py_ssize_t v, Py_ssize_t e, bint exact, double *table) noexcept nogil:
    """Adds the mean table of main effects: that of a normal logit is 1 / (1 + exp(-m / √(1 + π s² / 8))), to 0.02."""
    cdef Py_ssize_t row
    cdef double variance, q
    cdef double weight = post.effects[v * post.effect_kinds + e]
    cdef regression own = regression_of(post, v)
    if exact:
        know_spread(post, v, e, &own)
    for row in range(own.rows):
        variance = post.spread[e * post.cell_count + post.start[v] + row] if exact else 0.0
        q = chance(&own, row, _mode(post, v, e), 1 / sqrt(1 + M_PI / 8 * variance))
        table[post.start[v] + 2 * row] += weight * (1 - q)
        table[post.start[v] + 2 * row + 1] += weight * q
