"""How the estimates of a study moved, kept between two looks at it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from bestdo.errors import BestdoError
from bestdo.web.study_cache import Desk
from bestdo.web.workers.sandbox_client import Errands

__all__ = ["Movement", "Moves"]

_MOST_STUDIES = 16
_MOST_LINES = 8
_PATIENCE = 20.0


@dataclass(frozen=True)
class Movement:
    """A few lines over the rounds: the actions with the largest means in the end."""

    version: str
    rounds: tuple[int, ...]
    lines: tuple[tuple[str, tuple[float | None, ...]], ...]
    read: float
    """When it was read."""
    took: float
    """How many seconds of work that was."""


class Moves:
    """Has the whole log read seldom: in between, a version more is worth no reading of ten thousand rounds."""

    def __init__(self, desk: Desk, errands: Errands) -> None:
        self._desk = desk
        self._errands = errands
        self._known: OrderedDict[str, Movement] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, name: str) -> Movement:
        """The movement of a study, at most a few seconds old."""
        version = self._desk.version(name)
        with self._lock:
            known = self._known.get(name)
            same = known is not None and known.version.partition(".")[0] == version.partition(".")[0]
            if known is None or not same or (known.version != version and _due(known)):
                known = self._read(name, version)
                self._known[name] = known
            self._known.move_to_end(name)
            while len(self._known) > _MOST_STUDIES:
                self._known.popitem(last=False)
            return known

    def _read(self, name: str, version: str) -> Movement:
        found = self._errands.run({"verb": "moved", "url": self._desk.url, "study": name, "most": _MOST_LINES})
        if found["error"]:
            raise BestdoError(found["error"]["message"])
        lines = tuple((str(action), tuple(means)) for action, means in found["lines"])
        return Movement(version, tuple(found["rounds"]), lines, time.monotonic(), found["took"])


def _due(known: Movement) -> bool:
    """Whether reading again costs little of the time that has passed."""
    return time.monotonic() - known.read > _PATIENCE * known.took
