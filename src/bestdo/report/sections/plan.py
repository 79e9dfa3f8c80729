"""A fixed plan: how often each action is played, what for, and what was filled into its sheet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bestdo.report.document_blocks import Bullets, Line, Paragraph, Remark, Table
from bestdo.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bestdo.data.plan_sheet import FilledSheet
    from bestdo.usecases.design import FixedPlan, PlannedAction

__all__ = ["filled_as_data", "filled_lines", "plan_as_data", "plan_in_words", "plan_lines"]

_MOST_NAMED = 3
"""The most other actions, or causes of the reward, that a sentence names."""
_MOST_ROWS = 60
"""The most actions that are printed."""
_MOST_LINES = 8
"""The most line numbers or columns that are printed."""
_NEVER = 1e-9
"""A probability below this is 0 up to rounding."""
_NEGLIGIBLE = 0.005
"""A plan that is proven to be this near to the best is called the best. Chosen, not measured."""
_SMALL = 0.01
"""Probabilities below this are printed with two digits instead of as per cent."""


def plan_as_data(plan: FixedPlan) -> dict[str, Any]:
    """The plan as data for JSON; `optimal_per` says whether it is optimal for the number of rounds or for their cost."""
    return {
        "rounds": len(plan.plays),
        "seed": plan.seed,
        "cost": plan.cost,
        "optimal_per": plan.per,
        "price": plan.price,
        "m": plan.design.m,
        "gap": plan.design.gap,
        "certified": plan.design.certified,
        "actions": [
            {"action": str(each.action), "eta": each.eta, "rounds": each.rounds, "what_for": _purpose(each)}
            for each in plan.actions
        ],
    }


def plan_in_words(plan: FixedPlan) -> list[str]:
    """The achievement of the plan, in sentences without terms of the theory."""
    rounds, actions, m, gap = len(plan.plays), len(plan.problem.actions), plan.design.m, plan.design.gap
    better = f"better by more than {gap / (1 + gap):.1%}" if gap > _NEGLIGIBLE else "better"
    money = " for the same money" if plan.per == "money" else ""
    return [
        f"Each of the {counted(actions, 'action')} becomes known at least as well as if it alone had been played "
        f"{counted(max(1, round(rounds / m)), 'time')}: a round of one action teaches about others too. Rounds that are "
        f"divided equally would give each {rounds / actions:.3g}.",
        f"No plan that is fixed beforehand does {better}{money}: that is proven.",
    ]


def plan_lines(plan: FixedPlan) -> list[Line]:
    """The plan, its difficulty and its proof, and what each action is played for, for a terminal."""
    data, actions = plan_as_data(plan), len(plan.problem.actions)
    rounds, arms = counted(data["rounds"], "round"), f"a bandit with {data['m']:.3g} arms"
    rows = sorted(data["actions"], key=lambda row: -row["eta"])
    cells = [(row["action"], f"{row['eta']:.4f}", f"{row['rounds']:,}") for row in rows[:_MOST_ROWS]]
    more = [f"… and {len(rows) - _MOST_ROWS} more actions; -f json lists them all"] if len(rows) > _MOST_ROWS else []
    idle = f"{counted(actions - len(rows), 'action')} are not played: rounds of the others tell enough about them"
    purposes = [f"{row['action']}: {row['what_for']}" for row in rows[:_MOST_ROWS]]
    return [
        Paragraph(f"An optimal fixed plan of {rounds}{plan.bill}, in a random order (seed {data['seed']})."),
        Paragraph(f"It learns about all {actions} actions as well as {rounds} of {arms} would (m of the design)."),
        Paragraph(_proof(data)),
        Paragraph(""),
        Table(("action", "eta", "rounds"), cells),
        *map(Paragraph, (*more, "")),
        Bullets([*purposes, *([idle] if len(rows) < actions else [])]),
    ]


def _proof(data: Mapping[str, Any]) -> str:
    """That no fixed plan is better, by rounds or by money."""
    m, price, proof = data["m"], data["price"], data["certified"]
    least = m / (1 + data["gap"])
    if data["optimal_per"] == "round":
        return f"No fixed plan has an m below {least:.6g}, against {m:.6g} here: proven, by {proof}."
    return (
        "No fixed plan learns more for the same money: m times the average price of a round is nowhere below "
        f"{least * price:.6g}, against {m * price:.6g} here: proven, by {proof}."
    )


def _purpose(each: PlannedAction) -> str:
    """A sentence about one action: what it contributes to the estimates of all actions."""
    start = _by_itself(each) if each.action else "watching"
    if each.own is None:
        return start
    known = math.isfinite(each.own)
    brings = f"brings {each.own:.0%} of what is learned of it" if known else "brings what no other action can"
    if not each.others:
        return f"{start}: {brings}"
    listed = ", ".join(f"{share:.0%} of {action}" for action, share in each.others[:_MOST_NAMED])
    more = f" and much of {len(each.others) - _MOST_NAMED} more" if len(each.others) > _MOST_NAMED else ""
    return f"{start}: {brings}, {listed}{more}"


def _by_itself(each: PlannedAction) -> str:
    """A phrase that says how often the values that an action sets occur when nothing is set, where that is known."""
    values = ", ".join(f"{n}={v}" for n, v in each.action.items())
    if each.natural is None:
        return f"setting {values}"
    if each.natural < _NEVER:
        return f"{values} never occurs by itself"
    often = f"{each.natural:.2g}" if each.natural < _SMALL else f"{each.natural:.0%}"
    return f"{values} occurs by itself in {often} of the rounds"


def filled_as_data(filled: FilledSheet) -> dict[str, Any]:
    """The contents of the filled sheet, as data for JSON."""
    return {
        "lines": filled.lines,
        "filled": len(filled.rounds.action) - len(filled.without_cause),
        "empty": filled.empty,
        "lines_without_reward": list(filled.half),
        "lines_without_a_cause_of_the_reward": list(filled.without_cause),
        "columns_passed_over": list(filled.passed_over),
    }


def filled_lines(filled: FilledSheet, reward: str, causes: Sequence[str]) -> list[Line]:
    """What was filled into the sheet, for a terminal."""
    count = len(filled.rounds.action) - len(filled.without_cause)
    named = " or ".join(causes) if len(causes) <= _MOST_NAMED else "a parent of the reward"
    without = f"{counted(len(filled.without_cause), 'line')} without {named}: left out ({_lines(filled.without_cause)})"
    half = f"{counted(len(filled.half), 'line')} without {reward}: left out ({_lines(filled.half)})"
    some = ", ".join(filled.passed_over[:_MOST_LINES])
    passed = f"passed over: {counted(len(filled.passed_over), 'other column')}, {some}"
    right = "the estimates are right as long as whether a value is missing does not depend on the value itself"
    said = {
        f"{counted(filled.empty, 'line')} left empty: missing, not failures": filled.empty,
        half: filled.half,
        without: filled.without_cause,
        passed: filled.passed_over,
        right: filled.empty or filled.half or filled.without_cause,
    }
    remarks = [Remark(text) for text, there in said.items() if there]
    return [Paragraph(f"{count:,} of {counted(filled.lines, 'line')} count"), *remarks, Paragraph("")]


def _lines(numbers: Sequence[int]) -> str:
    """The numbers of lines for a sentence."""
    listed = ", ".join(map(str, numbers[:_MOST_LINES]))
    return f"line {listed}" if len(numbers) == 1 else f"lines {listed}{', …' if len(numbers) > _MOST_LINES else ''}"
