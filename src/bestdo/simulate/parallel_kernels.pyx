"""Loops that play whole blocks, or whole simulations, on worlds whose variables are independent of each other.

They draw what the samplers of sums draw, in the same order: each step for all lanes before the next step.
"""

from libc.math cimport INFINITY, floor
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport binomial_t, random_multinomial

import numpy as np

from bestdo.causal.random_bits cimport after, bits, mixed
from bestdo.learners.kernels.lane_steps cimport difficulty_of, tie_key, tie_order
from bestdo.simulate.binomial_draws cimport MOST_COINS, binomial_number, heads, ones


cdef class SeenLaw:
    """What the sums of `Seen` on a parallel world need: see `parallel_sums.seen_law`, which makes it."""

    cdef Py_ssize_t watching  # the index of do()
    cdef const double[::1] means  # float[A]: those of all actions
    cdef double[::1] cells  # of C classes of the causes' values: P(class and success), then with failure; C = 1: P(success)
    cdef const uint8_t[:, ::1] match  # bool[C, A]: which actions agree with a class
    cdef const int64_t[:, ::1] two  # int[K, 2]: the actions that set each of the other variables
    cdef const double[::1] chance  # float[K]: the probability of the second value
    cdef const uint8_t[::1] seen  # bool[A]: which actions rounds of do() count towards

    def __init__(self, watching, means, cells, match, two, chance, seen):
        self.watching, self.means, self.cells, self.match = watching, means, cells, match
        self.two, self.chance, self.seen = two, chance, seen


cdef void _watch(
    SeenLaw law,
    const int64_t[::1] n,
    int64_t[:, ::1] counts,
    bitgen_t *source,
    double[:, ::1] weight,
    double[:, ::1] reward,
) noexcept nogil:
    """Adds n (int[L]) rounds of do() to the sums (float[L, A]); `counts` is memory for int[L, 2 C]."""
    cdef binomial_t known
    cdef Py_ssize_t lane, a, k, c, won
    cdef Py_ssize_t classes = law.match.shape[0]
    cdef Py_ssize_t values = law.two.shape[0]
    cdef Py_ssize_t actions = law.match.shape[1]
    cdef const int64_t *two = &law.two[0, 0] if values else NULL
    cdef const double *chance = &law.chance[0] if values else NULL
    cdef const uint8_t *seen = &law.seen[0]
    cdef uint64_t seed = 0
    cdef int64_t all_
    memset(&known, 0, sizeof(binomial_t))
    if classes == 1:
        seed = source.next_uint64(source.state)
        for lane in range(n.shape[0]):
            counts[lane, 0] = binomial_number(n[lane], law.cells[0], &seed, source, &known)
            counts[lane, 1] = n[lane] - counts[lane, 0]
    else:
        memset(&counts[0, 0], 0, 2 * classes * n.shape[0] * sizeof(int64_t))
        for lane in range(n.shape[0]):
            if n[lane]:
                random_multinomial(source, n[lane], &counts[lane, 0], &law.cells[0], 2 * classes, &known)
    for won in range(1, -1, -1):  # first the rounds with a success, then the others
        if values:
            seed = source.next_uint64(source.state)
        for lane in range(n.shape[0]):
            if not n[lane]:
                continue
            all_ = 0
            for k in range(classes):
                c = counts[lane, k if won else classes + k]
                all_ += c
                if c:
                    for a in range(actions):
                        if law.match[k, a] and seen[a]:
                            weight[lane, a] += c
                            reward[lane, a] += won * c
            if all_:
                seed = _add_values(
                    all_, values, two, chance, seen, seed, source, &known, &weight[lane, 0], &reward[lane, 0], won
                )


