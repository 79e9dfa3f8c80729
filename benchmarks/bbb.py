"""BBB on the network child with 5,000 rounds, and on ten variables: CPU time of a run beside what its authors report."""

import math
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row
from bestdo import Graph, Model, Problem, Variable, learner
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.research.figures.real_networks import network
from bestdo.simulate import World

ROUNDS, WATCHED, LANES = 5000, 3200, 2
"""Rounds and old rounds as in the authors' run on child; ours has fewer simulations."""
DAYS, RUNS = 7045, 70_000
"""CPU days of the authors' study by their README, and how many runs its scripts make: 35,000 on discrete networks of ten
variables and 35,000 on Gaussian ones, each of 5,000 rounds, by 44 algorithms, most of which know no graph."""


def rows() -> Iterator[Row]:
    """The CPU time of a run beside the authors' mean, and regrets beside Thompson sampling's."""
    theirs = DAYS * 86_400 / RUNS
    for name, world in (("child, 20 variables", child_of_two_values()), ("ten variables", ten_variables(0))):
        used, lost = _played(world, "bbb")
        yield Row(f"{name}: a run of BBB", used, "the mean run of the authors' study", theirs, 1, "s")
        _, plain = _played(world, "thompson")
        what = f"{name}: regret of BBB, ± {_error(lost):.1f}"
        yield Row(what, float(lost.mean()), f"Thompson, ± {_error(plain):.1f}", float(plain.mean()), 1, "")


def child_of_two_values() -> World:
    """The network child with two values a variable; the reward is the first of the leaf LowerBodyO2.

    Merged as in the authors' program: the two most probable values begin a group each, the others join, the least probable
    first, the group that is then less probable. Rows of a table that become one are averaged by how often their values
    occur by themselves.
    """
    model = network("child")
    graph, tables = model.graph, {}
    group: dict[str, np.ndarray] = {}
    chance: dict[str, np.ndarray] = {}
    for name in graph.order:
        table = model.tables[name]
        for axis, parent in reversed(list(enumerate(graph.parents[name]))):
            joined = []
            for k in (0, 1):
                own = group[parent] == k
                share = chance[parent][own] / chance[parent][own].sum()
                joined.append(np.tensordot(share, np.moveaxis(table, axis, 0)[own], axes=1))
            table = np.moveaxis(np.stack(joined), 0, axis)
        marginal = table
        for parent in graph.parents[name]:
            marginal = np.tensordot([chance[parent][group[parent] == k].sum() for k in (0, 1)], marginal, axes=1)
        order = np.argsort(marginal)
        groups = [[order[-2]], [order[-1]]]
        for value in order[:-2]:
            groups[int(np.argmin([marginal[g].sum() for g in groups]))].append(value)
        group[name] = np.array([int(value in groups[1]) for value in range(len(marginal))])
        chance[name] = marginal
        tables[name] = np.stack([table[..., group[name] == k].sum(axis=-1) for k in (0, 1)], axis=-1)
    variables = [Variable(name, ("0", "1")) for name in graph.names]
    two = Graph(variables, graph.parents, reward="LowerBodyO2", success="0")
    settable = [name for name in graph.names if name != two.reward]
    return World(Problem(two, set=settable), Model(two, tables))


def ten_variables(seed: int) -> World:
    """A random graph of ten variables of two values with up to three causes each; the reward is the last."""
    rng = np.random.default_rng(seed)
    names = [f"x{i}" for i in range(10)]
    parents = {
        n: tuple(rng.choice(names[:i], min(i, rng.integers(1, 4)), replace=False)) for i, n in enumerate(names) if i
    }
    graph = Graph([Variable(n, ("0", "1")) for n in names], parents, reward="x9", success="1")
    tables = {n: rng.dirichlet(np.ones(2), size=[2] * len(graph.parents[n])) for n in names}
    return World(Problem(graph, set=names[:-1]), Model(graph, tables))


def _error(found: np.ndarray) -> float:
    return float(found.std(ddof=1) / math.sqrt(len(found)))


def _played(world: World, name: str) -> tuple[float, np.ndarray]:
    """CPU seconds of a run, the simulation's own share included, and the regret summed over all rounds of each lane."""
    rng, made = np.random.default_rng(0), learner(name)
    begun = time.process_time()
    state = made.start(world.problem, ROUNDS, LANES, rng)
    statistic = made.statistic(world.problem, ROUNDS)
    watched = np.zeros((LANES, len(world.problem.actions)), np.int64)
    watched[:, [not action for action in world.problem.actions].index(True)] = WATCHED
    state = made.tell(state, Plan(np.zeros_like(watched)), statistic.tally(world.rounds(Plan(watched), rng), LANES))
    while (plan := made.ask(state, Request(), rng)) is not None:
        state = made.tell(state, plan, statistic.tally(world.rounds(plan, rng), LANES))
    lost = made.estimates(state).played @ (world.means.max() - world.means)
    return (time.process_time() - begun) / LANES, lost
