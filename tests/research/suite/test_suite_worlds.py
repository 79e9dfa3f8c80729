"""The worlds of the suite: each is what it says, and its means are those of an independent calculation."""

import itertools
import json
import math
import sys

import numpy as np
import pytest

import bestdo
from bestdo.learners import LEARNERS
from bestdo.research.suite.suite_world import KINDS
from bestdo.research.suite.suite_worlds import WORLDS
from bestdo.testing import check_world
from support import DATA, ROOT

sys.path.insert(0, str(ROOT / "docs"))
import generated  # what the build of the documentation makes from the code

ROUNDS = 2000  # in all, and at least 12 for each action: hundredths of a second for most worlds


def mean(name, action):
    world = WORLDS[name].world
    return float(world.means[world.problem.actions.index(action)])


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_is_what_it_says(name):
    """Five sigma for each action of a world; a wrong table is shown to fail below."""
    world = WORLDS[name].world
    check_world(world, rounds=max(12, ROUNDS // len(world.problem.actions)))
    assert WORLDS[name].about.endswith(".")
    assert len(WORLDS[name].horizons) in (2, 3)
    assert all(number.learner in LEARNERS for number in WORLDS[name].published)
    assert all(number.horizon in WORLDS[name].horizons for number in WORLDS[name].published)
    assert bestdo.world(name).problem == world.problem
    assert np.array_equal(bestdo.world(name).means, world.means)


def test_a_wrong_mean_is_found():
    world = WORLDS["covering-layers"].world
    vars(world)["means"] = world.means + 0.25
    try:
        with pytest.raises(AssertionError, match="its rounds"):
            check_world(world, rounds=100)
    finally:
        del vars(world)["means"]


def test_there_are_worlds_of_every_kind():
    assert {world.kind for world in WORLDS.values()} == set(KINDS)
    assert list(WORLDS) == [world.name for world in WORLDS.values()]
    assert {world.goal for world in WORLDS.values()} == {"find", "earn"}


def test_the_page_of_the_documentation_names_every_world():
    page = generated.suite_sections()
    assert "<!-- suite -->" in (ROOT / "docs" / "reference" / "suite-worlds.md").read_text()
    for name, world in WORLDS.items():
        assert page.count(f"| `{name}` | {world.goal} |") == 1
        assert page.count(f"**{name}**, version {world.version}: ") == 1
    assert page.count("*Published:*") == sum(len(world.published) for world in WORLDS.values()) > 4
    assert "`thompson` at 5,000: 18.06 ± 1.8 (authors' code;" in page


def test_numbers_of_the_authors_program_are_those_of_its_runs():
    points = json.loads((DATA / "authors_figure2.json").read_text())
    runs = {(p["m"], p["horizon"], p["regret"], p["standard_error"] or None) for p in points}
    for name, m in [("", 2), ("-m10", 10), ("-m30", 30), ("-small-gap", 2)]:
        said = WORLDS[f"paper-parallel{name}"].published
        assert {(m, n.horizon, n.value, n.error) for n in said} <= runs
        assert len(said) >= 3


@pytest.mark.parametrize(
    "network", ["sachs", *(pytest.param(n, marks=pytest.mark.campaign) for n in ("insurance", "alarm"))]
)
def test_what_is_seen_first_on_networks_is_what_the_figure_finds(network):
    from bestdo.research.figures.network_contexts import contextual_worlds

    name = next(name for name in WORLDS if name.startswith(f"{network}-contexts"))
    mine, found = WORLDS[name].world, contextual_worlds(network)[0]
    assert (mine.problem.actions, mine.problem.first) == (found.problem.actions, found.problem.first)
    assert np.array_equal(mine.means, found.means)


def test_fitted_models_by_their_counts():
    """Clicks in 10,000 rows of the log: 46, spread over 21 cells with 1/2 added to each count; 1,566 and 614 rows."""
    assert mean("open-bandit", bestdo.do()) == pytest.approx((46 + 21 / 2) / 10_000, abs=3e-5)
    log = WORLDS["nhefs"].world
    assert log.means[0] == pytest.approx(
        2.638, abs=0.1
    )  # the log's mean of gain; the graph changes its weights a little
    means, chance = WORLDS["lalonde"].world.means_by_context
    assert means.shape == (4, 2)
    assert chance[3] == pytest.approx((120 + 23) / 614, abs=1e-3)


def test_covering_layers_by_enumeration():
    """P(Y = 1) over all values of the nine variables between, for the parents in the authors' sample model."""
    second = [(3, 4, 5, 6), (1, 3, 4, 6), (1, 2, 4, 5), (0, 1, 3, 4), (0, 1, 2, 6)]
    third = [(1, 2, 3, 4), (0, 1, 2, 4), (1, 2, 3, 4), (0, 1, 2, 4)]

    def chances(values, parents):
        return [0.8 if all(values[p] for p in each) else 0.4 for each in parents]

    def weight(values, chance):
        return math.prod(p if v else 1 - p for v, p in zip(values, chance, strict=True))

    for roots in [(1,) * 7, (0,) * 7, (1, 1, 1, 1, 1, 0, 1), (0, 1, 1, 0, 1, 1, 0)]:
        total = 0.0
        for middle in itertools.product((0, 1), repeat=5):
            above = weight(middle, chances(roots, second))
            for last in itertools.product((0, 1), repeat=4):
                total += above * weight(last, chances(middle, third)) * (0.9 if all(last) else 0.4)
        setting = {f"V{i + 1}": str(v) for i, v in enumerate(roots)}
        assert mean("covering-layers", bestdo.do(setting)) == pytest.approx(total, abs=1e-12)


def test_linear_models_have_the_published_best():
    for name, action, best in [
        ("ccb-three-of-six", bestdo.do(X2=1, X3=1, X4=1), 0.84),
        ("ccb-two-of-eight", bestdo.do(X1=1, X2=1), 0.76),
        ("ccb-two-layers", bestdo.do(X1=1, X3=1), 0.6 + 2 * 0.1 * (0.1 + 0.7 + 0.1 * 0.1)),
    ]:
        assert mean(name, action) == pytest.approx(WORLDS[name].world.means.max()) == pytest.approx(best)


def test_instruments_and_casinos_have_the_published_best():
    assert round(mean("pomis-iv", bestdo.do(Z=0)), 3) == 0.773
    assert WORLDS["pomis-xyzwst"].world.means.max() == pytest.approx(0.79969, abs=5e-6)
    assert WORLDS["pomis-markovian"].world.means.max() == 1
    # given the intuition M1, the two are 00 and 11; the best machine is the same in both, as in the other two
    for name, best in [("greedy", [(0.5 + 0.4) / 2, (0.5 + 0.4) / 2]), ("paradoxical", [0.6, 0.3])]:
        means, chance = WORLDS[f"casino-{name}"].world.means_by_context
        assert means.max(axis=1) == pytest.approx(best)
        assert chance == pytest.approx([0.5, 0.5])


def test_seldom_causes_and_contexts_after_acting_by_hand():
    below = 0.5 - 0.3 / 18 / 0.7
    assert mean("srm-skewed", bestdo.do(X46=1)) == pytest.approx(0.8)
    assert mean("srm-skewed", bestdo.do(X46=0)) == pytest.approx(below)
    assert mean("srm-skewed", bestdo.do(X3=1)) == pytest.approx(below + (0.8 - below) / 18)
    gap = math.sqrt(20 * math.log(3000) / 3000)
    assert mean("hac-benign", bestdo.do(X="arm 1")) == pytest.approx(0.5 + 0.9995 * gap)
    assert mean("hac-contradicting", bestdo.do(X="arm 1")) == pytest.approx(6 / 8 * 5.5 / 6 + 2 / 8 * 0.5 / 6)
    assert mean("hac-contradicting", bestdo.do(X="arm 20")) == pytest.approx(7 / 8 / 6 + 1 / 8 * 5 / 6)
    assert mean("paper-parallel-small-gap", bestdo.do(X1=1)) == pytest.approx(0.5 + math.sqrt(50 / 8 / 545))


def test_psa_by_quadrature():
    """The equations of the source, integrated over age and weight; groups of these cost the example less than 0.01."""
    ages = np.linspace(55, 75, 401)
    ages = (ages[1:] + ages[:-1]) / 2
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    age, weight = ages[:, None], (weights / weights.sum())[None, :] / len(ages)
    bmi = 27 - 0.01 * age + 0.7 * nodes[None, :]
    published = {(0, 0): 5.764, (0, 1): 5.155, (1, 0): 6.318, (1, 1): 5.709}
    for (aspirin, statin), said in published.items():
        cancer = 1 / (1 + np.exp(-(2.2 - 0.05 * age + 0.01 * bmi - 0.04 * statin + 0.02 * aspirin)))
        psa = 6.8 + 0.04 * age - 0.15 * bmi - 0.6 * statin + 0.55 * aspirin + cancer
        exact = float((weight * psa).sum())
        assert exact == pytest.approx(said, abs=2e-3)
        action = bestdo.do(aspirin=("no", "yes")[aspirin], statin=("no", "yes")[statin])
        assert mean("psa-no-limit", action) == pytest.approx(exact, abs=0.01)


def test_a_wrong_mean_in_a_context_is_found():
    world = WORLDS["visits"].world
    means, chance = world.means_by_context
    shifted = means.copy()
    shifted[[0, 1], 0] = means[0, 0] + 0.5 * chance[1], means[1, 0] - 0.5 * chance[0]
    for wrong, said in (((shifted, chance), "in context 0 has mean"), ((means, chance[::-1]), "context 0 has chance")):
        vars(world)["means_by_context"] = wrong
        try:
            with pytest.raises(AssertionError, match=said):
                check_world(world, rounds=2000)
        finally:
            vars(world)["means_by_context"] = means, chance


def test_a_hidden_value_that_is_shown_is_found():
    world = WORLDS["bow"].world
    vars(world)["rounds"] = lambda plan, rng: (
        type(world)
        .rounds(world, plan, rng)
        ._replace(x=np.zeros((int(plan.counts.sum()), len(world.problem.graph.names)), np.int16))
    )
    try:
        with pytest.raises(AssertionError, match="rounds show U, which is hidden"):
            check_world(world, rounds=10)
    finally:
        del vars(world)["rounds"]


def test_the_confounded_world_is_not_said_to_be_the_papers():
    """Figure 1 (b) of the paper is X1 -> X2 -> Y, X1 -> Y: a common cause causes the reward directly. Here none does."""
    graph, entry = WORLDS["confounded"].world.problem.graph, WORLDS["confounded"]
    causes = ("X1", "X2", "X3", "X4", "X5")
    assert all(graph.parents[n] == ("Z",) for n in causes)
    assert sorted(graph.parents["Y"]) == sorted(causes)
    assert "not figure 1 (b)" in entry.source
    assert "no direct cause of it" in entry.about
    assert entry.version == 1  # words have changed, and no number
