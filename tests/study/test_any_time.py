"""Nobody waits: rounds are handed out at any time, results come late and in any order, and the log stays the truth."""

import itertools
import json

import numpy as np
import pytest

import bestdo
from bestdo.bandit.learner import traits
from bestdo.errors import BestdoError, Finished, Waiting
from bestdo.learners import LEARNERS
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from support import ROOT

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
KNOWN = bestdo.compose(FARM).problem
ANY_TIME = [name for name in LEARNERS if traits(bestdo.learner(name)).any_time]
BY_LAW = ("c-ucb", "c-ucb-2", "c-ts", "lingape")
IN_PHASES = ("algorithm-1", "algorithm-1-rejects", "successive-rejects", "sequential-halving", "watch-then-act")


def created(tmp_path, learner, rounds, **more):
    problem = KNOWN if learner in BY_LAW else FARM.problem
    return Study.create(problem, rounds, learner=learner, name=learner, storage=f"sqlite:///{tmp_path}/farm.db", **more)


def season(asked):
    """What a round shows, by its number alone."""
    values = {"moisture": "dry" if asked.number % 3 else "wet", "nutrient": "rich" if asked.number % 4 else "poor"}
    return {**values, **asked.action, "yield": "good" if asked.number % 5 < 2 else "bad"}


def numbers(study):
    found = study.estimates()
    return json.dumps([np.asarray(part).tolist() for part in found[:5]]), str(study.best())


def test_which_learners_can_be_asked_at_any_time():
    finding = {"causal-top-two", "top-two", "thompson", "npts", "ucb", "c-ucb", "track-and-stop", "lucb", "lingape"}
    earning = {"ucb1", "kl-ucb", "c-ucb-2", "c-ts", "crm", "causal-thompson", "linear-thompson", "mabuc"}
    earning |= {"regression-thompson"}
    finding |= {"regression-top-two"}
    assert set(ANY_TIME) == finding | earning


@pytest.mark.parametrize("learner", [*ANY_TIME, *IN_PHASES])
def test_nobody_waits_before_the_horizon_is_used_up(tmp_path, learner):
    study, out = created(tmp_path, learner, 16), {}
    for number in range(1, 17):  # four people; whoever has been longest at it tells, then asks again
        if len(out) == 4:
            study.tell(number - 4, season(out.pop(number - 4)))
        (one,) = study.ask(f"worker {number}")
        assert one.number == number
        out[number] = one
    for one in out.values():
        study.tell(one.number, season(one))
    with pytest.raises(Finished):
        study.ask("ann")
    assert study.status()["used"] == 16


@pytest.mark.parametrize("learner", ANY_TIME)
def test_the_order_of_results_makes_no_difference(tmp_path, learner):
    found = []
    for order in itertools.islice(itertools.permutations(range(4)), 0, 24, 5):
        (folder := tmp_path / "".join(map(str, order))).mkdir()
        study = created(folder, learner, 12, alarm=0.0)
        given = study.ask("ann", 4)
        for i in order:
            study.tell(given[i].number, season(given[i]))
        found.append(numbers(study))
    assert set(found) == {found[0]}


def test_a_worker_gets_the_same_round_again_and_three_when_asking_for_three(tmp_path):
    study = created(tmp_path, "causal-top-two", 20)
    (first,) = study.ask("ann")
    assert study.ask("ann") == [first]
    three = study.ask("ann", 3)
    assert three[0] == first
    assert [one.number for one in three] == [1, 2, 3]
    assert [one.number for one in study.ask("bob", 2)] == [4, 5]


def test_what_is_out_counts_as_played(tmp_path):
    """Each of six people is sent to try another action that can be the best, though nothing is known yet."""
    given = created(tmp_path, "ucb", 20).ask("ann", 6)
    assert len({str(one.action) for one in given}) == 6


