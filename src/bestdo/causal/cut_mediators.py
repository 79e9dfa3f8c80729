"""Numbers in ranges that lie between what is set and the reward: inside a range the setting still acts, past the graph."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from bestdo.causal.graph import Graph

__all__ = ["CutMediator", "cut_mediators"]


class CutMediator(NamedTuple):
    """A number in ranges on a directed path from settings to the reward, and the arrows past it that the graph lacks.

    Given the range, the number itself still depends on the setting, and what it causes on the number. So given the range the
    setting and the effect go together, though the graph says that they are independent.
    """

    variable: str
    ranges: int
    settings: tuple[str, ...]
    """The variables that are set before it, some of which have no arrow past it."""
    arrows: tuple[tuple[str, str], ...]
    """The arrows past the number that the graph does not have for certain: from a setting to an effect of the number."""


def cut_mediators(graph: Graph, sure: Graph, settable: Collection[str]) -> tuple[CutMediator, ...]:
    """The numbers in ranges between a setting and the reward, where an arrow past them is missing.

    `sure` has the arrows that are certainly there: one in doubt is weighed, and may be believed away.
    """
    towards = graph.ancestors([str(graph.reward)])
    mediators = []
    for variable in graph.variables:
        name = variable.name
        if not variable.cut or variable.hidden or name == graph.reward or name not in towards:
            continue
        before = [n for n in graph.names if n in settable and n != name and n in graph.ancestors([name])]
        effects = [n for n in graph.children[name] if n in towards]
        past = tuple((s, e) for s in before for e in effects if s not in sure.parents[e] and s != e)
        if past:
            settings = tuple(s for s in before if any(s == a for a, _ in past))
            mediators.append(CutMediator(name, len(variable.values), settings, past))
    return tuple(mediators)
