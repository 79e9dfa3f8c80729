"""Nobody comes in who does not belong: the host, the origin, the token, and where the page may be bound."""

import subprocess
import sys

import pytest
from starlette.testclient import TestClient

from bestdo import read
from bestdo.errors import BestdoError
from bestdo.study import Study
from bestdo.web.access import Access
from bestdo.web.app import application
from support import ROOT
from web_support import EDITOR, HERE, VIEWER

OWN = ["127.0.0.1:8321", "localhost:8321", "LOCALHOST:8321", "localhost.:8321", "LocalHost.:8321", "[::1]:8321"]
OWN += ["[0:0:0:0:0:0:0:1]:8321"]
FOREIGN = ["evil.example", "evil.example:8321", "127.0.0.1", "127.0.0.1:80", "localhost", "localhost..:8321", "[::1]:1"]
FOREIGN += [
    "[::2]:8321",
    "127.0.0.2:8321",
    "127.0.0.1:8321@evil.example",
    "127.0.0.1:8321,evil.example",
    "[::1",
    "",
    ":",
]
FOREIGN += ["127.0.0.1.evil.example:8321", "0x7f.1:8321", "localhost:99999", "localhost:8321 ", "user@localhost:8321"]


# one page and one study for all of this file: what is asked here changes nothing, or is meant to


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('page')}/page.db"


@pytest.fixture(scope="module")
def farm(url):
    problem = read(ROOT / "examples" / "farm.toml").problem
    study = Study.create(problem, 20, learner="uniform", name="farm", storage=url)
    study.ask("Ada")
    return study


@pytest.fixture(scope="module")
def page(url, access):
    with TestClient(application(url, access), base_url=HERE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def outside(page):
    """Somebody without a token, who has never been here."""
    page.cookies.clear()
    page.headers.pop("Authorization", None)
    return page


@pytest.mark.parametrize("host", OWN)
def test_own_hosts(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", FOREIGN)
def test_foreign_hosts_are_misdirected(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 421
    assert client.get("/static/style.css", headers={"Host": host}).status_code == 421
    assert client.get("/api/v1/studies", headers={"Host": host}).status_code == 421


PATHS = ["/", "/new", "/studies/farm", "/studies/farm/live", "/nothing", "/studies/farm/moves.json"]
PATHS += ["/api/v1/studies", "/api/v1/openapi.json", "/api/v1/studies/farm/history", "/studies/farm/export.csv"]
WRITES = ["/studies/farm/ask", "/studies/farm/rounds/1", "/new/create", "/new/check", "/api/v1/studies/farm/ask", "/me"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("how", [{}, {"Authorization": "Bearer wrong"}, {"Cookie": "bestdo-8321=wrong"}])
def test_no_token_no_answer(outside, farm, path, how):
    assert outside.get(path, headers=how).status_code == 401


@pytest.mark.parametrize("path", WRITES)
def test_no_token_no_write(outside, farm, path):
    before = farm.history()
    assert outside.post(path, headers={"Origin": HERE}).status_code == 401
    assert farm.history() == before


@pytest.mark.parametrize("token", ["", "wrong", EDITOR[:-1], EDITOR + "x", EDITOR.upper(), "é"])
def test_other_tokens_open_nothing(outside, token):
    answer = outside.get("/", params={"token": token})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(("token", "writes"), [(EDITOR, 303), (VIEWER, 403)])
def test_the_token_becomes_a_cookie(outside, farm, token, writes):
    answer = outside.get(f"/studies/farm?round=1&token={token}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/studies/farm?round=1"
    cookie, who = answer.headers.get_list("set-cookie")
    assert "guest" in who
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert token not in cookie
    assert outside.get("/studies/farm").status_code == 200
    before = farm.history()
    answer = outside.post("/studies/farm/ask", headers={"Origin": HERE})
    assert answer.status_code == writes
    assert (farm.history() == before) == (writes == 403)
    assert outside.post("/api/v1/studies/farm/ask", json={}, headers={"Origin": HERE}).status_code in (200, writes)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://evil.example:8321"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://127.0.0.1:9"},
        {"Origin": "http://localhost:8321"},  # another name for the same machine is another origin
        {"Origin": "file://"},
        {"Origin": HERE, "Sec-Fetch-Site": "cross-site"},
        {"Origin": HERE, "Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {},  # a browser that says neither
    ],
)
@pytest.mark.parametrize("path", WRITES)
def test_foreign_origins_change_nothing(outside, farm, headers, path):
    outside.get(f"/?token={EDITOR}")
    before = farm.history()
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert outside.request(method, path, headers=headers).status_code == 403
    assert farm.history() == before


@pytest.mark.parametrize("origin", [HERE, HERE.upper().replace("HTTP", "http")])
def test_own_origin(outside, farm, origin):
    outside.get(f"/?token={EDITOR}")
    headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin"}
    assert outside.post("/studies/farm/ask", headers=headers).status_code == 303


def test_looking_is_not_recording(outside, farm):
    before = farm.history()
    headers = {"Authorization": f"Bearer {VIEWER}"}
    assert outside.get("/studies/farm", headers=headers).status_code == 200
    for path in WRITES:
        expected = 303 if path == "/me" else 403
        assert outside.post(path, headers=headers).status_code == expected
    assert farm.history() == before


def test_reading_never_writes(client, farm, url):
    from pathlib import Path

    file = Path(url.removeprefix("sqlite:///"))
    before = file.read_bytes()
    for path in (
        *PATHS,
        "/studies/farm/log",
        "/studies/farm/report",
        "/studies/farm/rounds/1",
        "/studies/farm/settings",
    ):
        client.get(path)
        client.head(path)
    assert file.read_bytes() == before


def test_every_answer_is_dressed(client, outside):
    for path in ("/", "/nothing", "/static/style.css", "/api/v1/studies"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
    assert "no-store" in client.get("/").headers["cache-control"]


def test_too_much_is_refused(client):
    assert client.post("/new/check", content=b"x" * (16 * 2**20 + 1)).status_code == 413

    def endless():
        for _ in range(17):
            yield b"x" * 2**20

    headers = {"Content-Type": "application/json"}
    assert client.post("/api/v1/check", content=endless(), headers=headers).status_code == 413
    assert client.post("/new/check", content=b"", headers={"Content-Length": "-1"}).status_code == 413


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "farm.example"])
def test_beyond_this_machine_a_token_and_a_name_are_needed(host):
    for names, given in (((), False), ((), True), (("farm.example",), False)):
        with pytest.raises(BestdoError, match="--token"):
            Access.to(host, 80, names, EDITOR, VIEWER, given)
    access = Access.to(host, 8321, ("Farm.Example",), EDITOR, VIEWER, given=True)
    assert access.is_own("farm.example:8321")
    assert access.is_own("FARM.example.")
    assert not access.is_own("127.0.0.1:8321")
    assert not access.is_own(f"{host}:9")


@pytest.mark.parametrize("token", ["short", "with a space in it, long", "ünicode-ünicode-ünicode", VIEWER])
def test_tokens_that_are_none(token):
    with pytest.raises(BestdoError, match="token"):
        Access.to("127.0.0.1", 1, (), token, VIEWER, given=True)


def test_the_command_refuses_before_it_binds(tmp_path):
    command = [sys.executable, "-m", "bestdo", "serve", "--host", "0.0.0.0", "--storage", f"sqlite:///{tmp_path}/a.db"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "--token" in done.stderr
    assert not list(tmp_path.iterdir())
