"""Sums over all acyclic graphs of a few variables, weighted by a product over variables: totals, draws and arrows.

A graph falls into layers in one way only: the first has the variables without parents, each other one the variables whose
parents are all in earlier layers and at least one in the layer before. So a sum over graphs is one over the union of some
first layers (`all`, a set U as bits) and the last of them (`last`, R, a part of U), of which there are 3^N, with 4^N steps
between them. No term is negative, and so nothing cancels; logarithms of weights may differ by any amount.
"""

from libc.math cimport INFINITY, exp, log, log1p
from libc.stdint cimport int64_t
from numpy.random cimport bitgen_t

import numpy as np

from bestdo.causal.random_bits cimport bits

cdef enum:
    _MOST = 12  # variables: tables of 3^N numbers for each of them are kept


cdef inline double _added(double a, double b) noexcept nogil:
    """The logarithm of a sum, from those of its terms."""
    if a < b:
        a, b = b, a
    if b == -INFINITY or a - b > 45:
        return a
    return a + log1p(exp(b - a))


cdef inline int _count(int mask) noexcept nogil:
    cdef int found = 0
    while mask:
        mask &= mask - 1
        found += 1
    return found


cdef inline int _inside(int part, int whole) noexcept nogil:
    """The number of a part among all parts of a set, in increasing order."""
    cdef int found = 0
    cdef int place = 0
    cdef int bit
    while whole:
        bit = whole & -whole
        if part & bit:
            found |= 1 << place
        place += 1
        whole ^= bit
    return found


