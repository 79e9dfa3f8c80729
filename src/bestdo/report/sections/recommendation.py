"""The recommendation in words: what to keep, its mean, how sure that is, limits, what was earned.

Terminal, page, list of studies, comparison, report, notebooks, `Best.in_words` and rehearsals take their words from here.
What is kept is one action, one action for everybody (where variables are seen first and the rule does the same in each
context), or a rule: a class for each, with the same words.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bestdo.bandit.confidence import interval_name
from bestdo.bandit.rule import Rule, Value
from bestdo.causal.context_words import BY_CONTEXT, FOR_EVERYBODY
from bestdo.report.document_blocks import Line, Paragraph, Remark
from bestdo.report.reward_scale import RewardScale, Written
from bestdo.report.sections.actions import action_table
from bestdo.report.sections.contexts import context_table
from bestdo.report.sections.earned import earned_so_far, what_was_earned
from bestdo.report.sections.limits import kept as limits_kept
from bestdo.text import chance, counted, with_interval

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer, Best
    from bestdo.bandit.estimate import Estimate

__all__ = [
    "NOTHING_KNOWN",
    "TOO_EARLY",
    "Recommendation",
    "as_things_stand",
    "figures",
    "lines_of",
    "one_line",
    "shown_answer",
    "worth",
]

TOO_EARLY = "too early: no round has been told yet"
"""Stands for a recommendation before the first round."""
_NOTHING_ELSE = "no context has another best action, as far as is known"
"""The words about a rule that does the same for everybody."""
NOTHING_KNOWN = "Nothing is known yet."
"""The sentence in place of a recommendation of which nothing is known, where there is little room."""
_KEEP, _BEST, _SO_FAR = "Keep", "Best", "Best so far"
_UNKNOWN = "nothing is known of it yet"
_MOST_LINES = 3
"""Lines of a rule where there is room for a sentence only. Chosen, not measured."""


@dataclass(frozen=True)
class _OneAction:
    """An action, where nothing is seen first."""

    best: Best

    whom = FOR_EVERYBODY.whom
    average = ""
    """The words about the mean, to stand behind it."""
    by_context = False

    @property
    def what(self) -> str:
        """The action, and whom it is for."""
        return f"{self.best.action}{self.whom}"

    named = what

    @property
    def short(self) -> str:
        """The action, where there is little room."""
        return str(self.best.action)

    @property
    def value(self) -> Value:
        """The mean of the action."""
        return Value(self.best.mean, self.best.low, self.best.high)

    @property
    def keep(self) -> str:
        """The words that the action is to be kept."""
        return f"{_KEEP} {self.what}."

    def certainty(self, written: Written) -> str:
        """The probability that the action is the best."""
        return f"the best with probability {written(self.best.p_best)}"

    def briefly(self, written: Written) -> str:
        """The probability that the action is the best."""
        return f", the best with {written(self.best.p_best)}"

    def lines(self, scale: RewardScale, written: Written) -> list[Line]:
        """The action with its figures."""
        return [Paragraph(f"{self.best.action}: {figures(self.best, scale, written)}")]

    def rests_on(self) -> str:
        """The numbers of plays and sightings of the action."""
        return f"rests on: played {self.best.played}, seen {self.best.seen:.0f}"


@dataclass(frozen=True)
class _OneForEverybody(_OneAction):
    """An action that a rule takes in each context."""

    rule: Rule

    whom = BY_CONTEXT.whom

    def lines(self, scale: RewardScale, written: Written) -> list[Line]:
        """The action, that no context has another one, and the mean."""
        return [*_first_lines(self.rule), Remark(_NOTHING_ELSE), Remark(_on_average(self.rule, scale))]

    def rests_on(self) -> str:
        """The rounds of all contexts."""
        return _rounds_of(self.rule)


@dataclass(frozen=True)
class _ByContext:
    """A rule that does different things in different contexts."""

    best: Best
    rule: Rule

    average = " on average"
    by_context = True
    whom = ""
    keep = f"{_KEEP} the rule."

    @property
    def what(self) -> str:
        """The lines of the rule."""
        return str(self.rule)

    @property
    def named(self) -> str:
        """The rule with its lines."""
        return f"the rule ({self.rule})"

    @property
    def short(self) -> str:
        """The first lines of the rule."""
        lines = self.rule.lines
        return "; ".join(map(str, lines[:_MOST_LINES])) + (" …" if len(lines) > _MOST_LINES else "")

    @property
    def value(self) -> Value:
        """The mean of the rule."""
        return self.rule.value

    def certainty(self, written: Written) -> str:
        """The probability that the rule is better than the best single action."""
        return f"better than {self.rule.single} for everybody with probability {written(self.rule.p_worth)}"

    def briefly(self, written: Written) -> str:
        """An empty text: the lines of the rule need the room."""
        return ""

    def lines(self, scale: RewardScale, written: Written) -> list[Line]:
        """The lines of the rule, its mean, and how much it gains over the best single action."""
        beside = _single(self.rule, scale), _gain(self.rule, scale, written)
        return [*_first_lines(self.rule), Remark(_on_average(self.rule, scale)), *map(Remark, beside)]

    def rests_on(self) -> str:
        """The rounds of all contexts."""
        return _rounds_of(self.rule)


def _kept(best: Best) -> _OneAction | _ByContext:
    """The recommendation of a study, in the words that suit it."""
    if best.rule is None:
        return _OneAction(best)
    return (_ByContext if best.differs_by_context else _OneForEverybody)(best, best.rule)


def _first_lines(rule: Rule) -> list[Line]:
    return [Paragraph(line) for line in lines_of(rule)]


def _on_average(rule: Rule, scale: RewardScale) -> str:
    """The mean of a rule with its interval."""
    return f"{scale.with_unit(rule.value.mean)} on average, {_interval(rule.value, scale)}"


def _rounds_of(rule: Rule) -> str:
    return f"rests on {counted(sum(one.rounds for one in rule.contexts), 'round')}"


def _single(rule: Rule, scale: RewardScale) -> str:
    """The best single action beside a rule."""
    return f"the best single action for everybody, {rule.single}: {scale.with_unit(rule.single_value.mean)}"


def _gain(rule: Rule, scale: RewardScale, written: Written) -> str:
    """The advantage of a rule over the best single action."""
    better = f"{scale.with_unit(rule.gain.mean)} better, {_interval(rule.gain, scale)}"
    return f"the rule is {better}; worth having with probability {written(rule.p_worth)}"


def _interval(value: Value | Best | Estimate, scale: RewardScale) -> str:
    """The interval of a mean, with its name."""
    return f"{interval_name()} {scale.interval(value.low, value.high)}"


def one_line(best: Best) -> str:
    """The recommendation in one line: its mean with its interval, its certainty, and the earnings."""
    kept = _kept(best)
    mean = f"{with_interval(*kept.value)}{kept.average}, {kept.certainty(chance)}"
    return "; ".join([f"{kept.what}: {mean}", *earned_so_far(best)])


def as_things_stand(best: Best, written: Written = chance) -> str:
    """The recommendation if the study ends now, its certainty, and the earnings, in sentences."""
    kept = _kept(best)
    return " ".join([f"As things stand {kept.named} is kept, {kept.certainty(written)}.", *what_was_earned(best)])


def figures(one: Best | Estimate, scale: RewardScale, written: Written = chance) -> str:
    """The mean of an action, its interval, and the probability that it is the best."""
    if math.isnan(one.mean):
        return _UNKNOWN
    return f"{scale.with_unit(one.mean)}, {_interval(one, scale)}, the best with probability {written(one.p_best)}"


def worth(rule: Rule, scale: RewardScale) -> str:
    """The mean of a rule, and by how much it is better than the best single action for everybody."""
    better = f"{scale.mean(rule.gain.mean)} better than {rule.single} for everybody"
    sure = _NOTHING_ELSE if rule.is_single else f"{better}, with probability {chance(rule.p_worth)}"
    return f"mean {scale.with_unit(rule.value.mean)}, {_interval(rule.value, scale)}; {sure}"


def lines_of(rule: Rule) -> tuple[str, ...]:
    """A line for each group of contexts with the same action, the last for all others; or one for everybody."""
    return (str(rule),) if rule.is_single else tuple(map(str, rule.lines))


def _scale_of(answer: Answer) -> RewardScale:
    """The scale of the means in the table below a recommendation: those in each context, or those of each action."""
    rule, contexts = answer.rule, answer.problem.contexts
    in_contexts = [rule.value, rule.single_value, *(Value(one.mean, one.low, one.high) for one in rule.contexts)]
    each = [Value(one.mean, one.low, one.high) for one in answer.lines]
    return RewardScale.of(answer.problem.graph, [*contexts.columns(*in_contexts), *contexts.without(*each)])


def shown_answer(answer: Answer, left: str) -> list[Line]:
    """The recommendation and the table of all actions, or of all contexts; `left` says what is left of the horizon."""
    scale, contexts = _scale_of(answer), answer.problem.contexts
    lines = Recommendation.of(answer, scale).lines_with(left)
    if not answer.told:
        return lines
    tables = [*contexts.columns(context_table), *contexts.without(action_table)]
    rows = (line for table in tables for line in table(answer, scale))
    return [*lines, Paragraph(""), *rows, *map(Remark, answer.problem.about_retired)]


@dataclass(frozen=True)
class Recommendation:
    """The recommendation of an answer as words and parts of sentences."""

    best: Best
    rule: Rule
    told: bool
    """Whether any round was told."""
    scale: RewardScale
    written: Written = chance
    """The way in which probabilities are written."""

    @classmethod
    def of(cls, answer: Answer, scale: RewardScale, written: Written = chance) -> Recommendation:
        """The recommendation of an answer, its means on this scale."""
        return cls(answer.best, answer.rule, answer.told, scale, written)

    @cached_property
    def kept(self) -> _OneAction | _ByContext:
        """The recommendation."""
        return _kept(self.best)

    @property
    def known(self) -> bool:
        """Whether anything is known of the recommendation."""
        return self.told and not math.isnan(self.kept.value.mean)

    @property
    def by_context(self) -> bool:
        """Whether the recommendation is a rule with different actions in different contexts."""
        return self.kept.by_context

    @property
    def action(self) -> str:
        """The action; beside a rule, the best single one."""
        return str(self.best.action)

    @property
    def whom(self) -> str:
        """Whom the action is for, to stand behind it: everybody where variables are seen first."""
        return self.kept.whom

    @property
    def short(self) -> str:
        """The action, or the first lines of the rule."""
        return self.kept.short

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the rule."""
        return lines_of(self.rule)

    @property
    def mean(self) -> str:
        """The mean of what is recommended."""
        return self.scale.with_unit(self.kept.value.mean)

    @property
    def average(self) -> str:
        """The words about the mean of a rule, to stand behind it."""
        return self.kept.average

    @property
    def interval(self) -> str:
        """The interval of the mean, with its name."""
        return _interval(self.kept.value, self.scale)

    @property
    def its_mean(self) -> str:
        """The words in front of the mean of an action, in a sentence."""
        return f"its {self.scale.label} is"

    @property
    def how_sure(self) -> str:
        """The words behind the mean of an action, in a sentence: the interval and the certainty."""
        return f"({self.interval}), and it is {self.certainty}."

    @property
    def of_the_rule(self) -> str:
        """The words behind the mean of a rule."""
        return f"on average with this rule, {self.interval}"

    @property
    def certainty(self) -> str:
        """The certainty that nothing else is better."""
        return self.kept.certainty(self.written)

    @property
    def briefly(self) -> str:
        """The certainty in a list of studies, behind the mean."""
        return self.kept.briefly(self.written)

    @property
    def single(self) -> str:
        """The best single action beside a rule."""
        return _single(self.rule, self.scale)

    @property
    def gain(self) -> str:
        """The advantage of a rule over the best single action."""
        return _gain(self.rule, self.scale, self.written)

    @property
    def keep(self) -> str:
        """The action to take when the study is over."""
        return self.kept.keep if self.known else "Nothing is known, so nothing is recommended."

    def keeping(self, over: bool) -> str:
        """The verb in front of the action or of the rule, when the study is over and before."""
        return _KEEP if over else f"So far: {_KEEP.lower()}"

    def this_rule(self, over: bool) -> str:
        """The sentence in front of the lines of a rule, when the study is over and before."""
        return f"{self.keeping(over)} this rule."

    def heading(self, over: bool) -> str:
        """The heading above the recommendation, when the study is over and before."""
        return "The answer" if over else _SO_FAR

    def label(self, over: bool) -> str:
        """The label in front of the recommendation in a list of studies, when the study is over and before."""
        return f"{_BEST if over else _SO_FAR}{', a rule' if self.by_context else ''}"

    def not_yet(self, told: int) -> str:
        """The reason why nothing is recommended after so many told rounds."""
        if told:
            return "Nothing is recommended yet: too little is known of the means."
        return "Nothing is known yet: the first round will say something."

    @property
    def nothing(self) -> str:
        """The answer of a report where nothing is known."""
        return "Nothing is known yet, so nothing is recommended."

    @property
    def limits(self) -> list[Remark]:
        """Whether it keeps all limits; nothing where there are none."""
        return limits_kept(self.best)

    @property
    def nearest(self) -> str:
        """The mark of an action that is only the nearest to the limits, in a table."""
        return "" if self.best.within_limits else " nearest"

    def lines_with(self, left: str) -> list[Line]:
        """The recommendation and what it rests on; `left` says what is left of the horizon."""
        if not self.told:
            return [Paragraph(TOO_EARLY), Remark(left)]
        return [*self.kept.lines(self.scale, self.written), *self.limits, Remark(f"{self.kept.rests_on()}; {left}")]
