"""The criterion of a parallel graph (independent variables, set one at a time), without listing states.

With p_ij the natural probability that variable i has its value j, P_0 the natural law, eta_0 the weight of do() and
c_ij = eta_ij / p_ij, an action's law is P_ij = P_0 1{x_i=j} / p_ij and Q = P_0 D with D(x) = eta_0 + sum_i c_{i,x_i}.
So f_ij = E_0[1{x_i=j} / D] / p_ij^2, and with 1/D = ∫ exp(-sD) ds, L_i(s) = sum_j p_ij exp(-s c_ij),
r_ij = exp(-s c_ij) / L_i and phi = exp(-s eta_0) prod_i L_i,

    f_ij = (1/p_ij) ∫ phi r_ij ds,      G[ij, kl] = (1/p_ij) ∫ s phi r_ij r_kl ds   for i != k,

and likewise the Hessian: products of functions of s, integrated, plus corrections where both variables are the same.
In nodes of the quadrature this is a matrix of low rank plus one small block per variable, so a Newton step costs
O(variables * nodes^2). The Newton system is solved with its multipliers kept as unknowns: eliminating them first
would lose all digits near the optimum.

Variables with equal probabilities are one *kind* with many copies: by convexity and symmetry some optimal design
treats the copies alike, and a sum over copies is a multiplication by their number. All arrays have one row per kind
and one column per value; kinds with fewer values are padded with values that are neither set nor judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.design.interior import Solver
from bestdo.design.quadrature import COARSE, nodes

__all__ = ["Parallel"]


_NOTHING = 1e-30  # nodes where the integrand, which starts at 1, is below this are dropped: they add nothing
_KINDS = 1024  # how many kinds of variables enter the Newton system at once: a limit of memory, not measured


@dataclass(frozen=True, eq=False)
class Parallel:
    """Kinds of independent variables, which of their values are judged and which have a weight.

    A design is a vector: the weight of do() first where it has one, then the weights of `free` values, each the
    total over the kind's copies.
    """

    p: Floats
    """float[K, V]: the probability of each value, above 0; padding has a 1."""
    real: Bools
    """bool[K, V]: false for padding."""
    copies: Floats
    """float[K]: how many variables are of each kind."""
    judged: Bools
    """bool[K, V]: values whose action must be learned."""
    free: Bools
    """bool[K, V]: values whose action has a weight of its own."""
    judged_do: bool
    free_do: bool
    step: float = COARSE

    @property
    def weights(self) -> int:
        """The number of weights of a design."""
        return int(self.free.sum()) + self.free_do

    def table(self, flat: Floats, mask: Bools, first: bool) -> tuple[float, Floats]:
        """The parts of a vector: its entry for do() (0 when it has none), and the others in a table, float[K, V]."""
        full = np.zeros(self.p.shape)
        full[mask] = flat[int(first) :]
        return (float(flat[0]) if first else 0.0), full

    def flat(self, number: float, full: Floats, mask: Bools, first: bool) -> Floats:
        """The vector with this entry for do() and these others: the inverse of `table`."""
        return np.concatenate([[number], full[mask]]) if first else full[mask]

    def at(self, eta: Floats) -> _ParallelPoint:  # float[B]
        """The criterion at eta, with all functions evaluated at the nodes of the quadrature."""
        zero, total = self.table(eta, self.free, self.free_do)
        c = total / (self.copies[:, None] * self.p)
        least = np.where(self.real, c, np.inf).min(axis=1)
        above = c - least[:, None]
        floor = zero + float(self.copies @ least)
        high = floor + float(self.copies @ np.where(self.real, above, 0).max(axis=1))
        low = floor if self.judged_do else floor + float(above[self.judged].min())
        s, weight = nodes(low, high, self.step)
        r = np.exp(-above[..., None] * s)
        r *= self.real[..., None]
        inner = np.einsum("kv,kvt->kt", self.p, r)
        phi = np.exp(self.copies @ np.log(inner) - floor * s)
        keep = phi > _NOTHING
        r = np.ascontiguousarray(r[..., keep])
        r /= inner[:, None, keep]
        return _ParallelPoint(self, s[keep], (weight * phi)[keep], r)


@dataclass(frozen=True, eq=False)
class _ParallelPoint:
    """The criterion of a parallel graph and its derivatives at one eta."""

    graph: Parallel
    s: Floats
    mass: Floats
    """float[T]: quadrature weight times phi(s)."""
    r: Floats
    """float[K, V, T]."""

    @cached_property
    def first(self) -> Floats:  # float[T]
        """The weights of the nodes in integrals of first derivatives."""
        return self.mass * self.s

    @cached_property
    def f(self) -> Floats:  # float[A]
        """The values f_0 (where do() is judged), then f_ij of the judged values."""
        g = self.graph
        return g.flat(float(self.mass.sum()), (self.r @ self.mass) / g.p, g.judged, g.judged_do)

    @cached_property
    def same(self) -> Floats:  # float[K, V, V]
        """The excess, times p, of the low-rank part of G where both values belong to the same variable."""
        block = (self.r * self.first) @ self.r.transpose(0, 2, 1)
        places = np.arange(block.shape[1])
        block[:, places, places] -= (self.r @ self.first) / self.graph.p
        return np.asarray(block / self.graph.copies[:, None, None])

    def push(self, w: Floats) -> Floats:  # float[A] -> float[B]
        """The product w G."""
        g = self.graph
        zero, table = g.table(w, g.judged, g.judged_do)
        table /= g.p
        along = self.first * (zero + np.tensordot(table, self.r, 2))
        full = self.r @ along - np.einsum("kj,kjl->kl", table, self.same)
        return g.flat(float(along.sum()), full, g.free, g.free_do)

    def pull(self, step: Floats) -> Floats:  # float[B] -> float[A]
        """The product G step."""
        g = self.graph
        zero, table = g.table(step, g.free, g.free_do)
        along = self.first * (zero + np.tensordot(table, self.r, 2))
        full = (self.r @ along - np.einsum("kjl,kl->kj", self.same, table)) / g.p
        return g.flat(float(along.sum()), full, g.judged, g.judged_do)

    def newton(self, w: Floats, slack: Floats, barrier: Floats) -> Solver:
        """A solver of the Newton system: blocks plus low rank by the inversion lemma, do() as a border."""
        g = self.graph
        curve = _curvature(self, *g.table(w, g.judged, g.judged_do))
        slack_do, slacks = g.table(slack, g.judged, g.judged_do)
        barrier_do, barriers = g.table(barrier, g.free, g.free_do)
        inner = _inner_solver(self, curve, slacks, barriers)
        border, corner = _border(self, curve, slack_do, barrier_do)
        solved = [inner(column) for column in border]
        schur = corner - np.array([[np.vdot(a, b) for b in solved] for a in border]).reshape(corner.shape)
        values = g.p.shape[1]

        def once(r: Floats, t: Floats) -> tuple[Floats, Floats]:
            (r_do, rs), (t_do, ts) = g.table(r, g.free, g.free_do), g.table(t, g.judged, g.judged_do)
            solution = inner(np.concatenate([rs, ts], axis=1))
            edge = np.array([r_do] * g.free_do + [t_do] * g.judged_do)
            if border:
                edge = np.linalg.solve(schur, edge - [np.vdot(column, solution) for column in border])
                solution = solution - sum(x * column for x, column in zip(edge, solved, strict=True))
            x = g.flat(float(edge[0]) if g.free_do else 0.0, solution[:, :values], g.free, g.free_do)
            return x, g.flat(float(edge[-1]) if g.judged_do else 0.0, solution[:, values:], g.judged, g.judged_do)

        def solve(r: Floats, t: Floats) -> tuple[Floats, Floats]:
            x, y = once(r, t)
            left = self._hessian_times(curve, x) + barrier * x - self.push(y)
            u, v = once(r - left, t + self.pull(x) + slack * y)  # one refinement
            return x + u, y + v

        return solve

    def _hessian_times(self, curve: _Curvature, step: Floats) -> Floats:  # float[B]
        """The product H step."""
        g = self.graph
        zero, table = g.table(step, g.free, g.free_do)
        seen = zero + np.tensordot(table, self.r, 2)
        along = curve.total * seen + np.tensordot(table, curve.tilt, 2)
        full = self.r @ along + curve.tilt @ seen + np.einsum("kjl,kl->kj", curve.block, table)
        return g.flat(float(along.sum()), full, g.free, g.free_do)


@dataclass(frozen=True, eq=False)
class _Curvature:
    """The Hessian of w f: R' diag(total) R + R' tilt + tilt' R plus a block per kind, R the values r at the nodes."""

    total: Floats
    """float[T]."""
    tilt: Floats
    """float[K, V, T]."""
    block: Floats
    """float[K, V, V]."""


