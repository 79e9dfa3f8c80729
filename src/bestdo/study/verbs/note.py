"""Remarks in the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bestdo.study.events import enter, marks_set, takes_effect
from bestdo.study.verbs.verb import Verb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal
    from bestdo.study.study import Study

__all__ = ["Note", "note"]


@dataclass(frozen=True)
class Note(Verb[None]):
    """A remark on a round, or on the study."""

    path = "notes"
    command = "note"
    about = "Keep a remark in the log."
    text: str
    round: int | None = None
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Adds the remark to the log."""
        with journal.changing(self.who) as (log, book):
            if self.round is not None:
                log.round(self.round)
            enter(log, book, "noted", {"number": self.round, "text": self.text})


takes_effect("noted", marks_set())


def note(study: Study, text: str, number: int | None = None, *, who: str = "") -> None:
    """Adds a remark on a round, or on the study, to the log.

    text: the remark. number: of the round. Raises BestdoError where there is no such round.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="noted")
    >>> study.note("a dry spring")
    >>> study.history()[-1]["kind"]
    'noted'
    """
    study.do(Note(text, number, who))
