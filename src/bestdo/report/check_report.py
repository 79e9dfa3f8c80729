"""Shows what is known of a problem before the first round: as text, as tables and as JSON."""

from __future__ import annotations

import itertools
import shlex
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bestdo.bandit.limit import SAFE_ANSWER
from bestdo.report.old_data_report import data_check_as_data, show_data_check
from bestdo.report.sections.doubts import cause_in_words, doubts_as_data, doubts_in_words
from bestdo.text import counted, quoted

if TYPE_CHECKING:
    from rich.console import Console

    from bestdo.bandit.problem import Problem
    from bestdo.causal.graph import Graph
    from bestdo.causal.variable import Variable
    from bestdo.usecases.check import Guarantee, Outlook

__all__ = ["as_data", "show", "words"]

_FINE_GRID = 12
"""A grid with more numbers than this is not called coarse. Chosen, not measured."""
_MOST_ROWS = 200
"""The most actions that are printed."""
_MOST_VALUES = 6
"""The most values of a variable that are printed."""
_LARGE_SHARE, _MOST_SHARES = 0.005, 10
"""Actions of the design with at least this share are named, and at most so many."""
_MOST_LOOKS = 6
"""The most variables that are named as worth looking at. Chosen, not measured."""


def _settable(problem: Problem) -> set[str]:
    """The names of the variables that some action sets."""
    return set[str]().union(*problem.actions)


def as_data(outlook: Outlook) -> dict[str, Any]:
    """The answer as data for JSON."""
    problem, graph = outlook.problem, outlook.problem.graph
    settable = _settable(problem)
    actions = []
    for i, (action, way) in enumerate(zip(problem.actions, outlook.ways, strict=True)):
        never = outlook.never_best.get(action)
        actions.append(
            {
                "action": str(action),
                "set": dict(action),
                "cost": problem.price_list.cost_of(action),
                "learned_by": way.how,
                "adjust_for": list(way.adjust),
                "formula": str(way.formula) if way.formula else None,
                "reason": way.reason,
                **outlook.doubts.said_of(i),
                "hedge": [sorted(way.hedge.outer), sorted(way.hedge.inner)] if way.hedge else None,
                "can_be_best": never is None,
                "never_best_because": never.reason if never else None,
                "never_better_than": [str(a) for a in never.by] if never else [],
            }
        )
    return {
        "reward": graph.reward,
        "success": graph.success,
        **({"worth": dict(graph.worth)} if graph.worth is not None else {}),
        **({"aim": graph.aim} if graph.aim is not None else {}),
        "variables": [
            {
                "name": v.name,
                "values": list(v.values),
                "hidden": v.hidden,
                "may_be_set": v.name in settable,
                "parents": list(graph.parents[v.name]),
                "description": v.description,
                "unit": v.unit,
                **({"cut": list(v.cut)} if v.cut else {}),
                **({} if v.number is None else {"number": asdict(v.number)}),
            }
            for v in graph.variables
        ],
        "actions": actions,
        **problem.limits.fields({"limits": list(map(str, problem.limits)), "sure": problem.sure}),
        "difficulty": _difficulty(outlook),
        "rounds": outlook.rounds,
        "guarantees": [asdict(guarantee) for guarantee in outlook.guarantees],
        "no_learner_below": outlook.no_learner_below,
        **({"first": list(problem.first)} if problem.first else {}),
        "looks": [look._asdict() for look in outlook.looks],
        **outlook.cautions.as_data(),
        **doubts_as_data(outlook),
        **({} if outlook.data is None else {"data": data_check_as_data(outlook.data)}),
    }


def _difficulty(outlook: Outlook) -> dict[str, Any]:
    """The number of actions, m of the best fixed design with its proof, and the design itself."""
    design = outlook.design
    if design is None:
        return {"actions": len(outlook.ways), "m": None, "reason": outlook.no_design}
    eta = {str(a): float(e) for a, e in zip(outlook.problem.actions, design.eta, strict=True) if e > 0}
    return {"actions": len(outlook.ways), "m": design.m, "gap": design.gap, "certified": design.certified, "eta": eta}


