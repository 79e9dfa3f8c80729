"""The database connections of this process: one engine for each address, shared by all studies there."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections import OrderedDict
from typing import Any

import sqlalchemy as sa

__all__ = ["WAIT", "Connections", "connections_to", "log_is_safe"]

WAIT = 30.0
"""Seconds to wait for a lock: longer than any transaction of ours, short enough for a person at a terminal. Not measured."""
_MOST_CONNECTIONS = 4
"""Connections of one process to one address; more threads wait for their turn. As many as the server of the page has
threads. Chosen, not measured."""
_MOST_ADDRESSES = 16
"""Addresses whose connections stay open; those of the one unused for longest are closed, and opened again when it is used.
Chosen, so that a program that holds thousands of SQLite files has few of them open."""
_SQLITE_CACHE = 256
"""kB of cache for each connection to SQLite: enough to read the end of a log. Chosen; the memory of the server is measured in
`benchmarks/page.py`."""
_LOG_FIXED = ((3, 51, 3), (3, 50, 7), (3, 44, 6))
"""The first versions of SQLite, by branch, whose write-ahead log is not reset by a bug (docs/explanation/reliability.md)."""

_lock = threading.RLock()  # finalizers of studies may run while it is held
_known: weakref.WeakValueDictionary[str, Connections] = weakref.WeakValueDictionary()
_recent: OrderedDict[str, Connections] = OrderedDict()
_inherited: list[sa.Pool] = []  # connections of the process that this one was forked from: never used, never closed


class Connections:
    """The engine of one address; its connections are closed when the last who joined has left."""

    def __init__(self, address: sa.URL) -> None:
        self._key = _key(address)
        sqlite = address.get_backend_name() == "sqlite"
        self.engine = sa.create_engine(
            address,
            isolation_level="AUTOCOMMIT" if sqlite else "READ COMMITTED",
            pool_size=_MOST_CONNECTIONS,
            max_overflow=0,
            pool_timeout=2 * WAIT,
            pool_use_lifo=True,
        )
        sa.event.listen(self.engine, "connect", _prepare_sqlite if sqlite else _prepare_postgresql)
        if sqlite:
            sa.event.listen(self.engine, "checkout", _same_file)
        self._members: set[object] = set()

    def join(self, member: object) -> weakref.finalize[..., Any]:
        """Counts a member until it is collected, or until what is returned is called."""
        token = object()
        with _lock:
            self._members.add(token)
        return weakref.finalize(member, self._leave, token)

    def _leave(self, token: object) -> None:
        with _lock:
            self._members.discard(token)
            if self._members:
                return
        self.engine.dispose()

    def connect(self) -> sa.Connection:
        """A connection; those of the address that was unused for longest are closed when there are too many."""
        with _lock:
            _recent[self._key] = self
            _recent.move_to_end(self._key)
            unused = _recent.popitem(last=False)[1] if len(_recent) > _MOST_ADDRESSES else None
        if unused is not None:
            unused.engine.dispose()
        return self.engine.connect()


def connections_to(address: sa.URL) -> Connections:
    """The connections to an address: the same object for all who ask."""
    with _lock:
        found = _known.get(_key(address))
        if found is None:
            found = _known[_key(address)] = Connections(address)
        return found


def _key(address: sa.URL) -> str:
    """The address as a text, with its password."""
    return address.render_as_string(hide_password=False)


def _after_fork() -> None:
    """Gives a forked process connections of its own: two processes on one connection destroy each other's work."""
    global _lock
    _lock = threading.RLock()
    for connections in list(_known.values()):
        _inherited.append(connections.engine.pool)
        connections.engine.dispose(close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _prepare_sqlite(connection: sqlite3.Connection, record: sa.pool.ConnectionPoolEntry) -> None:
    """Sets the waiting time, the journal, full durability and the cache of a new connection, and notes its file."""
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * WAIT)}")
    mode = "WAL" if log_is_safe(sqlite3.sqlite_version_info) else "TRUNCATE"
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = -{_SQLITE_CACHE}")
    ((_, _, file),) = connection.execute("PRAGMA database_list").fetchall()
    connection.execute("SELECT 1 FROM sqlite_master").fetchall()  # opens the file
    record.info["file"] = file, _identity(file)


def _same_file(connection: sqlite3.Connection, record: sa.pool.ConnectionPoolEntry, _: object) -> None:
    """Refuses a kept connection whose file was deleted or replaced, so that the pool makes a new one."""
    file, identity = record.info["file"]
    if _identity(file) != identity:
        raise sa.exc.DisconnectionError


def _identity(file: str) -> tuple[int, int] | None:
    """The identity of a file, which tells two files of one name apart; None where there is no file."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def log_is_safe(version: tuple[int, ...]) -> bool:
    """Whether this version of SQLite has no bug that can lose committed writes from its write-ahead log.

    Versions 3.7.0 to 3.51.2 have it, except for the fixed ones of two older branches.
    """
    return version >= _LOG_FIXED[0] or any(version[:2] == fix[:2] and version >= fix for fix in _LOG_FIXED)


def _prepare_postgresql(connection: Any, _: object) -> None:
    """Sets time limits for a new connection: an idle transaction is ended before those who wait for its lock give up."""
    connection.execute(f"SET idle_in_transaction_session_timeout = '{WAIT}s'")
    connection.execute(f"SET lock_timeout = '{2 * WAIT}s'")
    connection.commit()
