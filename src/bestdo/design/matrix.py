"""The optimal design of a law that is given as a matrix: one row per action, one column per state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestdo.arrays import Floats
from bestdo.design.interior import Minimum, Solver, lower_bound, minimise
from bestdo.design.merging import LawTable, Merged, drop_unreached, merge
from bestdo.errors import TooLarge

__all__ = ["Matrix", "design_of_matrix", "design_of_numerators"]


# Numbers in a portion of the matrix that is multiplied at once: 1 MB. It bounds the memory of products; from 2**13 to
# 2**22 the times for 200 actions × 4,096 states and 29 × 16,384 (benchmarks/design.py) differ by a tenth.
_CHUNK = 2**17
_FEWEST_STATES = 64  # of a portion: with fewer, calls to numpy would cost more than the products; not measured
_MOST_ACTIONS = 8_000  # the Newton system is square in the actions: half a gigabyte
_REFINEMENTS = 2  # how often the solution by the inversion lemma, which loses digits, is refined; not measured
# By how much the diagonal of the Newton system is raised, relatively, each time that its Cholesky factorisation fails.
_RAISED = (1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-3)


def design_of_matrix(law: LawTable, tolerance: float) -> Minimum:  # float[A, X], dense or sparse
    """The design that minimises max_a sum_x P_a(x)^2 / Q(x), Q = eta P, with its proof.

    Equal actions are merged and share their weight; states that no action reaches are dropped and proportional
    states merged, which changes nothing. The proof is computed on the law as it was given.
    """
    law = drop_unreached(law)
    small = merge(law)
    if small.law.shape[0] == 1:
        eta = np.full(law.shape[0], 1 / law.shape[0])
        return Minimum(eta, 1.0, 1.0, eta, eta)
    minimum = minimise(Matrix(small.law), tolerance)
    return minimum if small.law is law else _proved_on(law, small, minimum)


def design_of_numerators(law: Floats, square: Floats, tolerance: float, nothing: float = 0.0) -> Minimum:
    """The design over the rows of `law` (float[B, X]) that minimises max_a sum_x square[a, x] / Q(x), Q = eta law.

    square: float[A, X]. Columns in which it is at most `nothing` do not matter, and rows of `law` without any other get no
    weight. Where no column matters any design does: all rows equally.
    """
    matters = square.max(axis=0, initial=0.0) > nothing
    useful = law[:, matters].any(axis=1)
    if not matters.any():
        eta = np.full(len(law), 1 / len(law))
        return Minimum(eta, 0.0, 0.0, eta, np.ones(0))
    minimum = minimise(Matrix(law[useful][:, matters], square[:, matters]), tolerance)
    eta, where = np.zeros(len(law)), np.zeros(len(law))
    eta[useful], where[useful] = minimum.eta, minimum.where
    return Minimum(eta, minimum.m, minimum.lower, where, minimum.weights)


def _proved_on(law: LawTable, small: Merged, minimum: Minimum) -> Minimum:
    """A design of the merged law as one of all actions, with its value and its proof computed on the whole law."""
    whole = Matrix(law)
    eta, where = small.spread(minimum.eta), small.spread(minimum.where)
    weights = small.spread(minimum.weights)
    point = whole.at(where)
    lower = lower_bound(point.f, weights, point.push(weights))
    return Minimum(eta, float(whole.at(eta).f.max()), lower, where, weights)


@dataclass(frozen=True, eq=False)
class Matrix:
    """The criterion f_a = sum_x V[a, x] / Q(x), Q = eta P; V = P * P unless it is given.

    `square` is given where states stand for many (exchangeable variables): see `exchangeable.py`.
    """

    law: LawTable
    """P: float[B, X]. Every column has a number above 0."""
    square: Floats | None = None
    """V: float[A, X], or None for P * P."""

    def __post_init__(self) -> None:
        if self.weights > _MOST_ACTIONS and not self.thin:
            raise TooLarge(
                f"an optimal design over {self.weights:,} different actions and {self.law.shape[1]:,} states is too large; "
                f"at most {_MOST_ACTIONS:,} actions are allowed where there are at least half as many states"
            )

    @property
    def weights(self) -> int:
        """The number of weights of a design."""
        return int(self.law.shape[0])

    @property
    def judged(self) -> int:
        """The number of actions that are judged."""
        return self.weights if self.square is None else len(self.square)

    @property
    def thin(self) -> bool:
        """Whether there are so few states that the Newton system is solved in their number (`_thin`).

        Measured: 400 actions and 190 states take 52 ms in place of 94 ms, with 300 states 128 ms in place of 105 ms.
        """
        return 2 * self.law.shape[1] < self.law.shape[0] and isinstance(self.law, np.ndarray)

    @cached_property
    def chunks(self) -> list[slice]:
        """The states in portions of at most about _CHUNK numbers."""
        states = self.law.shape[1]
        size = max(_FEWEST_STATES, _CHUNK // max(1, self.weights)) if isinstance(self.law, np.ndarray) else states
        return [slice(i, min(i + size, states)) for i in range(0, states, size)]

    def at(self, eta: Floats) -> _MatrixPoint:  # float[B]
        """The criterion at eta."""
        return _MatrixPoint(self, 1 / np.asarray(eta @ self.law))

    @cached_property
    def kept(self) -> LawTable | None:
        """The matrix V, where it is given or small enough to be kept; otherwise None."""
        return self.law * self.law if self.square is None and len(self.chunks) == 1 else self.square


def _squares(matrix: Matrix, where: slice) -> LawTable:
    """The matrix V at some of the states."""
    if matrix.kept is not None:
        return matrix.kept if len(matrix.chunks) == 1 else matrix.kept[:, where]
    part = matrix.law[:, where]
    return part * part


@dataclass(frozen=True, eq=False)
class _MatrixPoint:
    """The criterion of a matrix and its derivatives at one eta."""

    matrix: Matrix
    inverse_q: Floats
    """1 / Q, Q = eta P: float[X]."""

    @cached_property
    def f(self) -> Floats:  # float[A]
        """The values f_a = sum_x V[a, x] / Q(x)."""
        parts = [_squares(self.matrix, c) @ self.inverse_q[c] for c in self.matrix.chunks]
        return np.asarray(parts[0] if len(parts) == 1 else sum(parts))

    @cached_property
    def slope(self) -> Floats:  # float[A, B]
        """The matrix G = V diag(Q^-2) P'."""
        return self._gram(squared=True, weight=self.inverse_q * self.inverse_q)

    def _gram(self, squared: bool, weight: Floats) -> Floats:  # float[A or B, B]
        """The matrix (V or P) diag(weight) P'."""
        law = self.matrix.law
        if not isinstance(law, np.ndarray):
            import scipy.sparse as sp

            left = _squares(self.matrix, slice(None)) if squared else law
            return np.asarray((left @ sp.diags_array(weight) @ law.T).toarray())
        total = np.zeros((self.matrix.judged if squared else len(law), len(law)))
        for c in self.matrix.chunks:
            left = _squares(self.matrix, c) if squared else law[:, c]
            total += (left * weight[c]) @ law[:, c].T
        return total

    def _mixed(self, w: Floats) -> Floats:  # float[X]
        """The vector v = w V."""
        parts = [np.asarray(w @ _squares(self.matrix, c)) for c in self.matrix.chunks]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def push(self, w: Floats) -> Floats:  # float[B]
        """The product w G."""
        if "slope" in self.__dict__:
            return w @ self.slope
        return np.asarray(self.matrix.law @ (self._mixed(w) * self.inverse_q * self.inverse_q))

    def pull(self, step: Floats) -> Floats:  # float[A]
        """The product G step."""
        if not self.matrix.thin:
            return self.slope @ step
        return np.asarray(
            _squares(self.matrix, slice(None)) @ ((step @ self.matrix.law) * self.inverse_q * self.inverse_q)
        )

    def newton(self, w: Floats, slack: Floats, barrier: Floats) -> Solver:
        """A solver of the Newton system, with H = 2 P diag(v / Q^3) P'."""
        curve = 2 * self._mixed(w) * self.inverse_q * self.inverse_q * self.inverse_q
        if self.matrix.thin:
            return self._thin(curve, slack, barrier)
        return dense_newton(self.slope, self._gram(squared=False, weight=curve), slack, barrier)

    def _thin(self, curve: Floats, slack: Floats, barrier: Floats) -> Solver:
        """A solver of the same system by the matrix inversion lemma: one matrix, square in twice the number of states."""
        from scipy.linalg.lapack import dgetrf, dgetrs

        law, tilted = self.matrix.law, _squares(self.matrix, slice(None)) * -(self.inverse_q * self.inverse_q)
        states = law.shape[1]
        core = np.eye(2 * states, k=states) + np.eye(2 * states, k=-states)
        core[:states, :states] = law.T @ (law / barrier[:, None])
        core[states:, states:] = -(tilted.T @ (tilted / slack[:, None])) - np.diag(curve)
        lower_upper, pivots, _ = dgetrf(core, overwrite_a=True)

        def once(r: Floats, t: Floats) -> tuple[Floats, Floats]:
            x, y = r / barrier, -t / slack
            z = dgetrs(lower_upper, pivots, np.concatenate([x @ law, y @ tilted]))[0]
            return x - law @ z[:states] / barrier, y + tilted @ z[states:] / slack

        def solve(r: Floats, t: Floats) -> tuple[Floats, Floats]:
            x, y = once(r, t)
            for _ in range(_REFINEMENTS):  # the lemma loses digits where barrier is small
                mixture = x @ law
                u, v = once(r - law @ (curve * mixture + y @ tilted) - barrier * x, t - tilted @ mixture + slack * y)
                x, y = x + u, y + v
            return x, y

        return solve


def dense_newton(slope: Floats, hessian: Floats, slack: Floats, barrier: Floats) -> Solver:
    """A solver of the Newton system with G = slope and H = hessian, by Cholesky; the diagonal is raised until that works."""
    from scipy.linalg.lapack import dpotrf, dpotrs

    matrix = hessian + slope.T @ (slope / slack[:, None])
    diagonal = matrix.reshape(-1)[:: len(barrier) + 1]  # a view
    diagonal += barrier
    for raised in _RAISED:
        factor, failed = dpotrf(matrix)
        if not failed:
            break
        diagonal *= 1 + raised

    def solve(r: Floats, t: Floats) -> tuple[Floats, Floats]:
        x = dpotrs(factor, r - (t / slack) @ slope)[0]
        return x, -(t + slope @ x) / slack

    return solve
