"""A problem from several files or graphs of which nobody knows which is right."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Unpack

from bestdo.arguments import listed
from bestdo.bandit.problem import Problem
from bestdo.causal.doubts import MOST_CANDIDATES, Doubts
from bestdo.causal.graph import Graph
from bestdo.data.compose import Composed, compose
from bestdo.data.problem_options import ProblemOptions, check_names
from bestdo.errors import BestdoError, GraphError, TooLarge, shown
from bestdo.files import Contents, is_text

__all__ = ["in_doubt"]

_SAME = {
    "actions": "allow different actions",
    "cost": "have different costs",
    "limits": "have different limits",
    "sure": "want limits to be kept with different probabilities",
    "first": "name different variables that are seen first",
    "goal": "have different goals",
    "retired": "have retired different actions",
}
"""The facts that must be equal in all sources, and the errors where they are not."""


def in_doubt(
    sources: Iterable[object],
    probabilities: Iterable[float] | None = None,
    **options: Unpack[ProblemOptions],
) -> Composed:
    """The problem in which each of several graphs may be the right one.

    sources: two or more files, graphs, or whatever else `bestdo.compose` takes, over the same variables. probabilities:
    that of each, up to a common factor; all the same when not given. options: as in `bestdo.compose`. Actions, costs and
    limits are those of the sources that name some, and must be the same. Tables are not used: they belong to one graph.

    Raises GraphError where variables or rewards differ, and BestdoError where actions or costs do.

    >>> import bestdo
    >>> through = bestdo.Graph.parse("shade -> moisture -> yield", reward="yield")
    >>> beside = bestdo.Graph.parse("shade -> moisture -> yield; shade -> yield", reward="yield")
    >>> print(bestdo.in_doubt([through, beside]).problem.doubts)
    shade -> moisture; moisture -> yield; shade ?-> yield
    """
    check_names(in_doubt, options)
    given = listed("sources", sources, "['with.toml', 'without.toml']")
    if len(given) < 2:
        raise BestdoError(
            "graphs are in doubt where there are two or more: name another file, or write ?-> in this one"
        )
    options["graph_only"] = True
    found = [compose(source, **options) for source in given]
    called = [_called(source, number) for number, source in enumerate(given, 1)]
    doubts = _together(found, None if probabilities is None else list(probabilities), called)
    saying = [i for i, each in enumerate(found) if each.actions_given] or [0]
    problem = found[saying[0]].problem
    for i in saying[1:]:
        other = found[i].problem
        for what, words in _SAME.items():
            same = getattr(problem, what) == getattr(other, what)
            if what == "actions":
                same = tuple(problem.actions) == tuple(other.actions)
            if not same:
                raise BestdoError(
                    f"{called[saying[0]]} and {called[i]} {words}: say the same in both, or leave out [actions], and all "
                    "that belongs to actions, in one of them"
                )
    made = Problem(
        doubts,
        list(problem.actions),
        cost=problem.cost,
        limits=problem.limits,
        sure=problem.sure,
        first=problem.first,
        goal=problem.goal,
        retired=problem.retired,
        reading=problem.reading,
        positions=problem.positions,
    )
    notes = tuple(dict.fromkeys(note for each in found for note in each.notes))
    contents = Contents(made.graph, made, reading=made.reading, positions=made.positions, doubts=doubts, notes=notes)
    true = [each.model for each in found if each.model is not None]  # for simulations, where it is clear which is right
    model = true[0] if len(true) == 1 else None
    return Composed(made, {}, model, any(each.actions_given for each in found), contents, called[0], notes)


def _called(source: object, number: int) -> str:
    """The name of a source in messages: the name of its file, or its number."""
    if isinstance(source, str | os.PathLike) and not is_text(source):
        return os.fsdecode(source)
    return f"graph {number}"


def _together(found: list[Composed], probabilities: list[float] | None, called: list[str]) -> Doubts:
    """The doubts from the graphs of all sources, each of which may be in doubt itself."""
    weights = [1.0] * len(found) if probabilities is None else probabilities
    if len(weights) != len(found):
        raise GraphError(f"{len(weights)} probabilities for {len(found)} graphs")
    for name, weight in zip(called, weights, strict=True):
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight > 0:
            raise GraphError(f"the probability of {shown(name)} is {weight!r:.30}; it is above 0")
    graphs: list[Graph] = []
    chances: list[float] = []
    names: list[str] = []
    for each, weight, name in zip(found, weights, called, strict=True):
        own = each.problem.graphs
        many = (
            f"{shown(name)} leaves {own.count:,} graphs possible; beside other graphs at most {MOST_CANDIDATES:,} are "
            "allowed: settle some of its doubtful arrows"
        )
        graphs += own.every(TooLarge(many))
        chances += [weight * chance for chance in own.chances]
        names += [name] * len(own.candidates)
    return Doubts.among(graphs, chances, names)
