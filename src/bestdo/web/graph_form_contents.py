"""The graph and the problem that a form states, and the form of a graph or a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from bestdo.bandit.goal import FIND
from bestdo.bandit.limit import SURE, Limit
from bestdo.bandit.limited_outcome import typed_fields
from bestdo.bandit.limits import checked_limits
from bestdo.bandit.problem import Problem
from bestdo.causal import arrows as arrow_text
from bestdo.causal.action import Actions
from bestdo.causal.doubts import graphs_with
from bestdo.causal.graph import BOTH, Graph, Variable
from bestdo.causal.graphs import Graphs
from bestdo.causal.number import NUMBERS, grid_labels, read_number
from bestdo.causal.variable import AIMS
from bestdo.causal.variable_kind import Cuts, Labels, Measure
from bestdo.errors import BestdoError, DoubtError, GraphError, shown
from bestdo.files import Contents
from bestdo.files.declarations import Position, outline
from bestdo.files.toml import write
from bestdo.web.graph_form import MOST_ROWS, FormError, GraphForm, LimitRow, Row, cuts_of

__all__ = ["WHICH_WAY", "form_as_data", "form_of", "text_of", "which_aim", "which_value"]

_LEAST_GRID = 4
"""A settable variable whose values are so many evenly spaced numbers, or more, is shown as a grid. Chosen, not measured."""


@contextmanager
def _at(row: int | None = None, limit: int | None = None) -> Iterator[None]:
    """Gives errors that are raised inside the block their place in the form."""
    try:
        yield
    except FormError:
        raise
    except BestdoError as error:
        raise FormError(str(error), row=row, limit=limit) from None


def form_of(contents: Contents) -> tuple[GraphForm, bool]:
    """The form of what a file holds, and whether it holds all of it."""
    graph, problem = contents.graph, contents.problem
    said = graph.rewarded.declared
    variables, arrows = outline(contents.graphs.sure)
    able = {n for n in graph.observed if n != graph.reward and n in graph.valued}
    settable = set[str]().union(*problem.actions) if problem else able
    costs = _costs(problem) if problem else {}
    limits = problem.limits if problem else ()
    first, positions = problem.first if problem else (), contents.positions
    form = GraphForm(
        tuple(_row(v, v.name in settable, costs.get(v.name, ""), v.name in first, positions) for v in variables),
        (*((a, m, b) for m, a, b in arrows), *((each.a, each.mark, each.b) for each in contents.graphs.marked)),
        graph.reward or "",
        said.get("success", ""),
        max(map(len, problem.actions)) if problem else 1,
        ("success", "worth")["worth" in said],
        tuple((value, f"{number:.17g}") for value, number in said.get("worth", {}).items()),
        said.get("aim", ""),
        tuple(
            LimitRow(x.variable, *x.kind.typed, x.side, f"{x.bound:.12g}", "; ".join(map(str, x.safe)), x.over)
            for x in limits
        ),
        "" if problem is None or problem.sure == SURE else f"{100 * problem.sure:.12g}",
        problem.goal if problem else FIND,
    )
    try:
        same = problem is None or _contents(form).problem == problem
    except BestdoError:
        same = False
    return form, same and not contents.graphs.one_by_one and len(form.rows) <= MOST_ROWS


def _row(variable: Variable, settable: bool, cost: str, before: bool, positions: Mapping[str, Position]) -> Row:
    """The row of a variable."""
    typed, stated = _TYPED[type(variable.kind)](variable.kind, settable)
    about = {"description": variable.description, "unit": variable.unit}
    row = Row(variable.name, settable=settable, hidden=variable.hidden, cost=cost, before=before, stated=stated)
    if variable.name in positions:
        typed |= {end: f"{number:.12g}" for end, number in zip("xy", positions[variable.name], strict=True)}
    return replace(row, **about, **typed)  # type: ignore[arg-type]  # all of them are text


def _typed_number(kind: Measure, settable: bool) -> tuple[dict[str, str], dict[str, str]]:
    """The fields of a number: those that every number can have, and those of its kind alone."""
    said = {k: n if isinstance(n, str) else f"{n:.17g}" for k, n in kind.number.stated.items()}
    own = {asked.key for asked in kind.number.asked}
    typed = {"kind": kind.number.word, **{key: text for key, text in said.items() if key not in own}}
    return typed, {key: text for key, text in said.items() if key in own}


def _typed_cuts(kind: Cuts, settable: bool) -> tuple[dict[str, str], dict[str, str]]:
    """The fields of values with cuts between them."""
    borders = "; ".join(f"{border:.17g}" for border in kind.borders)
    return {"values": ", ".join(kind.values), "kind": "cut", "cut": borders}, {}


def _typed_labels(kind: Labels, settable: bool) -> tuple[dict[str, str], dict[str, str]]:
    """The fields of labelled values; of a grid, where they are evenly spaced numbers."""
    typed = {"values": ", ".join(kind.values)}
    if settable and len(kind.values) >= _LEAST_GRID:
        first, last, steps = kind.values[0], kind.values[-1], len(kind.values)
        with suppress(BestdoError):
            labels = grid_labels(read_number("", first), read_number("", last), steps)
            if labels == kind.values:
                typed |= {"kind": "grid", "first": first, "last": last, "steps": str(steps)}
    return typed, {}


_TYPED: dict[type, Callable[[Any, bool], tuple[dict[str, str], dict[str, str]]]] = {
    Labels: _typed_labels,
    Cuts: _typed_cuts,
    Measure: _typed_number,
}
"""The fields of a row that say which values a variable has, and those that only its kind of number has, by its kind."""


def _costs(problem: Problem) -> dict[str, str]:
    """The cost of setting each variable alone, where it is not that of setting nothing."""
    prices = dict(zip(problem.actions, problem.price_list.each, strict=True))
    each = {next(iter(a)): c for a, c in prices.items() if len(a) == 1}
    base = next((c for a, c in prices.items() if not a), 1.0)
    return {name: f"{c:g}" for name, c in each.items() if c != base or base != 1.0}


def form_as_data(form: GraphForm) -> dict[str, Any]:
    """The form as plain data for the page, with the values of each variable by its name as `labels`."""
    labels: dict[str, list[str]] = {}
    for row in form.rows:
        with suppress(BestdoError):
            labels[row.name] = [] if row.is_number else list(_variable(row).values)
    return {**form.as_data(), "labels": labels}


def text_of(form: GraphForm, old: Contents | None) -> str:
    """The form in bestdo's own format (TOML); the tables of the old text are kept if they fit."""
    new = _contents(form)
    if old is not None and old.model is not None:
        from bestdo.causal.model import Model

        fit = old.model.graph.variables == new.graph.variables and old.model.graph.parents == new.graph.parents
        if fit:
            new = replace(new, model=Model(new.graph, old.model.tables, old.model.numbers))
    if old is not None and old.reading:
        new = replace(new, reading=old.reading.within(new.graph))
    return write(new)


