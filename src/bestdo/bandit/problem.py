"""The bandit problem as a learner knows it: graph, actions, costs, and perhaps the law of the reward's parents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import bestdo.display as display
from bestdo.arguments import listed, shown_value, whole_number
from bestdo.arrays import Bools, Floats
from bestdo.bandit.combinations import (
    DOUBTS_AND_LAW_LEARNER,
    DOUBTS_AND_TABLES,
    HIDDEN_AND_LAW_LEARNER,
    UNBOUNDED_AND_SURE,
)
from bestdo.bandit.goal import FIND, Goal, checked_goal
from bestdo.bandit.horizon import SLACK, Horizon, Unit
from bestdo.bandit.limit import SURE, Limit
from bestdo.bandit.limits import NO_LIMITS, Limits, checked_limits, checked_sure
from bestdo.bandit.prices import Costs, RoundPrices, Said, prices_of
from bestdo.bandit.reading import Reading
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.contexts import Contexts, checked_first, given_first
from bestdo.causal.doubts import MOST_CANDIDATES, Doubts
from bestdo.causal.graph import Graph
from bestdo.causal.graphs import Graphs, OneGraph, graphs_of
from bestdo.causal.law_from_tables import law_for
from bestdo.causal.number_causes import number_causes
from bestdo.causal.where import contenders, parts_that_matter
from bestdo.errors import ActionError, BestdoError, GraphError, NotValid, TooLarge, shown
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.causal.law import Law

__all__ = ["SLACK", "Problem", "require_bounds", "require_graph", "require_law"]

_MOST_GRAPHS = 64
"""The most possible graphs in which actions are compared with each other. Limits the time. Not measured."""


@dataclass(frozen=True, init=False)
class Problem:
    """A bandit problem: which of the actions has the best mean of the graph's reward? The truth is not in it.

    graph: a Graph with a reward, or Doubts, which hold every graph that is possible. actions: a list of interventions, as
    ``[do(), do(price="low")]``; or instead `set`, the names of the variables that may be set (or a mapping, ``{"price":
    ["low"]}``, where only these values may), of which up to `at_most` (1 when not said) at once: then do() and every such
    setting is an action. Without both, all observed variables may be set but the reward, those limited and those seen first.
    cost: what one round costs: one number for each action, or a mapping from actions to numbers, with "default" for the rest
    (1 when not said). limits: outcomes other than the reward that must stay within bounds, with probability `sure`. first:
    variables that are seen before the action is chosen. goal: "find", where the action kept at the end counts, or "earn",
    where the reward of every round does. retired: actions that were played and are not to be played again: their rounds
    count, and they are not recommended.

    Raises GraphError and ActionError, which say what is wrong with the graph or an action.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("price -> sales; photo -> sales", reward="sales", success="1")
    >>> bestdo.Problem(graph, set=["price", "photo"], at_most=2)
    Problem(9 actions, 3 variables; wanted: sales = 1 likeliest)
    >>> bestdo.Problem(graph, [bestdo.do(), bestdo.do(price=1)], cost=[1, 2.5]).cost
    (1.0, 2.5)
    """

    graph: Graph
    actions: Actions
    law: Law | None = None
    """P(parents of the reward | a), where it is known."""
    cost: tuple[float, ...] | None = None
    """The cost of one round of each action; the horizon is then a budget. None when the horizon is a number of rounds."""
    all_compete: bool = False
    """Whether actions that cannot be the best by the graph compete as well: as in the paper's experiments, and in a study
    whose rounds have contradicted the graph."""
    limits: Limits = NO_LIMITS
    """Outcomes other than the reward that must stay within bounds: a tuple, empty where there are none."""
    sure: float = SURE
    """The probability with which a recommended action must keep all limits."""
    first: tuple[str, ...] = ()
    """Variables that are seen before the action is chosen: the answer is then a rule, an action for each context."""
    goal: Goal = FIND
    """"find": the rounds serve to find the best action for afterwards; "earn": the reward of every round counts."""
    doubts: Doubts | None = None
    """The graphs that are possible, where arrows are in doubt; `graph` is then the one with the most arrows."""
    retired: tuple[Intervention, ...] = ()
    """Actions that are neither played nor recommended any more, while their rounds count as those of others."""
    reading: Reading = field(default_factory=Reading, compare=False)
    """The way in which tables of old data are read."""
    positions: Mapping[str, tuple[float, float]] = field(default_factory=dict, compare=False)
    """The places of variables in pictures that a person chose: x, and y, which grows downwards."""

    def __init__(
        self,
        graph: Graph | Graphs,
        actions: Actions | Iterable[Intervention | str] | None = None,
        law: Law | None = None,
        cost: Sequence[float] | Mapping[Any, float] | None = None,
        *,
        set: str | Iterable[str] | Mapping[str, Any] | None = None,  # noqa: A002  # as in files and on the page
        at_most: int | None = None,
        all_compete: bool = False,
        limits: Limit | Iterable[Limit] = (),
        sure: float = SURE,
        first: str | Iterable[str] = (),
        goal: str = FIND,
        doubts: Doubts | None = None,
        retired: str | Intervention | Iterable[Intervention | str] = (),
        reading: Reading | None = None,
        positions: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        if isinstance(graph, Doubts | OneGraph):
            doubts, graph = graph.doubts, graph.graph
        if not isinstance(graph, Graph):
            raise GraphError(
                f"a problem needs a graph, as Graph.parse('price -> sales', reward='sales') makes, not {shown_value(graph)}; "
                "from a file or a graph of another library, bestdo.compose(source, reward='sales', set=['price']) makes one"
            )
        if graph.reward is None:
            raise GraphError("a problem needs a reward: graph.rewarding(name, success)")
        bounds, early = tuple(_limits(limits)), tuple(listed("first", first, "['device']"))
        allowed = _actions(graph, actions, set, at_most, bounds, early)
        if law is not None and getattr(law, "actions", None) != allowed:
            law = law_for(allowed, law) if getattr(getattr(law, "actions", None), "graph", None) == graph else None
            if law is None:
                raise ActionError(
                    "the law of the reward's parents belongs to other actions, and does not follow for these"
                )
        graphs = _checked_graphs(graph, doubts)
        if early:
            graphs.every(TooLarge(_TOO_MANY_CONTEXTS.format(graphs.count)))
        if law is not None:
            graphs.only(NotValid(DOUBTS_AND_TABLES.why()))
        seen_first = checked_first(graph, allowed, early)
        for possible in (g for g in graphs.largest if g != graph) if early or bounds else ():
            checked_first(possible, Actions(possible, allowed), early)
            checked_limits(possible, Actions(possible, allowed), bounds, seen_first)
        if graphs.arrows:
            _refuse_number_causes(graph, bounds)
        for name, value in (
            ("graph", graph),
            ("actions", allowed),
            ("law", law),
            ("cost", prices_of(allowed, cost).cost),
            ("all_compete", bool(all_compete)),
            ("limits", checked_limits(graph, allowed, bounds, seen_first)),
            ("sure", checked_sure(sure)),
            ("first", seen_first),
            ("goal", checked_goal(goal)),
            ("doubts", doubts),
            ("retired", _retired(allowed, retired, Limits(bounds))),
            ("reading", Reading() if reading is None else reading),
            ("positions", {} if positions is None else positions),
        ):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        limits = "".join(self.limits.columns(f", {counted(len(self.limits), 'limit')}"))
        sizes = f"{counted(len(self.actions), 'action')}, {counted(len(self.graph.names), 'variable')}"
        about = f"{self.graphs.remark}{self.unit.remark}{limits}"
        return f"Problem({sizes}{about}; wanted: {self.graph.wanted}{self.goal.remark})"

    _repr_html_ = display.html
    plot = display.plot

    @cached_property
    def graphs(self) -> Graphs:
        """The graphs that are possible: one where no arrow is in doubt."""
        return graphs_of(self.graph, self.doubts)

    @cached_property
    def price_list(self) -> RoundPrices | Costs:
        """The prices of all actions, and the unit in which they are."""
        return prices_of(self.actions, self.cost)

    @property
    def unit(self) -> Unit:
        """The unit of horizons: rounds, or money where actions have costs."""
        return self.price_list.unit

    def horizon(
        self, rounds: Any = None, budget: Any = None, say: Said = ("rounds=60", "budget=100"), least: int = 1
    ) -> Horizon:
        """The horizon, checked: a whole number of rounds, or a budget for at least one round where actions have costs.

        `say` is how a person writes the two; with `least` 0, a horizon may pay for no round.
        """
        return Horizon(self.price_list.amount(rounds, budget, say, least), self.unit)

    @cached_property
    def prices(self) -> NDArray[np.float64]:  # float[A]
        """The part of the horizon that one round of each action takes: its cost, or 1."""
        prices = np.array(self.price_list.each, np.float64)
        prices.setflags(write=False)
        return prices

    @cached_property
    def dearest(self) -> float:
        """The price of a round of the most expensive action."""
        return float(self.prices.max())

    @cached_property
    def contenders(self) -> NDArray[np.bool_]:  # bool[A]
        """A mask of the actions that can be the best; others are not recommended, and played only to learn about these.

        With limits all can: one that is better by the graph may break a limit; the same where the goal is to earn and costs
        differ, because one that is better may cost more. Where variables are seen first, those can
        that are the best of all contexts together, or of one of them. Where arrows are in doubt, those can that can in one of
        the possible graphs.
        """
        if self._all_can:
            return self.playable
        found = self._in_some(contenders)
        return found | self.contenders_given_first if self.first else found

    @cached_property
    def equals(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of actions that are equal by every possible graph: first the cheapest, and of these what sets least.

        None where an action may differ from others in more than the reward, as by a limit.
        """
        graphs = () if self._all_can else self.graphs.covering[: _MOST_GRAPHS + 1]
        if not 0 < len(graphs) <= _MOST_GRAPHS:
            return ()
        parts = zip(*(parts_that_matter(graph, self.actions) for graph in graphs), strict=True)
        alike: dict[tuple[Intervention, ...], list[int]] = {}
        for number, part in enumerate(parts):
            alike.setdefault(part, []).append(number)

        def rank(number: int) -> tuple[float, int, str]:
            return self.prices[number], len(self.actions[number]), str(self.actions[number])

        return tuple(tuple(sorted(some, key=rank)) for some in alike.values() if len(some) > 1)

    def without_equals(self, can: Bools) -> Bools:  # bool[..., A] twice
        """The actions, of those that can be played, in whose place no equal action can be played."""
        needed = can.copy()
        for some in self.equals:
            for place, number in enumerate(some):
                needed[..., number] &= ~can[..., list(some[:place])].any(axis=-1)
        return needed

    @cached_property
    def playable(self) -> NDArray[np.bool_]:  # bool[A]
        """Which actions may be played: all but those that are retired."""
        found = np.array([action not in self.retired for action in self.actions])
        found.setflags(write=False)
        return found

    @property
    def kept_limits(self) -> Limits:
        """The limits as they are kept: where nothing is seen first, everybody is in one context."""
        return self.limits if self.first else self.limits.for_one

    @property
    def about_retired(self) -> tuple[str, ...]:
        """A sentence about the actions that are retired; none where there are none."""
        names = ", ".join(map(str, self.retired))
        its = "Its" if len(self.retired) == 1 else "Their"
        return (f"Retired, neither played nor recommended any more: {names}. {its} rounds count.",) if names else ()

    @cached_property
    def contenders_given_first(self) -> NDArray[np.bool_]:  # bool[A]
        """A mask of the actions that can be the best in a context."""
        if self._all_can:
            return self.playable
        return self._in_some(lambda a: contenders(Actions(given_first(a.graph, self.first), a)))

    def _in_some(self, can: Callable[[Actions], NDArray[np.bool_]]) -> NDArray[np.bool_]:  # bool[A]
        """Which of the actions that may be played can be the best in one of the possible graphs."""
        found = np.zeros(len(self.actions), bool)
        some = Actions(self.graph, [action for action in self.actions if action not in self.retired])
        found[self.playable] = self.graphs.in_some(some, can)
        return found

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """The numbers that rounds keep beside their values: those that are limited, and what means are per unit of."""
        limited = self.limits.measured
        beside = (other for name in limited for other in self.graph.variable(name).kind.told_with)
        return tuple(dict.fromkeys((*self.graph.rewarded.numbers[1:], *limited, *beside)))

    def numbers(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        """The numbers that rounds keep, of those of all variables (float[R] each), as `Rounds.numbers`."""
        return {name: numbers[name] for name in self.measured if name in numbers}

    @property
    def rules_out_by_graph(self) -> bool:
        """Whether an action cannot be the best if by the graph another one has always at least as good a mean."""
        return not self.limits and self.goal.rules_out_by_graph(self.price_list.each)

    @property
    def _all_can(self) -> bool:
        """Whether all actions are in the race, whatever the graph says."""
        return self.all_compete or not self.rules_out_by_graph

    def given(self, candidate: int) -> Problem:
        """The problem with one of the possible graphs, and no doubts."""
        return self.by(OneGraph(self.graphs.candidate(candidate)))

    def by(self, graphs: Graphs) -> Problem:
        """The problem with other possible graphs over the same variables."""
        return replace(self, graph=graphs.graph, actions=Actions(graphs.graph, self.actions), doubts=graphs.doubts)

    @property
    def question(self) -> str:
        """The purpose of the actions, as a question."""
        return f"Which action makes {self.graph.wanted}{self.goal.question}?"

    @cached_property
    def contexts(self) -> Contexts:
        """The contexts, all joint values of the variables that are seen first; one without values where there are none."""
        return Contexts(self.graph, self.first)

    def price(self, counts: NDArray[np.integer]) -> NDArray[np.float64]:  # float[L]
        """The part of the horizon that these numbers of rounds (int[L, A]) take."""
        return np.asarray(counts @ self.prices)

    def rounds(self, horizon: float, action: int | None = None) -> int:
        """The number of rounds that a horizon pays for: of the dearest action, or of this one."""
        return int(horizon / (self.dearest if action is None else self.prices[action]) + SLACK)


_TOO_MANY_CONTEXTS = (
    f"{{:,}} graphs are possible; where variables are seen first, at most {MOST_CANDIDATES:,} are allowed: settle some of "
    "the doubtful arrows, or let nothing be seen first"
)


def _checked_graphs(graph: Graph, doubts: Doubts | None) -> Graphs:
    """The graphs that are possible; raises an error unless the doubts are about this graph."""
    graphs = graphs_of(graph, doubts)
    if not isinstance(graphs, Doubts | OneGraph):
        raise GraphError(f"doubts are made by Doubts.parse('a ?-> b'), not {shown_value(doubts)}")
    if graphs.graph != graph:
        raise GraphError(
            "the doubts are about another graph: give Problem(doubts, set=[…]), without a graph beside them"
        )
    return graphs


def _refuse_number_causes(graph: Graph, limits: Iterable[Limit]) -> None:
    """Raises GraphError where a number causes a limited outcome: its causes cannot be handed on while arrows are in doubt."""
    for limit in limits:
        for cause in number_causes(graph, limit.variable):
            raise GraphError(
                f"the limit is on {shown(limit.variable)}, and its cause {shown(cause)} is a number while arrows are in "
                "doubt: give that values and cuts between them, as in cut = [18.0]"
            )


def _limits(given: Any) -> list[Limit]:
    """The limits in a list, or the one that was given."""
    limits = [given] if isinstance(given, Limit) else listed("limits", given, "[Limit('cancer', 'yes', at_most=0.1)]")
    for limit in limits:
        if not isinstance(limit, Limit):
            raise BestdoError(f"a limit is written as Limit('cancer', 'yes', at_most=0.1), not {shown_value(limit)}")
    return limits


def _actions(
    graph: Graph, actions: Any, names: Any, at_most: Any, limits: tuple[Limit, ...], first: tuple[str, ...]
) -> Actions:
    """The actions that were listed, or all settings of up to `at_most` of the named variables."""
    if actions is not None:
        if names is not None or at_most is not None:
            raise ActionError("give either the actions or the variables that may be set (set, at_most), not both")
        found = (
            actions if isinstance(actions, Actions) else Actions(graph, listed("actions", actions, "[do(), do(x=1)]"))
        )
        if found.graph != graph:
            raise ActionError("the actions belong to another graph: give them as a list, [do(), do(x=1)]")
        return found
    if names is None:
        others = {graph.reward, *first, *(limit.variable for limit in limits)}
        names = [n for n in graph.observed if n not in others]
    if not isinstance(names, Mapping):
        names = listed("set", names, "['price', 'discount']")
    for name in names:
        if not isinstance(name, str):
            raise ActionError(f"set is a list of names of variables, as ['price'], and {shown_value(name)} is no name")
    found = Actions.up_to(graph, 1 if at_most is None else whole_number("at_most", at_most), names)
    never = set(Limits(limits).never)
    return Actions(graph, [a for a in found if a not in never]) if never else found


def _retired(actions: Actions, given: Any, limits: Limits) -> tuple[Intervention, ...]:
    """The actions that are retired, in the order of the problem's actions; raises ActionError unless another one is left.

    Where limits hold while exploring, too, one of the safe actions has to be left.
    """
    some = [given] if isinstance(given, str | Intervention) else listed("retired", given, "['do(price=low)']")
    retired = [Intervention.of(action) for action in some]
    for action in retired:
        if action not in actions:
            raise ActionError(f"{action} is not among the actions, and cannot be retired")
    left = [action for action in actions if action not in retired]
    if not left:
        raise ActionError(f"{retired[-1]} cannot be retired: no action would be left that may be played")
    if limits.always and not [action for action in limits.safe if action not in retired]:
        raise ActionError(
            f"{retired[-1]} cannot be retired: no safe action would be left, and a limit holds while exploring, too"
        )
    return tuple(action for action in actions if action in retired)


def require_law(problem: Problem, who: str) -> Law:
    """The law of the reward's parents; raises NotValid, naming `who` needs it, where it is missing or a parent is hidden."""
    graph = problem.graph
    assert graph.reward is not None
    if problem.law is None:
        problem.graphs.only(NotValid(DOUBTS_AND_LAW_LEARNER.why(who)))
        raise NotValid(
            f"{who} needs the law of the reward's parents under each action: [tables] or [law] in the file, "
            "the law of a Problem in Python"
        )
    unseen = [p for p in graph.parents[graph.reward] if p in graph.hidden]
    if unseen:
        raise NotValid(HIDDEN_AND_LAW_LEARNER.why(who, ", ".join(map(shown, unseen))))
    return problem.law


def require_graph(problem: Problem, who: str) -> None:
    """Raises NotValid, naming `who` needs it, where arrows are in doubt and no possible graph has those of all others."""
    if len(problem.graphs.covering) != 1:
        raise NotValid(
            f"{who} uses one graph, and of {problem.graphs.count:,} that are possible none has all arrows of the "
            "others: causal-top-two averages over them, and learners that learn from plays alone, as top-two, need none"
        )


def require_bounds(problem: Problem, who: str, or_spread: bool = False) -> None:
    """Raises NotValid, naming `who` needs them, where the reward has no bounds (nor a stated spread, with `or_spread`)."""
    rewarded = problem.graph.rewarded
    missing = " and ".join(n for n, end in zip(("low", "high"), rewarded.ends, strict=True) if not math.isfinite(end))
    if not missing or (or_spread and math.isfinite(rewarded.most_variance)):
        return
    name = shown(str(problem.graph.reward))
    spread = ", or spread, a standard deviation that it does not exceed whatever is done" if or_spread else ""
    raise NotValid(UNBOUNDED_AND_SURE.why(who, name, missing, spread))
