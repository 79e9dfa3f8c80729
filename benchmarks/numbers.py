"""Simulations with numbers as rewards, compared with the same worlds cut in two."""

from collections.abc import Iterator

from benchmarks.timing import Row, cpu
from bestdo.research.figures.number_worlds import cut_at_median, number_worlds
from bestdo.simulate import World, play

ALLOWED = 1.5
"""The ratio of the time of a simulation with numbers to one with successes that is allowed."""
WORLDS = (
    "parallel, 3 causes, normal, maximise",
    "parallel, 8 causes, normal, minimise",
    "tree, 6 causes, normal, minimise",
    "common cause, 10 causes, normal, maximise",
    "hidden cause, 10 causes, lognormal, minimise",
)


def seconds(world: World, learner: str, rounds: int, lanes: int) -> float:
    """CPU seconds of so many simulations."""
    return cpu(lambda: play(world, learner, rounds, lanes, seed=0), 3)


def rows() -> Iterator[Row]:
    """Top-two and causal top-two, 12 rounds for each action."""
    for name in WORLDS:
        world = number_worlds()[name]
        rounds = 12 * len(world.problem.actions)
        for learner, lanes in (("top-two", 1000), ("causal-top-two", 200)):
            numbers, values = (seconds(w, learner, rounds, lanes) for w in (world, cut_at_median(world)))
            yield Row(f"{learner}, {lanes} simulations, {name}", numbers, "cut in two", values, 1 / ALLOWED)
