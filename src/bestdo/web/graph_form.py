"""A problem as a form: variables with their values, arrows, the reward, what may be set and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import BOTH, Graph, Variable
from bestdo.errors import BestdoError, GraphError, shown
from bestdo.files import Contents
from bestdo.files.declarations import outline
from bestdo.files.toml import write

__all__ = ["FormError", "GraphForm", "form_of", "read_form", "text_of", "which_value"]

_MOST_ROWS, _MOST_ARROWS = 200, 2000
"""The largest graph that the form shows; larger ones are edited as text. Chosen, not measured."""


@dataclass(frozen=True)
class Row:
    """A row of the form: a variable as it is typed."""

    name: str = ""
    values: str = ""
    """Separated by commas."""
    settable: bool = False
    hidden: bool = False
    cost: str = ""
    """The cost of a round that sets it; 1, as that of a round that sets nothing, when empty."""
    description: str = ""
    unit: str = ""


@dataclass(frozen=True)
class GraphForm:
    """What the form holds."""

    rows: tuple[Row, ...]
    arrows: tuple[tuple[str, str, str], ...]
    """From, `->` or `<->`, to."""
    reward: str = ""
    success: str = ""
    at_most: int = 1
    """How many variables a round may set."""

    def as_data(self) -> dict[str, Any]:
        """The form as plain data, to be sent to the sandbox as JSON."""
        return asdict(self)

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> GraphForm:
        """The form from what `as_data` returned."""
        rows = tuple(Row(**row) for row in data["rows"])
        arrows = tuple((str(a), str(m), str(b)) for a, m, b in data["arrows"])
        return cls(rows, arrows, data["reward"], data["success"], data["at_most"])


class FormError(BestdoError):
    """An error in one row or arrow of the form."""

    def __init__(self, message: str, row: int | None = None, arrow: int | None = None) -> None:
        super().__init__(message, row, arrow)
        self.message = message
        self.row = row
        self.arrow = arrow


def read_form(fields: Mapping[str, str]) -> GraphForm:
    """The form from the fields that a browser sends: name-0, values-0, …, from-0, mark-0, to-0.

    A button may add or remove a row. A variable that was renamed (was-0 is its old name) keeps its arrows, and stays
    the reward if it was.
    """
    rows = []
    renamed: dict[str, str] = {}
    for i in range(min(int(fields.get("rows", "0") or 0), _MOST_ROWS)):
        name, values, cost, what, unit = (
            fields.get(f"{k}-{i}", "").strip() for k in ("name", "values", "cost", "description", "unit")
        )
        if fields.get("take") != f"row-{i}":
            rows.append(Row(name, values, f"settable-{i}" in fields, f"hidden-{i}" in fields, cost, what, unit))
            renamed[fields.get(f"was-{i}", "")] = name
    arrows = []
    for i in range(min(int(fields.get("arrows", "0") or 0), _MOST_ARROWS)):
        a, b = (renamed.get(fields.get(f"{end}-{i}", ""), "") for end in ("from", "to"))
        if fields.get("take") != f"arrow-{i}" and (bool(a) == bool(b) or fields.get("take", "") == ""):
            arrows.append((a, fields.get(f"mark-{i}", "->"), b))
    if fields.get("add") == "row":
        taken = {row.name for row in rows}
        free = next(f"variable {k}" for k in range(len(rows) + 1, 2 * len(rows) + 3) if f"variable {k}" not in taken)
        rows.append(Row(free, "no, yes"))
    if fields.get("add") == "arrow":
        arrows.append(("", "->", ""))
    most = fields.get("at_most", "1")
    return GraphForm(
        tuple(rows),
        tuple(arrows),
        renamed.get(fields.get("reward", ""), ""),
        fields.get("success", ""),
        int(most) if most in ("1", "2", "3") else 1,
    )


def form_of(contents: Contents) -> tuple[GraphForm, bool]:
    """The form of what a file holds, and whether it holds all of it."""
    graph, problem = contents.graph, contents.problem
    variables, arrows = outline(graph)
    settable = set[str]().union(*problem.actions) if problem else set(graph.observed) - {graph.reward}
    costs = _costs(problem) if problem else {}
    rows = tuple(
        Row(v.name, ", ".join(v.values), v.name in settable, v.hidden, costs.get(v.name, ""), v.description, v.unit)
        for v in variables
    )
    most = max(map(len, problem.actions)) if problem else 1
    form = GraphForm(rows, tuple((a, m, b) for m, a, b in arrows), graph.reward or "", graph.success or "", most)
    try:
        same = problem is None or _contents(form).problem == problem
    except BestdoError:
        same = False
    return form, same and graph.worth is None and len(rows) <= _MOST_ROWS


def _costs(problem: Problem) -> dict[str, str]:
    """The cost of setting each variable alone, where it is not that of setting nothing."""
    if problem.cost is None:
        return {}
    each = {next(iter(a)): c for a, c in zip(problem.actions, problem.cost, strict=True) if len(a) == 1}
    base = next((c for a, c in zip(problem.actions, problem.cost, strict=True) if not a), 1.0)
    return {name: f"{c:g}" for name, c in each.items() if c != base or base != 1.0}


def text_of(form: GraphForm, old: Contents | None) -> str:
    """The form in bestdo's own format (TOML); the tables of the old text are kept when they still fit."""
    new = _contents(form)
    if old is not None and old.model is not None:
        from bestdo.causal.model import Model

        fit = old.model.graph.variables == new.graph.variables and old.model.graph.parents == new.graph.parents
        if fit:
            new = Contents(new.graph, new.problem, Model(new.graph, old.model.tables))
    return write(new)


