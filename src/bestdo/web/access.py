"""Access control: which host names are ours, which requests come from another site, and what each token allows."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Literal

from bestdo.errors import BestdoError, shown

__all__ = ["Access", "Role", "is_loopback", "kept_tokens", "where"]

Role = Literal["editor", "viewer"]

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SHORTEST_TOKEN = 16
"""Characters that a token has at least: 16 random ones of 66 are 96 bits, more than can be guessed. Not measured."""
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<name>[^\[\]:/@?#\\\s,]+))(?::(?P<port>[0-9]{1,5}))?")


def where(text: str) -> tuple[str, int | None] | None:
    """The name and the port in a Host header, in lower case without a trailing dot; None when it is not an address."""
    match = _HOST.fullmatch(text)
    if match is None:
        return None
    port = None if match["port"] is None else int(match["port"])
    if match["six"] is None:
        return match["name"].lower().removesuffix("."), port
    try:
        return str(ipaddress.IPv6Address(match["six"])), port
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether a host is a loopback address, which only this machine can reach."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Access:
    """The host names of the page, and its two tokens: one to record, one only to look."""

    port: int
    names: frozenset[str]
    """Host names and addresses that are this page's own."""
    editor: str
    viewer: str

    @classmethod
    def to(cls, host: str, port: int, names: tuple[str, ...], editor: str, viewer: str, given: bool) -> Access:
        """Access with checked names and tokens; `given` says whether a person chose the token (beyond loopback they must)."""
        own = set[str]()
        for name in names:
            found = where(name)
            if found is None or found[1] is not None:
                raise BestdoError(
                    f"{shown(name)} is not a host name; give one without a port, as in --name farm.example"
                )
            own.add(found[0])
        if not is_loopback(host) and not (given and own):
            raise BestdoError(
                f"{shown(host)} can be reached by others: say --token (or set BESTDO_TOKEN) and --name, the host name "
                "that people will type; or leave --host out, and only this machine can reach the page"
            )
        for token in (editor, viewer):
            if len(token) < _SHORTEST_TOKEN or not re.fullmatch(r"[A-Za-z0-9._~-]+", token):
                raise BestdoError(
                    f"a token needs at least {_SHORTEST_TOKEN} letters, digits or . _ ~ -: choose another"
                )
        if editor == viewer:
            raise BestdoError("the token for recording and the one for looking only are the same: choose another")
        if is_loopback(host):
            own |= {*_LOOPBACK, *(where(f"[{host}]" if ":" in host else host) or ("",))[:1]}
        return cls(port, frozenset(own), editor, viewer)

    def is_own(self, host: str) -> bool:
        """Whether a Host header names this page."""
        found = where(host)
        if found is None or found[0] not in self.names:
            return False
        return found[1] == self.port or (found[1] is None and (self.port == 80 or not is_loopback(found[0])))

    def is_foreign(self, origin: str | None, site: str | None, host: str) -> bool:
        """Whether a write was sent by a page of another site, judged by the headers of the browser."""
        if site is not None and site not in ("same-origin", "none"):
            return True
        if origin is None:
            return False
        scheme, _, rest = origin.partition("://")
        return scheme not in ("http", "https") or where(rest) is None or where(rest) != where(host)

    @property
    def cookie(self) -> str:
        """The cookie's name, with the port: browsers share cookies between the ports of a host."""
        return f"bestdo-{self.port}"

    def pass_for(self, role: Role) -> str:
        """The value of the cookie for a role: a keyed hash, not the token itself."""
        token = self.editor if role == "editor" else self.viewer
        return hmac.new(token.encode(), b"bestdo page", hashlib.sha256).hexdigest()

    def of_token(self, token: str) -> Role | None:
        """The role that a token gives; None when it is not a token of this page."""
        return self._which(token, self.editor, self.viewer)

    def role(self, headers: Mapping[str, str]) -> tuple[Role | None, bool]:
        """The role of a request, and whether it comes from a token in its header (and not from a cookie)."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme:
            return (self.of_token(token.strip()) if scheme.lower() == "bearer" else None), True
        held = cookie(headers, self.cookie)
        return (self._which(held, self.pass_for("editor"), self.pass_for("viewer")) if held else None), False

    @staticmethod
    def _which(seen: str, editor: str, viewer: str) -> Role | None:
        """The role whose secret it is, compared in constant time."""
        given = seen.encode("utf-8", "replace")
        if hmac.compare_digest(given, editor.encode()):
            return "editor"
        return "viewer" if hmac.compare_digest(given, viewer.encode()) else None


def cookie(headers: Mapping[str, str], name: str) -> str:
    """The value of a cookie; empty when there is none."""
    try:
        found = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return found[name].value if name in found else ""


def kept_tokens(path: str) -> tuple[str, str]:
    """The two tokens in a file, to record and to look only, a line each; the file is made where there is none."""
    file = Path(path)
    try:
        if not file.exists():
            made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # nobody else may read it
            with os.fdopen(made, "w") as out:
                out.write(f"{secrets.token_urlsafe(24)}\n{secrets.token_urlsafe(24)}\n")
        lines = file.read_text().split()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BestdoError(f"{shown(path)} cannot be used for tokens: {why}") from None
    if len(lines) != 2:
        raise BestdoError(
            f"{shown(path)} has {len(lines)} words; it needs two lines, the token to record and the one to look only. "
            "Name a file that does not exist, and it is made"
        )
    return lines[0], lines[1]
