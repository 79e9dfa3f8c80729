"""The criterion where the reward's parents form a forest: each has at most one cause, itself a parent of the reward.

Examples are a chain of parents of the reward, and parents with a common cause that is a parent, too. With t_i(x_i | u)
the table of variable i given the value u of its cause, and single settings as actions, P_ij / P_0 is
1{x_i=j} / t_i(j | u): Q = P_0 D with D a sum of functions of (u, x_i), one per variable. So exp(-sD) is a product
along the forest, and 1/D = ∫ exp(-sD) ds turns all sums over states into messages along it, for every node of the
quadrature at once. The derivatives come by running the messages once for each weight: G from the marginals of the
law tilted by rho_b = P_b/P_0, and the Hessian from their derivative in the direction of sum_a w_a rho_a^2.

Where t_i(j | u) = 0, setting X_i = j reaches states that nothing else reaches, as every other action leaves that 0
in place: they add alone_a / eta_a to f_a, with alone_a the probability that the cause has such a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.design.interior import Solver
from bestdo.design.matrix import dense_newton
from bestdo.design.quadrature import COARSE, nodes

__all__ = ["Forest"]

_Dual = tuple[Floats, Floats | None]  # an array and its derivative in one direction; None where that is 0


@dataclass(frozen=True, eq=False)
class Forest:
    """A forest of variables, causes before effects, and the actions: single settings, and perhaps do()."""

    cause: tuple[int, ...]
    """The number of each variable's cause, -1 for roots."""
    tables: tuple[Floats, ...]
    """float[values of the cause, values]; one row for roots."""
    variable: NDArray[np.intp]
    """int[A]: which variable each action sets, -1 for do(), of which there is at most one."""
    value: NDArray[np.intp]
    alone: Floats
    """float[A]: the probability of the states that only this action reaches."""
    step: float = COARSE

    @property
    def weights(self) -> int:
        """The number of weights of a design."""
        return len(self.variable)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The effects of each variable, and in the last place (index -1) the roots."""
        effects: list[list[int]] = [[] for _ in range(len(self.cause) + 1)]
        for i, cause in enumerate(self.cause):
            effects[cause].append(i)
        return tuple(map(tuple, effects))

    def at(self, eta: Floats) -> _ForestPoint:  # float[A]
        """The criterion at eta."""
        inverse = [np.divide(1, t, out=np.zeros_like(t), where=t > 0) for t in self.tables]
        c = [np.zeros_like(t) for t in self.tables]
        sets = np.flatnonzero(self.variable >= 0)
        for a in sets:
            i, j = self.variable[a], self.value[a]
            c[i][:, j] = eta[a] * inverse[i][:, j]
        zero = float(eta[self.variable < 0].sum())
        least = np.array([x[t > 0].min() for x, t in zip(c, self.tables, strict=True)])
        high = zero + sum(float(x.max()) for x in c)
        floor = zero + float(least.sum())
        low = floor
        if zero == 0:  # without do() only states that some action reaches count
            own = [c[i][t > 0, j].min(initial=np.inf) - least[i] for i, j, t in self._columns(sets)]
            low = floor + float(min(own))
        s, weight = nodes(low, high, self.step)
        factors = tuple(t * np.exp(-s[:, None, None] * x) for t, x in zip(self.tables, c, strict=True))
        return _ForestPoint(self, eta, s, weight * np.exp(-s * zero), factors, tuple(inverse))

    def _columns(self, sets: NDArray[np.intp]) -> list[tuple[int, int, Floats]]:
        """Variable, value and column of the table for each of these actions, where the column is not all 0."""
        columns = []
        for a in sets:
            i, j = int(self.variable[a]), int(self.value[a])
            if (self.tables[i][:, j] > 0).any():
                columns.append((i, j, self.tables[i][:, j]))
        return columns


@dataclass(frozen=True, eq=False)
class _ForestPoint:
    """The criterion of a forest and its derivatives at one eta."""

    forest: Forest
    eta: Floats
    s: Floats
    mass: Floats
    """float[T]: quadrature weight times exp(-s eta_0)."""
    factors: tuple[Floats, ...]
    """float[T, causes, values] each: t_i exp(-s c_i)."""
    inverse: tuple[Floats, ...]
    """1 / t_i, and 0 where t_i is 0."""

    @cached_property
    def f(self) -> Floats:  # float[A]
        """The values f_a, from one pass of messages."""
        marginals = _messages(self.forest, [(factor[None], None) for factor in self.factors])
        return self._read(marginals, 2)[:, 0] @ self.mass + _alone_share(self.forest.alone, self.eta)

    @cached_property
    def slope(self) -> Floats:  # float[A, A]
        """The matrix G[a, b] = -df_a/deta_b, from one pass of messages for all b."""
        marginals = _messages(self.forest, [(factor, None) for factor in self._tilted()])
        own = np.diag(self.forest.alone / self.eta**2)
        return np.asarray(self._read(marginals, 2) @ (self.mass * self.s)) + own

    def _tilted(self) -> list[Floats]:
        """The factors of the laws tilted by rho_b: float[B, T, causes, values] each."""
        forest = self.forest
        factors = []
        for i, factor in enumerate(self.factors):
            tilted = np.broadcast_to(factor, (forest.weights, *factor.shape)).copy()
            for b in np.flatnonzero(forest.variable == i):
                j = forest.value[b]
                tilted[b] = 0
                tilted[b, :, :, j] = factor[:, :, j] * self.inverse[i][:, j]
            factors.append(tilted)
        return factors

    def _read(self, marginals: list[_Dual], power: int, w_do: float | None = None) -> Floats:  # float[A, B, T]
        """The sums of marginals times rho_a^power over the causes; of their derivatives when w_do is given."""
        forest = self.forest
        rows = []
        for i, j in zip(forest.variable, forest.value, strict=True):
            where, rho = (i, j) if i >= 0 else (0, slice(None)), 1.0
            value, slope = marginals[where[0]]
            number = value if w_do is None or slope is None else slope + w_do * value
            if i < 0:
                rows.append(number.sum(axis=(-1, -2)))
            else:
                rho = self.inverse[i][:, j] ** power
                rows.append(number[..., j] @ rho)
        return np.stack(rows)

    def push(self, w: Floats) -> Floats:
        """The product w G."""
        return w @ self.slope

    def pull(self, step: Floats) -> Floats:
        """The product G step."""
        return self.slope @ step

    def newton(self, w: Floats, slack: Floats, barrier: Floats) -> Solver:
        """A solver of the Newton system, with full matrices."""
        forest = self.forest
        w_do = float(w[forest.variable < 0].sum())
        weighed = [np.zeros_like(t) for t in forest.tables]
        for a in np.flatnonzero(forest.variable >= 0):
            i, j = forest.variable[a], forest.value[a]
            weighed[i][:, j] = w[a] * self.inverse[i][:, j] ** 2
        duals: list[_Dual] = [(t, t * x) for t, x in zip(self._tilted(), weighed, strict=True)]
        hessian = self._read(_messages(forest, duals), 1, w_do) @ (self.mass * self.s**2)
        hessian = (hessian + hessian.T) / 2 + np.diag(2 * w * forest.alone / self.eta**3)
        return dense_newton(self.slope, hessian, slack, barrier)


def _alone_share(alone: Floats, eta: Floats) -> Floats:
    """The quotient alone / eta, with 0/0 = 0."""
    return np.divide(alone, eta, out=np.zeros_like(eta), where=alone > 0)


def _times(a: _Dual, b: _Dual) -> _Dual:
    """The product of two arrays, and its derivative."""
    if a[1] is None and b[1] is None:
        return a[0] * b[0], None
    left = 0.0 if a[1] is None else a[1] * b[0]
    return a[0] * b[0], np.asarray(left + (0.0 if b[1] is None else a[0] * b[1]))


def _widen(a: _Dual, axis: int) -> _Dual:
    """The array with a new axis of length 1."""
    return np.expand_dims(a[0], axis), None if a[1] is None else np.expand_dims(a[1], axis)


def _sum(a: _Dual, axis: int) -> _Dual:
    """The sum over an axis, and its derivative."""
    return a[0].sum(axis=axis), None if a[1] is None else a[1].sum(axis=axis)


def _messages(forest: Forest, factors: list[_Dual]) -> list[_Dual]:  # float[B, T, causes, values] each
    """The sums of the product of all factors over all variables but one and its cause, for each variable."""
    one: _Dual = (np.ones((1, 1, 1)), None)
    up: list[_Dual] = [one] * len(factors)
    below: list[_Dual] = [one] * len(factors)
    for i in reversed(range(len(factors))):
        for child in forest.children[i]:
            below[i] = _times(below[i], up[child])
        up[i] = _sum(_times(factors[i], _widen(below[i], -2)), -1)
    above: list[_Dual] = [one] * len(factors)
    for i in (-1, *range(len(factors))):
        children = forest.children[i]
        if not children:
            continue
        around = one if i < 0 else _sum(_times(factors[i], _widen(above[i], -1)), -2)  # from above, at i's values
        before = [around]
        for child in children[:-1]:
            before.append(_times(before[-1], up[child]))
        after = one
        for child, left in zip(reversed(children), reversed(before), strict=True):
            above[child] = _times(left, after)
            after = _times(after, up[child])
    return [_times(_times(f, _widen(b, -2)), _widen(a, -1)) for f, b, a in zip(factors, below, above, strict=True)]
