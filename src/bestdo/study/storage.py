"""The database of studies: SQLite or PostgreSQL, with transactions, schema upgrades, backups and plain error messages."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from bestdo.arguments import shown_value
from bestdo.errors import BestdoError, StorageError, shown
from bestdo.study import connections
from bestdo.study.schema import SCHEMA
from bestdo.study.statement import run

__all__ = ["Storage", "is_remote", "must_exist", "restored", "storage_url"]

_USUAL_URL = "sqlite:///bestdo.db"
"""The database where neither an argument nor BESTDO_STORAGE names one; also the default of the command line."""

_SETTLED = 50_000_000
"""Nanoseconds after which a file's time of writing is taken as final: clocks of file systems tick every 1 to 10 ms, and a
later write in the same tick would not be seen. Chosen, not measured."""
_LONGEST_LINE = 300
"""Most characters of a database's own message that are shown."""


class Storage:
    """A database with an up-to-date schema; `reading` and `writing` give connections in a transaction."""

    def __init__(self, url: str) -> None:
        if is_remote(url):
            raise StorageError("this is done where the database is, not over a server's address: say its --storage")
        self.url = f"postgresql+psycopg{url[10:]}" if url.startswith("postgresql:") else url
        try:
            parsed = sa.make_url(self.url)
            self.sqlite = parsed.get_backend_name() == "sqlite"
            if not self.sqlite and parsed.get_backend_name() != "postgresql":
                raise BestdoError(f"the storage {shown(url)} is neither sqlite:///FILE nor postgresql://…")
            if self.sqlite and parsed.database in (None, "", ":memory:"):
                raise BestdoError(
                    f"the storage {shown(url)} names no file, so nothing would be stored: use sqlite:///FILE"
                )
            self.file = Path(parsed.database or "").absolute() if self.sqlite else None
            if self.file and not str(parsed.database).startswith("file:"):
                if not self.file.parent.exists():
                    folder = shown(self.file.parent, 300)
                    raise StorageError(
                        f"there is no folder {folder} for the database: create it first, or name another"
                    )
                parsed = parsed.set(database=str(self.file))  # it stays the same file in another working directory
            self._connections = connections.connections_to(parsed)
        except (sa.exc.ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
            raise BestdoError(
                f"cannot use the storage {shown(url)}: {error}. Use sqlite:///FILE, or postgresql://USER@HOST/DATABASE "
                "(pip install 'bestdo[postgres]')"
            ) from None
        self._leave = self._connections.join(self)
        with self._plain_errors():
            self._upgrade()

    @property
    def engine(self) -> sa.Engine:
        """The engine, which all storages of this process with the same address share."""
        return self._connections.engine

    def close(self) -> None:
        """Closes the connections unless another storage uses them; a storage that is used again opens one again."""
        self._leave()

    def _connect(self) -> sa.Connection:
        """A connection, given back at its end."""
        if not self._leave.alive:
            self._leave = self._connections.join(self)
        return self._connections.connect()

    def mark(self) -> tuple[object, ...] | None:
        """A value that is another one whenever something was written; None where the file does not tell that, or not yet.

        What is read after this was called is as old as the mark, or newer.
        """
        if self.file is None:
            return None
        now, parts = time.time_ns(), list[object]()
        for path in (self.file, f"{self.file}-wal"):
            try:
                found = os.stat(path)
            except OSError:
                parts.append(None)
                continue
            if now - found.st_mtime_ns < _SETTLED:
                return None
            parts.append((found.st_ino, found.st_mtime_ns, found.st_size))
        return tuple(parts)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection in a transaction that sees one state of the database."""
        with self._plain_errors(), self._connect() as connection:
            if self.sqlite:
                run(connection, "BEGIN")
            else:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            try:
                yield connection
            finally:
                self._end(connection, "ROLLBACK")

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A connection in a transaction, committed at the end, and rolled back after an error."""
        with self._plain_errors(), self._turn(), self._connect() as connection:
            if self.sqlite:
                run(connection, "BEGIN IMMEDIATE")
            try:
                yield connection
                self._end(connection, "COMMIT")
            except BaseException:
                with contextlib.suppress(SQLAlchemyError, sqlite3.Error):
                    self._end(connection, "ROLLBACK")
                raise

    def _end(self, connection: sa.Connection, how: str) -> None:
        """Ends the transaction by COMMIT or ROLLBACK."""
        if self.sqlite:
            run(connection, how)
        elif how == "COMMIT":
            connection.commit()
        else:
            connection.rollback()

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """A lock on a file beside the database, taken before SQLite's own, whose busy handler is unfair to those who wait."""
        if self.file is None or os.name != "posix":
            yield
            return
        try:
            handle = os.open(f"{self.file}.lock", os.O_CREAT | os.O_RDWR, 0o666)
        except OSError:  # a read-only folder: the error will come from SQLite
            yield
            return
        try:
            if not _lock(handle):
                raise StorageError(f"{self.file} was in use for more than {connections.WAIT:.0f} seconds; try again")
            yield
        finally:
            os.close(handle)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copies an SQLite database into another file; others may write meanwhile."""
        if self.file is None:
            raise BestdoError("use pg_dump for a backup of a PostgreSQL database, or export the study")
        if os.path.exists(path):
            raise BestdoError(f"{shown(os.fsdecode(path))} exists already; a backup never overwrites a file")
        try:
            with contextlib.ExitStack() as both:
                source, copy = (both.enter_context(contextlib.closing(sqlite3.connect(f))) for f in (self.file, path))
                source.backup(copy)
        except sqlite3.Error as error:
            with contextlib.suppress(OSError):
                os.remove(path)
            raise StorageError(f"no backup was made in {shown(os.fsdecode(path))}: {error}") from None

    def _revision(self) -> str | None:
        """The revision of the database's schema; None when it has none yet."""
        with self._connect() as connection:
            if self.file is not None:
                connection.exec_driver_sql("BEGIN")  # until it ends, no other process writes pages
            has = sa.inspect(connection).has_table("alembic_version")
            if self.file is not None:
                page = int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())
                if (size := os.path.getsize(self.file)) % page:
                    raise StorageError(f"{_damaged(self.url)}: it ends in the middle of a page, after {size:,} bytes")
            if not has:
                return None
            return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()

    def _upgrade(self) -> None:
        """Upgrades the schema, after a backup; a newer schema is an error."""
        if self._revision() == SCHEMA:
            return
        from alembic import command
        from alembic.config import Config
        from alembic.runtime.migration import MigrationContext
        from alembic.script import ScriptDirectory

        have = self._revision()
        config = Config()
        config.set_main_option("script_location", "bestdo.study:migrations")
        known = {r.revision for r in ScriptDirectory.from_config(config).walk_revisions()}
        if have is not None and have not in known:
            raise StorageError(
                f"{self.file or 'the database'} was written by a newer bestdo (schema {have}, here {SCHEMA}): "
                "install that version, or open another database"
            )
        if have is not None and self.file is not None:
            copy = Path(f"{self.file}.schema-{have}.backup")
            copy.unlink(missing_ok=True)
            self.backup(copy)
        with self.writing() as connection:
            if MigrationContext.configure(connection).get_current_revision() != SCHEMA:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")

    @contextlib.contextmanager
    def _plain_errors(self) -> Iterator[None]:
        """Turns errors of the database, and those from data of a damaged file, into StorageErrors of one sentence."""
        try:
            yield
        except (DBAPIError, self.engine.dialect.loaded_dbapi.Error) as error:
            cause = getattr(error, "orig", None) or error
            what = _first_line(str(cause))
            if _is_damage(cause):
                raise StorageError(f"{_damaged(self.url)}: {what}") from None
            raise StorageError(
                f"the storage {_shown_url(self.url)} failed: {what}. Nothing was half-written; try again"
            ) from None
        except SQLAlchemyError as error:
            raise StorageError(f"the storage {_shown_url(self.url)} failed: {error}") from None
        except BestdoError:
            raise
        except UnicodeEncodeError as error:  # bytes of a command line that are not text
            raise BestdoError(f"{shown(error.object)} cannot be stored: it contains bytes that are not text") from None
        except json.JSONDecodeError as error:
            raise StorageError(f"{_damaged(self.url)}: {error.msg}") from None
        except Exception:
            if found := self._damage_found():
                raise StorageError(f"{_damaged(self.url)}: {found}") from None
            raise

    def _damage_found(self) -> str:
        """The faults that SQLite's check of the whole file finds; empty when it finds none."""
        try:
            with self._connect() as connection:
                found = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()) if self.sqlite else "ok"
        except DBAPIError as error:
            found = str(error.orig)
        return "" if found == "ok" else _first_line(found)


