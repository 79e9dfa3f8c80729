"""Shows a rule as text: its lines, what it is worth, and a table of all contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestdo.bandit.rule import Value
from bestdo.report.reward_scale import RewardScale
from bestdo.report.study_report import say, table
from bestdo.text import chance, counted, quoted

if TYPE_CHECKING:
    from bestdo.bandit.answer import Best
    from bestdo.bandit.rule import InContext, Rule

__all__ = ["show_first", "show_rule"]

_MOST_ROWS = 40
"""Contexts in the table; JSON and `bestdo export --rule` have all of them. Chosen, not measured."""


def show_first(first: tuple[str, ...], contexts: int) -> None:
    """Prints what is seen before the action is chosen; nothing where nothing is."""
    if first:
        say(f"  seen first: {', '.join(map(quoted, first))} ({counted(contexts, 'context')}); the answer is a rule")


def show_rule(best: Best, rule: Rule, unit: str = "rounds", out: int = 0) -> None:
    """Prints the rule, its value beside that of the best single action, and a table of all contexts."""
    left = f"{best.left:g} of the budget" if unit == "cost" else counted(int(best.left), "round")
    left = f"{left} left, {out} out" if out else f"{left} left"
    if not any(one.rounds for one in rule.contexts):
        say("too early: no round has been told yet")
        say(f"  {left}")
        return
    scale = RewardScale.of(rule.problem.graph, [rule.value, rule.single_value, *map(_value, rule.contexts)])
    if rule.is_single:
        say(f"everybody: {rule.single}")
        say("  no context has another best action, as far as is known")
    for line in rule.lines if not rule.is_single else ():
        say(str(line))
    value, single, gain = rule.value, rule.single_value, rule.gain
    say(f"  {scale.with_unit(value.mean)} on average, 95 % interval {scale.interval(value.low, value.high)}")
    if not rule.is_single:
        say(f"  the best single action for everybody, {rule.single}: {scale.with_unit(single.mean)}")
        better = f"{scale.with_unit(gain.mean)} better, 95 % interval {scale.interval(gain.low, gain.high)}"
        say(f"  the rule is {better}; worth having with probability {chance(rule.p_worth)}")
    if rule.about_limits:
        say(f"  {rule.about_limits}")
    say(f"  rests on {counted(sum(one.rounds for one in rule.contexts), 'round')}; {left}")
    say("")
    rows = sorted(
        zip(rule.contexts, map(rule.problem.contexts.written, range(len(rule.contexts))), strict=True), key=_often
    )
    mean = f"mean ({scale.unit})" if scale.unit else "mean"
    table(
        (
            "context",
            "share",
            "action",
            mean,
            "95 % interval",
            "P(best)",
            *(("keeps limits",) if rule.keeps is not None else ()),
            "rounds",
        ),
        [
            (
                context,
                f"{one.share:.2f}",
                str(one.action),
                scale.mean(one.mean),
                scale.interval(one.low, one.high),
                chance(one.p_best),
                *(() if one.keeps is None else (chance(one.keeps),)),
                str(one.rounds),
            )
            for one, context in rows[:_MOST_ROWS]
        ],
    )
    if rule.keeps is not None:
        say("  P(best): that it is the best of those that keep all limits in the context")
    if len(rows) > _MOST_ROWS:
        say(f"  and {counted(len(rows) - _MOST_ROWS, 'context')} more: bestdo export --rule FILE has all")


def _value(one: InContext) -> Value:
    """The mean in a context, with its interval."""
    return Value(one.mean, one.low, one.high)


def _often(row: tuple[InContext, str]) -> float:
    """Sorts contexts, the most frequent first."""
    return -row[0].share
