"""Which rivals a leader does not beat with confidence yet: unlike array code a loop can stop at the first one."""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int64_t, uint8_t

# Shares of the money that are bet on one action, in all pairs: small ones win on small differences, large ones on large
# differences. Not measured against others; rounds until sure are in docs/explanation/learners.md, "Until sure".
cdef double[4] _STAKES = [0.0, 0.08, 0.25, 0.7]
# Numbers of thetas between the two means, and on either side of them, at which the evidence is bounded. More give a tighter
# bound and cost time; the bound is valid for any. Compared with a fine grid in tests/learners/test_until_sure.py.
cdef enum:
    _POINTS = 64
    _OUTSIDE = 32
    _PAIRS = 16  # of stakes


cdef inline double _won(double count, double factor) noexcept nogil:
    return count * log(factor) if count > 0 else 0.0


cdef void _bets(const double *cells, double theta, double within, double *out) noexcept nogil:
    """The logarithm of the money won by each pair of stakes, given the counts in the six cells and theta.

    The cells are successes and failures that counted for the leader alone, the rival alone, and both.
    """
    cdef Py_ssize_t i, j
    cdef double a, b
    cdef double[4][4] alone  # by stake: successes and failures of the leader, and of the rival
    for i in range(4):
        a = _STAKES[i]
        alone[i][0], alone[i][1] = _won(cells[0], 1 + a * (1 - theta)), _won(cells[1], 1 - a * theta)
        alone[i][2], alone[i][3] = _won(cells[2], 1 - a * (1 - theta - within)), _won(cells[3], 1 + a * (theta + within))
    for i in range(4):
        for j in range(4):
            a, b = _STAKES[i], _STAKES[j]
            out[4 * i + j] = alone[i][0] + alone[i][1] + alone[j][2] + alone[j][3]
            out[4 * i + j] += _won(cells[4], 1 + a * (1 - theta) - b * (1 - theta - within))
            out[4 * i + j] += _won(cells[5], 1 - a * theta + b * (theta + within))


cdef double _evidence(const double *low, const double *high) noexcept nogil:
    """A lower bound of the log of the average money between two thetas, from the log money of each pair at both of them.

    The log money of a pair is concave in theta, so between two thetas it is at least the smaller of its two values.
    """
    cdef Py_ssize_t k
    cdef double top = -INFINITY
    cdef double total = 0.0
    for k in range(1, _PAIRS):
        top = max(top, min(low[k], high[k]))
    for k in range(1, _PAIRS):  # the first pair stakes nothing
        total += exp(min(low[k], high[k]) - top)
    return top + log(total / (_PAIRS - 1))


cdef bint _beaten(const double *cells, double limit, double within) noexcept nogil:
    """Whether the evidence reaches the limit at every theta from 0 to 1 − within."""
    cdef double n_a = cells[0] + cells[1] + cells[4] + cells[5]
    cdef double n_b = cells[2] + cells[3] + cells[4] + cells[5]
    cdef double[2][_PAIRS] won
    cdef double top, bottom, middle, step, theta
    cdef Py_ssize_t k
    if n_a == 0:
        return False
    top = (cells[0] + cells[4]) / n_a
    bottom = ((cells[2] + cells[4]) / n_b if n_b > 0 else 1.0) - within
    if bottom >= top:
        return False
    bottom, top = max(bottom, 0.0), min(top, 1 - within)
    middle = min(max((n_a * top + n_b * bottom) / (n_a + n_b), bottom), top)
    step = (top - bottom) / _POINTS
    _bets(cells, max(middle - step / 2, 0.0), within, won[0])  # where the evidence is usually smallest: most rivals
    _bets(cells, min(middle + step / 2, 1 - within), within, won[1])  # fail here
    if _evidence(won[0], won[1]) < limit:
        return False
    _bets(cells, 0.0, within, won[0])
    for k in range(1, _POINTS + 2 * _OUTSIDE + 1):
        if k <= _OUTSIDE:
            theta = bottom * k / _OUTSIDE
        elif k <= _OUTSIDE + _POINTS:
            theta = bottom + (k - _OUTSIDE) * step
        else:
            theta = top + (1 - within - top) * (k - _OUTSIDE - _POINTS) / _OUTSIDE
        _bets(cells, theta, within, won[k % 2])
        if _evidence(won[0], won[1]) < limit:
            return False
    return True


def unbeaten_rivals(
    const double[:, :] n,
    const double[:, :] s,
    const double[:, :] both_n,
    const double[:, :] both_s,
    const int64_t[:] leader,
    double limit,
    double within,
    bint first,
    uint8_t[:, ::1] out,
):
    """Writes which rivals (bool[L, A]) each lane's leader does not beat into `out`; only the first one found, with `first`.

    n and s count rounds and successes of each action, both_n and both_s those that it shares with the leader.
    """
    cdef Py_ssize_t lane, a, b
    cdef double[6] cells
    with nogil:
        for lane in range(n.shape[0]):
            a = leader[lane]
            for b in range(n.shape[1]):
                out[lane, b] = False
                if b == a:
                    continue
                cells[4], cells[5] = both_s[lane, b], both_n[lane, b] - both_s[lane, b]
                cells[0], cells[1] = s[lane, a] - cells[4], n[lane, a] - s[lane, a] - cells[5]
                cells[2], cells[3] = s[lane, b] - cells[4], n[lane, b] - s[lane, b] - cells[5]
                if not _beaten(cells, limit, within):
                    out[lane, b] = True
                    if first:
                        break
