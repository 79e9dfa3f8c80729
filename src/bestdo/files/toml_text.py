"""Writes bestdo's own format as TOML text; the same contents give the same text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.reading import Reading
from bestdo.causal.action import Actions, settings
from bestdo.causal.graph import Graph
from bestdo.causal.graphs import Graphs
from bestdo.causal.law import Law
from bestdo.causal.model import Model
from bestdo.causal.variable import AIMS
from bestdo.errors import BestdoError
from bestdo.files.declarations import Contents, outline
from bestdo.files.toml_limits import limits_as_lines
from bestdo.files.toml_reading import reading_as_lines
from bestdo.text import quoted

__all__ = ["edge_text", "variable_heading", "write"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def write(contents: Contents, comments: Mapping[str, Sequence[str]] | None = None) -> str:
    """The graph, the problem, the model and the positions as TOML text.

    `comments` are lines that stand above the section with such a heading.
    """
    sections = [["bestdo = 1"], *_graph(contents.graphs)]
    if contents.problem is not None:
        sections += _problem(contents.problem)
        sections += _known(contents.problem, contents.model)
    if contents.model is not None:
        sections += _tables(contents.model.graph, contents.model.tables)
        sections += _outcomes(contents.model)
    reading = contents.reading or (Reading() if contents.problem is None else contents.problem.reading)
    sections += reading_as_lines(reading, _key, _text)
    if contents.positions:
        placed = [(name, contents.positions[name]) for name in contents.graph.names if name in contents.positions]
        sections.append(["[positions]", *(f"{_key(name)} = {_numbers(at)}" for name, at in placed)])
    above = {heading: [f"# {_printable(line)}" for line in lines] for heading, lines in (comments or {}).items()}
    return "\n\n".join("\n".join([*above.get(lines[0], ()), *lines]) for lines in sections) + "\n"


def variable_heading(name: str) -> str:
    """The heading of a variable's section."""
    return f"[variables.{_key(name)}]"


def edge_text(mark: str, a: str, b: str) -> str:
    """An arrow as a TOML string."""
    return _text(f"{quoted(a)} {mark} {quoted(b)}")


def _printable(text: str) -> str:
    """The text as a comment can hold it: on one line, without control characters."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _text(text: str) -> str:
    """A TOML string; in single quotes where that saves backslashes."""
    if ('"' in text or "\\" in text) and "'" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False)


def _key(text: str) -> str:
    """A TOML key, in quotes where it needs them."""
    return text if _BARE.fullmatch(text) else _text(text)


def _texts(texts: Iterable[str]) -> str:
    """A TOML list of strings on one line."""
    return f"[{', '.join(map(_text, texts))}]"


def _numbers(numbers: Iterable[float]) -> str:
    """A TOML list of numbers on one line."""
    return f"[{', '.join(map(repr, numbers))}]"


def _value(value: object) -> str:
    """A text, a number, a truth value, a list or a table of these, on one line."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_value(part)}' for key, part in value.items())} }}"
    return _text(value) if isinstance(value, str) else repr(value).lower()


def _lines(key: str, items: list[str]) -> list[str]:
    """The lines of a TOML list with one item on each."""
    return [f"{key} = [", *(f"    {item}," for item in items), "]"] if items else [f"{key} = []"]


def _graph(graphs: Graphs) -> Iterator[list[str]]:
    """The sections of the variables, then [graph] and those of listed candidates; each is a list of lines."""
    graph = graphs.graph
    variables, arrows = outline(graphs.sure)
    for variable in variables:
        lines = [variable_heading(variable.name)]
        lines += [f"{key} = {_value(value)}" for key, value in variable.kind.declared.items()]
        lines += [f"description = {_text(variable.description)}"] if variable.description else []
        lines += [f"unit = {_text(variable.unit)}"] if variable.unit else []
        lines += ["hidden = true"] if variable.hidden else []
        yield lines
    edges = [edge_text(mark, a, b) for mark, a, b in arrows]
    edges += [edge_text(doubt.mark, doubt.a, doubt.b) for doubt in graphs.marked]
    lines = ["[graph]", *_lines("edges", edges)]
    said = graph.rewarded.declared
    left_out = ("aim", AIMS[0]) if "worth" in said else ()  # a worth is maximised unless something else is said
    lines += [f"{key} = {_value(value)}" for key, value in said.items() if (key, value) != left_out]
    yield lines
    for arrows_here, chance in graphs.one_by_one:
        own = [edge_text(mark, a, b) for a, mark, b in arrows_here]
        yield ["[[graph.candidates]]", *_lines("edges", own), f"probability = {chance!r}"]


