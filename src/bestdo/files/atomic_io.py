"""Bytes in and out of files: errors in words, sizes that are refused, and files that are there whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import zlib

from bestdo.errors import BestdoError, FileError, shown

__all__ = ["read_bytes", "too_large", "unpacked", "write_bytes"]

_MOST_BYTES = 64 * 2**20


def too_large(name: str, most: int) -> BestdoError:
    """What is said about a file that is not read."""
    return BestdoError(f"{name} has more than {most // 2**20} MB, which is the most that is read")


def read_bytes(name: str) -> bytes:
    """All of a file."""
    try:
        with open(name, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise BestdoError(f"there is no file {shown(name, 300)}") from None
    except IsADirectoryError:
        raise BestdoError(f"{shown(name, 300)} is a folder; give the path of a file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BestdoError(f"cannot read {shown(name, 300)}: {why}") from None
    if len(data) > _MOST_BYTES:
        raise too_large(name, _MOST_BYTES)
    return data


def unpacked(name: str, data: bytes) -> bytes:
    """The same, unpacked where it was packed with gzip."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            data = packed.read(_MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"the file is packed with gzip, but cannot be unpacked: {error}", name, 1, 1) from None
    if len(data) > _MOST_BYTES:
        raise too_large(f"{name}, once unpacked,", _MOST_BYTES)
    return data


def write_bytes(name: str, data: bytes) -> None:
    """Writes a file, all of it or nothing: a crash leaves the old one whole."""
    try:
        _replace(os.path.realpath(name), data)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BestdoError(f"cannot write {shown(name, 300)}: {why}") from None


def _replace(target: str, data: bytes) -> None:
    """Writes a temporary file in the same folder and puts it in the target's place in one step."""
    temporary = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