def show(outlook: Outlook, actions_given: bool = True) -> None:
    """Prints the answer as text and tables."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    graph = outlook.problem.graph
    question = Text(outlook.problem.question)
    question.highlight_words([graph.wanted.removesuffix(" likeliest")], style="bold green")
    console.print(question)
    console.print()
    _show_variables(console, outlook)
    if not actions_given:
        console.print("The file names no actions: every observed variable, one at a time, is taken.\n")
    _show_actions(console, outlook)
    for line in words(outlook):
        console.print(Text("• ") + Text(line))
    if any(way.how == "formula" for way in outlook.ways):
        console.print("\nFormulas, in terms of what is seen when nothing is set:")
        for names, way in {tuple(w.intervention): w for w in outlook.ways if w.how == "formula"}.items():
            console.print(
                Text(f"  P({quoted(graph.reward or '')} | do({', '.join(map(quoted, names))})) = {way.formula}")
            )
    if outlook.data is not None:
        show_data_check(outlook.data)


def _show_variables(console: Console, outlook: Outlook) -> None:
    """Prints a table of the variables with their values and causes."""
    from rich.table import Table
    from rich.text import Text

    graph = outlook.problem.graph
    settable = _settable(outlook.problem)
    table = Table("variable", "values", "caused by", "", box=None, pad_edge=False, header_style="dim")
    for v in graph.variables:
        if v.hidden and "<->" in v.name:
            continue
        role = "the reward" if v.name == graph.reward else "may be set" if v.name in settable else ""
        role = "seen first" if v.name in outlook.problem.first else role
        shared = [a for h in graph.parents[v.name] if "<->" in h for a in graph.children[h] if a != v.name]
        possible = outlook.problem.graphs.possible
        perhaps = (a for a, mark, b in possible if mark == "->" and b == v.name)
        parents = dict.fromkeys((*graph.parents[v.name], *perhaps))  # of an arrow in either direction both ends
        causes = ", ".join(cause_in_words(possible, p, v.name) for p in parents if "<->" not in p)
        sharing = [cause_in_words(possible, a, v.name, "<->") for a in shared]
        causes += f"{'; ' if causes else ''}shares hidden causes with {', '.join(sharing)}" if shared else ""
        table.add_row(
            Text(v.name, style="bold" if v.name == graph.reward else "dim" if v.hidden else ""),
            Text(_values(v)),
            Text(causes or "–"),
            Text(
                "hidden" if v.hidden else role,
                style="green" if role == "the reward" else "cyan" if role else "dim",
            ),
        )
    console.print(table)
    console.print()


def _values(variable: Variable) -> str:
    """The values of a variable, the bounds of a number, and the cuts between the values where there are some."""
    if variable.number is not None:
        return variable.allowed
    more_values = f", … ({len(variable.values)})" if len(variable.values) > _MOST_VALUES else ""
    values = ", ".join(variable.values[:_MOST_VALUES]) + more_values
    borders = ", ".join(f"{border:g}" for border in variable.cut)
    unit = f" {variable.unit}" if variable.unit else ""
    return f"{values} (cut at {borders}{unit})" if borders else values + (f" ({variable.unit})" if unit else "")


def _show_actions(console: Console, outlook: Outlook) -> None:
    """Prints a table of the actions: how each can be learned, and whether it can be the best."""
    from rich.table import Table
    from rich.text import Text

    prices = outlook.problem.price_list
    table = Table(
        "action", "how it can be learned", "can it be the best?", box=None, pad_edge=False, header_style="dim"
    )
    for heading in prices.columns:
        table.add_column(heading, justify="right")
    styles = {"seeing": "green", "adjusting": "green", "formula": "green", "doing": "yellow"}
    for way in outlook.ways[:_MOST_ROWS]:
        never = outlook.never_best.get(way.intervention)
        row = [
            Text(str(way.intervention), style="dim" if never else "bold"),
            Text(way.in_words, style=styles[way.how]),
            Text(f"no: {never.reason}" if never else "yes", style="dim" if never else ""),
        ]
        table.add_row(*row, *prices.cells(way.intervention))
    console.print(table)
    if len(outlook.ways) > _MOST_ROWS:
        console.print(f"… and {len(outlook.ways) - _MOST_ROWS} more actions; -f json lists them all.")
    console.print()


def words(outlook: Outlook) -> list[str]:
    """The answer in a few sentences."""
    count = Counter(way.how for way in outlook.ways)
    total, never = len(outlook.ways), len(outlook.never_best)
    lines = []
    graph = outlook.problem.graph
    lines += _reward_in_words(graph)
    single = [quoted(v.name) for v in graph.variables if not v.hidden and v.number is None and len(v.values) == 1]
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
        *_limits_in_words(outlook.problem),
        *_looks_in_words(outlook),
    ]


def _looks_in_words(outlook: Outlook) -> list[str]:
    """Sentences about what is seen before the action is chosen: which of it is worth looking at, and what else is."""
    problem = outlook.problem
    lines = []
    if problem.first:
        count = counted(len(problem.contexts), "context")
        listed = ", ".join(map(quoted, problem.first))
        lines.append(f"Seen before the action is chosen: {listed} ({count}). The answer is a rule, an action for each.")
    for look in outlook.looks:
        if look.first:
            worth = "is worth looking at" if look.matters else "need not be looked at"
            lines.append(f"{quoted(look.variable)} {worth}: {look.why}.")
    more = [f"{quoted(look.variable)} ({look.why})" for look in outlook.looks if look.matters and not look.first]
    if more:
        listed = ", ".join(more[:_MOST_LOOKS]) + (
            f" and {len(more) - _MOST_LOOKS} more" if len(more) > _MOST_LOOKS else ""
        )
        lines.append(
            f"If known before the action is chosen, {listed} can make a rule better than one action for everybody: first = "
            "[…] under [problem]."
        )
    return lines


def _limits_in_words(problem: Problem) -> list[str]:
    """Sentences about the limits, and what they do not promise; none where there are none."""
    if not problem.limits:
        return []
    limits = f"{'Limits' if len(problem.limits) > 1 else 'Limit'}: {'; '.join(map(str, problem.limits))}"
    lines = [
        f"{limits}{' in each context' if problem.first else ''}. The best of the actions that keep "
        f"{'them' if len(problem.limits) > 1 else 'it'}{' there' if problem.first else ''} with probability {problem.sure:g} "
        "is recommended, or the nearest where none does. With limits every action can be the best."
    ]
    never = [str(action) for limit in problem.limits for action in limit.never]
    if never:
        lines.append(f"Never allowed, because they break a limit: {', '.join(never)}.")
    return [*lines, SAFE_ANSWER]


def _reward_in_words(graph: Graph) -> list[str]:
    """Sentences about a reward that is a number: its aim, unit and bounds, and which learners need more."""
    reward = graph.variable(str(graph.reward))
    if reward.number is None:
        return []
    unit = f" {reward.unit}" if reward.unit else ""
    said = f"The aim is to {graph.aim} the mean of {quoted(reward.name)}{', in ' + reward.unit if unit else ''}"
    if reward.number.bounds is not None:
        low, high = reward.number.bounds
        return [f"{said}, which is always from {low:g} to {high:g}{unit}."]
    if reward.number.spread is not None:
        return [f"{said}, whose standard deviation is at most {reward.number.spread:g}{unit}, whatever is done."]
    return [f"{said}. Some learners need low and high, or a spread that it does not exceed: none is stated."]


def _grids_in_words(problem: Problem) -> list[str]:
    """A sentence for each variable of which only a few of the numbers that it can have may be set."""
    lines = []
    for name in (n for n in problem.graph.names if n in _settable(problem)):
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
    """Why no theorem covers the problem."""
    problem = outlook.problem
    if problem.limits:
        return "they are about problems without limits"
    if problem.graph.bounds is None:
        return "the reward has no bounds"
    return outlook.no_design if outlook.design is None else "they are about problems without costs"


def _guarantee_in_words(guarantee: Guarantee, rounds: int | None) -> str:
    """One sentence about the guarantee of a theorem."""
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
