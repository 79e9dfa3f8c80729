"""The paper's simulations by sums, compared with a plain round-by-round implementation; causal top-two; sampling rows."""

from collections.abc import Iterator

import numpy as np

from benchmarks import networks, reference
from benchmarks.timing import Row, cpu
from bestdo import Actions
from bestdo.experiments import experiment
from bestdo.learners import learner
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import paper_parallel, play

LANES = 10_000
GOALS = {  # the plain implementation, how often it is run, and the ratio to reach
    "algorithm-1-as-in-authors-code": (reference.algorithm_1, 20, 300),
    "algorithm-2-as-in-authors-code": (reference.algorithm_2, 5, 2000),
    "successive-rejects": (reference.successive_rejects, 20, 200),
}
PANELS = ("regret-vs-m", "regret-vs-horizon", "regret-vs-horizon-small-gap")


def rows() -> Iterator[Row]:
    """One simulation at three horizons, the paper's whole figure, causal top-two, and rows of the alarm network."""
    world, plain = paper_parallel(50, 2, 0.3), reference.Parallel(50, 2, 0.3)
    rng = np.random.default_rng(0)
    for name, (run, times, goal) in GOALS.items():
        made = learner(name)
        ours = cpu(lambda made=made: play(world, made, 400, LANES, rng)) / LANES
        theirs = cpu(lambda run=run, times=times: [run(plain, 400, rng) for _ in range(times)], 3) / times
        yield Row(f"one simulation of {name}, T = 400", ours, "round by round", theirs, goal)
        before = 0.0
        for horizon in (4000, 40_000):
            longer = cpu(lambda made=made, horizon=horizon: play(world, made, horizon, LANES, rng), 3) / LANES
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
                    play(setting.world, made, setting.horizon, LANES, rng)

    yield Row("the paper's three panels, 10,000 simulations", cpu(whole, 1), "30 s allowed", 30, 1)

    top_two, hard = CausalTopTwo(law=False), paper_parallel(50, 20, 0.3)
    play(hard, top_two, 10, 1, rng)  # compiles
    one = cpu(lambda: play(hard, top_two, 1000, 1, rng), 3)
    yield Row("1,000 rounds of causal top-two, 101 actions, one at a time", one, "1 s allowed", 1, 1)
    many = cpu(lambda: play(hard, top_two, 400, LANES, rng), 1)
    yield Row("10,000 simulations of causal top-two, T = 400, m = 20", many, "60 s on two cores allowed", 120, 1)

    model = networks.ours("alarm").model
    assert model is not None
    actions = Actions.single(model.graph)
    plays = rng.integers(0, len(actions), size=100_000)
    seconds = cpu(lambda: model.sample(actions, plays, rng))
    yield Row("100,000 rows of alarm, another do() each", seconds, "5 M rows/s wanted", 100_000 / 5e6, 1)
