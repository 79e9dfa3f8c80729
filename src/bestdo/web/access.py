"""Who may come in: where a request was sent, where it comes from, and which token it carries."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Literal

from bestdo.errors import BestdoError, shown

__all__ = ["LOOPBACK", "Access", "Role", "is_loopback", "where"]

Role = Literal["editor", "viewer"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SHORTEST = 16
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<name>[^\[\]:/@?#\\\s,]+))(?::(?P<port>[0-9]{1,5}))?")


def where(text: str) -> tuple[str, int | None] | None:
    """Name and port of what a Host header says: lower case, without a trailing dot; None when it is no address."""
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
    """Whether only this machine can reach it."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Access:
    """Under which names the page is served, and the two tokens: one to record, one to look only."""

    port: int
    names: frozenset[str]
    """Host names and addresses that are this page's own."""
    editor: str
    viewer: str

    @classmethod
    def to(cls, host: str, port: int, names: tuple[str, ...], editor: str, viewer: str, given: bool) -> Access:
        """Checks what was asked for; `given` says whether somebody chose the token (it is needed beyond loopback)."""
        own = set[str]()
        for name in names:
            found = where(name)
            if found is None or found[1] is not None:
                raise BestdoError(f"{shown(name)} is no host name; say --name farm.example, without a port")
            own.add(found[0])
        if not is_loopback(host) and not (given and own):
            raise BestdoError(
                f"{shown(host)} can be reached by others: say --token (or set BESTDO_TOKEN) and --name, the host name "
                "that people will type; or leave --host out, and only this machine can reach the page"
            )
        for token in (editor, viewer):
            if len(token) < _SHORTEST or not re.fullmatch(r"[A-Za-z0-9._~-]+", token):
                raise BestdoError(f"a token needs at least {_SHORTEST} letters, digits or . _ ~ -: choose another")
        if editor == viewer:
            raise BestdoError("the token for recording and the one for looking only are the same: choose another")
        return cls(port, frozenset(own | set(LOOPBACK if is_loopback(host) else ())), editor, viewer)

    def is_own(self, host: str) -> bool:
        """Whether a Host header names this page."""
        found = where(host)
        if found is None or found[0] not in self.names:
            return False
        return found[1] == self.port or (found[1] is None and (self.port == 80 or found[0] not in LOOPBACK))

    def is_foreign(self, origin: str | None, site: str | None, host: str) -> bool:
        """Whether a write was begun by another page, by what the browser says of it."""
        if site is not None and site not in ("same-origin", "none"):
            return True
        if origin is None:
            return False
        scheme, _, rest = origin.partition("://")
        return scheme not in ("http", "https") or where(rest) is None or where(rest) != where(host)

    @property
    def cookie(self) -> str:
        """The cookie's name: cookies know no ports, and two pages may be open on one machine."""
        return f"bestdo-{self.port}"

    def pass_for(self, role: Role) -> str:
        """What the cookie holds: not the token itself."""
        token = self.editor if role == "editor" else self.viewer
        return hmac.new(token.encode(), b"bestdo page", hashlib.sha256).hexdigest()

    def of_token(self, token: str) -> Role | None:
        """What a token allows."""
        return self._which(token, self.editor, self.viewer)

    def role(self, headers: Mapping[str, str]) -> tuple[Role | None, bool]:
        """What a request may do, and whether it says so by itself (a token in its header) or its browser does."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme:
            return (self.of_token(token.strip()) if scheme.lower() == "bearer" else None), True
        held = cookie(headers, self.cookie)
        return (self._which(held, self.pass_for("editor"), self.pass_for("viewer")) if held else None), False

    @staticmethod
    def _which(seen: str, editor: str, viewer: str) -> Role | None:
        given = seen.encode("utf-8", "replace")
        if hmac.compare_digest(given, editor.encode()):
            return "editor"
        return "viewer" if hmac.compare_digest(given, viewer.encode()) else None


def cookie(headers: Mapping[str, str], name: str) -> str:
    """A cookie's value, empty when there is none."""
    try:
        found = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return found[name].value if name in found else ""
