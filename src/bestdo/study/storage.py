"""The database behind studies: SQLite by default, PostgreSQL by URL; one writer at a time, all or nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from bestdo.errors import BestdoError, StorageError, shown
from bestdo.study.tables import SCHEMA

__all__ = ["Storage", "restored"]

_WAIT = 30.0  # seconds for a lock
_LOG_FIXED = ((3, 51, 3), (3, 50, 7), (3, 44, 6))  # SQLite versions without the write-ahead-log reset bug


def _log_is_safe(version: tuple[int, ...]) -> bool:
    """Whether SQLite's write-ahead log never loses a committed write: not in 3.7.0 to 3.51.2, but for two fixes."""
    return version >= _LOG_FIXED[0] or any(version[:2] == fix[:2] and version >= fix for fix in _LOG_FIXED)


class Storage:
    """A database, its schema brought up to date; `reading` and `writing` give connections in a transaction."""

    def __init__(self, url: str) -> None:
        self.url = f"postgresql+psycopg{url[10:]}" if url.startswith("postgresql:") else url
        try:
            parsed = sa.make_url(self.url)
            self.sqlite = parsed.get_backend_name() == "sqlite"
            if not self.sqlite and parsed.get_backend_name() != "postgresql":
                raise BestdoError(f"the storage {shown(url)} is neither sqlite:///FILE nor postgresql://…")
            self.file = Path(parsed.database or "") if self.sqlite else None
            self.engine = sa.create_engine(parsed, isolation_level="AUTOCOMMIT" if self.sqlite else "READ COMMITTED")
        except (sa.exc.ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
            raise BestdoError(
                f"cannot use the storage {shown(url)}: {error}. Say sqlite:///FILE, or postgresql://USER@HOST/DATABASE "
                "(pip install 'bestdo[postgres]')"
            ) from None
        weakref.finalize(self, self.engine.dispose)
        if self.sqlite:
            sa.event.listen(self.engine, "connect", self._prepare)
        with _plainly(self.url):
            self._upgrade()

    @staticmethod
    def _prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA busy_timeout = {int(1000 * _WAIT)}")
        mode = "WAL" if _log_is_safe(sqlite3.sqlite_version_info) else "TRUNCATE"
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees one state of the database."""
        with _plainly(self.url), self.engine.connect() as connection:
            if self.sqlite:
                connection.exec_driver_sql("BEGIN")
            try:
                yield connection
            finally:
                self._end(connection, "ROLLBACK")

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A connection whose changes are kept all together, or not at all when anything goes wrong."""
        with _plainly(self.url), self._turn(), self.engine.connect() as connection:
            if self.sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                with contextlib.suppress(SQLAlchemyError):
                    self._end(connection, "ROLLBACK")
                raise
            self._end(connection, "COMMIT")

    def _end(self, connection: sa.Connection, how: str) -> None:
        if self.sqlite:
            connection.exec_driver_sql(how)
        elif how == "COMMIT":
            connection.commit()
        else:
            connection.rollback()

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """A short lock of our own before SQLite's: its busy handler is unfair to those who wait."""
        if self.file is None or os.name != "posix":
            yield
            return
        import fcntl

        try:
            handle = os.open(f"{self.file}.lock", os.O_CREAT | os.O_RDWR, 0o666)
        except OSError:  # a read-only folder: SQLite will say so in its own words
            yield
            return
        try:
            until = time.monotonic() + _WAIT
            fcntl.flock(handle, fcntl.LOCK_EX)
            if time.monotonic() > until:
                raise StorageError(f"{self.file} was in use for more than {_WAIT:.0f} seconds; try again")
            yield
        finally:
            os.close(handle)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copies an SQLite database into another file, whole, while others may be writing."""
        if self.file is None:
            raise BestdoError("use pg_dump for a backup of a PostgreSQL database, or export the study")
        if os.path.exists(path):
            raise BestdoError(f"{shown(os.fsdecode(path))} exists already; a backup replaces nothing")
        try:
            with contextlib.ExitStack() as both:
                source, copy = (both.enter_context(contextlib.closing(sqlite3.connect(f))) for f in (self.file, path))
                source.backup(copy)
        except sqlite3.Error as error:
            raise StorageError(f"no backup was made in {shown(os.fsdecode(path))}: {error}") from None

    def _revision(self) -> str | None:
        """The schema that the database has; None when it has none yet."""
        with self.engine.connect() as connection:
            if not sa.inspect(connection).has_table("alembic_version"):
                return None
            return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()

    def _upgrade(self) -> None:
        """Brings the schema up to date, after a backup; refuses a newer one in words."""
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
            shutil.copy2(self.file, f"{self.file}.schema-{have}.backup")
        with self.writing() as connection:
            if MigrationContext.configure(connection).get_current_revision() != SCHEMA:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")


def restored(url: str, path: str | os.PathLike[str]) -> str | None:
    """Puts an SQLite database back as it was in a backup; what is there now is kept in a file, whose name is given."""
    Storage(f"sqlite:///{os.fspath(path)}")  # a backup of ours, of this version or an older one, or a clear error
    target = Storage(url)
    if target.file is None:
        raise BestdoError("use pg_restore for a PostgreSQL database, or import an exported study")
    kept = f"{target.file}.before-restore-{time.strftime('%Y%m%dT%H%M%S')}"
    with target._turn(), _plainly(url):
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


@contextlib.contextmanager
def _plainly(url: str) -> Iterator[None]:
    """Turns the database's errors into one sentence."""
    try:
        yield
    except DBAPIError as error:
        what = str(error.orig or error).strip().splitlines()[0]
        raise StorageError(
            f"the storage {_shown_url(url)} failed: {what}. Nothing was half-written; try again"
        ) from None
    except SQLAlchemyError as error:
        raise StorageError(f"the storage {_shown_url(url)} failed: {error}") from None


def _shown_url(url: str) -> str:
    with contextlib.suppress(Exception):
        return sa.make_url(url).render_as_string(hide_password=True)
    return shown(url)
