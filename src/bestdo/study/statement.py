"""SQL statements of every round, compiled once and executed by the database's driver itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

__all__ = ["Statement", "run"]

Values = Mapping[str, Any]


class Statement:
    """An SQL statement that is compiled once for each kind of database; running it costs a fifth of SQLAlchemy's way."""

    def __init__(self, clause: sa.Executable) -> None:
        self._clause: Any = clause
        self._compiled: dict[tuple[str, ...], tuple[str, dict[str, Any]]] = {}

    def run(self, connection: sa.Connection, values: Values) -> list[Any]:
        """Executes it with these values, and returns the rows that it finds as tuples."""
        text, constants = self._text(connection, values)
        return run(connection, text, {**values, **constants} if constants else values)

    def run_many(self, connection: sa.Connection, each: Sequence[Values]) -> None:
        """Executes it for each of some values, which have the same names and no constants beside them."""
        text, _ = self._text(connection, each[0])
        if len(each) == 1:
            run(connection, text, each[0])
            return
        cursor = connection.connection.cursor()
        _tell_listeners(connection, cursor, text, each, many=True)
        cursor.executemany(text, each)

    def _text(self, connection: sa.Connection, values: Values) -> tuple[str, dict[str, Any]]:
        """The statement for this database and values of these names, and the values of its constants."""
        dialect = connection.dialect
        key = dialect.name, *values
        if key not in self._compiled:
            named = sqlite.dialect(paramstyle="named") if dialect.name == "sqlite" else dialect
            made = self._clause.compile(dialect=named, column_keys=list(values))
            self._compiled[key] = str(made), {k: v for k, v in made.params.items() if k not in values}
        return self._compiled[key]


def run(connection: sa.Connection, text: str, values: Values | None = None) -> list[Any]:
    """Executes a text by the driver, and returns the rows that it finds as tuples."""
    cursor = connection.connection.cursor()
    _tell_listeners(connection, cursor, text, values, many=False)
    cursor.execute(text, values or {})
    return list(cursor.fetchall()) if cursor.description else []


def _tell_listeners(connection: sa.Connection, cursor: Any, text: str, values: Any, many: bool) -> None:
    """Calls those who listen to all statements of SQLAlchemy's engine: they are told of these as well."""
    for listener in connection.engine.dispatch.before_cursor_execute:
        listener(connection, cursor, text, values, None, many)
