"""Only `bestdo serve` answers for `bestdo serve`: behind a redirect, a page to log in or a proxy every verb is an error."""

import contextlib
import copy
import functools
import gc
import http.client
import inspect
import json
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from bestdo import Doubts, Graph, Problem, read
from bestdo.data.counting import observed
from bestdo.errors import BestdoError, StorageError
from bestdo.study import Study, remote
from bestdo.study.exchange import exported, imported
from bestdo.study.remote_server import Server
from bestdo.study.study import statuses
from support import ROOT
from web_support import EDITOR, start

FARM = read(ROOT / "examples" / "farm.toml").problem
HARVEST = read(ROOT / "examples" / "harvest.toml").problem
OLD = observed(ROOT / "examples" / "farm_log.csv", FARM)
SIGNED = {"Bestdo-Api": "v1", "Content-Type": "application/json"}
HTML = {"Content-Type": "text/html"}

VERBS = {
    "add_action": lambda s: s.add_action("do(moisture=wet, nutrient=rich)", "both"),
    "alarms": lambda s: s.alarms(),
    "amend": lambda s: s.amend(1, {"yield": "bad"}, "typing error"),
    "answered": lambda s: s.answered(OLD),
    "archive": lambda s: s.archive(),
    "arrows": lambda s: s.arrows(),
    "ask": lambda s: s.ask("Bo"),
    "best": lambda s: s.best(),
    "change_learner": lambda s: s.change_learner("uniform", "simpler"),
    "close": lambda s: s.close("done"),
    "create": lambda s: Study.create(FARM, 9, name=f"{s.name} again", storage=s.storage.url),
    "delete": lambda s: s.delete(),
    "estimates": lambda s: s.estimates(),
    "exported": lambda s: exported(s),
    "extend": lambda s: s.extend(70, "more land"),
    "findings": lambda s: s.findings(),
    "history": lambda s: s.history(),
    "learner": lambda s: s.learner,
    "names": lambda s: remote.names(s.storage.url),
    "note": lambda s: s.note("dry year"),
    "observe": lambda s: s.observe(str(ROOT / "examples" / "farm_log.csv"), force=True),
    "old_data": lambda s: s.old_data(),
    "open": lambda s: Study.open(s.name, s.storage.url),
    "plot": lambda s: s.plot(),
    "problem": lambda s: s.problem,
    "progress": lambda s: s.progress(),
    "reading": lambda s: s.reading().__enter__(),
    "reason": lambda s: s.reason(2),
    "recut": lambda s: s.recut("moisture", [20.0], "other borders"),
    "reopen": lambda s: s.reopen(),
    "retire": lambda s: s.retire("do(moisture=wet)", "broken"),
    "rounds": lambda s: s.rounds(),
    "rule": lambda s: s.rule(),
    "save_rule": lambda s: s.save_rule("/nowhere/rule.json"),
    "settling": lambda s: s.settling(),
    "sent": lambda s: imported(s.storage.url, whole(), f"{s.name} sent"),
    "status": lambda s: s.status(),
    "statuses": lambda s: statuses(s.storage.url),
    "tell": lambda s: s.tell(2, {"yield": "good"}),
    "to_frame": lambda s: s.to_frame(),
    "unarchive": lambda s: s.unarchive(),
    "undo": lambda s: s.undo(1),
    "unobserve": lambda s: s.unobserve(OLD.fingerprint),
    "unretire": lambda s: s.unretire("do(moisture=dry)", "mended"),
    "withdraw": lambda s: s.withdraw(2, "hail"),
}
"""A call of everything that a study on a server has."""


@functools.cache
def whole():
    """A study without rounds, exported."""
    with tempfile.TemporaryDirectory() as folder, Study.create(FARM, 9, storage=f"sqlite:///{folder}/x.db") as study:
        return exported(study)


INSIDE = {"begun", "book", "do", "found", "opened"}
"""What others call: `create` and `open`, all verbs, and all that read the log."""


def there(front, name):
    """The study of this name, behind the front."""
    return remote.RemoteStudy(Server(f"{front.address}/?token={EDITOR}"), name)


def calls():
    """The names of all verbs and properties of a study, and of the functions beside it."""
    of_study = {name for name in dir(Study) if not name.startswith("_")}
    beside = {name for name in remote.__all__ if inspect.isfunction(getattr(remote, name))}
    return (of_study | beside | {"exported"}) - INSIDE


def test_every_verb_is_tried_here():
    assert set(VERBS) == calls()


class Front(ThreadingHTTPServer):
    """What stands before a server: it passes requests on, and answers the one with number `at` itself."""

    daemon_threads = True

    def __init__(self, behind):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind = urlsplit(behind).netloc
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.arrange(-1, None)

    def arrange(self, at, own):
        """From now on: the answer with this number, counted from 0, is `own`, a status, headers and a body."""
        self.at, self.own, self.seen, self.answers = at, own, [], []


