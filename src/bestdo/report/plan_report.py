"""Shows a fixed plan: how often each action is played, what for, and what was filled into its sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bestdo.causal.action import do
from bestdo.report.study_report import say, table
from bestdo.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bestdo.bandit.problem import Problem
    from bestdo.causal.action import Intervention
    from bestdo.data.plan_sheet import FilledSheet
    from bestdo.design.optimal import Design

__all__ = ["filled_as_data", "plan_as_data", "show_filled", "show_plan"]

_MUCH = 0.15
"""From this share on, what an action contributes to the estimate of another is mentioned."""
_MOST_NAMED = 3
"""The most other actions, or causes of the reward, that a sentence names."""
_MOST_ROWS = 60
"""The most actions that are printed."""
_MOST_LINES = 8
"""The most line numbers or columns that are printed."""
_NEVER = 1e-9
"""A probability below this is 0 up to rounding."""
_SMALL = 0.01
"""Probabilities below this are printed with two digits instead of as per cent."""


def plan_as_data(problem: Problem, design: Design, plays: NDArray[np.integer], seed: int, per: str) -> dict[str, Any]:
    """The plan as data for JSON; `per` says whether it is optimal for the number of rounds or for their cost."""
    counts = np.bincount(plays, minlength=len(problem.actions))
    purposes = _purposes(problem, design)
    return {
        "rounds": len(plays),
        "seed": seed,
        "cost": float(np.array(problem.cost)[plays].sum()) if problem.cost else None,
        "optimal_per": per,
        "price": float(design.eta @ problem.prices),
        "m": design.m,
        "gap": design.gap,
        "certified": design.certified,
        "actions": [
            {"action": str(a), "eta": float(e), "rounds": int(n), "what_for": purposes[i]}
            for i, (a, e, n) in enumerate(zip(problem.actions, design.eta, counts, strict=True))
            if e > 0 or n > 0
        ],
    }


def show_plan(data: dict[str, Any], actions: int) -> None:
    """Prints the plan."""
    cost = "" if data["cost"] is None else f", which cost {data['cost']:g}"
    say(f"An optimal fixed plan of {counted(data['rounds'], 'round')}{cost}, in a random order (seed {data['seed']}).")
    m, least, proof = data["m"], data["m"] / (1 + data["gap"]), data["certified"]
    say(
        f"It learns about all {actions} actions as well as {counted(data['rounds'], 'round')} of a bandit with {m:.3g} arms "
        "would (m of the design)."
    )
    if data["optimal_per"] == "round":
        say(f"No fixed plan has an m below {least:.6g}, against {m:.6g} here: proven, by {proof}.")
    else:
        say(
            "No fixed plan learns more for the same money: m times the average price of a round is nowhere below "
            f"{least * data['price']:.6g}, against {m * data['price']:.6g} here: proven, by {proof}."
        )
    say("")
    rows = sorted(data["actions"], key=lambda row: -row["eta"])
    table(
        ("action", "eta", "rounds"),
        [(row["action"], f"{row['eta']:.4f}", f"{row['rounds']:,}") for row in rows[:_MOST_ROWS]],
    )
    if len(rows) > _MOST_ROWS:
        say(f"… and {len(rows) - _MOST_ROWS} more actions; -f json lists them all")
    say("")
    for row in rows[:_MOST_ROWS]:
        say(f"• {row['action']}: {row['what_for']}")
    if len(rows) < actions:
        say(f"• {counted(actions - len(rows), 'action')} are not played: rounds of the others tell enough about them")


def _purposes(problem: Problem, design: Design) -> list[str]:
    """A sentence for each action: what it contributes to the estimates of all actions."""
    from bestdo.design.contributions import shares

    assert problem.law is not None
    share = shares(problem.law, design.eta)
    return [_purpose(problem, b, share) for b in range(len(problem.actions))]


def _purpose(problem: Problem, b: int, share: NDArray[np.float64] | None) -> str:
    """A sentence about one action; share[a, b] is what it contributes to the estimate of action a."""
    actions = problem.actions
    start = "watching" if actions[b] == do() else _by_itself(problem, actions[b])
    if share is None:
        return start
    own = share[b, b]
    brings = f"brings {own:.0%} of what is learned of it" if np.isfinite(own) else "brings what no other action can"
    others = sorted(((s, a) for a, s in enumerate(share[:, b]) if a != b and s >= _MUCH), key=lambda pair: -pair[0])
    if not others:
        return f"{start}: {brings}"
    listed = ", ".join(f"{share_:.0%} of {actions[a]}" for share_, a in others[:_MOST_NAMED])
    more = f" and much of {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    return f"{start}: {brings}, {listed}{more}"


def _by_itself(problem: Problem, action: Intervention) -> str:
    """A phrase that says how often the values that an action sets occur when nothing is set, where that is known."""
    law = problem.law
    values = ", ".join(f"{n}={v}" for n, v in action.items())
    if law is None or do() not in problem.actions or not set(action) <= set(law.parents):
        return f"setting {values}"
    chance = law.natural_chance(action)
    if chance < _NEVER:
        return f"{values} never occurs by itself"
    return (
        f"{values} occurs by itself in {chance:.2g} of the rounds"
        if chance < _SMALL
        else (f"{values} occurs by itself in {chance:.0%} of the rounds")
    )


def filled_as_data(filled: FilledSheet) -> dict[str, Any]:
    """What was filled into the sheet, as data for JSON."""
    return {
        "lines": filled.lines,
        "filled": len(filled.rounds.action) - len(filled.without_cause),
        "empty": filled.empty,
        "lines_without_reward": list(filled.half),
        "lines_without_a_cause_of_the_reward": list(filled.without_cause),
        "columns_passed_over": list(filled.passed_over),
    }


def show_filled(filled: FilledSheet, reward: str, causes: Sequence[str]) -> None:
    """Prints what was filled into the sheet."""
    count = len(filled.rounds.action) - len(filled.without_cause)
    say(f"{count:,} of {counted(filled.lines, 'line')} count")
    if filled.empty:
        say(f"  {counted(filled.empty, 'line')} left empty: missing, not failures")
    if filled.half:
        say(f"  {counted(len(filled.half), 'line')} without {reward}: left out ({_lines(filled.half)})")
    if filled.without_cause:
        named = " or ".join(causes) if len(causes) <= _MOST_NAMED else "a parent of the reward"
        say(
            f"  {counted(len(filled.without_cause), 'line')} without {named}: left out ({_lines(filled.without_cause)})"
        )
    if filled.passed_over:
        some = ", ".join(filled.passed_over[:_MOST_LINES])
        say(f"  passed over: {counted(len(filled.passed_over), 'other column')}, {some}")
    if filled.empty or filled.half or filled.without_cause:
        say("  the estimates are right as long as whether a value is missing does not depend on the value itself")
    say("")


def _lines(numbers: Sequence[int]) -> str:
    """The numbers of lines for a sentence."""
    listed = ", ".join(map(str, numbers[:_MOST_LINES]))
    return f"line {listed}" if len(numbers) == 1 else f"lines {listed}{', …' if len(numbers) > _MOST_LINES else ''}"
