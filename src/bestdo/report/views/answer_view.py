"""The view of an answer: the recommendation, the earnings, and a table of all actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestdo.report.sections.contexts import beside_rule
from bestdo.report.sections.earned import earned_in_words
from bestdo.report.sections.limits import kept
from bestdo.report.sections.recommendation import TOO_EARLY
from bestdo.report.views import rule_view
from bestdo.report.views.card import card, paragraph
from bestdo.report.views.estimates_view import figure, recommendation, rows, table_of

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer

__all__ = ["figure", "html", "parts", "rows"]

_MOST_ROWS = 20
"""The most actions in a table; the others are counted. Chosen, not measured."""


def html(answer: Answer) -> str:
    """The question, the recommendation and a table with a bar for each interval."""
    return card(paragraph(answer.problem.question, "title"), *parts(answer, _MOST_ROWS))


def parts(answer: Answer, most: int) -> list[str]:
    """The recommendation, what was earned, and the table of at most so many actions, for a card."""
    earned, every = map(paragraph, earned_in_words(answer)), table_of(answer.estimates, most)
    if not answer.told:
        return [paragraph(TOO_EARLY, "soft"), *earned, every]
    contexts = answer.problem.contexts
    said = [*contexts.columns(*rule_view.parts(answer.rule)), *contexts.without(*_of_action(answer))]
    return [*said, *earned, *(paragraph(heading, "soft") for heading in beside_rule(answer.problem)), every]


def _of_action(answer: Answer) -> list[str]:
    """The recommended action, and whether it keeps all limits."""
    return [recommendation(answer.estimates), *(paragraph(remark.text) for remark in kept(answer.best))]
