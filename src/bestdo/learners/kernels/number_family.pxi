"""The family of a reward that is a number: rows with normal means, and a spread that all rows share.

A round's reward in a row is normal around the row's mean, with a variance σ² that all rows share. Given σ² the means of the
rows of a set of parents are normal around the mean of all rounds, with variance σ² / c; or they are sums of main effects with
variances σ² / precision, with interactions of two parents or without (`NumberEffects`). The prior of σ² is worth `_BEFORE` rounds
(k of them) that have the variance v of all rounds. So with t the sum of what rewards differ from the mean of all rounds by,
and n the rounds of a row, the evidence of a set of parents is in proportion to Π (1 + n / c)^(-1/2) × b^(-a), b half of k v and
the sum of all squares less Σ t² / (n + c), and a half of k and the number of rounds less one. For main effects with the precision
matrix A = Λ + Σ n x xᵀ it is |Λ|^(1/2) |A|^(-1/2) b^(-a), b half of k v and the sum of all squares less uᵀ A⁻¹ u, u = Σ t x.

Rewards need not be normal. With heavy tails σ² is known less well than so many normal rewards would let it be, and where they
lean to one side, as money does that is mostly zero, a mean that is too small goes with a σ² that is too small: draws of σ² and of all
means are made by the third and fourth moments (`know_tails`).
"""

cdef double _POOLED = 8.0
# How many rounds the spread of all rows counts for in the spread of one row. With 2, 8 and 30 intervals held in 0.949 to 0.973,
# 0.942 to 0.971 and 0.941 to 0.968 of all cases (60 rounds, three shapes), before a row's spread was at least that of all.
cdef double _BEFORE = 4.0
# How many rounds the prior of the spread is worth, each as far from the rest as all rounds are on average; at most half of the
# rounds. Without it a member that explains one large number alone leaves next to nothing over, and is taken for certain: of 4,000
# worlds of 3 causes after 2 rounds for each action 70 claimed P(best) of 0.8 or more, with 4 rounds 18; regret is the same.
cdef double _ROWS_BEFORE = 4.0
# How many rows, normal ones, the prior of the tails is worth. Not tuned.
cdef double _FEWEST_DEGREES = 2.0
# Half of the fewest degrees of freedom that heavy tails leave to the spread, so that a draw has an expectation.
cdef double _EQUAL_REWARDS = 1e-12  # a variance of rewards below this share of their mean square is one of rounding errors
cdef double _UNKNOWN = 0.25  # the variance that draws have before two rewards differ
cdef enum:
    _AT_ONCE = 16  # how many factors below 1e17 are multiplied before a logarithm is taken


