"""Every kind of world: each class is what its name says, and the verdict finds a learner that is bad."""

import csv
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from bestdo.bandit.rounds import Plan
from bestdo.causal.action import do
from bestdo.errors import BestdoError
from bestdo.experiments import experiment, run
from bestdo.experiments.engine.runner import rows
from bestdo.learners import learner
from bestdo.learners.uniform import Uniform
from bestdo.report.figure import draw
from bestdo.research.figures.every_world import measure, verdicts
from bestdo.research.figures.held_out_classes import HELD_OUT
from bestdo.research.figures.scaling_classes import scaling_classes
from bestdo.research.figures.world_classes import world_classes
from bestdo.research.worlds.summed_worlds import SummedClass
from bestdo.simulate import World
from bestdo.simulate.world_batch import Worlds
from support import ROOT, brute_force

CLASSES = world_classes()
DRAWN = [name for name, made in CLASSES.items() if not isinstance(made, World)]
MANY = 2**15
"""The most joint states of a world whose joint distribution is multiplied out."""


def drawn(name, lanes=6, seed=1):
    made = CLASSES[name]
    return made if isinstance(made, World) else made.worlds(lanes, np.random.default_rng(seed))


def test_there_are_more_than_forty_classes_of_all_kinds():
    whole = experiment("every-world")
    assert len(CLASSES) == 126
    assert HELD_OUT.keys() < CLASSES.keys()
    assert not HELD_OUT.keys() & scaling_classes().keys()
    assert {s.panel for s in whole.settings} == set(CLASSES)
    assert {s.x for s in whole.settings} == {0.5, 2, 10, 50}
    for s in whole.settings:
        assert s.horizon == pytest.approx(s.x * s.world.problem.prices.sum(), abs=0.5)


@pytest.mark.parametrize("name", [name for name, made in CLASSES.items() if not isinstance(made, SummedClass)])
def test_a_world_of_each_class_has_the_means_of_its_joint_distribution(name):
    """Sums of terms have no joint tables; their means are checked in `tests/research/worlds/test_summed_worlds.py`."""
    worlds = drawn(name)
    one = worlds if isinstance(worlds, World) else worlds.one(3)
    means = worlds.means if isinstance(worlds, World) else worlds.means[3]
    for table in one.model.tables.values():
        assert (table >= 0).all()
        assert table.sum(axis=-1) == pytest.approx(1)
    if math.prod(len(v.values) for v in one.model.graph.variables) > MANY:
        assert name.startswith("the paper's world")
        assert means[[str(a) for a in one.problem.actions].index("do(X1=1)")] == pytest.approx(0.8)
        return
    for action, mean in zip(one.problem.actions, means, strict=True):
        assert brute_force(one.model, ["Y"], do=action)[1] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("name", DRAWN)
def test_worlds_of_a_class_differ_between_lanes_and_seeds_and_not_otherwise(name):
    first, again, other = drawn(name), drawn(name), drawn(name, seed=0)
    assert first.lanes == len(first.means) == 6
    assert np.array_equal(first.means, again.means)
    if not name.startswith("all actions equal"):
        assert not np.allclose(first.means, other.means)
        assert not np.allclose(first.means[0], first.means[1:])


@pytest.mark.parametrize("name", [n for n in DRAWN if "best" in n or "seen" in n])
def test_the_best_action_is_seen_as_often_as_the_name_says(name):
    worlds = drawn(name, 20)
    actions = worlds.problem.actions
    wanted = do() if name.startswith("do() best") else do(X1=1)
    if "best" in name:
        assert worlds.means[:, actions.index(wanted)] == pytest.approx(worlds.means.max(axis=1), abs=1e-12)
    if not wanted:  # do() can be the best by the graph, and no other action is as good
        assert worlds.problem.contenders[actions.index(do())]
        assert (np.sort(worlds.means, axis=1)[:, -2] < worlds.means.max(axis=1)).all()
        return
    watched = Plan(np.eye(1, len(actions), actions.index(do()), dtype=np.int64).repeat(20, 0) * 400)
    x = worlds.rounds(watched, np.random.default_rng(0)).x
    seen = x[:, worlds.problem.graph.names.index("X1")].mean()
    low, high = {"never": (0, 0), "rarely": (0.02, 0.09), "often": (0.35, 0.45)}[
        next(word for word in ("never", "rarely", "often") if word in name)
    ]
    assert low <= seen <= high


def test_base_rates_costs_strata_laws_and_hidden_causes_are_those_of_the_names():
    for name in CLASSES:
        worlds, problem = drawn(name, 50), CLASSES[name].problem
        words = name.split(", ")
        if words[0].startswith("best") and "base rate" in name:
            rate = float(name.rpartition(" ")[2])
            assert worlds.means[:, problem.actions.index(do(X1=0))] == pytest.approx(rate)
        assert (problem.cost is not None) == name.startswith("costs")
        assert (problem.law is not None) == ("law known" in name)
        assert bool(problem.graph.hidden) == name.startswith("hidden")
        if words[0].endswith("strata"):
            strata = [n for n in problem.graph.names if n.startswith("Z")]
            assert 2 ** len(strata) == int(name.split()[0])
    near = drawn("near-deterministic rows, 5 causes", 200).tables["Y"][..., 1]
    assert ((near < 0.02) | (near > 0.98)).mean() > 0.7
    assert np.ptp(drawn("all actions equal, 4 causes").means) == 0
    assert (drawn("many actions near 1, 6 causes", 50).means > 0.9).mean() > 0.9


