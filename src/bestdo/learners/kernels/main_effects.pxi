"""Main effects on the logit scale: the posterior of one table's effects, normal around its mode (Laplace's method)."""

cdef int _STEPS = 8  # of Newton's method at most; two or three are enough
cdef double _NEAR = 0.02  # the mode is found when a step raises the log posterior by less
cdef double _FAR = 4.0  # no coefficient moves farther in one step
cdef double _PRECISION = 0.25  # of the constant, beside the logit of the base rate


cdef struct regression:
    # The regression of one table on its parents.
    Py_ssize_t rows
    Py_ssize_t p
    # how many columns it has
    Py_ssize_t wide
    # how far the rows of a factor, of which p columns are used, are apart
    const double *design
    # float[rows, p]; the first column is 1
    double offset
    # the logit of the base rate


cdef double chance(const regression *own, Py_ssize_t row, const double *effects, double scale) noexcept nogil:
    """The probability of the second value in a row, its logit multiplied by `scale`."""
    cdef Py_ssize_t i
    cdef const double *x = own.design + row * own.p
    cdef double eta = own.offset
    for i in range(own.p):
        eta += x[i] * effects[i]
    return 1 / (1 + exp(-scale * eta))


cdef void _factor(const regression *own, double *matrix, Py_ssize_t known=0) noexcept nogil:
    """Cholesky's factor, in the lower half of the matrix itself, whose first rows may be known already."""
    cdef Py_ssize_t i, j, k
    cdef double left
    for i in range(known, own.p):
        for j in range(i + 1):
            left = matrix[i * own.wide + j]
            for k in range(j):
                left -= matrix[i * own.wide + k] * matrix[j * own.wide + k]
            matrix[i * own.wide + j] = sqrt(max(left, 1e-12)) if i == j else left / matrix[j * own.wide + j]


cdef void _solve_lower(const regression *own, const double *factor, double *x) noexcept nogil:
    """Makes x the solution of factor y = x."""
    cdef Py_ssize_t i, k
    for i in range(own.p):
        for k in range(i):
            x[i] -= factor[i * own.wide + k] * x[k]
        x[i] /= factor[i * own.wide + i]


cdef void _solve_upper(const regression *own, const double *factor, double *x) noexcept nogil:
    """Makes x the solution of factorᵀ y = x."""
    cdef Py_ssize_t i, k
    for i in range(own.p - 1, -1, -1):
        for k in range(i + 1, own.p):
            x[i] -= factor[k * own.wide + i] * x[k]
        x[i] /= factor[i * own.wide + i]


cdef double _look(
    const regression *own, const double *counts, const double *mode, double *slope, double *matrix
) noexcept nogil:
    """Log likelihood, its slope and its curvature (the lower half of the matrix) at some effects."""
    cdef Py_ssize_t row, i, j
    cdef double won, n, eta, e, p, weight, more
    cdef double likely = 0.0
    cdef const double *x
    for i in range(own.p):
        slope[i] = 0
        for j in range(i + 1):
            matrix[i * own.wide + j] = 0
    for row in range(own.rows):
        won = counts[2 * row + 1]
        n = won + counts[2 * row]
        if n == 0:
            continue
        x = own.design + row * own.p
        eta = own.offset
        for i in range(own.p):
            eta += x[i] * mode[i]
        e = exp(-fabs(eta))
        p = 1 / (1 + e) if eta >= 0 else e / (1 + e)
        likely += won * min(eta, 0.0) - (n - won) * max(eta, 0.0) - n * log1p(e)
        weight, more = n * p * (1 - p), won - n * p
        for i in range(own.p):
            if x[i] != 0:
                slope[i] += more * x[i]
                for j in range(i + 1):
                    matrix[i * own.wide + j] += weight * x[i] * x[j]
    return likely


cdef double fit_effects(
    const regression *own, const double *counts, double precision, double *mode, double *step, double *factor
) noexcept nogil:
    """Finds the mode of the effects, from where `mode` stands, and the factor of their precision; the log evidence.

    `counts` (float[2 rows]) are those of the table's rows.
    """
    cdef Py_ssize_t i
    cdef double its, raised, far
    cdef double found = 0.0
    for _ in range(_STEPS):
        found = _look(own, counts, mode, step, factor)
        for i in range(own.p):
            its = precision if i else _PRECISION
            found += 0.5 * (log(its) - its * mode[i] * mode[i])
            step[i] -= its * mode[i]
            factor[i * own.wide + i] += its
        _factor(own, factor)
        _solve_lower(own, factor, step)  # half of the solution, for the height of the step
        raised, far = 0.0, 1.0
        for i in range(own.p):
            raised += step[i] * step[i]
        raised *= 0.5
        _solve_upper(own, factor, step)
        for i in range(own.p):
            far = max(far, fabs(step[i]) / _FAR)
        for i in range(own.p):
            mode[i] += step[i] / far
        found += raised
        if raised < _NEAR:
            break
    for i in range(own.p):
        found -= log(factor[i * own.wide + i])
    return found


cdef void spreads(const regression *own, const double *factor, double *work, double *out) noexcept nogil:
    """The posterior variance of each row's logit (float[rows])."""
    cdef Py_ssize_t row, i, k
    cdef double left
    for row in range(own.rows):
        out[row] = 0
        for i in range(own.p):
            left = own.design[row * own.p + i]
            for k in range(i):
                left -= factor[i * own.wide + k] * work[k]
            work[i] = left / factor[i * own.wide + i]
            out[row] += work[i] * work[i]


cdef void draw_effects(
    const regression *own, const double *mode, const double *factor, bitgen_t *rng, double *out
) noexcept nogil:
    """Effects drawn from their posterior."""
    cdef Py_ssize_t i
    for i in range(own.p):
        out[i] = random_standard_normal(rng)
    _solve_upper(own, factor, out)
    for i in range(own.p):
        out[i] += mode[i]


cdef double gain_by_effects(
    const regression *own,
    const double *slope,
    const double *mode,
    const double *factor,
    const double *spread,
    double *work,
    double *less,
) noexcept nogil:
    """The variance of a sum of slope × cell over the table (float[2 rows]), and how much less it is after one more count.

    The latter goes into `less` (float[2 rows]), for each cell of the row that the count is in. Linear around the mode;
    `spread` (float[rows]) is the variance of each row's logit.
    """
    cdef Py_ssize_t row, i
    cdef double q, height, told, weight
    cdef double whole = 0.0
    cdef double *by = work
    cdef double *other = work + own.wide
    for i in range(own.p):
        by[i] = 0
    for row in range(own.rows):
        q = chance(own, row, mode, 1.0)
        less[2 * row] = q * (1 - q)
        height = (slope[2 * row + 1] - slope[2 * row]) * less[2 * row]
        for i in range(own.p):
            by[i] += height * own.design[row * own.p + i]
    for i in range(own.p):
        other[i] = by[i]
    _solve_lower(own, factor, other)
    _solve_upper(own, factor, other)
    for i in range(own.p):
        whole += by[i] * other[i]
    for row in range(own.rows):
        told = 0.0
        for i in range(own.p):
            told += own.design[row * own.p + i] * other[i]
        weight = less[2 * row]
        less[2 * row] = told * told * weight / (1 + weight * spread[row])
        less[2 * row + 1] = less[2 * row]
    return whole