def storage_url(given: str | os.PathLike[str] | None) -> str:
    """The address of the database: as given (a path is a SQLite file), from BESTDO_STORAGE, or bestdo.db in this folder."""
    if given is None:
        return os.environ.get("BESTDO_STORAGE") or _USUAL_URL
    if isinstance(given, os.PathLike):
        return f"sqlite:///{os.fspath(given)}"
    if not isinstance(given, str):
        raise BestdoError(f"a storage is the address of a database, as 'sqlite:///farm.db', not {shown_value(given)}")
    return given


def is_remote(url: str) -> bool:
    """Whether a storage is the address of a server of `bestdo serve`, and not of a database."""
    return url.lower().startswith(("http://", "https://"))


def must_exist(url: str) -> None:
    """Raises an error where a database file is missing: only beginning or importing a study makes one."""
    file = url.removeprefix("sqlite:///")
    if file != url and not os.path.exists(file.partition("?")[0]):
        raise BestdoError(
            f"there is no database {shown(file, 300)}: bestdo new FILE --rounds N or Study.create makes one, --storage URL "
            "or storage= names another"
        )


def restored(url: str, path: str | os.PathLike[str]) -> str | None:
    """Replaces an SQLite database by a backup; what it held before is saved in a file, whose name is returned."""
    Storage(f"sqlite:///{os.fspath(path)}")  # fails unless it is a database of bestdo, of this version or an older one
    target = Storage(url)
    if target.file is None:
        raise BestdoError("use pg_restore for a PostgreSQL database, or import an exported study")
    kept = f"{target.file}.before-restore-{time.strftime('%Y%m%dT%H%M%S')}"
    with target._turn(), target._plain_errors():
        target.backup(kept)
        try:
            with contextlib.ExitStack() as both:
                source, copy = (both.enter_context(contextlib.closing(sqlite3.connect(f))) for f in (path, target.file))
                source.backup(copy)
        except sqlite3.Error as error:
            raise StorageError(
                f"{shown(os.fsdecode(path))} cannot be restored: {error}; what was there is in {kept}"
            ) from None
    return kept


def _lock(handle: int) -> bool:
    """Takes the lock on an open file, in the order of asking, and returns whether it was free within `WAIT` seconds."""
    import fcntl

    with contextlib.suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    waiting = threading.Thread(target=fcntl.flock, args=(handle, fcntl.LOCK_EX), daemon=True)
    waiting.start()
    waiting.join(connections.WAIT)
    return not waiting.is_alive()  # a process that was stopped may hold it for ever


def _is_damage(error: BaseException | None) -> bool:
    """Whether an error of SQLite means that the file is damaged or not a database."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "Could not decode" in str(error)


def _first_line(text: str) -> str:
    """The first line of an error, with characters that cannot be printed replaced."""
    line = (text.strip().splitlines() or ["no reason is given"])[0]
    return "".join(c if c.isprintable() else "?" for c in line)[:_LONGEST_LINE]


def _damaged(url: str) -> str:
    """The beginning of the message about a damaged file."""
    return f"the storage {_shown_url(url)} is damaged, or not a database; restore a backup, or import an exported study"


def _shown_url(url: str) -> str:
    """The URL without its password."""
    with contextlib.suppress(Exception):
        return sa.make_url(url).render_as_string(hide_password=True)
    return shown(url)
