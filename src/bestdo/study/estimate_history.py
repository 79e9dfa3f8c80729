"""The history of the estimates: the means of all actions after growing numbers of rounds, computed from the log."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import guessed
from bestdo.study.blocks import fold_old
from bestdo.study.fold import Row, rounds_of, tell_rounds
from bestdo.study.study import Study

__all__ = ["EstimateHistory", "moved"]

_MERGE = 8
"""Blocks per point above which the blocks between two points are told together: learners that plan one round at a time have
thousands of blocks. It trades time against the order of blocks, which few learners notice. Not measured."""


class EstimateHistory(NamedTuple):
    """The means of all actions after some numbers of rounds."""

    told: NDArray[np.int64]
    """int[P]: the numbers of told rounds, those that deviated left out."""
    mean: NDArray[np.float64]
    """float[P, A]: the means, in the unit of the reward; NaN where there were no data, or none yet on a number."""


def moved(study: Study, points: int = 60) -> EstimateHistory:
    """The means after about `points` evenly spread numbers of rounds, the last one included.

    Blocks are told in their order; the last one before a point only as far as the point. Where there are very many blocks,
    those between two points are told together.
    """
    with study.reading() as log:
        book = study.book(log)
        settings, game, problem = book.settings, book.game, book.game.problem
        state = fold_old(log, book)
        told = [(r.block, r.action, json.loads(r.body)) for r in log.rounds() if r.status == "told" and r.block >= 0]
    told = sorted((row for row in told if not row[2]["deviated"]), key=lambda row: row[0])
    blocks = np.array([block for block, _, _ in told], np.int64)
    rounds = rounds_of([Row(action, body["values"], deviated=False) for _, action, body in told], problem)
    moments = np.unique(np.linspace(0, len(told), min(points, len(told)) + 1).round().astype(np.int64))
    merged = len(np.unique(blocks)) > _MERGE * points
    done, means = 0, []
    for moment in moments.tolist():
        start = moment if merged else int(np.searchsorted(blocks, blocks[moment - 1])) if moment else 0
        while done < start:
            end = start if merged else int(np.searchsorted(blocks, blocks[done], "right"))
            state = tell_rounds(state, game, settings.horizon, rounds.pick(slice(done, end)))
            done = end
        part = rounds.pick(slice(done, moment))
        seen = tell_rounds(state, game, settings.horizon, part) if done < moment else state
        found = game.estimates(seen)
        means.append(np.where(guessed(found, problem.graph)[0], np.nan, found.mean[0]))
    least, most = problem.graph.span
    return EstimateHistory(moments, least + np.array(means) * (most - least))