class Handler(BaseHTTPRequestHandler):
    def handle_any(self):
        front = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        mine = len(front.seen) == front.at
        front.seen.append((self.command, self.path))
        status, headers, data = front.own if mine else self.passed_on(front.behind, body)
        front.answers.append((status, headers, data))
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = handle_any

    def passed_on(self, behind, body):
        connection = http.client.HTTPConnection(behind, timeout=60)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "content-length")}
        connection.request(self.command, self.path, body or None, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        kept = {k: v for k, v in answer.getheaders() if k.lower() not in ("content-length", "connection", "date")}
        return answer.status, kept, data

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('front')}/page.db"


@pytest.fixture(scope="module")
def front(url):
    Study.create(FARM, 9, name="first", storage=url)
    running = start(url)
    made = Front(running.address)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()
    running.stop()


def prepared(url, verb, name):
    """A study in which the verb can be used, in the database."""
    study = Study.create(HARVEST if verb == "recut" else FARM, 60, name=name, storage=url, learner="uniform")
    asked = study.ask("Ada", 2)
    if verb != "recut":
        study.tell(asked[0], {"yield": "good"}, happened=True)
    if verb == "unobserve":
        study.observe(ROOT / "examples" / "farm_log.csv")
    if verb == "unretire":
        study.retire("do(moisture=dry)", "broken")
    if verb in ("reopen", "unarchive"):
        getattr(study, {"reopen": "close", "unarchive": "archive"}[verb])()
    return study


def honest(front, url, verb, name):
    """All requests that a verb sends when nobody answers for the server, and the answers."""
    prepared(url, verb, name)
    front.arrange(-1, None)
    with contextlib.suppress(BestdoError):  # there is no rule
        VERBS[verb](there(front, name))
    assert front.seen
    assert {status for status, _, _ in front.answers} <= {200, 201, 204}
    return list(front.seen), list(front.answers)


def failing(front, verb, name, at, own):
    """The error of a verb whose request with this number is answered so."""
    front.arrange(at, own)
    study = there(front, name)
    with pytest.raises(StorageError) as found:
        VERBS[verb](study)
    assert len(front.seen) == at + 1  # nothing was sent after it
    method, path = front.seen[at]
    assert f"{method} {front.address}{path.partition('?')[0]}" in str(found.value)
    return str(found.value), path


LOCATIONS = {
    "another server": (
        "https://studies.example{path}",
        "https://studies.example{path}",
        "use https://studies.example as",
    ),
    "another port": ("http://127.0.0.1:9{path}", "http://127.0.0.1:9{path}", "use http://127.0.0.1:9 as"),
    "the scheme of here": ("//studies.example{path}", "http://studies.example{path}", "use http://studies.example as"),
    "a page elsewhere": (
        "https://u:pw@wifi.example/in?to=x",
        "https://wifi.example/in",
        "if bestdo serve is there, use",
    ),
    "a relative page": ("/login?next=x", "{front}/login", "the address that bestdo serve printed as"),
    "no address": ("http://[", "http://[", "the address that bestdo serve printed as"),
    "missing": (None, "without saying where to", "the address that bestdo serve printed as"),
}


REDIRECTS = (301, 302, 303, 307, 308)


@pytest.mark.parametrize("verb", VERBS)
def test_a_redirect_is_an_error(front, url, verb):
    """Both addresses are named, nothing is stored, and the token goes nowhere else.

    Every request of every verb meets each status and each location; over the verbs, all of their pairs occur.
    """
    first = list(VERBS).index(verb)
    requests, _ = honest(front, url, verb, f"{verb} not redirected")
    study = prepared(url, verb, f"{verb} redirected")
    before = study.history()
    for at in range(len(requests)):
        for number, (location, target, todo) in enumerate(LOCATIONS.values(), first):
            status = REDIRECTS[number % len(REDIRECTS)]
            path = requests[at][1].replace("not%20redirected", "redirected")
            headers = {} if location is None else {"Location": location.format(path=path)}
            words, seen = failing(front, verb, study.name, at, (status, headers, b""))
            where = seen.partition("?")[0]
            assert target.format(path=where, front=front.address) in words
            assert f"({status})" in words
            assert f"{todo}" in words
            assert "the storage" in words
            assert "pw@" not in words
            assert ("is stored" in words) == (requests[at][0] != "GET")
        if all(method == "GET" for method, _ in requests[:at]):
            assert study.history() == before


FOREIGN = {
    "a page to log in": (200, HTML, b"<!doctype html><title>Log in</title>"),
    "an empty page": (200, HTML, b""),
    "nothing": (204, {}, b""),
    "nothing, with a kind": (204, {"Content-Type": "application/json"}, b""),
    "nothing in 200": (200, {}, b""),
    "JSON of somebody else": (200, {"Content-Type": "application/json"}, b'{"ok": true}'),
    "an accepted order": (202, SIGNED, b"{}"),
    "a part": (206, SIGNED, b"{}"),
    "a page in between": (200, {**SIGNED, **HTML}, b"<p>"),
    "JSON under another name": (200, {**SIGNED, "Content-Type": "text/plain"}, b"{}"),
    "half of it": (200, SIGNED, b'{"rounds": ['),
    "no text": (200, SIGNED, b"\xff\xfe"),
    "deep": (200, SIGNED, b"[" * 100_000),
    "an object": (200, SIGNED, b'{"ok": true}'),
    "a list of anything": (200, SIGNED, b"[3]"),
    "null": (200, SIGNED, b"null"),
    "a number": (200, SIGNED, b"3"),
    "a text": (200, SIGNED, b'"rounds"'),
    "created": (201, SIGNED, b"{}"),
    "not found by a proxy": (404, HTML, b"<h1>404</h1>"),
    "a bad gateway": (502, HTML, b"<h1>502</h1>"),
    "trouble of somebody else": (409, {"Content-Type": "application/json"}, b'{"kind": "conflict", "detail": "no"}'),
    "trouble without words": (409, {**SIGNED, "Content-Type": "application/problem+json"}, b'{"kind": []}'),
    "trouble as a list": (409, {**SIGNED, "Content-Type": "application/problem+json"}, b"[]"),
}


