"""The optimal design of a law that is written out: one row per action, one column per state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg.lapack import dgetrf, dgetrs, dpotrf, dpotrs

from bestdo.design.interior import Minimum, Solver, lower_bound, minimise
from bestdo.design.merging import Law, Merged, merged, reached
from bestdo.errors import TooLarge

__all__ = ["Matrix", "design_of_matrix", "squares"]

Floats = NDArray[np.float64]

_CHUNK = 2**17  # numbers: what fits into the cache of one core
_MOST_ACTIONS = 8_000  # the Newton system is square in the actions: half a gigabyte


def design_of_matrix(law: Law, tolerance: float) -> Minimum:  # float[A, X], dense or sparse
    """The design that minimises max_a sum_x P_a(x)^2 / Q(x), Q = eta P, with its proof.

    Equal actions are merged and share their weight; states that no action reaches are dropped and proportional
    states merged, which changes nothing. The proof is computed on the law as it was given.
    """
    law = reached(law)
    small = merged(law)
    if small.law.shape[0] == 1:
        eta = np.full(law.shape[0], 1 / law.shape[0])
        return Minimum(eta, 1.0, 1.0, eta, eta)
    found = minimise(Matrix(small.law), tolerance)
    return found if small.law is law else _proved_on(law, small, found)


def _proved_on(law: Law, small: Merged, found: Minimum) -> Minimum:
    """The same design spread over the actions that were merged, judged and proved on the whole law."""
    whole = Matrix(law)
    eta, where = small.spread(found.eta), small.spread(found.where)
    weights = small.spread(found.weights)
    point = whole.at(where)
    lower = lower_bound(point.f, weights, point.push(weights))
    return Minimum(eta, float(whole.at(eta).f.max()), lower, where, weights)


@dataclass(frozen=True, eq=False)
class Matrix:
    """The criterion f_a = sum_x V[a, x] / Q(x), Q = eta P; V = P * P unless it is given.

    `square` is given where states stand for many (exchangeable variables): see `exchangeable.py`.
    """

    law: Law
    """P: float[B, X]. Every column has a number above 0."""
    square: Floats | None = None
    """V: float[A, X], or None for P * P."""

    def __post_init__(self) -> None:
        if self.weights > _MOST_ACTIONS and not self.thin:
            raise TooLarge(
                f"an optimal design over {self.weights:,} different actions and {self.law.shape[1]:,} states is not "
                f"covered; at most {_MOST_ACTIONS:,} actions are, or any number when there are half as many states"
            )

    @property
    def weights(self) -> int:
        """How many weights a design has."""
        return int(self.law.shape[0])

    @property
    def judged(self) -> int:
        """How many actions are judged."""
        return self.weights if self.square is None else len(self.square)

    @property
    def thin(self) -> bool:
        """Whether there are so few states that the Newton system is better solved in their number."""
        return 2 * self.law.shape[1] < self.law.shape[0] and not sp.issparse(self.law)

    @cached_property
    def chunks(self) -> list[slice]:
        """The states in portions whose columns fit into the cache."""
        states = self.law.shape[1]
        size = max(64, _CHUNK // max(1, self.weights)) if not sp.issparse(self.law) else states
        return [slice(i, min(i + size, states)) for i in range(0, states, size)]

    def at(self, eta: Floats) -> MatrixPoint:  # float[B]
        """The criterion at eta."""
        return MatrixPoint(self, 1 / np.asarray(eta @ self.law))

    @cached_property
    def kept(self) -> Law | None:
        """V, where it is given or small enough to be kept."""
        return self.law * self.law if self.square is None and len(self.chunks) == 1 else self.square


def squares(matrix: Matrix, where: slice) -> Law:
    """V at some of the states."""
    if matrix.kept is not None:
        return matrix.kept if len(matrix.chunks) == 1 else matrix.kept[:, where]
    part = matrix.law[:, where]
    return part * part


@dataclass(frozen=True, eq=False)
class MatrixPoint:
    """The criterion of a matrix and its derivatives at one eta."""

    matrix: Matrix
    rare: Floats
    """1 / Q, Q = eta P: float[X]."""

    @cached_property
    def f(self) -> Floats:  # float[A]
        """f_a = sum_x V[a, x] / Q(x)."""
        parts = [squares(self.matrix, c) @ self.rare[c] for c in self.matrix.chunks]
        return np.asarray(parts[0] if len(parts) == 1 else sum(parts))

    @cached_property
    def slope(self) -> Floats:  # float[A, B]
        """G = V diag(Q^-2) P'."""
        return self._gram(squared=True, weight=self.rare * self.rare)

    def _gram(self, squared: bool, weight: Floats) -> Floats:  # float[A or B, B]
        """(V or P) diag(weight) P'."""
        law = self.matrix.law
        if sp.issparse(law):
            left = squares(self.matrix, slice(None)) if squared else law
            return np.asarray((left @ sp.diags_array(weight) @ law.T).toarray())
        total = np.zeros((self.matrix.judged if squared else len(law), len(law)))
        for c in self.matrix.chunks:
            left = squares(self.matrix, c) if squared else law[:, c]
            total += (left * weight[c]) @ law[:, c].T
        return total

    def _mixed(self, w: Floats) -> Floats:  # float[X]
        """V = w V."""
        parts = [np.asarray(w @ squares(self.matrix, c)) for c in self.matrix.chunks]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def push(self, w: Floats) -> Floats:  # float[B]
        """W G."""
        if "slope" in self.__dict__:
            return w @ self.slope
        return np.asarray(self.matrix.law @ (self._mixed(w) * self.rare * self.rare))

    def pull(self, step: Floats) -> Floats:  # float[A]
        """G step."""
        if not self.matrix.thin:
            return self.slope @ step
        return np.asarray(squares(self.matrix, slice(None)) @ ((step @ self.matrix.law) * self.rare * self.rare))

    def newton(self, w: Floats, slack: Floats, spring: Floats) -> Solver:
        """Solves for a Newton step; H = 2 P diag(v / Q^3) P'."""
        curve = 2 * self._mixed(w) * self.rare * self.rare * self.rare
        if self.matrix.thin:
            return self._thin(curve, slack, spring)
        return dense_newton(self.slope, self._gram(squared=False, weight=curve), slack, spring)

    def _thin(self, curve: Floats, slack: Floats, spring: Floats) -> Solver:
        """The same system by the matrix inversion lemma, in twice the number of states."""
        law, tilted = self.matrix.law, squares(self.matrix, slice(None)) * -(self.rare * self.rare)
        states = law.shape[1]
        core = np.eye(2 * states, k=states) + np.eye(2 * states, k=-states)
        core[:states, :states] = law.T @ (law / spring[:, None])
        core[states:, states:] = -(tilted.T @ (tilted / slack[:, None])) - np.diag(curve)
        lower_upper, pivots, _ = dgetrf(core, overwrite_a=True)

        def once(r: Floats, t: Floats) -> tuple[Floats, Floats]:
            x, y = r / spring, -t / slack
            z = dgetrs(lower_upper, pivots, np.concatenate([x @ law, y @ tilted]))[0]
            return x - law @ z[:states] / spring, y + tilted @ z[states:] / slack

        def solve(r: Floats, t: Floats) -> tuple[Floats, Floats]:
            x, y = once(r, t)
            for _ in range(2):  # the lemma loses digits where springs are weak: refine
                seen = x @ law
                u, v = once(r - law @ (curve * seen + y @ tilted) - spring * x, t - tilted @ seen + slack * y)
                x, y = x + u, y + v
            return x, y

        return solve


def dense_newton(slope: Floats, hessian: Floats, slack: Floats, spring: Floats) -> Solver:
    """A Newton step with G = slope and H = hessian as full matrices: Cholesky, its diagonal raised when it must."""
    matrix = hessian + slope.T @ (slope / slack[:, None])
    diagonal = matrix.reshape(-1)[:: len(spring) + 1]  # a view
    diagonal += spring
    for raised in (1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-3):
        factor, failed = dpotrf(matrix)
        if not failed:
            break
        diagonal *= 1 + raised

    def solve(r: Floats, t: Floats) -> tuple[Floats, Floats]:
        x = dpotrs(factor, r - (t / slack) @ slope)[0]
        return x, -(t + slope @ x) / slack

    return solve
