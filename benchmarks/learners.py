"""The paper's simulations by sums, compared with a plain round-by-round implementation; causal top-two; sampling rows."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks import networks, reference
from benchmarks.timing import Row, cpu
from bestdo import Actions
from bestdo.experiments import experiment
from bestdo.learners import learner
from bestdo.learners.causal_thompson import CausalThompson
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import chain, confounded, paper_parallel, parallel, play

LANES = 10_000
GOALS = {  # the plain implementation, how often it is run, and the ratio to reach
    "algorithm-1-as-in-authors-code": (reference.algorithm_1, 20, 300),
    "algorithm-2-as-in-authors-code": (reference.algorithm_2, 5, 2000),
    "successive-rejects": (reference.successive_rejects, 20, 200),
}
BEFORE = {  # µs of a round and lane as it was before the belief in families, and how many times that is allowed
    "3 causes": (lambda: parallel([0.4] * 3), 17.3, 1),
    "5 causes": (lambda: parallel([0.4] * 5), 39.0, 1),
    "6 causes": (lambda: parallel([0.4] * 6), 5.1, 1),
    "8 causes": (lambda: parallel([0.4] * 8), 4.7, 3),
    "50 causes": (lambda: parallel([0.4] * 50), 25.4, 1),
    "a chain of 5": (lambda: chain(5, copy=0.9, first=0.4), 18.7, 1),
    "a chain of 50": (lambda: chain(50), 135.4, 1),
    "4 causes with a common one": (lambda: confounded([0.1, 0.1, 0.4, 0.4], [0.3, 0.3, 0.7, 0.7]), 34.6, 1),
}
COLUMNS = {"12 causes, 79 columns": 12, "19 causes, 191 columns": 19, "60 causes, 61 columns": 60}
"""Causes of the reward that are believed in columns; 150 µs are wanted where they are 60, or columns 200."""
PANELS = ("regret-vs-m", "regret-vs-horizon", "regret-vs-horizon-small-gap")


def rows() -> Iterator[Row]:
    """One simulation at three horizons, the paper's whole figure, causal top-two, and rows of the alarm network."""
    world, plain = paper_parallel(50, 2, 0.3), reference.Parallel(50, 2, 0.3)
    rng = np.random.default_rng(0)
    for name, (run, times, goal) in GOALS.items():
        made = learner(name)
        ours = cpu(lambda made=made: play(world, made, 400, LANES, seed=rng)) / LANES
        theirs = cpu(lambda run=run, times=times: [run(plain, 400, rng) for _ in range(times)], 3) / times
        yield Row(f"one simulation of {name}, T = 400", ours, "round by round", theirs, goal)
        before = 0.0
        for horizon in (4000, 40_000):
            longer = cpu(lambda made=made, horizon=horizon: play(world, made, horizon, LANES, seed=rng), 3) / LANES
            what = f"the same, T = {horizon:,}"
            if name == "successive-rejects":  # its cost grows with the number of phases, so also with the horizon
                theirs = cpu(lambda run=run, horizon=horizon: run(plain, horizon, rng), 2)
                yield Row(what, longer, "round by round", theirs, goal)
            else:
                theirs = before if before else cpu(lambda run=run, horizon=horizon: run(plain, horizon, rng), 1)
                beside = "bestdo at T = 4,000" if before else "round by round"
                yield Row(what, longer, beside, theirs, 0.8 if before else goal)
                before = longer

    def whole() -> None:
        for name in PANELS:
            for setting in experiment(name).settings:
                for made in (learner(n) for n in ("algorithm-1", "algorithm-2", "successive-rejects")):
                    play(setting.world, made, setting.horizon, LANES, seed=rng)

    yield Row("the paper's three panels, 10,000 simulations", cpu(whole, 1), "3 s allowed", 3, 1)

    top_two, hard = CausalTopTwo(law=False), paper_parallel(50, 20, 0.3)
    one = cpu(lambda: play(hard, top_two, 1000, 1, seed=rng), 3)
    yield Row("1,000 rounds of causal top-two, 101 actions, one at a time", one, "1 s allowed", 1, 1)
    many = cpu(lambda: play(hard, top_two, 400, LANES, seed=rng), 1)
    yield Row("10,000 simulations of causal top-two, T = 400, m = 20", many, "12 s allowed", 12, 1)

    yield from rounds_of_top_two()
    yield from rounds_in_columns()

    model = networks.ours("alarm").model
    assert model is not None
    actions = Actions.single(model.graph)
    plays = rng.integers(0, len(actions), size=100_000)
    seconds = cpu(lambda: model.sample(actions, plays, rng))
    yield Row("100,000 rows of alarm, another do() each", seconds, "5 M rows/s wanted", 100_000 / 5e6, 1)


def rounds_in_columns() -> Iterator[Row]:
    """A round and lane of causal top-two where causes are many, beside the regression that anybody can write."""
    top_two, regression, rng = CausalTopTwo(law=False), learner("regression-top-two"), np.random.default_rng(0)
    for what, causes in COLUMNS.items():
        made = parallel([0.4] * causes)
        rounds = 2 * len(made.problem.actions)
        ours = cpu(lambda made=made, n=rounds: play(made, top_two, n, 100, seed=rng, progress=False), 2) / rounds / 100
        theirs = cpu(lambda made=made, n=rounds: play(made, regression, n, 4, seed=rng, progress=False), 2) / rounds / 4
        what = f"a round and lane of causal top-two, {what}"
        yield Row(what, 1e6 * ours, "150 µs wanted", 150, 1, "µs")
        yield Row("", 1e6 * ours, "the regression with top-two draws", 1e6 * theirs, 1, "µs")


def rounds_of_top_two() -> Iterator[Row]:
    """A round and lane of causal top-two with the graph alone on worlds of all sizes, and its set-up on a large one."""
    top_two, rng = CausalTopTwo(law=False), np.random.default_rng(0)
    for what, (make, before, times) in BEFORE.items():
        made = make()
        actions = len(made.problem.actions)
        rounds, lanes = (actions, 40) if actions > 100 else (4 * actions, 200)
        each = cpu(lambda made=made, rounds=rounds, lanes=lanes: play(made, top_two, rounds, lanes, seed=rng), 3)
        what = f"a round and lane of causal top-two, {what}"
        yield Row(what, 1e6 * each / rounds / lanes, "as it was", before, 1 / times, "µs")
    for what in ("3 causes", "8 causes", "50 causes", "4 causes with a common one"):
        made = BEFORE[what][0]()
        rounds, lanes = (len(made.problem.actions), 40) if what == "50 causes" else (4 * len(made.problem.actions), 200)
        both = [
            1e6 * cpu(lambda one=one, made=made, n=rounds, k=lanes: play(made, one, n, k, seed=rng), 3) / rounds / lanes
            for one in (CausalThompson(law=False), top_two)
        ]
        yield Row(f"a round and lane of causal Thompson, {what}", both[0], "causal top-two", both[1], 1, "µs")
    large = replace(parallel([0.4] * 1000).problem, law=None)
    set_up = cpu(lambda: top_two.start(large, 1000, 1, rng), 1)
    yield Row("set-up of causal top-two, 1,000 variables, 2,001 actions", set_up, "2 s allowed", 2, 1)
