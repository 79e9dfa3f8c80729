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


@dataclass(frozen=True, eq=False)
class _Iterate:
    """Where the method stands.

    `near` holds the weights eta and the slacks s of f <= 1, `far` the multipliers z of eta >= 0 and w of f <= 1: at
    the optimum near * far = 0, on the way all these products are kept about equal.
    """

    near: Floats
    far: Floats
    point: Point
    push: Floats
    """w G."""

    @property
    def count(self) -> int:
        """How many weights there are: where eta ends and s begins."""
        return len(self.push)


def _begin(criterion: Criterion, start: Floats) -> _Iterate:
    """Strictly inside on both sides: eta scaled until all f < 1, equal multipliers small enough."""
    eta = start * (1.1 * criterion.at(start).f.max())
    point = criterion.at(eta)
    w = np.ones(len(point.f))
    push = point.push(w)
    scale = 0.9 / push.max()
    near, far = np.concatenate([eta, 1 - point.f]), np.concatenate([1 - scale * push, scale * w])
    return _Iterate(near, far, point, scale * push)


def _begin_near(criterion: Criterion, start: Floats, weights: Floats) -> _Iterate:
    """Near the optimum on both sides, but no product of a slack and its multiplier much smaller than the others."""
    eta = start * (1.02 * criterion.at(start).f.max())
    point = criterion.at(eta)
    w = weights * (0.98 / point.push(weights).max())
    near = np.concatenate([eta, 1 - point.f])
    far = np.maximum(np.concatenate([1 - point.push(w), w]), _NEAR / near)
    return _Iterate(near, far, point, point.push(far[len(eta) :]))


def _descend(criterion: Criterion, tolerance: float, now: _Iterate, careful: bool) -> Minimum:
    """Steps until the gap is proved, the numbers run out, or there were too many."""
    m, lower = np.inf, 0.0
    best = proof = now
    for _ in range(_MOST_STEPS):
        f = now.point.f
        here, bound = float(f.max() * now.near[: now.count].sum()), lower_bound(f, now.far[now.count :], now.push)
        if here < m:
            m, best = here, now
        if bound > lower:
            lower, proof = bound, now
        if m - lower <= tolerance * lower:
            break
        ahead = _step(criterion, now, careful)
        if ahead is None:
            break
        now = ahead
    eta, where = best.near[: now.count], proof.near[: now.count]
    w = proof.far[now.count :]
    return Minimum(eta / eta.sum(), m, lower, where / where.sum(), w / w.sum())


def _room(x: Floats, step: Floats) -> float:
    """How much of the step can be taken before some x reaches 0; at most all of it."""
    return 1 / max(1.0, -float((step / x).min()))


def _step(criterion: Criterion, now: _Iterate, careful: bool) -> _Iterate | None:
    """One predictor-corrector step (Mehrotra 1992) on the conditions of optimality; None when numbers run out."""
    near, far, point, count = now.near, now.far, now.point, now.count
    dual, primal = now.push + far[:count] - 1, 1 - point.f - near[count:]
    springs = far / near
    try:
        solve = point.newton(far[count:], 1 / springs[count:], springs[:count])
    except np.linalg.LinAlgError:
        return None

    def direction(aims: Floats) -> tuple[Floats, Floats]:
        """The step after which near * far is, to first order, near * far + aims."""
        d_eta, _ = solve(dual + aims[:count] / near[:count], primal - aims[count:] / far[count:])
        d_near = np.concatenate([d_eta, primal + point.pull(d_eta)])
        return d_near, (aims - far * d_near) / near

    products = near * far
    mu = float(products.sum()) / len(near)
    d_near, d_far = direction(-products)
    ahead = (near + _room(near, d_near) * d_near) @ (far + _room(far, d_far) * d_far)
    aim = mu * (float(ahead) / len(near) / mu) ** 3
    d_near, d_far = direction(aim - products - d_near * d_far)
    if not np.isfinite(d_near.sum() + d_far.sum()):
        return None
    share = 0.7 if careful else max(0.9, 1 - mu)
    along, beside = share * _room(near, d_near), share * _room(far, d_far)
    allowed = max(0.3, 0.9 * float(np.abs(primal).max())) if careful else np.inf
    for _ in range(8):
        new = near + along * d_near
        ahead_point = criterion.at(new[:count])
        if not careful or not float((ahead_point.f + new[count:] - 1).max()) > allowed:
            break
        along, beside = along / 2, beside / 2
    np.maximum(new[count:], 1 - ahead_point.f, out=new[count:])
    new_far = far + beside * d_far
    push = ahead_point.push(new_far[count:])
    highest = float(push.max())
    if not highest < np.inf:
        return None
    back = 1 / max(1.0, highest)  # multipliers that are too large for the new eta are taken back
    new_far[count:] *= back
    return _Iterate(new, new_far, ahead_point, back * push)
