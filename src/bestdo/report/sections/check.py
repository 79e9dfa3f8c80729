"""The knowledge about a problem before the first round, in sentences."""

from __future__ import annotations

import itertools
import math
import shlex
from collections import Counter
from typing import TYPE_CHECKING

from bestdo.report.sections import contexts, limits
from bestdo.report.sections.doubts import doubts_in_words
from bestdo.text import counted, quoted

if TYPE_CHECKING:
    from bestdo.bandit.problem import Problem
    from bestdo.usecases.check import Guarantee, Outlook

__all__ = ["settable", "words"]

_FINE_GRID = 12
"""A grid with more numbers than this is not called coarse. Chosen, not measured."""
_LARGE_SHARE, _MOST_SHARES = 0.005, 10
"""Actions of the design with at least this share are named, and at most so many."""
_MOST_LOOKS = 6
"""The most variables that are named as worth looking at. Chosen, not measured."""


def settable(problem: Problem) -> set[str]:
    """The names of the variables that some action sets."""
    return set[str]().union(*problem.actions)


def words(outlook: Outlook) -> list[str]:
    """The answer in a few sentences."""
    count = Counter(way.how for way in outlook.ways)
    total, never = len(outlook.ways), len(outlook.never_best)
    graph = outlook.problem.graph
    lines = list(graph.rewarded.explained)
    single = [quoted(v.name) for v in graph.variables if not v.hidden and len(v.kind.values) == 1]
    if single:
        listed = ", ".join(single[:8]) + (f" and {len(single) - 8} more" if len(single) > 8 else "")
        lines.append(
            f"With a single value there is nothing to choose, and nothing to learn: {listed}. Is a value missing?"
        )
    if never:
        lines.append(
            f"{never} of {total} actions can never be the best one to keep; "
            "one of the others is at least as good, whatever the numbers are."
        )
    lines += _grids_in_words(outlook.problem)
    watched = total - count["doing"]
    in_some = sum(bool(way.watched) for way in outlook.ways)
    if in_some:
        lines.append(
            f"{watched} of {total} actions can be learned by watching, in the same way in every possible graph; "
            f"{in_some} in a way that depends on the graph"
            + (f", and {total - watched - in_some} only by doing them." if watched + in_some < total else ".")
        )
    elif watched == total:
        lines.append("Every action can be learned by watching: a round that sets nothing teaches about all of them.")
    elif watched:
        lines.append(f"{watched} of {total} actions can be learned by watching; the others only by doing them.")
    else:
        lines.append("No action can be learned by watching: each has to be tried.")
    why = next((way.reason for way in outlook.ways if way.how == "doing" and not way.watched), "")
    if why:
        lines.append(f"Why not by watching: {why}.")
    if count["adjusting"]:
        way = next(way for way in outlook.ways if way.how == "adjusting")
        lines.append(f"Why adjusting: {way.reason}, as for {way.intervention}.")
    return [
        *outlook.cautions.in_words(),
        *doubts_in_words(outlook),
        *lines,
        *_difficulty_in_words(outlook),
        *_guarantees_in_words(outlook),
        *limits.explained(outlook.problem),
        *_looks_in_words(outlook),
    ]


def _looks_in_words(outlook: Outlook) -> list[str]:
    """Sentences about what is seen before the action is chosen: which of it is worth looking at, and what else is."""
    worth = {True: "is worth looking at", False: "need not be looked at"}
    seen = [look for look in outlook.looks if look.first]
    lines = [
        *contexts.explained(outlook.problem),
        *(f"{quoted(look.variable)} {worth[look.matters]}: {look.why}." for look in seen),
    ]
    more = [f"{quoted(look.variable)} ({look.why})" for look in outlook.looks if look.matters and look not in seen]
    if more:
        listed = ", ".join(more[:_MOST_LOOKS]) + (
            f" and {len(more) - _MOST_LOOKS} more" if len(more) > _MOST_LOOKS else ""
        )
        lines.append(
            f"If known before the action is chosen, {listed} can make a rule better than one action for everybody: first = "
            "[…] under [problem]."
        )
    return lines


