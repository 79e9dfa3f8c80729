"""Words that differ between studies in which something is seen before the action is chosen, and all others."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BY_CONTEXT", "FOR_EVERYBODY", "ContextWords"]


@dataclass(frozen=True)
class ContextWords:
    """Words for sentences about actions, limits and answers; both kinds of studies stand one below the other."""

    answer: str
    """The noun for the recommendation of a study."""
    whom: str
    """The people whom a single action is for, to stand behind the action."""
    single: str
    """The apposition of the best single action, to stand in front of it, where it is not the recommendation."""
    mark: str
    """The column of a data frame that marks the best single action."""
    where: str
    """The place where an action is recommended, at the beginning of a sentence."""
    each: str
    """The place where a limit must be kept, to stand behind the limit."""
    there: str
    """The place where an action keeps a limit, to stand behind "keeps it"."""
    everywhere: str
    """The reach of a round that teaches about everything."""
    own: str
    """The subject of a round that teaches about less."""
    within: str
    """The scope within which an action keeps limits."""
    among: str
    """The preposition in front of a share of a rehearsal."""
    population: str
    """The whole of which it is a share."""


FOR_EVERYBODY = ContextWords(
    answer="action",
    whom="",
    single="",
    mark="recommended",
    where="",
    each="",
    there="",
    everywhere="",
    own="what was played",
    within="",
    among="in",
    population="worlds",
)
"""The words where nothing is seen first."""
BY_CONTEXT = ContextWords(
    answer="rule",
    whom=" for everybody",
    single="the best single action for everybody, ",
    mark="best_single",
    where="in a context ",
    each=" in each context",
    there=" there",
    everywhere=" in all contexts",
    own="its own context",
    within=" in a context",
    among="for",
    population="people",
)
"""The words where something is seen first, and the answer is a rule."""
