"""What each action tells where the graph is in doubt: draws of a graph and its tables, and what a round says of the graph."""

cdef Py_ssize_t _OUTCOMES = 2  # outcomes of a round that are drawn from each graph, for each action: see graph_gains


cdef class Candidates:
    """The graphs that are possible (`Layout` in beliefs/graph_layout.py), as pointers."""

    cdef object kept
    # the arrays that the pointers point into
    cdef list rooms
    # for each group of graphs the passes through a circuit that holds them all
    cdef list maps
    # for each group, int64[classes, cells of its tables]: which cell of all families each cell of the tables is
    cdef const int64_t *of
    cdef const int64_t *order
    cdef const int64_t *class_of
    cdef const int64_t *group
    cdef const int64_t *place
    cdef const int64_t *parents_at
    cdef const int64_t *parent
    cdef const int64_t *stride
    cdef const int16_t *setting
    cdef Py_ssize_t variables, actions, most_cells

    def __init__(self, layout):
        self.kept = layout
        self.rooms, self.maps = [Room(passes) for passes in layout.passes], list(layout.maps)
        self.of, self.order = ints(layout.of), ints(layout.order)
        self.class_of, self.group, self.place = ints(layout.class_of), ints(layout.group), ints(layout.place)
        self.parents_at, self.parent, self.stride = ints(layout.parents_at), ints(layout.parent), ints(layout.stride)
        self.setting = codes(layout.setting)
        self.variables, self.actions = layout.of.shape[1], len(layout.setting)
        self.most_cells = max([maps.shape[1] for maps in layout.maps])


cdef void _gather(const double *numbers, const int64_t *where, Py_ssize_t cells, double *out) noexcept nogil:
    cdef Py_ssize_t c
    for c in range(cells):
        out[c] = numbers[where[c]]


cdef Py_ssize_t _cell(Posterior post, Candidates graphs, Py_ssize_t f, const int64_t *x) noexcept nogil:
    """The first cell of the row of a family's table that these values (int[N]) are in."""
    cdef Py_ssize_t k
    cdef Py_ssize_t cell = post.start[f]
    for k in range(graphs.parents_at[f], graphs.parents_at[f + 1]):
        cell += graphs.stride[k] * x[graphs.parent[k]]
    return cell


cdef void _draw_outcome(
    Posterior post, Candidates graphs, Py_ssize_t graph, Py_ssize_t action, const double *table, const double *u, int64_t *x
) noexcept nogil:
    """The values of all variables (int[N]) in a round of an action, drawn with these uniform numbers (float[N])."""
    cdef Py_ssize_t k, v, f, value, cell
    cdef double left
    for k in range(graphs.variables):
        v = graphs.order[graph * graphs.variables + k]
        if graphs.setting[action * graphs.variables + v] >= 0:
            x[v] = graphs.setting[action * graphs.variables + v]
            continue
        f = graphs.of[graph * graphs.variables + v]
        cell, value, left = _cell(post, graphs, f, x), 0, u[v]
        while value < post.values[f] - 1 and left >= table[cell + value]:
            left -= table[cell + value]
            value += 1
        x[v] = value


cdef double _likelihood(
    Posterior post, Candidates graphs, Py_ssize_t graph, Py_ssize_t action, const double *table, const int64_t *x
) noexcept nogil:
    """The probability of these values in a round of an action, if the graph is this one."""
    cdef Py_ssize_t v, f
    cdef double found = 1.0
    for v in range(graphs.variables):
        if graphs.setting[action * graphs.variables + v] < 0:
            f = graphs.of[graph * graphs.variables + v]
            if f != post.number:
                found *= table[_cell(post, graphs, f, x) + x[v]]
    return found


cdef void graph_gains(
    Posterior post,
    Candidates graphs,
    Py_ssize_t distinct,
    const int64_t *graph,
    const double *share,
    Py_ssize_t pairs,
    const double *apart,
    const double *table,
    bitgen_t *rng,
    double *u,
    int64_t *x,
    double *posterior,
    double *out,
) noexcept nogil:
    """Adds to each action what a round of it is expected to tell, about differences of means, by telling graphs apart.

    Of some distinct graphs with their shares, `apart` (float[pairs, distinct]) is what each difference is in each of them,
    less its average over all. After an outcome o the expectation of a difference is its average by P(graph | o); the
    variance of this, over outcomes, is by how much the variance of the difference falls. Outcomes are drawn from each graph,
    with the same uniform numbers for all actions.
    """
    cdef Py_ssize_t e, d, o, a, p, k
    cdef Py_ssize_t n = graphs.variables
    cdef double total, moved, told
    for k in range(distinct * _OUTCOMES * n):
        u[k] = _uniform(rng)
    for a in range(graphs.actions):
        told = 0.0
        for e in range(distinct):
            for o in range(_OUTCOMES):
                _draw_outcome(post, graphs, graph[e], a, table, u + (e * _OUTCOMES + o) * n, x)
                total = 0.0
                for d in range(distinct):
                    posterior[d] = share[d] * _likelihood(post, graphs, graph[d], a, table, x)
                    total += posterior[d]
                for p in range(pairs):
                    moved = 0.0
                    for d in range(distinct):
                        moved += posterior[d] * apart[p * distinct + d]
                    told += share[e] / _OUTCOMES * (moved / total) * (moved / total)
        out[a] += told