def test_an_action_that_is_never_best_is_said():
    made = replace(CLASSES["best never seen, base rate 0.5"], best=do(X1=0))
    with pytest.raises(BestdoError, match=r"do\(X1=0\) is best in fewer than 4 of 800 worlds"):
        made.worlds(4, np.random.default_rng(0))


class Stubborn(Uniform):
    """Plays everything, and keeps the first action whatever it saw."""

    def best(self, state):
        return np.zeros(len(state.played), np.int64)


def small(judged, names, sims=60):
    """The verdicts on these classes, with this learner in the place of causal top-two."""
    whole = experiment("every-world")
    learners = {
        "Successive Rejects": learner("successive-rejects"),
        "Algorithm 1": learner("algorithm-1"),
        "Algorithm 2": learner("algorithm-2"),
        "Causal top-two": judged,
    }
    some = tuple(s for s in whole.settings if s.panel in names)
    return verdicts(rows(replace(whole, settings=some, learners=learners), sims, 1))


def test_a_bad_learner_is_found_and_a_good_one_is_not():
    names = ["flat rows, 2 causes", "all actions equal, 4 causes"]
    bad = {(row["panel"], row["x"]): row for row in small(Stubborn(), names)}
    assert [bad[names[0], x]["worse"] for x in (2, 10, 50)] == [True] * 3
    assert not bad[names[0], 50]["falls"]
    assert not any(bad[names[1], x]["worse"] for x in (2, 10, 50))
    assert {row["rivals"] for row in bad.values()} == {2}  # Algorithm 2 does not know the law
    good = small(learner("algorithm-1"), names)  # against itself, with other random numbers: 2 sigma for "worse"
    assert not any(row["worse"] for row in good)
    assert all(row["falls"] for row in good)


def test_the_rival_is_chosen_on_one_half_and_measured_on_the_other():
    row = {"panel": "p", "x": 2, "sims": 8, "half_0_error": 0.0, "half_1_error": 0.0}
    pairs = {"Causal top-two": (0.3, 0.3), "A": (0.0, 0.2), "B": (0.2, 0.0), "refused": (math.nan, math.nan)}
    simulated = [{**row, "learner": who, "half_0": a, "half_1": b} for who, (a, b) in pairs.items()]
    (point,) = verdicts(simulated)
    assert point["rival_regret"] == pytest.approx(0.2)  # the smaller of both means would be 0.1
    assert (point["rival"], point["rivals"], point["worse"]) == ("B or A", 2, True)


def test_worse_needs_ten_percent_and_two_standard_errors():
    def worse(mine, rival, error):
        row = {"panel": "p", "x": 2, "half_0_error": error, "half_1_error": error}
        both = {"Causal top-two": mine, "A": rival}
        return verdicts([{**row, "learner": who, "half_0": r, "half_1": r} for who, r in both.items()])[0]["worse"]

    assert not worse(0.109, 0.1, 0.0)
    assert worse(0.111, 0.1, 0.0)
    assert not worse(1e-16, 0.0, 0.0)  # the rounding error of equal means
    assert worse(0.2, 0.1, 0.045)  # the difference has the error 0.045
    assert not worse(0.2, 0.1, 0.055)


def test_both_halves_together_are_all_lanes():
    worlds = drawn("flat rows, 2 causes", 7)
    assert isinstance(worlds, Worlds)
    halves = measure(worlds, learner("uniform"), 20, 7, np.random.default_rng(0))
    assert np.isnan(halves["half_0"]).tolist() == [False, True] * 3 + [False]
    assert (np.isnan(halves["half_0"]) == ~np.isnan(halves["half_1"])).all()
    refused = measure(worlds, learner("algorithm-2"), 20, 7, np.random.default_rng(0))
    assert all(np.isnan(half).all() for half in refused.values())


def test_the_same_seed_gives_the_same_table_and_picture(tmp_path):
    whole = experiment("every-world")
    keep = {"Successive Rejects", "Uniform", "Causal top-two"}
    learners = {label: found for label, found in whole.learners.items() if label in keep}
    some = replace(whole, settings=whole.settings[:2], learners=learners)
    for folder in ("a", "b"):
        run(some, 6, 5, tmp_path / folder, workers=1)
        draw(tmp_path / folder, "every-world")
    for file in ("every-world.csv", "every-world.svg"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    run(some, 6, 6, tmp_path / "c", workers=1)
    assert (tmp_path / "c" / "every-world.csv").read_bytes() != (tmp_path / "a" / "every-world.csv").read_bytes()


def test_the_page_has_every_class_of_the_recorded_table_and_what_is_missed():
    folder = ROOT / "docs" / "results"
    made, text = json.loads((folder / "every-world.json").read_text()), (folder / "every-world.md").read_text()
    assert made["seed"] == 0  # no learner is tuned on its worlds
    assert f"bestdo figure every-world --sims {made['sims']}" in text
    with (folder / "every-world.csv").open() as file:
        table = list(csv.DictReader(file))
    assert {row["panel"] for row in table} | scaling_classes().keys() | HELD_OUT.keys() == set(CLASSES)
    for row in table:
        both = f"{float(row['regret']):.4f} / {float(row['rival_regret']):.4f}"
        (line,) = (line for line in text.splitlines() if line.startswith(f"| {row['panel']} | {row['actions']} |"))
        assert f" {'**' + both + '**' if row['worse'] == 'true' else both} " in line
        error = f"{float(row['regret']):.4f} ± {float(row['standard_error']):.4f}"
        assert (f"| {row['panel']} | {float(row['x']):g} | {error} |" in text) == (row["worse"] == "true")
        assert row["falls"] == "true" or "does not fall in" in text
