"""A problem with contexts as one whose actions are all pairs of a context and an action."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from bestdo.arrays import Floats
from bestdo.bandit.limits import Limits
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.contexts import seen_first
from bestdo.causal.doubts import graphs_among
from bestdo.causal.law_from_tables import law_for
from bestdo.causal.model import Model
from bestdo.errors import ActionError
from bestdo.memory_cache import memory_cache

__all__ = ["in_pairs", "known_shares", "unfolded", "with_limits", "without_first"]


@memory_cache
def unfolded(problem: Problem) -> Problem:
    """The problem whose actions are all pairs of a context and an action: number of the context × actions + the action's.

    In its graph (`seen_first`) a context is as good as set, so that everything that is known of actions is known of pairs.
    """
    graphs = graphs_among(
        [seen_first(graph, problem.first) for graph in problem.graphs.candidates], problem.graphs.chances
    )
    graph = graphs.graph  # one, too, where the doubts were about what is seen first
    pairs = [do({**context, **action}) for context in problem.contexts for action in problem.actions]
    actions = Actions(graph, pairs, problem.first)
    law = None
    if graph.parents == problem.graph.parents:
        with suppress(ActionError):
            law = law_for(actions, problem.law)
    return Problem(graphs, actions, law, problem.price_list.repeated(len(problem.contexts)), all_compete=True)


def in_pairs(problem: Problem) -> Problem:
    """The problem whose actions are pairs of a context and an action: itself where nothing is seen first."""
    return unfolded(problem) if problem.first else problem


@memory_cache
def without_first(problem: Problem) -> Problem:
    """The problem of the best single action for everybody."""
    return replace(problem, first=())


@memory_cache
def with_limits(problem: Problem) -> Problem:
    """The unfolded problem with the limits of the problem, which every pair has to keep, and its retired actions."""

    def in_each(actions: tuple[Intervention, ...]) -> tuple[Intervention, ...]:
        return tuple(do({**context, **action}) for context in problem.contexts for action in actions)

    limits = Limits(replace(limit, safe=in_each(limit.safe)) for limit in problem.limits)
    return replace(unfolded(problem), limits=limits, sure=problem.sure, retired=in_each(problem.retired))


@memory_cache
def known_shares(problem: Problem) -> Floats | None:  # float[C]
    """The share of each context, where the known tables give it."""
    known = {} if problem.law is None else problem.law.known or {}
    causes = problem.graph.ancestors(problem.first)
    if not causes <= set(known):
        return None
    part = problem.graph.subgraph(causes)
    if set(part.names) != causes:
        return None
    return Model(part, {n: known[n] for n in causes}).distribution(problem.first).reshape(-1)
