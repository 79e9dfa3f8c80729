"""The studies that the page has at hand, by name."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from urllib.parse import quote

import sqlalchemy as sa

from bestdo.errors import BestdoError, StorageError
from bestdo.study import Study
from bestdo.study.storage import Storage
from bestdo.study.study import names, version

__all__ = ["Missing", "StudyCache", "from_slug", "to_slug"]

_MOST = 64


class Missing(BestdoError):
    """There is no study of that name."""


def to_slug(name: str) -> str:
    """A study's name as one part of an address: a slash is ~2F, a tilde ~7E, and a name of dots alone starts ~2E."""
    text = name.replace("~", "~7E").replace("/", "~2F")
    return quote(f"~2E{text[1:]}" if not text.strip(".") else text, safe="~")


def from_slug(slug: str) -> str:
    """The name that `to_slug` gave out."""
    return slug.replace("~2E", ".").replace("~2F", "/").replace("~7E", "~")


def _small_cache(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA cache_size = -256")


class StudyCache:
    """One database; each study is opened once and kept."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.storage = Storage(url)
        if self.storage.sqlite:  # a few hundred kB for each connection are enough to look at the end of a log
            sa.event.listen(self.storage.engine, "connect", _small_cache)
            self.storage.engine.dispose()
        self._open: OrderedDict[str, tuple[int, Study]] = OrderedDict()
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """All studies."""
        return names(self.storage)

    def version(self, name: str) -> str:
        """Which study it is and how long its log: it tells whether anything happened."""
        return "{}.{}".format(*self._row(name))

    def study(self, name: str) -> Study:
        """The study, opened anew when another one bears its name now."""
        number, _ = self._row(name)
        with self._lock:
            known = self._open.get(name)
            if known is not None and known[0] == number:
                self._open.move_to_end(name)
                return known[1]
        study = Study(self.storage, name)
        with self._lock:
            self._open[name] = number, study
            while len(self._open) > _MOST:
                self._open.popitem(last=False)
        return study

    def _row(self, name: str) -> tuple[int, int]:
        try:
            return version(self.storage, name)
        except StorageError:
            raise
        except BestdoError as error:
            raise Missing(str(error)) from None