def _curvature(point: _ParallelPoint, w_do: float, w: Floats) -> _Curvature:
    """The Hessian H[b, c] = ∫ s^2 E_0[(sum_a w_a rho_a^2) rho_b rho_c exp(-sD)] ds, with rho_a = P_a / P_0."""
    g, r = point.graph, point.r
    second = point.first * point.s
    own = np.einsum("kv,kvt->kt", w / g.p, r) / g.copies[:, None]  # of one variable of the kind
    total = w_do + g.copies @ own
    share = w / (g.copies[:, None] * g.p**2)
    tilt = (share[..., None] - own[:, None, :]) * r
    tilt *= second
    cross = r @ tilt.transpose(0, 2, 1)
    block = -((r * (second * total)) @ r.transpose(0, 2, 1) + cross + cross.transpose(0, 2, 1))
    places = np.arange(block.shape[1])
    alone = r @ (second * total) - np.einsum("kvt,kt,t->kv", r, own, second) + share * (r @ second)
    block[:, places, places] += alone / g.p
    block /= g.copies[:, None, None]
    return _Curvature(second * total, tilt, block)


def _blocks(point: _ParallelPoint, curve: _Curvature, slack: Floats, barrier: Floats) -> Floats:  # float[K, 2V, 2V]
    """The part of the Newton system that stays within a kind, weights first, then multipliers; 1 where neither is."""
    g = point.graph
    kinds, values = g.p.shape
    places = np.arange(values)
    block = np.zeros((kinds, 2 * values, 2 * values))
    block[:, :values, :values] = curve.block
    block[:, places, places] += barrier
    coupling = point.same / g.p[:, :, None]
    block[:, values:, :values] = coupling
    block[:, :values, values:] = coupling.transpose(0, 2, 1)
    block[:, values + places, values + places] = -slack
    live = np.concatenate([g.free, g.judged], axis=1)
    block *= live[:, :, None] & live[:, None, :]
    kind, place = np.nonzero(~live)
    block[kind, place, place] = 1
    return block


