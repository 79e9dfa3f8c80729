"""The page of a study of 10,000 rounds: time, size and memory, alone and with thirty browsers at once; and a new study."""

import gzip
import http.client
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from benchmarks.timing import Row
from bestdo import read
from bestdo.study import Study

FARM = Path(__file__).parent.parent / "examples" / "farm.toml"
TOKEN = "a-token-for-benchmarks"
ROUNDS, BROWSERS, RECORDERS, SECONDS = 10_000, 30, 3, 20.0


def make_study(url: str) -> None:
    """Creates a study with 10,000 rounds told, of a learner that plans them in blocks of 100."""
    farm = read(FARM)
    study = Study.create(
        farm.problem, ROUNDS + 5_000, learner="top-two", name="farm", storage=url, seed=1, parameters={"block": 100}
    )
    rng = np.random.default_rng(0)
    while study.status()["told"] < ROUNDS:
        for asked in study.ask("Ada", 100):
            good = rng.random() < 0.3 + 0.4 * (asked.action.get("moisture") == "wet")
            study.tell(asked.number, {**asked.action, "yield": "good" if good else "bad"})


class Browser:
    """A connection that stays open, as that of a browser does."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {TOKEN}", "Accept-Encoding": "gzip"}

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, float, bytes, dict[str, str]]:
        """Sends a request: the status code, the seconds until the whole answer is there, its bytes and its headers."""
        start = time.perf_counter()
        self.connection.request(method, path, body or None, {**self.headers, **headers})
        answer = self.connection.getresponse()
        data = answer.read()
        return answer.status, time.perf_counter() - start, data, dict(answer.getheaders())


def text(answer: tuple[int, float, bytes, dict[str, str]]) -> str:
    """The text of an answer, decompressed where needed."""
    packed = answer[3].get("content-encoding") == "gzip"
    return (gzip.decompress(answer[2]) if packed else answer[2]).decode()


def memory(pid: int) -> float:
    """The resident memory of a process, in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def crowd(port: int) -> list[float]:
    """The seconds of every answer while browsers poll every two seconds and load what is new, and recorders ask and tell."""
    taken: list[float] = []
    until = time.perf_counter() + SECONDS

    def look() -> None:
        browser, seen = Browser(port), ""
        time.sleep(random.random() * 2)
        while time.perf_counter() < until:
            answer = browser.ask("GET", f"/studies/farm/live?seen={seen}")
            taken.append(answer[1])
            if answer[0] == 200:
                seen = re.search(r"seen=([0-9.]+)", text(answer))[1]  # type: ignore[index]
                moved = browser.ask("GET", "/studies/farm/moves.json")
                taken.append(moved[1])
            time.sleep(2)

    def record(name: str) -> None:
        browser = Browser(port)
        while time.perf_counter() < until:
            json = {"Content-Type": "application/json"}
            asked = browser.ask("POST", "/api/v1/studies/farm/ask", f'{{"worker": "{name}"}}', **json)
            found = re.search(r'"number":(\d+)', text(asked))
            assert found is not None, text(asked)
            number = found[1]
            told = browser.ask(
                "POST", f"/api/v1/studies/farm/rounds/{number}/tell", '{"values": {"yield": "good"}}', **json
            )
            taken.extend((asked[1], told[1]))
            time.sleep(1)

    people = [threading.Thread(target=look) for _ in range(BROWSERS)]
    people += [threading.Thread(target=record, args=(f"worker {k}",)) for k in range(RECORDERS)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    return taken


@contextmanager
def serving(url: str) -> Iterator[tuple[Browser, int, int]]:
    """A server of the studies at this address: a browser that has seen it, its port and its process."""
    command = [sys.executable, "-m", "bestdo", "serve", "--storage", url, "--port", "0", "--token", TOKEN]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        port = int(re.search(r":(\d+)/", server.stdout.readline())[1])  # type: ignore[index]
        browser = Browser(port)
        browser.ask("GET", "/static/style.css")  # waits until the server has started
        yield browser, port, server.pid
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def checked(browser: Browser) -> float:
    """The seconds in which a graph of 40 variables is checked."""
    names = [f"v{i}" for i in range(39)]
    arrows = [(name, "crop") for name in names[:6]] + [(b, a) for a, b in zip(names, names[7:], strict=False)]
    edges = ", ".join(f'"{a} -> {b}"' for a, b in arrows)
    variables = "\n".join(f'{name} = {{ values = ["no", "yes"] }}' for name in [*names, "crop"])
    problem = f'bestdo = 1\n[variables]\n{variables}\n[graph]\nedges = [{edges}]\nreward = "crop"\nsuccess = "yes"\n'
    said = {"via": "text", "text": problem, "rounds_": "40"}
    headers = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
    answer = browser.ask("POST", "/new/check", urlencode(said), **headers)
    assert answer[0] == 200
    assert "79 actions are allowed" in text(answer)
    return answer[1]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/page.db"
        make_study(url)
        with serving(url) as (browser, port, pid):
            first = browser.ask("GET", "/studies/farm")
            page = text(first)
            again = min(browser.ask("GET", "/studies/farm")[1] for _ in range(5))
            files = [browser.ask("GET", path) for path in re.findall(r'(?:src|href)="(/static/[^"]+)"', page)]
            load = len(first[2]) + sum(len(found[2]) for found in files)
            new = browser.ask("GET", "/new")
            editor = browser.ask("GET", re.search(r'"(/static/editor.js[^"]*)"', text(new))[1])  # type: ignore[index]
            load += len(new[2]) + len(editor[2])
            yield Row("page of 10,000 rounds, first look (wall)", first[1], "allowed", 0.3, 1)
            yield Row("the same, when nothing has happened since (wall)", again, "allowed", 0.3, 1)
            yield Row("its size", len(page) / 1000, "allowed", 200, 1, "kB")
            yield Row("first load, compressed, with New study and its editor", load / 1000, "allowed", 130, 1, "kB")
            new_study = min(checked(browser) for _ in range(5))
            yield Row("New study, the check of 40 variables (wall)", new_study, "allowed", 1, 1)
            taken = sorted(crowd(port))
            late = taken[int(0.99 * len(taken))]
            yield Row(f"30 browsers poll, 3 record: 99 % of {len(taken)} answers (wall)", late, "allowed", 0.15, 1)
            yield Row("memory of the server after that", memory(pid), "allowed", 100, 1, "MB")
