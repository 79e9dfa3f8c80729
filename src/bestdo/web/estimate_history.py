"""The history of the estimates of a study over its rounds, for the chart of its page."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass

from bestdo.errors import BestdoError
from bestdo.web.study_cache import StudyCache
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["MOST_LINES", "EstimateHistory", "EstimateLines"]

_MOST_STUDIES = 16
"""Studies whose lines are kept. Chosen, not measured."""

MOST_LINES = 8
"""Lines in a chart: as many as there are colours that can be told apart. Chosen, not measured."""

_PAUSE = 20.0
"""The log is read again only after this many times the seconds that reading it took, so that at most about 5 % of the
time goes into it. Chosen; the answers under load are measured in `benchmarks/page.py`."""


_PATIENCE = 0.05
"""Seconds that a request waits for lines which are being read: short logs are read by then. Chosen; the answers under load
are measured in `benchmarks/server.py`."""


@dataclass(frozen=True)
class EstimateLines:
    """The means of a few actions over the rounds: the recommended one and those with the best means at the end."""

    version: str
    rounds: tuple[int, ...]
    lines: tuple[tuple[str, tuple[float | None, ...]], ...]
    read: float
    """The time when the log was read, on the monotonic clock."""
    took: float
    """The seconds of processor time that the reading took."""


_NOTHING_YET = EstimateLines("", (), (), 0.0, 0.0)
"""The lines of a study whose log has not been read yet; the page asks again."""


class EstimateHistory:
    """The lines of the studies that were looked at last; a long log is not read again for every new round."""

    def __init__(self, cache: StudyCache, sandbox: Sandbox) -> None:
        self._cache = cache
        self._sandbox = sandbox
        self._known: OrderedDict[str, EstimateLines] = OrderedDict()
        self._lock = threading.Lock()
        self._reading: dict[str, Future[EstimateLines]] = {}

    def of(self, name: str, wait: bool = False) -> EstimateLines:
        """The lines of a study, which may lack the rounds of the last seconds.

        They are read beside the server's few threads. Where that takes long, they are those of before, or none, unless
        `wait` asks for all.
        """
        version = self._cache.version(name)
        known = self._lines(name, version)
        if known.version == version or (known is not _NOTHING_YET and not _due(known)):
            return known
        with self._lock:
            reading = self._reading.get(name)
            if reading is None:
                reading = self._reading[name] = Future()
                threading.Thread(target=self._fulfil, args=(reading, name, version), daemon=True).start()
        try:
            return reading.result(None if wait else _PATIENCE)
        except TimeoutError:
            return known

    def _fulfil(self, reading: Future[EstimateLines], name: str, version: str) -> None:
        """Reads the lines of a study and remembers them."""
        try:
            found = self._read(name, version)
        except Exception as error:
            with self._lock:
                del self._reading[name]  # the next request tries again
            reading.set_exception(error)
            return
        with self._lock:
            del self._reading[name]
            self._known[name] = found
            self._known.move_to_end(name)
            while len(self._known) > _MOST_STUDIES:
                self._known.popitem(last=False)
        reading.set_result(found)

    def _lines(self, name: str, version: str) -> EstimateLines:
        """The lines of a study that were read last; none where the name belongs to another study now."""
        with self._lock:
            known = self._known.get(name, _NOTHING_YET)
            if known.version.partition(".")[0] != version.partition(".")[0]:
                return _NOTHING_YET
            self._known.move_to_end(name)
            return known

    def _read(self, name: str, version: str) -> EstimateLines:
        """The lines of a study, read from its whole log in the sandbox."""
        found = self._sandbox.run({"verb": "moved", "url": self._cache.url, "study": name, "most": MOST_LINES})
        if found["error"]:
            raise BestdoError(found["error"]["message"])
        lines = tuple((str(action), tuple(means)) for action, means in found["lines"])
        return EstimateLines(version, tuple(found["rounds"]), lines, time.monotonic(), found["took"])


def _due(known: EstimateLines) -> bool:
    """Whether enough time has passed since the log was read."""
    return time.monotonic() - known.read > _PAUSE * known.took
