"""Triangles in blocks of four rows and eight columns: roots of precisions, their inverses, and eight solutions at once."""

cdef extern from *:
    """
    #if defined(__GNUC__)
    typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));
    #define LESS(sum, one, row) sum -= (one) * (row)
    #define TIMES(sum, one) sum *= (one)
    #define ADD_SQUARE(sum, one, row) sum += (one) * (row) * (row)
    #else
    typedef struct { double number[8]; } eight;
    #define LESS(sum, one, row) for (int e = 0; e < 8; e++) (sum).number[e] -= (one) * (row).number[e]
    #define TIMES(sum, one) for (int e = 0; e < 8; e++) (sum).number[e] *= (one)
    #define ADD_SQUARE(sum, one, row) \\
        for (int e = 0; e < 8; e++) (sum).number[e] += (one) * (row).number[e] * (row).number[e]
    #endif
    #define AT(numbers) (*(eight *)(numbers))

    /* Four rows of x (8 columns, or 16 at a time) less sums of n known rows; the factor of known row j in row r is
       by[right * j + down * r]. Each number is summed in the order of the rows, on every processor. */
    ANY_WIDTH static void less_known(double *x, Py_ssize_t next, const double *by, Py_ssize_t right, Py_ssize_t down,
                                     const double *known, Py_ssize_t step, Py_ssize_t n, Py_ssize_t columns) {
        Py_ssize_t c = 0;
        for (; c + 16 <= columns; c += 16) {
            eight a = AT(x + c), b = AT(x + next + c), d = AT(x + 2 * next + c), e = AT(x + 3 * next + c);
            eight f = AT(x + c + 8), g = AT(x + next + c + 8), h = AT(x + 2 * next + c + 8), i = AT(x + 3 * next + c + 8);
            const double *row = known + c, *each = by;
            for (Py_ssize_t j = 0; j < n; j++, row += step, each += right) {
                eight left = AT(row), more = AT(row + 8);
                LESS(a, each[0], left); LESS(f, each[0], more);
                LESS(b, each[down], left); LESS(g, each[down], more);
                LESS(d, each[2 * down], left); LESS(h, each[2 * down], more);
                LESS(e, each[3 * down], left); LESS(i, each[3 * down], more);
            }
            AT(x + c) = a; AT(x + next + c) = b; AT(x + 2 * next + c) = d; AT(x + 3 * next + c) = e;
            AT(x + c + 8) = f; AT(x + next + c + 8) = g; AT(x + 2 * next + c + 8) = h; AT(x + 3 * next + c + 8) = i;
        }
        for (; c < columns; c += 8) {
            eight a = AT(x + c), b = AT(x + next + c), d = AT(x + 2 * next + c), e = AT(x + 3 * next + c);
            const double *row = known + c, *each = by;
            for (Py_ssize_t j = 0; j < n; j++, row += step, each += right) {
                eight left = AT(row);
                LESS(a, each[0], left);
                LESS(b, each[down], left);
                LESS(d, each[2 * down], left);
                LESS(e, each[3 * down], left);
            }
            AT(x + c) = a; AT(x + next + c) = b; AT(x + 2 * next + c) = d; AT(x + 3 * next + c) = e;
        }
    }

    /* Four rows solved from the first to the last, by the triangle u (above its diagonal) and its inverted diagonal. */
    ANY_WIDTH static void solve_down(double *x, Py_ssize_t next, const double *u, Py_ssize_t step, const double *inverse,
                                     Py_ssize_t columns) {
        const double ab = u[1], ad = u[2], ae = u[3], bd = u[step + 2], be = u[step + 3], de = u[2 * step + 3];
        for (Py_ssize_t c = 0; c < columns; c += 8) {
            eight a = AT(x + c), b = AT(x + next + c), d = AT(x + 2 * next + c), e = AT(x + 3 * next + c);
            TIMES(a, inverse[0]);
            LESS(b, ab, a); LESS(d, ad, a); LESS(e, ae, a);
            TIMES(b, inverse[1]);
            LESS(d, bd, b); LESS(e, be, b);
            TIMES(d, inverse[2]);
            LESS(e, de, d);
            TIMES(e, inverse[3]);
            AT(x + c) = a; AT(x + next + c) = b; AT(x + 2 * next + c) = d; AT(x + 3 * next + c) = e;
        }
    }

    /* Four rows solved from the last to the first. */
    ANY_WIDTH static void solve_up(double *x, Py_ssize_t next, const double *u, Py_ssize_t step, const double *inverse,
                                   Py_ssize_t columns) {
        const double ab = u[1], ad = u[2], ae = u[3], bd = u[step + 2], be = u[step + 3], de = u[2 * step + 3];
        for (Py_ssize_t c = 0; c < columns; c += 8) {
            eight a = AT(x + c), b = AT(x + next + c), d = AT(x + 2 * next + c), e = AT(x + 3 * next + c);
            TIMES(e, inverse[3]);
            LESS(d, de, e); LESS(b, be, e); LESS(a, ae, e);
            TIMES(d, inverse[2]);
            LESS(b, bd, d); LESS(a, ad, d);
            TIMES(b, inverse[1]);
            LESS(a, ab, b);
            TIMES(a, inverse[0]);
            AT(x + c) = a; AT(x + next + c) = b; AT(x + 2 * next + c) = d; AT(x + 3 * next + c) = e;
        }
    }

    /* Adds eight numbers, each times a row's own: out[j][k] += row[j] * by[k]. */
    ANY_WIDTH static void add_eight(double *restrict out, const double *restrict row, const double *restrict by,
                                    Py_ssize_t n) {
        eight own = AT(by);
        for (Py_ssize_t j = 0; j < n; j++) LESS(AT(out + 8 * j), -row[j], own);
    }

    /* Eight columns, each times a number. */
    ANY_WIDTH static void times_eight(double *restrict out, const double *restrict by, Py_ssize_t n) {
        for (Py_ssize_t j = 0; j < n; j++)
            for (int k = 0; k < 8; k++) out[8 * j + k] *= by[k];
    }

    /* The sums of eight columns, each row times a number: out[k] = sum of row[j] * x[j][k]. */
    ANY_WIDTH static void sum_eight(double *restrict out, const double *restrict row, const double *restrict x,
                                    Py_ssize_t n) {
        eight even = {0}, odd = {0};
        Py_ssize_t j = 0;
        for (; j + 2 <= n; j += 2) {
            LESS(even, -row[j], AT(x + 8 * j));
            LESS(odd, -row[j + 1], AT(x + 8 * j + 8));
        }
        if (j < n) LESS(even, -row[j], AT(x + 8 * j));
        LESS(even, -1.0, odd);
        AT(out) = even;
    }
    """
    void less_known(
        double *x, Py_ssize_t next, const double *by, Py_ssize_t right, Py_ssize_t down,
        const double *known, Py_ssize_t step, Py_ssize_t n, Py_ssize_t columns
    ) noexcept nogil
    void solve_down(
        double *x, Py_ssize_t next, const double *u, Py_ssize_t step, const double *inverse, Py_ssize_t columns
    ) noexcept nogil
    void solve_up(
        double *x, Py_ssize_t next, const double *u, Py_ssize_t step, const double *inverse, Py_ssize_t columns
    ) noexcept nogil
    void add_eight(double *out, const double *row, const double *by, Py_ssize_t n) noexcept nogil
    void times_eight(double *out, const double *by, Py_ssize_t n) noexcept nogil
    void sum_eight(double *out, const double *row, const double *x, Py_ssize_t n) noexcept nogil


