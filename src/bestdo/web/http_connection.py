"""One connection of the server: clients that are slow or silent are cut off, so that they keep nobody else out."""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections import deque
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["ACCEPTED_AT_ONCE", "HttpConnection", "LogLimit"]

HEADER_SECONDS = 10.0
"""How long a client may take for the lines before the body of a request. Chosen, not measured."""

STALLED_SECONDS = 30.0
"""How long a client may leave an answer unread. Chosen, not measured."""

MOST_CONNECTIONS = 400
"""Connections kept open at once; a browser opens up to six. Chosen, tried in `tests/web/test_attacks.py`."""

ACCEPTED_AT_ONCE = 128
"""Connections that may wait to be accepted, and are accepted at once: the usual number. Not measured."""

_SHARE_OF_FILES = 0.5
"""The part of the files left to the process that connections may take: the rest is for the database. Chosen."""


def most_connections() -> int:
    """How many connections are kept open at once, given how many files the process may open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files < 0 else min(MOST_CONNECTIONS, int((files - ACCEPTED_AT_ONCE) * _SHARE_OF_FILES))


class HttpConnection(H11Protocol):
    """uvicorn's connection with three limits that it does not have.

    The head of a request arrives within `HEADER_SECONDS`, however its bytes are spread; an answer is read within
    `STALLED_SECONDS`; and when too many connections are open, the one that has kept an unfinished request for longest is
    closed for a new one. The body of a request has its limit in `bestdo.web.guard`.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.unfinished_since: float | None = None
        """Since when a request is unfinished, by the clock of `time.monotonic`; None when none is."""
        self._head_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request; makes room where too many connections are open."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) <= most_connections():
            return
        still = [c for c in self.connections if isinstance(c, HttpConnection) and not c.transport.is_closing()]
        if len(still) > most_connections():  # this one is among the unfinished: it is the last to go
            oldest = min((c for c in still if c.unfinished_since is not None), key=lambda c: c.unfinished_since or 0.0)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Takes what the client sent."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Goes on to the next request of the connection."""
        super().on_response_complete()
        self._watch()

    def timeout_keep_alive_handler(self) -> None:
        """Closes a connection on which nothing comes; at once, where the client has not read the last answer."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()

    def pause_writing(self) -> None:
        """Begins to wait for the client to read."""
        super().pause_writing()
        self._reading_timer = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Ends the wait for the client to read."""
        super().resume_writing()
        _cancel(self._reading_timer)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        super().connection_lost(exc)
        self.unfinished_since = None
        _cancel(self._head_timer)
        _cancel(self._reading_timer)

    def _watch(self) -> None:
        """Starts or ends the wait for the head of a request, after anything that may have changed what is awaited."""
        answered = self.cycle is None or self.cycle.response_complete
        resting = self.timeout_keep_alive_task is not None  # between two requests, with a limit of its own
        if self.transport.is_closing() or resting:
            self.unfinished_since = None
        elif answered or self.conn.their_state is h11.SEND_BODY:
            self.unfinished_since = self.unfinished_since or time.monotonic()
        else:
            self.unfinished_since = None
        if self.unfinished_since is None or not answered:
            _cancel(self._head_timer)
            self._head_timer = None
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEADER_SECONDS, self.transport.abort)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    """Cancels a timer, if there is one."""
    if timer is not None:
        timer.cancel()


class LogLimit(logging.Filter):
    """Lets at most so many messages a minute into a log, and says how many were left out: no client can fill a disk."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self._times: deque[float] = deque()
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a message is written."""
        now = time.monotonic()
        while self._times and self._times[0] < now - 60:
            self._times.popleft()
        if len(self._times) >= self.most:
            self._left_out += 1
            return False
        self._times.append(now)
        if self._left_out:
            record.msg = f"{record.getMessage()} ({self._left_out} further messages were left out before this one)"
            record.args = ()
            self._left_out = 0
        return True
