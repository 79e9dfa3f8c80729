"""A fixed plan: all rounds decided beforehand, by the optimal design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

import bestdo.display as display
from bestdo.arguments import real_number, seed_number, whole_number
from bestdo.bandit.combinations import ALWAYS_AND_PLAN, DOUBTS_AND_PLAN, FIRST_AND_PLAN, HIDDEN_AND_PLAN
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention, do
from bestdo.data.compose import compose
from bestdo.data.plan_sheet import sheet
from bestdo.data.problem_options import ProblemOptions, check_names
from bestdo.design.contributions import shares
from bestdo.design.cost_design import design_for_money
from bestdo.design.optimal import Design, optimal_design
from bestdo.errors import BestdoError, NotKnown, NotValid, TooLarge, shown
from bestdo.learners.fixed_plan import affordable_rounds, plan
from bestdo.text import counted

__all__ = ["FixedPlan", "PlannedAction", "design", "require_known"]

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
"""The separators of the columns of a sheet."""

_MOST_LINES = 1_000_000
"""Lines of a sheet: spreadsheets hold 1,048,576."""
_MUCH = 0.15
"""The share of the estimate of another action from which on a contribution is mentioned. Chosen, not measured."""


class PlannedAction(NamedTuple):
    """An action of a plan, and what its rounds are there for."""

    action: Intervention
    eta: float
    """The action's share in the design."""
    rounds: int
    natural: float | None
    """The probability that what it sets occurs when nothing is set; None for do(), and where that is not known."""
    own: float | None
    """The share of what will be known of it that its own rounds bring; infinite where no other action brings any; None
    where shares are not worked out."""
    others: tuple[tuple[Intervention, float], ...]
    """Other actions of which its rounds bring much, with that share, the largest first."""


@dataclass(frozen=True)
class FixedPlan:
    """A plan and the design behind it."""

    problem: Problem
    design: Design
    plays: NDArray[np.int64]
    """int[T]: the index of the action of each round."""
    seed: int
    per: Literal["round", "money"]
    """Whether it learns most per round, or for its money."""
    actions: tuple[PlannedAction, ...]
    """The actions that the design plays."""

    def __repr__(self) -> str:
        return (
            f"FixedPlan({counted(len(self.plays), 'round')} of {counted(len(self.actions), 'action')}, {self.design!r})"
        )

    _repr_html_ = display.html
    plot = display.plot
    to_frame = display.to_frame

    @property
    def cost(self) -> float | None:
        """The cost of all rounds of the plan; None where actions have no costs."""
        return self.problem.price_list.bill(self.plays)

    @property
    def bill(self) -> str:
        """The cost of all rounds of the plan, to be added to a sentence; empty where actions have no costs."""
        return self.problem.unit.bill_of(float(self.problem.prices[self.plays].sum()))

    @property
    def price(self) -> float:
        """The average cost of a round of the design; 1 where actions have no costs."""
        return float(self.design.eta @ self.problem.prices)

    def sheet(self, separator: str = "comma") -> bytes:
        """The plan as a CSV file to fill in, a line for each round."""
        return sheet(self.problem, self.plays, _SEPARATORS[separator])


def design(
    problem: object,
    rounds: int | None = None,
    *,
    budget: float | None = None,
    seed: int = 0,
    **options: Unpack[ProblemOptions],
) -> FixedPlan:
    """The optimal plan of so many rounds, or the one that learns most for a budget.

    problem: a Problem of which the law of the reward's parents is known, or anything that `bestdo.compose` takes. rounds:
    how many lines the plan has; or budget: what they may cost together. seed: of their order. options: as in
    `bestdo.compose`. The result has `plays`, `actions` and `sheet()`, a CSV file to fill in, which `bestdo.estimate` reads.

    Raises NotKnown where too little is known of the problem, TooLarge for more rounds than a sheet can hold.

    >>> import bestdo
    >>> plan = bestdo.fixed_plan("examples/farm.toml", rounds=12)
    >>> len(plan.plays)
    12
    """
    if (rounds is None) == (budget is None):
        raise BestdoError("say either how many rounds the plan has, or what it may cost")
    check_names(design, options)
    problem = compose(problem, **options).problem
    require_known(problem)
    seed = seed_number(seed)
    return _per_round(problem, rounds, seed) if budget is None else _for_money(problem, budget, seed)


