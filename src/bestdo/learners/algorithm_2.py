"""Algorithm 2 of the paper, the General Algorithm: a fixed design, and importance-weighted estimates from all rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.bandit.estimate import Estimates, deviations, from_weights, variance_of_rounds
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds, require_law
from bestdo.bandit.reach import reach_of
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.causal.graph import Graph
from bestdo.design.difficulty import m_of_design
from bestdo.design.handmade import authors_design, handmade_design
from bestdo.design.optimal import optimal_design
from bestdo.errors import NotValid
from bestdo.learners.count_state import Counts, add_block, is_old, start_counts
from bestdo.learners.families import from_ratio
from bestdo.memory_cache import memory_cache
from bestdo.statistics.importance import Importance
from bestdo.statistics.states import States

__all__ = ["EQUAL", "GeneralAlgorithm", "plug_in_estimates"]


EQUAL = 1e-6
"""Estimates this close to the best count as ties. It is the tolerance of eta*, whose last digits would otherwise decide
(docs/explanation/paper.md, row "ties")."""
_UNKNOWN = -1e300
"""In place of the mean of an action of which nothing is known: below every mean."""
_TINY = 1e-300
"""In place of 0, to divide by."""
_SUM_TOLERANCE = 1e-6
"""The largest distance of the sum of a given eta from 1: more than rounding, less than a wrong number. Not measured."""


@dataclass(frozen=True)
class GeneralAlgorithm:
    """Algorithm 2, for any graph and any actions whose law of the reward's parents is known.

    All rounds are one block, drawn from the design eta. Every round counts towards every action a with the importance
    weight P(x | a) / Q(x), x the state of the reward's parents and Q their law under the mixture eta. The paper's listing
    has no line numbers: two loops, over rounds and over actions, and the return.
    """

    eta: Literal["optimal", "uniform", "handmade", "authors"] | Sequence[float] = "optimal"
    """The design: eta* with its certificate; uniform; the paper's hand-made one (1/2 on do(), the rest on the rare actions);
    the one in the authors' code; or given probabilities, one per action."""
    truncation: Literal["none", "zero", "clip"] = "none"
    """The treatment of weights above B_a = √(m(eta) T / log(2T|A|)): none (as in the paper's experiments), counted as
    0 (the paper's estimator), or counted as B_a."""
    limit: float | None = None
    """A value for B_a, the same for all actions, in place of the formula above."""
    estimator: Literal["importance", "self-normalised", "plug-in"] = "self-normalised"
    """Weighted sums divided by the number of rounds (the paper's), by the sum of the weights, or the means of the
    rewards in each state of the parents, averaged by the law (needs the law as an explicit table)."""
    rounded: bool = True
    """Whether each action is played T·eta times, rounded (less variance), or T actions are drawn from eta (the paper's)."""
    first_of_equals: bool = False
    """Whether ties go to the first action, as in the authors' code, or to one at random."""
    watched: float = 0
    """The number of old rounds of do() besides the horizon. The mixture Q of the weights includes them (Veach & Guibas
    1995), so that old and new rounds add without bias, and new rounds of do() are planned less often by as many. The plug-in
    estimator does not need this number."""

    traits = Traits(reasons=True, knows_old=True)

    def __post_init__(self) -> None:
        if not isinstance(self.eta, str):
            object.__setattr__(self, "eta", tuple(float(e) for e in self.eta))

    def with_old(self, rounds: float) -> GeneralAlgorithm:
        """The algorithm for a given number of old rounds of do()."""
        return replace(self, watched=float(rounds))

    @classmethod
    def as_in_paper(cls) -> GeneralAlgorithm:
        """Algorithm 2 as the text of the paper says: eta*, weights above B_a set to 0, actions drawn."""
        return cls(truncation="zero", estimator="importance", rounded=False)

    @classmethod
    def as_in_authors_code(cls) -> GeneralAlgorithm:
        """Algorithm 2 as in the code behind the paper's figures."""
        return cls(eta="authors", estimator="importance", rounded=False, first_of_equals=True)

    @classmethod
    def clipped_as_in_authors_code(cls) -> GeneralAlgorithm:
        """Algorithm 2 with weights above B_a counted as B_a: the default of the authors' code, in none of its figures."""
        return replace(cls.as_in_authors_code(), truncation="clip", first_of_equals=False)

    @memory_cache
    def design(self, problem: Problem) -> Floats:  # float[A]
        """The design eta: a distribution over actions."""
        if not isinstance(self.eta, str):
            eta = np.array(self.eta, np.float64)
            if eta.shape != (len(problem.actions),) or not (eta >= 0).all() or abs(eta.sum() - 1) > _SUM_TOLERANCE:
                raise NotValid(f"eta must be {len(problem.actions)} probabilities that sum to 1, one per action")
        elif self.eta == "uniform":
            eta = np.full(len(problem.actions), 1 / len(problem.actions))
        elif self.eta == "optimal":
            eta = optimal_design(problem).eta
        else:
            eta = handmade_design(problem) if self.eta == "handmade" else authors_design(problem)
        eta = np.asarray(eta / eta.sum())
        eta.setflags(write=False)
        return eta

    @memory_cache
    def plays(self, problem: Problem, horizon: float) -> Floats:  # float[A]
        """The distribution that new rounds are drawn from: the design, with fewer rounds of do() by as many as are old."""
        eta = self.design(problem)
        if not self.watched or self.eta != "optimal":
            return eta
        rounds = max(1, problem.rounds(horizon))
        wanted = (rounds + self.watched) * eta
        watching = problem.actions.index(do())
        wanted[watching] = max(0.0, wanted[watching] - self.watched)
        return np.asarray(wanted / wanted.sum()) if wanted.any() else eta

    def mixture(self, problem: Problem, horizon: float) -> Floats:  # float[A]
        """The mixture Q over actions: the distribution of all rounds together, the old ones included."""
        plays = self.plays(problem, horizon)
        if not self.watched:
            return plays
        rounds = max(1, problem.rounds(horizon))
        old = np.arange(len(plays)) == problem.actions.index(do())
        return np.asarray((rounds * plays + self.watched * old) / (rounds + self.watched))

    @memory_cache
    def statistic(self, problem: Problem, horizon: float) -> Importance | States:
        """Sums of importance weights (of the second loop); for the plug-in estimator, counts of the states of the parents."""
        law = require_law(problem, "Algorithm 2")
        if self.estimator == "plug-in":
            if law.explicit is None:
                raise NotValid("the plug-in estimator needs the law of the reward's parents as an explicit table")
            return States(problem)
        eta = self.mixture(problem, horizon)
        limit = None
        if self.truncation != "none":
            bound = self.limit
            if bound is None:  # Theorem 3
                rounds = max(1, problem.rounds(horizon)) + self.watched
                bound = math.sqrt(m_of_design(law, eta) * rounds / math.log(2 * rounds * len(eta)))
            limit = np.full(len(eta), bound)
        return Importance(problem, eta, limit, self.truncation == "zero")

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        if self.estimator == "importance":  # its error grows with the level of the rewards
            require_bounds(problem, "the estimator of the paper's Algorithm 2, which divides by the number of rounds,")
        counts = start_counts(problem, horizon, lanes, rng)
        statistic = self.statistic(problem, horizon)
        if isinstance(statistic, States):
            return counts._replace(tally=Tally.zeros(lanes, self._table(problem).shape[1]))
        return counts

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """A plan of all rounds (the first loop: T actions from eta); with costs, of further ones while the budget lasts."""
        if not state.left.any():
            return None
        eta = self.plays(state.problem, state.horizon)
        if not self.rounded:
            return Plan(rng.multinomial(state.left, eta))
        upto = np.cumsum(state.left[:, None] * eta, axis=1)
        upto = np.minimum(upto, state.left[:, None])
        upto[:, -1] = state.left
        whole = np.floor(upto + rng.random((len(upto), 1))).astype(
            np.int64
        )  # systematic rounding: T·eta in expectation
        return Plan(np.diff(whole, axis=1, prepend=0))

    def tell(self, state: Counts, plan: Plan, tally: Tally) -> Counts:
        """The state after a block."""
        if not self.watched and self.estimator != "plug-in" and is_old(plan, tally):
            raise NotValid(
                "Algorithm 2 weights rounds by how they were drawn, and old rounds were not drawn from its design: say how "
                "many there are (watched=N), or use the plug-in estimator (estimator='plug-in')"
            )
        return add_block(state, plan, tally)

    def reason(self, state: Counts, action: int) -> str:
        """The plan was made in advance."""
        return "planned in advance, by a design for learning about all actions"

    def best(self, state: Counts) -> NDArray[np.int64]:
        """The action with the best estimate (the return); ties as `first_of_equals` says."""
        mean = self._mean(state)
        if self.first_of_equals:
            known = np.where(np.isnan(mean), _UNKNOWN, mean)
            return np.asarray(np.argmax(np.where(state.problem.contenders, known, -np.inf), axis=1))
        clean = np.where(np.isnan(mean) | ~state.problem.contenders, -np.inf, mean)
        most = clean.max(axis=1, keepdims=True)
        near = EQUAL * reach_of(state.problem.graph).length(clean)
        equal = clean >= most - np.where(np.isfinite(near), near, 0.0)
        return argmax(equal.astype(np.float64), state.ties, state.block)

    def _mean(self, state: Counts) -> Floats:  # float[L, A]
        tally = state.tally
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.estimator == "plug-in":
                return plug_in_estimates(tally, self._table(state.problem), state.played, state.problem.graph).mean
            return tally.reward / (tally.rounds if self.estimator == "importance" else tally.weight)

    def estimates(self, state: Counts) -> Estimates:
        """The weighted mean of each action with a 95 % interval; 0 to 1 where no round counts for it.

        Of such an action the paper's estimate is 0, and the others' mean is not known.
        """
        return self._estimates(state)._replace(contenders=state.problem.contenders)

    def _estimates(self, state: Counts) -> Estimates:
        tally = state.tally
        if self.estimator == "self-normalised":
            return from_ratio(tally, state.played, state.problem.graph)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.estimator == "plug-in":
                return plug_in_estimates(tally, self._table(state.problem), state.played, state.problem.graph)
            mean, some = self._mean(state), tally.weight > 0
            # as in Wilson's interval, two successes of average weight are added, so that the variance is never 0
            square = (tally.squares2 + 2 * tally.weight2 / tally.rounds) / tally.rounds
            worth = np.nan_to_num(tally.weight**2 / tally.weight2)
            return from_weights(
                mean, (square - mean**2) / tally.rounds, np.asarray(~some, np.float64), state.played, worth
            )

    @staticmethod
    def _table(problem: Problem) -> Floats:  # float[A, X]
        table = require_law(problem, "Algorithm 2").explicit
        assert table is not None
        return table


