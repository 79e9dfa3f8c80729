"""Worlds whose reward is a sum of terms: their means are those of the same worlds in tables, and their rounds have them."""

import numpy as np
import pytest

from bestdo.bandit.rounds import Plan
from bestdo.causal.outcome import Outcome
from bestdo.research.figures.held_out_classes import HELD_OUT
from bestdo.research.figures.scaling_classes import scaling_classes
from bestdo.research.worlds.summed_worlds import SummedClass
from bestdo.simulate.world_batch import Worlds

CLASSES = {name: made for name, made in {**scaling_classes(), **HELD_OUT}.items() if isinstance(made, SummedClass)}
FEW = 12
"""The most causes of a world that is written out as a table."""
SIGMAS = 5.0


def drawn(name, lanes=3):
    return CLASSES[name].worlds(lanes, np.random.default_rng(4))


def in_tables(worlds):
    """The same worlds with the table, or the means, of the reward for all joint values of its causes."""
    sizes = [worlds.graph.size(n) for n in worlds.graph.names[:-1]]
    total = np.zeros((worlds.lanes, *sizes))
    for causes, term in worlds.terms:
        total += term.reshape(worlds.lanes, *(size if i in causes else 1 for i, size in enumerate(sizes)))
    causes = {n: worlds.tables[n] for n in worlds.graph.names[:-1]}
    if worlds.noise is None:
        return Worlds(worlds.problem, worlds.lanes, {**causes, "Y": np.stack([1 - total, total], axis=-1)})
    return Worlds(worlds.problem, worlds.lanes, causes, numbers={"Y": Outcome(total, np.ones(total.shape))})


@pytest.mark.parametrize("name", [n for n, made in CLASSES.items() if len(made.problem.graph.names) <= FEW + 1])
def test_means_are_those_of_tables(name):
    worlds = drawn(name)
    assert worlds.means == pytest.approx(in_tables(worlds).means, abs=1e-12)


def test_some_are_in_tables_and_some_are_too_large_for_them():
    sizes = [len(made.problem.graph.names) - 1 for made in CLASSES.values()]
    assert min(sizes) <= FEW < max(sizes) == 60


@pytest.mark.parametrize("name", CLASSES)
def test_rounds_have_the_means_and_keep_to_their_actions(name):
    """Five standard errors of the mean of 4,000 rounds each of three actions; slipped decimal points add 18 % to a mean."""
    worlds, rounds = drawn(name), 4000
    some = np.unique(np.linspace(0, len(worlds.problem.actions) - 1, 3).astype(int))
    counts = np.zeros(worlds.means.shape, np.int64)
    counts[:, some] = rounds
    played = worlds.rounds(Plan(counts), np.random.default_rng(9))
    codes = worlds.problem.actions.codes[played.action]
    assert ((played.x == codes) | (codes < 0)).all()
    in_unit = worlds.graph.rewarded.scale.in_unit
    slip = 1 + 0.02 * 9 if "slipped" in name else 1
    for lane in range(worlds.lanes):
        for action in some:
            y = in_unit(played.y[(played.lane == lane) & (played.action == action)])
            error = y.std() / np.sqrt(len(y))
            assert len(y) == rounds
            assert abs(y.mean() - slip * worlds.means[lane, action]) < SIGMAS * error


def test_lanes_from_a_later_one_on_are_in_their_own_worlds():
    """Five standard errors, as above; the second lane's mean is another one."""
    worlds = drawn("number, 1 of 12 causes adds")
    counts = np.zeros((1, len(worlds.problem.actions)), np.int64)
    counts[0, 1] = 4000
    y = worlds.graph.rewarded.scale.in_unit(worlds.rounds(Plan(counts), np.random.default_rng(2), first=2).y)
    assert abs(y.mean() - worlds.means[2, 1]) < SIGMAS * y.std() / np.sqrt(4000)
    assert abs(y.mean() - worlds.means[0, 1]) > SIGMAS * y.std() / np.sqrt(4000)


@pytest.mark.parametrize("name", [n for n, made in CLASSES.items() if made.noise is None])
def test_sums_of_terms_are_probabilities(name):
    worlds = drawn(name, 200)
    low = sum(term.reshape(200, -1).min(axis=1) for _, term in worlds.terms)
    high = sum(term.reshape(200, -1).max(axis=1) for _, term in worlds.terms)
    assert (low > 0).all()
    assert (high < 1).all()