cdef void update_number(Posterior post, Py_ssize_t v, const double *told) noexcept nogil:
    """The posterior of the family of a number; behind all counts stand the sums of each row's rewards and of their squares."""
    cdef Py_ssize_t r, j, i, e, k, to, n_factors
    cdef Py_ssize_t rows = _rows(post, v)
    cdef Py_ssize_t first = post.first[v]
    cdef Py_ssize_t last = post.first[v + 1]
    cdef const double *n = told + post.start[v]
    cdef const double *s = told + post.cell_count
    cdef const double *q = s + rows
    cdef double c, left, product, logs, shift, moved, before
    cdef double all_n = 0.0
    cdef double all_s = 0.0
    cdef double all_q = 0.0
    cdef double top = -INFINITY
    cdef double total = 0.0
    cdef double *effects = post.effects + _kind(post, v, 0)
    cdef regression own
    for r in range(rows):
        all_n += n[r]
        all_s += s[r]
        all_q += q[r]
    post.tails_known, post.all_rounds = False, max(all_n, 1.0)
    post.centre = all_s / all_n if all_n > 0 else post.middle
    post.degrees = max((all_n - 1) / 2, 0.5)
    post.squares = all_q - all_n * post.centre * post.centre
    post.spread_seen = all_n > 1 and post.squares > _EQUAL_REWARDS * all_q
    post.squares_before = 0.0
    if post.spread_seen:
        before = min(_BEFORE, (all_n - 1) / 2)
        post.squares_before = before * post.squares / (all_n - 1)
        post.degrees = (all_n - 1 + before) / 2
    else:
        post.squares = 0.0
    for r in range(rows):
        post.rounds[r] = n[r]
        post.moved_row[r] = s[r] - n[r] * post.centre
        post.squared_row[r] = max(q[r] - 2 * post.centre * s[r] + n[r] * post.centre * post.centre, 0.0)
    for k in range(post.cell[first], post.cell[last]):
        post.cells[k] = post.moved[k] = post.squared[k] = 0
    for r in range(rows):
        if n[r] > 0:
            for j in range(first, last):
                to = post.cell[j] + post.row[post.at[j] + r]
                post.cells[to] += n[r]
                post.moved[to] += post.moved_row[r]
                post.squared[to] += post.squared_row[r]
    for j in range(first, last):
        for i in range(post.kinds):
            c = post.number_concentration[i]
            shift = _shift_of(post, j, c) if post.wide[v] else 0.0
            post.shift[j * post.kinds + i] = shift
            left, product, logs, n_factors = post.squares + all_n * shift * shift, 1.0, 0.0, 0
            for k in range(post.cell[j], post.cell[j + 1]):
                if post.cells[k] > 0:
                    moved = post.moved[k] - post.cells[k] * shift
                    left -= moved * moved / (post.cells[k] + c)
                    product *= 1 + post.cells[k] / c
                    n_factors += 1
                    if n_factors % _AT_ONCE == 0:
                        logs += log(product)
                        product = 1.0
            logs += log(product)
            post.rest[j * post.kinds + i] = _half_left(post, left)
            post.weight[j * post.kinds + i] = post.prior[j * post.kinds + i] - 0.5 * logs
            if post.spread_seen:
                post.weight[j * post.kinds + i] -= post.degrees * log(post.rest[j * post.kinds + i])
            top = max(top, post.weight[j * post.kinds + i])
    _sum_products(post, v)
    for e in range(post.number_kinds):
        post.spread_known[_kind(post, v, e)] = 0
        own = regression_of_number(post, v, e)
        effects[e] = post.number_prior[e] + _fit_number(post, v, e, &own)
        top = max(top, effects[e])
    for k in range(first * post.kinds, last * post.kinds):
        post.weight[k] = exp(post.weight[k] - top)
        total += post.weight[k]
    for e in range(_effect_kinds(post, v)):
        effects[e] = exp(effects[e] - top)
        total += effects[e]
    for k in range(first * post.kinds, last * post.kinds):
        post.weight[k] /= total
    for e in range(_effect_kinds(post, v)):
        effects[e] /= total


cdef void know_tails(Posterior post, Py_ssize_t v, double *table) noexcept nogil:
    """Makes sure that post.tail and post.lean hold how much less the spread is known than that of normal rewards, and which way.

    By their fourth moment n rewards tell about the variance σ² what n / tail normal ones would; by their third the error of
    the mean of all rounds goes with that of σ², `lean` σ for each error as large as σ² itself. The moments are those of sums over rows: of
    what is left beside the mean table, which is written into `table` and taken out again.
    """
    cdef Py_ssize_t r
    cdef Py_ssize_t rows = _rows(post, v)
    cdef double n, fit, square, third, more, squares_left
    cdef double some = 0.0
    cdef double rounds = 0.0
    cdef double second = 0.0
    cdef double fourth = 0.0
    cdef double *own = table + post.start[v]
    if post.tails_known:
        return
    post.tails_known, post.tail, post.lean, post.leaning = True, 1.0, 0.0, 0.0
    if not post.spread_seen:
        return
    mean_number(post, v, False, table)
    for r in range(rows):
        n, fit = post.rounds[r], own[r] - post.centre
        own[r] = fit
        if n > 0:
            some += 1
            rounds += n
            second += max(post.squared_row[r] - 2 * fit * post.moved_row[r] + n * fit * fit, 0.0)
    square, third = second / rounds, 0.0
    if square > _EQUAL_REWARDS * post.squares:
        for r in range(rows):
            n, fit = post.rounds[r], own[r]
            if n > 0:
                squares_left = max(post.squared_row[r] - 2 * fit * post.moved_row[r] + n * fit * fit, 0.0)
                more = squares_left / square - n
                fourth += more * more
                third += (post.moved_row[r] - n * fit) / sqrt(square) * more
        fourth = max((some * fourth / rounds + 2 * _ROWS_BEFORE) / (some + _ROWS_BEFORE), 2.0)
        third = some * third / rounds / (some + _ROWS_BEFORE)
        third = min(max(third, -sqrt(0.95 * fourth)), sqrt(0.95 * fourth))
        post.tail, post.lean, post.leaning = fourth / 2, third / fourth, third * third / fourth
    memset(own, 0, rows * sizeof(double))


