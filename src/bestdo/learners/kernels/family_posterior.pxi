"""The posterior of families for the counts of one lane: how likely their members are."""

cdef double _UNLIKELY = 1e-5  # members less likely than this are left out of averages
cdef double _RARE = 1e-3  # the same where the average need not be exact
cdef double _OF_ALL = 0.5  # rows that the mean of all rounds counts for in the centre of a wide family's rows


cdef class Posterior:
    """What is believed of the families of one lane, and room to work in: filled by `update`.

    The first pointers are those of `Families`, where they are described.
    """

    cdef Py_ssize_t n, kinds, effect_kinds, most_values, most_features, cell_count, listed, base_rates
    # how many families, concentrations, kinds of main effects; the most values and features of a family; cells of all
    # tables; how far rising factorials are listed, and for how many base rates
    cdef Py_ssize_t number_kinds, width
    # how many kinds of effects on a number there are; how many columns all of them have together
    cdef Py_ssize_t number, told
    # the family of a reward that is a number, or -1; how many numbers `update` is given: counts of all cells, and where the
    # reward is a number the sums of its rows' rewards and of their squares
    cdef const int64_t *start
    cdef const int64_t *values
    cdef const int64_t *first
    cdef const int64_t *rows
    cdef const int64_t *cell
    cdef const int64_t *at
    cdef const int32_t *row
    cdef const double *prior
    cdef const int64_t *wide
    cdef const double *concentration
    cdef const double *base_rate
    cdef const double *rising
    cdef const double *rising_all
    cdef const int64_t *features
    cdef const int64_t *design_at
    cdef const double *design
    cdef const double *precision
    cdef const double *effects_prior
    cdef const double *number_concentration
    cdef const double *number_prior
    cdef const int64_t *number_features
    cdef const int64_t *number_at
    cdef const int64_t *number_column
    cdef const double *number_precision
    cdef const int64_t *number_design_at
    cdef const double *number_design
    cdef double middle

    cdef double *base
    # float[N, values]: each family's share of each value, to which its rows are drawn
    cdef double *own_base
    # float[J, C, values]: the same for each set of parents and concentration of families that are wide
    cdef double *shift
    # float[J, C]: how far the centre of a number's rows is from the mean of all rounds: not 0 where its family is wide
    cdef int64_t *place
    # int[N]: which of the listed base rates that of the second value is, where there are two
    cdef double *cells
    # the counts of all sets of parents, as `Families.cell` says
    cdef double *weight
    # float[J, C]: how likely each set of parents is, with each concentration
    cdef double *effects
    # float[N, E], and behind them those of a number (`_kind`): how likely main effects are
    cdef double *mode
    # float[p] for each: their mode
    cdef double *factor
    # float[p, p] for each: the factor of their precision
    cdef double *spread
    # float[E, cells]: the posterior variance of each row's logit, where it is known
    cdef int64_t *spread_known
    # int for each: whether it is
    cdef double *work
    # float[2, p]
    cdef double *row_work
    # the rows of one set of parents
    cdef double *less
    # float[cells]
    cdef int64_t *member
    # int[N, 2]: what was drawn last: a set of parents and a concentration, or -1 and a kind of main effects
    # where the reward is a number:
    cdef double centre, degrees, squares, squares_before
    # the mean of all rounds, half of the degrees of freedom of the spread, the sum of squares around the mean, and the squares of
    # the prior of the spread
    cdef bint spread_seen, tails_known
    # whether two rewards differed, and whether the next numbers are known
    cdef double tail, lean, leaning, all_rounds
    # how many rewards tell as much about the variance as a normal one would, and how far the mean moves with it (`know_tails`); the share
    # of the variance of the mean of all rounds that this is; all rounds
    cdef double *rounds
    cdef double *moved_row
    cdef double *squared_row
    # float[rows]: rounds, the sum of what rewards differ from the mean of all rounds by, and of its squares
    cdef double *moved
    cdef double *squared
    # the same for all sets of parents, as `Families.cell` says; their rounds are in `cells`
    cdef double *rest
    cdef double *effects_rest
    # float[J, C] and float[E]: half of the squares that each member leaves over
    cdef double *gram
    cdef double *right
    # float[P, P] and float[P]: sums of rounds × x xᵀ and of what rewards differ by × x, for the whole design of a number
    cdef readonly dict arrays
    # the arrays that the pointers above point into, by name
    cdef object families

    def __init__(self, families):
        self.families = families
        self.start, self.values, self.first = ints(families.start), ints(families.values), ints(families.first)
        self.rows, self.cell, self.at = ints(families.rows), ints(families.cell), ints(families.at)
        self.row, self.prior, self.wide = short_ints(families.row), floats(families.prior), ints(families.wide)
        self.concentration, self.base_rate = floats(families.concentration), floats(families.base)
        self.rising, self.rising_all = floats(families.rising), floats(families.rising_all)
        self.features, self.design_at = ints(families.features), ints(families.design_at)
        self.design, self.precision = floats(families.design), floats(families.precision)
        self.effects_prior = floats(families.effects_prior)
        self.number_concentration = floats(families.number_concentration)
        effect = families.effect
        self.number_prior, self.number_precision = floats(effect.prior), floats(effect.precision)
        self.number_features, self.number_at = ints(effect.features), ints(effect.at)
        self.number_column = ints(effect.column)
        self.number_design_at, self.number_design = ints(effect.design_at), floats(effect.design)
        self.number_kinds, self.width = len(effect.features), effect.width
        self.number, self.middle = families.number, families.middle
        self.base_rates, self.listed = len(families.base), len(families.rising_all) - 1
        n = self.n = len(families.values)
        values = self.most_values = families.values.max()
        p = self.most_features = max(families.features.max(), effect.features.max(initial=1))
        kinds = self.effect_kinds = len(families.precision)
        self.kinds = len(families.concentration)
        cells = self.cell_count = families.start[n]
        cdef Py_ssize_t number = self.number
        cdef Py_ssize_t rows = families.start[number + 1] - families.start[number] if number >= 0 else 0
        cdef Py_ssize_t members = families.cell[len(families.rows)] if number >= 0 else 0
        self.told = cells + 2 * rows
        many = n + -(-self.number_kinds // kinds)  # families, and room for the kinds of effects on a number
        self.arrays = arrays = {
            "base": np.empty((n, values)),
            "own_base": np.empty((len(families.rows) if families.wide.any() else 0, self.kinds, values)),
            "shift": np.zeros((len(families.rows), self.kinds)),
            "place": np.zeros(n, np.int64),
            "cells": np.empty(families.cell[len(families.rows)]),
            "weight": np.empty((len(families.rows), self.kinds)),
            "effects": np.zeros((many, kinds)),
            "mode": np.zeros((many, kinds, p)),
            "factor": np.zeros((many, kinds, p, p)),
            "spread": np.empty((max(kinds, self.number_kinds), cells)),
            "spread_known": np.zeros((many, kinds), np.int64),
            "work": np.empty((2, p)),
            "row_work": np.empty(families.rows.max() * values),
            "less": np.empty(cells),
            "member": np.zeros((n, 2), np.int64),
            "by_row": np.zeros((3, rows)),
            "by_set": np.zeros((2, members)),
            "rest": np.zeros((len(families.rows), self.kinds)),
            "effects_rest": np.zeros(self.number_kinds),
            "gram": np.zeros((self.width + 1, self.width)),
        }
        self.base, self.place, self.cells = floats(arrays["base"]), ints(arrays["place"]), floats(arrays["cells"])
        self.own_base, self.shift = floats(arrays["own_base"]), floats(arrays["shift"])
        self.weight, self.effects = floats(arrays["weight"]), floats(arrays["effects"])
        self.mode, self.factor = floats(arrays["mode"]), floats(arrays["factor"])
        self.spread, self.spread_known = floats(arrays["spread"]), ints(arrays["spread_known"])
        self.work, self.row_work, self.less = floats(arrays["work"]), floats(arrays["row_work"]), floats(arrays["less"])
        self.member = ints(arrays["member"])
        self.rounds = floats(arrays["by_row"])
        self.moved_row, self.squared_row = self.rounds + rows, self.rounds + 2 * rows
        self.moved = floats(arrays["by_set"])
        self.squared = self.moved + members
        self.rest, self.effects_rest = floats(arrays["rest"]), floats(arrays["effects_rest"])
        self.gram = floats(arrays["gram"])
        self.right = self.gram + self.width * self.width

    def update(self, const double[::1] counts):
        """The posterior given the counts of all cells, and the sums of a number's rows."""
        _fits(counts.shape[0] == self.told)
        update(self, &counts[0])

    def mean_tables(self, bint exact, double[::1] table):
        """Writes the expectation of every cell into a table."""
        _fits(table.shape[0] == self.cell_count)
        mean_tables(self, exact, &table[0])

    def add_gains(self, const double[::1] slope, double[::1] gain):
        """Adds, per cell, what one more count tells about a difference of means, under the members drawn."""
        _fits(slope.shape[0] == gain.shape[0] == self.cell_count)
        add_gains(self, &slope[0], &gain[0])


cdef inline Py_ssize_t _rows(Posterior post, Py_ssize_t v) noexcept nogil:
    """How many rows a family's table has."""
    return (post.start[v + 1] - post.start[v]) // post.values[v]


cdef inline Py_ssize_t _effect_kinds(Posterior post, Py_ssize_t v) noexcept nogil:
    """How many kinds of main effects are members of a family."""
    if v == post.number:
        return post.number_kinds
    return post.effect_kinds if post.features[v] else 0


cdef inline Py_ssize_t _kind(Posterior post, Py_ssize_t v, Py_ssize_t e) noexcept nogil:
    """Where a family's kind of main effects stands among all; those of a number are the last."""
    return (post.n if v == post.number else v) * post.effect_kinds + e


cdef inline double *_mode(Posterior post, Py_ssize_t v, Py_ssize_t e) noexcept nogil:
    return post.mode + _kind(post, v, e) * post.most_features


cdef inline double *_precision_factor(Posterior post, Py_ssize_t v, Py_ssize_t e) noexcept nogil:
    return post.factor + _kind(post, v, e) * post.most_features * post.most_features


cdef regression regression_of(Posterior post, Py_ssize_t v) noexcept nogil:
    """The regression of a family's table on its parents."""
    cdef regression own
    own.rows, own.p, own.wide = _rows(post, v), post.features[v], post.most_features
    own.design = post.design + post.design_at[v]
    own.offset = log(post.base[v * post.most_values + 1] / post.base[v * post.most_values])
    return own


cdef void _set_base(Posterior post, Py_ssize_t v, const double *counts) noexcept nogil:
    """The shares of the values in all rounds, with one round spread evenly; even for a variable without parents."""
    cdef Py_ssize_t c, k
    cdef Py_ssize_t values = post.values[v]
    cdef Py_ssize_t last = post.base_rates - 1
    cdef double far
    cdef double total = 0.0
    cdef double *base = post.base + v * post.most_values
    for k in range(values):
        base[k] = 1.0 / values
    if post.first[v + 1] - post.first[v] > 1:
        c = post.start[v]
        while c < post.start[v + 1]:
            for k in range(values):
                base[k] += counts[c + k]
            c += values
        for k in range(values):
            total += base[k]
        for k in range(values):
            base[k] /= total
    if values == 2:
        far = log(post.base_rate[last] / (1 - post.base_rate[last]))
        k = <Py_ssize_t>((log(base[1] / base[0]) / far + 1) / 2 * last + 0.5)
        k = min(max(k, 0), last)
        post.place[v] = k
        base[1], base[0] = post.base_rate[k], post.base_rate[last - k]


cdef void _collapse(Posterior post, Py_ssize_t v, const double *counts) noexcept nogil:
    """The counts of the family's table when only some of the parents matter, for each such set."""
    cdef Py_ssize_t row, c, k, j, to
    cdef Py_ssize_t values = post.values[v]
    cdef Py_ssize_t first = post.first[v]
    cdef Py_ssize_t last = post.first[v + 1]
    cdef double n
    for k in range(post.cell[first], post.cell[last]):
        post.cells[k] = 0
    for row in range(_rows(post, v)):
        c = post.start[v] + row * values
        n = 0.0
        for k in range(values):
            n += counts[c + k]
        if n == 0:
            continue
        for j in range(first, last):
            to = post.cell[j] + post.row[post.at[j] + row] * values
            for k in range(values):
                post.cells[to + k] += counts[c + k]


cdef inline double _log_rising(double a, double n) noexcept nogil:
    """Log of a (a + 1) … (a + n - 1)."""
    return lgamma(a + n) - lgamma(a)


cdef inline double _log_gamma(double x) noexcept nogil:
    """Log of Γ(x), by Stirling's series from 8 on, to 1e-9."""
    cdef double r = 1 / x
    if x < 8:
        return lgamma(x)
    return (x - 0.5) * log(x) - x + 0.5 * log(2 * M_PI) + r * (1.0 / 12 - r * r * (1.0 / 360 - r * r / 1260))


cdef inline double *base_of(Posterior post, Py_ssize_t v, Py_ssize_t j, Py_ssize_t i) noexcept nogil:
    """The shares of the values to which the rows of a set of parents are drawn, with a concentration."""
    if post.wide[v]:
        return post.own_base + (j * post.kinds + i) * post.most_values
    return post.base + v * post.most_values


cdef void _wide_evidence(Posterior post, Py_ssize_t v, Py_ssize_t j) noexcept nogil:
    """Makes post.weight[j] the log evidence of a set of parents of a family with a parent of many values.

    Its rows are drawn to the mean of their shares, each by n / (n + c), so that the rows that most rounds went to count for
    no more than others of which enough is known.
    """
    cdef Py_ssize_t row, at, k, i
    cdef Py_ssize_t values = post.values[v]
    cdef double n, each, weight, likely, before, all_before
    cdef double *base
    for i in range(post.kinds):
        base, each, weight = base_of(post, v, j, i), post.concentration[i], _OF_ALL
        for k in range(values):
            base[k] = _OF_ALL * post.base[v * post.most_values + k]
        likely, all_before = post.prior[j * post.kinds + i], _log_gamma(each)
        for row in range(post.rows[j]):
            at, n = post.cell[j] + row * values, 0.0
            for k in range(values):
                n += post.cells[at + k]
            if n > 0:
                weight += n / (n + each)
                likely -= _log_gamma(each + n) - all_before
                for k in range(values):
                    base[k] += post.cells[at + k] / (n + each)
        for k in range(values):
            base[k] /= weight
            before = _log_gamma(each * base[k])
            for row in range(post.rows[j]):
                n = post.cells[post.cell[j] + row * values + k]
                if n > 0:
                    likely += _log_gamma(each * base[k] + n) - before
        post.weight[j * post.kinds + i] = likely


cdef void _evidence(Posterior post, Py_ssize_t v, Py_ssize_t j) noexcept nogil:
    """Makes post.weight[j] the log evidence of a set of parents, with each concentration."""
    cdef Py_ssize_t row, at, k, i, zero, one
    cdef Py_ssize_t values = post.values[v]
    cdef Py_ssize_t kinds = post.kinds
    cdef double n, each
    cdef double *likely = post.weight + j * kinds
    cdef const double *of_one = post.rising + post.place[v] * (post.listed + 1) * kinds
    cdef const double *of_zero = post.rising + (post.base_rates - 1 - post.place[v]) * (post.listed + 1) * kinds
    if post.wide[v]:
        _wide_evidence(post, v, j)
        return
    for i in range(kinds):
        likely[i] = post.prior[j * kinds + i]
    for row in range(post.rows[j]):
        at, n = post.cell[j] + row * values, 0.0
        for k in range(values):
            n += post.cells[at + k]
        if n == 0:
            continue
        if values == 2 and n <= post.listed:
            zero, one = <Py_ssize_t>post.cells[at], <Py_ssize_t>post.cells[at + 1]
            for i in range(kinds):
                likely[i] += (
                    of_zero[zero * kinds + i] + of_one[one * kinds + i] - post.rising_all[(zero + one) * kinds + i]
                )
            continue
        for i in range(kinds):
            each = post.concentration[i]
            likely[i] -= _log_rising(each, n)
            for k in range(values):
                if post.cells[at + k] > 0:
                    likely[i] += _log_rising(each * post.base[v * post.most_values + k], post.cells[at + k])


cdef void know_spread(Posterior post, Py_ssize_t v, Py_ssize_t e, const regression *own) noexcept nogil:
    """Makes sure that post.spread holds the posterior variance of the logit of each row of a family."""
    if not post.spread_known[_kind(post, v, e)]:
        spreads(own, _precision_factor(post, v, e), post.work, post.spread + e * post.cell_count + post.start[v])
        post.spread_known[_kind(post, v, e)] = 1


cdef void update(Posterior post, const double *counts) noexcept nogil:
    """The posterior of all families, given the counts of all cells of a lane."""
    cdef Py_ssize_t v, j, i, e, k, first, last
    cdef double top, total
    cdef double *mode
    cdef double *effects
    cdef regression own
    for v in range(post.n):
        if v == post.number:
            update_number(post, v, counts)
            continue
        first, last = post.first[v], post.first[v + 1]
        effects = post.effects + v * post.effect_kinds
        _set_base(post, v, counts)
        _collapse(post, v, counts)
        top = -INFINITY
        for j in range(first, last):
            _evidence(post, v, j)
            for i in range(post.kinds):
                top = max(top, post.weight[j * post.kinds + i])
        own = regression_of(post, v)
        for e in range(_effect_kinds(post, v)):
            post.spread_known[v * post.effect_kinds + e] = 0
            mode = _mode(post, v, e)
            for k in range(own.p):
                mode[k] = _mode(post, v, e - 1)[k] if e else 0.0
            effects[e] = post.effects_prior[v] + fit_effects(
                &own, counts + post.start[v], post.precision[e], mode, post.work, _precision_factor(post, v, e)
            )
            top = max(top, effects[e])
        total = 0.0
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
