"""Random problems with a limit in every structure that a graph can have, and what studies of them say at several moments.

Rates lie around the limit (1 to 30 %): their level is the limit times a lognormal factor, and actions are alike, near or far
apart, a third each. Other numbers and other structures than those of `limit_studies`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from bestdo import Actions, Graph, Limit, Model, Number, Outcome, Problem, Variable, World, do
from bestdo.bandit.learner import in_study
from bestdo.bandit.rounds import Plan
from bestdo.learners import learner
from bestdo.learners.game import game_of
from bestdo.learners.rule_game import rule_game
from bestdo.simulate.driver import play_out

Floats = NDArray[np.float64]
LIMITS = 0.01, 0.02, 0.05, 0.1, 0.3
MOMENTS = 10, 20, 50, 100, 200, 500
BINS = 0.8, 0.85, 0.9, 0.95, 1.0 + 1e-9


class Shape(NamedTuple):
    """The parts of a graph without its outcomes, and what is limited."""

    sizes: dict[str, int]
    """The values of each variable but the outcomes."""
    arrows: tuple[tuple[str, str], ...]
    both: tuple[tuple[str, str], ...] = ()
    settings: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    joint: bool = False
    """Whether all settings are set at once."""
    watched: bool = True
    """Whether do() is among the actions."""
    kind: str = "value"
    """"value", "tail" or "number"."""


def _to(causes: Sequence[str], outcomes: Sequence[str] = ("harm", "cure")) -> tuple[tuple[str, str], ...]:
    return tuple(product(causes, outcomes))


def _parallel(rng: np.random.Generator) -> Shape:
    names = [f"x{i}" for i in range(rng.integers(3, 7))]
    return Shape(dict.fromkeys(names, 2), _to(names), settings=tuple(names))


def _mediator(rng: np.random.Generator) -> Shape:
    return Shape(
        {"dose": int(rng.integers(3, 6)), "level": 3}, (("dose", "level"), *_to(["level"])), settings=("dose",)
    )


def _direct(rng: np.random.Generator) -> Shape:
    return Shape({"dose": int(rng.integers(2, 7))}, _to(["dose"]), settings=("dose",), watched=False)


def _many_values(rng: np.random.Generator) -> Shape:
    return Shape({"dose": 20}, _to(["dose"]), settings=("dose",))


def _back_door(rng: np.random.Generator) -> Shape:
    return Shape({"age": 3, "dose": 3}, (("age", "dose"), *_to(["age", "dose"])), settings=("dose",))


def _front_door(rng: np.random.Generator) -> Shape:
    arrows = (("dose", "level"), *_to(["level"]))
    return Shape({"dose": 3, "level": 2}, arrows, (("dose", "harm"), ("dose", "cure")), ("dose",))


def _confounded(rng: np.random.Generator) -> Shape:
    return Shape({"dose": 4}, _to(["dose"]), (("dose", "harm"),), ("dose",))


def _hidden_outcomes(rng: np.random.Generator) -> Shape:
    return Shape({"dose": 3, "aid": 2}, _to(["dose", "aid"]), (("harm", "cure"),), ("dose", "aid"))


def _contexts(rng: np.random.Generator) -> Shape:
    return Shape({"age": 3, "dose": 4}, _to(["age", "dose"]), settings=("dose",), first=("age",), watched=False)


def _contexts_confounded(rng: np.random.Generator) -> Shape:
    both = (("dose", "harm"), ("dose", "cure"))
    return Shape({"age": 2, "dose": 3}, _to(["age", "dose"]), both, ("dose",), ("age",))


def _contexts_watched(rng: np.random.Generator) -> Shape:
    return Shape({"age": 2, "dose": 3}, _to(["age", "dose"]), settings=("dose",), first=("age",))


def _columns(rng: np.random.Generator) -> Shape:
    sizes = {"price": 3, "way": 3, "photo": 2, "advice": 2}
    return Shape(sizes, _to(list(sizes)), settings=tuple(sizes), joint=True, watched=False)


def _columns_in_contexts(rng: np.random.Generator) -> Shape:
    sizes = {"device": 2, "price": 3, "way": 3, "photo": 2}
    return Shape(sizes, _to(list(sizes)), settings=("price", "way", "photo"), first=("device",), joint=True)


def _columns_of_many(rng: np.random.Generator) -> Shape:
    names = [f"x{i}" for i in range(16)]
    return Shape(dict.fromkeys(names, 2), _to(names), settings=tuple(names))


def _as(kind: str, shape: Callable[[np.random.Generator], Shape]) -> Callable[[np.random.Generator], Shape]:
    return lambda rng: shape(rng)._replace(kind=kind)


SHAPES: dict[str, Callable[[np.random.Generator], Shape]] = {
    "direct": _direct,
    "parallel causes": _parallel,
    "many values": _many_values,
    "mediator": _mediator,
    "back door": _back_door,
    "front door": _front_door,
    "hidden cause of dose and harm": _confounded,
    "hidden cause of harm and cure": _hidden_outcomes,
    "contexts": _contexts,
    "contexts, hidden causes": _contexts_confounded,
    "contexts, watched": _contexts_watched,
    "joint settings": _columns,
    "joint settings in contexts": _columns_in_contexts,
    "sixteen causes": _columns_of_many,
    "tail": _as("tail", _direct),
    "tail, mediator": _as("tail", _mediator),
    "number": _as("number", _direct),
    "number, parallel causes": _as("number", _parallel),
    "number, joint settings": _as("number", _columns),
}


def world_of(rng: np.random.Generator, name: str, limit: float, **how: Any) -> World:
    """A random world of a structure; more of `Limit` or of `Problem` (`sure`) in `how`."""
    shape = SHAPES[name](rng)
    number = shape.kind != "value"
    variables = [Variable(n, tuple(map(str, range(k)))) for n, k in shape.sizes.items()]
    variables += [Variable("harm", number=Number()) if number else Variable("harm", ("no", "yes"))]
    variables += [Variable("cure", ("no", "yes"))]
    graph = Graph.of(variables, shape.arrows, shape.both).rewarding("cure", "yes")
    tables: dict[str, Any] = {}
    for n in graph.names:
        sizes = tuple(len(graph.variable(p).values) for p in graph.parents[n])
        if n not in ("harm", "cure"):
            tables[n] = rng.dirichlet(np.full(len(graph.variable(n).values), 2.0), sizes)
    cure = rng.beta(2, 2, _sizes(graph, "cure"))
    tables["cure"] = np.stack([1 - cure, cure], axis=-1)
    level, apart = np.exp(rng.normal(0, 0.4)), rng.choice([0.0, 0.3, 0.8])
    effect = _effects(rng, _sizes(graph, "harm"), apart)
    rate = np.clip(limit * level * np.exp(effect - effect.mean()), 1e-4, 0.95)
    numbers = {}
    if shape.kind == "value":
        tables["harm"] = np.stack([1 - rate, rate], axis=-1)
        bound = {"value": "yes", "at_most": limit}
    elif shape.kind == "tail":
        numbers["harm"] = Outcome(48 + 10 * norm.ppf(rate), np.full(rate.shape, 10.0))
        bound = {"above": 48.0, "at_most": limit}
    else:
        numbers["harm"] = Outcome(10 + 0.5 * np.log(rate / limit), np.full(rate.shape, rng.choice([0.5, 1.0, 2.0])))
        bound = {"at_most": 10.0}
    settings = {n: graph.variable(n).values for n in shape.settings}
    if shape.joint:
        actions = [do(dict(zip(settings, each, strict=True))) for each in product(*settings.values())]
    else:
        actions = [do({n: v}) for n, values in settings.items() for v in values]
    actions = [do()] * shape.watched + actions
    more = {n: how.pop(n) for n in ("sure",) if n in how}
    limits = [Limit("harm", **bound, **how)]
    return World(
        Problem(graph, Actions(graph, actions), limits=limits, first=shape.first, **more), Model(graph, tables, numbers)
    )


def _sizes(graph: Graph, name: str) -> tuple[int, ...]:
    return tuple(len(graph.variable(p).values) for p in graph.parents[name])


def _effects(rng: np.random.Generator, sizes: tuple[int, ...], apart: float) -> Floats:
    """Main effects of some causes, and a little of every row's own, on the logarithm of a rate."""
    effect = rng.normal(0, 0.3 * apart, sizes)
    for axis, size in enumerate(sizes):
        own = rng.normal(0, apart, size) * (rng.random() < 0.7)
        effect = effect + own.reshape([-1 if i == axis else 1 for i in range(len(sizes))])
    return effect


