"""Attacks on the real server: slow and silent clients, odd framing, parallel requests; others are served meanwhile."""

import contextlib
import http.client
import json
import re
import socket
import stat
import subprocess
import sys
import time

import pytest

from bestdo import read
from bestdo.errors import BestdoError
from bestdo.study import Study
from bestdo.web import http_connection
from bestdo.web.access import Access, kept_tokens
from support import ROOT
from web_support import EDITOR, HERE, VIEWER

FAST = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
from bestdo.web import guard, http_connection
http_connection.HEADER_SECONDS, http_connection.STALLED_SECONDS, guard._BODY_SECONDS = 1.0, 1.0, 1.0
from bestdo.cli import main
main()
"""
"""The real command with limits of a second, so that nobody waits here for the real ones, and few files that it may open."""


FEW = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
from bestdo.cli import main
main()
"""
"""The real command with few files that it may open, and so 64 connections."""

USUAL = "from bestdo.cli import main; main()"
"""The real command with its own limits: 400 connections."""


@contextlib.contextmanager
def serving(folder, script):
    """The address of a server, and the file of what it writes."""
    tokens = folder / "tokens"
    tokens.write_text(f"{EDITOR}\n{VIEWER}\n")
    said = folder / "said"
    url = f"sqlite:///{folder}/page.db"
    Study.create(read(ROOT / "examples" / "farm.toml").problem, 14, learner="uniform", name="farm", storage=url)
    command = [sys.executable, "-c", script, "serve", "--storage", url, "--port", "0"]
    command += ["--host", "127.0.0.2", "--token-file", str(tokens)]
    with said.open("w") as out:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=out, text=True)
    port = int(re.search(r"http://127\.0\.0\.2:(\d+)/", process.stdout.readline())[1])
    yield ("127.0.0.2", port), said
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("attacked"), FAST) as running:
        yield running


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("usual"), USUAL) as (place, _):
        yield place


@pytest.fixture
def few(tmp_path):
    with serving(tmp_path, FEW) as (place, _):
        yield place


def ask(connection):
    """Whether somebody with a token gets the list of studies on this connection."""
    connection.request("GET", "/api/v1/studies", headers={"Authorization": f"Bearer {EDITOR}"})
    answer = connection.getresponse()
    answer.read()
    return answer.status == 200


def served(place):
    """Whether somebody with a token gets the list of studies on a new connection."""
    with contextlib.closing(http.client.HTTPConnection(*place, timeout=20)) as connection:
        return ask(connection)


def answer(place, sent, seconds=20.0):
    """All that the server answers until it closes the connection."""
    with socket.create_connection(place, timeout=seconds) as made:
        made.sendall(sent)
        parts = []
        with contextlib.suppress(ConnectionResetError):
            while part := made.recv(65536):
                parts.append(part)
    return b"".join(parts)


def test_half_requests_keep_nobody_out(server):
    """More than the server may open files; uvicorn alone is locked up by them, and writes tracebacks without end."""
    place, said = server
    half = []
    try:
        for i in range(600):
            made = socket.create_connection(place, timeout=20)
            with contextlib.suppress(OSError):  # it may have been closed for one of the next
                made.sendall(
                    b"GET / HTTP/1.1\r\n"
                    if i % 2
                    else b"POST /enter HTTP/1.1\r\nHost: 127.0.0.2:%d\r\nContent-Length: 4000\r\n\r\n" % place[1]
                )
            half.append(made)
            if i % 100 == 0:
                assert served(place)
        assert served(place)
    finally:
        for made in half:
            made.close()
    assert said.stat().st_size < 50_000
    assert "Traceback" not in said.read_text()


