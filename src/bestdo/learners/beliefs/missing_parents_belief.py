"""A belief on tables that also takes in rounds in which not every cause of the reward is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, final

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.tally import Tally
from bestdo.causal.graph_spaces import Listed, Ordered, Unordered
from bestdo.causal.graphs import OneGraph
from bestdo.learners.beliefs.belief import DRAWS, Question, summed_up
from bestdo.learners.beliefs.column_belief import of_one_graph
from bestdo.learners.beliefs.graph_belief import GraphBelief
from bestdo.learners.beliefs.parent_set_belief import ParentSetBelief
from bestdo.learners.beliefs.reward_rows import RewardRows, reward_rows
from bestdo.learners.beliefs.table_belief import TableBelief, draw_with_counts, known_mean
from bestdo.learners.beliefs.unordered_belief import UnorderedBelief
from bestdo.statistics.missing_parents import MissingParents

__all__ = ["MissingParentsBelief"]


_BELIEFS: dict[type, Callable[[Problem], TableBelief]] = {
    OneGraph: of_one_graph,
    Listed: GraphBelief,
    Ordered: ParentSetBelief,
    Unordered: UnorderedBelief,
}
"""The belief of each kind of possible graphs."""
_FEW = 64  # draws, to choose by; what is said rests on more


@final
@dataclass(frozen=True)
class MissingParentsBelief:
    """A belief on tables, with rounds that lack a cause of the reward counted for the actions they are as good as.

    What the tables say of an action's mean is taken as a Beta variable with its expectation and variance, to which
    such rounds add their successes and failures; draws keep their ranks, so that they depend on each other as before.
    Where the reward is a number it is taken as the mean of so many rounds as have its variance, and theirs are added.
    In candidate graphs in which a hidden variable causes the reward, means are by counts, which hold such rounds already.
    Where every round is whole, nothing changes.
    """

    whole: TableBelief
    shares_all: ClassVar[bool] = True

    @classmethod
    def of(cls, problem: Problem) -> MissingParentsBelief:
        """The belief on the tables of a graph, or of all possible graphs; raises NotValid or TooLarge where there is none."""
        return cls(_BELIEFS[type(problem.graphs.space)](problem))

    @cached_property
    def statistic(self) -> MissingParents:
        """The sums of the belief on tables, and those of rounds that lack a cause of the reward."""
        return MissingParents(self.whole.statistic)

    @cached_property
    def _reward_rows(self) -> RewardRows:
        return reward_rows(self.whole.problem.graph)

    def _drawn(
        self,
        whole: Tally,
        alone: Tally,
        played: Floats,
        lane: int,
        draws: int = _FEW,
        rng: np.random.Generator | None = None,
    ) -> tuple[Floats, Floats, Floats]:
        """Draws of one lane's means (float[D, A]); how many rounds the tables are worth, without and with the others.

        Such rounds add to draws by tables alone: draws by counts hold them already.

        The same for the same sums, unless there is a generator. The numbers of rounds are float[A] each.
        """
        rng = np.random.default_rng(0) if rng is None else rng
        drawn = self.whole.draw_tables(whole, lane, draws, rng)
        rounds_worth = partial(self.whole.beside.rounds_worth, whole, played)
        drawn, worth, rounds = self._reward_rows.with_rounds(drawn, alone, lane, rounds_worth)
        return draw_with_counts(self.whole, whole, lane, drawn, rng), worth, rounds

    def counted(self, tally: Tally) -> Floats:  # float[L, A]
        """The rounds that are as good as a round of each action, its plays included; those that lack a cause count, too."""
        whole, alone = self.statistic.apart(tally)
        return self.whole.beside.seen(whole).weight + alone.weight

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A joint draw of all means in each lane; of some, where rounds lack a cause of the reward, one at random."""
        whole, alone = self.statistic.apart(tally)
        drawn = self.whole.draw_by_lane(whole, played, rng)
        for lane in np.flatnonzero(alone.weight.any(axis=1)):
            some = self._drawn(whole, alone, played, int(lane), rng=rng)[0]
            drawn[lane] = some[rng.integers(len(some))]
        return drawn

    def drawn(self, tally: Tally, played: Floats, lane: int, draws: int) -> Floats:  # float[D, A]
        """Draws of one lane's means, the same for the same sums."""
        return self._drawn(*self.statistic.apart(tally), played, lane, draws)[0]

    def mean(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior expectations of the means."""
        whole, alone = self.statistic.apart(tally)
        mean = known_mean(self.whole, whole, played).copy()
        for lane in np.flatnonzero(alone.weight.any(axis=1)):
            _, worth, rounds = self._drawn(whole, alone, played, int(lane))
            mean[lane] = (mean[lane] * worth + alone.reward[lane]) / rounds
        return self.whole.beside.mean(whole, played, mean, self.whole.by_counts(whole))

    def information_gain(
        self, tally: Tally, played: Floats, asked: Question, rng: np.random.Generator
    ) -> Floats:  # float[L, A]
        """The information gain by the belief on tables, as if no value were missing in the next round.

        Where more than half of the rounds lack a cause of the reward, pairs are drawn from the counts of each action alone.
        """
        whole, alone = self.statistic.apart(tally)
        gain = self.whole.information_gain(whole, played, asked, rng)
        most = np.flatnonzero(2 * alone.weight.sum(axis=1) > self.whole.beside.seen(whole).weight.sum(axis=1))
        if len(most):
            gain[most] = self.whole.beside.gain(whole.lanes(most), played[most], asked, rng)
        return gain

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """The estimates of the belief on tables; from joint draws in lanes with rounds that lack a cause of the reward."""
        whole, alone = self.statistic.apart(tally)
        found = self.whole.estimates(whole, played)
        if not alone.weight.any():
            return found
        assert found.joint is not None
        mean, low, high, joint = self.mean(tally, played), found.low.copy(), found.high.copy(), found.joint.copy()
        spread = np.full_like(mean, np.nan)
        for lane in np.flatnonzero(alone.weight.any(axis=1)):
            low[lane], high[lane], spread[lane], joint[lane] = summed_up(
                self._drawn(whole, alone, played, int(lane), DRAWS)[0], self.whole.problem.contenders
            )
        seen = np.maximum(found.seen, alone.weight + np.maximum(found.seen - played, 0.0))
        if (mixed := (self.whole.by_counts(whole) > 0) & ~np.isnan(spread)).any():  # counts hold such rounds already
            worth = self.whole.beside.rounds_worth(whole, played, mean, spread) - self.whole.worth_before
            seen = np.where(mixed, np.maximum(np.minimum(seen, worth), played), seen)
        made = Estimates(mean, np.minimum(low, mean), np.maximum(high, mean), played, seen, joint)
        return self._reward_rows.within(made, self.whole.beside.seen(whole))
