"""Every kind of study goes the whole way, here and on a server: two features at a time, and in the campaign all at once."""

import math
import re

import pytest

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
    for rehearsal in found.rehearsals:
        assert rehearsal.advice
        assert rehearsal.refused == []
        assert all(math.isfinite(row["regret"]) for row in rehearsal.rows)


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
