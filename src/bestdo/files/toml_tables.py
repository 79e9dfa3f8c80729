"""Reads the tables of a TOML file, and the law of the reward's parents under each action."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.action import Actions, Intervention, states
from bestdo.causal.graph import Graph
from bestdo.causal.law import ParentLaw
from bestdo.causal.law_from_tables import MOST_IN_TABLE
from bestdo.causal.model import Model
from bestdo.errors import shown, unknown
from bestdo.files.declarations import Source, amount
from bestdo.files.probability_rows import bad_row, check_size, codes_of, state_at, table_of
from bestdo.files.toml_positions import Path
from bestdo.files.toml_values import label, number, sequence, table, text

__all__ = ["law_of", "model_of", "tables_of"]

Floats = NDArray[np.float64]

_LAW_TOLERANCE = 1e-9
"""How far the sum of a row of [law] may be from 1: only rounding errors, since the law weighs rounds as it stands."""
_SHOWN = 8
"""The most variables that a message lists."""


def tables_of(source: Source, data: dict[str, Any], graph: Graph) -> dict[str, Floats]:
    """The tables in [tables] by variable: of all variables, of all but the reward and its effects, or none."""
    about = table(source, ("tables",), data.get("tables", {}))
    for name in about:
        if name not in graph.parents:
            raise source.error(unknown("variable", name, graph.names), ("tables", name))
    missing = [n for n in graph.names if n not in about]
    effects = graph.descendants([graph.reward]) if graph.reward is not None else frozenset[str]()
    if about and missing and not (graph.reward in missing and effects.issuperset(missing)):
        listed = ", ".join(map(shown, missing[:_SHOWN]))
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        wanted = "give one to every variable, or to every one but the reward"
        raise source.error(f"tables are missing for {listed}{more}; {wanted}", ("tables",))
    return {name: _table(source, name, value, graph) for name, value in about.items()}


def _table(source: Source, name: str, value: object, graph: Graph) -> Floats:
    """The table of a variable: a list of numbers, or rows with `when` and `p`, given the parents in any order."""
    path: Path = ("tables", name)
    if isinstance(value, list):
        about: dict[str, Any] = {"given": [], "rows": [{"when": [], "p": value}]}
        row_path, p_path = [path], [path]
    else:
        about = table(source, path, value, ("given", "rows"))
        for key in ("given", "rows"):
            if key not in about:
                raise source.error(f"the table of {shown(name)} lacks {shown(key)}", path)
        rows = sequence(source, (*path, "rows"), about["rows"])
        row_path = [(*path, "rows", i) for i in range(len(rows))]
        p_path = [(*row, "p") for row in row_path]
    given = [text(source, (*path, "given", i), n) for i, n in enumerate(_given(source, path, about))]
    parents = graph.parents[name]
    if sorted(given) != sorted(parents):
        wanted = ", ".join(map(shown, parents)) or "nothing"
        seen = ", ".join(map(shown, given)) or "nothing"
        raise source.error(f"the table of {shown(name)} is given {seen}; its parents are {wanted}", (*path, "given"))
    axes = [graph.variable(n) for n in (*given, name)]
    with source.at(path):
        check_size(axes)
    codes = [codes_of(v.values) for v in axes[:-1]]
    numbers: dict[int, list[float]] = {}
    for row, where, p_where in zip(about["rows"], row_path, p_path, strict=True):
        table(source, where, row, ("when", "p"))
        when = [
            label(source, (*where, "when", i), v)
            for i, v in enumerate(sequence(source, (*where, "when"), row.get("when")))
        ]
        state = state_at(axes, codes, when)
        if isinstance(state, str):
            raise source.error(state, where)
        if state in numbers:
            raise source.error("this state of the parents has a row already", where)
        numbers[state] = _numbers(source, p_where, row.get("p"), len(axes[-1].values))
    return _assemble(source, path, graph, given, numbers, p_path)


def _given(source: Source, path: Path, about: dict[str, Any]) -> list[Any]:
    """The list of parents in a table."""
    return sequence(source, (*path, "given"), about["given"])


def _numbers(source: Source, path: Path, value: object, count: int) -> list[float]:
    """A list of `count` numbers."""
    numbers = [number(source, (*path, i), p) for i, p in enumerate(sequence(source, path, value))]
    if len(numbers) != count:
        raise source.error(f"found {len(numbers):,} numbers, expected {count:,}", path)
    return numbers


def _assemble(
    source: Source,
    path: Path,
    graph: Graph,
    given: Sequence[str],
    numbers: dict[int, list[float]],
    places: Sequence[Path],
) -> Floats:
    """The table from its rows, with the parents in the order of the graph; every state must have a row."""
    name, parents = str(path[1]), graph.parents[str(path[1])]
    needed = states(graph, given)
    if len(numbers) < needed:
        state = next(i for i in range(needed) if i not in numbers)
        values = []
        for parent in reversed(given):
            state, code = divmod(state, graph.size(parent))
            values.append(f"{parent}={graph.variable(parent).values[code]}")
        raise source.error(f"the table of {shown(name)} has no row for {', '.join(reversed(values))}", path)
    rows = np.array([numbers[i] for i in range(needed)], np.float64)
    bad = bad_row(rows)
    with source.at(path if bad is None else places[list(numbers).index(bad)]):
        as_given = table_of([graph.variable(n) for n in (*given, name)], rows, bad)
    return np.ascontiguousarray(as_given.transpose([*(given.index(p) for p in parents), len(parents)]))


def model_of(source: Source, graph: Graph, tables: dict[str, Floats]) -> Model | None:
    """The model, when every variable has a table, otherwise None."""
    if len(tables) < len(graph.names):
        return None
    with source.at(("tables",)):
        return Model(graph, tables)


def _check_law(source: Source, path: Path, graph: Graph, actions: int) -> int:
    """How many states the reward's parents have; an error where the law would be too large."""
    parents = graph.parents[str(graph.reward)]
    cells = states(graph, parents)
    if cells * actions > MOST_IN_TABLE:
        message = (
            f"the law of the reward's {len(parents)} parents under {actions:,} actions would hold "
            f"{amount(cells * actions)} numbers; at most {MOST_IN_TABLE:,} fit: leave [{path[0]}] out"
        )
        raise source.error(message, path)
    return cells