def _contents(form: GraphForm) -> Contents:
    """The graph, and the problem where there is a reward; raises a `FormError`."""
    variables = _variables(form)
    known = {v.name for v in variables}
    parents: dict[str, list[str]] = {}
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
        elif a not in parents.setdefault(b, []):
            parents[b].append(a)
    graph = Graph(tuple(variables), {n: tuple(dict.fromkeys(p)) for n, p in parents.items()})
    if not form.reward:
        return Contents(graph)
    graph = _rewarded(graph, form)
    names = [r.name for r in form.rows if r.settable and not r.hidden and r.name != form.reward]
    actions = Actions.up_to(graph, min(form.at_most, max(len(names), 1)), names)
    return Contents(graph, Problem(graph, actions, cost=_cost(form, actions)))


def which_value(reward: str) -> str:
    """The question which value of the reward is success."""
    return f"which value of {shown(reward)} is success? Choose it below the table"


def _rewarded(graph: Graph, form: GraphForm) -> Graph:
    """The graph with its reward and which value of it is success."""
    at = next((i for i, r in enumerate(form.rows) if r.name == form.reward), None)
    if at is None:
        return graph
    if form.success not in graph.variable(form.reward).values:
        raise FormError(which_value(form.reward), row=at)
    try:
        return graph.rewarding(form.reward, form.success)
    except GraphError as error:
        raise FormError(str(error), row=at) from None


def _variables(form: GraphForm) -> list[Variable]:
    """The variables of the rows; those without values get 0 and 1."""
    found: dict[str, Variable] = {}
    for i, row in enumerate(form.rows):
        if not row.name:
            raise FormError("give this variable a name", row=i)
        if row.name in found:
            raise FormError(f"there are two variables {shown(row.name)}", row=i)
        values = tuple(v.strip() for v in row.values.split(",") if v.strip()) or ("0", "1")
        try:
            found[row.name] = Variable(row.name, values, row.hidden, row.description, row.unit)
        except GraphError as error:
            raise FormError(str(error), row=i) from None
    if not found:
        raise FormError("add a variable first")
    return list(found.values())


def _cost(form: GraphForm, actions: Actions) -> tuple[float, ...] | None:
    """The cost of each action: 1 for do(), else the sum over the variables that it sets; None without costs."""
    costs: dict[str, float] = {}
    for i, row in enumerate(form.rows):
        if row.cost and row.settable:
            try:
                costs[row.name] = float(row.cost)
            except ValueError:
                raise FormError(f"the cost {shown(row.cost)} is not a number", row=i) from None
            if not 0 < costs[row.name] < float("inf"):
                raise FormError(f"a cost is a number above 0, not {shown(row.cost)}", row=i)
    if not costs:
        return None
    return tuple(sum(costs.get(name, 1.0) for name in action) if action else 1.0 for action in actions)
