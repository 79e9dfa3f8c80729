"""Rehearsals that run in child processes: started, watched, cancelled."""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import threading
from collections import OrderedDict
from typing import Any

from bestdo.errors import BestdoError, Waiting
from bestdo.web.workers.sandbox_client import child

__all__ = ["RehearsalQueue", "RehearsalRun"]

_AT_ONCE, _KEPT = 2, 20
"""Rehearsals that run at once, and that are kept to be read. Chosen, not measured."""

_SECONDS = 600.0
"""The longest time of a rehearsal. Chosen, not measured."""


class RehearsalRun:
    """A rehearsal in a child process: its progress, and its answer at the end."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.key = secrets.token_urlsafe(12)
        self.order = order
        self.done, self.of = 0, 0
        self.answer: dict[str, Any] | None = None
        self.cancelled = False
        self._process: subprocess.Popen[bytes] = child("bestdo.web.workers.rehearsal_worker")
        self._timer = threading.Timer(_SECONDS, self._late)
        self._timer.daemon = True
        self._timer.start()
        threading.Thread(target=self._follow, daemon=True).start()

    @property
    def running(self) -> bool:
        """Whether there is no answer yet."""
        return self.answer is None and not self.cancelled

    @property
    def share(self) -> float:
        """The share of the work that is done."""
        return self.done / self.of if self.of else 0.0

    def cancel(self) -> None:
        """Ends the rehearsal, if it is running."""
        if self.running:
            self.cancelled = True
            self._end()

    def _late(self) -> None:
        """Ends a rehearsal that takes too long."""
        self.answer = {"error": f"this took more than {_SECONDS / 60:.0f} minutes, and was stopped"}
        self._end()

    def _end(self) -> None:
        """Ends the child process."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def _follow(self) -> None:
        """Sends the order, and reads progress and answer until the child process ends."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(self.order).encode() + b"\n")
            self._process.stdin.close()
        for line in self._process.stdout:
            said = json.loads(line)
            if "answer" in said:
                self.answer = said["answer"]
            else:
                self.done, self.of = said["done"], said["of"]
        self._process.stdout.close()
        self._process.wait()
        self._timer.cancel()
        if self.running:
            self.answer = {"error": "the rehearsal stopped; perhaps it needed more memory than it may use"}


class RehearsalQueue:
    """The rehearsals of the server: two at once, and the last ones are kept to be read."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, RehearsalRun] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, order: dict[str, Any]) -> RehearsalRun:
        """Starts a rehearsal; refuses when enough are running."""
        with self._lock:
            if sum(rehearsal.running for rehearsal in self._runs.values()) >= _AT_ONCE:
                raise Waiting("two rehearsals are running already; wait for one, or cancel it")
            rehearsal = RehearsalRun(order)
            self._runs[rehearsal.key] = rehearsal
            while len(self._runs) > _KEPT:
                self._runs.popitem(last=False)[1].cancel()
            return rehearsal

    def get(self, key: str) -> RehearsalRun:
        """A rehearsal by its key."""
        with self._lock:
            if key not in self._runs:
                raise BestdoError("this rehearsal is not known any more: begin it again")
            return self._runs[key]

    def close(self) -> None:
        """Ends all rehearsals."""
        for rehearsal in self._runs.values():
            rehearsal.cancel()
