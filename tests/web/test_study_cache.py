"""The server looks into the database only when something was written."""

import os
import time

import pytest
import sqlalchemy as sa

import bestdo
from bestdo.study import Study
from bestdo.web.study_cache import Missing, StudyCache
from support import ROOT

FARM = bestdo.read(ROOT / "examples" / "farm.toml").problem


def test_whatever_was_written_is_seen_and_nothing_is_read_twice(tmp_path):
    url = f"sqlite:///{tmp_path}/farm.db"
    study = Study.create(FARM, 50, learner="ucb", name="farm", storage=url)
    cache, statements = StudyCache(url), []
    sa.event.listen(cache.storage.engine, "before_cursor_execute", lambda *found: statements.append(found[2]))
    for _ in range(20):  # at once after a write, when the file's time does not tell yet
        study.note("rain")
        assert cache.version("farm") == f"{study.journal.id}.{len(study.history())}"
    old = time.time() - 10
    os.utime(tmp_path / "farm.db", (old, old))
    cache.version("farm")
    statements.clear()
    assert cache.version("farm") == f"{study.journal.id}.21"
    assert statements == []
    with pytest.raises(Missing, match="'harm'"):
        cache.version("harm")
    study.note("sun")
    assert cache.version("farm") == f"{study.journal.id}.22"
    study.delete()
    with pytest.raises(Missing):
        cache.version("farm")
