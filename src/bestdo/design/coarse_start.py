"""Very many variables: solved first with nearly equal ones taken as equal, which is a good place to start from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bestdo.design.interior import Floats, Minimum, minimise
from bestdo.design.parallel_criterion import Parallel

__all__ = ["minimise_parallel"]

_MANY = 500
_GRID = 0.05  # probabilities within 5 % are taken as equal
_ROUGH = 1e-3


def minimise_parallel(kinds: Parallel, tolerance: float, start: Floats) -> Minimum:
    """The optimal design of a parallel graph; the rough solution only says where to start, not what is proved."""
    if len(kinds.p) <= _MANY:
        return minimise(kinds, tolerance, start)
    rough, member = _coarse(kinds)
    share = (kinds.copies / rough.copies[member])[:, None]
    zero, table = kinds.table(start, kinds.free, kinds.free_do)
    summed = np.zeros(rough.p.shape)
    np.add.at(summed, member, table)
    found = minimise(rough, _ROUGH, rough.flat(zero, summed, rough.free, rough.free_do))
    zero, table = rough.table(found.where, rough.free, rough.free_do)
    eta = kinds.flat(zero, table[member] * share, kinds.free, kinds.free_do)
    zero, table = rough.table(found.weights, rough.judged, rough.judged_do)
    weights = kinds.flat(zero, table[member] * share, kinds.judged, kinds.judged_do)
    return minimise(kinds, tolerance, eta, weights)


def _coarse(kinds: Parallel) -> tuple[Parallel, NDArray[np.intp]]:
    """Fewer kinds, with the mean probabilities of those they stand for, and the coarse kind of each: int[K]."""
    key = np.round(np.log(kinds.p) / _GRID)
    pattern = np.concatenate([key, kinds.real, kinds.judged, kinds.free], axis=1)
    _, first, member = np.unique(pattern, axis=0, return_index=True, return_inverse=True)
    member = member.ravel()
    copies = np.bincount(member, kinds.copies).astype(np.float64)
    p = np.stack([np.bincount(member, kinds.copies * column) / copies for column in kinds.p.T], axis=1)
    rough = replace(
        kinds, p=p, real=kinds.real[first], copies=copies, judged=kinds.judged[first], free=kinds.free[first]
    )
    return rough, member
