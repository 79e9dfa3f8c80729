"""Reads and writes the bytes of files: limits their size, turns system errors into plain ones, writes atomically."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import zlib

from bestdo.errors import BestdoError, FileError, shown

__all__ = ["MOST_BYTES", "read_bytes", "too_large", "unpack", "write_bytes"]

MOST_BYTES = 64 * 2**20
"""The largest file that is read, also once it is unpacked. Limits memory; the largest of the 24 bnlearn networks that are
read in the tests, diabetes.bif, has 5.5 MB. Not measured."""


def too_large(name: str, most: int) -> BestdoError:
    """The error for a file of more than so many bytes."""
    return BestdoError(f"{name} has more than {most // 2**20} MB, the largest size that is read")


def read_bytes(name: str) -> bytes:
    """The bytes of a file."""
    try:
        with open(name, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise BestdoError(f"there is no file {shown(name, 300)}") from None
    except IsADirectoryError:
        raise BestdoError(f"{shown(name, 300)} is a folder; give the path of a file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BestdoError(f"cannot read {shown(name, 300)}: {why}") from None
    if len(data) > MOST_BYTES:
        raise too_large(name, MOST_BYTES)
    return data


def unpack(name: str, data: bytes) -> bytes:
    """The data, decompressed where they are compressed with gzip."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            data = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"the file is packed with gzip, but cannot be unpacked: {error}", name, 1, 1) from None
    if len(data) > MOST_BYTES:
        raise too_large(f"{name}, once unpacked,", MOST_BYTES)
    return data


def write_bytes(name: str, data: bytes) -> None:
    """Writes a file atomically: after a crash the old file is still complete."""
    try:
        _replace(os.path.realpath(name), data)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BestdoError(f"cannot write {shown(name, 300)}: {why}") from None


def _replace(target: str, data: bytes) -> None:
    """Writes a temporary file in the same folder and renames it to the target, which keeps its permissions."""
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