def _contents(form: GraphForm) -> Contents:
    """The graph, and the problem where there is a reward; raises a `FormError`."""
    variables = _variables(form)
    known = {v.name for v in variables}
    parents: dict[str, list[str]] = {}
    doubtful: dict[int, tuple[Any, ...]] = {}
    for i, (a, mark, b) in enumerate(form.arrows):
        if not a and not b:
            continue
        for name in (a, b):
            if name not in known:
                raise FormError("choose both ends of this arrow", arrow=i)
        if a == b:
            raise FormError(f"an arrow from {shown(a)} to itself", arrow=i)
        if mark == BOTH:
            cause = BOTH.join(sorted((a, b)))
            if cause not in known:
                known.add(cause)
                variables.append(Variable(cause, hidden=True))
            for name in (a, b):
                parents.setdefault(name, []).append(cause)
        elif mark != "->":
            doubtful[i] = _doubt(a, mark, b, i)
        elif a not in parents.setdefault(b, []):
            parents[b].append(a)
    graph = Graph(tuple(variables), {n: tuple(dict.fromkeys(p)) for n, p in parents.items()})
    positions = _positions(form)
    if form.reward:
        graph = _rewarded(graph, form)
    graphs = _graphs(graph, doubtful)
    graph = graphs.graph
    if not form.reward:
        return Contents(graph, positions=positions, doubts=graphs.doubts)
    able = [r for r in form.rows if not (r.hidden or r.before or r.name == form.reward or r.is_number)]
    names = [r.name for r in able if r.settable]
    first = tuple(r.name for r in form.rows if r.before and not r.hidden)
    actions = Actions.up_to(graph, min(form.at_most, max(len(names), 1)), names)
    limits, sure = _limits(form, graph, actions), _sure(form)
    cost = _cost(form, actions)
    problem = Problem(graphs, actions, cost=cost, limits=limits, sure=sure, first=first, goal=form.goal)
    return Contents(graph, problem, positions=positions, doubts=graphs.doubts)


