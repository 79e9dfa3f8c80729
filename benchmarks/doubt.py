"""Graphs in doubt: ask + tell with 64, 4,096 and 2^36 candidates and with nothing known; simulations."""

import itertools
import tempfile
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.study import one_round
from benchmarks.timing import Row, cpu
from bestdo import Doubts, Graph, Model, Problem, Variable, World
from bestdo.simulate import play
from bestdo.simulate.family_tables import drawn_tables
from bestdo.study import Study

VARIABLES = 10
ALLOWED = {6: 0.02, 12: 0.5, 36: 0.5}
"""CPU seconds that ask + tell may take, by the number of doubtful arrows; with 36 graphs are not listed."""
LANES = 200
UNKNOWN = (6, 8, 10)
"""Numbers of variables of which nothing is known, the reward among them."""
ALLOWED_UNKNOWN = 0.5
"""CPU seconds that ask + tell may take then."""


def doubtful(arrows: int) -> tuple[World, World]:
    """A chain of ten variables with so many doubtful arrows, half of them true, and the same world with the known graph."""
    rng = np.random.default_rng(19)
    names = [f"X{i}" for i in range(1, VARIABLES)] + ["Y"]
    chain = list(itertools.pairwise(names))
    others = [(a, b) for i, a in enumerate(names) for b in names[i + 2 :]]
    doubted = [others[i] for i in rng.permutation(len(others))[:arrows]]
    variables = [Variable(n) for n in names]
    truth = Graph.of(variables, [*chain, *doubted[::2]], reward="Y", success="1")
    tables = {n: drawn_tables((2,) * len(truth.parents[n]), 2, 1, rng)[0] for n in names}
    sure = Graph.of(variables, chain, reward="Y", success="1")
    problem = Problem(Doubts.of(sure, [(a, "?->", b) for a, b in doubted]))
    model = Model(truth, tables)
    return World(problem, model, mistaken=True), World(Problem(truth), model)


def unknown(size: int) -> World:
    """A chain of so many variables of which nothing is told, not even an order."""
    names = [f"X{i}" for i in range(1, size)] + ["Y"]
    variables = [Variable(n) for n in names]
    truth = Graph.of(variables, list(itertools.pairwise(names)), reward="Y", success="1")
    rng = np.random.default_rng(19)
    tables = {n: drawn_tables((2,) * len(truth.parents[n]), 2, 1, rng)[0] for n in names}
    bare = Graph.of(variables, [], reward="Y", success="1")
    doubts = Doubts.of(bare, [(a, "?-?", b) for a, b in itertools.combinations(names, 2)])
    return World(Problem(doubts), Model(truth, tables), mistaken=True)


def rows() -> Iterator[Row]:
    """Studies on SQLite, and simulations of 60 rounds."""
    for size in UNKNOWN:
        world = unknown(size)
        what = f"ask + tell, nothing known of {size} variables"
        yield Row(what, _study(world), f"{ALLOWED_UNKNOWN:g} s allowed", ALLOWED_UNKNOWN, 1)
        played = cpu(lambda w=world: play(w, "causal-top-two", 20, 2, seed=0, progress=False), 1) / 40
        yield Row(f"a simulated round, nothing known of {size} variables", played, "0.5 s allowed", 0.5, 1)
    for arrows, allowed in ALLOWED.items():
        world, known = doubtful(arrows)
        number = world.problem.doubts.count  # type: ignore[union-attr]
        yield Row(f"ask + tell, {number:,} candidates", _study(world), f"{allowed:g} s allowed", allowed, 1)
        if not world.problem.doubts.listed:  # type: ignore[union-attr]
            continue
        doubted, plain = (
            cpu(lambda w=w: play(w, "causal-top-two", 60, LANES, seed=0, progress=False), 3) for w in (world, known)
        )
        yield Row(
            f"{LANES} simulations, {number:,} candidates",
            doubted,
            "the known graph",
            plain,
            0.1 if arrows == 6 else 0.03,
        )


def _study(world: World) -> float:
    """CPU seconds of one ask + tell, on average over the 5th to the 30th round."""
    rows = np.random.default_rng(1)
    x = world.model.sample(world.actions, np.zeros(100, np.int64), rows)
    graph = world.problem.graph
    seen = [{n: graph.variable(n).values[row[i]] for i, n in enumerate(graph.names)} for row in x]
    with tempfile.TemporaryDirectory() as folder:
        study = Study.create(
            world.problem, 100, learner="causal-top-two", name="doubt", storage=f"sqlite:///{folder}/d.db"
        )
        for told in range(30):
            if told == 5:
                start = time.process_time()
            one_round(study, seen, told)
        return (time.process_time() - start) / 25
