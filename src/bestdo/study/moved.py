"""How the estimates moved: what the learner believed after so many rounds, folded from the log again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.study import fold
from bestdo.study.blocks import folded
from bestdo.study.fold import Row
from bestdo.study.study import Study

__all__ = ["Moved", "moved"]


class Moved(NamedTuple):
    """The means of all actions at some moments."""

    told: NDArray[np.int64]
    """int[P]: after how many rounds."""
    mean: NDArray[np.float64]
    """float[P, A]; NaN where nothing was known."""


def moved(study: Study, points: int = 60) -> Moved:
    """The means after about so many evenly spread numbers of rounds, the last one included.

    Blocks are told in their order, each in the parts in which it is looked at. Learners that go one by one have
    thousands of blocks, and look only at sums: the blocks between two moments are told together.
    """
    with study.reading() as log:
        book = study.book(log)
        settings, (problem, learner) = book.settings, study.players
        state = folded(log, replace(book, folded=0), study.players)  # with the old data
        rows = [(r.block, r.action, r.body) for r in log.rounds() if r.status == "told" and r.block >= 0]
    rows.sort(key=lambda row: row[0])
    blocks = np.array([block for block, _, _ in rows], np.int64)
    moments = np.unique(np.linspace(0, len(rows), min(points, len(rows)) + 1).round().astype(np.int64))
    merged = len(np.unique(blocks)) > 8 * points
    begun, means = 0, []
    for moment in moments.tolist():
        start = moment if merged else int(np.searchsorted(blocks, blocks[moment - 1])) if moment else 0
        while begun < start:
            end = start if merged else int(np.searchsorted(blocks, blocks[begun], "right"))
            state = fold.told(state, learner, problem, settings.horizon, _rows(rows[begun:end]))
            begun = end
        part = rows[begun:moment]
        seen = fold.told(state, learner, problem, settings.horizon, _rows(part)) if part else state
        means.append(learner.estimates(seen).mean[0])
    return Moved(moments, np.array(means))


def _rows(rows: Sequence[tuple[int, str, str]]) -> list[Row]:
    return [Row(action, (told := json.loads(body))["values"], told["deviated"]) for _, action, body in rows]
