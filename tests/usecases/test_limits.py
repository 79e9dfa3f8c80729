"""Limits outside studies: sheets, old data, check and comparisons."""

from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions, Graph, Limit, Model, Problem, Variable, World, do
from bestdo.bandit.rounds import Plan
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.data.compose import compose
from bestdo.data.counting import observed
from bestdo.data.data_check import check_data
from bestdo.files import Contents
from bestdo.learners.fixed_plan import estimate_plan
from bestdo.report import check_report
from bestdo.report.sections.check import words as said_of
from bestdo.report.sections.old_data import answers_in_words
from bestdo.study import Study
from bestdo.usecases.check import check
from bestdo.usecases.compare import compare_problems
from bestdo.usecases.observe import observe
from bestdo.usecases.simulation import Simulation

DOSES = ("none", "some", "much")


def clinic():
    """A dose that patients choose by themselves; much cures most, harms often and hurts."""
    variables = [
        Variable("dose", DOSES),
        Variable("harm", ("no", "yes")),
        Variable("pain", number=Number(0, 20)),
        Variable("cure", ("no", "yes")),
    ]
    graph = Graph.of(variables, [("dose", "harm"), ("dose", "cure"), ("dose", "pain")]).rewarding("cure", "yes")
    harm, cure = np.array([0.02, 0.05, 0.5]), np.array([0.2, 0.75, 0.95])
    tables = {"dose": [0.3, 0.4, 0.3], "harm": np.stack([1 - harm, harm], -1), "cure": np.stack([1 - cure, cure], -1)}
    pain = Outcome(np.array([5.0, 6.0, 12.0]), np.full(3, 2.0), "beta")
    actions = Actions(graph, [do(), *(do(dose=d) for d in DOSES)])
    limits = Limit("harm", "yes", at_most=0.25), Limit("pain", at_most=10)
    return World(Problem(graph, actions, limits=limits), Model(graph, tables, {"pain": pain}))


def csv_of(world, rounds):
    """Rounds as the text of a CSV file."""
    lines = [",".join(world.problem.graph.names)]
    for row, pain in zip(rounds.x, rounds.numbers["pain"], strict=True):
        pairs = zip(world.problem.graph.variables, row, strict=True)
        lines.append(",".join(v.values[c] if v.number is None else f"{pain:.3f}" for v, c in pairs))
    return "\n".join(lines)


def test_old_data_tell_about_limits(tmp_path):
    world = clinic()
    rounds = world.rounds(Plan(np.array([[400, 0, 0, 0]])), np.random.default_rng(1))
    (tmp_path / "old.csv").write_text(csv_of(world, rounds))
    old = observed(str(tmp_path / "old.csv"), world.problem).rounds(world.problem)
    assert np.nansum(old.numbers["pain"] * old.times) == pytest.approx(rounds.numbers["pain"].sum(), abs=0.3)
    study = Study.create(world.problem, 20, learner="causal-top-two", name="a", storage=f"sqlite:///{tmp_path}/a.db")
    assert not study.best().within_limits
    study.observe(str(tmp_path / "old.csv"))
    best = study.best()
    assert best.within_limits
    assert str(best.action) == "do(dose=some)"
    assert study.estimates().keeps[0, 3] < 0.01


def test_a_fixed_plan_is_estimated_within_the_limits():
    world = clinic()
    problem = compose(Contents(world.problem.graph, world.problem, world.model)).problem
    assert problem.law is not None
    rounds = world.rounds(Plan(np.array([[0, 80, 80, 80]])), np.random.default_rng(2))
    kept, found = estimate_plan(problem, rounds)
    assert str(problem.actions[kept]) == "do(dose=some)"
    assert found.mean[0].argmax() == 3
    assert found.keeps[0, 3] < 0.01


def test_check_says_what_limits_do():
    outlook = check(clinic().problem, rounds=100)
    words = " ".join(said_of(outlook))
    assert "Limits: P(harm = yes) at most 0.25; the mean of pain at most 10." in words
    assert "A safe answer is not safe exploration" in words
    assert "can never be the best" not in words
    assert check_report.as_data(outlook)["limits"] == ["P(harm = yes) at most 0.25", "the mean of pain at most 10"]


def test_learners_are_compared_within_the_limits():
    world = clinic()
    composed = compose(Contents(world.problem.graph, world.problem, world.model), graph_only=True)
    rows = compare_problems({"clinic": composed}, [60], ["causal-top-two", "uniform"], Simulation(60)).rows
    assert {"breaks", "none", "regret"} <= rows[0].keys()
    assert all(row["breaks"] < 0.1 for row in rows)
    assert rows[0]["p_best"] > 0.5


def test_old_data_alone_never_say_that_no_experiment_is_needed_within_limits(tmp_path):
    world = clinic()
    rounds = world.rounds(Plan(np.array([[2000, 0, 0, 0]])), np.random.default_rng(1))
    (tmp_path / "old.csv").write_text(csv_of(world, rounds))
    free = check_data(str(tmp_path / "old.csv"), replace(world.problem, limits=()))
    assert str(free.conclusion.sure.action) == "do(dose=much)"  # which breaks both limits
    found = check_data(str(tmp_path / "old.csv"), world.problem)
    assert found.conclusion.sure is None
    said = " ".join(answers_in_words(found.conclusion))
    assert "No experiment" not in said
    assert "Which actions keep P(harm = yes) at most 0.25 and the mean of pain at most 10 is said by" in said
    study = Study.create(world.problem, 20, learner="causal-top-two", name="b", storage=f"sqlite:///{tmp_path}/b.db")
    assert observe(study, str(tmp_path / "old.csv")).conclusion.sure is None
