"""Every kind of study goes the whole way, here and on a server: two features at a time, and in the campaign all at once."""

import csv
import io
import json
import math
import re

import pytest

from bestdo.files import parse
from matrix.journey import travelled
from matrix.kinds import ALL, PAIRWISE, TOGETHER
from matrix.words import NAMED, strays, visible
from web_support import start

MAY_BE_NONE = {"matters"}
"""Entries of the answer in JSON that are null where nothing can be said."""
REST = [pytest.param(kind, marks=pytest.mark.campaign, id=str(kind)) for kind in ALL if kind not in PAIRWISE]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = start(f"sqlite:///{tmp_path_factory.mktemp('server')}/studies.db")
    yield running
    running.stop()


def test_pairs_are_covered_and_one_study_has_everything():
    assert set(PAIRWISE) & set(TOGETHER)
    assert len(PAIRWISE) <= 12
    assert set(TOGETHER) < set(ALL)


@pytest.mark.parametrize("kind", [*(pytest.param(kind, id=str(kind)) for kind in PAIRWISE), *REST])
def test_a_study_goes_the_whole_way(kind, tmp_path, server):
    """The answer is the same wherever it is read; no text holds a hole or a word of a feature that is absent."""
    found = travelled(kind, tmp_path, server)
    for where, data in found.data.items():
        assert data == found.data["here"], where
    assert list(_holes(found.data["here"])) == []
    assert _names_what_is_recommended(found) == []
    for where, text in found.texts.items():
        assert not re.search(r"\bNone\b|\bnan\b|\binf\b|Traceback|\{\w*\}", visible(text)), (where, visible(text))
    assert strays(kind, found.texts) == []
    for feature, words in NAMED.items():
        assert (words in found.texts["bestdo best"]) == getattr(kind, feature), feature
    check_views(kind, found.views)
    check_files(kind, found)
    for rehearsal in found.rehearsals:
        assert rehearsal.advice
        assert rehearsal.refused == []
        assert all(math.isfinite(row["regret"]) for row in rehearsal.rows)


TIMES = {"at", "asked", "expires", "told_at", "happened", "key"}
"""Entries that say when something happened."""


def check_views(kind, views):
    """Status and rounds are the same here and on the server, and agree with the answer over HTTP."""
    for query in ("status", "command status", "rounds"):
        one, other = map(_without_times, views[query])
        assert one == other, query
    told = 8 - 2 * kind.late
    assert views["rest"]["told"] == views["status"][0]["told"] == told
    assert len(views["rest/rounds"]) == len(views["rounds"][0]) == 8
    kinds = [[event["kind"] for event in each] for each in (*views["history"], views["rest/history"])]
    assert kinds[0] == kinds[1] == kinds[2]
    assert views["rest/export"]["events"]
    assert views["check"]["actions"]
    assert [each["name"] for each in views["command studies"][0]] == [str(kind)]


def check_files(kind, found):
    """Every download holds the study: its rounds, its problem, and its rule where it has one."""
    files = found.files
    assert parse(files["problem.toml"], "problem.toml").problem == found.study.problem
    assert json.loads(files["export.json"])["events"][0]["kind"] == "created"
    rows = list(csv.DictReader(io.StringIO(files["export.csv"].decode("utf-8-sig"))))
    assert len(rows) == 8
    assert files["export.parquet"][:4] == b"PAR1"
    assert b"<svg" in files["moves.svg"]
    assert json.loads(files["moves.json"])
    assert b"created" in visible(files["log"].decode()).encode()
    if kind.contexts:
        rule = found.study.rule()
        assert len(json.loads(files["rule.json"])["contexts"]) == len(rule.contexts)
        assert b"def " in files["rule.py"]


def _without_times(data):
    """Data without the entries that say when something happened."""
    if isinstance(data, dict):
        return {key: _without_times(each) for key, each in data.items() if key not in TIMES}
    return [_without_times(each) for each in data] if isinstance(data, list) else data


def _holes(data, at=""):
    """Places of the answer that hold no number where one is due."""
    if isinstance(data, dict | list):
        for key, each in data.items() if isinstance(data, dict) else enumerate(data):
            if not (each is None and key in MAY_BE_NONE):
                yield from _holes(each, f"{at}/{key}")
    elif data is None or (isinstance(data, float) and not math.isfinite(data)):
        yield at, data


def _names_what_is_recommended(found):
    """Texts that do not name the recommended action, or an action of the recommended rule."""
    kept = found.data["here"]["recommendation"]
    actions = [kept["action"]] if kept["kind"] == "action" else [line["action"] for line in kept["lines"]]
    places = ("bestdo best", "in words", "card of the study", "card of the answer", "page", "page/report")
    return [(where, action) for where in places for action in actions if action not in visible(found.texts[where])]