RESTING = {
    "silent": b"",
    "refused": b"GET / HTTP/1.1\r\nHost: HERE\r\n\r\n",
    "wrong token": b"GET /api/v1/studies HTTP/1.1\r\nHost: HERE\r\nAuthorization: Bearer guessed\r\n\r\n",
    "other host": b"GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
    "half a head": b"GET / HTTP/1.1\r\nHost:",
    "half a body": b"POST /enter HTTP/1.1\r\nHost: HERE\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 4000\r\n\r\ntoken=",
    "half a body, answered before its end": b"POST /enter HTTP/1.1\r\nHost: HERE\r\nContent-Length: 4000\r\n\r\n",
}
"""What strangers send before they rest, on connections that they keep open."""


@contextlib.contextmanager
def strangers(place, sent, count, between=lambda: None):
    """So many connections on which this was sent, and its answer read where one is due; `between` after every tenth."""
    held = []
    try:
        for i in range(count):
            made = socket.create_connection(place, timeout=20)
            held.append(made)
            with contextlib.suppress(OSError):  # it may have been closed for one of the next
                made.sendall(sent.replace(b"HERE", b"%s:%d" % (place[0].encode(), place[1])))
                if sent.endswith(b"\r\n\r\n"):
                    made.recv(65536)
            if i % 10 == 9:
                between()
        yield held
    finally:
        for made in held:
            made.close()


@pytest.mark.parametrize("sent", RESTING.values(), ids=RESTING)
def test_resting_strangers_keep_nobody_out(usual, sent):
    """More than the 400 connections that are kept; who has a token is served on new connections and on one that is kept."""
    with contextlib.closing(http.client.HTTPConnection(*usual, timeout=20)) as kept:
        assert ask(kept)
        own = kept.sock
        with strangers(usual, sent, 420, lambda: ask(kept)):
            assert [served(usual) for _ in range(28)] == [True] * 28
            assert ask(kept)
            assert kept.sock is own  # the same connection all the time


def test_unread_answers_keep_nobody_out(few):
    """Strangers who ask for much and read nothing; an answer may stay unread for half a minute."""
    wanted = b"GET /static/style.css HTTP/1.1\r\nHost: 127.0.0.2:%d\r\n\r\n" % few[1]
    held = []
    try:
        for _ in range(80):
            made = socket.socket()
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            made.settimeout(20)
            made.connect(few)
            with contextlib.suppress(OSError):
                made.sendall(wanted * 100)
            held.append(made)
        time.sleep(1)  # until those that are kept are being answered
        assert [served(few) for _ in range(10)] == [True] * 10
    finally:
        for made in held:
            made.close()


def test_a_request_with_a_token_is_not_closed_half_way(usual):
    """Its body comes in two parts, and more strangers than there is room for come between them."""
    body = json.dumps({"text": "dry year"}).encode()
    head = "POST /api/v1/studies/farm/notes HTTP/1.1\r\nHost: {}:{}\r\nAuthorization: Bearer {}\r\n".format(
        *usual, EDITOR
    )
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(usual, timeout=20) as made:
        made.sendall(head.encode() + body[:5])
        with strangers(usual, RESTING["refused"], 450):
            made.sendall(body[5:])
            assert made.recv(65536).startswith(b"HTTP/1.1 204")


def test_connections_that_rest_with_a_token_leave_room_for_new_ones(usual):
    """The first request on a new connection takes a moment to come, as over a network."""
    sent = RESTING["wrong token"].replace(b"guessed", EDITOR.encode())
    with strangers(usual, sent, 420), contextlib.closing(http.client.HTTPConnection(*usual, timeout=20)) as late:
        late.connect()
        time.sleep(0.2)
        assert ask(late)


def test_a_head_that_never_ends_is_cut_off(server):
    place, _ = server
    began = time.monotonic()
    with socket.create_connection(place, timeout=20) as made, contextlib.suppress(OSError):
        made.sendall(b"GET / HTTP/1.1\r\n")
        while time.monotonic() < began + 15:  # one byte at a time, for ever
            made.sendall(b"x")
            time.sleep(0.1)
            made.settimeout(0.01)
            with contextlib.suppress(TimeoutError):
                if not made.recv(10):
                    break
    assert time.monotonic() < began + 10