@pytest.fixture
def no_garbage():
    """No garbage of other tests is collected while JSON is read that is 100,000 lists deep: finalisers would fail there."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_garbage")
@pytest.mark.parametrize("verb", VERBS)
def test_any_other_answer_is_an_error(front, url, verb):
    requests, answers = honest(front, url, verb, f"{verb} answered by the server")
    study = prepared(url, verb, f"{verb} answered by others")
    before = study.history()
    for at, (status, headers, data) in enumerate(answers):
        foreign = [*FOREIGN.values()]
        if status != 204:
            foreign += [(204, SIGNED, b""), (status, HTML, data), (status, {"Content-Type": "application/json"}, data)]
        else:
            foreign.append((204, {k: v for k, v in headers.items() if k.lower() != "bestdo-api"}, data))
        for own in foreign:
            words, _ = failing(front, verb, study.name, at, own)
            assert f"answered {own[0]}" in words
            assert "use the address that bestdo serve printed as the storage" in words
            assert ("is stored" in words) == (requests[at][0] != "GET")
        if all(method == "GET" for method, _ in requests[:at]):
            assert study.history() == before


def changed(data, path=()):
    """The data with one thing left out or replaced, for each thing in it; of lists the first two."""
    if isinstance(data, dict):
        items = list(data.items())
    elif isinstance(data, list):
        items = list(enumerate(data[:2]))
    else:
        items = []
    for key, value in items:
        other = copy.copy(data)
        del other[key]
        yield other
        for instead in (None, "do(", -1, 10**400, True, [], {}, [None], {"a": None}):
            other = copy.copy(data)
            other[key] = instead
            yield other
        for inside in changed(value):
            other = copy.copy(data)
            other[key] = inside
            yield other


SHOP = Graph.parse("device -> click; banner -> click", reward="click", success="1")
STUDIES = {
    "farm": (FARM, {}),
    "contexts": (Problem(SHOP, set=["banner"], first=["device"]), {"goal": "earn"}),
    "doubts": (Problem(Doubts.parse("shade -> yield; rain ?0.3-> yield", reward="yield", success="1")), {}),
}


@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.parametrize("verb", ["ask", "best", "exported", "history", "problem", "reason", "rounds", "status"])
def test_answers_with_one_thing_wrong_are_taken_or_an_error(front, url, verb, kind):
    """In words, never a traceback."""
    problem, more = STUDIES[kind]
    name = f"{verb} {kind} with one thing wrong"
    study = Study.create(problem, 60, name=name, storage=url, **more)
    for asked in study.ask("Ada", 2, **({"context": {"device": "1"}} if kind == "contexts" else {})):
        study.tell(asked.number, {problem.graph.reward: problem.graph.success}, happened=True)
    ask = {**VERBS, "ask": lambda s: s.ask("Bo", **({"context": {}} if kind == "contexts" else {}))}
    front.arrange(-1, None)
    ask[verb](there(front, name))
    at = 1 if verb == "reason" else 0  # after the version, the whole log
    status, headers, data = front.answers[at]
    refused = 0
    for wrong in changed(json.loads(data)):
        front.arrange(at, (status, headers, json.dumps(wrong).encode()))
        try:
            ask[verb](there(front, name))
        except BestdoError as error:
            refused += "printed" in str(error)
    assert refused


def test_pages_that_never_end_are_an_error(front, url):
    """Somebody who answers the same rows again and again."""
    prepared(url, "rounds", "pages")
    row = {"number": 1, "action": "do()", "worker": "", "status": "told", "told": None}
    front.arrange(0, (200, SIGNED, json.dumps([row] * 1_000).encode()))
    with pytest.raises(StorageError, match="order"):
        there(front, "pages").rounds()


def test_a_proxy_that_passes_everything_on_changes_nothing(front, url):
    study = Study.create(FARM, 9, name="passed on", storage=f"{front.address}/?token={EDITOR}")
    (asked,) = study.ask("Ada")
    study.tell(asked.number, {"yield": "good"}, happened=True)
    with pytest.raises(BestdoError, match="no round 77"):
        study.tell(77, {"yield": "good"})
    study.close()
    assert [e["kind"] for e in study.history()] == [e["kind"] for e in Study.open("passed on", url).history()]
