"""The pace of a study: at any time, or in phases, as its settings say."""

import json
from functools import partial

import numpy as np
import pytest

import bestdo
from bestdo.study.pace import ANY_TIME, AnyTime, Phases

FARM = "examples/farm.toml"


@pytest.fixture
def settings(tmp_path):
    """The settings of a study that has just been created."""
    return partial(_settings, tmp_path)


def _settings(folder, learner, **options):
    storage = f"sqlite:///{folder}/{len(options)}.db"
    study = bestdo.Study.create(FARM, rounds=20, learner=learner, storage=storage, **options)
    with study.reading() as log:
        return study.book(log).settings


@pytest.mark.parametrize(
    ("learner", "options", "pace"),
    [
        ("causal-top-two", {}, ANY_TIME),
        ("causal-top-two", {"wait": True}, Phases(waits=True)),
        ("successive-rejects", {}, Phases(waits=False)),
        ("successive-rejects", {"wait": True}, Phases(waits=True)),
    ],
)
def test_the_pace_follows_from_the_learner_and_from_wait(settings, learner, options, pace):
    assert settings(learner, **options).pace == pace


def test_the_settings_of_a_study_are_written_without_the_pace(settings):
    said = settings("causal-top-two")
    assert said.pace.any_time
    assert "pace" not in json.loads(said.as_json)


def test_no_limit_on_rounds_out_is_a_number_that_no_study_reaches(settings):
    assert settings("causal-top-two", at_once=3).most_out == 3
    assert settings("causal-top-two").most_out > 10**9


@pytest.mark.parametrize("pace", [AnyTime(), Phases(False), Phases(True)])
def test_the_plan_is_in_the_checkpoint_or_in_the_cursor(pace):
    plan = {"blocks": 2, "folded": 1, "plan": ["do()"]}
    assert {**pace.in_checkpoint(plan), **pace.in_cursor(plan)} == plan
    assert not pace.in_checkpoint(plan) or not pace.in_cursor(plan)


def test_only_phases_wait_for_rounds_that_are_out():
    assert ANY_TIME.is_due(1, [1])
    assert not Phases(False).is_due(1, [1])
    assert Phases(False).is_due(1, [0, -1])


def test_between_two_phases_there_is_a_useful_round_unless_people_wait():
    assert [pace.between(lambda: "round") for pace in (ANY_TIME, Phases(False), Phases(True))] == [None, "round", None]


def test_a_result_is_told_at_once_or_with_its_block():
    class Rounds:
        def rows(self, block):
            return [f"row of block {block}"]

    assert ANY_TIME.news(Rounds(), "row", 1, 1) == ["row"]
    assert Phases(False).news(Rounds(), "row", 1, 1) == []
    assert Phases(False).news(Rounds(), "row", 1, 2) == ["row of block 1"]


def test_rounds_that_are_out_count_in_plans_at_any_time_only():
    class Game:
        problem = bestdo.compose(FARM).problem

        def ask(self, state, request, rng):
            return request.out.copy()

    out = [str(Game.problem.actions[2])]
    rng = np.random.default_rng(0)
    assert ANY_TIME.plan(Game(), None, out, rng).sum() == 1
    assert not Phases(False).plan(Game(), None, out, rng).any()
