"""How the estimates of a study moved over its rounds, for the chart of its page."""

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
"""Studies whose lines are kept. Chosen, not measured."""

_MOST_LINES = 8
"""Lines in a chart: as many as there are colours that can be told apart. Chosen, not measured."""

_PAUSE = 20.0
"""The log is read again only after this many times the seconds that reading it took, so that at most about 5 % of the
time goes into it. Chosen; the answers under load are measured in `benchmarks/page.py`."""


@dataclass(frozen=True)
class EstimateLines:
    """The means of a few actions over the rounds: those with the largest means at the end."""

    version: str
    rounds: tuple[int, ...]
    lines: tuple[tuple[str, tuple[float | None, ...]], ...]
    read: float
    """When the log was read, on the monotonic clock."""
    took: float
    """How many seconds of processor time that took."""


class EstimateHistory:
    """The lines of the studies that were looked at last; a long log is not read again for every new round."""

    def __init__(self, cache: StudyCache, sandbox: Sandbox) -> None:
        self._cache = cache
        self._sandbox = sandbox
        self._known: OrderedDict[str, EstimateLines] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, name: str) -> EstimateLines:
        """The lines of a study, which may lack the rounds of the last seconds."""
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
        """The lines of a study, read from its whole log in the sandbox."""
        found = self._sandbox.run({"verb": "moved", "url": self._cache.url, "study": name, "most": _MOST_LINES})
        if found["error"]:
            raise BestdoError(found["error"]["message"])
        lines = tuple((str(action), tuple(means)) for action, means in found["lines"])
        return EstimateLines(version, tuple(found["rounds"]), lines, time.monotonic(), found["took"])


def _due(known: EstimateLines) -> bool:
    """Whether enough time has passed since the log was read."""
    return time.monotonic() - known.read > _PAUSE * known.took
