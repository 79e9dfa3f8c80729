"""The end of a study, and its return: closed, opened again, archived, brought back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from bestdo.errors import Conflict
from bestdo.study.events import enter, marks_set, takes_effect
from bestdo.study.verbs.verb import Verb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal
    from bestdo.study.study import Study

__all__ = ["Archive", "Close", "Reopen", "Unarchive", "archive", "close", "reopen", "unarchive"]


class _Mark(Protocol):
    """A verb by which a study gets or loses a mark."""

    kind: ClassVar[str]
    """The kind of the event."""
    needs: ClassVar[str]
    """The mark that the study must have; empty where it needs none."""

    @property
    def why(self) -> str: ...

    @property
    def who(self) -> str: ...


def _enter(verb: _Mark, journal: DatabaseJournal) -> None:
    """Enters the event of a verb; raises Conflict where the mark that it needs is missing."""
    with journal.changing(verb.who) as (log, book):
        if verb.needs and not getattr(book.marks, verb.needs):
            raise Conflict(f"the study is not {verb.needs}")
        enter(log, book, verb.kind, {"why": verb.why})


@dataclass(frozen=True)
class Close(Verb[None]):
    """The end of a study."""

    path = command = "close"
    about = "Hand out no more rounds; what is out can still be told."
    kind: ClassVar[str] = "closed"
    needs: ClassVar[str] = ""
    why: str = ""
    who: str = ""
    carry_out = _enter


takes_effect("closed", marks_set(closed=True))


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
class Reopen(Verb[None]):
    """The return of a closed study."""

    path = command = "reopen"
    about = "Hand out rounds again."
    kind, needs = "reopened", "closed"
    why: str = ""
    who: str = ""
    carry_out = _enter


takes_effect("reopened", marks_set(closed=False))


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
class Archive(Verb[None]):
    """The end of a study that is left out of lists."""

    path = command = "archive"
    about = "Put the study away: closed, and left out of lists."
    kind: ClassVar[str] = "archived"
    needs: ClassVar[str] = ""
    why: str = ""
    who: str = ""
    carry_out = _enter


takes_effect("archived", marks_set(closed=True, archived=True))


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
class Unarchive(Verb[None]):
    """The return of an archived study."""

    path = command = "unarchive"
    about = "Bring the study back from the archive."
    kind, needs = "unarchived", "archived"
    why: str = ""
    who: str = ""
    carry_out = _enter


takes_effect("unarchived", marks_set(closed=False, archived=False))


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
