"""The answer of a study at one moment: what it recommends, what is known of every action, what was earned, what is left.

Every place that shows a recommendation, or sends one, takes it from an `Answer`; `as_data` is its only form in JSON.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import bestdo.display as display
from bestdo.bandit.arrow_chance import ArrowChance, arrows_as_data
from bestdo.bandit.earned import Earned
from bestdo.bandit.estimate import Estimate, Estimates, of_each
from bestdo.bandit.limit import SURE
from bestdo.bandit.limits import NO_LIMITS, Limits
from bestdo.bandit.problem import Problem
from bestdo.bandit.rule import InContext, Rule, Value
from bestdo.causal.action import Intervention
from bestdo.text import chance, with_interval

__all__ = ["Answer", "Best", "near_miss", "rule_of_one"]


@dataclass(frozen=True)
class Best:
    """The recommended action with its estimate, and what is left of the horizon."""

    action: Intervention
    mean: float
    low: float
    high: float
    p_best: float
    played: int
    seen: float
    left: float
    """The number of rounds that can still be handed out; with costs, what can still be spent."""
    keeps: float = 1.0
    """The probability that it keeps all limits; 1 where there are none."""
    limits: Limits = NO_LIMITS
    """The limits of the problem."""
    sure: float = SURE
    """The probability with which a recommended action must keep all limits."""
    rule: Rule | None = None
    """The action for each context, where variables are seen first; `action` is then the best single one for everybody."""
    near_miss: Estimate | None = None
    """The action that is likelier to be the best, but too unlikely to keep the limits; None if there is none."""
    earned: Earned | None = None
    """The earnings of the rounds so far; None where the goal is to find the best action."""

    def __repr__(self) -> str:
        if self.rule is not None:
            value = self.rule.value
            return f"Best({self.rule}: {with_interval(value.mean, value.low, value.high)}; {self.left:g} left)"
        estimate = with_interval(self.mean, self.low, self.high)
        return f"Best({self.action}: {estimate}; P(best) {chance(self.p_best)}, {self.left:g} left)"

    @property
    def in_words(self) -> str:
        """The action, or the rule, with its mean, its 95 % interval, how sure that is and what was earned, for one line."""
        return display.in_words(self)

    @property
    def differs_by_context(self) -> bool:
        """Whether the recommendation is a rule with different actions in different contexts, not one action."""
        return self.rule is not None and not (self.rule.is_single and self.rule.single == self.action)

    @property
    def within_limits(self) -> bool:
        """Whether the action keeps all limits with the probability asked for; if not, no action does, and it is the nearest.

        Where variables are seen first: whether the rule does in each context.
        """
        if self.rule is not None:
            return self.rule.within_limits
        return self.keeps >= self.sure

    @property
    def about_limits(self) -> str:
        """A sentence for people: whether the action, or the rule, keeps all limits; empty where there are none."""
        return display.about_limits(self)

    def as_data(self) -> dict[str, Any]:
        """The recommendation as data for JSON: the lines of a rule, or an action, and whether it keeps all limits."""
        kept: dict[str, Any] = {"kind": "action", "action": str(self.action), "set": dict(self.action.items())}
        if self.rule is not None and self.differs_by_context:
            rule = self.rule.as_data()
            kept = {"kind": "rule", "lines": rule["lines"], "value": rule["value"]}
        return {**kept, **self.limits.fields({"within_limits": self.within_limits})}

    def with_certainty(self) -> dict[str, Any]:
        """The recommendation as data, with the probability that nothing else is better, and the earnings."""
        sure = {"p_best": self.p_best}
        if self.rule is not None and self.differs_by_context:
            sure = {"p_worth": self.rule.p_worth}
        return {**self.as_data(), **sure, **({} if self.earned is None else {"earned": self.earned.as_data()})}


def near_miss(lines: Sequence[Estimate], best: Estimate, sure: float) -> Estimate | None:
    """The likeliest best action of those that keep the limits with less than `sure`, if likelier than `best`."""
    if best.keeps < sure:
        return None
    open_ = [one for one in lines if one.contender and not one.dropped and one.keeps < sure]
    found = max(open_, key=lambda one: one.p_best, default=None)
    return found if found is not None and found.p_best > best.p_best else None


def rule_of_one(problem: Problem, estimates: Estimates) -> Rule:
    """The rule of a problem in which nothing is seen first: the recommended action, in the one context that there is."""
    lines = of_each(estimates, problem.actions)
    assert estimates.best is not None
    one = lines[estimates.best]
    rounds = math.ceil(max(float(estimates.played[0].sum()), float(estimates.seen[0].max())))
    value = Value(one.mean, one.low, one.high)
    kept = InContext({}, one.action, *value, one.p_best, one.played, 1.0, rounds, one.keeps)
    return Rule(
        problem,
        np.array([estimates.best]),
        np.array([[each.mean for each in lines]]),
        np.ones(1),
        (kept,),
        value,
        one.action,
        value,
        Value(0.0, 0.0, 0.0),
        0.0,
        np.broadcast_to(estimates.keeps, (1, len(lines))),
    )


@dataclass(frozen=True, eq=False)
class Answer:
    """The recommendation, the estimates of all actions and the problem, all of the same moment."""

    problem: Problem
    rule: Rule
    """An action for each context; where nothing is seen first there is one context."""
    estimates: Estimates
    """The estimates of each action for everybody, which name the actions and the best single one."""
    left: float
    """The number of rounds that can still be handed out; with costs, what can still be spent."""
    earned: Earned
    """The earnings of the rounds; nothing where the goal is to find the best action."""
    arrows: tuple[ArrowChance, ...] = ()
    """The doubtful arrows, with their probabilities; none where no arrow is in doubt."""
    certainty: str = ""
    """In words, how sure it is which action is the best; empty where the study does not go on until it is sure."""

    @classmethod
    def of(cls, problem: Problem, estimates: Estimates, left: float) -> Answer:
        """The answer of estimates that name the recommended action, where nothing is seen first and nothing is earned."""
        return cls(problem, rule_of_one(problem, estimates), estimates, left, Earned.nothing(problem))

    def __repr__(self) -> str:
        return f"Answer({self.best!r}, {self.estimates!r})"

    _repr_html_ = display.html
    plot = display.plot
    to_frame = display.to_frame

    @cached_property
    def lines(self) -> tuple[Estimate, ...]:
        """The estimate of each action for everybody, in the unit of the reward."""
        return tuple(of_each(self.estimates, self.problem.actions))

    @cached_property
    def best(self) -> Best:
        """The recommendation."""
        assert self.estimates.best is not None
        problem, one = self.problem, self.lines[self.estimates.best]
        return Best(
            one.action,
            *(one.mean, one.low, one.high, one.p_best, one.played, one.seen),
            self.left,
            one.keeps,
            problem.limits,
            problem.sure,
            rule=self.rule if problem.first else None,
            near_miss=near_miss(self.lines, one, problem.sure),
            earned=self.earned if problem.goal.every_round else None,
        )

    @property
    def told(self) -> bool:
        """Whether any round, an old one included, tells anything."""
        return any(one.rounds for one in self.rule.contexts)

    def as_data(self) -> dict[str, Any]:
        """The recommendation and the estimates of every action, as data for JSON; null where nothing is known.

        `recommendation` is what to keep: the rule where it does different things in different contexts, otherwise the
        action. The estimate of an action stands beside it only where it is that action's. Where the reward is no success,
        its name, the unit of the means and the aim are named, too.
        """
        best, graph = self.best, self.problem.graph
        assert self.estimates.best is not None
        actions = [one.as_data() for one in self.lines]
        within = {"limits": list(map(str, best.limits)), "sure": best.sure, "within_limits": best.within_limits}
        return {
            "recommendation": best.as_data(),
            **({} if best.differs_by_context else _recommended(actions[self.estimates.best])),
            **graph.rewarded.about,
            "left": self.left,
            **best.limits.fields(within),
            "actions": actions,
            **({"rule": self.rule.as_data()} if self.problem.first else {}),
            **self.earned.fields(),
            **self.arrows_as_data(),
            **({"certainty": self.certainty} if self.certainty else {}),
        }

    def arrows_as_data(self) -> dict[str, Any]:
        """The doubtful arrows as data for JSON, under their name; nothing where no arrow is in doubt."""
        return arrows_as_data(self.arrows)

    @classmethod
    def of_data(cls, problem: Problem, data: Mapping[str, Any]) -> Answer:
        """The answer of a study of this problem from what `as_data` returned."""
        if problem.first:
            rule = Rule.of_data(problem, data["rule"])
            estimates = _estimates(problem, data["actions"], problem.actions.index(rule.single))
        else:
            kept = problem.actions.index(Intervention.parse(data["action"]))
            estimates = _estimates(problem, data["actions"], kept)
            rule = rule_of_one(problem, estimates)
        nothing = Earned.nothing(problem)
        earned = Earned.of_data(problem, data["earned"]) if problem.goal.every_round else nothing
        arrows = tuple(map(ArrowChance.of_data, data.get("arrows", ())))
        made = cls(problem, rule, estimates, float(data["left"]), earned, arrows, data.get("certainty", ""))
        made.as_data()  # raises now, not later, where the data are of another problem
        return made


def _recommended(line: Mapping[str, Any]) -> dict[str, Any]:
    """The data of the recommended action, of which it need not be said that it is in the race."""
    return {name: value for name, value in line.items() if name not in ("dropped", "can_be_best")}


def _estimates(problem: Problem, rows: Sequence[Mapping[str, Any]], best: int) -> Estimates:
    """The estimates of all actions as learners have them, from their data for JSON, in the unit of the reward."""

    def column(name: str) -> Any:
        return np.array([[math.nan if row[name] is None else row[name] for row in rows]], float)

    worst, most = problem.graph.span
    mean, low, high = ((column(name) - worst) / (most - worst) for name in ("mean", "low", "high"))
    if most < worst:
        low, high = high, low
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return Estimates(
        mean,
        low,
        high,
        column("played"),
        column("seen"),
        joint=column("p_best"),
        dropped=np.array([[row["dropped"] for row in rows]]),
        contenders=np.array([row["can_be_best"] for row in rows]),
        bounded=problem.graph.number is None,
        keeps=np.array([[row.get("keeps_limits", 1.0) for row in rows]], float),
        limits=problem.limits,
        actions=problem.actions,
        best=best,
        retired=problem.retired,
        words=problem.contexts.words,
    )
