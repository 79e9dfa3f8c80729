"""Smaller laws with the same optimal designs: equal actions and proportional states merged, unreached states dropped."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats

__all__ = ["LawTable", "Merged", "drop_unreached", "merge"]

LawTable = Any  # float[A, X], an array or a scipy.sparse.csr_array; SciPy ships no types

_NEVER = 1e-90  # states whose probabilities sum to less are dropped: they add nothing to m in double precision
# Columns whose numbers differ by less than this, relatively, count as proportional: rounding. The proof does not depend
# on it, as it is computed on the law before merging.
_CLOSE = 1e-13
_GOLDEN_RATIO = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class Merged:
    """A smaller law with the same optimal designs."""

    law: LawTable
    classes: NDArray[np.intp]
    """int[A]: the row of the smaller law for each action."""

    def spread(self, eta: Floats) -> Floats:  # float[a] -> float[A]
        """The design over all actions: equal actions share their weight equally."""
        return (eta / np.bincount(self.classes))[self.classes]


def merge(law: LawTable) -> Merged:  # float[A, X]
    """The smaller law, and the class of each action.

    Equal actions give the same Q however they share their weight. States x, y with P_a(x) = c P_a(y) for all a
    have P_a(x)^2/Q(x) = c P_a(y)^2/Q(y), so their sum is what one state with the summed probabilities gives.
    """
    if not isinstance(law, np.ndarray):
        return _merge_sparse(law)
    law = drop_unreached(law)
    law = _columns(law, law.sum(axis=0))
    example, classes = _rows(law)
    return Merged(law if len(example) == len(classes) else law[example], classes)


def drop_unreached(law: LawTable) -> LawTable:
    """The law without the states whose probabilities sum to at most 1e-90."""
    reached = np.asarray(law.sum(axis=0)).ravel() > _NEVER
    if reached.all():
        return law
    return law[:, reached] if isinstance(law, np.ndarray) else type(law)(law[:, reached])


def _merge_sparse(law: LawTable) -> Merged:
    """The smaller law of a sparse one; only equal actions are merged."""
    law = drop_unreached(law)
    law.sort_indices()
    rows = [slice(a, b) for a, b in itertools.pairwise(law.indptr)]
    keys = [(law.indices[row].tobytes(), law.data[row].tobytes()) for row in rows]
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    classes = np.array([number[key] for key in keys])
    if len(number) < len(keys):
        law = type(law)(law[np.unique(classes, return_index=True)[1]])
    return Merged(law, classes)


def _fingerprint(size: int) -> Floats:  # float[size]
    """Fixed irregular weights: vectors with different weighted sums differ; those with equal sums are then compared."""
    return np.asarray(1 + np.modf(np.arange(1, size + 1) * _GOLDEN_RATIO)[0])


def _rows(law: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first of each class of equal rows, and the class of each row."""
    keys = law @ _fingerprint(law.shape[1])
    order = np.argsort(keys, kind="stable")
    near = np.flatnonzero(np.diff(keys[order]) <= _CLOSE * np.abs(keys[order[1:]]))
    same = np.zeros(len(order), bool)
    for i in near:
        same[i + 1] = np.array_equal(law[order[i]], law[order[i + 1]])
    if not same.any():
        return np.arange(len(order)), np.arange(len(order))
    classes = np.empty(len(order), np.intp)
    classes[order] = np.cumsum(~same) - 1
    example = np.empty(len(order) - int(same.sum()), np.intp)
    example[classes[order[::-1]]] = order[::-1]
    return example, classes


def _columns(law: Floats, total: Floats) -> Floats:
    """The law with proportional columns added up."""
    keys = (_fingerprint(law.shape[0]) @ law) / total
    order = np.argsort(keys)
    sorted_keys = keys[order]
    near = np.diff(sorted_keys) <= _CLOSE * sorted_keys[1:]
    if not near.any():
        return law
    left, right = order[:-1][near], order[1:][near]
    a, b = law[:, left] / total[left], law[:, right] / total[right]
    near[near] = (np.abs(a - b) <= _CLOSE * (a + b)).all(axis=0)
    starts = np.flatnonzero(np.concatenate([[True], ~near]))
    if len(starts) == law.shape[1]:
        return law
    return np.add.reduceat(law[:, order], starts, axis=1)