cdef double _drawn_spread(Posterior post, double rest, bitgen_t *rng, double *moved) noexcept nogil:
    """A draw of σ² where a member leaves half of so many squares; how far all means move with it goes into `moved`."""
    cdef double degrees = min(post.degrees, max(post.degrees / post.tail, _FEWEST_DEGREES))
    cdef double share = degrees / _gamma(degrees, rng)
    moved[0] = 0.0
    if degrees >= _FEWEST_DEGREES:
        moved[0] = post.lean * sqrt(rest / post.degrees) * (share - degrees / (degrees - 1))
    return rest / post.degrees * share


cdef double _shift_of(Posterior post, Py_ssize_t j, double c) noexcept nogil:
    """How far the mean of the rows of a set of parents, each by n / (n + c), is from the mean of all rounds."""
    cdef Py_ssize_t k
    cdef double total = 0.0
    cdef double weight = _OF_ALL
    for k in range(post.cell[j], post.cell[j + 1]):
        if post.cells[k] > 0:
            weight += post.cells[k] / (post.cells[k] + c)
            total += post.moved[k] / (post.cells[k] + c)
    return total / weight


cdef inline double _moved_mean(Posterior post, Py_ssize_t j, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    """How far the expectation of one row (cell k) is from the mean of all rounds, under a set of parents."""
    cdef double shift = post.shift[j * post.kinds + i]
    return shift + (post.moved[k] - post.cells[k] * shift) / (post.cells[k] + post.number_concentration[i])


cdef inline double _half_left(Posterior post, double left) noexcept nogil:
    """Half of the squares that a member leaves over; before two rewards differ, what gives the variance `_UNKNOWN`."""
    if not post.spread_seen:
        return post.degrees * _UNKNOWN
    return 0.5 * (max(left, _EQUAL_REWARDS * post.squares) + post.squares_before)


cdef regression regression_of_number(Posterior post, Py_ssize_t v, Py_ssize_t e) noexcept nogil:
    """The regression of the means of a number's rows on its parents, around the mean of all rounds."""
    cdef regression own
    own.rows, own.p, own.wide = _rows(post, v), post.number_features[e], post.most_features
    own.design = post.number_design + post.number_design_at[e]
    own.offset = post.centre
    return own


cdef void _sum_products(Posterior post, Py_ssize_t v) noexcept nogil:
    """Sums over all rows, for the whole design, of which each kind of effects takes its part."""
    cdef Py_ssize_t r, i, j
    cdef Py_ssize_t wide = post.width
    cdef const double *x = post.number_design + post.number_design_at[post.number_kinds]
    cdef double n
    memset(post.gram, 0, wide * (wide + 1) * sizeof(double))
    for r in range(_rows(post, v)):
        if post.rounds[r] > 0:
            for i in range(wide):
                if x[i] != 0:
                    post.right[i] += post.moved_row[r] * x[i]
                    n = post.rounds[r] * x[i]
                    for j in range(i + 1):
                        post.gram[i * wide + j] += n * x[j]
        x += wide


cdef double _fit_number(Posterior post, Py_ssize_t v, Py_ssize_t e, const regression *own) noexcept nogil:
    """Finds the mean of effects and the factor of their precision, in units of 1 / σ²; the log evidence."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t known = 0  # how many first columns are those of the kind before: so are these rows of the factor
    cdef const double *before = _precision_factor(post, v, e - 1)
    cdef const int64_t *column = post.number_column + post.number_at[e]
    cdef const double *precision = post.number_precision + post.number_at[e]
    cdef const int64_t *column_before
    cdef const double *precision_before
    cdef double *mode = _mode(post, v, e)
    cdef double *factor = _precision_factor(post, v, e)
    cdef double left = post.squares
    cdef double found = 0.0
    if e > 0:
        i = min(own.p, post.number_features[e - 1])
        column_before = post.number_column + post.number_at[e - 1]
        precision_before = post.number_precision + post.number_at[e - 1]
        while known < i and column[known] == column_before[known] and precision[known] == precision_before[known]:
            known += 1
    for i in range(own.p):
        mode[i] = post.right[column[i]]
        if i < known:
            memcpy(factor + i * own.wide, before + i * own.wide, (i + 1) * sizeof(double))
            continue
        for j in range(i + 1):  # columns are in order
            factor[i * own.wide + j] = post.gram[column[i] * post.width + column[j]]
        factor[i * own.wide + i] += precision[i]
    _factor(own, factor, known)
    _solve_lower(own, factor, mode)
    for i in range(own.p):
        left -= mode[i] * mode[i]
        found += 0.5 * log(precision[i] / (factor[i * own.wide + i] * factor[i * own.wide + i]))
    _solve_upper(own, factor, mode)
    post.effects_rest[e] = _half_left(post, left)
    return found - post.degrees * log(post.effects_rest[e]) if post.spread_seen else found


cdef inline double _mean_of_row(const regression *own, Py_ssize_t row, const double *effects) noexcept nogil:
    """The mean of a row by main effects."""
    cdef Py_ssize_t i
    cdef double mean = own.offset
    for i in range(own.p):
        mean += own.design[row * own.p + i] * effects[i]
    return mean


cdef void mean_number(Posterior post, Py_ssize_t v, bint exact, double *table) noexcept nogil:
    """The expectation of the mean of each row: that of each member, by how likely it is."""
    cdef Py_ssize_t r, j, i, e
    cdef double weight, mean
    cdef double used = 0.0
    cdef double unlikely = 0.0 if exact else _RARE
    cdef regression own
    for j in range(post.first[v], post.first[v + 1]):
        weight = 0.0
        for i in range(post.kinds):
            weight += post.weight[j * post.kinds + i]
        if weight < unlikely:
            continue
        used += weight
        for r in range(post.rows[j]):
            mean = weight * post.centre
            for i in range(post.kinds):
                mean += post.weight[j * post.kinds + i] * _moved_mean(post, j, i, post.cell[j] + r)
            post.row_work[r] = mean
        spread_out(post, v, j, table)
    for e in range(_effect_kinds(post, v)):
        weight = post.effects[_kind(post, v, e)]
        if weight >= unlikely:
            used += weight
            own = regression_of_number(post, v, e)
            for r in range(own.rows):
                table[post.start[v] + r] += weight * _mean_of_row(&own, r, _mode(post, v, e))
    for r in range(_rows(post, v)):
        table[post.start[v] + r] /= used


cdef inline double _squares_of_row(double variance, double n, double moved, double squared) noexcept nogil:
    """The squares by which the variance of one row is known: `_POOLED` rounds of all rows, and the row's own.

    The own ones count for no less than the variance of all rows would give: a row in which nothing large happened yet does
    not have a small spread.
    """
    cdef double own = squared - moved * moved / n if n > 0 else 0.0
    return _POOLED * variance + max(own, variance * max(n - 1, 0.0))


cdef inline double _drawn_variance(
    double variance, double n, double moved, double squared, bitgen_t *rng
) noexcept nogil:
    """A draw of the variance of one row."""
    return _squares_of_row(variance, n, moved, squared) / (2 * _gamma((_POOLED + max(n - 1, 0.0)) / 2, rng))


cdef void draw_number(Posterior post, Py_ssize_t v, bitgen_t *rng, double *table) noexcept nogil:
    """Means of all rows drawn under the member that was drawn (post.member)."""
    cdef Py_ssize_t r, k, i, e
    cdef Py_ssize_t j = post.member[2 * v]
    cdef double c, variance, noise, moved
    cdef double *drawn = post.work
    cdef regression own
    know_tails(post, v, table)
    if j >= 0:
        i = post.member[2 * v + 1]
        c, variance = post.number_concentration[i], _drawn_spread(post, post.rest[j * post.kinds + i], rng, &moved)
        for r in range(post.rows[j]):
            k = post.cell[j] + r
            noise = _drawn_variance(variance, post.cells[k], post.moved[k], post.squared[k], rng)
            noise *= 1 - post.leaning * post.cells[k] / post.all_rounds  # that share of its variance is in the move of all means
            post.row_work[r] = (
                post.centre
                + moved
                + _moved_mean(post, j, i, k)
                + sqrt(noise / (post.cells[k] + c)) * random_standard_normal(rng)
            )
        spread_out(post, v, j, table)
        return
    e = post.member[2 * v + 1]
    own = regression_of_number(post, v, e)
    variance = _drawn_spread(post, post.effects_rest[e], rng, &moved)
    # A⁻¹ (prior noise + Σ √n σ_row z x) has variance σ² A⁻¹ where all rows have the same spread
    for i in range(own.p):
        drawn[i] = sqrt(variance * post.number_precision[post.number_at[e] + i]) * random_standard_normal(rng)
    for r in range(own.rows):
        if post.rounds[r] > 0:
            noise = _drawn_variance(variance, post.rounds[r], post.moved_row[r], post.squared_row[r], rng)
            noise = sqrt(post.rounds[r] * noise) * random_standard_normal(rng)
            for i in range(own.p):
                drawn[i] += noise * own.design[r * own.p + i]
    _solve_lower(&own, _precision_factor(post, v, e), drawn)
    _solve_upper(&own, _precision_factor(post, v, e), drawn)
    for i in range(own.p):
        drawn[i] += _mode(post, v, e)[i]
    for r in range(own.rows):
        table[post.start[v] + r] = moved + _mean_of_row(&own, r, drawn)


cdef double gain_by_number(Posterior post, Py_ssize_t v, const double *slope) noexcept nogil:
    """The variance of a sum of slope × row mean under the member drawn; post.less: how much less after one more round."""
    cdef Py_ssize_t r, k, i, e
    cdef Py_ssize_t start = post.start[v]
    cdef Py_ssize_t rows = _rows(post, v)
    cdef Py_ssize_t j = post.member[2 * v]
    cdef double c, n, variance, spread, told, of_row
    cdef double whole = 0.0
    cdef double *sums = post.row_work
    cdef double *by = post.work
    cdef double *other = post.work + post.most_features
    cdef regression own
    if j >= 0:
        i = post.member[2 * v + 1]
        c, variance = post.number_concentration[i], post.rest[j * post.kinds + i] / post.degrees
        memset(sums, 0, post.rows[j] * sizeof(double))
        for r in range(rows):
            sums[post.row[post.at[j] + r]] += slope[start + r]
        for r in range(post.rows[j]):
            k = post.cell[j] + r
            n = post.cells[k]
            spread = _squares_of_row(variance, n, post.moved[k], post.squared[k]) / (_POOLED + max(n - 1, 0.0))
            of_row = sums[r] * sums[r] * spread / (n + c)
            whole += of_row
            sums[r] = of_row / (n + c + 1)
        for r in range(rows):
            post.less[start + r] = sums[post.row[post.at[j] + r]]
        return whole
    e = post.member[2 * v + 1]
    own = regression_of_number(post, v, e)
    variance = post.effects_rest[e] / post.degrees
    know_spread(post, v, e, &own)
    for i in range(own.p):
        by[i] = 0
        for r in range(rows):
            by[i] += slope[start + r] * own.design[r * own.p + i]
        other[i] = by[i]
    _solve_lower(&own, _precision_factor(post, v, e), other)
    _solve_upper(&own, _precision_factor(post, v, e), other)
    for i in range(own.p):
        whole += by[i] * other[i] * variance
    for r in range(rows):
        told = 0.0
        for i in range(own.p):
            told += own.design[r * own.p + i] * other[i]
        post.less[start + r] = variance * told * told / (1 + post.spread[e * post.cell_count + start + r])
    return whole