class Watched:
    """A game that calls a function with its state after so many rounds."""

    def __init__(self, game: Any, moments: Sequence[int], said: Callable[[int, Any], None]) -> None:
        self._game, self._moments, self._said, self._told = game, set(moments), said, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def tell(self, state: Any, plan: Any, sums: Any) -> Any:
        """The state of the game, of which the function is told."""
        state = self._game.tell(state, plan, sums)
        before, self._told = self._told, self._told + int(plan.counts.sum(axis=1).max(initial=0))
        for moment in sorted(self._moments):
            if before < moment <= self._told:
                self._said(moment, state)
        return state


class Said(NamedTuple):
    """What a study says at one moment."""

    rounds: int
    probability: Floats
    """float[L, C, A]: with which each action is said to keep the limit in each context."""
    true: NDArray[np.bool_]
    """bool[C, A]"""
    kept: NDArray[np.int64]
    """int[L, C]: the action that is recommended in each context."""


def said_by(world: World, name: str, moments: Sequence[int], lanes: int, rng: np.random.Generator) -> Iterator[Said]:
    """What studies of one world say at these moments."""
    found: list[Said] = []
    game = game_of(in_study(learner(name)), world.problem)
    true, shape = ~world.breaks_by_context, (-1, *world.breaks_by_context.shape)

    def said(moment: int, state: Any) -> None:
        keeps = np.broadcast_to(np.asarray(game.keeps(state)), (lanes, *shape[1:]))
        kept = np.asarray(game.recommended(state)[0]).reshape(lanes, -1)
        found.append(Said(moment, keeps.copy(), true, kept.copy()))

    play_out(world, Watched(game, moments, said), max(moments), lanes, rng)
    return iter(found)


