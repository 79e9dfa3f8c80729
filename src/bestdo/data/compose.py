"""The problem that a learner may use, from a file, its text or a Python object: composed here and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import bestdo.display as display
from bestdo.arguments import mapping
from bestdo.bandit.combinations import NUMBER_AND_DOUBTS
from bestdo.bandit.goal import checked_goal
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.causal.doubt_kinds import SHARED
from bestdo.causal.doubts import Doubts
from bestdo.causal.graph import Graph
from bestdo.causal.law import Law
from bestdo.causal.law_from_tables import law_for, law_from_tables
from bestdo.causal.model import Model
from bestdo.data.problem_options import ProblemOptions, check_names
from bestdo.errors import ActionError, BestdoError, NoReward, NotValid, shown
from bestdo.files import Contents, Wanted, is_text, parse, read
from bestdo.text import quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bestdo.bandit.reading import Reading

    Tables = Mapping[str, NDArray[np.float64]]

__all__ = ["Composed", "compose"]

_MOST_NAMED = 8
"""Variables that the message about a missing reward names. Chosen, not measured."""


@dataclass(frozen=True)
class Composed:
    """A problem as learners may know it, and the truth for simulations where the source tells it.

    It is made by `bestdo.compose`, and taken wherever a problem is.

    >>> import bestdo
    >>> farm = bestdo.compose("examples/farm.toml", graph_only=True)
    >>> print(farm.problem.law)
    None
    """

    problem: Problem
    """The knowledge of learners: graph, actions, costs, and the law of the reward's parents where it is known."""
    tables: Tables
    """The tables that learners know, of variables other than the reward."""
    model: Model | None
    """The model with all tables, the reward's included: for simulations only."""
    actions_given: bool
    """Whether the source names the actions; if not, every single action is taken."""
    contents: Contents
    """The whole contents of the source, used or not."""
    name: str = ""
    """The source as messages call it: the path of a file; empty for an object."""
    notes: tuple[str, ...] = ()
    """Remarks: what the source says and is not used, and on the old data from which tables were estimated."""

    def __repr__(self) -> str:
        model = "" if self.model is None else f", {self.model!r}"
        return f"Composed({self.problem!r}{model})"

    _repr_html_ = display.html


def compose(
    source: object,
    *,
    name: str = "text",
    data: object = None,
    reading: Reading | Mapping[str, Any] | None = None,
    **options: Unpack[ProblemOptions],
) -> Composed:
    """The problem that learners may use, from a source and a person's reading.

    The source is the path of a file; the bytes of one (`name` is then for error messages, and its extension tells
    the format); a graph, a problem, a model, the contents of a file, or what `compose` returned; or whatever else
    `bestdo.read` takes: the text of a graph, a network of another library, a matrix with names; or a World.

    options: `reward` and `success` say what is to be maximised, where the source does not say so or another is wanted;
    instead of a success, `worth` has a number for each value, and `aim` is for a reward that is a number, or a worth. `set`,
    `at_most`, `first` and `goal` are as in `bestdo.Problem`, in place of what the source says: what is known of its tables
    stays known. Every function that takes a problem takes the same options.

    The tables that the source gives for variables other than the reward are known to learners: the law of the reward's
    parents follows from them. The reward's own table, or the means and spreads of a number, are for simulations only. With
    `graph_only` learners know none of them. With `data`, rounds in which nobody set anything (see
    `bestdo.data.counting.observed`, also for `reading`), tables that are estimated from these are known instead. Where the
    source names no actions, every single action is taken.

    Raises FileError, with line and column, NoReward, NoSuccess and NoAim, which say what is missing, ActionError where the
    source has costs, or a law without tables, of other actions only, and BestdoError for a source that cannot be read.

    >>> import bestdo
    >>> farm = bestdo.compose("examples/farm.toml")
    >>> len(farm.problem.actions)
    7
    >>> print(*bestdo.compose("examples/farm.toml", set="moisture").problem.actions)
    do() do(moisture=dry) do(moisture=wet)
    """
    if source is None:
        raise BestdoError(
            "None is no problem: give the path of a file, a graph, a problem or a network. (The problem of what bestdo.read "
            "returns is None where the source names no actions: give the graph itself, or Problem(graph, set=[…]))"
        )
    check_names(compose, options)
    worth, graph_only = options.get("worth"), options.get("graph_only", False)
    if worth is not None:
        mapping("worth", worth, "{'NO': 0, 'MILD': -1}")
    wanted = Wanted(options.get("reward"), options.get("success"), worth, options.get("aim"))
    source = _of_world(source)
    if isinstance(source, Composed):
        if options.get("goal") is None:
            options["goal"] = source.problem.goal
        if not graph_only and data is None and not _differs(wanted, source.problem.graph):
            return _weighed(_choosing(source, options))
        source = source.contents
    contents = _contents(source, name, wanted)
    graph = contents.graph
    if graph.reward is None:
        raise NoReward(_no_reward(graph))
    problem = contents.problem or Problem(contents.graphs, reading=contents.reading, positions=contents.positions)
    given = contents.model.tables if contents.model is not None else contents.tables
    known = {n: t for n, t in given.items() if n != graph.reward}
    notes: tuple[str, ...] = ()
    if graph_only or data is not None:
        problem, known = replace(problem, law=None), {}
    if data is not None:
        model, notes = _estimated(problem, data, reading)
        known = {n: t for n, t in model.tables.items() if n != graph.reward}
    if problem.law is None and known:
        problem = replace(problem, law=_law(problem.actions, known))
    if problem.law is not None and not known:
        known = dict(problem.law.known or {})
    path = isinstance(source, str | os.PathLike) and not is_text(source)
    called = os.fsdecode(source) if path else name if isinstance(source, bytes) else ""  # type: ignore[arg-type]
    found = Composed(
        problem, known, contents.model, contents.problem is not None, contents, called, (*contents.notes, *notes)
    )
    return _weighed(_choosing(found, options))


