"""eta*: how often to play each action so that all of them are learned as well as possible, with its proof.

The paper's choice of the sampling distribution (section 4): the minimiser of m(eta) = max_a sum_x P_a(x)^2 / Q(x),
with x the values of the reward's parents, P_a their law under action a and Q = sum_a eta_a P_a.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem, require_law
from bestdo.causal.action import do
from bestdo.causal.law import Law
from bestdo.design.difficulty import m_of_design
from bestdo.design.exchangeable import Counted
from bestdo.design.interior import Minimum, lower_bound, minimise
from bestdo.design.law_backend import Along, Listed, route
from bestdo.design.matrix import Matrix, design_of_matrix
from bestdo.design.parallel_design import Settings, design_of_product

__all__ = ["Design", "design_of_law", "optimal_design"]

Floats = NDArray[np.float64]

_NEVER = 1e-90


@dataclass(frozen=True, eq=False)
class Design:
    """A distribution over actions, its difficulty, and a proof of how near it is to the best."""

    eta: Floats
    """float[A]: how often to play each action; sums to 1."""
    m: float
    """m(eta): the largest variance of an importance-weighted reward under the design."""
    gap: float
    """m is at most (1 + gap) times the least m of any design: proven, whatever the method did."""
    certified: str
    """What the proof rests on."""

    def __post_init__(self) -> None:
        self.eta.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Design)
            and np.array_equal(self.eta, other.eta)
            and (self.m, self.gap, self.certified) == (other.m, other.gap, other.certified)
        )

    def __hash__(self) -> int:
        return hash((self.eta.tobytes(), self.m))


def optimal_design(problem: Problem, tolerance: float = 1e-6) -> Design:
    """The design of least m(eta), within a relative tolerance that `gap` proves.

    Where the tolerance cannot be reached the best design found is given with its true gap: look at it.
    """
    law = require_law(problem, "an optimal design")
    return _tidied(design_of_law(law, tolerance), law, tolerance)


def _tidied(design: Design, law: Law, tolerance: float) -> Design:
    """The same design without specks: actions played next to never are not played at all, where the proof still holds.

    A design that leaves most actions at exactly 0 is what a person can carry out, and what samplers are quick on.
    """
    design = replace(design, eta=_watching_instead(design.eta, law))
    lower = design.m / (1 + design.gap)
    for speck in (1e-3, 1e-5, 1e-7):
        eta = np.where(design.eta < speck * design.eta.max(), 0.0, design.eta)
        if (eta == design.eta).all():
            break
        if do() in law.actions:  # watching stands in best for what hardly needs to be set
            eta[law.actions.index(do())] += 1 - eta.sum()
        else:
            eta /= eta.sum()
        m = m_of_design(law, eta)
        if m <= lower * (1 + max(design.gap, tolerance)):
            return replace(design, eta=eta, m=m, gap=max(m / lower - 1, 0.0))
    return design


def _watching_instead(eta: Floats, law: Law) -> Floats:
    """Plays of actions that set what is certain anyway are given to do(), which is the same and costs nothing."""
    actions = law.actions
    if do() not in actions:
        return eta
    same = law.same_as_watching()
    moved = np.where(same, 0.0, eta)
    moved[actions.index(do())] = eta[same].sum()
    return moved


def design_of_law(law: Law, tolerance: float = 1e-6) -> Design:
    """The same for a law of the reward's parents."""
    way = route(law)
    if isinstance(way, Listed):
        return _design(design_of_matrix(way.table, tolerance), f"sums over {way.table.shape[1]:,} states")
    if isinstance(way, Counted):
        return _counted_design(way, tolerance)
    if isinstance(way, Settings):
        found, error = design_of_product(way, tolerance)
    else:
        found, error = _design_along(way, tolerance)
    return _design(found, f"integrals with a relative error of about {max(error, 1e-15):.0e} (nodes doubled)")


def _design(found: Minimum, certified: str) -> Design:
    return Design(found.eta, found.m, max(found.gap, 0.0), certified)


def _counted_design(way: Counted, tolerance: float) -> Design:
    reached = way.law.sum(axis=0) > _NEVER
    found = minimise(Matrix(way.law[:, reached], way.square[:, reached]), tolerance)
    eta = (found.eta / np.bincount(way.classes))[way.classes]
    counted = f"sums over {int(reached.sum()):,} counts of interchangeable variables"
    return _design(replace(found, eta=eta), counted)


def _design_along(way: Along, tolerance: float) -> tuple[Minimum, float]:
    """The design of a forest, checked with twice the nodes."""
    found = minimise(way.forest, tolerance)
    fine = replace(way.forest, step=way.forest.step / 2)
    point = fine.at(found.where)
    value, lower = float(fine.at(found.eta).f.max()), lower_bound(point.f, found.weights, point.push(found.weights))
    error = max(abs(value / found.m - 1), abs(lower / found.lower - 1))
    eta = (found.eta / np.bincount(way.classes))[way.classes]
    return replace(found, eta=eta, m=value, lower=lower), error
