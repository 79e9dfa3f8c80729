"""The expected columns of all actions in one lane, and what eight effects at once come to under each."""

cdef extern from *:
    """
    /* The first place from j on, but for n, in which two rows differ; all eight numbers of a block are looked at together. */
    static Py_ssize_t next_other(const double *row, const double *other, Py_ssize_t j, Py_ssize_t n) {
        for (; j + 8 <= n; j += 8) {
            int same = 0;
            for (int k = 0; k < 8; k++) same += row[j + k] == other[j + k];
            if (same < 8) break;
        }
        while (j < n && row[j] == other[j]) j++;
        return j;
    }

    /* The sums of eight columns by few numbers for each row, `room` numbers apart, and by those common to all rows. */
    ANY_WIDTH static void sparse_eight(double *restrict out, const double *restrict common, const double *restrict x,
                                       const int64_t *count, const int64_t *column, const double *restrict entry,
                                       Py_ssize_t room, Py_ssize_t rows) {
        for (Py_ssize_t a = 0; a < rows; a++) {
            eight sum = AT(common);
            for (Py_ssize_t e = a * room; e < a * room + count[a]; e++) LESS(sum, -entry[e], AT(x + 8 * column[e]));
            AT(out + 8 * a) = sum;
        }
    }
    """
    Py_ssize_t next_other(const double *row, const double *other, Py_ssize_t j, Py_ssize_t n) noexcept nogil
    void sparse_eight(
        double *out, const double *common, const double *x, const int64_t *count, const int64_t *column,
        const double *entry, Py_ssize_t room, Py_ssize_t rows
    ) noexcept nogil


cdef class Columns:
    """The expected columns of actions (float[A, D]), and the few of each that differ from a reference's.

    The columns of some actions (int[V]) vary from lane to lane; where none do, nothing changes any more.
    """

    cdef Py_ssize_t actions, size
    cdef const int64_t[::1] varying
    cdef double[:, ::1] rows
    # float[A, D]
    cdef double[::1] reference
    cdef Py_ssize_t common
    # the action whose columns are the reference; -1: zero is, where that is shorter
    cdef double[:, ::1] entry
    cdef int64_t[:, ::1] column
    cdef int64_t[::1] count

    def __init__(self, rows, varying):
        self.actions, self.size = rows.shape
        self.varying = varying
        self.common = -1 if (rows == 0).sum() >= (rows == rows[:1]).sum() else 0
        self.rows, self.reference = rows, np.zeros(self.size) if self.common < 0 else rows[0].copy()
        self.entry, self.column = np.empty((self.actions, self.size)), np.empty((self.actions, self.size), np.int64)
        self.count = np.zeros(self.actions, np.int64)
        for k in range(self.actions):
            _compare(self, k)


cdef void _compare(Columns made, Py_ssize_t a) noexcept nogil:
    """Writes down where the columns of an action differ from the reference."""
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t j = next_other(&made.rows[a, 0], &made.reference[0], 0, made.size)
    while j < made.size:
        made.column[a, at], made.entry[a, at] = j, made.rows[a, j] - made.reference[j]
        at += 1
        j = next_other(&made.rows[a, 0], &made.reference[0], j + 1, made.size)
    made.count[a] = at


cdef void vary(Columns made, const double *own) noexcept nogil:
    """Takes the columns of the actions that vary in one lane (float[V, D])."""
    cdef Py_ssize_t i
    for i in range(made.varying.shape[0]):
        memcpy(&made.rows[made.varying[i], 0], own + i * made.size, made.size * sizeof(double))
    if made.common >= 0:
        memcpy(&made.reference[0], &made.rows[made.common, 0], made.size * sizeof(double))
    for i in range(made.actions if made.common >= 0 else made.varying.shape[0]):
        _compare(made, i if made.common >= 0 else made.varying[i])


cdef void sums_of_eight(Columns made, const double *effects, double *out) noexcept nogil:
    """The expected sums of eight effects (float[D, 8]) under all actions: float[A, 8]."""
    cdef double[8] common
    sum_eight(common, &made.reference[0], effects, made.size)
    sparse_eight(out, common, effects, &made.count[0], &made.column[0, 0], &made.entry[0, 0], made.size, made.actions)
