"""The problem with the arrows alone that its reward has to do with: hidden causes of one relevant variable are its noise."""

from __future__ import annotations

from dataclasses import replace

from bestdo.bandit.problem import Problem
from bestdo.causal.graph import Graph
from bestdo.memory_cache import memory_cache

__all__ = ["own_causes"]


@memory_cache
def own_causes(problem: Problem) -> Problem:
    """The problem without hidden variables that cause one variable only, of those that the reward or a setting has as causes.

    As in a latent projection: a hidden common cause of the reward and of an outcome that causes nothing else says nothing
    about any action's mean. Nor does that of the reward and of variables that every action sets: no round shows their own
    causes. Variables and actions are the same, and the problem itself where nothing vanishes.
    """
    settable = {name for action in problem.actions for name in action}
    relevant = problem.graphs.above([str(problem.graph.reward), *settable])
    always = {name for name in settable if all(name in action for action in problem.actions)}
    noise = {h for h in problem.graphs.sure.hidden if h in relevant and _is_noise(problem, h, relevant - always)}
    if not noise or (problem.law is not None and not noise.intersection(problem.law.parents)):
        return problem
    graphs = problem.graphs.each(lambda graph: _without_effects(graph, noise))
    return replace(problem, law=None).by(graphs)


def _is_noise(problem: Problem, name: str, variables: frozenset[str]) -> bool:
    """Whether a hidden variable without causes has at most one effect among these in all possible graphs together."""
    graphs = problem.graphs.covering  # none where they are too many to go through
    if not graphs or any(graph.parents[name] for graph in graphs):
        return False
    return len({child for graph in graphs for child in graph.children[name]} & variables) <= 1


def _without_effects(graph: Graph, names: set[str]) -> Graph:
    """The graph without the arrows out of some variables."""
    return graph._with(graph.variables, {n: tuple(p for p in ps if p not in names) for n, ps in graph.parents.items()})