def plug_in_estimates(tally: Tally, table: Floats, played: Floats, graph: Graph | None = None) -> Estimates:
    """The plug-in estimates Σ_x P(x | a) ȳ_x, from counts of states (`States`) and the law as a table (float[A, X]).

    A state that was never seen has the mean over all rounds as its ȳ_x; the interval is widened by its probability on
    both sides, because its true mean may be anything from 0 to 1. Where the reward has no bounds, two standard deviations of
    all rewards take the place of 1.
    """
    n, s = tally.weight, tally.reward
    total = n.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        overall = s.sum(axis=1, keepdims=True) / total
        mean = np.where(n > 0, s / n, overall) @ table.T
    seen, unknown = np.repeat(total, len(table), axis=1), (n == 0) @ table.T
    if graph is None or graph.two_values:
        smooth = (s + 1) / (n + 2)
        spread = np.where(n > 0, smooth * (1 - smooth) / np.maximum(n, 1), 0.0)
        return from_weights(mean, spread @ (table.T**2), unknown, played, seen)
    variance, degrees = variance_of_rounds(n, deviations(tally), graph)
    known = np.isfinite(variance).all(axis=1, keepdims=True)
    each = np.where((n > 0) & known, np.where(known, variance, 0.0) / np.maximum(n, 1), 0.0)
    sum_ = each @ (table.T**2)
    free = sum_**2 / np.maximum((each**2 / degrees) @ (table.T**4), _TINY)  # Satterthwaite's degrees of freedom
    of_all = tally.squares.sum(axis=1, keepdims=True) / np.maximum(total, 1) - np.nan_to_num(overall) ** 2
    unknown = reach_of(graph).width(of_all) * unknown
    return from_weights(mean, np.where(known, sum_, np.inf), unknown, played, seen, graph, free)
