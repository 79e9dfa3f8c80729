"""The traits of a learner as data: what it can do beside the six functions that every learner has."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Traits"]


@dataclass(frozen=True)
class Traits:
    """The abilities of a learner; a learner without `traits` has none of these.

    Each trait stands for functions that the learner then has, beside those of `bestdo.bandit.learner.Learner`.
    """

    any_time: bool = False
    """`ask` looks at `request.out`, so that the learner can be asked while results are still to come. Its `tell` takes rounds
    one at a time in any order: the estimates depend on their sums alone."""
    chooses: bool = False
    """`ask` keeps to `request.allowed` and `request.about`, so that the learner can choose by context; it has `means(state)`,
    float[L, K], by which it recommends, and `draws(state, lane, draws)`, float[D, K], the same for the same sums."""
    races: bool = False
    """`ask` leaves actions out of its draws that are not in `request.race`."""
    questions: bool = False
    """`ask` also plays actions that may break a limit, by `request.doubt`, to learn whether they do."""
    informs: bool = False
    """Rounds are rated by their information about the best actions; a share of them, `check`, plays the apparent best."""
    believes: bool = False
    """The learner has `shares_all(state)`, whether every round teaches about every action, and `counted(state)`, float[L, K]:
    how many rounds are as good as a round of each action by the graph."""
    reasons: bool = False
    """The learner has `reason(state, action)`: why this action is in the plan that `ask` makes of the state, in the first
    lane, as half a sentence."""
    stops: bool = False
    """The learner can stop before its horizon, and has `certainty(state)`: a sentence that says how sure it is."""
    knows_old: bool = False
    """The learner has `with_old(rounds)`: the learner for so many old rounds of do()."""
    in_studies: bool = False
    """The learner has `in_study(until_sure)`: the learner as studies play it, where the graph may be wrong; with
    `until_sure`, the one that proves which action is the best."""
    in_contexts: bool = False
    """The learner has `in_contexts(problem)`: the learner for the contexts of a problem, where pairs alone are not enough."""
    block: int = 1
    """The number of rounds planned at once, where the learner chooses each by itself."""
