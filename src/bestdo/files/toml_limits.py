"""Reads and writes what a TOML file says under [problem], `goal`, `first` and `sure`, and its [[limits]]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.goal import FIND, checked_goal
from bestdo.bandit.limit import CONTEXT, SURE, Limit
from bestdo.bandit.limited_outcome import FIELDS
from bestdo.bandit.limits import Limits, checked_sure
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.graph import Graph
from bestdo.causal.law_from_tables import law_for
from bestdo.causal.model import Model
from bestdo.errors import ActionError, GraphError, shown
from bestdo.files.declarations import Source
from bestdo.files.toml_positions import Path
from bestdo.files.toml_values import label, number, sequence, table, text, truth

__all__ = ["limited", "limits_as_lines"]

_KEYS = ("variable", *FIELDS, "at_most", "at_least", "never", "always", "safe", "over")


def limited(
    source: Source,
    data: dict[str, Any],
    problem: Problem,
    tables: Mapping[str, NDArray[np.float64]],
    model: Model | None,
) -> Problem:
    """The problem with goal, what is seen first and limits as in the file, without the actions that these never allow."""
    about = table(source, ("problem",), data.get("problem", {}), ("goal", "sure", "first"))
    if "goal" in about:
        goal = text(source, ("problem", "goal"), about["goal"])
        with source.at(("problem", "goal")):
            problem = replace(problem, goal=checked_goal(goal))
    if "first" in about:
        path: Path = ("problem", "first")
        names = [text(source, (*path, i), n) for i, n in enumerate(sequence(source, path, about["first"]))]
        with source.at(path):
            problem = replace(problem, first=tuple(names))
    sure = number(source, ("problem", "sure"), about.get("sure", SURE))
    with source.at(("problem", "sure")):
        checked_sure(sure)
    limits = []
    for i, item in enumerate(sequence(source, ("limits",), data.get("limits", []))):
        path = ("limits", i)
        limit = _limit(source, path, table(source, path, item, _KEYS), problem)
        never = _never(source, (*path, "never"), item.get("never", False), problem, limit, tables, model)
        with source.at((*path, "variable")):
            limit = replace(limit, never=tuple(never))
            for action in problem.actions:
                if limit.variable in action:
                    limit.check_actions(problem.actions)
        limits.append(limit)
    if not limits:
        return replace(problem, sure=sure) if "problem" in data else problem
    with source.at(("limits", len(limits) - 1)):
        return replace(
            _without(problem, {a for limit in limits for a in limit.never}), limits=Limits(limits), sure=sure
        )


def _limit(source: Source, path: Path, item: dict[str, Any], problem: Problem) -> Limit:
    """A limit, checked against the graph, with errors at the key that is wrong; without actions never allowed."""
    name = text(source, (*path, "variable"), item.get("variable"))
    with source.at((*path, "variable")):
        problem.graph.variable(name)
    read = {str: label, float: number}
    fields: dict[str, Any] = {k: read[of](source, (*path, k), item[k]) for k, of in FIELDS.items() if k in item}
    fields |= {k: number(source, (*path, k), item[k]) for k in ("at_most", "at_least") if k in item}
    fields |= {"always": truth(source, (*path, "always"), item["always"])} if "always" in item else {}
    fields |= {"safe": _actions(source, (*path, "safe"), item["safe"], problem.graph)} if "safe" in item else {}
    fields |= {"over": text(source, (*path, "over"), item["over"])} if "over" in item else {}
    with source.at(path):
        limit = Limit(name, **fields)
    variable, wrong = problem.graph.variable(name), "variable"
    if name != problem.graph.reward and not variable.hidden:
        wrong = next(iter(fields))
        with suppress(GraphError):
            limit.kind.ends(variable)
            wrong = limit.side
    with source.at((*path, wrong)):
        limit.check(problem.graph)
    return limit


def _actions(source: Source, path: Path, given: object, graph: Graph) -> list[Intervention]:
    """The actions that a list names."""
    found = []
    for i, item in enumerate(sequence(source, path, given)):
        line = text(source, (*path, i), item)
        with source.at((*path, i), line):
            found.append(Intervention.parse(line))
            Actions(graph, [found[-1]])
    return found


def _never(
    source: Source,
    path: Path,
    given: object,
    problem: Problem,
    limit: Limit,
    tables: Mapping[str, NDArray[np.float64]],
    model: Model | None,
) -> list[Intervention]:
    """The actions that a limit never allows: those listed, or with `true` those that break it by the tables."""
    if isinstance(given, list):
        return _actions(source, path, given, problem.graph)
    if not isinstance(given, bool):
        raise source.error(
            'never is true (actions that break the limit by the tables) or a list such as ["do(a=1)"]', path
        )
    if not given:
        return []
    with source.at(path):
        kept = limit.keeps(_known_means(problem, limit, tables, model))
        return [action for action, keeps in zip(problem.actions, kept, strict=True) if not keeps]


def _known_means(
    problem: Problem, limit: Limit, tables: Mapping[str, NDArray[np.float64]], model: Model | None
) -> NDArray[np.float64]:  # float[A]
    """The limited outcome under each action by the tables that are known before the first round."""
    graph = problem.graph
    causes = graph.ancestors([limit.variable])
    unknown = [n for n in graph.names if n in causes and (n not in tables or n == graph.reward)]
    numbers = {} if model is None else {n: o for n, o in model.numbers.items() if n in causes}
    if [n for n in unknown if n not in numbers]:
        raise GraphError(
            f"which actions break the limit {limit} is not known beforehand, without the table of {shown(unknown[0])}: list "
            'the actions that are never allowed, as never = ["do(a=1)"]'
        )
    whole = graph.subgraph(causes)
    part = limit.of(whole)
    own = {n: tables[n] for n in causes if n in tables}
    inside = [do({n: v for n, v in action.items() if n in causes}) for action in problem.actions]
    actions = Actions(part, dict.fromkeys(inside))
    means = Model(part, *limit.truth(whole, own, numbers)).means(actions)
    return np.asarray(means[[actions.index(action) for action in inside]])


def _without(problem: Problem, never: set[Intervention]) -> Problem:
    """The problem without some of its actions."""
    keep = [i for i, action in enumerate(problem.actions) if action not in never]
    if len(keep) == len(problem.actions):
        return problem
    if not keep:
        raise ActionError("the limits allow no action at all")
    actions = Actions(problem.graph, [problem.actions[i] for i in keep])
    return replace(
        problem, actions=actions, cost=problem.price_list.of_actions(actions), law=law_for(actions, problem.law)
    )


def limits_as_lines(problem: Problem, quoted: Callable[[str], str]) -> Iterator[list[str]]:
    """The section [problem] and those of the limits, each a list of lines; `quoted` makes a TOML string."""
    usual = {"goal": quoted(FIND), "first": "[]", "sure": repr(SURE)}
    said = {
        "goal": quoted(problem.goal),
        "first": f"[{', '.join(map(quoted, problem.first))}]",
        "sure": repr(problem.sure),
    }
    lines = [f"{key} = {value}" for key, value in said.items() if value != usual[key]]
    yield from [["[problem]", *lines]] if lines else []
    for limit in problem.limits:
        lines = ["[[limits]]", f"variable = {quoted(limit.variable)}"]
        lines += [f"{name} = {quoted(v) if isinstance(v, str) else repr(v)}" for name, v in limit.fields.items()]
        lines += ["always = true"] if limit.always else []
        lines += [f"over = {quoted(limit.over)}"] if limit.over != CONTEXT else []
        named = {"never": limit.never, "safe": limit.safe}
        lines += [f"{name} = [{', '.join(quoted(str(a)) for a in some)}]" for name, some in named.items() if some]
        yield lines
