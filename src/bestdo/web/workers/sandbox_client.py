"""Sends orders to a child process with limits, so that nothing that people send can block or fill the server."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from typing import Any

from bestdo.errors import BestdoError

__all__ = ["Sandbox", "Superseded", "child"]

_PROCESSES = 2
"""Orders that are carried out at once. Chosen: as many as the machine has cores, and each may take 2 GB."""

_SECONDS = 10.0
"""The longest time of an order. Chosen, not measured."""

_SHORT = 2.0
"""Seconds after which a person's next order ends the last one: a new process takes about as long to start. Not measured."""

_PART = 2**16
"""Bytes that are read at once: the usual size of a pipe on Linux. Not measured."""


def child(module: str) -> subprocess.Popen[bytes]:
    """A Python process that reads orders and writes answers, a line each."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )


class Superseded(BestdoError):
    """The order was left for a later one of the same person."""


class Sandbox:
    """Child processes that carry out orders, one each at a time; started when needed, ended when an order takes too long.

    A person's next order ends one that is running for longer than a moment: it was about a text that has changed since. So
    one person keeps one process busy, and others have the rest.
    """

    def __init__(self, seconds: float = _SECONDS, processes: int = _PROCESSES) -> None:
        self._seconds = seconds
        self._free = [_Child() for _ in range(processes)]
        self._running: list[tuple[str, _Child, float]] = []
        self._changed = threading.Condition()

    def run(self, order: dict[str, Any], who: str = "") -> dict[str, Any]:
        """The answer to an order; raises a `BestdoError` when it takes too much time or memory, or `who` gives the next."""
        with self._changed:
            for other, busy, began in self._running:
                if who and other == who and time.monotonic() - began > _SHORT:
                    busy.leave()
            if not self._changed.wait_for(lambda: self._free, self._seconds):
                raise BestdoError("many people are checking graphs at once; try again in a moment")
            mine = self._free.pop()
            mine.left = False
            mark = (who, mine, time.monotonic())
            self._running.append(mark)
        try:
            return mine.answer(order, self._seconds)
        finally:
            with self._changed:
                self._running.remove(mark)
                self._free.append(mine)
                self._changed.notify()

    def warm(self) -> None:
        """Starts a process for the next order, which then does not wait for it."""
        with self._changed:
            if self._free:
                self._free[-1].start()

    def leave(self, who: str) -> None:
        """Ends the orders of a person that are running: nobody waits for their answers any more."""
        with self._changed:
            for other, busy, _ in self._running:
                if other == who:
                    busy.leave()

    def close(self) -> None:
        """Ends the child processes."""
        with self._changed:
            for each in (*self._free, *(busy for _, busy, _ in self._running)):
                each.close()


class _Child:
    """A child process of the sandbox."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self.left = False
        """Whether nobody waits for the answer any more."""

    def start(self) -> subprocess.Popen[bytes]:
        """The process, which is started if there is none."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = child("bestdo.web.workers.sandbox_worker")
        return self._process

    def answer(self, order: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer of the process, which is started if there is none."""
        line = json.dumps(order).encode() + b"\n"
        process = self.start()
        try:
            found = b"" if self.left else _line(process, line, seconds)
        except OSError:
            found = b""
        if not found:
            late = process.poll() is None
            self.close()
            if self.left:
                raise Superseded("this was stopped, because the text was changed or the check was cancelled")
            raise BestdoError(
                f"this took more than {seconds:.0f} seconds, and was stopped"
                if late
                else "this needed more memory than it may use, and was stopped"
            )
        answer: dict[str, Any] = json.loads(found)
        return answer

    def leave(self) -> None:
        """Ends the order that is running, from another thread."""
        self.left = True
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._process.kill()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._process = None


def _line(process: subprocess.Popen[bytes], order: bytes, seconds: float) -> bytes:
    """The line that the child process answers to a line; empty when there is none in time."""
    assert process.stdin is not None
    assert process.stdout is not None
    writer = threading.Thread(target=_send, args=(process, order), daemon=True)
    writer.start()
    until = time.monotonic() + seconds
    parts: list[bytes] = []
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            return b""
        part = os.read(process.stdout.fileno(), _PART)
        if not part:
            process.wait(1)
            return b""
        parts.append(part)
        if part.endswith(b"\n"):
            return b"".join(parts)


def _send(process: subprocess.Popen[bytes], order: bytes) -> None:
    """Writes a line to the child process, which may have ended."""
    assert process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(order)
        process.stdin.flush()
