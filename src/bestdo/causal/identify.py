"""Identification of the reward under an action: by watching alone, by adjusting, by another formula, or only by doing it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from bestdo.arguments import listed, of_type
from bestdo.causal.action import Intervention, check_intervention
from bestdo.causal.graph import Graph
from bestdo.causal.id import Hedge, NotIdentifiable, id_algorithm
from bestdo.causal.separation import separated, smallest_separator
from bestdo.errors import BestdoError, GraphError
from bestdo.text import quoted

if TYPE_CHECKING:
    from bestdo.arrays import Floats
    from bestdo.causal.formula import Formula, Marginals

__all__ = ["Identification", "adjustment_set", "identify", "minimal", "reaching", "seeing_is_doing"]

_How = Literal["seeing", "adjusting", "formula", "doing"]


@dataclass(frozen=True)
class Identification:
    """The way in which an action's mean reward can be learned, with the reason."""

    graph: Graph
    intervention: Intervention
    how: _How
    """`seeing`: by watching alone; `adjusting`: by watching and adjusting for `adjust`; `formula`: by watching, with a
    formula that is not an adjustment; `doing`: only by doing it."""
    reason: str
    formula: Formula | None = None
    """P(reward | do(…)) by the distribution of the observed variables when nothing is set."""
    adjust: tuple[str, ...] = ()
    hedge: Hedge | None = None
    """The witness when no formula exists."""
    first: tuple[str, ...] = ()
    """The variables that are seen before: the mean is that in each context, given the values of these."""
    watched: str = ""
    """The reach of watching where arrows are in doubt and no way holds in every graph: "all" where it is enough in each,
    in ways of their own, "some" where it is in some; else empty."""

    @property
    def identifiable(self) -> bool:
        """Whether watching is enough."""
        return self.formula is not None

    def __repr__(self) -> str:
        return f"Identification({self.intervention}: {self.in_words})"

    def __str__(self) -> str:
        return f"{self.intervention}, {self.in_words}: {self.reason}" + (
            f"\n    {self.formula}" if self.formula else ""
        )

    @property
    def in_words(self) -> str:
        """The way of learning in a few words."""
        if self.how == "adjusting":
            return "by watching, adjusting for " + ", ".join(map(quoted, self.adjust))
        if self.watched:
            return "by watching" + (", in another way in each graph" if self.watched == "all" else " in some graphs")
        return {"seeing": "by watching alone", "formula": "by watching, with a formula"}.get(
            self.how, "only by doing it"
        )

    def evaluate(self, marginal: Marginals) -> Floats:  # float[*lanes, *values of first, values of the reward]
        """The law of the reward under the intervention (in each context), from counts or probabilities of observed variables.

        `marginal` gives the joint counts of the variables it is asked for, perhaps with lanes in front: a model's
        `distribution`, or `formula.marginals_of(names, table)`. NaN where a count that the formula needs is 0.
        """
        if self.formula is None:
            raise BestdoError(f"{self.intervention} cannot be learned by watching: {self.reason}")
        return self.at(self.formula.evaluate(marginal))

    def at(self, table: Floats) -> Floats:  # float[*lanes, *first, values of the reward]
        """The formula's table, float[*lanes, *values of formula.names], at the values that the intervention sets."""
        import numpy as np

        assert self.formula is not None
        names = self.formula.names
        lanes = table.ndim - len(names)
        where: list[slice | int] = [slice(None)] * lanes
        where += [
            self.graph.variable(n).code(self.intervention[n]) if n in self.intervention else slice(None) for n in names
        ]
        values = np.asarray(table[tuple(where)])
        if not self.first:
            return values
        left, order = [n for n in names if n not in self.intervention], (*self.first, _reward(self.graph))
        there = [n for n in order if n in left]
        values = np.moveaxis(values, [lanes + left.index(n) for n in there], range(lanes, values.ndim))
        values = np.expand_dims(values, tuple(lanes + i for i, n in enumerate(order) if n not in left))
        return np.broadcast_to(values, (*values.shape[:lanes], *map(self.graph.size, order)))


def _reward(graph: Graph) -> str:
    """The graph's reward; GraphError when it has none."""
    if graph.reward is None:
        raise GraphError("to identify an action's effect the graph needs a reward: graph.rewarding(name, success)")
    return graph.reward


def identify(
    graph: Graph, intervention: Intervention | str | Mapping[str, str | int], *, first: str | Iterable[str] = ()
) -> Identification:
    """The way in which the mean reward of an intervention can be learned: the first that works, in the order of `How`.

    graph: with a reward, or a problem. intervention: ``do(price=1)``, text or a mapping. first: variables that are seen
    before; then it is the mean in each context, by IDC (Shpitser & Pearl 2006). Raises ActionError where the intervention
    cannot be set, GraphError where what is seen first is hidden or caused by it.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("smoking -> tar -> cancer; smoking <-> cancer", reward="cancer", success="0")
    >>> bestdo.identify(graph, bestdo.do(tar=0)).how
    'adjusting'
    """
    graph = getattr(graph, "graph", graph)  # of a problem, or a model
    of_type("a graph", graph, Graph, "Graph.parse('price -> sales', reward='sales')")
    intervention = Intervention.of(intervention)
    check_intervention(graph, intervention)
    if _reward(graph) in intervention:
        raise GraphError(f"{intervention} sets the reward itself")
    if early := tuple(listed("first", first, "['device']")):
        from bestdo.causal.idc import identify_in_context

        return identify_in_context(graph, intervention, early)
    how, reason, formula, adjust, hedge = _identify_set(graph, frozenset(intervention))
    return Identification(graph, intervention, how, reason, formula, adjust, hedge)


