"""Shows what is known of a problem before the first round: as text, as tables and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bestdo.report.sections.check import settable, words
from bestdo.report.sections.doubts import cause_in_words, doubts_as_data
from bestdo.report.sections.old_data import data_check_as_data, data_check_lines
from bestdo.report.writers.terminal import show as write
from bestdo.text import quoted

if TYPE_CHECKING:
    from rich.console import Console

    from bestdo.usecases.check import Outlook

__all__ = ["as_data", "show"]

_MOST_ROWS = 200
"""The most actions that are printed."""
_MOST_VALUES = 6
"""The most values of a variable that are printed."""


def as_data(outlook: Outlook) -> dict[str, Any]:
    """The answer as data for JSON."""
    problem, graph = outlook.problem, outlook.problem.graph
    may_be_set = settable(problem)
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
        **graph.rewarded.declared,
        "variables": [
            {
                "name": v.name,
                "values": list(v.values),
                "hidden": v.hidden,
                "may_be_set": v.name in may_be_set,
                "parents": list(graph.parents[v.name]),
                "description": v.description,
                "unit": v.unit,
                **v.kind.about,
            }
            for v in graph.variables
        ],
        "actions": actions,
        **problem.limits.fields({"limits": list(map(str, problem.limits)), "sure": problem.sure}),
        "difficulty": _difficulty(outlook),
        "rounds": outlook.rounds,
        "guarantees": [asdict(guarantee) for guarantee in outlook.guarantees],
        "no_learner_below": outlook.no_learner_below,
        **dict(problem.contexts.columns(("first", list(problem.first)))),
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
        write(data_check_lines(outlook.data))


def _show_variables(console: Console, outlook: Outlook) -> None:
    """Prints a table of the variables with their values and causes."""
    from rich.table import Table
    from rich.text import Text

    graph = outlook.problem.graph
    roles: dict[str | None, str] = {
        **dict.fromkeys(settable(outlook.problem), "may be set"),
        **dict.fromkeys(outlook.problem.first, "seen first"),
        graph.reward: "the reward",
    }
    table = Table("variable", "values", "caused by", "", box=None, pad_edge=False, header_style="dim")
    for v in graph.variables:
        if v.hidden and "<->" in v.name:
            continue
        role = roles.get(v.name, "")
        shared = [a for h in graph.parents[v.name] if "<->" in h for a in graph.children[h] if a != v.name]
        possible = outlook.problem.graphs.possible
        perhaps = (a for a, mark, b in possible if mark == "->" and b == v.name)
        parents = dict.fromkeys((*graph.parents[v.name], *perhaps))  # of an arrow in either direction both ends
        causes = ", ".join(cause_in_words(possible, p, v.name) for p in parents if "<->" not in p)
        sharing = [cause_in_words(possible, a, v.name, "<->") for a in shared]
        causes += f"{'; ' if causes else ''}shares hidden causes with {', '.join(sharing)}" if shared else ""
        table.add_row(
            Text(v.name, style="bold" if v.name == graph.reward else "dim" if v.hidden else ""),
            Text(v.kind.brief(_MOST_VALUES)),
            Text(causes or "–"),
            Text(
                "hidden" if v.hidden else role,
                style="green" if role == "the reward" else "cyan" if role else "dim",
            ),
        )
    console.print(table)
    console.print()


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
