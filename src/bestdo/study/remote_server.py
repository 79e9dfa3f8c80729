"""Requests to `bestdo serve`: only its own answer is taken for one, whatever stands between."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urljoin, urlsplit

from bestdo.errors import BestdoError, Conflict, Deviates, Finished, StorageError, Unusual, Waiting, shown
from bestdo.study.remote_answers import NOTHING, SIGN, TROUBLE, Shape, misfit

__all__ = ["Server"]

_API = "/api/v1"
_SECONDS = 60.0
"""The longest time that an answer may take. Chosen, not measured."""

_LONGEST_SHOWN = 200
"""Characters of an address that a message shows. Chosen, not measured."""

_ERRORS: dict[str, type[BestdoError]] = {
    "conflict": Conflict,
    "deviates": Deviates,
    "finished": Finished,
    "storage": StorageError,
    "unusual": Unusual,
    "waiting": Waiting,
}
"""The error for each kind of problem that the server names; others are plain errors of bestdo."""

_PRINTED = "use the address that bestdo serve printed as the storage"


class Server:
    """A server of `bestdo serve`, and the token that it asks for."""

    def __init__(self, address: str) -> None:
        try:
            parts = urlsplit(address)
            there = parts.hostname and (parts.port or True)
        except ValueError:
            there = False
        if not there:
            raise BestdoError(f"{shown(address)} is not the address of a server, as http://127.0.0.1:8321 is")
        self.url = address
        self.address = f"{parts.scheme}://{parts.netloc}"
        self._kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._place = parts.netloc
        self._token = parse_qs(parts.query).get("token", [os.environ.get("BESTDO_TOKEN", "")])[0]
        if not self._token.isascii() or not self._token.isprintable() or not self._token:
            raise BestdoError(
                f"{self.address} asks for a token: set BESTDO_TOKEN, or give the whole address that bestdo serve printed"
            )

    def close(self) -> None:
        """Closes nothing: no connection is kept open."""

    def send(self, method: str, path: str, shape: Shape, body: Mapping[str, Any] | None = None) -> Any:
        """The answer to a request as data of this shape.

        Raises the error that the server answered, and StorageError where the answer is not that of `bestdo serve` to such
        a request: then nothing may have been stored.
        """
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            sent = None if body is None else json.dumps(body, allow_nan=False).encode()
        except ValueError as error:
            raise BestdoError(f"what was to be sent is no JSON: {error}") from None
        with self._connected() as connection:
            connection.request(method, _API + path, sent, headers)
            answer = connection.getresponse()
            data = answer.read()
        call = _Call(method, f"{self.address}{_API}{path}", answer.status)
        if 300 <= answer.status < 400:
            raise StorageError(call.redirected(answer.headers.get("Location", "").strip()))
        found = _content(call, answer.headers, data)
        if answer.status >= 400:
            raise _error(call, found)
        if answer.status not in ((204,) if shape == NOTHING else (200, 201)):
            raise StorageError(call.foreign(f"{204 if shape == NOTHING else 200} is due"))
        if wrong := misfit(found, shape):
            raise StorageError(call.foreign(wrong))
        return found

    @contextmanager
    def reading(self, method: str, path: str) -> Iterator[None]:
        """The place where what was read becomes objects; where that fails, it was no answer of `bestdo serve`."""
        try:
            yield
        except StorageError:  # of a further request, or of the disk
            raise
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, BestdoError) as error:
            raise StorageError(_Call(method, f"{self.address}{_API}{path}", 200).foreign(str(error))) from error

    @contextmanager
    def _connected(self) -> Iterator[HTTPConnection]:
        """A connection to the server; what goes wrong with it is said in words."""
        connection = self._kind(self._place, timeout=_SECONDS)
        try:
            yield connection
        except (OSError, HTTPException, UnicodeError) as error:
            raise StorageError(f"{self.address} does not answer: {error}; is bestdo serve running there?") from None
        finally:
            connection.close()


class _Call(NamedTuple):
    """A request that was answered: its method, its address, and the status of the answer."""

    method: str
    address: str
    status: int

    def redirected(self, location: str) -> str:
        """A redirect, in words: from where, to where, what became of the request, what to do."""
        there = _parts(self.address, location) if location else None
        if there is None:
            to = f"to {shown(location, _LONGEST_SHOWN)}" if location else "without saying where to"
            return f"{self._name} is redirected ({self.status}) {to}; {self._done}{_PRINTED}"
        base, path = there
        own = urlsplit(self.address)
        todo = f"use {base} as the storage"
        if base == f"{own.scheme}://{own.netloc}":
            todo = f"something before bestdo serve wants more than its token: {_PRINTED}"
        elif path != own.path:
            todo = f"if bestdo serve is there, {todo}"
        to = shown(f"{base}{path}", _LONGEST_SHOWN)
        return f"{self._name} is redirected ({self.status}) to {to}; {self._done}{todo}"

    def foreign(self, why: str) -> str:
        """An answer that is not that of `bestdo serve`, in words: what it is, what became of the request, what to do."""
        return (
            f"{self._name} was answered {self.status}, but not as bestdo serve of this version answers: {why}; {self._done}"
            f"a page to log in or a proxy may stand before it: {_PRINTED}"
        )

    @property
    def _name(self) -> str:
        return f"{self.method} {self.address}"

    @property
    def _done(self) -> str:
        """The warning that an order may not be stored; empty where nothing was to be stored."""
        return "" if self.method == "GET" else "nothing says that what was sent is stored; "


def _parts(address: str, location: str) -> tuple[str, str] | None:
    """Scheme and host, and the path, to where a location points, without name, password or query; None where nowhere."""
    try:
        parts = urlsplit(urljoin(address, location))
        there = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        return None
    return (f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", parts.path) if there else None


def _content(call: _Call, headers: HTTPMessage, data: bytes) -> Any:
    """The contents of an answer of `bestdo serve`; None where it is empty, as it should be."""
    name, value = SIGN
    if headers.get(name) != value:
        kind = headers.get_content_type() if "Content-Type" in headers else "nothing"
        raise StorageError(call.foreign(f"{shown(kind)} without the header {name}"))
    if call.status == 204 and not data:
        return None
    wanted = "application/json" if call.status < 300 else "application/problem+json"
    if headers.get_content_type() != wanted:
        raise StorageError(call.foreign(f"{shown(headers.get_content_type())} instead of {wanted}"))
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise StorageError(call.foreign("what came is no JSON")) from None


def _error(call: _Call, found: Any) -> BestdoError:
    """The error that the server answered."""
    if wrong := misfit(found, TROUBLE):
        return StorageError(call.foreign(wrong))
    return _ERRORS.get(found["kind"], BestdoError)(found["detail"])
