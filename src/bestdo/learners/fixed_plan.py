"""A fixed plan by Algorithm 2, with all rounds decided in advance, and the estimates from the rounds that were played."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import SLACK, Problem, require_law
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.errors import BestdoError, NotValid
from bestdo.learners.action_game import ActionGame
from bestdo.learners.algorithm_2 import GeneralAlgorithm

__all__ = ["affordable_rounds", "estimate_plan", "plan"]


def plan(
    problem: Problem, rounds: int, seed: int = 0, eta: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:  # int[T]
    """The index of the action of each round: a design, rounded to whole rounds, in a random order.

    The optimal design when no eta (float[A]) is given. The random order protects the estimates from changes over time.
    """
    if rounds < 1:
        raise BestdoError(f"a plan needs at least one round, not {rounds}")
    if problem.retired:
        raise NotValid(
            f"a fixed plan plays all actions, and {problem.retired[0]} is retired: leave it out of the actions"
        )
    rng = np.random.default_rng(seed)
    learner = GeneralAlgorithm() if eta is None else GeneralAlgorithm(eta=tuple(eta))
    problem = replace(problem, cost=None)  # the horizon is a number of rounds here
    block = learner.ask(learner.start(problem, rounds, 1, rng), Request(), rng)
    assert block is not None
    return np.asarray(rng.permutation(np.repeat(np.arange(len(problem.actions)), block.counts[0])))


def affordable_rounds(problem: Problem, budget: float, eta: NDArray[np.float64], seed: int = 0) -> int:
    """The number of rounds of a design (float[A]) that a budget pays for; a round costs 1 where there are no costs."""
    mean = float(eta @ problem.prices)
    rounds = int(budget / mean) + 1
    while rounds > 0 and problem.prices[plan(problem, rounds, seed, eta)].sum() > budget * (1 + SLACK):
        rounds -= 1
    if rounds < 1:
        raise BestdoError(f"a budget of {budget:g} does not pay for one round: on average a round costs {mean:g}")
    return rounds


def estimate_plan(problem: Problem, rounds: Rounds) -> tuple[int, Estimates]:
    """The best action and the estimates of all actions (one lane), from the rounds of a plan that were completed.

    As Algorithm 2, self-normalised, with one difference: rounds are weighted by how often each action really was played
    among the completed rounds, not by the design. So rounds may be lost, even more of one action than of another, as
    long as the loss does not depend on what would have been observed. A round in which a parent of the reward was not
    recorded is left out.
    """
    law = require_law(problem, "Algorithm 2")
    place = {n: i for i, n in enumerate(problem.graph.names)}
    whole = np.flatnonzero((rounds.x[:, [place[p] for p in law.parents]] >= 0).all(axis=1))
    if not whole.size:
        raise BestdoError("no round has the reward and all of its parents recorded: nothing can be estimated")
    rounds = rounds.pick(whole)
    problem = replace(problem, cost=None)
    counts = np.bincount(rounds.action, minlength=len(problem.actions))
    game = ActionGame(problem, GeneralAlgorithm(eta=tuple(counts / counts.sum())))
    horizon = len(rounds.action)
    state = game.start(horizon, 1, np.random.default_rng(0))
    state = game.tell(state, Plan(counts[None, :]), game.statistic(horizon).tally(rounds, 1))
    return int(game.best(state)[0]), game.estimates(state)
