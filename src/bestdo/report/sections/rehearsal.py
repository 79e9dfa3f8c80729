"""The advice of a rehearsal in sentences: the learner, the number of rounds, their gain, and the gain of waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bestdo.bandit.goal import KEPT, SUMMED, measure_of
from bestdo.bandit.horizon import Horizon
from bestdo.text import frequency, with_error
from bestdo.usecases.rehearsal_advice import (
    AS_GOOD,
    Finding,
    advised_together,
    as_good,
    delays,
    findings,
    judged,
    words_of,
)

__all__ = ["advice", "amount", "cost_of_delay"]

Row = dict[str, Any]
"""A row of the table of a rehearsal: values by column."""


def advice(table: Sequence[Row]) -> str:
    """Advice in a few sentences: which learner, how many rounds, what that brings, and how it depends on the causes.

    It is the least number of rounds that brings nine tenths of what the largest number brings, whether few causes matter
    or all do.
    """
    found = findings(table)
    said = {KEPT: _about_keeping, SUMMED: _about_earning}[found[0].measure](found)
    return " ".join([*said, *_about_rules(found), *_about_limits(table)])


def _about_earning(found: Sequence[Finding]) -> list[str]:
    """The learner that loses least in all rounds together, and the rounds from which on learning pays.

    Who does not learn plays the action that looks best beforehand in all rounds.
    """
    return [_earns(one) for one in found]


def _earns(one: Finding) -> str:
    """The earnings of learning in worlds of one kind."""
    most = one.most
    regret, error = SUMMED.of(most)
    text = (
        f"{f'If {one.panel}: ' if one.panel else ''}{most['learner']} loses least: in {_rounds(most)} together it earns "
        f"{with_error(regret, AS_GOOD * error, 2)} less than the best {words_of(most).answer} would"
    )
    if isinstance(most["horizon"], float):  # by money, not by rounds
        return f"{text}."
    now, pays = "as things stand" if most["rounds_before"] else "beforehand", one.pays_from
    when = "does not pay in so few rounds" if pays is None else f"pays from {_rounds(pays)} on"
    return f"{text}, against {one.idle(most):.2f} less by what looks best {now}, always; learning {when}."


def _about_rules(found: Sequence[Finding]) -> list[str]:
    """Whether a rule is worth it: what the best one gains over one action for everybody, and how much of that is kept."""
    return [_gains(one) for one in found if "rule_gain" in one.most]


def _gains(one: Finding) -> str:
    """The gain of rules in worlds of one kind."""
    most, enough = one.most, one.better_rule
    on = f"If {one.panel}, on" if one.panel else "On"
    better = f"{one.measure.each}{amount(most, most['rule_gain'])} better than the best single action for everybody"
    text = f"{on} average the best rule is {better}"
    if enough is None:
        return f"{text}; up to {_rounds(most)} do not find a rule that is surely better than that action."
    since = f"from {_rounds(enough)} on" if enough is not most or len(one.best) == 1 else f"after {_rounds(enough)}"
    return f"{text}; {since} the rule that {enough['learner']} keeps is better than that action."


def _about_limits(table: Sequence[Row]) -> list[str]:
    """The share of studies whose recommendation breaks a limit after the largest number of rounds; empty without limits."""
    most = max(row["horizon"] for row in table)
    row = min((row for row in table if row["horizon"] == most), key=judged)
    words = words_of(row)
    return [
        f"The best is the best of the actions that keep the limits{words.within}; {words.among} {frequency(none)} of the "
        f"{words.population} none does, and there nothing can be lost. After {_rounds(row)} of {row['learner']} the "
        f"{words.answer} kept breaks a limit {words.among} {row['breaks']:.0%} of the {words.population}, and {words.among} "
        f"{row['none']:.0%} the study says that no action keeps them."
        for none in [row.get("no_action_keeps")]
        if none is not None
    ]


def _about_keeping(found: Sequence[Finding]) -> list[str]:
    """The advice on learner and rounds where what is kept at the end counts."""
    if len(found) == 1:
        return [_advice_for_one(found[0])]
    rows = advised_together(found)
    if not rows:
        return [f"If {one.panel}: {_advice_for_one(one)}" for one in found]
    first, *_ = rows.values()
    text = f"{first['learner']} for {_rounds(first)}: " + ", and ".join(
        f"if {panel} it keeps the best {words_of(row).answer} in {frequency(row['p_best'])} of the worlds, and what it keeps "
        f"is worse than the best by {_amount(row, 'regret')} on average "
        f"(against {_amount(row, 'regret_without')} without an experiment)"
        for panel, row in rows.items()
    )
    return [f"{text}.", *_disagreements(found, rows)]


def _disagreements(found: Sequence[Finding], rows: Mapping[str, Row]) -> list[str]:
    """The dependence of the advice on the number of causes that matter, in sentences."""
    said = [part for one in found for part in _disagrees(one, rows[one.panel])]
    if not said:
        return ["This does not depend on how many causes matter."]
    return [
        "This depends on how many causes matter, which nobody knows before the experiment: " + "; ".join(said) + "."
    ]


def _disagrees(one: Finding, advised: Row) -> list[str]:
    """In what worlds of one kind call for something else than what is advised."""
    row = one.enough
    if row is None:
        largest = max(one.rows, key=lambda each: each["horizon"])
        return [f"if {one.panel}, up to {_rounds(largest)} buy next to nothing"]
    if row["horizon"] != advised["horizon"]:
        worse = f"worse than the best by {_amount(row, 'regret')}"
        return [f"if {one.panel}, {_rounds(row)} are enough ({row['learner']}, {worse})"]
    if as_good(advised, row):
        return []
    worse = f"worse than the best by {_amount(row, 'regret')} instead of {_amount(advised, 'regret')}"
    return [f"if {one.panel}, {row['learner']} is better ({worse})"]


def _advice_for_one(one: Finding) -> str:
    """The advice where all worlds were drawn from one prior."""
    chosen, most = one.enough, one.most
    before = _amount(most, "regret_without")
    now = "as things stand" if most["rounds_before"] else "without an experiment"
    if chosen is None:
        return (
            f"Up to {_rounds(most)} buy next to nothing here: the {words_of(most).answer} kept is worse than the best one by "
            f"{_amount(most, 'regret')} on average, against {before} {now}."
        )
    text = (
        f"{chosen['learner']} for {_rounds(chosen)}{_or(one.rivals(chosen))}: it keeps the best {words_of(chosen).answer} in "
        f"{frequency(chosen['p_best'])} of such worlds, and what it keeps is worse than the best by "
        f"{_amount(chosen, 'regret')} on average, against {before} {now}"
    )
    if chosen is most:
        return f"{text}; more rounds than that may still be worth their price."
    lower = most["regret"] < chosen["regret"]
    what = f"lower that to {_amount(most, 'regret')}" if lower else "not lower that"
    return f"{text}; {_rounds(most)} would {what}."


def _or(rivals: Sequence[str]) -> str:
    """The learners that are as good as the one chosen, in brackets."""
    return f" ({' and '.join(rivals)} {'is' if len(rivals) == 1 else 'are'} as good)" if rivals else ""


def _amount(row: Row, what: str) -> str:
    """A regret of a row as text."""
    return amount(row, row[what])


def amount(row: Row, number: float) -> str:
    """A number as text, with three decimals, or three digits where the reward's unit makes regrets large or tiny."""
    return f"{number:.3f}" if 0.01 <= row["regret_without"] < 10 else f"{number:.3g}"


def _rounds(row: Row) -> str:
    """The horizon of a row, in words."""
    return Horizon.of_number(row["horizon"]).words("more round" if row["rounds_before"] else "round")


def cost_of_delay(table: Sequence[Row]) -> list[str]:
    """The cost of not waiting for results, in a sentence for each learner; none where they are waited for."""
    return [
        f"{row['learner']}, {_rounds(row)}: {measure_of(row).behind} by {waited + cost:.3f} on average, against "
        f"{waited:.3f} if every result were known before the next round (a difference of "
        f"{'+' if cost >= 0 else ''}{with_error(cost, AS_GOOD * error, 3)})"
        for row, waited, cost, error in delays(table)
    ]