cdef inline uint64_t _add_values(
    int64_t n,
    Py_ssize_t values,
    const int64_t *two,
    const double *chance,
    const uint8_t *seen,
    uint64_t seed,
    bitgen_t *source,
    binomial_t *known,
    double *weight,
    double *reward,
    bint won,
) noexcept nogil:
    """Adds how often the values of variables other than the causes occur in n rounds of one lane; returns the next seed."""
    cdef Py_ssize_t k, one, other
    cdef double second, first
    for k in range(values):
        second = <double>binomial_number(n, chance[k], &seed, source, known)
        first = n - second
        one, other = two[2 * k], two[2 * k + 1]
        if seen[other]:
            weight[other] += second
            if won:
                reward[other] += second
        if seen[one]:
            weight[one] += first
            if won:
                reward[one] += first
    return seed


cdef class Lanes:
    """Memory for the rounds of do() in some lanes, kept from one block to the next."""

    cdef int64_t[::1] watched
    cdef int64_t[:, ::1] counts

    def __init__(self, SeenLaw law, Py_ssize_t lanes):
        self.watched = np.zeros(lanes, np.int64)
        self.counts = np.zeros((lanes, 2 * law.match.shape[0]), np.int64)


def add_seen_round(
    SeenLaw law,
    Lanes lanes,
    const int64_t[::1] chosen,
    rng,
    double[:, ::1] weight,
    double[:, ::1] reward,
    double[:, ::1] played,
):
    """Plays one round of `chosen` (int[L]) in each lane and adds it to the sums of `Seen` and the plays (float[L, A])."""
    cdef bitgen_t *source = bits(rng)
    cdef binomial_t known
    cdef Py_ssize_t lane, a
    cdef Py_ssize_t watch = 0
    cdef uint64_t seed
    memset(&known, 0, sizeof(binomial_t))
    with rng.bit_generator.lock, nogil:
        for lane in range(chosen.shape[0]):
            played[lane, chosen[lane]] += 1
            lanes.watched[lane] = chosen[lane] == law.watching
            watch += lanes.watched[lane]
        if watch < chosen.shape[0]:
            seed = source.next_uint64(source.state)
            for lane in range(chosen.shape[0]):
                a = chosen[lane]
                if a != law.watching:
                    weight[lane, a] += 1
                    reward[lane, a] += binomial_number(1, law.means[a], &seed, source, &known)
        if watch:
            _watch(law, lanes.watched, lanes.counts, source, weight, reward)


cdef inline Py_ssize_t _best(
    const double *value, double near, const uint8_t[::1] contenders, uint32_t key, const uint32_t[::1] label
) noexcept nogil:
    """The contender with the largest value, as `argmax` has it; values up to `near` below it are equal."""
    cdef Py_ssize_t a
    cdef Py_ssize_t best = -1
    cdef double most = -INFINITY
    cdef uint32_t order
    cdef uint32_t last = 0
    for a in range(contenders.shape[0]):
        if contenders[a] and value[a] > most:
            most = value[a]
    most -= near
    for a in range(contenders.shape[0]):
        if contenders[a] and value[a] >= most:
            order = tie_order(key, label[a])
            if best < 0 or order > last:
                best, last = a, order
    return best


cdef double _lowest(const double *value, Py_ssize_t size, int64_t wanted) noexcept nogil:
    """A number that so many of these different random numbers from 0 to 1 are below."""
    cdef double low = 0.0
    cdef double high = 1.0
    cdef double middle = <double>wanted / size
    cdef int64_t below = -1
    cdef Py_ssize_t a
    while below != wanted and low < middle < high:
        below = 0
        for a in range(size):
            below += value[a] < middle
        if below < wanted:
            low = middle
        else:
            high = middle
        if below != wanted:
            middle = 0.5 * (low + high)
    return middle


