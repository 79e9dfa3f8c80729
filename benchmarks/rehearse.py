"""Rehearsals, in which every lane has its own world, compared with playing one world after the other."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.timing import Row, cpu
from bestdo.data.compose import compose
from bestdo.simulate import play
from bestdo.usecases.rehearsal_worlds import prior_of
from bestdo.usecases.rehearse import rehearse

PROBLEM = compose(Path(__file__).parent.parent / "examples" / "farm.toml").problem
LEARNERS = ("causal-top-two", "algorithm-1", "algorithm-2", "sequential-halving")
ROUNDS = (20, 40, 80, 160)
WORLDS = 2000


def rows() -> Iterator[Row]:
    """The whole rehearsal of the farm, and three learners compared with a loop over worlds."""

    def whole() -> None:
        rehearse(PROBLEM, ROUNDS, LEARNERS, WORLDS)

    rehearse(PROBLEM, [5], LEARNERS, 10)  # compiles
    what = "rehearse the farm, 4 horizons × 4 learners × 2,000 worlds"
    yield Row(what, cpu(whole, 1), "20 s on two cores allowed", 40, 1)
    prior, rng = prior_of(PROBLEM), np.random.default_rng(0)
    for name, few in (("algorithm-1", 100), ("algorithm-2", 100), ("causal-top-two", 4)):

        def loop(name: str = name, few: int = few) -> None:
            worlds = prior.worlds(few, rng)
            for lane in range(few):
                play(worlds.one(lane), name, 160, 1, seed=rng)

        def at_once(name: str = name) -> None:
            play(prior, name, 160, WORLDS, seed=rng)

        ours, theirs = cpu(at_once, 2) / WORLDS, cpu(loop, 2) / few
        yield Row(f"one world of {name}, T = 160", ours, "one world after the other", theirs, 5)