@pytest.mark.parametrize("token", [b"", b"Authorization: Bearer %s\r\n" % EDITOR.encode()], ids=["stranger", "editor"])
def test_a_body_that_never_ends_is_cut_off(server, token):
    place, _ = server
    path = b"/new/check" if token else b"/enter"
    head = b"POST %s HTTP/1.1\r\nHost: 127.0.0.2:%d\r\n%sContent-Type: application/x-www-form-urlencoded\r\n"
    found = answer(place, head % (path, place[1], token) + b"Content-Length: 4000\r\n\r\ntoken=")
    assert b" 408 " in found.split(b"\r\n")[0]


def test_an_answer_that_is_never_read_is_cut_off(server):
    place, _ = server
    request = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.2:%d\r\nAuthorization: Bearer %s\r\n\r\n"
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.settimeout(0.2)
        made.connect(place)
        until = time.monotonic() + 20
        with contextlib.suppress(ConnectionError):
            while time.monotonic() < until:
                with contextlib.suppress(TimeoutError):
                    made.sendall(request % (place[1], EDITOR.encode()) * 20)
        assert time.monotonic() < until
    assert served(place)


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Content-Length: five\r\n",
        b"Content-Length : 5\r\n",
    ],
)
def test_framing_in_two_ways_is_refused(server, framing):
    place, _ = server
    head = b"POST /enter HTTP/1.1\r\nHost: 127.0.0.2:%d\r\nConnection: close\r\n" % place[1]
    status = answer(place, head + framing + b"\r\n0\r\n\r\n").split(b" ", 2)[1]
    assert status in (b"400", b"413", b"501")


def test_who_enters_sends_little(server):
    place, _ = server
    head = b"POST /enter HTTP/1.1\r\nHost: 127.0.0.2:%d\r\nConnection: close\r\n" % place[1]
    assert answer(place, head + b"Content-Length: 4097\r\n\r\n").startswith(b"HTTP/1.1 413")
    chunk = b"1000\r\n" + b"x" * 4096 + b"\r\n"
    chunked = b"Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert answer(place, head + chunked + chunk * 2 + b"0\r\n\r\n").startswith(b"HTTP/1.1 413")


def test_other_loopback_addresses_are_hosts_of_their_own():
    access = Access.to("127.0.0.2", 8321, (), EDITOR, VIEWER, given=False)
    assert access.is_own("127.0.0.2:8321")
    assert not access.is_own("127.0.0.2")
    assert not access.is_own("127.0.0.3:8321")


def test_a_link_to_look_keeps_the_right_to_record(outside):
    outside.get(f"/?token={EDITOR}")
    found = outside.get(f"/?token={VIEWER}")
    assert found.status_code == 303
    assert "bestdo-8321=" not in found.headers.get("set-cookie", "")
    assert outside.get("/new").status_code == 200


def test_logging_out(outside):
    outside.get(f"/?token={EDITOR}")
    assert "Log out" in outside.get("/").text
    assert "Logged out" in outside.post("/me/leave", headers={"Origin": HERE}).text
    assert outside.get("/").status_code == 401


def test_tokens_in_a_file(tmp_path):
    path = tmp_path / "tokens"
    made = kept_tokens(str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_tokens(str(path)) == made
    Access.to("127.0.0.1", 1, (), *made, given=True)
    path.write_text("one")
    with pytest.raises(BestdoError, match="two lines"):
        kept_tokens(str(path))
    with pytest.raises(BestdoError, match="cannot be used for tokens"):
        kept_tokens(str(ROOT))


def test_a_log_that_says_how_much_it_left_out(caplog):
    import logging

    log = logging.getLogger("limited")
    log.addFilter(http_connection.LogLimit(3))
    for i in range(10):
        log.warning("%d", i)
    assert [record.getMessage() for record in caplog.records] == ["0", "1", "2"]