def _per_round(problem: Problem, rounds: Any, seed: int) -> FixedPlan:
    """The plan of so many rounds that learns most."""
    _check_lines(whole_number("the number of rounds", rounds))
    best = optimal_design(problem)
    plays = plan(problem, rounds, seed, best.eta)
    return FixedPlan(problem, best, plays, seed, "round", _actions(problem, best, plays))


def _for_money(problem: Problem, budget: Any, seed: int) -> FixedPlan:
    """The plan that learns most for a budget."""
    _check_lines(real_number("a budget", budget) / min(problem.prices))
    best = design_for_money(problem)
    plays = plan(problem, affordable_rounds(problem, budget, best.eta, seed), seed, best.eta)
    return FixedPlan(problem, best, plays, seed, "money", _actions(problem, best, plays))


def _check_lines(lines: float) -> None:
    """Refuses a plan of more rounds than a sheet can hold."""
    if lines > _MOST_LINES:
        raise TooLarge(
            f"a plan of {lines:,.0f} rounds is too long: a sheet has at most {_MOST_LINES:,} lines; plan fewer, and repeat it"
        )


def require_known(problem: Problem) -> None:
    """Raises an error that says what is missing where too little is known of a problem for a fixed plan."""
    graph = problem.graph
    problem.contexts.only(NotValid(FIRST_AND_PLAN.why(problem.contexts.listed)))
    assert graph.reward is not None
    causes = graph.parents[graph.reward]
    problem.graphs.only(NotValid(DOUBTS_AND_PLAN.why()))
    if problem.limits.always:
        raise NotValid(ALWAYS_AND_PLAN.why())
    unseen = [p for p in causes if p in graph.hidden]
    if unseen:
        raise NotValid(HIDDEN_AND_PLAN.why(shown(graph.reward), shown(unseen[0])))
    if problem.law is None:
        raise NotKnown(
            f"a fixed plan needs to know how often the direct causes of {shown(graph.reward)} "
            f"({', '.join(map(shown, causes[:8])) or 'none'}) take each of their values, by themselves and under each "
            f"action. Give a table for every variable but {shown(graph.reward)} under [tables], or old data from which they "
            "can be estimated; where there are none, begin a study: it learns as it goes"
        )


def _actions(problem: Problem, best: Design, plays: NDArray[np.int64]) -> tuple[PlannedAction, ...]:
    """The actions that the design plays, with what their rounds are for."""
    assert problem.law is not None
    counts = np.bincount(plays, minlength=len(problem.actions))
    share = shares(problem.law, best.eta)
    found = []
    for i, (action, eta, count) in enumerate(zip(problem.actions, best.eta, counts, strict=True)):
        if not (eta > 0 or count > 0):
            continue
        own, others = None, []
        if share is not None:
            own = float(share[i, i])
            others = [(float(s), a) for a, s in enumerate(share[:, i]) if a != i and s >= _MUCH]
        named = tuple((problem.actions[a], s) for s, a in sorted(others, key=lambda pair: -pair[0]))
        found.append(PlannedAction(action, float(eta), int(count), _natural(problem, action), own, named))
    return tuple(found)


def _natural(problem: Problem, action: Intervention) -> float | None:
    """The probability that what the action sets occurs under do(); None where it is not known."""
    law = problem.law
    if law is None or not action or do() not in problem.actions or not set(action) <= set(law.parents):
        return None
    return law.natural_chance(action)
