"""A small primal-dual interior-point method for designs, which proves how good its answer is.

Every criterion here is homogeneous: f_a(c eta) = f_a(eta) / c. So the least m(eta) over distributions eta is the
least total of eta >= 0 with f_a(eta) <= 1 for every action a: no simplex and no bound on the maximum is needed,
and the design is normalised at the end.

The proof. Let G[a, b] = -df_a/deta_b. For any weights w >= 0 on the actions and any eta, Cauchy-Schwarz gives for
every other design eta' that (w f(eta')) (w G eta') >= (w f(eta))^2, where the products with w are sums over a. As
w f(eta') <= m(eta') sum(w) and w G eta' <= max_b (w G)_b for a distribution eta',

    m(eta') >= (w f)^2 / (sum(w) max_b (w G)_b),

whatever eta and w are; it is tight at the optimum, with the multipliers of the constraints as w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Criterion", "Minimum", "Point", "Solver", "lower_bound", "minimise"]

Floats = NDArray[np.float64]
Solver = Callable[[Floats, Floats], tuple[Floats, Floats]]

_MOST_STEPS = 150
_NEAR = 1e-5


class Point(Protocol):
    """The criterion and its derivatives at one eta; A actions are judged, B weights can be chosen."""

    @property
    def f(self) -> Floats:  # float[A]
        """f_a(eta) for every action a."""

    def push(self, w: Floats) -> Floats:  # float[A] -> float[B]
        """W G, with G[a, b] = -df_a/deta_b."""

    def pull(self, step: Floats) -> Floats:  # float[B] -> float[A]
        """G step."""

    def newton(self, w: Floats, slack: Floats, spring: Floats) -> Solver:  # float[A], float[A], float[B]
        """Solves [[H + diag(spring), -G'], [-G, -diag(slack)]] (x, y) = (r, t), H the Hessian of w f."""


class Criterion(Protocol):
    """What a design is judged by: the functions f_a, convex and homogeneous of degree -1."""

    @property
    def weights(self) -> int:
        """How many weights a design of this criterion has: B."""

    def at(self, eta: Floats) -> Point:  # float[B]
        """The criterion at eta > 0, which need not sum to 1."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """The best design found, and the weights that prove a lower bound for every design."""

    eta: Floats
    m: float
    lower: float
    where: Floats
    """The design at which the weights prove the bound; seldom another than eta."""
    weights: Floats

    @property
    def gap(self) -> float:
        """How far m can be above the least possible value, relative to that."""
        return (self.m - self.lower) / self.lower if self.lower > 0 else float("inf")


def lower_bound(f: Floats, w: Floats, push: Floats) -> float:
    """What no design of the criterion can be below: the inequality at the top of this file; push is w G."""
    steepest, total = float(push.max()), float(w.sum())
    return float(w @ f) ** 2 / steepest / total if 0 < steepest < np.inf and 0 < total < np.inf else 0.0


def minimise(
    criterion: Criterion, tolerance: float, start: Floats | None = None, weights: Floats | None = None
) -> Minimum:
    """The design with the least max_a f_a, with its proof; the gap says whether the tolerance was reached.

    `weights` are multipliers to start from, where the start is known to be good. When the plain method does not get
    there, a slower one that checks every step is tried, with no such trust.
    """
    start = np.ones(criterion.weights) if start is None else start
    with np.errstate(all="ignore"):  # whatever overflows is not accepted as an answer
        first = _begin(criterion, start) if weights is None else _begin_near(criterion, start, weights)
        found = _descend(criterion, tolerance, first, careful=False)
        if not found.gap <= tolerance:
            again = _descend(criterion, tolerance, _begin(criterion, start), careful=True)
            best = min(found, again, key=lambda one: one.m)
            proof = max(found, again, key=lambda one: one.lower)
            found = Minimum(best.eta, best.m, proof.lower, proof.where, proof.weights)
    return found


@dataclass
class _Iterate:
    """Where the method stands: weights eta, slacks s of f <= 1, multipliers w and z of f <= 1 and eta >= 0."""

    eta: Floats
    s: Floats
    w: Floats
    z: Floats
    point: Point
    push: Floats

    @property
    def mu(self) -> float:
        return float(self.w @ self.s + self.z @ self.eta) / (len(self.w) + len(self.z))

    def good(self) -> bool:
        return all(bool(np.isfinite(x).all() and (x > 0).all()) for x in (self.eta, self.s, self.w, self.z))


def _begin(criterion: Criterion, start: Floats) -> _Iterate:
    """Strictly inside on both sides: eta scaled until all f < 1, equal multipliers small enough."""
    eta = start * (1.5 * criterion.at(start).f.max())
    point = criterion.at(eta)
    w = np.ones(len(point.f))
    push = point.push(w)
    scale = 0.7 / push.max()
    return _Iterate(eta, 1 - point.f, scale * w, 1 - scale * push, point, scale * push)


def _begin_near(criterion: Criterion, start: Floats, weights: Floats) -> _Iterate:
    """Near the optimum on both sides, but no product of a slack and its multiplier much smaller than the others."""
    eta = start * (1.02 * criterion.at(start).f.max())
    point = criterion.at(eta)
    w = weights * (0.98 / point.push(weights).max())
    s = 1 - point.f
    z = np.maximum(1 - point.push(w), _NEAR / eta)
    w = np.maximum(w, _NEAR / s)
    return _Iterate(eta, s, w, z, point, point.push(w))


def _descend(criterion: Criterion, tolerance: float, now: _Iterate, careful: bool) -> Minimum:
    start = now.eta / now.eta.sum()
    best = Minimum(start, float("inf"), 0.0, start, np.ones_like(now.w))
    for _ in range(_MOST_STEPS):
        f, total = now.point.f, now.eta.sum()
        m, lower = float(f.max() * total), lower_bound(f, now.w, now.push)
        if m < best.m:
            best = Minimum(now.eta / total, m, best.lower, best.where, best.weights)
        if lower > best.lower:
            best = Minimum(best.eta, best.m, lower, now.eta / total, now.w / now.w.sum())
        if best.gap <= tolerance:
            break
        ahead = _step(criterion, now, careful)
        if ahead is None or not ahead.good():
            break
        now = ahead
    return best


def _room(x: Floats, step: Floats) -> float:
    """How much of the step can be taken before some x reaches 0; at most all of it."""
    return 1 / max(1.0, float((-step / x).max()))


def _step(criterion: Criterion, now: _Iterate, careful: bool) -> _Iterate | None:
    """One predictor-corrector step (Mehrotra 1992) on the conditions of optimality; None when numbers run out."""
    eta, s, w, z, point = now.eta, now.s, now.w, now.z, now.point
    dual, primal = now.push + z - 1, 1 - point.f - s
    try:
        solve = point.newton(w, s / w, z / eta)
    except np.linalg.LinAlgError:
        return None

    def direction(at_w: Floats, at_z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        d_eta, _ = solve(dual + at_z / eta, primal - at_w / w)
        d_s = primal + point.pull(d_eta)
        return d_eta, d_s, (at_w - w * d_s) / s, (at_z - z * d_eta) / eta

    d_eta, d_s, d_w, d_z = direction(-w * s, -z * eta)
    along = min(_room(eta, d_eta), _room(s, d_s))
    beside = min(_room(w, d_w), _room(z, d_z))
    ahead = (w + beside * d_w) @ (s + along * d_s) + (z + beside * d_z) @ (eta + along * d_eta)
    mu = now.mu
    aim = mu * (float(ahead) / (len(w) + len(z)) / mu) ** 3
    d_eta, d_s, d_w, d_z = direction(aim - w * s - d_w * d_s, aim - z * eta - d_z * d_eta)
    if not all(np.isfinite(d).all() for d in (d_eta, d_s, d_w, d_z)):
        return None
    share = 0.7 if careful else max(0.9, 1 - 10 * mu)
    along = share * min(_room(eta, d_eta), _room(s, d_s))
    beside = share * min(_room(w, d_w), _room(z, d_z))
    allowed = max(0.3, 0.9 * float(np.abs(primal).max())) if careful else np.inf
    for _ in range(8):
        ahead_point = criterion.at(eta + along * d_eta)
        if not float((ahead_point.f + s + along * d_s - 1).max()) > allowed:
            break
        along, beside = along / 2, beside / 2
    new_w = w + beside * d_w
    push = ahead_point.push(new_w)
    back = 1 / max(1.0, float(push.max()))  # multipliers that are too large for the new eta are taken back
    new_s = np.maximum(s + along * d_s, 1 - ahead_point.f)
    return _Iterate(eta + along * d_eta, new_s, back * new_w, z + beside * d_z, ahead_point, back * push)
