"""Comparisons and rehearsals of problems whose goal is to earn."""

from __future__ import annotations

import numpy as np
import pytest

import bestdo
from bestdo.experiments.engine.experiment import Experiment, Setting, times
from bestdo.experiments.engine.runner import rows
from bestdo.learners import by_title
from bestdo.report.comparison_table import heading_of
from bestdo.report.sections.rehearsal import cost_of_delay

GRAPH = bestdo.Graph.parse("x -> y", reward="y", success="1")
WORLD = bestdo.World(
    bestdo.Problem(GRAPH, [bestdo.do(x=0), bestdo.do(x=1)]),
    bestdo.Model(GRAPH, {"x": [0.5, 0.5], "y": [[0.7, 0.3], [0.2, 0.8]]}),
)


def over_time(seed=1, sims=1500, **more):
    experiment = Experiment(
        "small-earning",
        "",
        "rounds",
        (Setting("world", WORLD, 12),),
        by_title("thompson", "uniform", "causal-thompson"),
        y="summed_regret",
        y_error="summed_error",
        over_time=4,
        band=2,
        **more,
    )
    return experiment, rows(experiment, sims, seed)


def test_the_goal_of_the_problem_is_compared():
    found = bestdo.compare(WORLD, rounds=[6, 12], goal="earn", sims=60, progress=False)
    assert [r["learner"] for r in found.rows[:2]] == ["Causal Thompson", "Thompson sampling"]
    uniform = [row for row in found.rows if row["learner"] == "Uniform"]
    assert [row["summed_regret"] for row in uniform] == [1.5, 3.0]  # half of the rounds, 0.5 each
    assert [row["summed_error"] for row in uniform] == [0.0, 0.0]
    assert "regret summed over all rounds" in found._repr_html_()
    assert "summed_regret" not in bestdo.compare(WORLD, rounds=6, learners="uniform", sims=20, progress=False).rows[0]


def test_two_goals_in_one_table_are_refused():
    earn = bestdo.compose(WORLD, goal="earn")
    with pytest.raises(bestdo.BestdoError, match="say which goal"):
        bestdo.compare({"a": WORLD, "b": earn}, rounds=5, sims=10, progress=False)


def test_over_time_there_is_a_row_for_each_time_and_the_sum_grows():
    experiment, found = over_time()
    assert times(experiment, experiment.settings[0]) == (3, 6, 9, 12)
    for name in ("Thompson sampling", "Causal Thompson"):
        here = [row for row in found if row["learner"] == name]
        assert [row["x"] for row in here] == [3, 6, 9, 12]
        assert (np.diff([row["summed_regret"] for row in here]) > 0).all()
        assert all(0 < row["summed_error"] < 0.05 for row in here)
    assert [r["summed_regret"] for r in found if r["learner"] == "Uniform"] == [0.75, 1.5, 2.25, 3.0]


def test_the_same_table_again_and_another_seed_another():
    assert over_time(sims=40)[1] == over_time(sims=40)[1]
    assert over_time(sims=40)[1] != over_time(sims=40, seed=2)[1]


def test_the_picture_has_bands_and_says_how_wide(tmp_path):
    from bestdo.experiments import run
    from bestdo.report.figure import draw

    experiment, _ = over_time(sims=2)
    table = run(experiment, 20, 0, tmp_path)
    assert table["x"].to_list()[:4] == [3, 6, 9, 12]
    svg = draw(tmp_path, experiment.name)[0].read_text()
    assert "bands: ±" in svg
    assert run(experiment, 20, 0, tmp_path).equals(table)


def test_a_rehearsal_says_what_is_lost_while_learning():
    found = bestdo.rehearse(
        GRAPH, rounds=[10, 200], goal="earn", worlds=200, learners=["causal-thompson", "uniform"], progress=False
    )
    assert "Causal Thompson loses least: in 200 rounds together it earns" in found.advice
    assert "learning pays from 10 rounds on" in found.advice
    assert all(row["summed_regret"] > 0 for row in found.rows)


def test_a_rehearsal_by_money():
    problem = bestdo.Problem(GRAPH, [bestdo.do(x=0), bestdo.do(x=1)], cost=[1, 3], goal="earn")
    found = bestdo.rehearse(problem, rounds=[50.5], worlds=40, learners="causal-thompson", progress=False)
    assert "in a budget of 50.5 together it earns" in found.advice


SEEN = bestdo.Graph.parse("age -> y; x -> y", reward="y", success="1")


@pytest.mark.parametrize("goal", ["find", "earn"])
def test_a_delay_costs_nothing_where_results_are_not_used(goal):
    """Both runs have the same worlds and chance: by contexts in turn, uniform plays and sees the same in both."""
    found = bestdo.rehearse(
        SEEN, rounds=12, goal=goal, first="age", worlds=20, learners=["uniform", "top-two"], delay=5, progress=False
    )
    uniform, adaptive = found.rows
    assert (uniform["delay_cost"], uniform["delay_cost_error"]) == (0, 0)
    assert uniform["waited"] == uniform["summed_regret" if goal == "earn" else "regret"] > 0
    assert adaptive["delay_cost_error"] > 0
    assert cost_of_delay(found.rows)[0].endswith("(a difference of +0.000 ± 0.000)")


def test_a_rehearsal_to_earn_says_whether_a_rule_is_worth_it():
    found = bestdo.rehearse(
        SEEN, rounds=[20, 60], goal="earn", first="age", worlds=30, learners=["uniform", "thompson"], progress=False
    )
    assert "On average the best rule is in each round 0." in found.advice
    assert "better than the best single action for everybody" in found.advice
    assert "Thompson sampling loses least" in found.advice
    assert "would, against" in found.advice
    assert "the best rule would" in found.advice
    heading = heading_of(found.rows[0], "points")
    assert heading.startswith(
        "Regret summed over all rounds, in points, ± standard error (how often the rule kept at the end"
    )
