"""Takes old data into a study, and says what they answer by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bestdo.bandit.arrow_chance import ArrowChance
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.reading import Reading
from bestdo.evidence.answers import Answer, Conclusion, conclusion
from bestdo.study import Study
from bestdo.study.arrow_chances import Settling, not_settled

__all__ = ["Observed", "observe"]


class Observed(NamedTuple):
    """The result of taking old data into the study."""

    found: OldData
    answers: list[Answer]
    """The answers of the data alone about each action; none where only sums were kept."""
    conclusion: Conclusion | None
    """The conclusion from the answers, where there are any."""
    arrows: list[ArrowChance]
    """The doubtful arrows, with their probabilities; none where no arrow is in doubt."""
    settling: Settling | None
    """The reach of data alone in settling these doubts, and the intervention that would settle most."""
    not_settled: str = ""
    """The reason why the reach is not stated, where arrows are in doubt."""


def observe(
    study: Study,
    source: object,
    *,
    columns: Mapping[str, str] | None = None,
    reading: Reading | Mapping[str, Any] | None = None,
    force: bool = False,
    who: str = "",
) -> Observed:
    """Takes old data (a path of CSV, Excel or Parquet, or a data frame) into a study; see `Study.observe`."""
    found = study.observe(source, columns=columns, reading=reading, force=force, who=who)
    answers = study.answered(found)
    concluded = conclusion(answers, study.problem.limits) if answers else None
    return Observed(found, answers, concluded, study.arrows(), study.settling(), not_settled(study.problem))