def _inner_solver(
    point: _ParallelPoint, curve: _Curvature, slack: Floats, barrier: Floats
) -> Callable[[Floats], Floats]:
    """A solver of the Newton system without do(): float[K, 2V] -> float[K, 2V], weights first, then multipliers.

    The system is blocks + U C U' with U = [[R', tilt'], [0, -R' diag(first) / p]] and C = [[total, 1], [1, 0]], whose
    inverse is [[0, 1], [1, -total]].
    """
    from scipy.linalg.lapack import dgetrf, dgetrs

    g, r = point.graph, point.r
    kinds, values, times = r.shape
    inverse = np.linalg.inv(_blocks(point, curve, slack, barrier))
    core = np.eye(2 * times, k=times) + np.eye(2 * times, k=-times)
    core[times:, times:] -= np.diag(curve.total)
    for i in range(0, kinds, _KINDS):
        part = slice(i, i + _KINDS)
        rank = np.zeros((len(r[part]), 2 * values, 2 * times))
        rank[:, :values, :times] = r[part]
        rank[:, :values, times:] = curve.tilt[part]
        rank[:, :values] *= g.free[part, :, None]
        rank[:, values:, times:] = r[part] * (-point.first * (g.judged[part] / g.p[part])[..., None])
        core += rank.reshape(-1, 2 * times).T @ (inverse[part] @ rank).reshape(-1, 2 * times)
    lower_upper, pivots, _ = dgetrf(core, overwrite_a=True)

    def solve(right: Floats) -> Floats:
        x = (inverse @ right[..., None])[..., 0]
        weights, multipliers = x[:, :values] * g.free, x[:, values:] * g.judged / g.p
        low = np.tensordot(curve.tilt, weights, ((0, 1), (0, 1))) - point.first * np.tensordot(
            r, multipliers, ((0, 1), (0, 1))
        )
        y = dgetrs(lower_upper, pivots, np.concatenate([np.tensordot(weights, r, 2), low]))[0]
        above = (r @ y[:times] + curve.tilt @ y[times:]) * g.free
        below = (r @ (-point.first * y[times:])) * g.judged / g.p
        return np.asarray(x - (inverse @ np.concatenate([above, below], axis=1)[..., None])[..., 0])

    return solve


def _border(
    point: _ParallelPoint, curve: _Curvature, slack_do: float, barrier_do: float
) -> tuple[list[Floats], Floats]:
    """The rows of the Newton system that belong to do(), as float[K, 2V] each, and their corner."""
    g, r = point.graph, point.r
    lever = r @ point.first
    rows, corner = [], np.zeros((g.free_do + g.judged_do,) * 2)
    if g.free_do:
        pull = r @ curve.total + curve.tilt.sum(axis=-1)
        rows.append(np.concatenate([pull * g.free, -lever / g.p * g.judged], axis=1))
        corner[0, 0] = curve.total.sum() + barrier_do
    if g.judged_do:
        rows.append(np.concatenate([-lever * g.free, np.zeros(g.p.shape)], axis=1))
        corner[-1, -1] = -slack_do
    if g.free_do and g.judged_do:
        corner[0, 1] = corner[1, 0] = -point.first.sum()
    return rows, corner
