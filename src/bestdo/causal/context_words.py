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
    among: str
    """Among what shares of a rehearsal are counted."""
    in_some: str
    """{share} of them, at the end of a clause."""


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
    among="worlds",
    in_some="in {share} of the worlds",
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
    among="people",
    in_some="for {share} of the people",
)
"""Something is seen first, and the answer is a rule."""
