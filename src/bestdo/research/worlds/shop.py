"""A web shop: four things are set together, two are seen first, revenue is mostly zero, and support requests are limited.

All numbers are made up. Learners know the graph and the limit; no interaction is declared anywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.goal import FIND, Goal
from bestdo.bandit.limit import Limit
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.simulate.world import World

__all__ = ["FIRST", "SEGMENT", "SETTINGS", "segments_of_shop", "shop", "shop_for_everybody"]

FIRST: Mapping[str, tuple[str, ...]] = {
    "device": ("telephone", "computer"),
    "visitor": ("new", "returning", "member"),
}
"""The variables that are seen before a page is shown: six contexts."""
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "price": ("usual", "lower", "lowest"),
    "delivery": ("paid", "from 50", "free"),
    "photos": ("plain", "scene"),
    "advice": ("none", "chat"),
}
"""The variables that are set together: 36 combinations."""
SEGMENT = 80
"""The number of visitors of a segment in the world whose rounds are means of segments."""

_LIMIT = 0.06
"""The largest share of visitors, in each context, who may write to the support."""
_REVENUE, _ORDER = 3.9, 150.0
"""The middle of the means, in euros for each visitor, and twice the worth of an order: 95 of 100 visitors buy nothing."""
_WRITES = 0.031
"""The middle of the shares of visitors who write to the support."""
_SPREAD = 40.0
"""The spread of the revenue of one visitor that the shop states: larger than any in truth."""

_Effects = Mapping[tuple[str, ...], float]
"""Additions to the logarithm of a mean, each where all of these values come together."""

_ON_REVENUE: _Effects = {
    ("telephone",): -0.15,
    ("computer",): 0.12,
    ("new",): -0.18,
    ("returning",): 0.08,
    ("member",): 0.22,
    ("lower",): 0.04,
    ("lowest",): 0.02,
    ("from 50",): 0.08,
    ("free",): 0.05,
    ("scene",): 0.03,
    ("chat",): 0.06,
    ("lower", "new"): 0.08,
    ("lowest", "new"): 0.20,
    ("lowest", "member"): -0.15,
    ("free", "telephone"): 0.12,
    ("from 50", "computer"): 0.08,
    ("scene", "telephone"): -0.12,
    ("scene", "computer"): 0.14,
    ("chat", "new"): 0.10,
    ("chat", "member"): -0.12,
    ("lowest", "free"): -0.16,
    ("scene", "chat"): 0.07,
    ("scene", "chat", "telephone"): 0.10,
    ("usual", "free", "member"): 0.12,
}
_ON_SUPPORT: _Effects = {
    ("telephone",): 0.06,
    ("new",): 0.18,
    ("member",): -0.30,
    ("lowest",): 0.18,
    ("from 50",): 0.10,
    ("free",): 0.22,
    ("chat",): 0.25,
    ("free", "new"): 0.16,
    ("chat", "telephone"): 0.20,
    ("lowest", "chat"): 0.12,
}
_BEFORE: Mapping[str, tuple[str, Floats]] = {
    "price": ("visitor", np.array([[0.75, 0.20, 0.05], [0.60, 0.25, 0.15], [0.15, 0.25, 0.60]])),
    "delivery": ("device", np.array([[0.70, 0.25, 0.05], [0.30, 0.30, 0.40]])),
    "photos": ("device", np.array([[0.85, 0.15], [0.35, 0.65]])),
    "advice": ("visitor", np.array([[0.95, 0.05], [0.85, 0.15], [0.60, 0.40]])),
}
"""What the shop did before, by what it saw: members, who buy more anyway, got the lowest price."""
_SHARES: Mapping[str, Floats] = {"device": np.array([0.62, 0.38]), "visitor": np.array([0.50, 0.32, 0.18])}

_HOURS = ("night", "morning", "afternoon", "evening")
_BY_HOUR = np.array([0.92, 0.97, 1.03, 1.08])
"""The factors of the revenue by the time of the day; their mean is 1."""


def shop(goal: Goal = FIND, limited: bool = True, *, hour: bool = False, drawn: bool = False) -> World:
    """The shop, visitor by visitor.

    With `hour` the graph has a further cause of the revenue that nobody sets: one more than tables of all causes have room
    for. With `drawn` it has `revenue <-> support`, which is not there in truth. do() is what the shop did before, so that old
    visits are rounds of it; it is retired, and not played any more.
    """
    support = Variable("support", ("no", "yes"))
    limit = Limit("support", value="yes", at_most=_LIMIT)
    graph, rates = _graph(support, _SPREAD, hour, drawn), _rates()
    tables = {**_before(graph), "support": np.stack([1 - rates, rates], axis=-1)}
    model = Model(_truth(graph), tables, {"revenue": _revenue(hour)})
    return World(_problem(graph, goal, [limit] if limited else [], tuple(FIRST)), model)


def segments_of_shop(goal: Goal = FIND, limited: bool = True, *, hour: bool = False, drawn: bool = False) -> World:
    """The shop by segments: a round is the mean of `SEGMENT` visitors of one context, revenue and support alike."""
    support = Variable("support", number=Number(low=0.0, high=1.0))
    limit = Limit("support", at_most=_LIMIT)
    graph = _graph(support, _SPREAD / np.sqrt(SEGMENT), hour, drawn)
    one, rates = _revenue(hour), _rates()
    numbers = {
        "revenue": Outcome(one.mean, one.spread / np.sqrt(SEGMENT), "lognormal"),
        "support": Outcome(rates, np.sqrt(rates * (1 - rates) / SEGMENT), "beta"),
    }
    problem = _problem(graph, goal, [limit] if limited else [], tuple(FIRST))
    return World(problem, Model(_truth(graph), _before(graph), numbers))


def shop_for_everybody(goal: Goal = FIND, limited: bool = True) -> Problem:
    """The problem of a shop that shows one page to everybody: rounds are means of all visitors of a slot."""
    revenue = Variable(
        "revenue", number=Number(low=0.0, spread=_SPREAD / np.sqrt(len(_contexts()) * SEGMENT)), unit="EUR"
    )
    support = Variable("support", number=Number(low=0.0, high=1.0))
    variables = [*(Variable(n, v) for n, v in SETTINGS.items()), support, revenue]
    arrows = [(name, effect) for name in SETTINGS for effect in ("support", "revenue")]
    graph = Graph.of(variables, arrows, reward="revenue", aim="maximise")
    limit = Limit("support", at_most=_LIMIT)
    return _problem(graph, goal, [limit] if limited else [], ())


def _graph(support: Variable, spread: float, hour: bool, drawn: bool) -> Graph:
    """The graph: what is seen first decided what the shop did, and all of it acts on revenue and support."""
    revenue = Variable("revenue", number=Number(low=0.0, spread=float(spread)), unit="EUR")
    causes = [Variable(n, v) for n, v in (*FIRST.items(), *SETTINGS.items())]
    arrows = [(parent, name) for name, (parent, _) in _BEFORE.items()]
    arrows += [(cause.name, effect) for cause in causes for effect in ("support", "revenue")]
    more = [Variable("hour", _HOURS)] if hour else []
    arrows += [("hour", "revenue") for _ in more]
    both = [("revenue", "support")] if drawn else []
    return Graph.of([*causes, *more, support, revenue], arrows, both, "revenue", aim="maximise")


def _truth(graph: Graph) -> Graph:
    """The graph without arrows of hidden causes."""
    parents = {name: tuple(n for n in causes if n not in graph.hidden) for name, causes in graph.parents.items()}
    return replace(graph, parents=parents)


def _problem(graph: Graph, goal: Goal, limits: list[Limit], first: tuple[str, ...]) -> Problem:
    """The problem with all combinations of settings as actions, and do(), which is retired."""
    each = (do(dict(zip(SETTINGS, values, strict=True))) for values in itertools.product(*SETTINGS.values()))
    actions = Actions(graph, [do(), *each])
    return Problem(graph, actions, first=first, limits=limits, goal=goal, retired=(do(),))


def _contexts() -> list[tuple[str, ...]]:
    return list(itertools.product(*FIRST.values()))


def _states() -> list[tuple[str, ...]]:
    """All states of what is seen first and of the settings, the last changing fastest."""
    return list(itertools.product(*FIRST.values(), *SETTINGS.values()))


def _means(middle: float, effects: _Effects) -> Floats:  # float[2, 3, 3, 3, 2, 2]
    """The means by all causes: the middle times the exponentials of all effects whose values come together."""
    added = [sum(effect for values, effect in effects.items() if set(values) <= set(state)) for state in _states()]
    sizes = [len(values) for values in (*FIRST.values(), *SETTINGS.values())]
    return np.asarray(middle * np.exp(np.array(added, np.float64)).reshape(sizes))


def _revenue(hour: bool) -> Outcome:
    """The revenue of one visitor: a larger mean is due to more orders more than to larger ones."""
    mean = _means(_REVENUE, _ON_REVENUE)
    if hour:
        mean = mean[..., None] * _BY_HOUR
    return Outcome(mean, np.sqrt(mean * _ORDER), "zeros")


def _rates() -> Floats:  # float[2, 3, 3, 3, 2, 2]
    """The share of visitors who write to the support."""
    return _means(_WRITES, _ON_SUPPORT)


def _before(graph: Graph) -> dict[str, Floats]:
    """The tables of all causes, hidden ones included."""
    more = {name: np.array([0.5, 0.5]) for name in graph.hidden}
    if "hour" in graph.names:
        more["hour"] = np.full(4, 0.25)
    return {**_SHARES, **more, **{name: table for name, (_, table) in _BEFORE.items()}}
