"""What rounds are for, find or earn: kept by problems, files, `compose` and studies."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import bestdo
from bestdo.bandit.goal import EARN, FIND, measure_of
from bestdo.errors import FileError

FARM = "examples/farm.toml"


def test_a_problem_of_version_0_1_is_to_find():
    assert bestdo.compose(FARM).problem.goal == "find"
    assert "goal" not in repr(bestdo.compose(FARM).problem)


def test_it_is_written_and_read(tmp_path):
    problem = replace(bestdo.compose(FARM).problem, goal="earn")
    assert repr(problem).endswith("goal: earn)")
    bestdo.write(problem, tmp_path / "earn.toml")
    assert '[problem]\ngoal = "earn"' in (tmp_path / "earn.toml").read_text()
    assert bestdo.read(tmp_path / "earn.toml").problem == problem
    bestdo.write(replace(problem, goal="find"), tmp_path / "find.toml")
    assert "goal" not in (tmp_path / "find.toml").read_text()


def test_compose_keeps_it_and_takes_another():
    farm = bestdo.compose(FARM, goal="earn")
    assert farm.problem.goal == farm.contents.problem.goal == "earn"
    assert farm.problem.law is not None
    assert bestdo.compose(farm).problem.goal == "earn"
    assert bestdo.compose(farm, set="moisture").problem.goal == "earn"
    assert bestdo.compose(farm, graph_only=True).problem.goal == "earn"
    assert bestdo.compose(farm, goal="find").problem.goal == "find"
    alone = bestdo.compose(farm.problem.graph, goal="earn")
    assert bestdo.compose(alone, graph_only=True).problem.goal == "earn"


@pytest.mark.parametrize("goal", ["eran", "", None, 1])
def test_another_goal_is_refused(goal):
    with pytest.raises(bestdo.BestdoError, match=r"unknown goal .*allowed: 'find', 'earn'"):
        replace(bestdo.compose(FARM).problem, goal=goal)


def test_a_wrong_goal_in_a_file_is_an_error_with_its_place(tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text(Path(FARM).read_text() + '\n[problem]\ngoal = "ern"\n')
    with pytest.raises(FileError, match=r"unknown goal 'ern' \(did you mean 'earn'\?\)") as found:
        bestdo.read(file)
    assert found.value.line == len(file.read_text().splitlines())


def test_a_study_keeps_it(tmp_path):
    study = bestdo.Study.create(FARM, rounds=5, goal="earn", storage=f"sqlite:///{tmp_path}/s.db")
    assert study.problem.goal == "earn"
    assert bestdo.Study.open("farm", storage=f"sqlite:///{tmp_path}/s.db").problem.goal == "earn"


def test_a_goal_is_its_text():
    problem = bestdo.compose(FARM, goal="earn").problem
    assert problem.goal is EARN
    assert json.dumps({"goal": problem.goal, "as": f"{problem.goal}"}) == '{"goal": "earn", "as": "earn"}'
    assert {"find": 1, "earn": 2}[problem.goal] == 2
    assert pickle.loads(pickle.dumps(problem)).goal is EARN  # our own


def test_the_measure_of_a_table_is_known_by_its_columns():
    kept, summed = {"regret": 0.1, "standard_error": 0.01}, {"summed_regret": 3.0, "summed_error": 0.2}
    assert measure_of(kept) is FIND.measure
    assert measure_of({**kept, **summed}) is EARN.measure  # which has the regret of what is kept, too
    assert (FIND.measure.of(kept), EARN.measure.of(summed)) == ((0.1, 0.01), (3.0, 0.2))


def test_prices_that_differ_leave_all_actions_in_the_race_where_rounds_earn():
    assert FIND.rules_out_by_graph((1, 2))
    assert EARN.rules_out_by_graph((1, 1))
    assert EARN.rules_out_by_graph((2, 2))
    assert not EARN.rules_out_by_graph((1, 2))