def _doubt(a: str, mark: str, b: str, i: int) -> tuple[Any, ...]:
    """A doubtful arrow from its mark, as `?0.3->`."""
    try:
        found = arrow_text.parse(f"a {mark} b").doubts
    except BestdoError as error:
        raise FormError(getattr(error, "message", str(error)), arrow=i) from None
    if len(found) != 1 or found[0][0] != "a":
        raise FormError(f"{shown(mark)} is no arrow", arrow=i)
    return a, found[0][1], b, found[0][3]


def _graphs(sure: Graph, doubtful: Mapping[int, tuple[Any, ...]]) -> Graphs:
    """The graphs that are possible; an error names the arrow in the form."""
    try:
        return graphs_with(sure, list(doubtful.values()))
    except DoubtError as error:
        raise FormError(str(error), arrow=list(doubtful)[error.place]) from None


def _positions(form: GraphForm) -> dict[str, Position]:
    """The places of the variables that a person chose; empty where one of them has no place."""
    with suppress(BestdoError):
        return {row.name: (_number("x", row.x), _number("y", row.y)) for row in form.rows}
    return {}


def _limits(form: GraphForm, graph: Graph, actions: Actions) -> tuple[Limit, ...]:
    """The limits of the form, each checked against the graph and the actions; rows without a variable are left out."""
    found: list[Limit] = []
    for i, row in enumerate(form.limits):
        if not row.variable:
            continue
        with _at(limit=i):
            if not row.bound:
                raise FormError("how large, or how small, may it be? Give a number", limit=i)
            bound = _number("the limit", row.bound)
            fields: dict[str, Any] = dict(typed_fields(row.value, row.beside, graph.variable(row.variable)))
            most, least = (bound, None) if row.side == "at_most" else (None, bound)
            safe = [action.strip() for action in row.safe.split(";") if action.strip()]
            always = {"always": bool(safe), "safe": safe, "over": row.over}
            limit = Limit(row.variable, **fields, at_most=most, at_least=least, **always)  # type: ignore[arg-type]
            checked_limits(graph, actions, (*found, limit))
            found.append(limit)
    return tuple(found)


def _sure(form: GraphForm) -> float:
    """The probability with which a recommended action must keep all limits."""
    if not form.sure:
        return SURE
    percent = _number("how sure it must be that limits are kept, in per cent,", form.sure.rstrip("% "))
    if not 0 < percent < 100:
        raise FormError(f"limits are kept with more than 0 and less than 100 per cent, not {shown(form.sure)}")
    return percent / 100


def which_value(reward: str) -> str:
    """The question which value of the reward is success."""
    return f"which value of {shown(reward)} is success? Choose it below the table"


def which_aim(reward: str) -> str:
    """The question whether the reward, a number, should be large or small."""
    return f"should {shown(reward)} be as large or as small as possible? Choose it below the table"


WHICH_WAY = {"success": which_value, "aim": which_aim}
"""The question which way is good, by the field that says it."""


def _rewarded(graph: Graph, form: GraphForm) -> Graph:
    """The graph with its reward, and what is wanted of it."""
    at = next((i for i, r in enumerate(form.rows) if r.name == form.reward), None)
    if at is None:
        return graph
    reward = graph.variable(form.reward)
    with _at(row=at):
        good = _WAYS.get((reward.kind.wishes[0], form.wanted), _by_choice)(form, reward, at)
        return graph.rewarding(form.reward, **good)


