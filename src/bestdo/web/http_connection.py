"""A connection of the server: clients that are slow or silent are cut off, so that they keep nobody else out."""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["ACCEPTED_AT_ONCE", "HttpConnection", "LogLimit"]

HEADER_SECONDS = 10.0
"""The longest time of a client for the lines before the body of a request. Chosen, not measured."""

STALLED_SECONDS = 30.0
"""The longest time that a client may leave an answer unread. Chosen, not measured."""

MOST_CONNECTIONS = 400
"""Connections kept open at once; a browser opens up to six. Chosen, tried in `tests/web/test_attacks.py`."""

ACCEPTED_AT_ONCE = 128
"""Connections that may wait to be accepted, and are accepted at once: the usual number. Not measured."""

_SHARE_OF_FILES = 0.5
"""The part of the files left to the process that connections may take: the rest is for the database. Chosen."""

_SHARE_OF_KNOWN = 0.75
"""The part of all connections that those with a token may keep while they rest: the rest is for who comes new. Chosen."""


def most_connections() -> int:
    """The most connections that are kept open at once, given the number of files that the process may open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files < 0 else min(MOST_CONNECTIONS, int((files - ACCEPTED_AT_ONCE) * _SHARE_OF_FILES))


class HttpConnection(H11Protocol):
    """uvicorn's connection with three limits that it does not have.

    The head of a request arrives within `HEADER_SECONDS`, however its bytes are spread; an answer is read within
    `STALLED_SECONDS`; and when too many connections are open, those go on which nothing is being worked out: the ones of
    strangers before those with a token, the longest awaited first. The body of a request has its limit in
    `bestdo.web.guard`.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.awaited_since: float | None = None
        """Since when the client is awaited, by the clock of `time.monotonic`; None while its request is worked on.

        Awaited are a first or next request, the rest of one, and the reading of an answer.
        """
        self._was_known = False
        self._head_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request; room is made for it once all that has arrived by now was read."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > most_connections():
            self.loop.call_later(0, self._make_room)  # asyncio reads what there is before it looks at timers

    def data_received(self, data: bytes) -> None:
        """Takes what the client sent."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Goes on to the next request of the connection."""
        self._was_known = self.is_known
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
        self._watch()

    def resume_writing(self) -> None:
        """Ends the wait for the client to read."""
        super().resume_writing()
        _cancel(self._reading_timer)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        super().connection_lost(exc)
        self.awaited_since = None
        _cancel(self._head_timer)
        _cancel(self._reading_timer)

    @property
    def is_answered(self) -> bool:
        """Whether nothing was asked yet, or all that was asked is answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_known(self) -> bool:
        """Whether a request with a token was made, or one has come that the guard has not looked at yet."""
        if self._was_known or self.cycle is None:
            return self._was_known
        asked: Mapping[str, object] = self.cycle.scope
        return asked.get("role") is not None or ("role" not in asked and not self.cycle.response_complete)

    def _make_room(self) -> None:
        """Closes as many connections as are too many; never one in the middle of a request with a token."""
        most = most_connections()
        still = [c for c in self.connections if isinstance(c, HttpConnection) and not c.transport.is_closing()]
        if len(still) <= most:
            return
        longest = sorted(still, key=lambda c: (c.awaited_since is None, c.awaited_since or 0.0))
        strangers = [c for c in longest if not c.is_known]
        known = [c for c in longest if c.is_known and c.is_answered]
        surplus = max(0, len(known) - int(_SHARE_OF_KNOWN * most))
        for connection in [*known[:surplus], *strangers, *known[surplus:]][: len(still) - most]:
            connection.transport.abort()

    def _watch(self) -> None:
        """Starts or ends the wait for the client, after anything that may have changed what is awaited."""
        closing = self.transport.is_closing()
        answered = self.is_answered
        resting = self.timeout_keep_alive_task is not None  # between two requests, with a limit of its own
        if not closing and (answered or self.conn.their_state is h11.SEND_BODY or self.flow.write_paused):
            self.awaited_since = self.awaited_since or time.monotonic()
        else:
            self.awaited_since = None
        if closing or resting or not answered:
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
