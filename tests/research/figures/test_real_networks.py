"""Random problems on real networks."""

import csv
import json
import sys

import numpy as np
import pytest

from bestdo import do
from bestdo.errors import BestdoError
from bestdo.experiments.engine.problem_means import problem_means
from bestdo.research.figures.real_networks import event_world, experiment, network, random_worlds
from support import ROOT

RESULTS = ROOT / "docs" / "results"


def test_fifty_problems_each_an_event_with_three_ancestors_or_more():
    whole = experiment()
    worlds = {(s.panel, s.given["problem"]): s.world for s in whole.settings}
    assert len(worlds) == 50
    assert len(whole.settings) == 150
    for setting in whole.settings:
        assert setting.horizon == setting.x * len(setting.world.problem.actions)
    for world in worlds.values():
        graph = world.problem.graph
        (event,) = graph.parents["reward"]
        causes = graph.ancestors([event]) - {event}
        assert len(causes) >= 3
        assert len(world.problem.actions) == 1 + sum(graph.size(n) for n in causes)
        assert set().union(*world.problem.actions) == causes
        assert world.problem.law is None
        success = world.model.tables["reward"][:, 1]
        assert 0 < success.sum() < graph.size(event)
        assert set(success) == {0, 1}


def test_problems_differ_where_a_network_has_ten():
    for name, different in (("asia", 6), ("insurance", 10)):
        worlds = random_worlds(network(name), np.random.default_rng(0))
        events = {(w.problem.graph.parents["reward"], w.model.tables["reward"].tobytes()) for w in worlds}
        assert len(worlds) == 10
        assert len(events) == different


def test_the_mean_of_an_action_is_the_chance_of_the_event():
    model = network("asia")
    world = event_world(model, ("dysp", frozenset({"yes"})))
    for action in (do(), do(smoke="yes"), do(either="no")):
        chance = model.distribution(["dysp"], action)[model.graph.variable("dysp").code("yes")]
        assert world.means[world.problem.actions.index(action)] == pytest.approx(chance, abs=1e-12)


def row(panel, problem, regret, error):
    fixed = {"experiment": "real-networks", "x": 2, "learner": "mine", "sims": 100, "p_best": 0.5}
    return {**fixed, "panel": panel, "problem": problem, "actions": 10, "horizon": 20} | {
        "regret": regret,
        "standard_error": error,
    }


def test_regrets_are_averaged_over_problems():
    rows = problem_means([row("asia", 1, 0.1, 0.03), row("asia", 2, 0.3, 0.04), row("child", 1, 0.8, 0.12)], "all five")
    assert [r["panel"] for r in rows] == ["all five", "asia", "child"]
    assert [r["regret"] for r in rows] == pytest.approx([0.4, 0.2, 0.8])
    assert [r["standard_error"] for r in rows] == pytest.approx([0.13 / 3, 0.025, 0.12])
    assert [r["sims"] for r in rows] == [300, 200, 100]


def test_without_the_files_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pgmpy", None)
    with pytest.raises(BestdoError, match="pip install pgmpy"):
        experiment()


def recorded():
    with (RESULTS / "real-networks.csv").open() as file:
        return {(row["panel"], int(row["x"]), row["learner"]): row for row in csv.DictReader(file)}


def test_causal_top_two_was_twice_as_good_as_the_best_classical_learner():
    table = recorded()
    for times in (5, 10):
        regrets = {who: float(r["regret"]) for (panel, x, who), r in table.items() if (panel, x) == ("all five", times)}
        mine = regrets.pop("Causal top-two")
        classical = {who: regret for who, regret in regrets.items() if who not in ("Watch, then act", "UCB+")}
        assert len(classical) == 4
        assert mine <= 0.5 * min(classical.values())


def test_the_table_in_the_documentation_is_the_recorded_one():
    text = (RESULTS / "real-networks.md").read_text()
    head, _, *lines = [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    shown = {(line[1], int(line[0]), who): cell for line in lines for who, cell in zip(head[2:], line[2:], strict=True)}
    expected = {k: f"{float(r['regret']):.4f} ± {float(r['standard_error']):.4f}" for k, r in recorded().items()}
    assert shown == expected


def test_the_record_says_how_it_was_made():
    made = json.loads((RESULTS / "real-networks.json").read_text())
    assert made["sims"] == 200
    assert made["command"].startswith("bestdo figure real-networks --sims 200")
