"""UCB-N, as somebody wrote it who had read docs/howto/your-own-learner.md and the paper alone."""

from dataclasses import dataclass

import numpy as np

from bestdo.learners import Seen, add_block, argmax, beside, best_mean, means, play_once, start_counts, wilson_estimates


@dataclass(frozen=True)
class UCBN:
    """UCB-N (Caron, Kveton, Lelarge & Bhagat, UAI 2012): UCB1 on all observations of an action, from any round.

    As published, every arm is played by its bound: so is do(), which shows others, though it can often not be the best.
    """

    start = staticmethod(start_counts)
    tell = staticmethod(add_block)
    beside = staticmethod(beside)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)

    def statistic(self, problem, horizon):
        return Seen(problem)

    def ask(self, state, request, rng):
        if not state.left.any():
            return None
        seen = state.tally.weight
        t = state.played.sum(axis=1, keepdims=True) + 1
        width = np.where(seen > 0, np.sqrt(2 * np.log(t) / np.maximum(seen, 1)), np.inf)
        bound = np.nan_to_num(means(state.tally)) + width
        return play_once([argmax(bound, state.ties, state.block, all_compete=True)], state)
