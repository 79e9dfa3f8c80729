"""How the estimates moved: what the learner believed after so many rounds, folded from the log again."""

from __future__ import annotations

import json
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
    """int[P]: after how many rounds that count."""
    mean: NDArray[np.float64]
    """float[P, A]; NaN where nothing was known."""


def moved(study: Study, points: int = 60) -> Moved:
    """The means after about so many evenly spread numbers of rounds, the last one included.

    Blocks are told in their order, each in the parts in which it is looked at. Learners that go one by one have
    thousands of blocks, and look only at sums: the blocks between two moments are told together.
    """
    with study.reading() as log:
        book = study.book(log)
        settings, (problem, learner) = book.settings, book.players
        state = folded(log, replace(book, folded=0))  # with the old data
        told = [(r.block, r.action, json.loads(r.body)) for r in log.rounds() if r.status == "told" and r.block >= 0]
    told = sorted((row for row in told if not row[2]["deviated"]), key=lambda row: row[0])
    blocks = np.array([block for block, _, _ in told], np.int64)
    rounds = fold.rounds_of([Row(action, body["values"], deviated=False) for _, action, body in told], problem)
    moments = np.unique(np.linspace(0, len(told), min(points, len(told)) + 1).round().astype(np.int64))
    merged = len(np.unique(blocks)) > 8 * points
    begun, means = 0, []
    for moment in moments.tolist():
        start = moment if merged else int(np.searchsorted(blocks, blocks[moment - 1])) if moment else 0
        while begun < start:
            end = start if merged else int(np.searchsorted(blocks, blocks[begun], "right"))
            state = fold.told_rounds(state, learner, problem, settings.horizon, rounds.pick(slice(begun, end)))
            begun = end
        part = rounds.pick(slice(begun, moment))
        seen = fold.told_rounds(state, learner, problem, settings.horizon, part) if begun < moment else state
        means.append(learner.estimates(seen).mean[0])
    return Moved(moments, np.array(means))