def test_at_once_caps_the_rounds_that_are_out(tmp_path):
    study = created(tmp_path, "causal-top-two", 20, at_once=2)
    given = study.ask("ann", 3)
    assert len(given) == 2
    with pytest.raises(Waiting, match="2 rounds are out, as many as this study allows at once"):
        study.ask("bob")
    study.tell(given[1].number, season(given[1]))
    assert study.ask("bob")[0].number == 3
    with pytest.raises(BestdoError, match="at least 1"):
        created(tmp_path, "ucb", 20, at_once=0)


@pytest.mark.parametrize("learner", ["successive-rejects", "algorithm-1"])
def test_between_phases_a_useful_round_is_offered_with_its_reason(tmp_path, learner):
    study = created(tmp_path, learner, 24)
    given = []
    while not any("extra" in e for e in study.history()):
        given = study.ask("ann", len(given) + 1)
    extra = given[-1]
    assert str(extra.action) == ("do()" if learner == "algorithm-1" else str(study.best().action))
    assert "while results of this phase are still to come" in extra.reason
    study.tell(extra.number, season(extra))  # before its phase is complete: it counts with it
    assert study.estimates().played[0].sum() == 1
    for one in given[:-1]:
        study.tell(one.number, season(one))
    assert study.estimates().played[0].sum() == len(given)
    assert not any(e.get("extra") for e in study.history() if e.get("round") == study.ask("ann")[0].number)


def test_wait_restores_strict_phases(tmp_path):
    study = created(tmp_path, "successive-rejects", 24, wait=True)
    phase = study.ask("ann", 24)
    assert len(phase) < 24
    with pytest.raises(Waiting, match="waiting for"):
        study.ask("bob")
    one_by_one = created(tmp_path, "causal-top-two", 24, wait=True)
    one_by_one.ask("ann")
    with pytest.raises(Waiting, match="waiting for 1 open round"):
        one_by_one.ask("bob")


@pytest.mark.parametrize("learner", ["causal-top-two", "successive-rejects", "thompson"])
def test_the_log_alone_gives_the_same_estimates_and_open_rounds(tmp_path, learner):
    study = created(tmp_path, learner, 20)
    given = [one for worker in "abcde" for one in study.ask(worker, 2)]
    for one in (given[7], given[2], given[9], given[4]):  # late, and out of order
        study.tell(one.number, season(one))
    study.amend(given[2].number, {**season(given[2]), "yield": "good"}, "misread")
    study.withdraw(given[0].number, "hail")
    study.withdraw(given[9].number, "another field")
    again = imported(f"sqlite:///{tmp_path}/copy.db", exported(study))
    assert numbers(again) == numbers(study) == numbers(Study.open(learner, f"sqlite:///{tmp_path}/farm.db"))
    assert again.status()["open"] == study.status()["open"]
    assert [str(a.action) for a in again.ask("zoe", 4)] == [str(a.action) for a in study.ask("zoe", 4)]


def test_a_lost_round_is_offered_again_and_a_late_result_counts(tmp_path):
    study = created(tmp_path, "top-two", 20, lease=0.0)
    (lost,) = study.ask("ann")
    (again,) = study.ask("bob")
    assert again.action == lost.action
    study.tell(again.number, season(again))
    study.tell(lost.number, season(lost))
    assert study.estimates().played[0].sum() == 2


def test_nobody_waits_for_a_round_of_an_earlier_phase_that_is_open_again(url):
    """Successive Rejects has planned its last phase: 8 of 11 rounds with six contenders."""
    study = Study.create(FARM.problem, 11, learner="successive-rejects", name="reopened", storage=url, seed=0)
    for number in range(1, 9):
        study.ask(f"worker {number}")
        study.tell(number, {"yield": "good"})
    study.undo(2)
    (asked,) = study.ask("ann")
    assert asked.number == 9
    study.tell(2, {"yield": "good"})
    study.tell(9, {"yield": "bad"})
    with pytest.raises(Finished):
        study.ask("ann")
