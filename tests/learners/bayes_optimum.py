"""The best that any learner can do on average over worlds whose tables are drawn flat, by dynamic programming."""

import itertools
import math

import numpy as np

from bestdo.simulate.world_batch import Worlds


def best_mean(problem, tables, rounds):
    """The expected mean of the action kept after so many rounds by the best policy; all variables have two values.

    `tables` are those that are known; the rows of the others are uniform. What is known after some rounds are the counts of
    the cells of the unknown tables, so the value of a policy is a recursion over counts.
    """
    graph = problem.graph
    start, size = {}, 0
    for name in graph.names:
        if name not in tables:
            start[name], size = size, size + 2 ** (len(graph.parents[name]) + 1)
    ways = [[_way(graph, tables, start, action, x) for x in _states(graph, action)] for action in problem.actions]
    found = {}

    def value(counts, left):
        known = found.get((counts, left))
        if known is None:
            mean = [(c + 1) / (c + counts[i ^ 1] + 2) for i, c in enumerate(counts)]
            known = 0.0
            for way in ways:
                total = 0.0
                for chance, cells, won in way:
                    chance *= math.prod(mean[i] for i in cells)
                    if not left:
                        total += chance * won
                    elif chance:
                        more = list(counts)
                        for i in cells:
                            more[i] += 1
                        total += chance * value(tuple(more), left - 1)
                known = max(known, total)
            found[counts, left] = known
        return known

    return value((0,) * size, rounds)


def _states(graph, action):
    """All states of all variables that agree with an action."""
    for x in itertools.product((0, 1), repeat=len(graph.names)):
        state = dict(zip(graph.names, x, strict=True))
        if all(graph.variable(n).values[state[n]] == v for n, v in action.items()):
            yield state


def _way(graph, tables, start, action, state):
    """How a state comes about: the chance by known tables, the cells of unknown ones, and whether it is a success."""
    chance, cells = 1.0, []
    for name in graph.names:
        if name in action:
            continue
        place = tuple(state[p] for p in (*graph.parents[name], name))
        if name in tables:
            chance *= float(tables[name][place])
        else:
            cells.append(start[name] + int(np.ravel_multi_index(place, (2,) * len(place))))
    return chance, tuple(cells), graph.variable(graph.reward).values[state[graph.reward]] == graph.success


def flat_worlds(problem, tables, lanes, rng):
    """A world for each lane: the known tables, and uniform rows in the others."""
    drawn = {}
    for name in problem.graph.names:
        chance = rng.random((lanes, *[2] * len(problem.graph.parents[name])))
        drawn[name] = tables[name] if name in tables else np.stack([1 - chance, chance], axis=-1)
    return Worlds(problem, lanes, drawn)
