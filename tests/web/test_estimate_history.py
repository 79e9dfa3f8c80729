"""The lines of the chart: no request waits for a log that takes long to be read."""

import threading

import pytest

from bestdo import read
from bestdo.errors import BestdoError
from bestdo.study import Study
from bestdo.web.estimate_history import EstimateHistory
from bestdo.web.study_cache import StudyCache
from support import ROOT


class Slow:
    """A sandbox that answers only when it may."""

    def __init__(self):
        self.may, self.orders, self.error = threading.Event(), 0, None

    def run(self, order):
        self.orders += 1
        assert self.may.wait(20)
        return {"error": self.error, "rounds": [0, self.orders], "lines": [("do()", [0.5, 0.5])], "took": 0.0}


@pytest.fixture
def slow(url):
    study = Study.create(read(ROOT / "examples" / "farm.toml").problem, 14, learner="uniform", name="farm", storage=url)
    sandbox = Slow()
    return study, sandbox, EstimateHistory(StudyCache(url), sandbox)


def test_meanwhile_the_lines_are_those_of_before(slow):
    study, sandbox, history = slow
    assert history.of("farm").lines == ()
    assert history.of("farm").lines == ()
    assert sandbox.orders == 1  # one reading for all
    sandbox.may.set()
    first = history.of("farm", wait=True)
    assert first.rounds == (0, 1)
    sandbox.may.clear()
    study.note("something happened")
    assert history.of("farm") is first
    sandbox.may.set()
    assert history.of("farm", wait=True).rounds == (0, 2)


def test_an_error_is_said_and_the_next_request_tries_again(slow):
    _, sandbox, history = slow
    sandbox.may.set()
    sandbox.error = {"message": "this took more than 10 seconds"}
    with pytest.raises(BestdoError, match="10 seconds"):
        history.of("farm", wait=True)
    sandbox.error = None
    assert history.of("farm", wait=True).rounds == (0, 2)
