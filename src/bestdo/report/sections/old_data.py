"""Old data: how they were read, what they answer, and whether they agree with the graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bestdo.bandit.confidence import interval_name
from bestdo.report.document_blocks import Bullets, Line, Paragraph, Remark, Table
from bestdo.report.reward_scale import RewardScale
from bestdo.report.sections import limits
from bestdo.report.sections.arrows import arrow_table, settling_in_words
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.bandit.problem import Problem
    from bestdo.data.data_check import DataCheck
    from bestdo.evidence.answers import Answer, Conclusion
    from bestdo.evidence.table_tests import Missed
    from bestdo.usecases.observe import Observed

__all__ = [
    "answers_as_data",
    "answers_in_words",
    "answers_table",
    "data_check_as_data",
    "data_check_lines",
    "independences_in_words",
    "observed_lines",
]

_MOST_ROWS = 200
"""The most actions that are printed."""
_MOST_NAMED, _MOST_ALARMS = 4, 5
"""The most rivals of the best action, and the most contradictions and untested claims, that are printed."""
_WIDE = 80
"""The last column is padded to so many characters, so that its texts are aligned on the left."""


def answers_as_data(found: Sequence[Answer]) -> list[dict[str, Any]]:
    """The answers of the data about each action, as data for JSON; null where they have none."""
    return [
        {
            "action": str(a.action),
            "set": dict(a.action.items()),
            "learned_by": a.how.how,
            "adjust_for": list(a.how.adjust),
            "ways": a.ways,
            **{
                k: n if math.isfinite(n := getattr(a, k)) else None
                for k in ("mean", "low", "high", "low_99", "high_99")
            },
            "rows": a.rows,
            "why_not": a.why_not or None,
        }
        for a in found
    ]


def data_check_as_data(found: DataCheck) -> dict[str, Any]:
    """The answers of the data about the actions and the graph, as data for JSON."""
    sure = found.conclusion.sure
    return {
        "rows": found.rows,
        "notes": list(found.notes),
        "actions": answers_as_data(found.answers),
        "best_for_sure": str(sure.action) if sure else None,
        "independences": found.claims,
        "tested": None if found.claims is None else found.tested,
        "not_tested": [{"claim": each.claim, "why": each.why} for each in found.untested],
        "would_miss": [
            {
                "claim": each.claim,
                "difference": each.difference,
                "unit": "chance" if each.unit is None else each.unit,
                "standard_deviations": each.standard if math.isfinite(each.standard) else None,
            }
            for each in found.missed
        ],
        "contradictions": [{"claim": a.claim, "evidence": a.evidence, "chance": a.chance} for a in found.alarms],
    }


def data_check_lines(found: DataCheck) -> list[Line]:
    """What the data say about the actions and the graph, for a terminal."""
    first, *more = independences_in_words(found)
    return [
        Paragraph(""),
        Paragraph(f"The data: {counted(found.rows, 'row')}"),
        *map(Remark, found.notes),
        Paragraph(""),
        *_answer_lines(found.answers, found.conclusion),
        Bullets([first]),
        *(Remark(f"– {line}") for line in more),
    ]


def independences_in_words(found: DataCheck) -> list[str]:
    """Sentences whether the data fit the graph and which differences the checks would have missed; then failures and gaps."""
    if found.claims is None:
        return ["Too many different rows occur to test the graph's independences."]
    if not found.claims:
        return ["The graph claims no independence that these data could contradict."]
    tested, failed = found.tested, len(found.alarms)
    checks = counted(found.claims, "check")
    left = f", {len(found.untested)} could not be made" if found.untested else ""
    if failed:
        lines = [f"Your data contradict the graph: {failed} of {checks} failed{left}."]
        lines += [f"{alarm}." for alarm in found.alarms[:_MOST_ALARMS]]
        if failed > _MOST_ALARMS:
            lines.append(f"and {failed - _MOST_ALARMS} more.")
    elif not tested:
        lines = [f"Your data do not tell whether they fit the graph: none of {checks} could be made."]
    else:
        verb = "do not contradict" if left else "fit"
        missed = " ".join(_missed_in_words(found.missed))
        lines = [f"Your data {verb} the graph: {tested} of {checks} passed{left}. {missed}"]
    lines += [f"not tested: {each.claim}; {each.why}." for each in found.untested[:_MOST_ALARMS]]
    if len(found.untested) > _MOST_ALARMS:
        lines.append(f"and {len(found.untested) - _MOST_ALARMS} more that were not tested.")
    return lines


def _weakest(missed: Sequence[Missed]) -> list[Missed]:
    """The differences that the weakest tests of chances and of numbers would have missed, as far as there are some."""
    kinds = ([m for m in missed if (m.unit is None) == chances] for chances in (True, False))
    return [max(kind, key=lambda each: each.difference) for kind in kinds if kind]


def _missed_in_words(missed: Sequence[Missed]) -> list[str]:
    """The differences that the tests would have missed: the weakest of them, and half of them."""
    said = []
    for weakest in _weakest(missed):
        size = "any difference" if weakest.any else f"differences below {_size(weakest.difference, weakest.unit)}"
        said.append(f"{size} ({weakest.claim})")
    lines = [f"The weakest would have missed {' and '.join(said)}."]
    chances = sorted(each.difference for each in missed if each.unit is None)
    if len(chances) > 2 and (half := chances[(len(chances) - 1) // 2]) < 1:
        lines.append(f"Half of them would have missed differences below {_size(half, None)}.")
    return lines


def _size(difference: float, unit: str | None) -> str:
    """A difference in points of a hundred, or in a unit, rounded up."""
    if unit is not None:
        return f"{difference:.2g}{' ' + unit if unit else ''}"
    points = 100 * difference
    return counted(math.ceil(points), "point") if points > 2 else f"{math.ceil(10 * points) / 10:g} points"


def observed_lines(observed: Observed, problem: Problem, undo: str) -> list[Line]:
    """What was added to a study, and what it answers, for a terminal."""
    found = observed.found
    rest = "too many different rows to be kept: only the learner's sums are, and the learner is fixed from now on"
    said = [
        f"they use up no round; to take them back: {undo} {found.fingerprint}",
        *([rest] if found.sums is not None else []),
    ]
    answers: list[Line] = []
    if observed.conclusion is not None:
        heading = Paragraph("What these data answer by themselves:")
        answers = [Paragraph(""), heading, *_answer_lines(observed.answers, observed.conclusion)]
    return [
        Paragraph(problem.question),
        Paragraph(f"observed {counted(found.rows, 'row')}, fingerprint {found.fingerprint}"),
        *map(Remark, (*found.notes, *said)),
        *answers,
        *arrow_table(observed.arrows, old=True),
        Bullets(settling_in_words(observed.settling, observed.not_settled)),
    ]


def _answer_lines(found: Sequence[Answer], conclusion: Conclusion) -> list[Line]:
    """A table of the answers for all actions, and what follows from them, for a terminal."""
    heading, rows = answers_table(found)
    more = [f"… and {len(rows) - _MOST_ROWS} more actions; -f json lists them all."] if len(rows) > _MOST_ROWS else []
    return [
        Table(heading, [(*row[:-1], row[-1].ljust(_WIDE)) for row in rows[:_MOST_ROWS]]),
        *map(Paragraph, (*more, "")),
        Bullets(answers_in_words(conclusion)),
    ]


def answers_table(found: Sequence[Answer]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The heading and the rows of a table of what data say about each action, the best first."""
    graph = found[0].how.graph if found else None
    sign = 1.0 if graph is None else graph.rewarded.scale.sign
    scale = None if graph is None else RewardScale.of(graph, found)
    order = sorted(found, key=lambda a: (not a.known, -sign * a.mean if a.known else 0.0))
    rows: list[tuple[str, ...]] = [
        (
            str(a.action),
            scale.mean(a.mean) if scale is not None and a.known else "–",
            scale.interval(a.low, a.high) if scale is not None and a.known else "–",
            f"{a.rows:,.0f}",
            a.in_words if a.known or not a.how.identifiable else a.why_not,
        )
        for a in order
    ]
    return ("action", "mean" if scale is None else scale.heading, interval_name(), "rows", ""), rows


def answers_in_words(found: Conclusion) -> list[str]:
    """The conclusion from the answers, in a few sentences."""
    if found.sure is not None:
        side = found.sure.how.graph.rewarded.scale.direction.side
        return [f"No experiment is needed: {found.sure.action} is the best, its 99 % interval lies {side} all others."]
    if found.best is None:
        return ["The data answer nothing about these actions by themselves: an experiment is needed."]
    lines = [
        f"The data answer {found.answered} of {counted(found.total, 'action')}; of these {found.best.action} looks best."
    ]
    if found.rivals:
        more = f" and {len(found.rivals) - _MOST_NAMED} more" if len(found.rivals) > _MOST_NAMED else ""
        some = ", ".join(str(a.action) for a in found.rivals[:_MOST_NAMED]) + more
        lines.append(f"Not yet told apart from it: {some}.")
    if found.answered < found.total:
        lines.append(f"An experiment is needed for the other {found.total - found.answered}.")
    return [*lines, *limits.beyond_data(found.limits)]
