"""The open studies of a database by name, and names as parts of addresses."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any
from urllib.parse import quote

from bestdo.errors import BestdoError, StorageError
from bestdo.study import Study
from bestdo.study.exchange import imported
from bestdo.study.overview import StudyLine, overview
from bestdo.study.storage import Storage
from bestdo.study.study import names, version, versions
from bestdo.usecases.known_learners import only_registered

__all__ = ["Missing", "StudyCache", "from_slug", "imported_safely", "problem_text", "to_slug"]

_MOST_OPEN = 64
"""Studies that are kept open; the one unused for longest is dropped. Chosen, not measured."""


class Missing(BestdoError):
    """A study of that name does not exist."""


def to_slug(name: str) -> str:
    """A study's name as one part of an address: a slash is ~2F, a tilde ~7E, and a name of dots alone starts ~2E."""
    text = name.replace("~", "~7E").replace("/", "~2F")
    return quote(f"~2E{text[1:]}" if not text.strip(".") else text, safe="~")


def from_slug(slug: str) -> str:
    """The study's name, from what `to_slug` made of it (after the browser's quoting was undone)."""
    return slug.replace("~2E", ".").replace("~2F", "/").replace("~7E", "~")


class StudyCache:
    """The studies of one database; each is opened once and kept."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.storage = Storage(url)
        self._open: OrderedDict[str, tuple[int, Study]] = OrderedDict()
        self._lock = threading.Lock()
        self._rows: tuple[tuple[object, ...], dict[str, tuple[int, int]]] | None = None

    def names(self) -> list[str]:
        """The names of all studies."""
        return names(self.storage)

    def overview(self) -> list[StudyLine]:
        """A line about every study, without opening them."""
        return overview(self.storage)

    def version(self, name: str) -> str:
        """A text that changes whenever anything happens in the study: its number and the length of its log."""
        return "{}.{}".format(*self._row(name))

    def is_current(self, name: str, seen: str) -> bool:
        """Whether nothing has happened since this version, as far as that is known without reading the database."""
        mark, known = self.storage.mark(), self._rows
        if mark is None or known is None or known[0] != mark or name not in known[1]:
            return False
        return seen == "{}.{}".format(*known[1][name])

    def study(self, name: str) -> Study:
        """The study of that name; opened again when the name belongs to another one now."""
        return self.at_version(name)[1]

    def at_version(self, name: str) -> tuple[str, Study]:
        """The version of a study, and the study."""
        number, length = self._row(name)
        return f"{number}.{length}", self._opened(name, number)

    def _opened(self, name: str, number: int) -> Study:
        """The study of that name and number, as it was opened before, or opened now."""
        with self._lock:
            known = self._open.get(name)
            if known is not None and known[0] == number:
                self._open.move_to_end(name)
                return known[1]
        study = Study(self.storage, name)
        with self._lock:
            self._open[name] = number, study
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        return study

    def _row(self, name: str) -> tuple[int, int]:
        """The number of the study and the length of its log; as long as nothing is written, the database is not read."""
        mark = self.storage.mark()
        try:
            if mark is None:
                return version(self.storage, name)
            known = self._rows
            if known is None or known[0] != mark:
                known = self._rows = mark, versions(self.storage)
            if name in known[1]:
                return known[1][name]
            return version(self.storage, name)  # says which there are
        except StorageError:
            raise
        except BestdoError as error:
            raise Missing(str(error)) from None


def problem_text(cache: StudyCache, name: str) -> str:
    """The problem of a study in bestdo's own format; raises Missing where it cannot be written."""
    from bestdo.files import Contents
    from bestdo.files.toml import write

    problem = cache.study(name).problem
    try:
        return write(Contents(problem.graph, problem))
    except BestdoError as error:
        raise Missing(str(error)) from None


def imported_safely(cache: StudyCache, data: Any, name: str | None) -> Study:
    """A study from what `export` gave; learners of own code are refused, and whatever is wrong is said in words."""
    try:
        only_registered(data)
        return imported(cache.url, data, name)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise BestdoError(f"this is not a complete study: {error!r:.200}") from None
