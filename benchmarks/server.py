"""The server with ten open studies of 1,000 rounds of the default learner, while thirty people look and three record."""

import re
import tempfile
import threading
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.page import FARM, Browser, memory, serving, text
from benchmarks.timing import Row
from bestdo import read
from bestdo.study import Study
from bestdo.study.exchange import exported, imported

STUDIES, ROUNDS, LOOK, RECORD, SECONDS = 10, 1_000, 30, 3, 30.0
EVERY = 2.0
"""Seconds between two looks of a page, as in its script."""
PAUSE = 0.5
"""Seconds of a recorder between two rounds: faster than people are."""


def make_studies(url: str) -> None:
    """Creates a study with 1,000 rounds told by the default learner, and nine copies of it."""
    study = Study.create(read(FARM).problem, 10 * ROUNDS, learner="causal-top-two", name="farm 0", storage=url, seed=1)
    rng = np.random.default_rng(0)
    for _ in range(ROUNDS):
        (asked,) = study.ask("Ada")
        good = rng.random() < 0.3 + 0.4 * (asked.action.get("moisture") == "wet")
        study.tell(asked.number, {**asked.action, "yield": "good" if good else "bad"})
    data = exported(study)
    for i in range(1, STUDIES):
        imported(url, data, f"farm {i}")


class Crowd:
    """People at the page: the seconds of every answer, the number of asks and of those that were refused."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.taken: list[float] = []
        self.asks, self.refused = 0, 0
        self._until = time.perf_counter() + SECONDS

    def run(self) -> None:
        """Lets all of them work until the time is over."""
        people = [threading.Thread(target=self._look, args=(k,)) for k in range(LOOK)]
        people += [threading.Thread(target=self._record, args=(k,)) for k in range(RECORD)]
        for person in people:
            person.start()
        for person in people:
            person.join()

    def _look(self, k: int) -> None:
        """Looks at a study again and again, a third of them at the one that is recorded."""
        browser, seen, at = Browser(self.port), "", f"/studies/farm%20{k % STUDIES if k % 3 else 0}"
        time.sleep(EVERY * k / LOOK)
        while time.perf_counter() < self._until:
            answer = browser.ask("GET", f"{at}/live?seen={seen}")
            assert answer[0] in (200, 204), text(answer)
            self.taken.append(answer[1])
            if answer[0] == 200:
                seen = re.search(r"seen=([0-9.]+)", text(answer))[1]  # type: ignore[index]
                self.taken.append(browser.ask("GET", f"{at}/moves.json")[1])
            time.sleep(EVERY)

    def _record(self, k: int) -> None:
        """Asks and tells rounds of the first study."""
        browser, json = Browser(self.port), {"Content-Type": "application/json"}
        while time.perf_counter() < self._until:
            asked = browser.ask("POST", "/api/v1/studies/farm%200/ask", f'{{"worker": "worker {k}"}}', **json)
            self.taken.append(asked[1])
            self.asks += 1
            if asked[0] == 200:
                number = re.search(r'"number":(\d+)', text(asked))[1]  # type: ignore[index]
                path = f"/api/v1/studies/farm%200/rounds/{number}/tell"
                told = browser.ask("POST", path, '{"values": {"yield": "good"}}', **json)
                assert told[0] == 204, text(told)
                self.taken.append(told[1])
            else:
                self.refused += 1
            time.sleep(PAUSE)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/page.db"
        make_studies(url)
        with serving(url) as (browser, port, pid):
            for i in range(STUDIES):
                assert browser.ask("GET", f"/studies/farm%20{i}")[0] == 200
            kept = min(browser.ask("GET", "/api/v1/studies/farm%200/version")[1] for _ in range(50))
            yield Row("the version of a study on a kept connection (wall)", kept, "allowed", 0.02, 1)
            crowd = Crowd(port)
            crowd.run()
            late = sorted(crowd.taken)[int(0.99 * len(crowd.taken))]
            what = f"{LOOK} look, {RECORD} record, {STUDIES} studies: 99 % of {len(crowd.taken)} answers (wall)"
            yield Row(what, late, "allowed", 0.15, 1)
            yield Row(f"refused of {crowd.asks} asks, and 1", 1 + crowd.refused, "allowed", 1, 1, "")
            yield Row("memory of the server after that", memory(pid), "allowed", 150, 1, "MB")