def told_in_doubt(
    layout,
    families,
    const double[:, ::1] counts,
    const double[:, ::1] predicted,
    const int64_t[:, ::1] drawn,
    const int64_t[::1] among,
    Py_ssize_t pairs,
    rng,
    double[:, ::1] out,
):
    """Which share of the variance of differences a round of each action removes, summed over pairs: float[L, A].

    In each lane graphs were drawn (int[L, S]) by their probability. A pair is the best and the second best of the contenders
    `among` (int[C]) under one of the first so many graphs and tables drawn for it. The variance of their difference is
    that of the tables in this graph, as in `told_by_circuit`, plus that of the expected difference between the graphs drawn;
    a round removes some of both. `predicted` (float[L, cells]) are the probabilities of values that graphs are rated by.
    """
    cdef Posterior post = Posterior(families)
    cdef Candidates graphs = Candidates(layout)
    cdef bitgen_t *source = bits(rng)
    cdef Room room
    cdef Py_ssize_t lane, s, e, k, c, a, p, v, distinct, own, where
    cdef Py_ssize_t draws = drawn.shape[1]
    cdef Py_ssize_t cells = post.cell_count
    cdef Py_ssize_t actions = graphs.actions
    cdef Py_ssize_t[2] two
    cdef double whole, mean_apart, between, scale
    cdef double[:, ::1] in_families = np.zeros((3, cells))
    cdef double[:, ::1] in_tables = np.zeros((5, graphs.most_cells))
    cdef double[:, ::1] mean_of = np.zeros((draws, actions))
    cdef double[::1] found = np.zeros(actions)
    cdef double[::1] share = np.zeros(draws)
    cdef double[:, ::1] apart = np.zeros((pairs, draws))
    cdef double[::1] flat = np.zeros(pairs * draws)
    cdef double[::1] uniform = np.zeros(draws * _OUTCOMES * graphs.variables)
    cdef double[::1] posterior = np.zeros(draws)
    cdef int64_t[::1] which = np.zeros(draws, np.int64)
    cdef int64_t[::1] graph = np.zeros(draws, np.int64)
    cdef int64_t[::1] x = np.zeros(graphs.variables, np.int64)
    cdef double *mean = &in_families[0, 0]
    cdef double *table = &in_families[1, 0]
    cdef double *slope = &in_families[2, 0]
    cdef double *own_mean = &in_tables[0, 0]
    cdef double *own_table = &in_tables[1, 0]
    cdef double *one = &in_tables[2, 0]
    cdef double *other = &in_tables[3, 0]
    cdef double *worth = &in_tables[4, 0]
    cdef const int64_t *at
    cdef int64_t[:, ::1] maps
    _fits(counts.shape[0] == out.shape[0] == drawn.shape[0] == predicted.shape[0] and counts.shape[1] == post.told)
    _fits(predicted.shape[1] == cells and out.shape[1] == actions and pairs <= draws)
    with rng.bit_generator.lock:
        for lane in range(counts.shape[0]):
            update(post, &counts[lane, 0])
            mean_tables(post, False, mean)
            distinct = 0
            for s in range(draws):
                which[s] = distinct
                for e in range(distinct):
                    if graph[e] == drawn[lane, s]:
                        which[s] = e
                if which[s] == distinct:
                    graph[distinct], share[distinct] = drawn[lane, s], 0.0
                    distinct += 1
                share[which[s]] += 1.0 / draws
            for e in range(distinct if distinct > 1 else 0):
                own = graphs.class_of[graph[e]]
                room, maps = graphs.rooms[graphs.group[own]], graphs.maps[graphs.group[own]]
                _gather(mean, &maps[graphs.place[own], 0], room.given, own_mean)
                means(room, own_mean, &mean_of[e, 0])
            out[lane, :] = 0
            for p in range(pairs):
                where = graph[which[p]]
                own = graphs.class_of[where]
                room, maps = graphs.rooms[graphs.group[own]], graphs.maps[graphs.group[own]]
                at, k = &maps[graphs.place[own], 0], room.given
                for v in range(graphs.variables):
                    draw_table(post, graphs.of[where * graphs.variables + v], source, table)
                _gather(table, at, k, own_table)
                means(room, own_table, &found[0])
                _first_two(&found[0], among, source, &two[0], &two[1])
                _gather(mean, at, k, own_mean)
                slopes(room, own_mean, two[0], one)
                slopes(room, own_mean, two[1], other)
                memset(slope, 0, cells * sizeof(double))
                for c in range(k):
                    slope[at[c]] += one[c] - other[c]
                memset(post.less, 0, cells * sizeof(double))
                whole = 0.0
                for v in range(graphs.variables):
                    whole += gain_of_family(post, graphs.of[where * graphs.variables + v], slope)
                mean_apart = between = 0.0
                for e in range(distinct if distinct > 1 else 0):
                    apart[p, e] = mean_of[e, two[0]] - mean_of[e, two[1]]
                    mean_apart += share[e] * apart[p, e]
                for e in range(distinct if distinct > 1 else 0):
                    between += share[e] * (apart[p, e] - mean_apart) ** 2
                scale = whole + between
                for e in range(distinct):
                    flat[p * distinct + e] = (apart[p, e] - mean_apart) / sqrt(scale) if scale > _NOTHING else 0.0
                if scale > _NOTHING:
                    for c in range(k):
                        worth[c] = post.less[at[c]] / scale
                    expected(room, own_mean, worth, &found[0])
                    for a in range(actions):
                        out[lane, a] += found[a]
            if distinct > 1:
                graph_gains(
                    post, graphs, distinct, &graph[0], &share[0], pairs, &flat[0], &predicted[lane, 0], source,
                    &uniform[0], &x[0], &posterior[0], &out[lane, 0],
                )
