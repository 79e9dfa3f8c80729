"""How sure a study is of its answer, and what the rounds say against the graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bestdo.report.document_blocks import Line, Paragraph, Remark

__all__ = ["certainty_lines"]


def certainty_lines(status: Mapping[str, Any]) -> list[Line]:
    """Whether it is certain which action is the best, and whether the rounds contradict the graph, for a terminal."""
    said = [Remark(text) for text in (status["sure"], status["about_alarm"]) if text]
    repairs = [(f"{repair['about']}:", repair["evidence"]) for repair in status["repairs"]]
    return [*said, *(line for about, evidence in [*repairs, *_alarms(status)] for line in _evidence(about, evidence))]


def _alarms(status: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """What the rounds contradict, below a heading; nothing where they contradict nothing."""
    about = "the rounds contradict the graph; since then everything rests on each action's own plays alone:"
    return [(about, status["alarms"])] if status["alarms"] else []


def _evidence(about: str, evidence: list[str]) -> list[Line]:
    """What is found, and by which evidence."""
    return [Paragraph(""), Paragraph(about), *map(Remark, evidence)]
