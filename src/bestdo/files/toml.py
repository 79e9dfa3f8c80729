"""Reads bestdo's own format: variables, arrows, actions, costs and tables in one TOML file; see `docs/reference/files.md`."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import replace
from typing import Any

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.graph import BOTH, Graph, Variable
from bestdo.causal.law import Law
from bestdo.causal.law_from_tables import law_from_tables
from bestdo.causal.number import NUMBERS, Number, grid_labels
from bestdo.causal.variable import AIMS
from bestdo.causal.worth import Worth, checked_worth
from bestdo.errors import ActionError, BestdoError, FileError, GraphError, shown, unknown
from bestdo.files.declarations import (
    Contents,
    Declarations,
    Position,
    Source,
    Wanted,
    actions_of,
    check_count,
    doubts_of,
    graph_of,
)
from bestdo.files.toml_edges import listed_graphs, read_edges, read_order, refuse_tables
from bestdo.files.toml_limits import limited
from bestdo.files.toml_positions import Path, Places
from bestdo.files.toml_reading import reading_of
from bestdo.files.toml_tables import law_of, model_of, numbers_of, tables_of
from bestdo.files.toml_text import write
from bestdo.files.toml_values import label, number, sequence, table, text, truth
from bestdo.formats import FORMATS

__all__ = ["EXTENSIONS", "NAME", "STARTS", "read", "write"]

NAME = FORMATS["toml"]
EXTENSIONS: tuple[str, ...] = (".toml",)
STARTS = re.compile(r"""bestdo\s*+=|\[["'\w]""")
"""The beginning of the text, after blanks and comments."""

_VERSION = 1
_SECTIONS = (
    "bestdo",
    "variables",
    "graph",
    "actions",
    "costs",
    "problem",
    "limits",
    "tables",
    "numbers",
    "law",
    "data",
    "positions",
)
_STATED = tuple(dict.fromkeys(key for kind in NUMBERS.values() for key in kind.stated_by()))  # of a number
_NAMES = tuple(
    dict.fromkeys(key for kind in NUMBERS.values() for key in kind.names_stated)
)  # those that name a variable
_KEYS = ("values", "description", "unit", "hidden", *NUMBERS, *_STATED, "cut")  # of a variable
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_DOTS = re.compile(  # strings and comments, line ends, and dots that are not decimal points
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}|"(?:[^"\\\n]++|\\.)*+"|' + r"'''(?:[^']++|'(?!''))*+'{3,5}|'[^'\n]*+'|"
    r"#[^\n]*|(?P<line>\n)|(?P<dot>\.(?!\d)|(?<!\d)\.|\.\d+(?=\s*\.))",
    re.DOTALL,
)
_MOST_DOTS = 60_000
"""The most dots in keys of a file. tomllib's time and memory grow with them; measured in tests/files/test_resources.py."""
_MOST_DOTS_ON_LINE = 100
"""The most dots in keys of a line. tomllib's time is quadratic in them; measured in tests/files/test_resources.py."""


def read(source: Source, wanted: Wanted) -> Contents:
    """Reads graph, problem, model and positions; a section or key that is not known is an error."""
    data = _parse(source)
    source = replace(source, locate=Places(source.text))
    _check_version(source, data)
    table(source, (), data, _SECTIONS)
    contents = _contents(source, data, wanted)
    positions = _positions(source, data, contents.graph)
    return replace(contents, positions=positions) if positions else contents


def _positions(source: Source, data: dict[str, Any], graph: Graph) -> dict[str, Position]:
    """The places of variables in a picture, from [positions]: `rain = [0, 1.5]`."""
    positions: dict[str, Position] = {}
    known = set(graph.names)
    for name, given in table(source, ("positions",), data.get("positions", {})).items():
        path = ("positions", name)
        if name not in known:
            raise source.error(unknown("variable", name, graph.names), path)
        numbers = [number(source, (*path, i), value) for i, value in enumerate(sequence(source, path, given))]
        if len(numbers) != 2 or not all(map(math.isfinite, numbers)):
            raise source.error(f"the position of {shown(name)} must be two numbers, x and y, as in [0, 1.5]", path)
        positions[name] = (numbers[0], numbers[1])
    return positions


def _contents(source: Source, data: dict[str, Any], wanted: Wanted) -> Contents:
    """The graph, the problem and the model of the data."""
    declared = Declarations(_variables(source, data), one_is_success=True)
    _graph(source, data, declared)
    graph = graph_of(source, declared, wanted)
    graphs = listed_graphs(source, data, declared, wanted) or doubts_of(source, declared, graph)
    graph = graphs.graph
    refuse_tables(source, data, graphs)
    actions = _actions(source, data, graph)
    reading = reading_of(source, data, graph)
    cost = _costs(source, data, actions)
    numbers = numbers_of(source, data, graph)
    tables = tables_of(source, data, graph, numbers)
    model = model_of(source, graph, tables, numbers)
    law: Law | None = law_of(source, data, graph, actions)
    if tables and model is None and actions is not None and graph.reward is not None:
        if law is not None:
            raise source.error("[tables] and [law] both give the law of the reward's parents; remove one", ("law",))
        with source.at(("tables",)):
            law = law_from_tables(actions, tables)
    if actions is not None and graph.reward is None:
        raise source.error("actions need a reward: name one under [graph]", ("actions",))
    if tables and model is None and actions is None:
        raise source.error(
            "tables for all but the reward say what a learner knows, which needs [actions]; or add the reward's table",
            ("tables",),
        )
    if graph.reward is None or actions is None:
        for section in ("limits", "problem"):
            if section in data:
                raise source.error(f"[{section}] belongs to a problem, which needs [actions] and a reward", (section,))
        return Contents(graph, None, model, tables, reading, doubts=graphs.doubts)
    with source.at(("actions",)):
        problem = Problem(graphs, actions, law, cost, retired=_retired(source, data, actions), reading=reading)
    if "limits" in data or "problem" in data:
        problem = limited(source, data, problem, tables, model)
    return Contents(graph, problem, model, tables, reading, doubts=graphs.doubts)


def _parse(source: Source) -> dict[str, Any]:
    """The data of the file as tomllib reads them; its errors become errors with a place in the file."""
    _check_dots(source)
    try:
        return tomllib.loads(source.text)
    except RecursionError:
        raise source.error("lists and tables are nested too deeply", _deepest(source.text)) from None
    except ValueError as error:
        match = _PLACE.fullmatch(str(error))
        if match is None:  # a number too long for Python
            digits = re.search(r"\d[\d_]{4000}", source.text)
            raise source.error("this number has too many digits", digits.start() if digits else 0) from None
        if match[2] is None:
            raise source.error(match[1], len(source.text)) from None
        raise FileError(match[1], source.name, int(match[2]), int(match[3])) from None


def _deepest(text: str) -> int:
    """The offset where brackets are nested deepest, roughly: brackets inside strings count too."""
    depth = 0
    deepest = (0, 0)
    for match in re.finditer(r"[\[{\]}]", text):
        depth += 1 if match[0] in "[{" else -1
        deepest = max(deepest, (depth, -match.start()))
    return -deepest[1]


def _check_dots(source: Source) -> None:
    """Raises an error for keys with very many parts, on which tomllib spends quadratic time and much memory."""
    total = on_line = 0
    for match in _DOTS.finditer(source.text):
        if match.lastgroup == "line":
            on_line = 0
        elif match.lastgroup == "dot":
            on_line += 1
            total += 1
        if on_line > _MOST_DOTS_ON_LINE or total > _MOST_DOTS:
            raise source.error("keys with too many parts, such as a.b.c", match.start())


def _check_version(source: Source, data: dict[str, Any]) -> None:
    """Raises an error unless the file says that it is of the known version of the format."""
    if "bestdo" not in data:
        raise source.error(f"the version of the format is missing; put 'bestdo = {_VERSION}' at the top", ())
    version = data["bestdo"]
    if type(version) is not int or version != _VERSION:
        raise source.error(f"the version of the format must be 'bestdo = {_VERSION}'", ("bestdo",))


def _variables(source: Source, data: dict[str, Any]) -> dict[str, Variable]:
    """The variables by name, from [variables]."""
    variables = {}
    sections = table(source, ("variables",), data.get("variables", {}))
    check_count(source, len(sections), ("variables",))
    for name, about in sections.items():
        path = ("variables", name)
        table(source, path, about, _KEYS)
        measured = _number(source, path, about)
        labels = _values(source, (*path, "values"), about.get("values", ["0", "1"]))
        borders = sequence(source, (*path, "cut"), about.get("cut", []))
        cut = tuple(number(source, (*path, "cut", i), border) for i, border in enumerate(borders))
        hidden = truth(source, (*path, "hidden"), about.get("hidden", BOTH in name))
        description = text(source, (*path, "description"), about.get("description", ""))
        unit = text(source, (*path, "unit"), about.get("unit", ""))
        twice = len(set(labels)) < len(labels)
        with source.at((*path, "values") if twice else (*path, "cut") if cut else path):
            variables[name] = Variable(name, labels, hidden, description, unit, cut, measured)
    if not variables:
        raise source.error("no variable is declared; a variable looks like [variables.temperature]", ("variables",))
    return variables


def _number(source: Source, path: Path, about: dict[str, Any]) -> Number | None:
    """The number that a variable with `number = true`, or another word of `NUMBERS`, is; None for any other."""
    word = next((word for word in NUMBERS if truth(source, (*path, word), about.get(word, False))), None)
    stated = NUMBERS[word].stated_by() if word is not None else ()
    for key in (key for key in _STATED if key in about and key not in stated):
        said = " or ".join(f"{one} = true" for one, kind in NUMBERS.items() if key in kind.stated_by())
        raise source.error(f"{key} is for a {said.split(' = ')[0]}: say {said}, too", (*path, key))
    if word is None:
        return None
    for key in ("values", "cut"):
        if key in about:
            raise source.error(
                f"{shown(str(path[1]))} is a {word}, which has no {key}; leave one of them out", (*path, key)
            )
    given = {key: _stated(source, (*path, key), about[key]) for key in stated if key in about}
    with source.at((*path, next(iter(given), word))):
        return NUMBERS[word](**given)


def _stated(source: Source, path: Path, value: object) -> Any:
    """A text, or a number."""
    return value if isinstance(value, str) and path[-1] in _NAMES else number(source, path, value)


def _values(source: Source, path: Path, given: object) -> tuple[str, ...]:
    """The values of a variable: a list, or `{ from = 0, to = 10, steps = 5 }` for numbers that are evenly spaced."""
    if not isinstance(given, dict):
        return tuple(label(source, (*path, i), v) for i, v in enumerate(sequence(source, path, given)))
    table(source, path, given, ("from", "to", "steps"))
    for key in ("from", "to", "steps"):
        if key not in given:
            raise source.error(f"a grid of values needs {key!r}, as in {{ from = 0, to = 10, steps = 5 }}", path)
    steps = given["steps"]
    if type(steps) is not int:
        raise source.error(
            "steps must be a whole number: how many values there are, both ends included", (*path, "steps")
        )
    first, last = (number(source, (*path, key), given[key]) for key in ("from", "to"))
    with source.at(path):
        return grid_labels(first, last, steps)


def _graph(source: Source, data: dict[str, Any], declared: Declarations) -> None:
    """Adds the arrows and the reward, from [graph], to `declared`."""
    keys = ("edges", "order", "candidates", "reward", "success", "worth", "aim")
    about = table(source, ("graph",), data.get("graph", {}), keys)
    read_edges(source, ("graph", "edges"), about.get("edges", []), declared)
    if "order" in about:
        read_order(source, about["order"], declared)
    if "reward" in about:
        declared.reward = text(source, ("graph", "reward"), about["reward"])
        declared.reward_at = ("graph", "reward")
    if "success" in about:
        declared.success = label(source, ("graph", "success"), about["success"])
        if declared.reward is None:
            raise source.error(
                'success is given, but no reward: add reward = "…" here, or name one when reading', ("graph", "success")
            )
        reward = declared.variables.get(declared.reward)
        values = () if reward is None else reward.kind.values
        if values and declared.success not in values:
            message = unknown("value", declared.success, values, of=f" of the reward {shown(declared.reward)}")
            raise source.error(message, ("graph", "success"))
    if "worth" in about:
        declared.worth = _worth(source, about["worth"], declared)
    if "aim" in about:
        declared.aim = text(source, ("graph", "aim"), about["aim"])
        if declared.aim not in AIMS:
            raise source.error(unknown("aim", declared.aim, AIMS), ("graph", "aim"))
        if declared.reward is None:
            raise source.error('aim is given, but no reward: add reward = "…" here', ("graph", "aim"))


def _worth(source: Source, given: object, declared: Declarations) -> Worth:
    """The worth of the values of the reward, from `worth = { NO = 0, MILD = -1 }`."""
    path = ("graph", "worth")
    if declared.reward is None or declared.success is not None:
        wrong = "a success is given, too: say one of them" if declared.reward else 'no reward: add reward = "…" here'
        raise source.error(f"worth is given, but {wrong}", path)
    numbers = {v: number(source, (*path, v), n) for v, n in table(source, path, given).items()}
    for value, worth in numbers.items():
        with source.at((*path, value)):
            if not math.isfinite(worth):
                raise GraphError(f"the worth of {shown(declared.reward)} = {shown(value)} is not finite")
    variable = declared.variables.get(declared.reward)
    if variable is None or not variable.kind.values:
        return tuple(numbers.items())
    for value in numbers:
        if value not in variable.values:
            message = unknown("value", value, variable.values, of=f" of the reward {shown(declared.reward)}")
            raise source.error(message, (*path, value))
    with source.at(path):
        return checked_worth(variable, numbers)


def _actions(source: Source, data: dict[str, Any], graph: Graph) -> Actions | None:
    """The allowed actions, from [actions]: all settings of up to `at_most` variables, or those listed."""
    if "actions" not in data:
        return None
    about = table(source, ("actions",), data["actions"], ("set", "at_most", "list", "retired"))
    if ("set" in about) == ("list" in about):
        raise source.error("say either which variables may be set (set = [...]) or list = [...]", ("actions",))
    if "list" in about:
        if "at_most" in about:
            raise source.error("at_most goes with set, not with list", ("actions", "at_most"))
        return _listed_actions(source, about["list"], graph)
    items = sequence(source, ("actions", "set"), about["set"])
    names = {text(source, ("actions", "set", i), n): ("actions", "set", i) for i, n in enumerate(items)}
    at_most = about.get("at_most", 1)
    if type(at_most) is not int or at_most < 1:
        raise source.error("at_most must be a whole number from 1", ("actions", "at_most"))
    return actions_of(source, graph, names, min(at_most, len(names)), ("actions", "at_most"))


def _retired(source: Source, data: dict[str, Any], actions: Actions) -> list[Intervention]:
    """The actions that are retired, from [actions]."""
    path: Path = ("actions", "retired")
    items = enumerate(sequence(source, path, data["actions"].get("retired", [])))
    found = [_action(source, (*path, i), text(source, (*path, i), item)) for i, item in items]
    for i, action in enumerate(found):
        if action not in actions:
            raise source.error(f"{action} is not among the actions, and cannot be retired", (*path, i))
    return found


def _listed_actions(source: Source, items: object, graph: Graph) -> Actions:
    """The actions of a list such as ["do()", "do(a=1)"]."""
    places: dict[Intervention, Path] = {}
    for i, item in enumerate(sequence(source, ("actions", "list"), items)):
        path: Path = ("actions", "list", i)
        action = _action(source, path, text(source, path, item))
        if action in places:
            raise source.error(f"the action {action} is listed twice", path)
        places[action] = path
    try:
        return Actions(graph, places)
    except BestdoError as error:
        for action, path in places.items():
            with source.at(path):
                Actions(graph, [action])
        raise source.located(error, ("actions", "list")) from None


def _action(source: Source, path: Path, line: str) -> Intervention:
    """The action that a text such as do(a=1) names."""
    with source.at(path, line):
        return Intervention.parse(line)


def _costs(source: Source, data: dict[str, Any], actions: Actions | None) -> tuple[float, ...] | None:
    """The cost of each action, from [costs]: its own, or the default; None where there are no costs."""
    if "costs" not in data:
        return None
    about = table(source, ("costs",), data["costs"])
    if actions is None:
        raise source.error("costs belong to actions, and there is no [actions]", ("costs",))
    costs = dict.fromkeys(actions, 1.0 if "default" not in about else _cost(source, "default", about["default"]))
    seen = set()
    for key, value in ((key, value) for key, value in about.items() if key != "default"):
        action = _action(source, ("costs", key), key)
        with source.at(("costs", key)):
            if action not in actions:
                raise ActionError(unknown("action", action, map(str, actions)))
            if action in seen:
                raise ActionError(f"the action {action} has a cost already")
        seen.add(action)
        costs[action] = _cost(source, key, value)
    return tuple(costs.values())


def _cost(source: Source, key: str, value: object) -> float:
    """A cost, which must be finite and above 0."""
    cost = number(source, ("costs", key), value)
    if not (math.isfinite(cost) and cost > 0):
        raise source.error("a cost is a finite number above 0", ("costs", key))
    return cost
