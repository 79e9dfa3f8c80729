"""What an answer shows of itself: the recommendation, what was earned, and a table of all actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    earned = [paragraph(answer.earned.in_words)] if answer.problem.goal == "earn" else []
    if not answer.told:
        return [paragraph(TOO_EARLY, "soft"), *earned, table_of(answer.estimates, most)]
    if answer.problem.first:
        same = paragraph("The same for everybody", "soft")
        return [*rule_view.parts(answer.rule), *earned, same, table_of(answer.estimates, most)]
    limits = answer.best.about_limits
    said = [paragraph(limits)] if limits else []
    return [recommendation(answer.estimates), *said, *earned, table_of(answer.estimates, most)]
