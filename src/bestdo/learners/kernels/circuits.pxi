"""The means of all actions from the tables of one lane: circuits forwards and backwards."""


cdef class Room:
    """The passes through a circuit (`Passes`), as pointers, and room for its numbers."""

    cdef object kept
    # the arrays that the pointers point into
    cdef const uint32_t *out
    cdef const uint32_t *one
    cdef const uint32_t *two
    cdef const int64_t *start
    cdef const int64_t *values
    cdef const int16_t *all_bases
    cdef const int16_t *codes
    cdef const int64_t *base
    cdef const int64_t *slot
    cdef const double *payoff
    cdef Py_ssize_t products, given, size, variables, bases, actions, slots, payoffs
    cdef double *number
    cdef double *by
    cdef double *more
    cdef double *by_more
    cdef double *found
    # float[bases, slots]: the results of each pass: for each value of each variable, and of the base itself

    def __init__(self, passes):
        circuit = passes.circuit
        self.products, self.given, self.size = len(circuit.out), circuit.given, circuit.size
        self.variables, self.actions = len(passes.values), len(passes.codes)
        self.bases, self.slots = len(passes.bases), passes.values.sum() + 1
        self.out, self.one, self.two = places(circuit.out), places(circuit.one), places(circuit.two)
        self.start, self.values = ints(passes.start), ints(passes.values)
        self.all_bases, self.codes = codes(passes.bases), codes(passes.codes)
        self.base, self.slot = ints(passes.base), ints(passes.slot)
        self.payoff, self.payoffs = floats(passes.payoff), len(passes.payoff)
        work, found = np.empty((4, self.size)), np.empty((self.bases, self.slots))
        self.number = floats(work)
        self.by, self.more, self.by_more = self.number + self.size, self.number + 2 * self.size, self.number + 3 * self.size
        self.found = floats(found)
        self.kept = passes, work, found


cdef void _put(Room of, const double *table) noexcept nogil:
    """Puts tables into the circuit; where the reward's values have payoffs, the mean of a row's into its first cell."""
    cdef Py_ssize_t k
    cdef Py_ssize_t row = of.start[of.variables - 1]
    cdef double mean
    memcpy(of.number, table, of.given * sizeof(double))
    while of.payoffs and row < of.start[of.variables]:
        mean = 0.0
        for k in range(of.payoffs):
            mean += of.payoff[k] * table[row + k]
        of.number[row] = mean
        row += of.payoffs


cdef void _forward(Room of) noexcept nogil:
    cdef Py_ssize_t k
    of.number[of.given] = 1
    for k in range(of.given + 1, of.size):
        of.number[k] = 0
    for k in range(of.products):
        of.number[of.out[k]] += of.number[of.one[k]] * of.number[of.two[k]]


cdef void _reverse(Room of) noexcept nogil:
    """Writes the derivative of the circuit's result by each of its numbers into `by`."""
    cdef Py_ssize_t k
    cdef double slope
    memset(of.by, 0, of.size * sizeof(double))
    of.by[of.size - 1] = 1
    for k in range(of.products - 1, -1, -1):
        slope = of.by[of.out[k]]
        of.by[of.one[k]] += slope * of.number[of.two[k]]
        of.by[of.two[k]] += slope * of.number[of.one[k]]


cdef void _set(Room of, double *number, const int16_t *codes, double chosen) noexcept nogil:
    """Replaces the tables of the variables that are set: `chosen` at the value that is set, 0 at the others."""
    cdef Py_ssize_t v, row
    for v in range(of.variables):
        if codes[v] >= 0:
            for row in range(of.start[v], of.start[v + 1]):
                number[row] = 0
            row = of.start[v] + codes[v]
            while row < of.start[v + 1]:
                number[row] = chosen
                row += of.values[v]


