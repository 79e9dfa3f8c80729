"""How the estimates of a study moved, kept between two looks at it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from bestdo.errors import BestdoError
from bestdo.web.study_cache import StudyCache
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["EstimateHistory", "EstimateLines"]

_MOST_STUDIES = 16
_MOST_LINES = 8
_PATIENCE = 20.0


@dataclass(frozen=True)
class EstimateLines:
    """A few lines over the rounds: the actions with the largest means in the end."""

    version: str
    rounds: tuple[int, ...]
    lines: tuple[tuple[str, tuple[float | None, ...]], ...]
    read: float
    """When it was read."""
    took: float
    """How many seconds of work that was."""


class EstimateHistory:
    """Has the whole log read seldom: in between, a version more is worth no reading of ten thousand rounds."""

    def __init__(self, cache: StudyCache, sandbox: Sandbox) -> None:
        self._cache = cache
        self._sandbox = sandbox
        self._known: OrderedDict[str, EstimateLines] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, name: str) -> EstimateLines:
        """The movement of a study, at most a few seconds old."""
        version = self._cache.version(name)
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

    def _read(self, name: str, version: str) -> EstimateLines:
        found = self._sandbox.run({"verb": "moved", "url": self._cache.url, "study": name, "most": _MOST_LINES})
        if found["error"]:
            raise BestdoError(found["error"]["message"])
        lines = tuple((str(action), tuple(means)) for action, means in found["lines"])
        return EstimateLines(version, tuple(found["rounds"]), lines, time.monotonic(), found["took"])


def _due(known: EstimateLines) -> bool:
    """Whether reading again costs little of the time that has passed."""
    return time.monotonic() - known.read > _PATIENCE * known.took
