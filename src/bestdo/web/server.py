"""Starts the server of the page: opens the port, prints the addresses, serves until it is interrupted."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import logging
import secrets
import socket
from collections.abc import Callable

import numpy
import uvicorn

from bestdo.errors import BestdoError, shown
from bestdo.web.access import Access, is_loopback
from bestdo.web.app import application
from bestdo.web.http_connection import ACCEPTED_AT_ONCE, HttpConnection, LogLimit

__all__ = ["serve"]

_MALLOC = ((-8, 1), (-1, 2**16), (-3, 2**16))
"""M_ARENA_MAX, M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h: one arena for all threads, and free memory from 64 kB on
is given back. Chosen; the memory of the server is measured in `benchmarks/page.py`."""

_MOST_MESSAGES = 60
"""Messages that the server writes in a minute, tracebacks among them. Chosen, not measured."""

_SHUTDOWN_SECONDS = 3
"""The longest time for open requests when the server is interrupted. Chosen, not measured."""


def serve(
    url: str,
    host: str,
    port: int,
    names: tuple[str, ...],
    token: str | None,
    viewer: str | None,
    say: Callable[[str], None],
) -> None:
    """Serves the studies of a database until it is interrupted; `say` is called with the addresses once they work."""
    _use_less_memory()
    editor = token or secrets.token_urlsafe(24)
    looking = viewer or secrets.token_urlsafe(24)
    Access.to(host, port, names, editor, looking, given=token is not None)  # refuses before anything is opened
    listening = _listening(host, port)
    port = listening.getsockname()[1]
    access = Access.to(host, port, names, editor, looking, given=token is not None)
    app = application(url, access)
    settings = uvicorn.Config(
        app,
        loop="asyncio",
        http=HttpConnection,
        backlog=ACCEPTED_AT_ONCE,
        ws="none",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    address = _address(host, port, names)
    say(f"to look and record:  {address}/?token={editor}")
    say(f"to look only:        {address}/?token={looking}")
    limit = LogLimit(_MOST_MESSAGES)
    for log in ("uvicorn.error", "asyncio"):
        logging.getLogger(log).addFilter(limit)
    uvicorn.Server(settings).run(sockets=[listening])


def _use_less_memory() -> None:
    """Makes glibc give free memory back, and leaves out what scipy imports without need."""
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for setting, value in _MALLOC:
            library.mallopt(setting, value)
    # scipy imports all that numpy offers: f2py and testing take 10 MB, and are not used here
    stands_in = object()
    unwanted = [name for name in ("f2py", "testing") if name not in vars(numpy)]
    for name in unwanted:
        setattr(numpy, name, stands_in)
    importlib.import_module("scipy.special")
    for name in unwanted:
        if vars(numpy).get(name) is stands_in:
            delattr(numpy, name)


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens on the port; an error is raised before any address is printed."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sets TCP_NODELAY only if it is named
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(ACCEPTED_AT_ONCE)  # so that connecting works as soon as the address is printed
    except OSError as error:
        made.close()
        raise BestdoError(
            f"cannot serve on {shown(host)} port {port}: {error.strerror or error}; say --port N for another one"
        ) from None
    return made


def _address(host: str, port: int, names: tuple[str, ...]) -> str:
    """The address to open in a browser."""
    name = names[0] if names and not is_loopback(host) else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"
