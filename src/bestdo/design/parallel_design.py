"""The optimal design of a parallel graph: equal variables become one kind, and its weight is spread over them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats
from bestdo.design.coarse_start import minimise_parallel
from bestdo.design.interior import Minimum, lower_bound
from bestdo.design.parallel_criterion import Parallel
from bestdo.errors import TooLarge

__all__ = ["Settings", "design_of_product", "m_of_product"]

_MOST_NUMBERS = 2**28  # variables × values × nodes: 2 GiB, a limit of memory
_NODES = 64  # of the quadrature that are counted with: as many as a range of five decades takes
_NEVER = 1e-30  # probabilities below this count as 0, which changes m by less than it times m
# The weight with which values that are common enough to be seen without being set start, next to 1 for rare ones: the
# optimum gives them nearly nothing, and the method needs a start inside. Not measured.
_COMMON_START = 0.02


@dataclass(frozen=True, eq=False)
class Settings:
    """Independent variables and the actions on them: each sets one variable to one value, or none."""

    marginals: Sequence[Floats]
    """The probabilities of the values of each variable, float[values]."""
    variable: NDArray[np.intp]
    """int[A]: which variable each action sets, -1 for do() and actions that set none of these variables."""
    value: NDArray[np.intp]
    """int[A]: the value that the variable is set to; 0 where nothing is set."""


@dataclass(frozen=True, eq=False)
class _Tables:
    """The settings as tables: one row per variable, one column per value."""

    p: Floats
    real: Bools
    place: NDArray[np.intp]
    """int[N, V]: which action sets the variable to the value, -1 where none does."""
    natural: NDArray[np.intp]
    """The actions whose law is that of do(): do() itself, and those that set a value of probability 1."""
    alone: NDArray[np.intp]
    """The actions that set a value of probability 0: no other action reaches their states."""


def _tables(settings: Settings) -> _Tables:
    """The settings as tables; TooLarge when these would not fit."""
    sizes = np.array([len(m) for m in settings.marginals], np.intp)
    shape = len(sizes), int(sizes.max(initial=1))
    if shape[0] * shape[1] > _MOST_NUMBERS // _NODES:
        raise TooLarge(f"{shape[0]:,} variables of up to {shape[1]:,} values are too many for an optimal design")
    real = np.arange(shape[1]) < sizes[:, None]
    p = np.zeros(shape)
    p[real] = np.concatenate(settings.marginals) if len(sizes) else []
    p[p < _NEVER] = 0
    place = np.full(shape, -1, np.intp)
    sets = np.flatnonzero(settings.variable >= 0)
    place[settings.variable[sets], settings.value[sets]] = sets
    chance = np.ones(len(settings.variable))
    chance[sets] = p[settings.variable[sets], settings.value[sets]]
    place[(p == 0) | (p == 1)] = -1
    return _Tables(p, real & (p > 0), place, np.flatnonzero(chance == 1), np.flatnonzero(chance == 0))


def design_of_product(settings: Settings, tolerance: float) -> tuple[Minimum, float]:
    """The optimal design over all actions, with its proof, and the relative error of the quadrature in it.

    Setting a value of probability 0 reaches states that nothing else reaches: it needs weight 1 where all f are to
    be 1, adds 1 to m and is taken out (its weight in the bound's w is implied). The natural law is the mixture of
    a variable's settings with their probabilities, so where a variable can be set to all its values do() can always
    be given weight, and then its likeliest value needs none: were a likelier value j weighted and another value l
    not, f_j < f_l, so j is not active, and the gain of weighting l would be above that of j, which is maximal.
    """
    tables = _tables(settings)
    kinds, member = _kinds(tables)
    count = len(tables.alone)
    if not (kinds.judged.any() or kinds.judged_do):
        minimum, error = None, 0.0
    else:
        minimum = minimise_parallel(kinds, tolerance, _start(kinds))
        minimum, error = _with_more_nodes(kinds, minimum)
    eta = np.zeros(len(settings.variable))
    eta[tables.alone] = 1
    if minimum is not None:
        _spread(eta, tables, kinds, member, minimum.eta * minimum.m)
    total = eta.sum()
    m, lower = (minimum.m, minimum.lower) if minimum is not None else (0.0, 0.0)
    return Minimum(eta / total, m + count, lower + count, eta / total, np.ones(0)), error


def _kinds(tables: _Tables) -> tuple[Parallel, NDArray[np.intp]]:
    """The criterion with equal variables as one kind, and the kind of each variable (-1 where no action sets it)."""
    judged = tables.place >= 0
    key = np.where(tables.real, np.where(judged, tables.p, -tables.p), 0)
    order = np.argsort(-np.abs(key), axis=1, kind="stable")  # the same probabilities in another order are the same kind
    key = np.take_along_axis(key, order, 1)
    used = judged.any(axis=1)
    unique, member_used, copies = np.unique(key[used], axis=0, return_inverse=True, return_counts=True)
    member = np.full(len(key), -1, np.intp)
    member[used] = member_used.ravel()
    real, judged = unique != 0, unique > 0
    full = (judged == real).all(axis=1)
    natural = len(tables.natural) > 0
    free_do = natural or bool(full.any())
    free = judged.copy()
    if free_do:
        free[full, 0] = False  # the likeliest comes first
    p = np.where(real, np.abs(unique), 1.0)
    return Parallel(p, real, copies.astype(float), judged, free, natural, free_do), member


def _start(kinds: Parallel) -> Floats:
    """The starting point: near the design that shows m <= min_k (k + 1/p_(k+1)), p ascending.

    That design plays the k rarest values once each, so that f = 1 for them, and do() 1/p_(k+1) times, which shows the others.
    """
    p = np.repeat(kinds.p.ravel(), np.where(kinds.judged, kinds.copies[:, None], 0).astype(int).ravel())
    rising = np.sort(p)
    best = int((np.arange(len(rising) + 1) + np.append(1 / rising, 1.0)).argmin())
    common = rising[best] if best < len(rising) else 1.0
    rare = np.where(kinds.p < common, 1.0, _COMMON_START if kinds.free_do else 1.0) * kinds.copies[:, None]
    return kinds.flat(1 / common, rare, kinds.free, kinds.free_do)


def _with_more_nodes(kinds: Parallel, minimum: Minimum) -> tuple[Minimum, float]:
    """The solution with its value and bound computed again at twice the nodes, and how much they changed, relatively."""
    fine = replace(kinds, step=kinds.step / 2)
    value = float(fine.at(minimum.eta).f.max())
    point = fine.at(minimum.where)
    lower = lower_bound(point.f, minimum.weights, point.push(minimum.weights))
    error = max(abs(value / minimum.m - 1), abs(lower / minimum.lower - 1))
    return replace(minimum, m=value, lower=lower), error


def _spread(eta: Floats, tables: _Tables, kinds: Parallel, member: NDArray[np.intp], weights: Floats) -> None:
    """Writes the weights of the kinds into those of the actions.

    Where no action is like do(), its weight goes to the settings of one variable in proportion to their probabilities, whose
    mixture has the law of do().
    """
    zero, table = kinds.table(weights, kinds.free, kinds.free_do)
    table = table / kinds.copies[:, None]
    judged = tables.place >= 0
    order = np.argsort(-np.where(tables.real, tables.p, 0), axis=1, kind="stable")
    rank = np.argsort(order, axis=1)
    rows, columns = np.nonzero(judged)
    eta[tables.place[rows, columns]] = table[member[rows], rank[rows, columns]]
    if len(tables.natural):
        eta[tables.natural] += zero / len(tables.natural)
    elif kinds.free_do:
        mixed = int(np.flatnonzero((judged == tables.real).all(axis=1) & judged.any(axis=1))[0])
        places = np.flatnonzero(judged[mixed])
        eta[tables.place[mixed, places]] += zero * tables.p[mixed, places]


def m_of_product(settings: Settings, eta: Floats) -> float:  # float[A]
    """The difficulty m(eta) of any design, by the same quadrature; infinite when it misses a state of some action."""
    tables = _tables(settings)
    judged = tables.place >= 0
    used = judged.any(axis=1)
    natural = len(tables.natural) > 0
    weights = np.where(judged, eta[tables.place], 0.0)[used]
    p = np.where(tables.real, tables.p, 1.0)[used]
    with np.errstate(divide="ignore"):
        worst = float((1 / eta[tables.alone]).max(initial=0.0))
    if not (natural or used.any()):
        return worst
    graph = Parallel(p, tables.real[used], np.ones(len(p)), judged[used], judged[used], natural, natural)
    flat = graph.flat(float(eta[tables.natural].sum()), weights, graph.judged, natural)
    if not _covers(graph, weights, natural and float(flat[0]) > 0):
        return float("inf")
    return max(worst, float(graph.at(flat).f.max()))


def _covers(graph: Parallel, weights: Floats, natural: bool) -> bool:
    """Whether every state that a judged action reaches is reached by an action with weight."""
    if natural or not len(weights):
        return natural
    certain = ((weights > 0) | ~graph.real).all(axis=1)
    if certain.any():
        return True
    return bool((weights[graph.judged] > 0).all()) and not graph.judged_do