def _of_world(source: object) -> object:
    """A world as a problem with the truth; any other source as it is."""
    if isinstance(source, str | bytes | os.PathLike | Composed | Contents | Problem | Graph | Doubts):
        return source
    from bestdo.simulate.world import World

    if not isinstance(source, World):
        return source
    problem, known = source.problem, {} if source.problem.law is None else dict(source.problem.law.known or {})
    return Composed(problem, known, source.model, True, Contents(problem.graph, problem, source.model))


def _choosing(found: Composed, options: ProblemOptions) -> Composed:
    """The problem with another goal, or other variables that may be set or are seen first; known tables stay known."""
    goal: Any = options.get("goal")
    names: Any = options.get("set")
    at_most, first = options.get("at_most"), options.get("first")
    if goal is not None and checked_goal(goal) != found.problem.goal:
        problem = replace(found.problem, goal=goal)
        contents = replace(found.contents, problem=problem) if found.actions_given else found.contents
        found = replace(found, problem=problem, contents=contents)
    if names is None and at_most is None and first is None:
        return found
    old = found.problem
    same = names is None and at_most is None
    if names is None and found.actions_given:
        names = [n for n in old.graph.names if any(n in action for action in old.actions)]
    early = old.first if first is None else first
    same_as_before = ("all_compete", "limits", "sure", "goal", "doubts", "reading", "positions")
    kept: dict[str, Any] = {n: getattr(old, n) for n in same_as_before}
    if same and found.actions_given:
        problem = Problem(old.graph, old.actions, first=early, **kept)
    else:
        problem = Problem(old.graph, set=names, at_most=at_most, first=early, **kept)
    actions = problem.actions
    new = [action for action in actions if action not in old.actions]
    cost = old.price_list.of_actions(actions)
    law = law_for(actions, old.law)
    if law is None and old.law is not None:
        raise ActionError(
            f"the law of the reward's parents is not known for {new[0]}: set variables as the source does, or say "
            "graph_only=True to do without it"
        )
    retired = tuple(action for action in old.retired if action in actions)
    problem = replace(problem, cost=cost, law=law, retired=retired)
    contents = replace(found.contents, problem=problem)
    return replace(found, problem=problem, actions_given=found.actions_given or not same, contents=contents)


