"""Sums of rounds with importance weights, for the estimator of Algorithm 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem, require_law
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.summing import chunks, repeated, sum_by_lane

__all__ = ["Importance"]


@dataclass(frozen=True, eq=False)
class Importance:
    """A round counts towards action a with the weight P(x | a) / Q(x), cut at a limit; x is the state of the parents.

    Q is the mixture of the actions' laws by `eta`: the sums are valid only for rounds whose actions were drawn by `eta`.
    Needs `problem.law`. Algorithm 2 of the paper; R_a(X) there.
    """

    problem: Problem
    eta: Floats
    """float[A]: the probability with which each action is drawn."""
    limit: Floats | None = None
    """float[A]: B_a of the paper; None leaves the weights as they are."""
    zero_above: bool = True
    """Whether a weight above its limit counts as 0, as in the paper, or as the limit."""

    weighs_by_design: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_law(self.problem, "importance weighting")

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums of R, R², R × reward and so on for each action; rounds with a missing parent are left out."""
        law = require_law(self.problem, "importance weighting")
        place = {n: i for i, n in enumerate(self.problem.graph.names)}
        columns = [place[p] for p in law.parents]

        def of(part: Rounds) -> Tally:
            part = part.pick(np.flatnonzero((part.x[:, columns] >= 0).all(axis=1)))
            weight = self.cut(law.ratios(part.x[:, columns], self.eta))  # float[R, A]
            count = np.bincount(part.lane, part.times, minlength=lanes)[:, None] * np.ones(len(self.eta))
            y = part.y[:, None]
            lots = [weight, weight**2, weight * y, weight**2 * y]
            if y.dtype != np.bool_:
                lots += [weight * y**2, weight**2 * y**2]
            sums = (sum_by_lane(part.lane, repeated(lot, part), lanes) for lot in lots)
            return Tally(count, *sums)

        return Tally.total(map(of, chunks(rounds, len(self.eta))), lanes, len(self.eta))

    def cut(self, ratios: Floats) -> Floats:  # float[..., A]
        """The ratios after truncation."""
        if self.limit is None:
            return ratios
        return np.where(ratios <= self.limit, ratios, 0.0) if self.zero_above else np.minimum(ratios, self.limit)
