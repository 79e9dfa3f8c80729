"""The IDC algorithm: P(y | do(x), z), the effect of an action in a context, as a formula of observed probabilities.

Shpitser & Pearl, *Identification of conditional interventional distributions*, UAI 2006. What is given is set instead where
rule 2 of do-calculus allows it; the rest is identified together with y and divided by. Complete: where it fails, the joint
effect has a hedge, and no formula exists.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from bestdo.causal.action import Actions, Intervention
from bestdo.causal.contexts import checked_first, given_first
from bestdo.causal.formula import Average, Formula, Ratio, sum_out
from bestdo.causal.graph import Graph
from bestdo.causal.id import NotIdentifiable, id_algorithm
from bestdo.causal.identify import Identification, identify
from bestdo.causal.separation import separated

__all__ = ["idc_algorithm", "identify_in_context"]


def idc_algorithm(y: frozenset[str], x: frozenset[str], z: frozenset[str], graph: Graph) -> Formula:
    """The formula of P(y | do(x), z) on a latent projection; raises NotIdentifiable where there is none."""
    for name in (n for n in graph.observed if n in z):
        rest = z - {name}
        if separated(graph, [name], y, x | rest, no_arrows_into=x, no_arrows_out_of=[name]):
            return idc_algorithm(y, x | {name}, rest, graph)
    joint = id_algorithm(y | z, x, graph)
    return Ratio(joint, sum_out(y, joint)) if z else joint


@lru_cache(maxsize=4096)
def _formula(graph: Graph, names: frozenset[str], first: tuple[str, ...]) -> Formula | None:
    """P(reward | do(names), first) as a formula of these variables alone; None where there is none."""
    assert graph.reward is not None
    try:
        formula = idc_algorithm(frozenset([graph.reward]), names, frozenset(first), graph.projected())
    except NotIdentifiable:
        return None
    extra = tuple(n for n in formula.names if n not in {graph.reward, *names, *first})
    return Average(extra, formula) if extra else formula


def identify_in_context(graph: Graph, intervention: Intervention, first: tuple[str, ...]) -> Identification:
    """The way to learn an intervention's mean reward in each context, the joint values of the variables seen first.

    How is said by the graph in which the context is constant (`given_first`), the formula comes from IDC.
    """
    checked_first(graph, Actions(graph, [intervention]), first)
    identified, formula = (
        identify(given_first(graph, first), intervention),
        _formula(graph, frozenset(intervention), first),
    )
    how, reason = identified.how, identified.reason
    if formula is not None and how == "doing":
        how, reason = "formula", "hidden causes disturb, but what is seen of the other variables makes up for them"
    return replace(identified, graph=graph, how=how, reason=reason, formula=formula, first=first)