def _problem(problem: Problem) -> Iterator[list[str]]:
    """The sections [actions], [costs], [problem] and [[limits]]."""
    retired = [f"retired = {_texts(map(str, problem.retired))}"] if problem.retired else []
    yield ["[actions]", *_actions(problem.actions), *retired]
    if problem.cost is not None:
        default = Counter(problem.cost).most_common(1)[0][0]
        own = [(a, c) for a, c in zip(problem.actions, problem.cost, strict=True) if c != default]
        yield ["[costs]", f"default = {default!r}", *(f"{_key(str(a))} = {c!r}" for a, c in own)]
    yield from limits_as_lines(problem, _text)


def _known(problem: Problem, model: Model | None) -> Iterator[list[str]]:
    """The knowledge about the reward's parents: the tables behind the law unless the model has them, or the law."""
    law, graph = problem.law, problem.graph
    if law is None:
        return
    unknown = {*graph.descendants([str(graph.reward)]), *graph.numeric}
    if law.known is not None and {*law.known, *unknown} == set(graph.names):
        yield from _tables(graph, law.known) if model is None else ()
    elif law.explicit is not None:
        yield ["[law]", *_law(law, law.explicit)]
    else:
        raise BestdoError("a law of the reward's parents that is not an explicit table cannot be written to a file")


def _actions(actions: Actions) -> list[str]:
    """The lines of [actions]: `set` and `at_most` where these give exactly these actions, otherwise a list of all."""
    names = list(dict.fromkeys(name for action in actions for name in action))
    most = max(map(len, actions))
    sizes = [actions.graph.size(name) for name in names]
    if names and settings(sizes, most) == len(actions) and Actions.up_to(actions.graph, most, names) == actions:
        return [f"set = {_texts(names)}", f"at_most = {most}"]
    return _lines("list", [_text(str(action)) for action in actions])


def _law(law: Law, table: NDArray[np.float64]) -> list[str]:
    """The lines of [law]: the parents, and a row for each action."""
    items = [
        f"{{ action = {_text(str(action))}, p = {_numbers(row)} }}"
        for action, row in zip(law.actions, table.tolist(), strict=True)
    ]
    return [f"of = {_texts(law.parents)}", *_lines("rows", items)]


def _tables(graph: Graph, tables: Mapping[str, NDArray[np.float64]]) -> Iterator[list[str]]:
    """The tables of some variables of the graph: first those without parents, each on a line."""
    tables = {n: tables[n] for n in graph.valued if n in tables}
    roots = [n for n in tables if not graph.parents[n]]
    yield ["[tables]", *(f"{_key(n)} = {_numbers(tables[n].tolist())}" for n in roots)]
    for name, parents in graph.parents.items():
        if name not in tables or not parents:
            continue
        rows = tables[name].reshape(-1, graph.size(name)).tolist()
        items = [
            f"{{ when = {_texts(when)}, p = {_numbers(row)} }}"
            for when, row in zip(_states(graph, parents), rows, strict=True)
        ]
        yield [f"[tables.{_key(name)}]", f"given = {_texts(parents)}", *_lines("rows", items)]


def _states(graph: Graph, names: Sequence[str]) -> Iterator[list[str]]:
    """The values of these variables in each of their states; the last varies fastest."""
    values = [graph.variable(name).values for name in names]
    for state in np.ndindex(*map(len, values)):
        yield [value[i] for value, i in zip(values, state, strict=True)]


def _outcomes(model: Model) -> Iterator[list[str]]:
    """The means and spreads of the variables that are numbers."""
    for name, outcome in model.numbers.items():
        shape = [] if outcome.shape == "normal" else [f"shape = {_text(outcome.shape)}"]
        parents = model.graph.parents[name]
        rows = zip(outcome.mean.reshape(-1).tolist(), outcome.spread.reshape(-1).tolist(), strict=True)
        if not parents:
            lines = [f"{key} = {value!r}" for key, value in zip(("mean", "spread"), next(rows), strict=True)]
        else:
            items = [
                f"{{ when = {_texts(when)}, mean = {mean!r}, spread = {spread!r} }}"
                for when, (mean, spread) in zip(_states(model.graph, parents), rows, strict=True)
            ]
            lines = [f"given = {_texts(parents)}", *_lines("rows", items)]
        yield [f"[numbers.{_key(name)}]", *shape, *lines]