def watch_then_act(
    SeenLaw law,
    const uint8_t[::1] contenders,
    int64_t first,
    int64_t second,
    const uint64_t[::1] key,
    const uint32_t[::1] label,
    rng,
    double[:, :, ::1] sums,
    int64_t[::1] best,
):
    """Plays Algorithm 1 with its defaults and writes what each lane keeps into best (int[L]).

    `first` rounds of do(), then `second` rounds of the actions that were rarely seen, or of do() where there are none.
    `sums` is memory, zeros in float[2, L, A].
    """
    cdef bitgen_t *source = bits(rng)
    cdef binomial_t known
    cdef Py_ssize_t lanes = best.shape[0]
    cdef Py_ssize_t actions = contenders.shape[0]
    cdef Py_ssize_t lane, a, k
    cdef double[:, ::1] weight = sums[0]
    cdef double[:, ::1] reward = sums[1]
    cdef uint8_t[:, ::1] rare = np.empty((lanes, actions), np.uint8)
    cdef int64_t[::1] sizes = np.zeros(lanes, np.int64)
    cdef uint8_t[:, ::1] more = np.zeros((lanes, actions), np.uint8)
    cdef double[:, ::1] own = np.empty((2, actions))
    cdef double[::1] common = np.empty(actions)  # 1 for do() and for whoever cannot be the best: they are never rare
    cdef Lanes rounds = Lanes(law, lanes)
    cdef int64_t counted = 0
    cdef int64_t each, over, size
    cdef double watched, limit, drawn
    cdef bint some_left = False
    cdef bint some_rare = False
    cdef bint none_rare = False
    cdef uint64_t seed
    memset(&known, 0, sizeof(binomial_t))
    for a in range(actions):
        counted += contenders[a] and a != law.watching
        common[a] = 0.0 if contenders[a] and a != law.watching else 1.0
    with rng.bit_generator.lock, nogil:
        for lane in range(lanes):
            rounds.watched[lane] = first
        _watch(law, rounds.watched, rounds.counts, source, weight, reward)
        for lane in range(lanes):
            watched = max(weight[lane, law.watching], 1.0)
            for a in range(actions):
                own[0, a] = weight[lane, a] / watched
                own[0, a] = max(own[0, a], common[a])
            limit, size = 1.0 / difficulty_of(&own[0, 0], actions, counted), 0
            for a in range(actions):
                rare[lane, a] = own[0, a] < limit
                size += rare[lane, a]
            sizes[lane] = size
            if size:
                some_rare = True
                some_left |= second % size != 0
            else:
                none_rare = True
            rounds.watched[lane] = 0 if size else second
        if some_left:
            for lane in range(lanes):
                size, k = sizes[lane], 0
                for a in range(actions):
                    drawn = source.next_double(source.state)
                    own[0, a] = drawn
                    own[1, k] = drawn
                    k += rare[lane, a]
                over = second % size if size else 0
                if over:
                    limit = _lowest(&own[1, 0], size, over)
                    for a in range(actions):
                        more[lane, a] = rare[lane, a] and own[0, a] < limit
        if some_rare:
            seed = source.next_uint64(source.state)
            for lane in range(lanes):
                each = second // sizes[lane] if sizes[lane] else 0
                for a in range(actions):
                    if rare[lane, a]:
                        weight[lane, a] += each + more[lane, a]
                        reward[lane, a] += binomial_number(each + more[lane, a], law.means[a], &seed, source, &known)
        if none_rare:
            _watch(law, rounds.watched, rounds.counts, source, weight, reward)
        for lane in range(lanes):
            for a in range(actions):
                own[0, a] = reward[lane, a] / max(weight[lane, a], 1.0) - (INFINITY if weight[lane, a] == 0 else 0)
            best[lane] = _best(&own[0, 0], 0.0, contenders, tie_key(key[lane], 2), label)


