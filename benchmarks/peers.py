"""Learners of other packages on worlds that they can play: summed regret and CPU time beside ours, in one run.

npsem 0.2.0 (Lee & Bareinboim's own code) plays arms with known means; causalrl 3.0.0 plays rounds with what is seen first.
Rewards are drawn by the true means of our worlds, so that all meet the same problem. Both packages are needed here alone, and
left out where they are missing:

    pip install git+https://github.com/sanghack81/SCMMAB-NIPS2018 causalrl==3.0.0
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Row
from bestdo.learners.kl_ucb import KLUCB
from bestdo.research.worlds.casinos import casino
from bestdo.research.worlds.confounded_worlds import front_door
from bestdo.research.worlds.earning_worlds import pomis_iv, pomis_xyzwst
from bestdo.simulate import World, play

ROUNDS, SIMULATIONS, OURS = 1_000, 60, 500
INSTALL = "pip install git+https://github.com/sanghack81/SCMMAB-NIPS2018 causalrl==3.0.0"
NO_GOAL = 0.0
"""The goal of rows about regrets: they are measured, and no claim is made."""


class Measured(NamedTuple):
    """The summed regret of one simulated study with its standard error, and what the study costs in CPU seconds."""

    regret: float
    error: float
    seconds: float


def rows() -> Iterator[Row]:
    yield from npsem_rows() if installed("npsem") else ()
    yield from causalrl_rows() if installed("causalrl") else ()


def installed(name: str) -> bool:
    """Whether a peer is there; says what to do where it is not."""
    there = find_spec(name) is not None
    if not there:
        print(f"{name} is not installed, and its rows are left out: {INSTALL}")
    return there


def npsem_rows() -> Iterator[Row]:
    """Thompson sampling and kl-UCB (npsem's has c = 3) on the arms of possibly-optimal sets, and ours that use the graph."""
    from npsem.bandits import kl_UCB, thompson_sampling

    for name, world in (("POMIS's instrument", pomis_iv("POMIS")), ("POMIS's XYZWST", pomis_xyzwst("POMIS"))):
        means = world.means
        for run, learners in ((thompson_sampling, ("thompson", "causal-thompson")), (kl_UCB, ("kl-ucb", KLUCB(c=3)))):
            measured = of_peer(partial(regret_of_arms, run, means))
            for learner in learners:
                yield from beside(name, world, learner, f"npsem's {run.__name__}", measured)


def causalrl_rows() -> Iterator[Row]:
    """Thompson sampling by context in MABUC's casinos, and over possibly-optimal sets at the front door."""
    from causalrl.agents.bandits import CausalThompsonSampling
    from causalrl.agents.scbandit import POMISThompsonSampling
    from causalrl.scm.graph import CausalGraph

    for name in ("greedy", "paradoxical"):
        world = casino(name)
        means, chance = world.means_by_context  # float[C, A], float[C]
        agent = partial(CausalThompsonSampling, means.shape[1], means.shape[0])
        measured = of_peer(partial(regret_of_agent, agent, means, chance))
        for learner in ("thompson", "mabuc"):
            yield from beside(f"MABUC's {name} casino", world, learner, "causalrl's causal Thompson", measured)
    world = front_door()
    graph = CausalGraph([("X", "M"), ("M", "Y")], [("X", "Y")])
    actions = [dict(a.items()) for a in world.problem.actions]
    agent = partial(POMISThompsonSampling, graph, "Y", actions, manipulable=["X", "M"])
    measured = of_peer(partial(regret_of_agent, agent, world.means[None], np.ones(1)))
    for learner in ("thompson", "causal-thompson"):
        yield from beside("the front door", world, learner, "causalrl's POMIS Thompson", measured)


def regret_of_arms(
    run: Callable[..., tuple[NDArray[np.int64], object]], means: NDArray[np.float64], seed: int
) -> float:
    """The summed regret of one simulation by npsem, which draws the rewards of arms with these means (float[A]) itself."""
    arms, _ = run(ROUNDS, means, seed=seed)
    return float((means.max() - means[arms]).sum())


def regret_of_agent(
    make: Callable[..., Any], means: NDArray[np.float64], chance: NDArray[np.float64], seed: int
) -> float:
    """The summed regret of an agent of causalrl that plays rounds with these means by context (float[C, A])."""
    rng, agent = np.random.default_rng([seed, 1]), make(seed=seed)
    contexts, luck, lost = rng.choice(len(chance), ROUNDS, p=chance), rng.random(ROUNDS), 0.0
    for context, lucky in zip(contexts.tolist(), luck.tolist(), strict=True):
        seen = {"intuition": context}
        action = agent.act(seen)
        agent.update(seen, action, float(lucky < means[context, action]))
        lost += float(means[context].max() - means[context, action])
    return lost


def of_peer(run: Callable[[int], float]) -> Measured:
    """The mean regret of a peer's simulations by their seeds, and their processor time."""
    started = time.process_time()
    regret = np.array([run(seed) for seed in range(SIMULATIONS)])
    return Measured(regret.mean(), regret.std() / np.sqrt(SIMULATIONS), (time.process_time() - started) / SIMULATIONS)


def beside(where: str, world: World, learner: str | KLUCB, other: str, theirs: Measured) -> Iterator[Row]:
    """Regret and time of one of our learners and of a peer's."""
    play(world, learner, 10, 10, measure="earned", progress=False)  # what is set up once is not measured
    started = time.process_time()
    regret = play(world, learner, ROUNDS, OURS, measure="earned", progress=False)
    seconds = (time.process_time() - started) / OURS
    what = f"{where}, {ROUNDS:,} rounds, {learner} ± {regret.std() / np.sqrt(OURS):.2f}"
    yield Row(what, float(regret.mean()), f"{other} ± {theirs.error:.2f}", theirs.regret, NO_GOAL, "lost")
    yield Row("the same, CPU of one simulation", seconds, other, theirs.seconds, 1)
