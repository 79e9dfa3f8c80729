"""The optimal design eta*: how often to play each action so that all are learned as well as possible, with a proof.

The paper's choice of the sampling distribution (section 4): the minimiser of m(eta) = max_a sum_x P_a(x)^2 / Q(x),
with x the values of the reward's parents, P_a their law under action a and Q = sum_a eta_a P_a.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import bestdo.display as display
from bestdo.arguments import of_type
from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem, require_law
from bestdo.causal.action import Actions, do
from bestdo.causal.law import Law
from bestdo.design.difficulty import m_of_design
from bestdo.design.exchangeable import CountLaw
from bestdo.design.interior import Minimum, lower_bound, minimise
from bestdo.design.law_backend import ForestLaw, Listed, backend_of
from bestdo.design.matrix import Matrix, design_of_matrix
from bestdo.design.parallel_design import Settings, design_of_product
from bestdo.text import counted

__all__ = ["TOLERANCE", "Design", "design_of_law", "optimal_design"]


TOLERANCE = 1e-6
"""The relative gap to which designs are computed unless the caller says otherwise; times: docs/results/benchmarks.md."""
# Weights below this share of the largest are set to 0, the largest share first with which the proof still holds. They
# trade how many actions are left to play for how much of the tolerance is used up; not measured.
_SPECKS = (1e-3, 1e-5, 1e-7)
_NEVER = 1e-90  # states whose probabilities sum to less are dropped: they add nothing to m in double precision
_ROUNDING = 1e-15  # the least relative error that is claimed for an integral


@dataclass(frozen=True, eq=False)
class Design:
    """A distribution over actions, its difficulty, and a proof of how near it is to the best.

    It is made by `bestdo.optimal_design`.

    >>> import bestdo
    >>> design = bestdo.optimal_design(bestdo.world("farm").problem)
    >>> float(design.eta.sum().round(6))
    1.0
    """

    eta: Floats
    """float[A]: how often to play each action; sums to 1."""
    m: float
    """m(eta): the largest variance of an importance-weighted reward under the design."""
    gap: float
    """m is at most (1 + gap) times the least m of any design: proven, also where the method failed to converge."""
    certified: str
    """The ground of the proof."""
    actions: Actions | None = None
    """The actions, in the order of `eta`."""

    def __post_init__(self) -> None:
        self.eta.setflags(write=False)

    def __repr__(self) -> str:
        played = f"{int((self.eta > 0).sum())} of {counted(len(self.eta), 'action')} played"
        return f"Design({played}, m = {self.m:.4g}, proven within {self.gap:.1g} of the least)"

    _repr_html_ = display.html
    plot = display.plot
    to_frame = display.to_frame

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Design)
            and np.array_equal(self.eta, other.eta)
            and (self.m, self.gap, self.certified) == (other.m, other.gap, other.certified)
        )

    def __hash__(self) -> int:
        return hash((self.eta.tobytes(), self.m))


def optimal_design(problem: Problem, tolerance: float = TOLERANCE) -> Design:
    """The design of least m(eta), within a relative tolerance that `gap` proves.

    Where the tolerance cannot be reached it is the best design that was found, and its `gap` is above the tolerance.

    problem: one of which the law of the reward's parents is known. Raises NotValid for others.

    >>> import bestdo
    >>> design = bestdo.optimal_design(bestdo.compose("examples/farm.toml").problem)
    >>> design.gap < 0.001
    True
    """
    of_type("a problem", problem, Problem, "Problem(graph, set=['price']), or bestdo.compose('farm.toml').problem")
    law = require_law(problem, "an optimal design")
    return replace(_without_specks(design_of_law(law, tolerance), law, tolerance), actions=problem.actions)


def _without_specks(design: Design, law: Law, tolerance: float) -> Design:
    """The design with tiny weights set to 0, as far as the proof still reaches the tolerance.

    With most weights exactly 0 a design is easier to carry out, and samplers are quicker.
    """
    design = replace(design, eta=_moved_to_do(design.eta, law))
    lower = design.m / (1 + design.gap)
    for speck in _SPECKS:
        eta = np.where(design.eta < speck * design.eta.max(), 0.0, design.eta)
        if (eta == design.eta).all():
            break
        if do() in law.actions:  # rounds of do() show every action a little
            eta[law.actions.index(do())] += 1 - eta.sum()
        else:
            eta /= eta.sum()
        m = m_of_design(law, eta)
        if m <= lower * (1 + max(design.gap, tolerance)):
            return replace(design, eta=eta, m=m, gap=max(m / lower - 1, 0.0))
    return design


def _moved_to_do(eta: Floats, law: Law) -> Floats:
    """The design with the weights of actions that have the law of do() moved to do()."""
    actions = law.actions
    if do() not in actions:
        return eta
    same = law.same_as_watching()
    moved = np.where(same, 0.0, eta)
    moved[actions.index(do())] = eta[same].sum()
    return moved


def design_of_law(law: Law, tolerance: float = TOLERANCE) -> Design:
    """The design of least m(eta) for a law of the reward's parents, as the solver gave it."""
    backend = backend_of(law)
    if isinstance(backend, Listed):
        return _design(design_of_matrix(backend.table, tolerance), f"sums over {backend.table.shape[1]:,} states")
    if isinstance(backend, CountLaw):
        return _design_of_counts(backend, tolerance)
    if isinstance(backend, Settings):
        minimum, error = design_of_product(backend, tolerance)
    else:
        minimum, error = _design_of_forest(backend, tolerance)
    return _design(minimum, f"integrals with a relative error of about {max(error, _ROUNDING):.0e} (nodes doubled)")


def _design(minimum: Minimum, certified: str) -> Design:
    """The solver's answer as a Design."""
    return Design(minimum.eta, minimum.m, max(minimum.gap, 0.0), certified)


def _design_of_counts(backend: CountLaw, tolerance: float) -> Design:
    """The design of a law of counts, spread over the actions of each class."""
    reached = backend.law.sum(axis=0) > _NEVER
    minimum = minimise(Matrix(backend.law[:, reached], backend.square[:, reached]), tolerance)
    eta = (minimum.eta / np.bincount(backend.classes))[backend.classes]
    return _design(replace(minimum, eta=eta), f"sums over {int(reached.sum()):,} counts of interchangeable variables")


def _design_of_forest(backend: ForestLaw, tolerance: float) -> tuple[Minimum, float]:
    """The design of a forest, its value and bound computed again with twice the nodes, and how much they changed."""
    minimum = minimise(backend.forest, tolerance)
    fine = replace(backend.forest, step=backend.forest.step / 2)
    point = fine.at(minimum.where)
    value, lower = (
        float(fine.at(minimum.eta).f.max()),
        lower_bound(point.f, minimum.weights, point.push(minimum.weights)),
    )
    error = max(abs(value / minimum.m - 1), abs(lower / minimum.lower - 1))
    eta = (minimum.eta / np.bincount(backend.classes))[backend.classes]
    return replace(minimum, eta=eta, m=value, lower=lower), error
