"""Means, intervals and chances of being best from joint draws of all means, for beliefs in tables."""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs.belief import DRAWS, summed_up
from bestdo.learners.beliefs.reward_rows import reward_rows
from bestdo.learners.beliefs.table_belief import TableBelief, draw, mean

__all__ = ["joint_estimates"]


def joint_estimates(belief: TableBelief, tally: Tally, played: Floats) -> Estimates:
    """Posterior means, with intervals and chances of being best from joint draws, the same for the same sums.

    For intervals, a share of an action's draws is from its own counts: the probability that it needs a row of a table
    that nobody saw. `seen` is how many rounds of the action alone would tell as much about its mean as all rounds did.
    """
    problem, beside = belief.problem, belief.beside
    centre, unseen, seen = mean(belief, tally, played), belief.unseen(tally), beside.seen(tally)
    low, high, spread, joint = (np.empty_like(centre) for _ in range(4))
    for lane in range(len(centre)):
        rng = np.random.default_rng(0)
        drawn = draw(belief, tally, lane, DRAWS, rng)
        _, _, spread[lane], joint[lane] = summed_up(drawn, problem.contenders)
        alone = rng.random(drawn.shape) < unseen[lane]
        drawn = np.where(alone, beside.counting.draw(seen, played, lane, DRAWS, rng), drawn)
        low[lane], high[lane] = summed_up(drawn, problem.contenders)[:2]
    told = tally.weight.any(axis=1, keepdims=True)
    worth = beside.rounds_worth(tally, played, centre, spread) - belief.worth_before
    rounds = np.where(told, np.maximum(worth, played), played)
    rows = reward_rows(problem.graph)
    rounds = rows.rounds_seen(rounds, np.maximum(belief.rounds_counted(tally), played))
    found = Estimates(centre, np.minimum(low, centre), np.maximum(high, centre), played, rounds, joint)
    return rows.within(found, seen)