def reaching(graph: Graph, names: frozenset[str]) -> frozenset[str]:
    """The ancestors of the reward, itself included, in the graph without arrows into these variables."""
    reached, todo = {_reward(graph)}, [_reward(graph)]
    while todo:
        name = todo.pop()
        if name not in names:  # a variable that is set has no arrows into it
            new = [p for p in graph.parents[name] if p not in reached]
            reached.update(new)
            todo += new
    return frozenset(reached)


def minimal(graph: Graph, names: frozenset[str]) -> frozenset[str]:
    """The variables among those set that matter: with a path of arrows to the reward that avoids the others."""
    return frozenset(name for name in names if _leads(graph, name, names))


def _leads(graph: Graph, name: str, others: frozenset[str]) -> bool:
    """Whether a path of arrows leads from a variable to the reward, none of the others on it."""
    reward, met, todo = _reward(graph), set(others), [name]
    while todo:
        for child in graph.children[todo.pop()]:
            if child == reward:
                return True
            if child not in met:
                met.add(child)
                todo.append(child)
    return False


def seeing_is_doing(graph: Graph, names: frozenset[str]) -> bool:
    """Whether P(reward | do(names)) = P(reward | names) in every model (rule 2 of do-calculus)."""
    return separated(graph, names, [_reward(graph)], no_arrows_out_of=names)


def adjustment_set(graph: Graph, names: frozenset[str]) -> frozenset[str] | None:
    """The smallest set to adjust for, or None when there is none.

    Sound and complete for adjustment, for any number of variables set: the smallest separator in the proper back-door
    graph (van der Zander, Liśkiewicz & Textor 2014). For one variable these are the back-door sets.
    """
    reward = _reward(graph)
    after = graph.without_arrows_into(names).descendants(names) - names
    cut_out = {n: tuple(p for p in ps if p not in names) for n, ps in graph.parents.items()}
    before, todo = {reward}, [reward]
    while todo:
        for parent in cut_out[todo.pop()]:
            if parent not in before:
                before.add(parent)
                todo.append(parent)
    causal = after & before  # on a causal path from the variables set to the reward
    forbidden = graph.descendants(causal) | names | {reward}
    arrows = [(a, b) for a in names for b in graph.children[a] if b in causal]
    return smallest_separator(graph, sorted(names), [reward], set(graph.observed) - forbidden, arrows)


def _listed(names: frozenset[str] | tuple[str, ...], graph: Graph) -> str:
    """The names as text, in the graph's order: "A, B and C"."""
    ordered = [quoted(n) for n in graph.names if n in names]
    return ordered[0] if len(ordered) == 1 else ", ".join(ordered[:-1]) + " and " + ordered[-1]


def _why_adjust(graph: Graph, z: tuple[str, ...], x: tuple[str, ...]) -> str:
    """The reason, as text, why the variables z are to be adjusted for when x are set."""
    reward, listed = _reward(graph), _listed(z, graph)
    shown, y = _listed(x, graph), quoted(reward)
    if set(z) <= graph.ancestors(x) & graph.without_arrows_into(x).ancestors([reward]):
        both = f"both {shown} and {y}" if len(x) == 1 else f"{shown} as well as {y}"
        return f"{listed} {'causes' if len(z) == 1 else 'cause'} {both}"
    return f"what connects {shown} with {y}, beside the effect, goes through {listed}"


_Answer = tuple[_How, str, "Formula | None", tuple[str, ...], Hedge | None]
"""The fields of an Identification after `intervention`: how, reason, formula, adjust, hedge."""


@lru_cache(maxsize=4096)
def _identify_set(graph: Graph, names: frozenset[str]) -> _Answer:
    """The way to learn the effect of setting these variables, which does not depend on the values they are set to."""
    from bestdo.causal.formula import Average, P, product, sum_out

    reward = _reward(graph)
    if not names:
        return "seeing", "nothing is set: watching is the same as doing it", P((reward,)), (), None
    active = minimal(graph, names)
    idle = names - active
    aside = f" (setting {_listed(idle, graph)} as well changes nothing)" if idle else ""
    if not active:
        reason = f"no chain of arrows leads from {_listed(names, graph)} to {quoted(reward)}, so it changes nothing"
        return "seeing", reason, P((reward,)), (), None
    shown, y = _listed(active, graph), quoted(reward)
    x = tuple(n for n in graph.names if n in active)
    if seeing_is_doing(graph, active):
        reason = f"nothing that causes {shown} reaches {y} in another way, so seeing is as good as setting{aside}"
        return "seeing", reason, P((reward,), x), (), None
    adjust = adjustment_set(graph, active)
    if adjust is not None:
        z = tuple(n for n in graph.names if n in adjust)
        reason = _why_adjust(graph, z, x) + aside
        return "adjusting", reason, sum_out(z, product([P(z), P((reward,), (*x, *z))])), z, None
    try:
        formula = id_algorithm(frozenset([reward]), active, graph.projected())
    except NotIdentifiable as failure:
        hedge = failure.hedge
        reason = (
            f"hidden causes shared by {_listed(hedge.outer, graph)} look the same as an effect of {shown} "
            f"to anyone who only watches{aside}"
        )
        return "doing", reason, None, (), hedge
    extra = tuple(n for n in formula.names if n != reward and n not in active)
    if extra:
        formula = Average(extra, formula)
    reason = f"hidden causes disturb, but what is seen of the other variables makes up for them{aside}"
    return "formula", reason, formula, (), None