def _by_choice(form: GraphForm, reward: Variable, at: int) -> dict[str, Any]:
    """The value that is success, or the aim for a number."""
    return _chosen(form, *reward.kind.wishes, at)


def _by_worth(form: GraphForm, reward: Variable, at: int) -> dict[str, Any]:
    """The number that each value is worth, and the aim."""
    return {"worth": _worth(form, reward, at), **_chosen(form, "aim", AIMS, at)}


_WAYS = {("success", "worth"): _by_worth}
"""The ways to say what is good, by the field of the kind of reward and by what is wanted; else a choice says it."""


def _chosen(form: GraphForm, field: str, choices: tuple[str, ...], at: int) -> dict[str, Any]:
    """The field with what was chosen; raises FormError where that is none of the choices."""
    chosen = getattr(form, field)
    if chosen not in choices:
        raise FormError(WHICH_WAY[field](form.reward), row=at)
    return {field: chosen}


def _worth(form: GraphForm, reward: Variable, at: int) -> dict[str, float]:
    """The number that each value of the reward is worth."""
    typed = dict(form.worth)
    for value in reward.values:
        if not typed.get(value):
            raise FormError(
                f"what is {shown(reward.name)} = {shown(value)} worth? Give it a number below the table", row=at
            )
    return {value: _number(f"the worth of {value}", typed[value]) for value in reward.values}


def _variables(form: GraphForm) -> list[Variable]:
    """The variables of the rows."""
    found: dict[str, Variable] = {}
    for i, row in enumerate(form.rows):
        if not row.name:
            raise FormError("give this variable a name", row=i)
        if row.name in found:
            raise FormError(f"there are two variables {shown(row.name)}", row=i)
        with _at(row=i):
            found[row.name] = _variable(row)
    if not found:
        raise FormError("add a variable first")
    return list(found.values())


def _variable(row: Row) -> Variable:
    """The variable of a row; one without values gets 0 and 1."""
    values = tuple(v.strip() for v in row.values.split(",") if v.strip()) or ("0", "1")
    about = row.hidden, row.description, row.unit
    if row.is_number:
        kind = NUMBERS[row.kind]
        typed = {key: row.stated.get(key) or getattr(row, key, "") for key in kind.stated_by()}
        given: dict[str, Any] = {
            key: text if key in kind.names_stated else _number(f"{key} of {row.name}", text)
            for key, text in typed.items()
            if text
        }
        return Variable(row.name, values, *about, number=kind(**given))
    if row.kind == "grid":
        if not row.steps.isascii() or not row.steps.isdecimal() or len(row.steps) > 6:
            raise GraphError(f"how many values has the grid of {shown(row.name)}? Give a whole number, such as 5")
        first, last = (_number(f"the {end} number of {row.name}", getattr(row, end)) for end in ("first", "last"))
        return Variable(row.name, grid_labels(first, last, int(row.steps)), *about)
    if row.kind == "cut" and not row.cut:
        raise GraphError(f"where is {shown(row.name)} cut into its values? Give a number, such as 18.5")
    cut = cuts_of(row.cut) if row.kind == "cut" else ()
    return Variable(row.name, values, *about, cut=cut)  # type: ignore[arg-type]  # numbers as text are read there


def _cost(form: GraphForm, actions: Actions) -> tuple[float, ...] | None:
    """The cost of each action: 1 for do(), else the sum over the variables that it sets; None without costs."""
    costs: dict[str, float] = {}
    for i, row in enumerate(form.rows):
        if row.cost and row.settable:
            with _at(row=i):
                costs[row.name] = _number(f"the cost of setting {row.name}", row.cost)
            if costs[row.name] <= 0:
                raise FormError(f"a cost is a number above 0, not {shown(row.cost)}", row=i)
    if not costs:
        return None
    return tuple(sum(costs.get(name, 1.0) for name in action) if action else 1.0 for action in actions)


def _number(what: str, text: str) -> float:
    """The number that was typed; `what` names the field in errors."""
    try:
        return read_number(what, text)
    except GraphError as error:
        raise GraphError(str(error).replace(shown(what), what, 1)) from None
