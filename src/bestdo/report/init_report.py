"""Words on a problem that was made from a graph and a table: the comments in its file, a table, and what to know."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bestdo.bandit.horizon import ROUNDS
from bestdo.causal.variable import Variable
from bestdo.causal.variable_kind import Cuts, Labels, Measure
from bestdo.errors import shown
from bestdo.files import Contents
from bestdo.files.toml_text import edge_text, variable_heading, write
from bestdo.text import counted
from bestdo.usecases.init_draft import Draft, contents_of_draft
from bestdo.usecases.init_values import ValueDraft, suspects

if TYPE_CHECKING:
    from rich.table import Table

    from bestdo.data.profile import ColumnProfile

__all__ = ["commented", "draft_table", "next_commands", "notes"]

_MOST_SHARES = 8
"""Values whose shares are listed. Chosen, not measured."""
_ROUNDS = 60
"""Rounds in the command that is proposed, or as many at the mean cost. Chosen, not measured."""
_MOST_NAMES = 8
"""Names that a note lists. Chosen, not measured."""


def commented(draft: Draft, contents: Contents | None = None) -> str:
    """The problem as TOML, with comments that say where everything comes from and how to change it.

    `contents` are those of the draft, or as much of them as is known.
    """
    contents = contents or contents_of_draft(draft)
    wanted = [] if contents.graph.reward is None else [f"Wanted: the action that makes {contents.graph.wanted}."]
    sources = " and ".join(name for name in (draft.base.name, draft.table and draft.table.name) if name)
    comments = {
        "bestdo = 1": [
            f"A problem for bestdo, made by bestdo init from {sources}.",
            "Edit it as you like: bestdo check says whether it is sound.",
        ],
        "[graph]": [*_on_arrows(draft), *wanted],
        "[actions]": [
            "What may be set, each to any of its values, and how many of them at once; beside doing nothing.",
            'Where every round counts, not only the action kept at the end, add the lines [problem] and goal = "earn" below.',
        ],
    }
    if draft.table is not None:
        comments["[data]"] = [f"How {draft.table.name} is read, and other tables like it."]
    if contents.model is not None:
        comments["[tables]"] = [f"Probabilities as in {draft.base.name}; without them learners know the graph alone."]
    for name, values in draft.values.items():
        comments[variable_heading(name)] = list(_on_variable(draft, name, values))
    return write(contents, comments)


def _on_arrows(draft: Draft) -> list[str]:
    """The lines about the arrows: where they come from, or how they are written."""
    if any(draft.base.graph.parents.values()):
        return [f"Causes and effects as in {draft.base.name}."]
    reward = draft.reward or "effect"
    names = [name for name in draft.graph.observed if name != reward] or ["cause"]
    return [
        "There are no arrows yet. Each line between the brackets says what causes what, for example",
        f"    {edge_text('->', names[0], reward)},",
        f"    {edge_text('<->', names[0], (names[1:] or [reward])[0])},    # a common cause that nobody sees",
    ]


def _on_variable(draft: Draft, name: str, values: ValueDraft) -> Iterator[str]:
    """The lines about a variable: its column, what was seen there, and why it has these values."""
    variable, column = values.variable, values.column
    if variable.hidden:
        yield "Nobody sees it."
    elif column is None:
        where = "" if draft.table is None else "No column holds it"
        origin = {"graph": f"values as in {draft.base.name}", "said": "values as they were said"}.get(values.why)
        origin = origin or "nothing says its values; 0 and 1 stand for no and yes until you write them here"
        yield f"{where}; {origin}." if where else f"{origin[0].upper()}{origin[1:]}."
    else:
        missing = f", {counted(column.missing, 'row')} without it" if column.missing else ""
        yield f"Column {shown(column.name)}: {counted(column.rows, 'row')}{missing}."
        yield from _seen(variable, column, values.why)


def _seen(variable: Variable, column: ColumnProfile, why: str) -> Iterator[str]:
    """The lines about what was seen in a column."""
    yield from _SEEN[type(variable.kind)](variable, column, why)


def _seen_labels(variable: Variable, column: ColumnProfile, why: str) -> Iterator[str]:
    """The lines about a column of labels."""
    yield f"Seen: {shares_of(variable, column)}."


def _seen_cuts(variable: Variable, column: ColumnProfile, why: str) -> Iterator[str]:
    """The lines about a column of numbers that are cut."""
    yield from _range(column)
    reason = "as it was said" if why in ("said", "graph") else "a round number near the middle; choose what makes sense"
    cuts = ", ".join(f"{border:g}" for border in variable.cut)
    yield f"Cut at {cuts} ({reason}): {shares_of(variable, column)}."


def _seen_numbers(variable: Variable, column: ColumnProfile, why: str) -> Iterator[str]:
    """The lines about a column of numbers."""
    yield from _range(column)
    yield "If it can never leave some bounds, say so: low = …, high = … (some learners need both, or a spread)."


_SEEN = {Labels: _seen_labels, Cuts: _seen_cuts, Measure: _seen_numbers}


def _range(column: ColumnProfile) -> Iterator[str]:
    """The line about the numbers of a column that holds some."""
    if len(column.numbers):
        low, middle, high = float(column.numbers[0]), column.quantile(0.5), float(column.numbers[-1])
        yield f"Numbers from {low:g} to {high:g}, half of them up to {middle:g}."


def shares_of(variable: Variable, column: ColumnProfile) -> str:
    """The shares of the values of a variable in a column, the most frequent ones: "no 61 %, yes 39 %"."""
    from bestdo.data.labels import meaning

    if variable.cut and len(column.numbers):
        up_to = [0.0, *(column.below(border) for border in variable.cut), 1.0]
        parts = [(value, up_to[i + 1] - up_to[i]) for i, value in enumerate(variable.values)]
    else:
        counts = dict.fromkeys(variable.values, 0)
        for label, times in column.labels.items():
            code = meaning(variable, label)
            if code is not None and code >= 0:
                counts[variable.values[code]] += times
        total = sum(counts.values()) or 1
        parts = [(value, times / total) for value, times in counts.items()]
    more = f", and {len(parts) - _MOST_SHARES} more" if len(parts) > _MOST_SHARES else ""
    digits = 1 if any(0 < share < 0.01 for _, share in parts) else 0
    if len(parts) == 2:  # so that they sum to 100
        first = round(100 * parts[0][1], digits)
        return f"{parts[0][0]} {first:.{digits}f} %, {parts[1][0]} {100 - first:.{digits}f} %"
    return ", ".join(f"{value} {100 * share:.{digits}f} %" for value, share in parts[:_MOST_SHARES]) + more


def draft_table(draft: Draft) -> Table:
    """A table for terminals: each variable, its column, its values with their shares, and what is missing."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    headings = ("variable", "values") if draft.table is None else ("variable", "values", "column", "missing")
    for heading in headings:
        table.add_column(heading, justify="right" if heading == "missing" else "left", overflow="fold")
    for name, values in draft.values.items():
        column, variable = values.column, values.variable
        if variable.hidden:
            held = "nobody sees it"
        elif variable.number is not None:
            held = "a number"
        elif column is None or not column.seen:
            held = ", ".join(variable.values)
        else:
            cut = f" (cut at {', '.join(f'{c:g}' for c in variable.cut)})" if variable.cut else ""
            held = shares_of(variable, column) + cut
        missing = f"{column.missing:,}" if column is not None and column.missing else ""
        shown_column = "" if column is None or column.name == name else column.name
        table.add_row(*(Text(cell) for cell in (name, held, shown_column, missing)[: len(headings)]))
    return table


