"""Writes the sheet of a fixed plan, with one line for each round, and reads it when it is filled in."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.reading import Reading
from bestdo.bandit.rounds import Rounds, rewards
from bestdo.causal.action import Intervention
from bestdo.causal.graph import Graph
from bestdo.data.labels import MISSING, meaning, measured
from bestdo.data.spreadsheet import clean, escape_formula, lines_of
from bestdo.data.workbook import is_workbook, sheet_lines
from bestdo.errors import BestdoError, GraphError, shown, unknown
from bestdo.files.atomic_io import read_bytes, unpack

__all__ = ["FilledSheet", "in_words", "read_sheet", "sheet"]

_SHOWN = 3
"""The most errors of a sheet that are shown."""


@dataclass(frozen=True)
class FilledSheet:
    """The contents of a sheet that was filled in."""

    rounds: Rounds
    """The lines that have a reward, as rounds of one lane; -1 where another value is missing."""
    lines: int
    """The number of lines of the plan."""
    half: tuple[int, ...]
    """The numbers of the lines in which something is filled in, but not the reward: they do not count."""
    without_cause: tuple[int, ...]
    """The numbers of the lines with a reward in which a parent of the reward is missing."""
    passed_over: tuple[str, ...]
    """The columns that are not part of the plan."""

    @property
    def empty(self) -> int:
        """The number of lines with nothing filled in: these rounds are missing, and not failures."""
        return self.lines - len(self.half) - len(self.rounds.action)


class _Line(NamedTuple):
    """A line of the plan."""

    number: int
    """The number of the line in the file."""
    round: str
    """The text in the column of the round."""
    play: int
    """The index of the action."""
    codes: list[int]
    """The value of each variable in the graph's order, -1 where it is missing."""
    filled: bool
    """Whether a value that the action does not set is filled in."""
    rewarded: bool
    """Whether the reward is filled in."""
    numbers: Mapping[str, float]
    """The numbers that are filled in, by variable; NaN where one is missing."""


@lru_cache(maxsize=16)
def _columns(graph: Graph) -> tuple[str, str, str]:
    """The names of the columns before those of the variables, changed where a variable has the same name."""
    taken = {n.casefold() for n in graph.names}
    names = ["round", "action", "what to do"]
    for i, name in enumerate(names):
        while names[i].casefold() in taken:
            names[i] = f"{name} (plan)"
            name = names[i]
    return names[0], names[1], names[2]


def in_words(action: Intervention) -> str:
    """The action as an instruction for a person: set moisture to wet."""
    if not action:
        return "set nothing, only watch"
    parts = [f"{name} to {value}" for name, value in action.items()]
    return f"set {', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else f"set {parts[0]}"


def sheet(problem: Problem, plays: NDArray[np.integer], separator: str = ",") -> bytes:
    """The sheet as CSV: a line for each round of a plan (int[T], indices of actions), a column for each observed variable.

    Values that an action sets are filled in. Text that a spreadsheet would run as a formula gets an apostrophe.
    """
    graph = problem.graph
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\r\n")
    writer.writerow(map(escape_formula, (*_columns(graph), *graph.observed)))
    for number, play in enumerate(plays, 1):
        action = problem.actions[int(play)]
        values = (action.get(name, "") for name in graph.observed)
        writer.writerow([number, str(action), in_words(action), *map(escape_formula, values)])
    text = stream.getvalue()
    return text.encode("utf-8" if text.isascii() else "utf-8-sig")  # Excel recognises UTF-8 by the byte-order mark only


def read_sheet(
    problem: Problem, path: str | os.PathLike[str], reading: Reading | Mapping[str, Any] | None = None
) -> FilledSheet:
    """Reads a filled-in sheet: Excel, or CSV with any separator, in UTF-8, UTF-16 or Windows-1252; columns in any order.

    Values may have outer spaces, another case or a decimal comma, or be yes, true or 1, as long as only one value of the
    variable matches. If lines are wrong, the error counts them and shows the first three errors.
    """
    reading = replace(problem.reading, columns={}, ignore=(), sheet="").over(Reading.of(reading))
    reading = replace(
        reading, same={text: meant for text, meant in reading.same.items() if text}
    )  # empty: not filled in
    reading.check(problem.graph)
    name = os.fsdecode(path)
    known = (*_columns(problem.graph), *problem.graph.observed)
    data = read_bytes(name)
    if is_workbook(data):
        heading, *lines = sheet_lines(name, reading.sheet, known)
    else:
        heading, *lines = lines_of(name, unpack(name, data), known)
    where, passed_over = _heading(name, heading, problem)
    wrong: list[tuple[int, str]] = []
    planned = [line for number, cells in lines if (line := _line(problem, where, number, cells, wrong, reading))]
    _check_rounds(planned, wrong)
    if wrong:
        count = len({number for number, _ in wrong})
        what = "1 line cannot be used" if count == 1 else f"{count:,} lines cannot be used"
        listed = "\n".join(f"  line {number}, {text}" for number, text in sorted(wrong)[:_SHOWN])
        more = f"\n  … {len(wrong)} errors in all" if len(wrong) > _SHOWN else ""
        raise BestdoError(f"{shown(name, 300)}: {what}, so nothing is estimated\n{listed}{more}")
    return _filled_sheet(problem, planned, passed_over)


