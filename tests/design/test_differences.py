"""The design for differences, against arithmetic and against a general solver."""

import numpy as np
import pytest
from scipy.optimize import minimize

from bestdo.design.differences import design_of_differences


def variance(law, judged, eta):
    a, b = np.triu_indices(len(judged), 1)
    q = eta @ law
    square = (judged[a] - judged[b]) ** 2
    return (square[:, q > 0] @ (1 / q[q > 0])).max()


def test_actions_that_tell_nothing_about_each_other_are_played_equally():
    found = design_of_differences(np.eye(5), np.eye(5))
    assert found.eta == pytest.approx([0.2] * 5, abs=1e-3)
    assert found.m == pytest.approx(10, rel=1e-3)


def test_actions_that_are_out_are_not_played_where_they_tell_nothing():
    found = design_of_differences(np.eye(5), np.eye(5)[[1, 3]])
    assert found.eta == pytest.approx([0, 0.5, 0, 0.5, 0], abs=1e-3)
    assert found.m == pytest.approx(4, rel=1e-3)


def test_an_action_that_is_out_is_played_where_it_tells_the_contenders_apart():
    law = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.5, 0.5, 0.0]])
    found = design_of_differences(law, law[:2])
    assert found.eta[2] > 0.97  # both states equally often
    assert found.m == pytest.approx(0.04, rel=1e-3)


def test_dear_actions_get_money_by_the_square_root_of_their_price():
    prices = np.array([1.0, 9.0])
    found = design_of_differences(np.eye(2) / prices[:, None], np.eye(2))
    assert found.eta == pytest.approx([0.25, 0.75], abs=2e-3)


def test_where_no_two_differ_any_design_does():
    found = design_of_differences(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([[0.5, 0.5], [0.5, 0.5]]))
    assert found.m == 0
    assert found.eta.sum() == pytest.approx(1)


@pytest.mark.parametrize("seed", range(8))
def test_no_general_solver_does_better_and_the_proof_holds(seed):
    rng = np.random.default_rng(seed)
    actions, states = int(rng.integers(3, 10)), int(rng.integers(3, 20))
    law = rng.dirichlet(np.full(states, 0.3), actions)
    judged = law[: max(2, actions // 2)]
    found = design_of_differences(law, judged)
    assert found.gap < 1e-3
    assert variance(law, judged, found.eta) == pytest.approx(found.m, rel=1e-6)
    a, b = np.triu_indices(len(judged), 1)
    square = (judged[a] - judged[b]) ** 2
    start = rng.dirichlet(np.ones(actions))

    def room(z):
        return z[-1] - square @ (1 / (np.maximum(z[:-1], 1e-12) @ law))

    other = minimize(
        lambda z: z[-1],
        np.r_[start, variance(law, judged, start)],
        constraints=[{"type": "eq", "fun": lambda z: z[:-1].sum() - 1}, {"type": "ineq", "fun": room}],
        bounds=[(0, 1)] * actions + [(0, None)],
        method="SLSQP",
    )
    eta = np.maximum(other.x[:-1], 1e-12)
    assert found.lower <= variance(law, judged, eta / eta.sum()) * (1 + 1e-9)
    assert found.m <= variance(law, judged, eta / eta.sum()) * (1 + 1e-3)