def law_of(source: Source, data: dict[str, Any], graph: Graph, actions: Actions | None) -> ParentLaw | None:
    """The law of the reward's parents from [law], or None where the file has no such section."""
    if "law" not in data:
        return None
    about = table(source, ("law",), data["law"], ("of", "rows"))
    if actions is None or graph.reward is None:
        raise source.error("the law of the reward's parents needs [actions] and a reward", ("law",))
    parents = graph.parents[graph.reward]
    if tuple(sequence(source, ("law", "of"), about.get("of", []))) != parents:
        listed = ", ".join(map(shown, parents)) or "none"
        raise source.error(f"'of' must list the parents of the reward in their order: {listed}", ("law", "of"))
    cells = _check_law(source, ("law",), graph, len(actions))
    found: dict[Intervention, list[float]] = {}
    for i, row in enumerate(sequence(source, ("law", "rows"), about.get("rows", []))):
        path: Path = ("law", "rows", i)
        line = text(source, (*path, "action"), table(source, path, row, ("action", "p")).get("action"))
        with source.at((*path, "action")):
            action = Intervention.parse(line)
            actions.index(action)
        if action in found:
            raise source.error(f"the action {action} has a row already", path)
        found[action] = _numbers(source, (*path, "p"), row.get("p"), cells)
        if min(found[action]) < 0 or not math.isclose(math.fsum(found[action]), 1, abs_tol=_LAW_TOLERANCE, rel_tol=0):
            raise source.error("these numbers are no distribution: each is at least 0 and they sum to 1", (*path, "p"))
    if len(found) < len(actions):
        first = next(a for a in actions if a not in found)
        raise source.error(f"the law has no row for {first}", ("law", "rows"))
    numbers = np.array([found[a] for a in actions]).reshape([len(actions), *(graph.size(p) for p in parents)])
    return ParentLaw(actions, parents, numbers)
