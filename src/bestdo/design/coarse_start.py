"""The optimal design of a parallel graph with very many variables: first solved roughly, then from there exactly.

The rough problem takes variables with nearly equal probabilities as equal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.design.interior import Minimum, minimise
from bestdo.design.parallel_criterion import Parallel

__all__ = ["minimise_parallel"]

# Kinds of variables from which on the rough problem is solved first. With 1,000 variables (benchmarks/design.py) that
# takes 0.15 to 0.3 s in place of 0.3 to 0.45 s, with 3,000 it takes 0.5 to 1.2 s in place of 0.8 to 2.0 s.
_MANY = 500
# Probabilities whose logarithms are within this are taken as equal in the rough problem, which is solved to a relative
# gap of _ROUGH. With 3,000 variables, a grid of 0.02 is a sixth quicker and one of 0.1 a quarter slower; gaps from 1e-5
# to 1e-2 differ by a tenth.
_GRID = 0.05
_ROUGH = 1e-3


def minimise_parallel(kinds: Parallel, tolerance: float, start: Floats) -> Minimum:
    """The optimal design of a parallel graph; the rough solution only says where to start, the proof does not use it."""
    if len(kinds.p) <= _MANY:
        return minimise(kinds, tolerance, start)
    rough, member = _coarse(kinds)
    share = (kinds.copies / rough.copies[member])[:, None]
    zero, table = kinds.table(start, kinds.free, kinds.free_do)
    summed = np.zeros(rough.p.shape)
    np.add.at(summed, member, table)
    solution = minimise(rough, _ROUGH, rough.flat(zero, summed, rough.free, rough.free_do))
    zero, table = rough.table(solution.where, rough.free, rough.free_do)
    eta = kinds.flat(zero, table[member] * share, kinds.free, kinds.free_do)
    zero, table = rough.table(solution.weights, rough.judged, rough.judged_do)
    weights = kinds.flat(zero, table[member] * share, kinds.judged, kinds.judged_do)
    return minimise(kinds, tolerance, eta, weights)


def _coarse(kinds: Parallel) -> tuple[Parallel, NDArray[np.intp]]:
    """The rough problem: fewer kinds, with mean probabilities; and for each kind the number of its rough one, int[K]."""
    key = np.round(np.log(kinds.p) / _GRID)
    pattern = np.concatenate([key, kinds.real, kinds.judged, kinds.free], axis=1)
    _, example, member = np.unique(pattern, axis=0, return_index=True, return_inverse=True)
    member = member.ravel()
    copies = np.bincount(member, kinds.copies).astype(np.float64)
    p = np.stack([np.bincount(member, kinds.copies * column) / copies for column in kinds.p.T], axis=1)
    rough = replace(
        kinds, p=p, real=kinds.real[example], copies=copies, judged=kinds.judged[example], free=kinds.free[example]
    )
    return rough, member