def _heading(name: str, line: tuple[int, list[str]], problem: Problem) -> tuple[dict[str, int], tuple[str, ...]]:
    """The index of each column of the plan, and the columns that are not part of it."""
    graph = problem.graph
    exact = (*_columns(graph), *graph.observed)
    by_lower_case: dict[str, list[str]] = {}
    for column in exact:
        by_lower_case.setdefault(column.casefold(), []).append(column)
    where: dict[str, int] = {}
    others = []
    for i, cell in enumerate(map(clean, line[1])):
        plain = cell if cell in exact else cell.removeprefix("'")
        alike = [plain] if plain in exact else by_lower_case.get(plain.casefold(), [])
        if len(alike) != 1:
            others += [cell] if cell else []
        elif where.setdefault(alike[0], i) != i:
            raise BestdoError(f"{shown(name, 300)}, line {line[0]}: the column {shown(alike[0])} is there twice")
    assert graph.reward is not None
    needed = [_columns(graph)[1], *graph.parents[graph.reward], graph.reward]
    missing = [c for c in needed if c not in where and c not in graph.hidden]
    if missing:
        raise BestdoError(
            f"{shown(name, 300)}, line {line[0]}: the heading has no column {', '.join(map(shown, missing))}; it has "
            f"{', '.join(map(shown, filter(None, map(clean, line[1][:12])))) or 'none'}. A sheet as bestdo design writes "
            "it is expected, filled in"
        )
    return where, tuple(others)


def _line(
    problem: Problem,
    where: Mapping[str, int],
    number: int,
    cells: Sequence[str],
    wrong: list[tuple[int, str]],
    reading: Reading,
) -> _Line | None:
    """A line of the plan, or None for one without an action; its errors are added to `wrong`."""
    graph = problem.graph
    round_, action, _ = _columns(graph)
    cell = {column: clean(cells[i]) if i < len(cells) else "" for column, i in where.items()}
    meanings: dict[str, int | None] = {}
    numbers: dict[str, float] = {}
    why: dict[str, str] = {}
    for name in (n for n in graph.observed if n in cell):
        try:
            if graph.variable(name).measured:
                meanings[name], numbers[name] = measured(graph.variable(name), cell[name], reading)
            else:
                meanings[name] = meaning(graph.variable(name), cell[name], reading)
        except GraphError as error:
            meanings[name], why[name] = None, str(error)
    seen = {n: code for n, code in meanings.items() if code != MISSING}
    if not cell[action]:
        if seen:
            wrong.append((number, f"column {shown(action)}: it is empty, though there are values on the line"))
        return None
    try:
        play = problem.actions.index(Intervention.parse(cell[action]))
    except BestdoError:
        wrong.append((number, f"column {shown(action)}: {unknown('action', cell[action], map(str, problem.actions))}"))
        return None
    set_ = problem.actions[play]
    codes = dict.fromkeys(graph.names, -1) | {n: graph.variable(n).code(v) for n, v in set_.items()}
    for name, code in seen.items():
        if code is None:
            said = why.get(name) or unknown("value", cell[name], graph.variable(name).values)
            wrong.append((number, f"column {shown(name)}: {said}"))
        elif name in set_ and code != codes[name]:
            wrong.append(
                (
                    number,
                    f"column {shown(name)}: it was set to {shown(set_[name])}, but {shown(cell[name])} is filled in; if that "
                    "is what happened, empty the line: its round counts for nothing",
                )
            )
        else:
            codes[name] = code
    filled = bool(seen.keys() - set_.keys())
    rewarded = seen.keys() >= set(graph.rewarded.told)
    return _Line(number, cell.get(round_, ""), play, list(codes.values()), filled, rewarded, numbers)


def _check_rounds(lines: Sequence[_Line], wrong: list[tuple[int, str]]) -> None:
    """Adds an error to `wrong` for each round that is filled in on two lines."""
    first: dict[str, int] = {}
    for line in lines:
        if line.filled and line.round and first.setdefault(line.round, line.number) != line.number:
            wrong.append((line.number, f"round {line.round} is filled in on line {first[line.round]}, too"))


def _filled_sheet(problem: Problem, lines: Sequence[_Line], passed_over: tuple[str, ...]) -> FilledSheet:
    """The contents of the sheet with these lines."""
    graph = problem.graph
    assert graph.reward is not None
    whole = [line for line in lines if line.rewarded]
    x = np.array([line.codes for line in whole], np.int16).reshape(len(whole), len(graph.names))
    action = np.array([line.play for line in whole], np.int64)
    names = {*graph.rewarded.told, *problem.measured}
    numbers = {n: np.array([line.numbers.get(n, math.nan) for line in whole], np.float64) for n in names}
    limited = problem.numbers(numbers)
    causes = [graph.names.index(p) for p in graph.parents[graph.reward]]
    return FilledSheet(
        Rounds(np.zeros(len(whole), np.int64), action, x, rewards(graph, x, numbers), numbers=limited),
        len(lines),
        tuple(line.number for line in lines if line.filled and not line.rewarded),
        tuple(whole[i].number for i in np.flatnonzero((x[:, causes] < 0).any(axis=1))),
        passed_over,
    )
