"""Words that differ between studies in which something is seen before the action is chosen, and all others."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BY_CONTEXT", "FOR_EVERYBODY", "ContextWords"]


@dataclass(frozen=True)
class ContextWords:
    """Words for sentences about actions, limits and answers; both kinds of studies stand one below the other."""

    answer: str
    """What a study recommends."""
    whom: str
    """Whom a single action is for, to stand behind the action."""
    single: str
    """What the best single action is, to stand in front of it, where it is not the recommendation."""
    mark: str
    """The column of a data frame that marks the best single action."""
    where: str
    """Where an action is recommended, at the beginning of a sentence."""
    each: str
    """Where a limit must be kept, to stand behind the limit."""
    there: str
    """Where an action keeps a limit, to stand behind "keeps it"."""
    everywhere: str
    """Where a round teaches that teaches about everything."""
    own: str
    """About what a round teaches that does not."""
    within: str
    """Within what an action keeps limits."""
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
"""Nothing is seen first."""
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
"""Something is seen first, and the answer is a rule."""
