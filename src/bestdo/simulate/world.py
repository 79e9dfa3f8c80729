"""A world: a problem with the true model behind it, which can be played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

import bestdo.display as display
from bestdo.arguments import of_type
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan, Progress, Rounds, rewards
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.causal.model import Model
from bestdo.errors import GraphError, shown
from bestdo.learners.rule_within import best_rule

__all__ = [
    "World",
    "best_over_everybody",
    "breaks_of_rule",
    "by_context",
    "regret_of_rule",
    "regret_within_limits",
    "seen_rounds",
]

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class World:
    """A problem and the true model behind it, over the same variables.

    The problem's graph says what *can* cause what; the model may have fewer arrows, and more only when the world says
    that the graph is `mistaken`. (The paper's reward has 50 parents in the graph and depends on one of them.)

    Raises GraphError where the model has other variables, or an arrow that the graph has not.

    >>> import bestdo
    >>> farm = bestdo.compose("examples/farm.toml")
    >>> bestdo.World(farm.problem, farm.model).means.round(2).tolist() == bestdo.world("farm").means.round(2).tolist()
    True
    """

    problem: Problem
    model: Model
    mistaken: bool = False
    """Whether the problem's graph may be wrong about the model's arrows."""
    progress: ClassVar[Progress] = Progress()
    """The empty record: nothing was played before."""

    def __post_init__(self) -> None:
        of_type("the problem of a world", self.problem, Problem, "Problem(graph, set=['price'])")
        of_type("the model of a world", self.model, Model, "Model(graph, tables)")
        known, true = self.problem.graph, self.model.graph
        if known.variables != true.variables or _goal(known) != _goal(true):
            raise GraphError("the world's model has other variables, or another reward, than the problem")
        for name in known.names if not self.mistaken else ():
            more = set(true.parents[name]) - set(known.parents[name])
            if more:
                raise GraphError(
                    f"in the world's model {shown(sorted(more)[0])} causes {shown(name)}, in the problem's graph it does not"
                )

    def __repr__(self) -> str:
        return f"World({self.problem!r}, {self.model!r})"

    _repr_html_ = display.html

    @cached_property
    def actions(self) -> Actions:
        """The problem's actions, on the model's graph."""
        return Actions(self.model.graph, self.problem.actions)

    @cached_property
    def means(self) -> NDArray[np.float64]:  # float[A]
        """The true mean of each action, in the reward's own unit."""
        return self.model.means(self.actions)

    @property
    def gains(self) -> NDArray[np.float64]:  # float[A]
        """The true means, negative where they are to be small: more is better."""
        return self.problem.graph.rewarded.scale.sign * self.means

    @cached_property
    def breaks(self) -> NDArray[np.bool_]:  # bool[A]
        """A mask of the actions that truly break a limit of the problem, or are retired: they are not to be kept."""
        broken = ~self.problem.playable
        for limit in self.problem.limits:
            model = limit.model(self.model)
            broken |= ~limit.keeps(model.means(Actions(model.graph, self.actions)))
        return broken

    @cached_property
    def regrets(self) -> NDArray[np.float64]:  # float[A]
        """The regret of each action against the best one; see `regret_within_limits`."""
        each, shape = np.arange(len(self.actions)), (len(self.actions), len(self.actions))
        return regret_within_limits(np.broadcast_to(self.gains, shape), np.broadcast_to(self.breaks, shape), each)

    def regret(self, best: NDArray[np.integer]) -> NDArray[np.float64]:  # float[L]
        """The regret of the actions that were kept (int[L])."""
        return np.asarray(self.regrets[best])

    @cached_property
    def means_by_context(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # float[C, A] and float[C]
        """The true mean of each action in each context, and how often each context occurs."""
        return by_context(
            self.problem,
            lambda: (self.means[None], np.ones(1)),
            lambda: self.model.means_given(self.actions, self.problem.first),
        )

    @cached_property
    def breaks_by_context(self) -> NDArray[np.bool_]:  # bool[C, A]
        """A mask of the actions that truly break a limit of the problem in each context."""
        return by_context(self.problem, lambda: self.breaks[None], self._breaks_given)

    def _breaks_given(self) -> NDArray[np.bool_]:  # bool[C, A]
        """A mask of the actions that break a limit, where variables are seen first."""
        broken = np.tile(~self.problem.playable, (len(self.problem.contexts), 1))
        for limit in self.problem.kept_limits.in_each:
            model = limit.model(self.model)
            broken |= ~limit.keeps(model.means_given(Actions(model.graph, self.actions), self.problem.first)[0])
        return broken

    @cached_property
    def beyond_everybody(self) -> NDArray[np.float64]:  # float[1, J, C, A]
        """How far the outcome of each limit over everybody lies beyond its bound in each context."""
        found = []
        for limit in self.problem.kept_limits.over_everybody:
            model = limit.model(self.model)
            found.append(limit.beyond(model.means_given(Actions(model.graph, self.actions), self.problem.first)[0]))
        return np.reshape(found, (1, len(found), len(self.problem.contexts), len(self.problem.actions)))

    def breaks_of_rule(self, rule: NDArray[np.integer]) -> NDArray[np.bool_]:  # bool[L, C]
        """Whether the rules that were kept (int[L, C]) truly break a limit in each context; in all, one over everybody."""
        return breaks_of_rule(rule, self.means_by_context[1][None], self.breaks_by_context[None], self.beyond_everybody)

    def regret_of_rule(self, rule: NDArray[np.integer]) -> NDArray[np.float64]:  # float[L]
        """The regret of the rules that were kept (int[L, C]) against the best one, on average over contexts."""
        means, chance = self.means_by_context
        truth = self.breaks_by_context[None], self.beyond_everybody
        return regret_of_rule(means[None], chance[None], rule, self.problem.graph, *truth)

    def sample_given(
        self, codes: NDArray[np.integer], lane: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.integer], Mapping[str, NDArray[np.float64]]]:  # int[R, V], and float[R] each
        """Rows of values, with variables set to these codes (int[R, V]) where they are not -1, and the numbers in them."""
        x = self.model.sample_given(codes, rng)
        return x, self.model.draw_numbers(x, rng) if self.model.numbers else {}

    def rounds(self, plan: Plan, rng: np.random.Generator) -> Rounds:
        """Plays a plan; hidden variables are not shown."""
        lanes, actions = plan.counts.shape
        cells = np.repeat(np.arange(lanes * actions), plan.counts.reshape(-1))
        lane, action = np.divmod(cells, actions)
        x = self.model.sample(self.actions, action, rng)
        numbers = self.model.draw_numbers(x, rng) if self.model.numbers else {}
        rounds = seen_rounds(self.problem.graph, lane, action, x, numbers)
        return rounds._replace(numbers=self.problem.numbers(numbers))


def by_context(problem: Problem, one: Callable[[], _T], several: Callable[[], _T]) -> _T:
    """Numbers by context: those of `one` where nothing is seen first, and there is one context; else those of `several`.

    To condition on nothing gives the same means but for their last digits.
    """
    return several() if problem.first else one()


def regret_within_limits(
    gains: NDArray[np.float64], breaks: NDArray[np.bool_], best: NDArray[np.integer]
) -> NDArray[np.float64]:  # float[L]
    """The regret of the action kept (int[L]) against the best of those that keep all limits, by gains float[L, A].

    An action that breaks a limit (bool[L, A]) counts as the worst of all. 0 where every action breaks one.
    """
    lanes = np.arange(len(best))
    most = np.where(breaks, -np.inf, gains).max(axis=1)
    own = np.where(breaks[lanes, best], gains.min(axis=1), gains[lanes, best])
    return np.where(breaks.all(axis=1), 0.0, most - own)


def regret_of_rule(
    means: NDArray[np.float64],
    chance: NDArray[np.float64],
    rule: NDArray[np.integer],
    graph: Graph,
    breaks: NDArray[np.bool_],
    beyond: NDArray[np.float64],
) -> NDArray[np.float64]:  # float[L]
    """The regret of rules (int[L, C]) by means float[L or 1, C, A] and how often contexts occur, float[L or 1, C].

    An action that breaks a limit in a context (bool[L or 1, C, A]) counts as the worst of all there; a context in which every
    action breaks one counts nothing. A rule that breaks a limit over everybody, by how far each pair lies beyond its bound
    (float[L or 1, J, C, A]), counts as the worst in all contexts; where every rule does, nothing is lost.
    """
    gains = np.nan_to_num(graph.rewarded.scale.sign * means)
    most = np.where(breaks, -np.inf, gains).max(axis=2)
    worth = np.where(breaks, gains.min(axis=2, keepdims=True), gains)
    worth = np.broadcast_to(worth, (len(rule), *worth.shape[1:]))
    own = np.take_along_axis(worth, rule[:, :, None], axis=2)[:, :, 0]
    if beyond.shape[1]:
        own = np.where(breaks_of_rule(rule, chance, breaks, beyond), worth.min(axis=2), own)
        best, some = best_over_everybody(gains, chance, breaks, beyond)
        return np.where(some, best - (chance * np.where(breaks.all(axis=2), 0.0, own)).sum(axis=1), 0.0)
    return np.asarray((chance * np.where(breaks.all(axis=2), 0.0, most - own)).sum(axis=1))


def best_over_everybody(
    gains: NDArray[np.float64], chance: NDArray[np.float64], breaks: NDArray[np.bool_], beyond: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:  # float[L or 1] and bool[L or 1]
    """The value of the best rule found that keeps all limits in truth, and whether there is one; arguments as above."""
    found = []
    none = np.asarray(breaks.all(axis=2, keepdims=True))  # what is done there counts nothing
    able = np.asarray(~breaks | none)
    for lane in range(max(map(len, (gains, chance, breaks, beyond)))):
        value, often, can, over = (each[lane % len(each)] for each in (gains, chance[:, :, None], able, beyond))
        value = often * np.where(none[lane % len(none)], 0.0, value)
        best = best_rule(value, can, np.zeros(value.shape), [[(often * each)[None]] for each in over], 0.5)
        found.append((value[np.arange(len(value)), best.rule].sum(), best.chance >= 0.5))
    values, some = zip(*found, strict=True)
    return np.array(values), np.array(some)


def breaks_of_rule(
    rule: NDArray[np.integer], chance: NDArray[np.float64], breaks: NDArray[np.bool_], beyond: NDArray[np.float64]
) -> NDArray[np.bool_]:  # bool[L, C]
    """Whether rules (int[L, C]) break a limit in each context; one over everybody in all of them."""
    lanes, contexts = np.arange(len(rule))[:, None], np.arange(rule.shape[1])
    broken = np.broadcast_to(breaks, (len(rule), *breaks.shape[1:]))[lanes, contexts, rule]
    own = np.moveaxis(np.broadcast_to(beyond, (len(rule), *beyond.shape[1:])), 1, 0)[:, lanes, contexts, rule]
    return np.asarray(broken | ((chance * own).sum(axis=2) > _ROUNDING).any(axis=0)[:, None])


_ROUNDING = 1e-12  # by how much a sum may exceed a bound through rounding and still keep it


def _goal(graph: Graph) -> tuple[object, ...]:
    return graph.reward, graph.rewarded


def seen_rounds(
    graph: Graph,
    lane: NDArray[np.int64],
    action: NDArray[np.int64],
    x: NDArray[np.integer],
    numbers: Mapping[str, NDArray[np.float64]] | None = None,
) -> Rounds:
    """The rounds with these values of all variables (int[R, V]); those of hidden variables are overwritten by -1."""
    y = rewards(graph, x, numbers or {})
    x[:, [i for i, n in enumerate(graph.names) if n in graph.hidden]] = -1
    return Rounds(lane, action, x, y)