def next_commands(draft: Draft, file: str, data: str | None) -> list[str]:
    """The next commands for the file that was written, as they can be pasted: old data are told after `new`."""
    problem = contents_of_draft(draft).problem
    unit, price = (ROUNDS, 1.0) if problem is None else (problem.unit, float(problem.prices.mean()))
    horizon = f"--{unit.argument} {_ROUNDS * price:.3g}"
    with_data = "" if data is None else f" --data {shlex.quote(data)}"
    found = [f"bestdo check {shlex.quote(file)}{with_data}", f"bestdo new {shlex.quote(file)} {horizon}"]
    return found if data is None else [*found, f"bestdo observe {shlex.quote(data)}"]


def notes(draft: Draft) -> list[str]:
    """Notes for a person on how the problem was made, as sentences."""
    found = [
        f"the column {shown(column)} is left out: it is {why}"
        if why != "empty"
        else f"the column {shown(column)} is empty"
        for column, why in draft.ignored.items()
    ]
    if draft.extra:
        more = f" and {len(draft.extra) - _MOST_NAMES} more" if len(draft.extra) > _MOST_NAMES else ""
        found.append(f"not in the graph, and left out: {', '.join(map(shown, draft.extra[:_MOST_NAMES]))}{more}")
    if draft.missing:
        found.append(f"counted as missing: {', '.join(map(shown, draft.missing))}")
    for values in draft.values.values():
        for number in suspects(values.column) if values.column is not None and values.why != "graph" else ():
            found.append(
                f"{shown(values.column.name)} is sometimes {number:g}, far from all other numbers: if that stands for a "  # type: ignore[union-attr]
                f"missing value, say --missing={number:g}"
            )
    found += [text for name, values in draft.values.items() if (text := _on_labels(name, values))]
    without = [n for n, values in draft.values.items() if values.column is None and not values.variable.hidden]
    if draft.table is not None and without:
        found.append(f"no column holds {', '.join(map(shown, without[:_MOST_NAMES]))}")
    if not any(draft.base.graph.parents.values()):
        found.append("there are no arrows yet: write what causes what into the file, where its comment says so")
    if draft.tables_lost:
        found.append(f"the tables of {draft.base.name} are left out, because values of variables have changed")
    return found


def _on_labels(name: str, values: ValueDraft) -> str:
    """Notes for a person on the labels of a column: some are one number, or there is but one."""
    column = values.column
    if column is None or values.why != "labels":
        return ""
    if len(column.labels) == 1 and column.empty:
        return (
            f"{shown(column.name)} is {shown(next(iter(column.labels)))} or empty: if an empty cell means 'no', say --same "
            f'"=no"; as it stands, {shown(name)} has one value, and is missing in {counted(column.missing, "row")}'
        )
    if len(column.equals) > 1:
        one, other, *_ = column.equals
        same = shlex.quote(f"{other}={one}")
        return f"{shown(column.name)} holds {one} and {other}: they are different values, unless you say --same {same}"
    return ""
