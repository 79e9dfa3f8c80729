"""Reads rows that a policy wrote which chose actions at random with known probabilities: they count as plays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bestdo.bandit.old_rounds import OldData, logged_rounds
from bestdo.bandit.problem import Problem
from bestdo.bandit.reading import Reading
from bestdo.bandit.rounds import Rounds
from bestdo.causal.action import do
from bestdo.causal.graph import Graph
from bestdo.causal.number import Number
from bestdo.causal.variable import Variable
from bestdo.data.counting import chosen_rows
from bestdo.errors import BestdoError, shown, unknown
from bestdo.text import counted, left_out

__all__ = ["logged"]

_STRANGE = 1.5
"""Probabilities are called doubtful where the number of choices that they stand for is off by this factor. Chosen, not
measured: with two choices nine tenths everywhere are noticed, and chance seldom does it where each occurs a few times."""


def logged(source: object, problem: Problem, reading: Reading) -> OldData:
    """The rows of a file or a data frame, with the probability of what was chosen in each (`reading.probability`, a column).

    The probability is that with which the policy chose what it did, given all that it looked at. What it chose are the
    variables `reading.chosen`; where that is not said, all that the problem can set.
    """
    graph, column = problem.graph, reading.probability
    if column in graph.names:
        raise BestdoError(
            f"{shown(column)} is a variable of the graph, not the column with the probability of the action"
        )
    chosen = _chosen(problem, reading.chosen)
    wide = Graph(
        (*graph.variables, Variable(column, number=Number(0, 1))),
        dict(graph.parents),
        graph.reward,
        graph.success,
        graph.worth,
        graph.aim,
    )
    plain = replace(reading, probability="", chosen=())
    said = replace(problem.reading, probability="", chosen=())
    rows = chosen_rows(source, Problem(wide, [do()], reading=said), plain)
    if column not in rows.numbers:
        raise BestdoError(
            f"no column {shown(column)} holds the probability of what was chosen; --probability says which does (in Python "
            "reading={'probability': …})"
        )
    chance = rows.numbers[column]
    if (chance == 0).any():
        raise BestdoError(
            f"{shown(column)} is 0 in {int(rows.times[chance == 0].sum()):,} rows: what was chosen has a probability above 0"
        )
    known = chance > 0
    places = [graph.names.index(name) for name in chosen]
    known &= (rows.x[:, places] >= 0).all(axis=1)
    notes = [*rows.notes, f"chosen by a policy with known probabilities: {', '.join(map(shown, chosen))}"]
    if not known.all():
        notes.append(f"{left_out(int(rows.times[~known].sum()))}: the probability, or what was chosen, is missing")
    if not known.any():
        raise BestdoError(
            f"no row has both what was chosen and its probability {shown(column)}: nothing can be counted"
        )
    made = replace(
        rows,
        x=np.ascontiguousarray(rows.x[known, :-1]),
        times=rows.times[known],
        whole=0,
        notes=tuple(notes),
        numbers={name: numbers[known] for name, numbers in rows.numbers.items() if name != column},
        probability=chance[known],
        chosen=chosen,
    )
    rounds = logged_rounds(made, problem)  # raises NotValid where something was chosen that is no action
    doubt = _doubtful(made, rounds, problem)
    return replace(made, notes=(*notes, *([doubt] if doubt else []), _worth(rounds, problem)))


def _worth(rounds: Rounds, problem: Problem) -> str:
    """The rounds that the rows are worth, in all and in the contexts that have least and most, for a note."""
    assert rounds.times is not None
    said = f"by importance weighting they are worth {rounds.times.sum():,.0f} rounds"
    if not problem.first:
        return said
    number = problem.contexts.numbers(rounds.x)
    each = np.bincount(number[number >= 0], rounds.times[number >= 0], len(problem.contexts))
    some = np.flatnonzero(each)
    if not len(some):
        return f"{said}, none of them in a context that is known in full"
    least, most = some[each[some].argmin()], some[each[some].argmax()]
    none = f"; none in {counted(len(each) - len(some), 'context')}" if len(some) < len(each) else ""
    span = ", ".join(f"{each[c]:,.0f} where {problem.contexts.written(int(c))}" for c in dict.fromkeys((least, most)))
    return f"{said}: from least to most, {span}{none}"


def _doubtful(old: OldData, rounds: Rounds, problem: Problem) -> str:
    """The strange features of the probabilities, for a note; empty where there are none.

    The mean of 1/p over rows is, in expectation, how many choices were possible in a row: not more than there are, and, where
    the policy looked at the context alone, not fewer than occur in a context.
    """
    assert old.probability is not None
    possible = float((old.times / old.probability).sum() / old.times.sum())
    context = problem.contexts.numbers(old.x)
    pairs = np.unique(np.stack([context, rounds.action]), axis=1)
    differ = np.bincount(pairs[0] + 1)[context + 1]  # int[C]: different choices in the context of each cell
    there = float((old.times * differ).sum() / old.times.sum())
    every = sum(frozenset(action) == frozenset(old.chosen) for action in problem.actions)
    if possible < there / _STRANGE:
        return (
            f"are the probabilities right? By them {possible:.2g} choices were possible in a row on average, and {there:.2g} "
            "occur; they are of what was chosen, given all that the policy looked at"
        )
    if possible > every * _STRANGE:
        return (
            f"are the probabilities right? By them {possible:.2g} choices were possible in a row on average, of {every}"
        )
    return ""


def _chosen(problem: Problem, said: tuple[str, ...]) -> tuple[str, ...]:
    """The variables that the policy chose the values of, in the graph's order."""
    settable = [n for n in problem.graph.names if any(n in action for action in problem.actions)]
    for name in said:
        if name not in settable:
            raise BestdoError(unknown("variable that can be set", name, settable))
    names = frozenset(said or settable)
    if not any(frozenset(action) == names for action in problem.actions):
        listed = ", ".join(map(shown, settable))
        raise BestdoError(
            f"which variables did the policy choose? No action sets all of {listed}: say --chosen NAME for each (chosen = "
            "[…] under [data])"
        )
    return tuple(n for n in settable if n in names)