def _weighed(found: Composed) -> Composed:
    """The problem, unless the reward is a number and doubtful arrows touch it: no rounds would ever weigh these."""
    graph = found.problem.graph
    numbers = {str(graph.reward)}.intersection(graph.numeric)
    said = next((doubt for doubt in found.problem.graphs.arrows if numbers.intersection((doubt.a, doubt.b))), None)
    if said is None:
        return found
    pair = f"{quoted(said.a)} {{}} {quoted(said.b)}"
    sure = pair.format("<->") if said.kind in SHARED else pair.format("->")
    raise NotValid(NUMBER_AND_DOUBTS.why(shown(graph.reward), said, sure))


def _contents(source: object, name: str, wanted: Wanted) -> Contents:
    """The contents of the source, with the reward that is wanted."""
    if isinstance(source, bytes):
        return parse(source, name, *wanted)
    if isinstance(source, Doubts):
        source = Contents(source.graph, doubts=source)
    if isinstance(source, Contents | Problem):
        contents = source if isinstance(source, Contents) else Contents(source.graph, source)
        graph = contents.graph
        named = wanted.reward
        if graph.reward is None and named is not None:
            graphs = contents.graphs.each(lambda each: each.rewarding(named, *wanted[1:]))
            graph = graphs.graph
            model = None if contents.model is None else Model(graph, contents.model.tables, contents.model.numbers)
            return replace(contents, graph=graph, model=model, doubts=graphs.doubts)
        if _differs(wanted, graph):
            raise BestdoError(
                f"the reward is {_named(graph)} already: another one can be named only with a file, a graph or a model"
            )
        return contents
    if isinstance(source, Graph | Model):
        model = source if isinstance(source, Model) else None
        graph = source.graph if isinstance(source, Model) else source
        reward = graph.reward if wanted.reward is None else wanted.reward
        if reward is not None and wanted:
            worth = graph.worth if wanted[:3] == (None, None, None) else wanted.worth
            graph = graph.rewarding(reward, wanted.success, worth, wanted.aim)
        return Contents(graph, None, None if model is None else Model(graph, model.tables, model.numbers))
    return read(source, *wanted)


def _differs(wanted: Wanted, graph: Graph) -> bool:
    """Whether something else is wanted than the graph says."""
    own = Wanted(**graph.rewarded.declared)
    return any(said is not None and said != is_ for said, is_ in zip(wanted, own, strict=True))


def _named(graph: Graph) -> str:
    """The reward and its success for a message."""
    said = graph.rewarded.declared
    return " = ".join(shown(said[field]) for field in ("reward", "success") if field in said)


def _no_reward(graph: Graph) -> str:
    """The message when no reward is named, with the variables that could be it."""
    numbers = [n for n in graph.numeric if n in graph.observed]
    able = [n for n in graph.observed if graph.size(n) > 1 or n in numbers]
    more = f" and {len(able) - _MOST_NAMED} more" if len(able) > _MOST_NAMED else ""
    listed = ", ".join(map(shown, able[:_MOST_NAMED])) + more
    return (
        "no reward is named: say which variable is to be maximised, and which of its values is success (observed "
        f"variables with two values or more{', or numbers' if numbers else ''}: {listed or 'none'})"
    )


def _law(actions: Actions, known: Tables) -> Law | None:
    """The law of the reward's parents; None where it cannot be worked out from the tables."""
    with suppress(ActionError):
        return law_from_tables(actions, known)
    return None


def _estimated(
    problem: Problem, data: object, reading: Reading | Mapping[str, Any] | None
) -> tuple[Model, tuple[str, ...]]:
    """The model with tables estimated by counting old data, and remarks on the data."""
    import numpy as np

    from bestdo.causal.fit import fitted
    from bestdo.data.counting import observed

    graph = problem.graph
    one = "tables are estimated for one graph, and arrows are in doubt: decide them, or leave out the data"
    problem.graphs.only(NotValid(one))
    if graph.hidden:
        raise NotValid(
            f"how often values occur cannot be estimated by counting where a variable is hidden, as {shown(graph.hidden[0])}"
        )
    old = observed(data, problem, reading)
    said = f"estimated from {old.rows - old.without_reward:,} old rounds"
    where = f" in {data}" if isinstance(data, str) else ""
    watched = np.zeros(len(old.times), np.int64)
    model = fitted(graph, Actions(graph, [do()]), watched, old.x, times=old.times)
    return model, (*old.notes, f"{said}{where}")
