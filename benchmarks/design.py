"""Optimal designs: compared with cvxpy and Clarabel, with SciPy's SLSQP, and with the seconds allowed for large ones."""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize

from benchmarks.timing import Row, cpu
from bestdo.design.matrix import design_of_matrix
from bestdo.design.parallel_design import Settings, design_of_product

SIZES = ((21, 1024), (29, 2**14), (200, 4096), (500, 1000), (2000, 256))
"""Numbers of actions and states compared with Clarabel."""
SMALL = ((3, 4), (5, 16), (10, 64), (21, 1024), (50, 500))
"""Numbers of actions and states compared with SLSQP."""
TOLERANCE = 1e-6
"""The proven gap that a design must reach."""


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    yield from beside_clarabel(rng)
    for actions, states in SMALL:
        law = rng.dirichlet(np.ones(states), actions)
        repeat = 20 if states < 500 else 5
        theirs = cpu(partial(slsqp, law), repeat)
        yield Row(f"eta*, {actions} actions × {states:,} states", ours(law, repeat), "SLSQP", theirs, 1)
    for size, seconds in ((1000, 3.0), (10_000, 30.0)):
        for name, q in distributions(rng, size):
            settings = parallel(q)
            design, _ = design_of_product(settings, TOLERANCE)
            assert design.gap <= TOLERANCE
            taken = cpu(partial(design_of_product, settings, TOLERANCE), 1)
            yield Row(f"eta*, {size:,} variables, q {name}", taken, "the seconds allowed", seconds, 1)


def beside_clarabel(rng: np.random.Generator) -> Iterator[Row]:
    """Designs of explicit laws, compared with cvxpy and Clarabel where these are installed."""
    try:
        import cvxpy
    except ImportError:
        print("cvxpy and Clarabel are not installed: not measured (pip install cvxpy clarabel)")
        return
    for actions, states in SIZES:
        is_parallel = states == 2 ** ((actions - 1) // 2)
        law = parallel_table(rng, actions) if is_parallel else rng.dirichlet(np.ones(states), actions)
        taken = ours(law, 3)
        what = f"eta*, {actions} actions × {states:,} states"
        try:
            theirs = cpu(partial(clarabel, cvxpy, law), 1)
        except cvxpy.error.SolverError:
            print(f"{what}: Clarabel gives up; bestdo takes {taken:.3g} s")
            continue
        yield Row(what, taken, "cvxpy + Clarabel", theirs, 20)


def ours(law: np.ndarray, repeat: int) -> float:
    """CPU seconds of bestdo's design of a law."""
    assert design_of_matrix(law, TOLERANCE).gap <= TOLERANCE
    return cpu(lambda: design_of_matrix(law, TOLERANCE), repeat)


def clarabel(cvxpy: Any, law: np.ndarray) -> float:
    """The optimum by cvxpy and Clarabel, in homogeneous form: minimise sum(eta) subject to V (1/Q) <= 1.

    States are scaled by their total and weights by their number.
    """
    total, count = law.sum(axis=0), len(law)
    weights = cvxpy.Variable(count, nonneg=True)
    variance = (count * law**2 / total) @ cvxpy.inv_pos((law / total).T @ weights)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum(weights) / count), [variance <= 1])
    problem.solve(solver=cvxpy.CLARABEL)
    return float(problem.value)


def slsqp(law: np.ndarray) -> float:
    """The optimum by SciPy's SLSQP, in epigraph form with Jacobians, started from the uniform design."""
    count, square = len(law), law**2

    def slope(point: np.ndarray) -> np.ndarray:
        return np.column_stack([(square / (point[:-1] @ law) ** 2) @ law.T, np.ones(count)])

    constraints = [
        {"type": "ineq", "fun": lambda p: p[-1] - square @ (1 / (p[:-1] @ law)), "jac": slope},
        {"type": "eq", "fun": lambda p: p[:-1].sum() - 1, "jac": lambda p: np.append(np.ones(count), 0.0)},
    ]
    found = minimize(
        lambda p: p[-1],
        np.append(np.full(count, 1 / count), (square @ (1 / law.mean(axis=0))).max()),
        jac=lambda p: np.append(np.zeros(count), 1.0),
        bounds=[(1e-12, 1)] * count + [(1, None)],
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-8, "maxiter": 200},
    )
    return float(found.fun)


def parallel_table(rng: np.random.Generator, actions: int) -> np.ndarray:
    """The law of do() and all single actions on random independent binary variables: float[actions, states]."""
    q = rng.uniform(0.01, 0.5, (actions - 1) // 2)
    states = np.array(list(itertools.product((0, 1), repeat=len(q))))
    natural = np.where(states, q, 1 - q).prod(axis=1)
    settings = itertools.product(range(len(q)), (0, 1))
    return np.array([natural, *(natural * (states[:, i] == j) / (q[i] if j else 1 - q[i]) for i, j in settings)])


def parallel(q: np.ndarray) -> Settings:
    """The law for binary variables with these probabilities, in the form that needs no table."""
    size = len(q)
    variable, value = np.append(np.repeat(np.arange(size), 2), -1), np.append(np.tile([0, 1], size), 0)
    return Settings([np.array([1 - x, x]) for x in q], variable, value)


def distributions(rng: np.random.Generator, size: int) -> Iterator[tuple[str, np.ndarray]]:
    """Probabilities of so many binary variables, drawn in three ways, each with its name."""
    yield "even", rng.uniform(0, 0.5, size)
    yield "from 1e-5 to 0.5", 10 ** rng.uniform(-5, np.log10(0.5), size)
    yield "Beta(0.3, 0.3)", rng.beta(0.3, 0.3, size)
