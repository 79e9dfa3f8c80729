"""The example of two medicines: PSA is to be small, cancer is limited; from the file and in Python."""

import runpy
from dataclasses import replace

import numpy as np
import pytest

import bestdo
from bestdo.bandit.estimate import of_each
from bestdo.bandit.learner import in_study
from bestdo.learners import learner
from support import ROOT

FILE = ROOT / "examples" / "psa.toml"
RIGHT = bestdo.do(aspirin="no", statin="yes")


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "examples"))  # as when it is run
        return runpy.run_path(str(ROOT / "examples" / "psa.py"))


def test_the_file_is_what_the_equations_say(example):
    """The means that were published for the equations, to their three digits; 5.806 when nothing is set."""
    contents, problem = bestdo.read(FILE), example["problem"]()
    assert contents.problem.limits == problem.limits
    assert contents.graph == problem.graph
    assert contents.model == example["truth"](problem.graph)
    means = dict(zip(map(str, problem.actions), contents.model.means(contents.problem.actions), strict=True))
    for action, mean in {"no, no": 5.764, "no, yes": 5.155, "yes, no": 6.318, "yes, yes": 5.709}.items():
        aspirin, statin = action.split(", ")
        assert means[f"do(aspirin={aspirin}, statin={statin})"] == pytest.approx(mean, abs=0.0006)
    assert means["do()"] == pytest.approx(5.806, abs=0.001)


def test_patients_are_those_of_the_model(example):
    """The mean PSA of 3,000 patients of each of three actions, drawn by the equations, within 4 sigma."""
    world = bestdo.World(bestdo.read(FILE).problem, bestdo.read(FILE).model)
    for action in (bestdo.do(), RIGHT, bestdo.do(aspirin="yes")):
        psa = np.array([float(example["patient"](action, i)["PSA"]) for i in range(3000)])
        true = world.means[world.problem.actions.index(action)]
        assert abs(psa.mean() - true) < 4 * psa.std() / 3000**0.5 + 0.001


def share_right(played, problem, lanes):
    """In how many simulated studies of 200 rounds the right action is kept."""
    regret = bestdo.play(bestdo.World(problem, bestdo.read(FILE).model), played, 200, lanes, seed=3)
    return float((regret < 1e-9).mean())


def test_the_right_action_is_kept():
    """In at least 38 of 40 simulated studies of 200 rounds, here without the limit, which takes longer."""
    problem = replace(bestdo.compose(FILE, graph_only=True).problem, limits=())
    assert share_right("causal-top-two", problem, 40) >= 0.95


@pytest.mark.campaign
@pytest.mark.parametrize("graph_only", [False, True])
def test_the_right_action_is_kept_in_95_of_100_studies(graph_only):
    """200 studies of 200 rounds, with the tables known and without: 95.5 % in both."""
    problem = bestdo.compose(FILE, graph_only=graph_only).problem
    assert share_right(in_study(learner("causal-top-two")), problem, 200) >= 0.95


def test_a_study_is_told_what_was_measured(example, tmp_path):
    """Decimals are told as measured; the law and the limits are those of the file."""
    problem = bestdo.compose(FILE).problem
    study = bestdo.Study.create(
        problem, 30, learner="causal-top-two", name="psa", storage=f"sqlite:///{tmp_path}/psa.db"
    )
    for _ in range(30):
        (asked,) = study.ask()
        study.tell(asked.number, example["patient"](asked.action, asked.number))
    assert study.status()["told"] == 30
    kept = {e.action: e.mean for e in of_each(study.estimates(), problem.actions)}
    assert 4.5 < kept[RIGHT] < 6.0