def _grids_in_words(problem: Problem) -> list[str]:
    """A sentence for each variable of which only a few of the numbers that it can have may be set."""
    lines = []
    for name in (n for n in problem.graph.names if n in settable(problem)):
        variable = problem.graph.variable(name)
        if not variable.grid or len(variable.grid) > _FINE_GRID:
            continue
        unit = f" {variable.unit}" if variable.unit else ""
        gaps = [after - before for before, after in itertools.pairwise(variable.grid)]
        between = f"do({quoted(name)}={variable.grid[0] + gaps[0] / 2:g})"
        lines.append(
            f"{quoted(name)} is tried at {len(variable.grid)} numbers only, up to {max(gaps):g}{unit} apart: the best may "
            f"lie between two of them. One in between can be added at any time: bestdo add {shlex.quote(between)}."
        )
    return lines


def _difficulty_in_words(outlook: Outlook) -> list[str]:
    """Sentences about m and the best fixed design, or why there is none."""
    design, total = outlook.design, len(outlook.ways)
    if design is None:
        return [f"How hard it is cannot be said: {outlook.no_design}."]
    shares = sorted(zip(design.eta, outlook.problem.actions, strict=True), key=lambda pair: -pair[0])
    large = [f"{action} {share:.0%}" for share, action in shares if share >= _LARGE_SHARE]
    more = f" and {len(large) - _MOST_SHARES} more" if len(large) > _MOST_SHARES else ""
    listed = ", ".join(large[:_MOST_SHARES]) + more
    return [
        f"It is about as hard as a bandit with {design.m:.3g} arms, though {total} actions are allowed (m of the best "
        "fixed design).",
        f"That design plays {listed}.",
    ]


def _guarantees_in_words(outlook: Outlook) -> list[str]:
    """Sentences about the regret that the theorems promise, where they say something, else from how many rounds on."""
    lines = [_guarantee_in_words(guarantee, outlook.rounds) for guarantee in outlook.guarantees]
    if outlook.rounds is not None and not outlook.guarantees:
        lines.append(
            f"No theorem says what is lost at most after {counted(outlook.rounds, 'round')}: {_no_guarantee(outlook)}. A "
            "rehearsal shows what to expect."
        )
    if any(guarantee.regret is None for guarantee in outlook.guarantees):
        lines.append("The theorems are loose: what to expect of fewer rounds, a rehearsal shows.")
    if outlook.no_learner_below is not None and outlook.rounds is not None:
        lines.append(
            f"No learner can promise less than {outlook.no_learner_below:.2g} after {counted(outlook.rounds, 'round')}: for "
            "some table of the reward each has at least that regret (Theorem 2)."
        )
    return lines


def _no_guarantee(outlook: Outlook) -> str:
    """The reason why no theorem covers the problem."""
    problem = outlook.problem
    reasons = [
        *problem.limits.columns("they are about problems without limits"),
        *([] if math.isfinite(max(problem.graph.rewarded.reach)) else ["the reward has no bounds"]),
        outlook.no_design if outlook.design is None else "they are about problems without costs",
    ]
    return reasons[0]


def _guarantee_in_words(guarantee: Guarantee, rounds: int | None) -> str:
    """A sentence about the guarantee of a theorem."""
    who = "Algorithm 1" if guarantee.theorem == 1 else "the paper's Algorithm 2"
    theorem, small = (
        f"Theorem {guarantee.theorem}",
        f"at most {guarantee.largest / 10:g} from {guarantee.small_from:,} on",
    )
    if guarantee.regret is not None and rounds is not None:
        return (
            f"After {counted(rounds, 'round')} the action that {who} keeps is worse than the best by at most "
            f"{guarantee.regret:.2g} on average ({theorem}; {small})."
        )
    about = "" if rounds is None else f"says nothing of {counted(rounds, 'round')}: it "
    first = f"a regret below {guarantee.largest:g} from {counted(guarantee.below_one_from, 'round')} on"
    return f"{theorem} {about}promises {who} {first}, {small}."
