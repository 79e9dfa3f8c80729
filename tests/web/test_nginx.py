"""The documented settings of a reverse proxy, in a real nginx: slow clients, large uploads, half requests."""

import contextlib
import http.client
import os
import re
import resource
import shutil
import socket
import subprocess
import time

import pytest

from bestdo import read
from bestdo.study import Study
from support import ROOT
from web_support import EDITOR, start

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
NAME = "studies.example"
TOKEN = {"Host": NAME, "Authorization": f"Bearer {EDITOR}"}
pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed"),
]
MAIN = """daemon off;
{user}
pid {folder}/pid;
error_log {folder}/errors;
worker_processes 1;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
access_log off;
{temporary}
{documented}
}}
"""


def documented(port, behind):
    """The settings of the how-to, without HTTPS, on a port of this machine, and with timeouts of two seconds."""
    text = (ROOT / "docs" / "howto" / "behind-a-proxy.md").read_text()
    settings = re.search(r"```nginx\n(.*?)```", text, re.S)[1]
    changes = [(r"listen 443 ssl", f"listen {port}"), (r"127\.0\.0\.1:8321", f"127.0.0.1:{behind}")]
    changes += [(r"    ssl_\w+ .*\n", ""), (r"(client_header_timeout|client_body_timeout)\s+\w+", r"\1 2s")]
    for old, new in changes:
        settings, found = re.subn(old, new, settings)
        assert found, old
    return settings


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """The address of nginx before `bestdo serve`."""
    folder = tmp_path_factory.mktemp("proxied")
    url = f"sqlite:///{folder}/page.db"
    Study.create(read(ROOT / "examples" / "farm.toml").problem, 20, learner="uniform", name="farm", storage=url)
    server = start(url, 0, "--name", NAME)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    config = folder / "nginx.conf"
    config.write_text(
        MAIN.format(
            folder=folder,
            user="user root;" if os.geteuid() == 0 else "",
            temporary="".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds),
            documented=documented(port, server.address.rpartition(":")[2]),
        )
    )
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(config)], stderr=subprocess.DEVNULL)
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            break
        time.sleep(0.05)
    yield "127.0.0.1", port
    process.terminate()
    process.wait()
    server.stop()


def ask(place, method="GET", path="/api/v1/studies", body=None, source="127.0.0.3", **headers):
    """The status of an answer to somebody at another address."""
    connection = http.client.HTTPConnection(*place, timeout=30, source_address=(source, 0))
    with contextlib.closing(connection):
        connection.request(method, path, body, {**TOKEN, **headers})
        return connection.getresponse().status


def test_reading_and_writing(proxy):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert ask(proxy, path="/studies/farm") == 200
    assert ask(proxy, "POST", "/studies/farm/note", "text=hello", Origin=f"https://{NAME}", **form) == 303
    assert ask(proxy, "POST", "/studies/farm/note", "text=hello", Origin="https://elsewhere.example", **form) == 403
    assert ask(proxy, Host="elsewhere.example") == 421


@pytest.mark.parametrize(
    "begun",
    [
        b"GET / HTTP/1.1\r\nHost: studies.example\r\nX: ",
        b"POST /enter HTTP/1.1\r\nHost: studies.example\r\nContent-Length: 4000\r\n\r\n",
    ],
    ids=["head", "body"],
)
def test_a_slow_client_is_cut_off(proxy, begun):
    """A client that sends the beginning of a request and then nothing; others are served meanwhile.

    Shown to fail without the timeouts of the how-to: nginx alone waits for a minute.
    """
    began = time.monotonic()
    with socket.create_connection(proxy, timeout=20) as made:
        made.sendall(begun)
        assert ask(proxy) == 200
        while made.recv(4096):
            pass
    assert time.monotonic() < began + 15


def test_large_uploads(proxy):
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"https://{NAME}"}
    assert ask(proxy, "POST", "/new/check", b"via=text&text=" + b"x" * (15 * 2**20), **kind) == 200  # refused in words
    assert ask(proxy, "POST", "/new/check", b"x" * (17 * 2**20), **kind) == 413


def test_1200_half_requests_keep_nobody_out(proxy):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
    half = []
    head = b"GET / HTTP/1.1\r\nHost: studies.example\r\n"
    body = b"POST /enter HTTP/1.1\r\nHost: studies.example\r\nContent-Length: 4000\r\n\r\nto"
    try:
        for i in range(1200):
            made = socket.create_connection(proxy, timeout=20)
            with contextlib.suppress(OSError):  # it may have been refused
                made.sendall(head if i % 2 else body)
            half.append(made)
            if i % 200 == 0:
                assert ask(proxy) == 200
        assert ask(proxy) == 200
        assert ask(proxy, path="/studies/farm") == 200
    finally:
        for made in half:
            made.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_one_address_has_so_many_connections(proxy):
    """Shown to fail without `limit_conn`."""
    body = b"POST /enter HTTP/1.1\r\nHost: studies.example\r\nContent-Length: 4000\r\n\r\nto"
    half = []
    try:
        for _ in range(80):
            made = socket.create_connection(proxy, timeout=20, source_address=("127.0.0.4", 0))
            made.sendall(body)
            half.append(made)
        time.sleep(0.3)
        assert ask(proxy, source="127.0.0.4") == 503
        assert ask(proxy, source="127.0.0.5") == 200
    finally:
        for made in half:
            made.close()