def weigh_all(
    const int64_t[:, ::1] plays,
    const int64_t[::1] start,
    double[::1] cells,
    const int64_t[::1] entries,
    const int64_t[::1] column,
    const double[::1] share,
    const int64_t[::1] group,
    const double[:, ::1] factor,
    const int64_t[:, ::1] two,
    const double[::1] chance,
    const uint8_t[::1] contenders,
    double near,
    const uint64_t[::1] key,
    const uint32_t[::1] label,
    rng,
    double[:, :, ::1] sums,
    int64_t[::1] best,
):
    """Plays Algorithm 2 with its defaults and writes what each lane keeps into best (int[L]).

    The B actions of the design are played int[L, B] times. Those of b fall into the classes from start[b] on; `cells` holds
    for each action P(class and success), then P(class and failure), or P(success) twice where there is one class. A round of
    class c has the weights `share` towards the actions `column`, from entries[c] on. Rounds of a group of classes (group[c],
    -1 for none) weigh `factor` (float[G, A]) towards the actions `two` (int[K, 2]) of passive variables, whose second value
    has the probability `chance` (float[K]). `sums` is memory, zeros in float[2, L, A].
    """
    cdef bitgen_t *source = bits(rng)
    cdef binomial_t known
    cdef Py_ssize_t lanes = best.shape[0]
    cdef Py_ssize_t actions = contenders.shape[0]
    cdef Py_ssize_t all_ = group.shape[0]
    cdef Py_ssize_t groups = factor.shape[0]
    cdef Py_ssize_t lane, a, b, c, k, g, size, of_won
    cdef Py_ssize_t values = two.shape[0]
    cdef int64_t n
    cdef double drawn, first, second
    cdef double *of_weight
    cdef double *of_reward
    cdef uint64_t seed = 0
    cdef int32_t[:, ::1] won = np.zeros((lanes, all_), np.int32)
    cdef int32_t[:, ::1] lost = np.zeros((lanes, all_), np.int32)
    cdef int64_t[::1] both = np.zeros(2 * all_, np.int64)
    cdef double[:, ::1] weight = sums[0]
    cdef double[:, ::1] reward = sums[1]
    cdef double[::1] mean = np.empty(actions)
    memset(&known, 0, sizeof(binomial_t))
    with rng.bit_generator.lock, nogil:
        for b in range(plays.shape[1]):
            size, c = start[b + 1] - start[b], start[b]
            if size == 1:
                seed = source.next_uint64(source.state)
            for lane in range(lanes):
                n = plays[lane, b]
                if size == 1:
                    won[lane, c] = <int32_t>binomial_number(n, cells[2 * c], &seed, source, &known)
                    lost[lane, c] = <int32_t>n - won[lane, c]
                elif n:
                    memset(&both[0], 0, 2 * size * sizeof(int64_t))
                    random_multinomial(source, n, &both[0], &cells[2 * c], 2 * size, &known)
                    for k in range(size):
                        won[lane, c + k], lost[lane, c + k] = <int32_t>both[k], <int32_t>both[size + k]
        for lane in range(lanes):
            for c in range(all_):
                n = won[lane, c] + lost[lane, c]
                if n:
                    for k in range(entries[c], entries[c + 1]):
                        weight[lane, column[k]] += n * share[k]
                        reward[lane, column[k]] += won[lane, c] * share[k]
        for g in range(groups if values else 0):
            for of_won in range(1, -1, -1):
                seed = source.next_uint64(source.state)
                for lane in range(lanes):
                    n = 0
                    for c in range(all_):
                        if group[c] == g:
                            n += won[lane, c] if of_won else lost[lane, c]
                    if not n:
                        continue
                    of_weight, of_reward = &weight[lane, 0], &reward[lane, 0]
                    for k in range(values):
                        drawn = <double>binomial_number(n, chance[k], &seed, source, &known)
                        a, b = two[k, 0], two[k, 1]
                        first, second = (n - drawn) * factor[g, a], drawn * factor[g, b]
                        of_weight[a] += first
                        of_weight[b] += second
                        if of_won:
                            of_reward[a] += first
                            of_reward[b] += second
        for lane in range(lanes):
            for a in range(actions):
                mean[a] = reward[lane, a] / weight[lane, a] if weight[lane, a] > 0 else -INFINITY
            best[lane] = _best(&mean[0], near, contenders, tie_key(key[lane], 1), label)


