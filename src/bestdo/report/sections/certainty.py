"""The certainty of a study's answer, and the contradictions between rounds and graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bestdo.report.document_blocks import Line, Paragraph, Remark

__all__ = ["Contradiction", "certainty_lines", "contradictions"]


def certainty_lines(status: Mapping[str, Any]) -> list[Line]:
    """Whether it is certain which action is the best, and whether the rounds contradict the graph, for a terminal."""
    said = [Remark(text) for text in (status["sure"], status["about_alarm"]) if text]
    repairs = [(f"{repair['about']}:", repair["evidence"]) for repair in status["repairs"]]
    alarms = [(found.line, found.evidence) for found in contradictions(status)]
    return [*said, *(line for about, evidence in [*repairs, *alarms] for line in _evidence(about, evidence))]


class Contradiction(NamedTuple):
    """The words where the rounds contradict the graph."""

    about: str
    line: str
    """The consequence, in one line of a terminal."""
    now: str
    """The consequence, on the page of a running study."""
    since: str
    """The consequence, in a report."""
    evidence: list[str]


def contradictions(status: Mapping[str, Any]) -> list[Contradiction]:
    """The contradictions, below a heading; empty where there are none."""
    about = "The rounds contradict the graph"
    line = f"{about[0].lower()}{about[1:]}; since then everything rests on each action's own plays alone:"
    now = f"From now on only plays count, and {status['learner']} goes on."
    since = "Since then only plays of each action count."
    return [Contradiction(about, line, now, since, status["alarms"])] if status["alarms"] else []


def _evidence(about: str, evidence: list[str]) -> list[Line]:
    """The finding, and its evidence."""
    return [Paragraph(""), Paragraph(about), *map(Remark, evidence)]
