"""Causal top-two beside the best that any learner can do, by dynamic programming on small worlds with flat tables."""

import numpy as np
import pytest

from bestdo import Actions, Graph, Problem, Variable
from bestdo.causal.law_from_tables import law_from_tables
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import final
from learners.bayes_optimum import best_mean, flat_worlds

PARALLEL = {"X1": (), "X2": (), "Y": ("X1", "X2")}
CONFOUNDED = {"Z": (), "X": ("Z",), "Y": ("Z", "X")}
MEDIATED = {"X": (), "M": ("X",), "Y": ("M",)}


def two(p):
    return np.array([1 - p, p])


def problem(parents, on=None, tables=None):
    """The problem of a graph; its law is known where all tables but the reward's are."""
    arrows = [(cause, effect) for effect, causes in parents.items() for cause in causes]
    graph = Graph.of([Variable(n) for n in parents], arrows, reward="Y")
    actions = Actions.single(graph, on)
    return Problem(graph, actions, law=law_from_tables(actions, tables) if tables else None)


def ratio(made, tables, rounds, lanes):
    """The regret of causal top-two over that of the optimum, and its standard error."""
    top = flat_worlds(made, tables, 400_000, np.random.default_rng(9)).means.max(axis=1).mean()
    optimum = top - best_mean(made, tables, rounds)
    who, rng = CausalTopTwo(), np.random.default_rng(4)
    worlds = flat_worlds(made, tables, lanes, np.random.default_rng(3))
    kept = worlds.means[np.arange(lanes), who.best(final(worlds, who, rounds, lanes, rng))]
    best = worlds.means.max(axis=1)
    slope = np.cov(best - kept, best)[0, 1] / best.var()
    regret = best - kept - slope * (best - top)  # less noise: the expectation of `best` is known
    return regret.mean() / optimum, regret.std() / np.sqrt(lanes) / optimum


def test_the_optimum_by_hand():
    """One fair cause: after one success of do(X=1) it is kept, with 2/3; after a failure do(X=0), with 1/2."""
    made = problem({"X": (), "Y": ("X",)}, tables={"X": two(0.5)})
    assert best_mean(made, {"X": two(0.5)}, 0) == pytest.approx(1 / 2)
    assert best_mean(made, {"X": two(0.5)}, 1) == pytest.approx((2 / 3 + 1 / 2) / 2)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("parents", "on", "rounds"),
    [(PARALLEL, None, 3), (PARALLEL, None, 5), (CONFOUNDED, ["X"], 6), (MEDIATED, None, 5)],
    ids=["two causes, 3 rounds", "two causes, 5 rounds", "confounded, 6 rounds", "mediator, 5 rounds"],
)
def test_with_the_graph_alone_it_is_near_the_optimum(parents, on, rounds):
    """1.01, 1.07, 1.08 and 1.01 (± 0.02)."""
    found, error = ratio(problem(parents, on), {}, rounds, 10_000)
    assert found < 1.15 + 2 * error


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("parents", "tables", "rounds"),
    [
        (PARALLEL, {"X1": two(0.3), "X2": two(0.5)}, 10),
        (PARALLEL, {"X1": two(0.05), "X2": two(0.4)}, 10),
        (CONFOUNDED, {"Z": two(0.4), "X": np.array([[0.9, 0.1], [0.3, 0.7]])}, 10),
    ],
    ids=["two causes", "two causes, one rare", "confounded"],
)
def test_with_the_law_it_is_near_the_optimum(parents, tables, rounds):
    """1.09, 1.18 and 1.15 (± 0.02): 1.08 is the goal, and is not reached."""
    found, error = ratio(problem(parents, tables=tables), tables, rounds, 10_000)
    assert found < 1.2 + 2 * error
