"""The published worlds of earning, beside their authors' numbers and a count over all hidden values."""

import itertools

import numpy as np
import pytest

import bestdo
from bestdo import do
from bestdo.errors import BestdoError
from bestdo.learners import learner
from bestdo.research.figures.hac import WithAlarm
from bestdo.research.figures.hac import measure as measure_hac
from bestdo.research.figures.pomis import measure
from bestdo.research.worlds.earning_worlds import (
    ARMS,
    contradicting_context,
    pomis_iv,
    pomis_markovian,
    pomis_xyzwst,
    screening_context,
)


def mean_of(equations, chances, action):
    """The mean of Y over all values of the independent causes, by the authors' equations."""
    total = 0.0
    for bits in itertools.product((0, 1), repeat=len(chances)):
        v = dict(zip(chances, bits, strict=True))
        chance = np.prod([p if v[n] else 1 - p for n, p in chances.items()])
        for name, equation in equations.items():
            v[name] = int(action[name]) if name in action else equation(v)
        total += chance * v["Y"]
    return total


IV = {
    "Z": lambda v: v["uz"],
    "X": lambda v: v["ux"] ^ v["u"] ^ v["Z"],
    "Y": lambda v: 1 ^ v["uy"] ^ v["u"] ^ v["X"],
}
MARKOVIAN = {
    "Z1": lambda v: v["a"],
    "Z2": lambda v: v["b"],
    "X1": lambda v: v["c"] ^ v["Z1"] ^ v["Z2"],
    "X2": lambda v: 1 ^ v["d"] ^ v["Z1"] ^ v["Z2"],
    "Y": lambda v: v["e"] | (v["X1"] & v["X2"]),
}
XYZWST = {
    "S": lambda v: v["us"],
    "T": lambda v: v["ut"],
    "W": lambda v: v["uw"] ^ v["v"] ^ v["S"],
    "Z": lambda v: v["uz"] ^ v["u"],
    "X": lambda v: 1 ^ v["ux"] ^ v["Z"] ^ v["v"] ^ v["T"],
    "Y": lambda v: v["uy"] ^ v["u"] ^ v["X"] ^ v["W"] ^ v["T"],
}


def drawn(*ranges):
    """Chances drawn between these ends and rounded, by the legacy generator with seed 0, as the authors draw them."""
    rng = np.random.RandomState(0)
    return [round(rng.rand() * (high - low) + low, 2) for low, high in ranges]


def authors_chances(world):
    few, half, some = (0.01, 0.1), (0.4, 0.6), (0.1, 0.9)
    if world is pomis_iv:
        return dict(zip(("ux", "uy", "uz", "u"), drawn((0.01, 0.2), (0.01, 0.2), (0.01, 0.99), half), strict=True))
    if world is pomis_markovian:
        return dict(zip("cdeab", drawn(*[some] * 5), strict=True))
    names = ("v", "u", "ux", "uy", "uz", "uw", "us", "ut")
    return dict(zip(names, drawn(half, half, few, few, few, few, some, some), strict=True))


@pytest.mark.parametrize(
    ("world", "equations", "best"),
    [(pomis_iv, IV, 0.773), (pomis_markovian, MARKOVIAN, 1.0), (pomis_xyzwst, XYZWST, 0.79969)],
)
def test_means_are_those_of_the_equations(world, equations, best):
    made, chances = world(), authors_chances(world)
    every = range(0, len(made.problem.actions), 1 if len(made.problem.actions) < 100 else 16)
    expected = [mean_of(equations, chances, made.problem.actions[a]) for a in every]
    assert made.means[list(every)] == pytest.approx(expected, abs=1e-12)
    assert made.means.max() == pytest.approx(best, abs=5e-6)


@pytest.mark.parametrize(
    ("world", "sizes"),
    [(pomis_iv, (4, 5, 9, 4)), (pomis_markovian, (4, 49, 81, 16)), (pomis_xyzwst, (16, 75, 243, 32))],
)
def test_arms(world, sizes):
    assert tuple(len(world(arms).problem.actions) for arms in ARMS) == sizes
    free = world().problem
    left = {a for a, can in zip(free.actions, free.contenders, strict=True) if can}
    assert left == set(world("POMIS").problem.actions)  # so every learner plays these alone, unless told otherwise


def test_a_set_of_arms_that_is_none():
    with pytest.raises(BestdoError, match="POMIS"):
        pomis_iv("pomis")
    assert bestdo.world("pomis-iv", arms="MIS").problem.contenders.all()


def test_regret_is_against_the_best_of_all():
    found = measure(pomis_iv("all at once"), learner("thompson"), 100, 20, np.random.default_rng(0))
    assert (found["regret"] >= 100 * (0.773 - 0.507) - 1e-9).all()
    assert found["realised"].mean() == pytest.approx(found["regret"].mean(), abs=4 * 5 / 20**0.5)  # 4 sigma


def test_contexts_seen_after_acting():
    right, wrong = screening_context(1000), contradicting_context()
    gap = (20 * np.log(1000) / 1000) ** 0.5
    assert right.means == pytest.approx([0.5 + 0.9995 * gap] + [0.5 + 0.0005 * gap] * 19)
    assert wrong.means == pytest.approx([0.75 * 5.5 / 6 + 0.25 * 0.5 / 6] * 10 + [0.25] * 10)
    for world in (right, wrong):
        assert world.problem.contenders.all()
        assert world.problem.law.flat.sum(axis=1) == pytest.approx(1)
    assert right.problem.law.flat[0] == pytest.approx([0.9995, 0.0005])
    with pytest.raises(BestdoError, match="more rounds are needed"):
        screening_context(300)
    assert wrong.problem.actions[0] == do(X="arm 1")


def test_the_alarm_ends_the_trust_in_a_wrong_graph():
    """Raised in all lanes where the graph is wrong, in none where it is right."""
    player = WithAlarm(learner("c-ts"), learner("thompson"))
    wrong = measure_hac(contradicting_context(), player, 200, 4, np.random.default_rng(0))
    right = measure_hac(screening_context(512), player, 512, 2, np.random.default_rng(0))
    assert wrong["distrusts"].tolist() == [1.0] * 4
    assert right["distrusts"].tolist() == [0.0] * 2


@pytest.mark.campaign
def test_thompson_sampling_earns_what_the_authors_measured():
    """Their program: 18.06 ± 1.8 by rewards that were drawn, 300 runs; 3 standard errors of the difference."""
    found = measure(pomis_iv("POMIS"), learner("thompson"), 5000, 300, np.random.default_rng(1))["realised"]
    assert abs(found.mean() - 18.06) < 3 * np.hypot(1.8, found.std() / 300**0.5)