cdef class DagSums:
    """The sums for weights of sets of parents: float[N, 2^N], logarithms; a set has a bit for each variable.

    A set that cannot be the parents of a variable has -inf, as all that have the variable itself.
    """

    cdef readonly double log_total
    cdef readonly Py_ssize_t variables
    cdef int full
    cdef const double[:, ::1] weight
    cdef double[:, ::1] plain  # float[N, 2^N]: the weights as numbers, the largest of a variable 1
    cdef double[:, ::1] within  # float[N, 2^N]: log of the sum over all parts of a set
    cdef double[::1] largest  # float[N]: log of the largest weight of a variable
    cdef double[:, :, ::1] share  # float[N, N, 2^N]: of that sum, the share of the sets that have a variable
    cdef int64_t[::1] at  # int[2^N + 1]: where the numbers of a set's parts begin
    cdef double[:, ::1] meets  # float[N, 3^N]: of the sum over parts of U, the share of those that meet R
    cdef double[::1] before  # float[3^N]: the weight of all that is in U with last layer R, up to a factor for each U
    cdef double[::1] scale  # float[2^N]: the logarithm of this factor

    def __init__(self, const double[:, ::1] weight):
        cdef Py_ssize_t n = weight.shape[0]
        cdef int v, u
        cdef double total = 0.0
        if not 0 < n <= _MOST or weight.shape[1] != 1 << n:
            raise ValueError(f"weights of {weight.shape[1]} sets of parents for {n} variables")
        self.variables, self.full, self.weight = n, (1 << n) - 1, weight
        self.at = np.concatenate([[0], np.cumsum([1 << _count(u) for u in range(1 << n)])]).astype(np.int64)
        self.within = np.full((n, 1 << n), -np.inf)
        self.plain = np.zeros((n, 1 << n))
        self.largest = np.full(n, -np.inf)
        self.share = np.zeros((n, n, 1 << n))
        self.meets = np.zeros((n, self.at[1 << n]))
        self.before = np.zeros(self.at[1 << n])
        self.scale = np.full(1 << n, -np.inf)
        for v in range(n):
            self._sum_sets(v)
        self._forward()
        for u in range(1 << n):
            total += self.before[self.at[self.full] + u]
        self.log_total = self.scale[self.full] + log(total) if total > 0 else -INFINITY

    cdef void _sum_sets(self, int v):
        """The sums of one variable over the parts of every set: of all of them, with one more variable, and meeting R."""
        cdef int n = self.variables
        cdef int size = 1 << n
        cdef int b, c, u, r, low, place, smaller, j
        cdef double[::1] some = np.empty(size)
        cdef double without
        for u in range(size):
            self.within[v, u] = self.weight[v, u]
            self.largest[v] = max(self.largest[v], self.weight[v, u])
        if self.largest[v] == -INFINITY:
            return
        for u in range(size):
            self.plain[v, u] = exp(self.weight[v, u] - self.largest[v])
        for c in range(n):
            for u in range(size):
                if u >> c & 1:
                    self.within[v, u] = _added(self.within[v, u], self.within[v, u ^ (1 << c)])
        for b in range(n):
            if b == v:
                continue
            for u in range(size):
                some[u] = self.weight[v, u] if u >> b & 1 else -INFINITY
            for c in range(n):
                if c == b or c == v:
                    continue
                for u in range(size):
                    if u >> b & 1 and u >> c & 1 and not u >> v & 1:
                        some[u] = _added(some[u], some[u ^ (1 << c)])
            for u in range(size):
                if some[u] > -INFINITY and not u >> v & 1:
                    self.share[v, b, u] = exp(some[u] - self.within[v, u])
        self.meets[v, 0] = 1.0  # before the first layer there is none to meet
        for u in range(1, size):
            if u >> v & 1 or self.within[v, u] == -INFINITY:
                continue
            r = 0
            for j in range(1, 1 << _count(u)):
                r = (r - u) & u
                low = r & -r
                place = _count(u & (low - 1))
                b = _count(low - 1)
                smaller = (j ^ (1 << place)) >> 1
                without = 0.0
                if smaller and self.within[v, u ^ low] > -INFINITY:
                    without = self.meets[v, self.at[u ^ low] + smaller] * exp(self.within[v, u ^ low] - self.within[v, u])
                self.meets[v, self.at[u] + j] = self.share[v, b, u] + without

    cdef int _others(self, int u, int *names) noexcept nogil:
        """The variables that are not in a set, and how many."""
        cdef int v
        cdef int found = 0
        for v in range(self.variables):
            if not u >> v & 1:
                names[found] = v
                found += 1
        return found

    cdef void _products(self, int u, int j, int m, const int *names, double first, double *out) noexcept nogil:
        """For every set of some variables, numbered by `names`: the product of the shares that meet the j-th part of U."""
        cdef int k, x
        cdef double each
        out[0] = first
        for k in range(m):
            each = self.meets[names[k], self.at[u] + j]
            for x in range(1 << k):
                out[(1 << k) + x] = out[x] * each

    cdef void _forward(self):
        """Fills `before` and `scale`: from each union of layers to all that one more layer makes of it."""
        cdef int n = self.variables
        cdef int u, t, j, k, m, x, mask
        cdef int[_MOST] names
        cdef double[::1] made = np.empty(1 << n)
        cdef double[::1] summed = np.empty(1 << n)
        cdef double[::1] logs = np.full(self.at[1 << n], -np.inf)
        cdef double top, own
        self.scale[0], self.before[0] = 0.0, 1.0
        for u in range(1 << n):
            if u:
                top = -INFINITY
                for j in range(1 << _count(u)):
                    top = max(top, logs[self.at[u] + j])
                self.scale[u] = top
                if top == -INFINITY:
                    continue
                for j in range(1 << _count(u)):
                    self.before[self.at[u] + j] = exp(logs[self.at[u] + j] - top)
            m = self._others(u, names)
            summed[:] = 0.0
            for j in range(1 << _count(u)):
                own = self.before[self.at[u] + j]
                if own > 0:
                    self._products(u, j, m, names, own, &made[0])
                    for x in range(1, 1 << m):
                        summed[x] += made[x]
            for x in range(1, 1 << m):
                if summed[x] > 0:
                    own, mask = self.scale[u] + log(summed[x]), 0
                    for k in range(m):
                        if x >> k & 1:
                            mask |= 1 << names[k]
                            own += self.within[names[k], u]
                    t = u | mask
                    logs[self.at[t] + _inside(mask, t)] = own

    def draw(self, Py_ssize_t draws, rng):
        """The parents of each variable, as bits (int[D, N]), in graphs drawn by their weights."""
        cdef int n = self.variables
        cdef bitgen_t *source = bits(rng)
        cdef int64_t[:, ::1] found = np.zeros((draws, n), np.int64)
        cdef double[::1] chance = np.empty(1 << n)
        cdef Py_ssize_t d
        cdef int t, u, r, j, v, last
        cdef double left
        if self.log_total == -INFINITY:
            raise ValueError("no graph has a weight")
        with rng.bit_generator.lock:
            for d in range(draws):
                t, last = self.full, 0
                while t:  # the layer `last` is drawn; which one is before it, and which parents it has there?
                    left = 0.0
                    for j in range(1, 1 << _count(t)):
                        chance[j] = self.before[self.at[t] + j]
                        for v in range(n):
                            if last >> v & 1 and chance[j] > 0:
                                chance[j] *= self.meets[v, self.at[t] + j]
                        left += chance[j]
                    left *= source.next_double(source.state)
                    r = u = 0
                    for j in range(1, 1 << _count(t)):
                        u = (u - t) & t
                        if chance[j] > 0:
                            r = u
                            left -= chance[j]
                            if left < 0:
                                break
                    for v in range(n):
                        if last >> v & 1:
                            found[d, v] = self._drawn_set(v, t, r, source)
                    t, last = t & ~r, r
        return np.asarray(found)

    cdef int _drawn_set(self, int v, int u, int r, bitgen_t *source):
        """A part of U that meets R, drawn by the weights of one variable."""
        cdef int s
        cdef int found = 0
        cdef double total = 0.0
        cdef double low = self.within[v, u] - 30
        cdef bint tiny = self.largest[v] > self.within[v, u] + 600  # so small that numbers may vanish
        cdef double own, left
        s = u
        while s:
            if s & r:
                total += exp(self.weight[v, s] - self.within[v, u]) if tiny else self.plain[v, s]
            s = (s - 1) & u
        left = total * source.next_double(source.state)
        s = u
        while s:
            if s & r:
                own = exp(self.weight[v, s] - self.within[v, u]) if tiny else self.plain[v, s]
                if own > 0:
                    found = s
                    left -= own
                    if left < 0:
                        break
            s = (s - 1) & u
        return found

    def arrows(self):
        """The probability of each arrow, from the variable of the row to that of the column: float[N, N]."""
        cdef int n = self.variables
        cdef int u, t, r, j, k, m, x, v, a, mask
        cdef int[_MOST] names
        cdef double[::1] made = np.empty(1 << n)
        cdef double[::1] logs = np.empty(1 << n)
        cdef double[::1] after = np.empty(1 << n)
        cdef double[::1] passed = np.empty(1 << n)
        cdef double[::1] reached = np.empty(1 << n)
        cdef double[::1] rest = np.full(self.at[1 << n], -np.inf)
        cdef double[:, ::1] out = np.zeros((n, n))
        cdef double top, own, total, without, missed
        for j in range(1 << n):
            rest[self.at[self.full] + j] = 0.0
        for u in range((1 << n) - 2, -1, -1):
            if self.scale[u] == -INFINITY:
                continue
            m = self._others(u, names)
            top = -INFINITY
            logs[0] = -INFINITY
            for x in range(1, 1 << m):
                own, mask = 0.0, 0
                for k in range(m):
                    if x >> k & 1:
                        mask |= 1 << names[k]
                        own += self.within[names[k], u]
                t = u | mask
                logs[x] = own + rest[self.at[t] + _inside(mask, t)]
                top = max(top, logs[x])
            if top == -INFINITY:
                continue
            reached[:] = 0.0
            for j in range(1 << _count(u)):
                if self.before[self.at[u] + j] > 0:
                    self._products(u, j, m, names, self.before[self.at[u] + j], &made[0])
                    for x in range(1, 1 << m):
                        reached[x] += made[x]
            for x in range(1 << m):
                after[x] = exp(logs[x] - top)
                passed[x] = exp(logs[x] + self.scale[u] - self.log_total) if reached[x] > 0 else 0.0
            r = 0
            for j in range(1 << _count(u)):
                if j:
                    r = (r - u) & u
                self._products(u, j, m, names, 1.0, &made[0])
                total = 0.0
                for x in range(1, 1 << m):
                    total += made[x] * after[x]
                rest[self.at[u] + j] = log(total) + top if total > 0 else -INFINITY
                own = self.before[self.at[u] + j]
                if own <= 0 or not u:
                    continue
                for k in range(m):
                    v = names[k]
                    if self.meets[v, self.at[u] + j] <= 0:
                        continue
                    without = 0.0
                    for x in range(1 << m):
                        if x >> k & 1:
                            without += made[x ^ (1 << k)] * passed[x]
                    without *= own
                    if without <= 0:
                        continue
                    missed = 1 - self.meets[v, self.at[u] + j]
                    for a in range(n):
                        if r >> a & 1:
                            out[a, v] += without * self.share[v, a, u]
                        elif u >> a & 1:
                            out[a, v] += without * max(self.share[v, a, u] - self.share[v, a, u & ~r] * missed, 0.0)
        return np.asarray(out)