cdef void _summed(Room of, double *out) noexcept nogil:
    """Adds up, for each value of each variable, the derivatives by its cells: what the result is when it is set."""
    cdef Py_ssize_t v, k
    cdef Py_ssize_t slot = 0
    cdef Py_ssize_t row
    for k in range(of.slots - 1):
        out[k] = 0
    for v in range(of.variables):
        row = of.start[v]
        while row < of.start[v + 1]:
            for k in range(of.values[v]):
                out[slot + k] += of.by[row + k]
            row += of.values[v]
        slot += of.values[v]


cdef void _forward_pairs(Room of) noexcept nogil:
    """Runs the circuit forwards with a derivative (`more`) beside each number, by the product rule."""
    cdef Py_ssize_t k, one, two
    _forward(of)
    for k in range(of.given, of.size):
        of.more[k] = 0
    for k in range(of.products):
        one, two = of.one[k], of.two[k]
        of.more[of.out[k]] += of.more[one] * of.number[two] + of.number[one] * of.more[two]


cdef void _reverse_pairs(Room of) noexcept nogil:
    """The derivative of the second number of the result by each number, and by each second number."""
    cdef Py_ssize_t k, one, two
    cdef double by, by_more
    memset(of.by, 0, of.size * sizeof(double))
    memset(of.by_more, 0, of.size * sizeof(double))
    of.by_more[of.size - 1] = 1
    for k in range(of.products - 1, -1, -1):
        one, two = of.one[k], of.two[k]
        by, by_more = of.by[of.out[k]], of.by_more[of.out[k]]
        of.by[one] += by * of.number[two] + by_more * of.more[two]
        of.by[two] += by * of.number[one] + by_more * of.more[one]
        of.by_more[one] += by_more * of.number[two]
        of.by_more[two] += by_more * of.number[one]


cdef void _pick(Room of, double *out) noexcept nogil:
    cdef Py_ssize_t a
    for a in range(of.actions):
        out[a] = of.found[of.base[a] * of.slots + of.slot[a]]


cdef void means(Room of, const double *table, double *out) noexcept nogil:
    """The means of all actions (float[A]) under these tables (float[cells])."""
    cdef Py_ssize_t b
    for b in range(of.bases):
        _put(of, table)
        _set(of, of.number, of.all_bases + b * of.variables, 1.0)
        _forward(of)
        _reverse(of)
        _summed(of, of.found + b * of.slots)
        of.found[(b + 1) * of.slots - 1] = of.number[of.size - 1]
    _pick(of, out)


cdef void slopes(Room of, const double *table, Py_ssize_t action, double *out) noexcept nogil:
    """The derivative of an action's mean by each cell (float[cells]), at these tables."""
    cdef Py_ssize_t k
    cdef Py_ssize_t row = of.start[of.variables - 1]
    cdef const int16_t *codes = of.codes + action * of.variables
    _put(of, table)
    _set(of, of.number, codes, 1.0)
    _forward(of)
    _reverse(of)
    _set(of, of.by, codes, 0.0)
    memcpy(out, of.by, of.given * sizeof(double))
    while of.payoffs and row < of.start[of.variables]:
        for k in range(of.payoffs):
            out[row + k] = of.by[row] * of.payoff[k]
        row += of.payoffs


cdef void expected(Room of, const double *table, const double *worth, double *out) noexcept nogil:
    """What the cells that a round of each action counts in are worth, summed, in expectation (float[A]).

    `worth` (float[cells]) is the same for all cells of a row. A round counts in one cell of every table but those of the
    variables that it sets. The numbers are carried through the circuit beside the probabilities.
    """
    cdef Py_ssize_t b, k
    for b in range(of.bases):
        memcpy(of.number, table, of.given * sizeof(double))
        for k in range(of.start[of.variables - 1], of.start[of.variables]):  # the reward, whatever it is
            of.number[k] = 1
        _set(of, of.number, of.all_bases + b * of.variables, 1.0)
        for k in range(of.given):
            of.more[k] = of.number[k] * worth[k]
        _set(of, of.more, of.all_bases + b * of.variables, 0.0)
        _forward_pairs(of)
        _reverse_pairs(of)
        _summed(of, of.found + b * of.slots)
        of.found[(b + 1) * of.slots - 1] = of.more[of.size - 1]
    _pick(of, out)
