"""Checks every request before it is handled (host, origin, token, size), and sets the headers of every answer."""

from __future__ import annotations

import secrets
from html import escape
from urllib.parse import parse_qsl, quote, unquote, urlencode

import anyio
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bestdo.study.remote_answers import SIGN
from bestdo.web.access import Access, Role, cookie
from bestdo.web.trouble import trouble

__all__ = ["MOST_BYTES", "Guard", "keep", "named", "who"]

MOST_BYTES = 16 * 2**20
"""The largest request that is read. Chosen, not measured."""

_MOST_BYTES_TO_ENTER = 4096
"""The largest request of somebody who has no token yet. Chosen: a token is short."""

_BODY_SECONDS = 20.0
"""The longest time for the next part of a request's body. Chosen, not measured."""

_WHOLE_BODY_SECONDS = 300.0
"""The longest time for a whole body: 16 MB at 0.4 Mbit/s. Chosen, not measured."""

_COOKIE_SECONDS = 365 * 86_400
"""The time for which browsers keep the cookies of the page: a year."""

_LONGEST_NAME = 100
"""Characters in the name of a person, as in the JSON interface. Chosen, not measured."""

_HEADERS = {
    SIGN[0]: SIGN[1],  # programs take no other answer for one
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_OPEN = ("/static/",)  # the style sheet and the scripts need no token
_KINDS = {400: "invalid", 401: "token", 403: "origin", 413: "large", 421: "host"}
_NOBODY = "somebody"


class Guard:
    """Refuses requests that are not allowed, and passes the others on with `role` and `who` in their scope."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets here
            await send({"type": "websocket.close", "code": 1008})
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        answer = self._refused(scope) or self._entered(scope)
        if answer is None:
            await self.app(scope, _limited(receive, _most(scope)), with_headers)
        else:
            await answer(scope, receive, with_headers)

    def _refused(self, scope: Scope) -> Response | None:
        """The refusal of a request; None when it is allowed.

        421 for another host, 403 for another origin, 400 for a length said twice, 401 without a token, 413 for too much, in
        this order.
        """
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self.access.is_own(hosts[0].decode("latin-1")):
            return _said(scope, 421, "this page is not served under that name")
        headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in scope["headers"]}
        writes = scope["method"] not in ("GET", "HEAD", "OPTIONS")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if writes and self.access.is_foreign(origin, site, headers["host"]):
            return _said(scope, 403, "another page sent this; nothing was changed")
        if "transfer-encoding" in headers and "content-length" in headers:
            return _said(scope, 400, "the length of this request is said in two ways")
        role, by_header = self.access.role(headers)
        scope["role"] = role
        scope["who"] = named(unquote(cookie(headers, f"{self.access.cookie}-who"))) or _NOBODY
        is_open = scope["path"].startswith(_OPEN) or (writes and scope["path"] == "/enter") or _token(scope) is not None
        if role is None and not is_open:
            return _said(scope, 401, "this page needs the token in the address that bestdo serve printed")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > _most(scope):
            return _said(scope, 413, _too_much(_most(scope)))
        if is_open:
            return None
        if writes and not by_header and origin is None and site is None:
            return _said(scope, 403, "the browser does not say which page sent this; nothing was changed")
        if writes and role != "editor" and not scope["path"].startswith("/me"):
            return _said(scope, 403, "you may look, but not record: ask for the other address")
        return None

    def _entered(self, scope: Scope) -> Response | None:
        """The answer that exchanges the token in the address for a cookie; None when there is no token."""
        token = _token(scope)
        if token is None or scope["path"].startswith(_OPEN):
            return None
        role = self.access.of_token(token)
        if role is None:
            return _said(scope, 401, "this token is not valid: it may be from an earlier start of bestdo serve")
        rest = [(k, v) for k, v in parse_qsl(scope["query_string"].decode("latin-1")) if k != "token"]
        address = quote(scope["path"]) + (f"?{urlencode(rest)}" if rest else "")
        return self.welcome(scope, role, f"/{address.lstrip('/')}")

    def welcome(self, scope: Scope, role: Role, address: str) -> Response:
        """A redirect that sets the cookie; a person without a name gets one, so that no two people share their rounds.

        Who may record already keeps that right when a link to look only is opened.
        """
        answer = RedirectResponse(address, 303)
        if scope["role"] != "editor":
            keep(answer, self.access.cookie, self.access.pass_for(role))
        if scope["who"] == _NOBODY:
            keep(answer, f"{self.access.cookie}-who", quote(f"guest {secrets.token_hex(2)}"))
        return answer


def _token(scope: Scope) -> str | None:
    """The token in the address of a GET request; None when there is none."""
    if scope["method"] not in ("GET", "HEAD") or b"token=" not in scope["query_string"]:
        return None
    return dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token")


def keep(answer: Response, name: str, value: str) -> None:
    """Lets the browser keep a cookie, also for links that are followed from another page; writes are checked by origin."""
    answer.set_cookie(name, value, max_age=_COOKIE_SECONDS, httponly=True, samesite="lax")


def who(request: Request) -> str:
    """The name of the person who sent a request, from the cookie."""
    return str(request.scope["who"])


def named(text: str) -> str:
    """A person's name as it is kept in the log; empty when the text cannot be a name."""
    name = text.strip()
    return name if name.isprintable() and len(name) <= _LONGEST_NAME else ""


def _most(scope: Scope) -> int:
    """The bytes that the body of a request may have."""
    return _MOST_BYTES_TO_ENTER if scope["role"] is None or scope["path"] == "/enter" else MOST_BYTES


def _too_much(most: int) -> str:
    """A body that is too large, in words."""
    return f"at most {most // 2**20} MB can be sent" if most >= 2**20 else f"at most {most // 1024} kB can be sent"


def _limited(receive: Receive, most: int) -> Receive:
    """A `receive` that refuses a body that is too large, also when its length was not announced, or too slow."""
    seen, more, until = 0, True, anyio.current_time() + _WHOLE_BODY_SECONDS

    async def receive_some() -> Message:
        nonlocal seen, more
        if not more:  # what comes now is the end of the connection, which nobody has to hurry for
            return await receive()
        message: Message | None = None
        with anyio.move_on_after(min(_BODY_SECONDS, until - anyio.current_time())):
            message = await receive()
        if message is None:
            raise HTTPException(408, "the rest of this request did not come", headers={"Connection": "close"})
        more = bool(message.get("more_body", False))
        seen += len(message.get("body", b""))
        if seen > most:
            raise HTTPException(413, _too_much(most))
        return message

    return receive_some


def _said(scope: Scope, code: int, words: str) -> Response:
    """A refusal: JSON below /api, a page elsewhere."""
    headers = {"WWW-Authenticate": "Bearer"} if code == 401 else {}
    if scope["path"].startswith("/api"):
        return trouble(code, _KINDS[code], words, headers)
    enter = (
        '<form method="post" action="/enter"><label for="token">The token</label> '
        '<input id="token" name="token" type="password" autocomplete="off" required> <button>Enter</button></form>'
    )
    text = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<title>bestdo</title><link rel="stylesheet" href="/static/style.css">'
        f'<main class="narrow"><h1>bestdo</h1><p>{escape(words)}.</p>{enter if code == 401 else ""}</main></html>'
    )
    return HTMLResponse(text, code, headers)
