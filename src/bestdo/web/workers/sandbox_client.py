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

__all__ = ["Sandbox", "child"]

_SECONDS = 10.0
"""How long an order may take. Chosen, not measured."""

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


class Sandbox:
    """A child process that carries out orders one at a time; started when needed, ended when an order takes too long."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def run(self, order: dict[str, Any]) -> dict[str, Any]:
        """The answer to an order; raises a `BestdoError` when it takes too much time or memory."""
        if not self._lock.acquire(timeout=self._seconds):
            raise BestdoError("many people are checking graphs at once; try again in a moment")
        try:
            return self._answer(order)
        finally:
            self._lock.release()

    def _answer(self, order: dict[str, Any]) -> dict[str, Any]:
        """The answer of the child process, which is started if there is none."""
        line = json.dumps(order).encode() + b"\n"
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._child = child("bestdo.web.workers.sandbox_worker")
        try:
            found = _line(self._child, line, self._seconds)
        except OSError:
            found = b""
        if not found:
            code = self._child.poll()
            self.close()
            late = code is None
            raise BestdoError(
                f"this took more than {self._seconds:.0f} seconds, and was stopped"
                if late
                else "this needed more memory than it may use, and was stopped"
            )
        answer: dict[str, Any] = json.loads(found)
        return answer

    def close(self) -> None:
        """Ends the child process."""
        if self._child is not None:
            with contextlib.suppress(OSError):
                self._child.kill()
            self._child.wait()
            for stream in (self._child.stdin, self._child.stdout):
                if stream:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._child = None


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
