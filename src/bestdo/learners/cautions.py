"""Cautions about a problem as it is stated: numbers in ranges that break the graph, causes too many to share between."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.causal.cut_mediators import CutMediator, cut_mediators
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.beliefs.families import work_of
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.beliefs.own_causes import own_causes
from bestdo.learners.causal_top_two import believed
from bestdo.learners.unfolding import in_pairs
from bestdo.memory_cache import memory_cache
from bestdo.text import counted, quoted

__all__ = ["Cautions", "cautions", "not_shared"]

_BY_TABLES = ("causal-top-two", "causal-thompson")
"""The learners by which rounds teach about other actions through tables or a regression, where these are not too large."""
_STILL_TAUGHT = "A round teaches about its own option, and about options that set more where it shows their values."
"""The lessons of rounds by counts."""
_MOST_ARROWS = 3
"""The most arrows that a sentence names."""


class _NotShared(NamedTuple):
    """The reason why rounds do not teach about other actions: tables and a regression are too large."""

    variable: str | None
    """The variable with the largest table; None where tables are small, and the actions too many for them."""
    causes: int
    """The number of causes of that variable."""
    actions: int
    contexts: int

    @property
    def in_words(self) -> str:
        """The effect that stops, the reason, and the lesson that a round still has, in two sentences."""
        if self.variable is not None:
            why = f"{quoted(self.variable)} has {counted(self.causes, 'cause')}, too many to learn together"
        else:
            where = f" in {counted(self.contexts, 'context')}" if self.contexts > 1 else ""
            why = f"{counted(self.actions, 'option')}{where} are too many to learn together"
        return f"Sharing stops: {why}. {_STILL_TAUGHT}"


@dataclass(frozen=True)
class Cautions:
    """The facts that a person should know about a problem before relying on the answer."""

    cut: tuple[CutMediator, ...] = ()
    """Numbers in ranges between what is set and the reward."""
    not_shared: _NotShared | None = None
    """The reason why rounds do not teach about other actions by tables; None where they do, or where causes are hidden."""

    def in_words(self, learner: str = _BY_TABLES[0]) -> list[str]:
        """A few sentences for each, as far as they concern a learner."""
        stopped = [self.not_shared.in_words] if self.not_shared is not None and learner in _BY_TABLES else []
        return [*map(_cut_in_words, self.cut), *stopped]

    def as_data(self) -> dict[str, Any]:
        """The facts, for JSON."""
        return {
            "cut_mediators": [
                {
                    "variable": each.variable,
                    "ranges": each.ranges,
                    "settings": list(each.settings),
                    "arrows_past": [f"{quoted(a)} -> {quoted(b)}" for a, b in each.arrows],
                }
                for each in self.cut
            ],
            "sharing": {
                "by_tables": self.not_shared is None,
                "why_not": None if self.not_shared is None else self.not_shared.in_words,
            },
        }


def _cut_in_words(found: CutMediator) -> str:
    """The possible harm of a number in ranges to the answer, and its remedy."""
    settings = " and ".join(map(quoted, found.settings))
    effects = " and ".join(dict.fromkeys(quoted(b) for _, b in found.arrows))
    arrows = [f"{quoted(a)} -> {quoted(b)}" for a, b in found.arrows]
    more = f" and {len(arrows) - _MOST_ARROWS} more" if len(arrows) > _MOST_ARROWS else ""
    acts = "acts" if len(found.settings) == 1 else "act"
    return (
        f"{quoted(found.variable)} is a number in {found.ranges} ranges between {settings} and {effects}. Inside a range "
        f"{settings} still {acts}, which the graph denies: intervals can be too narrow, and the answer wrong. Add "
        f"{', '.join(arrows[:_MOST_ARROWS])}{more}, or cut it into more ranges."
    )


@memory_cache
def not_shared(problem: Problem) -> _NotShared | None:
    """The reason why rounds do not teach about other actions, where tables and columns are too many; None otherwise.

    Then `believed` goes by counts. A round counts for the action that was played, and for those that set the same and more
    where it shows their values and seeing these is as good as doing them (`Seen`), given what has to be adjusted for
    (`Strata`). So a round in which nobody set anything teaches about all actions whose values it shows.
    """
    whole = in_pairs(problem)
    if believed(whole).shares_all or not _too_large(whole):
        return None
    graph = whole.graph
    watching = replace(whole, actions=Actions(graph, [do()]), law=None, cost=None)
    counts = len(problem.actions), len(problem.contexts)
    if not _too_large(watching):
        return _NotShared(None, 0, *counts)
    tables = [str(graph.reward)] if whole.law is not None else sorted(graph.ancestors([str(graph.reward)]))
    largest = max(tables, key=lambda n: work_of([graph.size(p) for p in graph.parents[n]]))
    return _NotShared(largest, len(graph.parents[largest]), *counts)


def _too_large(problem: Problem) -> bool:
    """Whether size alone keeps tables and a regression from being believed in."""
    try:
        MissingParentsBelief.of(own_causes(problem))
    except TooLarge:
        return True
    except NotValid:
        pass
    return False


@memory_cache
def cautions(problem: Problem) -> Cautions:
    """The facts that a person should know about a problem before relying on the answer."""
    settable = set[str]().union(*problem.actions)
    cut = cut_mediators(problem.graph, problem.graphs.sure, settable) if problem.graphs.covering else ()
    return Cautions(cut, not_shared(problem))