def everybody(world: World, name: str, rounds: int, lanes: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The probability with which each study says that its rule keeps a limit over everybody, and whether it does."""
    game = rule_game(world.problem, in_study(learner(name)))
    state = play_out(world, game, rounds, lanes, rng)
    rules = game._everybody(state)
    true = ~world.breaks_of_rule(np.array([one.rule for one in rules])).any(axis=1)
    return np.array([one.chance for one in rules]), true


class Explored(NamedTuple):
    """Studies of one world whose limit holds while exploring, too."""

    broken: NDArray[np.float64]
    """float[L]: the share of rounds that break the limit."""
    regret: NDArray[np.float64]
    """float[L]: of the rule that is recommended in the end."""
    kept: NDArray[np.bool_]
    """bool[L]: whether the recommended rule breaks the limit in some context."""


def explored(world: World, name: str, rounds: int, lanes: int, rng: np.random.Generator, old: int = 0) -> Explored:
    """What studies of one world play and recommend; after so many old rounds that were only watched."""
    game = game_of(in_study(learner(name)), world.problem)
    broken, truth = np.zeros(lanes), world.breaks_by_context

    def played(plan: Any, context: Any) -> None:
        which = np.zeros(lanes, np.int64) if context is None else np.broadcast_to(context, lanes)
        broken[:] += (plan.counts * truth[which]).sum(axis=1)

    state = play_out(world, _After(game, world, old, rng) if old else game, rounds, lanes, rng, 1, played)
    rule = np.asarray(game.recommended(state)[0]).reshape(lanes, -1)
    return Explored(broken / rounds, world.regret_of_rule(rule), world.breaks_of_rule(rule).any(axis=1))


class _After:
    """A game that begins after old rounds of do(), other ones in each lane."""

    def __init__(self, game: Any, world: World, old: int, rng: np.random.Generator) -> None:
        self._game, self._world, self._old, self._rng = game.with_old(float(old)), world, old, rng

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def start(self, horizon: float, lanes: int, rng: np.random.Generator) -> Any:
        """The state after the old rounds."""
        state = self._game.start(horizon, lanes, rng)
        counts = np.zeros((lanes, len(self._world.problem.actions)), np.int64)
        watching = [i for i, action in enumerate(self._world.problem.actions) if not action]
        counts[:, watching] = self._old
        rounds = self._world.rounds(Plan(counts), self._rng)
        return self._game.tell(state, Plan(0 * counts), self._game.statistic(horizon).tally(rounds, lanes))