cdef inline Py_ssize_t eights(Py_ssize_t n) noexcept nogil:
    """The number, made a multiple of eight."""
    return (n + 7) & ~(<Py_ssize_t>7)


cdef void root_of(double *u, Py_ssize_t step, Py_ssize_t d, Py_ssize_t more, double *inverse) noexcept nogil:
    """Turns the upper triangle of a matrix into its root U (the matrix is Uᵀ U) and inverts the root's diagonal.

    `more` columns behind are multiplied by U⁻ᵀ. Both d and `more` are multiples of eight; what is below the diagonal, within
    blocks of 16, may be anything finite. Sixteen columns at a time, which stay in the processor's nearest memory.
    """
    cdef Py_ssize_t c, i, columns
    cdef double[16] four
    for c in range(0, d + more, 16):
        columns = min(16, d + more - c)
        for i in range(0, min(d, c + columns), 4):
            less_known(u + i * step + c, step, u + i, step, 1, u + c, step, i, columns)
            if i < c:
                solve_down(u + i * step + c, step, u + i * step + i, step, inverse + i, columns)
            else:
                _root_of_four(u + i * step + i, step, four, inverse + i)
                solve_down(u + i * step + c, step, four, 4, inverse + i, columns)


cdef void _root_of_four(const double *u, Py_ssize_t step, double *four, double *inverse) noexcept nogil:
    """The root of a matrix of four rows (float[4, 4]), and its inverted diagonal."""
    cdef Py_ssize_t r, q, c
    for r in range(4):
        memcpy(four + 4 * r, u + r * step, 4 * sizeof(double))
    for r in range(4):
        for q in range(r):
            for c in range(r, 4):
                four[4 * r + c] -= four[4 * q + r] * four[4 * q + c]
        inverse[r] = 1 / sqrt(four[5 * r])
        for c in range(r, 4):
            four[4 * r + c] *= inverse[r]


cdef void inverse_of(
    const double *u, Py_ssize_t step, Py_ssize_t d, const double *inverse, double *w, Py_ssize_t next
) noexcept nogil:
    """The inverse W of a root, an upper triangle as well, whose rows are `next` numbers apart; 16 columns at a time."""
    cdef Py_ssize_t i, r, c, columns, last
    for c in range(0, d, 16):
        columns = min(16, d - c)
        last = c + columns
        for i in range(last - 4, -1, -4):
            for r in range(i, i + 4):
                memset(w + r * next + c, 0, columns * sizeof(double))
                if r >= c:
                    w[r * next + r] = 1
            less_known(w + i * next + c, next, u + i * step + i + 4, 1, step, w + (i + 4) * next + c, next, last - i - 4, columns)
            solve_up(w + i * next + c, next, u + i * step + i, step, inverse + i, columns)


cdef void eight_up(const double *u, Py_ssize_t step, Py_ssize_t d, const double *inverse, double *x) noexcept nogil:
    """Eight columns (float[d, 8]) become U⁻¹ of them."""
    cdef Py_ssize_t i
    for i in range(d - 4, -1, -4):
        less_known(x + 8 * i, 8, u + i * step + i + 4, 1, step, x + 8 * (i + 4), 8, d - i - 4, 8)
        solve_up(x + 8 * i, 8, u + i * step + i, step, inverse + i, 8)


cdef void eight_down(const double *u, Py_ssize_t step, Py_ssize_t d, const double *inverse, double *x) noexcept nogil:
    """Eight columns (float[d, 8]) become U⁻ᵀ of them."""
    cdef Py_ssize_t i
    for i in range(0, d, 4):
        less_known(x + 8 * i, 8, u + i, step, 1, x, 8, i, 8)
        solve_down(x + 8 * i, 8, u + i * step + i, step, inverse + i, 8)
