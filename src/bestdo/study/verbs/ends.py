"""The end of a study, and its return: closed, opened again, archived, brought back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from bestdo.errors import Conflict
from bestdo.study.events import enter, flags_set, takes_effect
from bestdo.study.verbs.verb import Verb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal
    from bestdo.study.study import Study

__all__ = ["Archive", "Close", "Reopen", "Unarchive", "archive", "close", "reopen", "unarchive"]


@dataclass(frozen=True)
class _Mark(Verb[None]):
    """A mark that a study gets or loses."""

    kind: ClassVar[str]
    """The kind of the event."""
    needs: ClassVar[str] = ""
    """The mark that the study must have."""
    why: str = ""
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Enters the event; raises Conflict where the mark that it needs is missing."""
        with journal.changing(self.who) as (log, book):
            if self.needs and not getattr(book, self.needs):
                raise Conflict(f"the study is not {self.needs}")
            enter(log, book, self.kind, {"why": self.why})


@dataclass(frozen=True)
class Close(_Mark):
    """The end of a study."""

    path = command = "close"
    about = "Hand out no more rounds; what is out can still be told."
    kind = "closed"


takes_effect("closed", flags_set(closed=True))


def close(study: Study, why: str = "", *, who: str = "") -> None:
    """Closes the study: no more rounds are handed out, and open ones can still be told.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="closed")
    >>> study.close("enough")
    >>> study.status()["closed"]
    True
    """
    study.do(Close(why, who))


@dataclass(frozen=True)
class Reopen(_Mark):
    """The return of a closed study."""

    path = command = "reopen"
    about = "Hand out rounds again."
    kind, needs = "reopened", "closed"


takes_effect("reopened", flags_set(closed=False))


def reopen(study: Study, why: str = "", *, who: str = "") -> None:
    """Opens a closed study again.

    Raises Conflict where it is not closed.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="reopened")
    >>> study.close()
    >>> study.reopen("one more season")
    >>> study.status()["closed"]
    False
    """
    study.do(Reopen(why, who))


@dataclass(frozen=True)
class Archive(_Mark):
    """The end of a study that is left out of lists."""

    path = command = "archive"
    about = "Put the study away: closed, and left out of lists."
    kind = "archived"


takes_effect("archived", flags_set(closed=True, archived=True))


def archive(study: Study, why: str = "", *, who: str = "") -> None:
    """Closes the study and leaves it out of lists.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="archived")
    >>> study.archive()
    >>> study.status()["archived"]
    True
    """
    study.do(Archive(why, who))


@dataclass(frozen=True)
class Unarchive(_Mark):
    """The return of an archived study."""

    path = command = "unarchive"
    about = "Bring the study back from the archive."
    kind, needs = "unarchived", "archived"


takes_effect("unarchived", flags_set(closed=False, archived=False))


def unarchive(study: Study, why: str = "", *, who: str = "") -> None:
    """Opens an archived study again and lists it.

    Raises Conflict where it is not archived.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="unarchived")
    >>> study.archive()
    >>> study.unarchive()
    >>> study.status()["archived"]
    False
    """
    study.do(Unarchive(why, who))
