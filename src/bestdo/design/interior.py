"""A primal-dual interior-point method for optimal designs, with a proof of how good its answer is.

Every criterion here is homogeneous: f_a(c eta) = f_a(eta) / c. So the least m(eta) over distributions eta is the
least total of eta >= 0 with f_a(eta) <= 1 for every action a. That needs neither the constraint that eta sums to 1 nor a
variable for the maximum; the design is normalised at the end.

The proof. Let G[a, b] = -df_a/deta_b. For any weights w >= 0 on the actions and any eta, Cauchy-Schwarz gives for
every other design eta' that (w f(eta')) (w G eta') >= (w f(eta))^2, where the products with w are sums over a. As
w f(eta') <= m(eta') sum(w) and w G eta' <= max_b (w G)_b for a distribution eta',

    m(eta') >= (w f)^2 / (sum(w) max_b (w G)_b),

for any eta and w; it is tight at the optimum, with the multipliers of the constraints as w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bestdo.arrays import Floats

__all__ = ["Minimum", "Point", "Solver", "lower_bound", "minimise"]

Solver = Callable[[Floats, Floats], tuple[Floats, Floats]]

# Settings of the method. They were not measured one by one; the method with them is, in docs/results/benchmarks.md.

# The most Newton steps. 21 random matrices of up to 200 actions took 4 to 11, 9 parallel graphs of up to 3,000
# variables 11 to 37.
_MOST_STEPS = 150
# Where nothing is known, eta starts scaled up so that all f <= 1 / 1.1, and the multipliers so that all w G <= 0.9.
_START_ETA = 1.1
_START_DUAL = 0.9
# The same where the start is known to be good: nearer to the boundary, with no product of an unknown and its multiplier
# below 1e-5, as the method is slow where these products differ much.
_GOOD_START_ETA = 1.02
_GOOD_START_DUAL = 0.98
_LEAST_PRODUCT = 1e-5
# Which share of the way to the boundary a step goes: at least 0.9 and ever more near the optimum, or 0.7 when careful.
_BOLD = 0.9
_CAREFUL = 0.7
# A careful step may leave the constraints f + s <= 1 violated by at most the larger of 0.3 and 0.9 times what they were
# before; it is halved until it does not, with at most 8 tries.
_MOST_VIOLATED = 0.3
_VIOLATION_FALLS = 0.9
_TRIES = 8


class Point(Protocol):
    """The criterion and its derivatives at one eta, for A actions that are judged and B weights that can be chosen."""

    @property
    def f(self) -> Floats:  # float[A]
        """The values f_a(eta) for every action a."""

    def push(self, w: Floats) -> Floats:  # float[A] -> float[B]
        """The product w G, with G[a, b] = -df_a/deta_b."""

    def pull(self, step: Floats) -> Floats:  # float[B] -> float[A]
        """The product G step."""

    def newton(self, w: Floats, slack: Floats, barrier: Floats) -> Solver:  # float[A], float[A], float[B]
        """A solver of [[H + diag(barrier), -G'], [-G, -diag(slack)]] (x, y) = (r, t), H the Hessian of w f."""


class _Criterion(Protocol):
    """The functions f_a by whose maximum a design is judged, convex and homogeneous of degree -1."""

    @property
    def weights(self) -> int:
        """The number of weights of a design for this criterion: B."""

    def at(self, eta: Floats) -> Point:  # float[B]
        """The criterion at eta > 0, which need not sum to 1."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """The best design found, and the weights that prove a lower bound for every design."""

    eta: Floats
    m: float
    lower: float
    where: Floats
    """The design at which the weights prove the bound; often eta itself."""
    weights: Floats

    @property
    def gap(self) -> float:
        """The largest relative distance of m from the least possible value."""
        return (self.m - self.lower) / self.lower if self.lower > 0 else float("inf")


def lower_bound(f: Floats, w: Floats, push: Floats) -> float:
    """The lower bound for all designs that the weights w prove (see the top of this file); push is w G."""
    steepest, total = float(push.max()), float(w.sum())
    return float(w @ f) ** 2 / steepest / total if 0 < steepest < np.inf and 0 < total < np.inf else 0.0


def minimise(
    criterion: _Criterion, tolerance: float, start: Floats | None = None, weights: Floats | None = None
) -> Minimum:
    """The design with the least max_a f_a, with its proof; the gap says whether the tolerance was reached.

    `weights` are multipliers to start from, where the start is known to be good. When the method does not reach the
    tolerance, it is tried again with shorter, checked steps and without these multipliers.
    """
    start = np.ones(criterion.weights) if start is None else start
    with np.errstate(all="ignore"):  # a point where something overflows is never the best one
        begin = _first(criterion, start) if weights is None else _first_near(criterion, start, weights)
        minimum = _descend(criterion, tolerance, begin, careful=False)
        if not minimum.gap <= tolerance:
            again = _descend(criterion, tolerance, _first(criterion, start), careful=True)
            best = min(minimum, again, key=lambda one: one.m)
            proof = max(minimum, again, key=lambda one: one.lower)
            minimum = Minimum(best.eta, best.m, proof.lower, proof.where, proof.weights)
    return minimum


@dataclass(frozen=True, eq=False)
class _Iterate:
    """An iterate of the method.

    `primal` holds the weights eta and the slacks s of f <= 1, `dual` the multipliers z of eta >= 0 and w of f <= 1: at
    the optimum primal * dual = 0, on the way all these products are kept about equal.
    """

    primal: Floats
    dual: Floats
    point: Point
    push: Floats
    """The product w G."""

    @property
    def count(self) -> int:
        """The number of weights: eta ends there and s begins."""
        return len(self.push)


def _first(criterion: _Criterion, start: Floats) -> _Iterate:
    """The first iterate: strictly feasible, with eta scaled until all f < 1, and equal multipliers w."""
    eta = start * (_START_ETA * criterion.at(start).f.max())
    point = criterion.at(eta)
    w = np.ones(len(point.f))
    push = point.push(w)
    scale = _START_DUAL / push.max()
    primal, dual = np.concatenate([eta, 1 - point.f]), np.concatenate([1 - scale * push, scale * w])
    return _Iterate(primal, dual, point, scale * push)


def _first_near(criterion: _Criterion, start: Floats, weights: Floats) -> _Iterate:
    """The first iterate where a good eta and good multipliers are known: nearer to them, no product much too small."""
    eta = start * (_GOOD_START_ETA * criterion.at(start).f.max())
    point = criterion.at(eta)
    w = weights * (_GOOD_START_DUAL / point.push(weights).max())
    primal = np.concatenate([eta, 1 - point.f])
    dual = np.maximum(np.concatenate([1 - point.push(w), w]), _LEAST_PRODUCT / primal)
    return _Iterate(primal, dual, point, point.push(dual[len(eta) :]))


def _descend(criterion: _Criterion, tolerance: float, now: _Iterate, careful: bool) -> Minimum:
    """The best design after Newton steps until the gap is proved, a step fails numerically, or there were too many."""
    m, lower = np.inf, 0.0
    best = proof = now
    for _ in range(_MOST_STEPS):
        f = now.point.f
        here, bound = float(f.max() * now.primal[: now.count].sum()), lower_bound(f, now.dual[now.count :], now.push)
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
    eta, where = best.primal[: now.count], proof.primal[: now.count]
    w = proof.dual[now.count :]
    return Minimum(eta / eta.sum(), m, lower, where / where.sum(), w / w.sum())


def _longest(x: Floats, step: Floats) -> float:
    """The share of the step, at most 1, that can be taken before some entry of x reaches 0."""
    return 1 / max(1.0, -float((step / x).min()))


def _step(criterion: _Criterion, now: _Iterate, careful: bool) -> _Iterate | None:
    """The iterate after one predictor-corrector step (Mehrotra 1992); None when the step fails numerically."""
    primal, dual, point, count = now.primal, now.dual, now.point, now.count
    dual_residual, primal_residual = now.push + dual[:count] - 1, 1 - point.f - primal[count:]
    barriers = dual / primal
    try:
        solve = point.newton(dual[count:], 1 / barriers[count:], barriers[:count])
    except np.linalg.LinAlgError:
        return None

    def direction(aims: Floats) -> tuple[Floats, Floats]:
        """The step after which primal * dual is, to first order, primal * dual + aims."""
        d_eta, _ = solve(dual_residual + aims[:count] / primal[:count], primal_residual - aims[count:] / dual[count:])
        d_primal = np.concatenate([d_eta, primal_residual + point.pull(d_eta)])
        return d_primal, (aims - dual * d_primal) / primal

    products = primal * dual
    mu = float(products.sum()) / len(primal)
    d_primal, d_dual = direction(-products)
    ahead = (primal + _longest(primal, d_primal) * d_primal) @ (dual + _longest(dual, d_dual) * d_dual)
    aim = mu * (float(ahead) / len(primal) / mu) ** 3
    d_primal, d_dual = direction(aim - products - d_primal * d_dual)
    if not np.isfinite(d_primal.sum() + d_dual.sum()):
        return None
    share = _CAREFUL if careful else max(_BOLD, 1 - mu)
    primal_length, dual_length = share * _longest(primal, d_primal), share * _longest(dual, d_dual)
    allowed = max(_MOST_VIOLATED, _VIOLATION_FALLS * float(np.abs(primal_residual).max())) if careful else np.inf
    for _ in range(_TRIES):
        new = primal + primal_length * d_primal
        ahead_point = criterion.at(new[:count])
        if not careful or not float((ahead_point.f + new[count:] - 1).max()) > allowed:
            break
        primal_length, dual_length = primal_length / 2, dual_length / 2
    np.maximum(new[count:], 1 - ahead_point.f, out=new[count:])
    new_dual = dual + dual_length * d_dual
    push = ahead_point.push(new_dual[count:])
    highest = float(push.max())
    if not highest < np.inf:
        return None
    back = 1 / max(1.0, highest)  # multipliers that are too large for the new eta are scaled down
    new_dual[count:] *= back
    return _Iterate(new, new_dual, ahead_point, back * push)