cdef void _drop_one(
    int32_t *alive, int32_t *sums, Py_ssize_t size, uint32_t key, const uint32_t[::1] label
) noexcept nogil:
    """Drops the action with the smallest sum, of equal ones the first in the order of ties."""
    cdef Py_ssize_t a
    cdef Py_ssize_t last = 0
    cdef uint64_t rank
    cdef uint64_t least = ~<uint64_t>0
    for a in range(size):
        rank = (<uint64_t>sums[a] << 32) | tie_order(key, label[alive[a]])
        if rank < least:
            least, last = rank, a
    for a in range(last, size - 1):
        alive[a], sums[a] = alive[a + 1], sums[a + 1]


cdef void _drop(
    int32_t *alive,
    int32_t *sums,
    uint32_t *labels,
    int32_t *order,
    Py_ssize_t size,
    Py_ssize_t keep,
    uint32_t key,
    const uint32_t[::1] label,
) noexcept nogil:
    """Keeps the `keep` actions with the largest sums, of equal ones those last in the order of ties.

    `labels` and `order` are memory for one number more than there are actions.
    """
    cdef Py_ssize_t a
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t k = 0
    cdef int32_t level = sums[0]
    cdef int32_t drop = <int32_t>(size - keep)
    cdef int32_t low = -(<int32_t>1 << 30) * 2
    cdef int32_t high = ~low
    cdef int32_t lower = 0
    cdef int32_t middle, equal, below, now, one
    for a in range(size):
        level = min(level, sums[a])
    while True:  # the level that some are dropped from: fewer than `drop` have less, and with it there are enough
        below = 0
        for a in range(size):
            below += sums[a] <= level
        if below >= drop:
            break
        lower, level = below, level + 1
    equal, drop = below - lower, drop - lower
    if drop == equal:
        for a in range(size):  # all of them go, and no other
            now, one = sums[a], alive[a]
            alive[kept], sums[kept] = one, now
            kept += now > level
        return
    for a in range(size):
        labels[k] = label[alive[a]]
        k += sums[a] == level
    for a in range(equal):
        order[a] = <int32_t>(tie_order(key, labels[a]) ^ <uint32_t>0x80000000)
    middle = <int32_t>(low + 4294967296.0 * drop / (equal + 1))
    while True:  # bisection for a number that so many of those at the level are below
        below = 0
        for a in range(equal):
            below += order[a] < middle
        if below < drop:
            low = middle
        elif below > drop:
            high = middle
        else:
            break
        middle = <int32_t>((<int64_t>low + high) // 2)
    k = 0
    for a in range(size):
        now, one = sums[a], alive[a]
        alive[kept], sums[kept] = one, now
        kept += (now > level) | ((now == level) & (order[k] >= middle))
        k += now == level


cdef inline uint64_t _play(
    int32_t *sums,
    const int32_t *alive,
    Py_ssize_t size,
    int64_t plays,
    const double *means,
    const uint8_t *fair,
    uint64_t seed,
    bitgen_t *source,
    binomial_t *known,
) noexcept nogil:
    """Adds the successes of so many plays of each action still in; returns the next seed.

    `fair` says which actions succeed as often as they fail, and nothing where so many coins are not flipped one by one.
    """
    cdef Py_ssize_t a
    cdef int64_t rest = 64 - plays
    for a in range(size):
        if not fair[alive[a]]:
            sums[a] += <int32_t>binomial_number(plays, means[alive[a]], &seed, source, known)
        elif rest < 0:
            sums[a] += <int32_t>heads(plays, &seed)
        else:  # the same in one step
            seed = after(seed, 1)
            sums[a] += <int32_t>ones(mixed(seed) >> rest)
    return seed


def play_some(
    const double[::1] means,
    const uint8_t[::1] contenders,
    int64_t rounds,
    const uint64_t[::1] key,
    const uint32_t[::1] label,
    rng,
    int64_t[::1] best,
):
    """Plays so many different contenders once each, all of them at most, and writes what each lane keeps into best (int[L])."""
    cdef bitgen_t *source = bits(rng)
    cdef binomial_t known
    cdef Py_ssize_t lanes = best.shape[0]
    cdef Py_ssize_t actions = contenders.shape[0]
    cdef Py_ssize_t lane, a, k
    cdef Py_ssize_t size = 0
    cdef double limit
    cdef uint64_t seed
    cdef uint8_t[:, ::1] chosen = np.empty((lanes, actions), np.uint8)
    cdef double[:, ::1] own = np.zeros((2, actions))
    memset(&known, 0, sizeof(binomial_t))
    for a in range(actions):
        size += contenders[a]
    with rng.bit_generator.lock, nogil:
        for lane in range(lanes):
            limit = 1.0
            if rounds < size:
                k = 0
                for a in range(actions):
                    own[0, a] = source.next_double(source.state)
                    own[1, k] = own[0, a]
                    k += contenders[a]
                limit = _lowest(&own[1, 0], size, rounds)
            for a in range(actions):
                chosen[lane, a] = contenders[a] and own[0, a] < limit
        seed = source.next_uint64(source.state)
        for lane in range(lanes):
            for a in range(actions):
                own[0, a] = -INFINITY
                if chosen[lane, a]:
                    own[0, a] = <double>binomial_number(1, means[a], &seed, source, &known)
            best[lane] = _best(&own[0, 0], 0.0, contenders, tie_key(key[lane], 1), label)


def reject(
    const double[::1] means,
    const int64_t[::1] contenders,
    const int64_t[:, ::1] schedule,
    const uint64_t[::1] key,
    const uint32_t[::1] label,
    rng,
    int32_t[:, :, ::1] memory,
    int64_t[::1] best,
):
    """Plays phases of a schedule (int[P, 2]: plays of each action still in, how many to keep), the last of which keeps one.

    What each lane keeps is written into best (int[L]). `memory` is zeros in int[2, L, A].
    """
    cdef bitgen_t *source = bits(rng)
    cdef binomial_t known
    cdef Py_ssize_t lanes = best.shape[0]
    cdef Py_ssize_t size = contenders.shape[0]
    cdef Py_ssize_t lane, a, phase, keep
    cdef int64_t plays
    cdef const uint8_t *coins
    cdef uint64_t seed
    cdef int32_t[:, ::1] sums = memory[0]
    cdef int32_t[:, ::1] alive = memory[1]
    cdef uint32_t[::1] labels = np.empty(size + 1, np.uint32)
    cdef int32_t[::1] order = np.empty(size + 1, np.int32)
    cdef uint8_t[:, ::1] fair = np.zeros((2, means.shape[0]), np.uint8)  # in the second row nobody
    memset(&known, 0, sizeof(binomial_t))
    with rng.bit_generator.lock, nogil:
        for a in range(means.shape[0]):
            fair[0, a] = means[a] == 0.5
        for lane in range(lanes):
            for a in range(size):
                alive[lane, a] = <int32_t>contenders[a]
        for phase in range(schedule.shape[0]):
            seed, plays, keep = source.next_uint64(source.state), schedule[phase, 0], min(size, schedule[phase, 1])
            coins = &fair[0 if 0 < plays <= MOST_COINS else 1, 0]
            for lane in range(lanes):
                seed = _play(&sums[lane, 0], &alive[lane, 0], size, plays, &means[0], coins, seed, source, &known)
                if keep == size - 1:
                    _drop_one(&alive[lane, 0], &sums[lane, 0], size, tie_key(key[lane], phase + 1), label)
                elif keep < size:
                    _drop(
                        &alive[lane, 0], &sums[lane, 0], &labels[0], &order[0], size, keep, tie_key(key[lane], phase + 1), label
                    )
            size = keep
        for lane in range(lanes):
            best[lane] = alive[lane, 0]
