"""Reads the tables of a TOML file, and the law of the reward's parents under each action."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.causal.action import Actions, Intervention, states
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.law import ParentLaw
from bestdo.causal.law_from_tables import MOST_IN_TABLE
from bestdo.causal.model import Model
from bestdo.causal.outcome import Outcome
from bestdo.errors import shown, unknown
from bestdo.files.declarations import Source, amount
from bestdo.files.probability_rows import bad_row, check_size, codes_of, state_at, table_of
from bestdo.files.toml_positions import Path
from bestdo.files.toml_values import label, number, sequence, table, text

__all__ = ["law_of", "model_of", "numbers_of", "tables_of"]


_LAW_TOLERANCE = 1e-9
"""The largest distance of the sum of a row of [law] from 1: only rounding errors, since the law weighs rounds."""
_SHOWN = 8
"""The most variables that a message lists."""


def tables_of(source: Source, data: dict[str, Any], graph: Graph, numbers: Mapping[str, Outcome]) -> dict[str, Floats]:
    """The tables in [tables] by variable: of all variables, of all but the reward and its effects, or none.

    Variables that are numbers have means and spreads instead, `numbers`.
    """
    about = table(source, ("tables",), data.get("tables", {}))
    for name in about:
        if name not in graph.parents:
            raise source.error(unknown("variable", name, graph.names), ("tables", name))
        if name in graph.numeric:
            message = f"{shown(name)} is a number: its mean and spread belong under [numbers], not its probabilities"
            raise source.error(message, ("tables", name))
    missing = [n for n in graph.names if n not in about and n not in numbers]
    effects = graph.descendants([graph.reward]) if graph.reward is not None else frozenset[str]()
    if (
        (about or numbers)
        and missing
        and not (graph.reward in missing and effects.union(graph.numeric).issuperset(missing))
    ):
        listed = ", ".join(map(shown, missing[:_SHOWN]))
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        wanted = "give one to every variable, or to every one but the reward"
        raise source.error(f"tables are missing for {listed}{more}; {wanted}", ("tables" if about else "numbers",))
    return {name: _table(source, name, value, graph) for name, value in about.items()}


def numbers_of(source: Source, data: dict[str, Any], graph: Graph) -> dict[str, Outcome]:
    """The means and spreads of variables that are numbers, from [numbers]."""
    outcomes = {}
    for name, value in table(source, ("numbers",), data.get("numbers", {})).items():
        path: Path = ("numbers", name)
        if name not in graph.parents:
            raise source.error(unknown("variable", name, graph.names), path)
        if name not in graph.numeric:
            raise source.error(f"{shown(name)} is not a number: say number = true under [variables.{name}]", path)
        outcomes[name] = _outcome(source, path, table(source, path, value), graph)
    return outcomes


def _outcome(source: Source, path: Path, about: dict[str, Any], graph: Graph) -> Outcome:
    """A number given its parents: `mean` and `spread`, or rows with `when`, `mean` and `spread`."""
    name = str(path[1])
    if "rows" in about or "given" in about:
        table(source, path, about, ("given", "rows", "shape"))
        rows = _given(source, path, about, "rows")
        places: list[Path] = [(*path, "rows", i) for i in range(len(rows))]
    else:
        table(source, path, about, ("mean", "spread", "shape"))
        rows, places = [{"when": [], **{key: about[key] for key in ("mean", "spread") if key in about}}], [path]
    given = _parents(source, path, about, graph)
    axes = [graph.variable(n) for n in (*given, name)]
    by_state: dict[int, list[float]] = {}
    for state, row, where in _states(source, rows, places, axes, ("when", "mean", "spread")):
        for key in ("mean", "spread"):
            if key not in row:
                raise source.error(f"the {key} of {shown(name)} is missing", where)
        by_state[state] = [number(source, (*where, key), row[key]) for key in ("mean", "spread")]
    _check_complete(source, path, graph, given, by_state)
    order = [given.index(parent) for parent in graph.parents[name]]
    sizes = [graph.size(parent) for parent in given]
    numbers = np.array([by_state[i] for i in range(len(by_state))]).T.reshape(2, *sizes)
    mean, spread = (np.ascontiguousarray(part.transpose(order)) for part in numbers)
    shape = text(source, (*path, "shape"), about.get("shape", "normal"))
    with source.at((*path, "shape") if "shape" in about else path):
        parents = tuple(map(graph.variable, graph.parents[name]))
        return Outcome.of(graph.variable(name), parents, Outcome(mean, spread, shape))


def _table(source: Source, name: str, value: object, graph: Graph) -> Floats:
    """The table of a variable: a list of numbers, or rows with `when` and `p`, given the parents in any order."""
    path: Path = ("tables", name)
    if isinstance(value, list):
        about: dict[str, Any] = {"given": [], "rows": [{"when": [], "p": value}]}
        row_path, p_path = [path], [path]
    else:
        about = table(source, path, value, ("given", "rows"))
        row_path = [(*path, "rows", i) for i in range(len(_given(source, path, about, "rows")))]
        p_path = [(*row, "p") for row in row_path]
    given = _parents(source, path, about, graph)
    axes = [graph.variable(n) for n in (*given, name)]
    numbers: dict[int, list[float]] = {}
    for (state, row, _), p_where in zip(
        _states(source, about["rows"], row_path, axes, ("when", "p")), p_path, strict=True
    ):
        numbers[state] = _numbers(source, p_where, row.get("p"), len(axes[-1].values))
    return _assemble(source, path, graph, given, numbers, p_path)


def _given(source: Source, path: Path, about: dict[str, Any], key: str) -> list[Any]:
    """A list that the table of a variable must have."""
    if key not in about:
        raise source.error(f"the table of {shown(path[1])} lacks {shown(key)}", path)
    return sequence(source, (*path, key), about[key])


def _parents(source: Source, path: Path, about: dict[str, Any], graph: Graph) -> list[str]:
    """The parents in the order in which a table gives them, none where it gives no rows."""
    name = str(path[1])
    items = _given(source, path, about, "given") if "rows" in about else []
    given = [text(source, (*path, "given", i), n) for i, n in enumerate(items)]
    parents = graph.parents[name]
    if sorted(given) != sorted(parents):
        wanted = ", ".join(map(shown, parents)) or "nothing"
        seen = ", ".join(map(shown, given)) or "nothing"
        raise source.error(f"the table of {shown(name)} is given {seen}; its parents are {wanted}", (*path, "given"))
    return given


def _states(
    source: Source, rows: list[Any], places: Sequence[Path], axes: Sequence[Variable], keys: tuple[str, ...]
) -> Iterator[tuple[int, dict[str, Any], Path]]:
    """The state of the parents (all axes but the last) in each row, the row and its place."""
    with source.at(places[0][:2] if places else ()):
        check_size(axes)
    codes = [codes_of(v.values) for v in axes[:-1]]
    seen = set[int]()
    for row, where in zip(rows, places, strict=True):
        about = row if where == places[0][:2] else table(source, where, row, keys)
        when = [
            label(source, (*where, "when", i), v)
            for i, v in enumerate(sequence(source, (*where, "when"), about.get("when")))
        ]
        state = state_at(axes, codes, when)
        if isinstance(state, str):
            raise source.error(state, where)
        if state in seen:
            raise source.error("this state of the parents has a row already", where)
        seen.add(state)
        yield state, about, where


def _check_complete(source: Source, path: Path, graph: Graph, given: Sequence[str], rows: Mapping[int, object]) -> None:
    """Raises an error where a state of the parents has no row."""
    needed = states(graph, given)
    if len(rows) < needed:
        state = next(i for i in range(needed) if i not in rows)
        values = []
        for parent in reversed(given):
            state, code = divmod(state, graph.size(parent))
            values.append(f"{parent}={graph.variable(parent).values[code]}")
        raise source.error(f"the table of {shown(path[1])} has no row for {', '.join(reversed(values))}", path)


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
    _check_complete(source, path, graph, given, numbers)
    rows = np.array([numbers[i] for i in range(len(numbers))], np.float64)
    bad = bad_row(rows)
    with source.at(path if bad is None else places[list(numbers).index(bad)]):
        as_given = table_of([graph.variable(n) for n in (*given, name)], rows, bad)
    return np.ascontiguousarray(as_given.transpose([*(given.index(p) for p in parents), len(parents)]))


def model_of(source: Source, graph: Graph, tables: dict[str, Floats], numbers: Mapping[str, Outcome]) -> Model | None:
    """The model, when every variable has a table, or a mean and a spread; otherwise None."""
    if len(tables) + len(numbers) < len(graph.names):
        return None
    with source.at(("tables",)):
        return Model(graph, tables, numbers)


def _check_law(source: Source, path: Path, graph: Graph, actions: int) -> int:
    """The number of states of the reward's parents; an error where the law would be too large."""
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
    by_action: dict[Intervention, list[float]] = {}
    for i, row in enumerate(sequence(source, ("law", "rows"), about.get("rows", []))):
        path: Path = ("law", "rows", i)
        line = text(source, (*path, "action"), table(source, path, row, ("action", "p")).get("action"))
        with source.at((*path, "action")):
            action = Intervention.parse(line)
            actions.index(action)
        if action in by_action:
            raise source.error(f"the action {action} has a row already", path)
        by_action[action] = _numbers(source, (*path, "p"), row.get("p"), cells)
        if min(by_action[action]) < 0 or not math.isclose(
            math.fsum(by_action[action]), 1, abs_tol=_LAW_TOLERANCE, rel_tol=0
        ):
            raise source.error("these numbers are no distribution: each is at least 0 and they sum to 1", (*path, "p"))
    if len(by_action) < len(actions):
        first = next(a for a in actions if a not in by_action)
        raise source.error(f"the law has no row for {first}", ("law", "rows"))
    numbers = np.array([by_action[a] for a in actions]).reshape([len(actions), *(graph.size(p) for p in parents)])
    return ParentLaw(actions, parents, numbers)
