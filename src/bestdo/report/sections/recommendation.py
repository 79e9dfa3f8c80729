"""The recommendation in words: what to keep, its mean, how sure that is, limits, what was earned.

Terminal, page, list of studies, comparison, report, notebooks, `Best.in_words` and rehearsals take their words from here. A
recommendation is one action, one action for everybody (where variables are seen first and the rule does the same in each
context), or a rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bestdo.bandit.rule import Rule, Value
from bestdo.report.reward_scale import RewardScale
from bestdo.text import chance, counted, with_interval

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer, Best
    from bestdo.bandit.estimate import Estimate

__all__ = [
    "TOO_EARLY",
    "Recommendation",
    "as_things_stand",
    "figures",
    "lines_of",
    "one_line",
    "scale_of",
    "worth",
]

TOO_EARLY = "too early: no round has been told yet"
"""Stands for a recommendation before the first round."""
_NOTHING_ELSE = "no context has another best action, as far as is known"
"""What is said of a rule that does the same for everybody."""
_UNKNOWN = "nothing is known of it yet"
_MOST_LINES = 3
"""Lines of a rule where there is room for a sentence only. Chosen, not measured."""

Written = Callable[[float], str]
"""How a probability is written: `chance` or `percent`."""


def one_line(best: Best) -> str:
    """What to keep, its mean with its interval, how sure that is, and what was earned, for one line."""
    average = " on average" if best.differs_by_context else ""
    earned = "" if best.earned is None else f"; earned so far: {best.earned.so_far}"
    return f"{_what(best)}: {with_interval(*_value(best))}{average}, {_certainty(best, chance)}{earned}"


def as_things_stand(best: Best, written: Written = chance) -> str:
    """What a study keeps if it ends now, how sure that is, and what was earned, in sentences."""
    kept = f"the rule ({best.rule})" if best.differs_by_context else _what(best)
    earned = "" if best.earned is None else f" {best.earned.in_words}"
    return f"As things stand {kept} is kept, {_certainty(best, written)}.{earned}"


def figures(one: Best | Estimate, scale: RewardScale, written: Written = chance) -> str:
    """The mean of an action, its interval, and the probability that it is the best."""
    if math.isnan(one.mean):
        return _UNKNOWN
    interval = f"95 % interval {scale.interval(one.low, one.high)}"
    return f"{scale.with_unit(one.mean)}, {interval}, the best with probability {written(one.p_best)}"


def worth(rule: Rule, scale: RewardScale) -> str:
    """The mean of a rule, and by how much it is better than the best single action for everybody."""
    value, better = rule.value, f"{scale.mean(rule.gain.mean)} better than {rule.single} for everybody"
    sure = _NOTHING_ELSE if rule.is_single else f"{better}, with probability {chance(rule.p_worth)}"
    return f"mean {scale.with_unit(value.mean)}, 95 % interval {scale.interval(value.low, value.high)}; {sure}"


def lines_of(rule: Rule) -> tuple[str, ...]:
    """A line for each group of contexts with the same action, the last for all others; or one for everybody."""
    return (str(rule),) if rule.is_single else tuple(map(str, rule.lines))


def scale_of(answer: Answer) -> RewardScale:
    """The scale of the means in the table below a recommendation: those in each context, or those of each action."""
    graph, rule = answer.problem.graph, answer.rule
    in_contexts = [Value(one.mean, one.low, one.high) for one in rule.contexts]
    return RewardScale.of(
        graph, [rule.value, rule.single_value, *in_contexts] if answer.problem.first else answer.lines
    )


def _what(best: Best) -> str:
    """What to keep: an action and whom it is for, or the lines of a rule."""
    return str(best.rule) if best.differs_by_context else f"{best.action}{_whom(best)}"


def _whom(best: Best) -> str:
    return "" if best.rule is None else " for everybody"


def _value(best: Best) -> Value:
    """The mean of what is kept, with its interval."""
    return best.rule.value if best.rule and best.differs_by_context else Value(best.mean, best.low, best.high)


def _certainty(best: Best, written: Written) -> str:
    """How sure it is that nothing else is better."""
    if best.rule is not None and best.differs_by_context:
        return f"better than {best.rule.single} for everybody with probability {written(best.rule.p_worth)}"
    return f"the best with probability {written(best.p_best)}"


@dataclass(frozen=True)
class Recommendation:
    """The recommendation of an answer as words and parts of sentences."""

    best: Best
    rule: Rule
    told: bool
    """Whether any round was told."""
    scale: RewardScale
    written: Written = chance
    """How probabilities are written."""

    @classmethod
    def of(cls, answer: Answer, scale: RewardScale, written: Written = chance) -> Recommendation:
        """The recommendation of an answer, its means on this scale."""
        return cls(answer.best, answer.rule, answer.told, scale, written)

    @property
    def known(self) -> bool:
        """Whether anything is known of what would be recommended."""
        return self.told and not math.isnan(_value(self.best).mean)

    @property
    def by_context(self) -> bool:
        """Whether it is a rule that does different things in different contexts."""
        return self.best.differs_by_context

    @property
    def action(self) -> str:
        """The action; beside a rule, the best single one."""
        return str(self.best.action)

    @property
    def whom(self) -> str:
        """Whom the action is for, to stand behind it: everybody where variables are seen first."""
        return "" if self.by_context else _whom(self.best)

    @property
    def short(self) -> str:
        """The action, or the first lines of the rule."""
        lines = self.rule.lines
        more = " …" if len(lines) > _MOST_LINES else ""
        return "; ".join(map(str, lines[:_MOST_LINES])) + more if self.by_context else self.action

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the rule."""
        return lines_of(self.rule)

    @property
    def mean(self) -> str:
        """The mean of what is recommended."""
        return self.scale.with_unit(_value(self.best).mean)

    @property
    def average(self) -> str:
        """What is said of the mean of a rule, to stand behind it."""
        return " on average" if self.by_context else ""

    @property
    def interval(self) -> str:
        """The 95 % interval of the mean."""
        value = _value(self.best)
        return self.scale.interval(value.low, value.high)

    @property
    def certainty(self) -> str:
        """How sure it is that nothing else is better."""
        return _certainty(self.best, self.written)

    @property
    def likely(self) -> str:
        """The same where it stands below "the best with": the probability alone, or a rule's in words."""
        return self.certainty if self.by_context else self.written(self.best.p_best)

    @property
    def single(self) -> str:
        """The best single action beside a rule."""
        value = self.scale.with_unit(self.rule.single_value.mean)
        return f"the best single action for everybody, {self.rule.single}: {value}"

    @property
    def gain(self) -> str:
        """By how much a rule is better than the best single action."""
        gain = self.rule.gain
        better = f"{self.scale.with_unit(gain.mean)} better, 95 % interval {self.scale.interval(gain.low, gain.high)}"
        return f"the rule is {better}; worth having with probability {self.written(self.rule.p_worth)}"

    @property
    def keep(self) -> str:
        """What to do when the study is over."""
        if not self.known:
            return "Nothing is known, so nothing is recommended."
        return "Keep the rule." if self.by_context else f"Keep {self.best.action}{self.whom}."

    @property
    def about_limits(self) -> str:
        """Whether it keeps all limits; empty where there are none."""
        return self.best.about_limits

    @property
    def within_limits(self) -> bool:
        """Whether it does with the probability asked for; if not, no action does, and it is the nearest."""
        return self.best.within_limits

    @property
    def earned(self) -> str:
        """What the rounds have earned; empty where the goal is to find the best action."""
        return "" if self.best.earned is None else self.best.earned.in_words

    def in_lines(self, left: str) -> list[str]:
        """The lines of a terminal; `left` says what is left of the horizon."""
        if not self.told:
            return [TOO_EARLY, f"  {left}"]
        limits = [f"  {self.about_limits}"] if self.about_limits else []
        if self.best.rule is None:
            rests = f"rests on: played {self.best.played}, seen {self.best.seen:.0f}"
            return [
                f"{self.best.action}: {figures(self.best, self.scale, self.written)}",
                *limits,
                f"  {rests}; {left}",
            ]
        value = self.rule.value
        rests = f"rests on {counted(sum(one.rounds for one in self.rule.contexts), 'round')}"
        average = (
            f"{self.scale.with_unit(value.mean)} on average, 95 % interval {self.scale.interval(value.low, value.high)}"
        )
        beside = [f"  {self.single}", f"  {self.gain}"] if self.by_context else []
        same = [] if self.by_context else [f"  {_NOTHING_ELSE}"]
        return [*self.lines, *same, f"  {average}", *beside, *limits, f"  {rests}; {left}"]
