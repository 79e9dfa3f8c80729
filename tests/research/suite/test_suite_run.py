"""Runs of the suite."""

import pytest

import bestdo
from bestdo.errors import BestdoError
from bestdo.learners import LEARNERS, learner
from bestdo.research.suite import efforts
from bestdo.research.suite.efforts import round_number, simulations
from bestdo.research.suite.suite import Suite, estimated_seconds
from bestdo.research.suite.suite_rows import SuiteRow, read_costs, read_rows
from bestdo.research.suite.suite_run import Player, play_suite
from bestdo.research.suite.suite_worlds import WORLDS
from bestdo.simulate import samplers

QUIET = {"progress": False}


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Few simulations."""
    monkeypatch.setitem(efforts.EFFORTS, "quick", efforts.Effort(1e6, 2, 20))


def test_rows_of_find_and_earn(tmp_path):
    found = bestdo.suite_run(["successive-rejects", "ucb1"], ["front-door", "casino-greedy"], folder=tmp_path, **QUIET)
    assert read_rows(tmp_path / "results.csv") == found.rows
    assert read_costs(tmp_path / "costs.csv") == found.costs
    assert [row.world for row in found.rows] == ["front-door"] * 4 + ["casino-greedy"] * 4
    first, refused, earned = found.rows[0], found.rows[2], found.rows[-1]
    assert first[:9] == (*first[:8], first.regret)
    assert (first.learner, first.title, first.horizon, first.measure) == (
        "successive-rejects",
        "Successive Rejects",
        50,
        "regret",
    )
    assert first.regret >= 0 < first.best_chance
    assert first.simulations == 20
    assert refused == SuiteRow(
        "front-door",
        1,
        "hidden causes",
        "find",
        "ucb1",
        "UCB1",
        50,
        "regret",
        None,
        None,
        None,
        0,
        "it is made to earn; here the goal is to find",
    )
    assert (earned.measure, earned.best_chance) == ("summed regret", None)
    assert earned.regret > 5  # in 1000 rounds nobody finds out at once


def test_the_regret_is_that_of_play():
    world, lanes = WORLDS["unknown-causes-single"], 300
    efforts.EFFORTS["quick"] = efforts.Effort(1e20, lanes, lanes)
    row = bestdo.suite_run("thompson", "unknown-causes-single", **QUIET).rows[0]
    played = bestdo.play(world.world, "thompson", 150, 300, seed=1, measure="earned", progress=False)
    error = (row.standard_error**2 + played.var() / len(played)) ** 0.5
    assert abs(row.regret - played.mean()) < 4 * error


def test_classical_learners_draw_sums_and_no_rounds(monkeypatch):
    """Rounds are drawn only where the law of the sums is not known, which costs much more."""

    def fail(*_):
        raise AssertionError("rounds were drawn")

    monkeypatch.setattr(samplers, "tally_of_rows", fail)
    names = ["uniform", "successive-rejects", "sequential-halving", "lucb", "ucb1"]
    found = bestdo.suite_run(names, ["paper-parallel", "front-door", "alarm-1"], **QUIET)
    assert not found.run.failed


def test_numbers_depend_on_nothing_but_the_cell_and_the_seed():
    alone = bestdo.suite_run("uniform", "front-door", **QUIET).rows
    among = bestdo.suite_run(["successive-rejects", "uniform"], ["bow", "front-door"], **QUIET).rows
    assert [row for row in among if (row.world, row.learner) == ("front-door", "uniform")] == alone
    assert bestdo.suite_run("uniform", "front-door", seed=1, **QUIET).rows != alone


def test_objects_and_own_learners_play(monkeypatch, tmp_path):
    (tmp_path / "own_suite_learner.py").write_text(
        "from bestdo.learners.uniform import Uniform\nclass Mine(Uniform):\n    goals = ('find',)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = bestdo.suite_run(["own_suite_learner:Mine", learner("ucb", alpha=1.0)], ["bow", "casino-greedy"], **QUIET)
    assert {row.learner for row in found.rows} == {"own_suite_learner:Mine", "UCB (alpha=1.0)"}
    assert [row.refused for row in found.rows if row.learner.endswith("Mine")][-1].startswith("it is made to find")
    assert "2 learners, 2 worlds" in repr(found)
    assert len(found.to_dicts()) == len(found.rows)


def test_all_is_the_whole_registry():
    found = play_suite([WORLDS["bow"]], [Player("uniform", "Uniform", learner("uniform"))], "quick")
    assert len(found.rows) == len(WORLDS["bow"].horizons)
    assert [p.name for p in bestdo.research.suite.suite._players("all")] == list(LEARNERS)


def test_simulations_are_round_numbers_that_fall_with_rounds_and_actions():
    assert [round_number(x) for x in (1, 4.9, 5, 19, 49.5, 99, 100, 999)] == [1, 2, 5, 10, 20, 50, 100, 500]
    world = WORLDS["paper-parallel"].world
    assert simulations(world, 110, "uniform", "quick") == 20
    assert simulations(world, 41000, "uniform", "quick") == 2


def test_a_learner_that_takes_hours_has_few_simulations_or_none(monkeypatch):
    monkeypatch.setitem(efforts.SLOW, "uniform", 1000.0)
    monkeypatch.setitem(efforts.MOST_ROUNDS, "uniform", 100)
    first, second, *_ = bestdo.suite_run("uniform", "front-door", **QUIET).rows
    assert (first.simulations, first.refused) == (5, "")
    assert (second.simulations, second.refused) == (0, "not played: more than 100 rounds of it take too long")


def test_the_archive_is_taken_for_all_others():
    rows = bestdo.suite_run(["uniform", "successive-rejects"], "bow", **QUIET)
    others = [row._replace(regret=-1.0) for row in rows.rows if row.learner == "uniform"]
    mine = bestdo.suite_run("successive-rejects", "bow", **QUIET)
    beside = Suite(mine.run, mine.archive._replace(rows=[*others, *mine.rows]), {})
    assert beside.beside == others
    assert beside.standings.own == ("successive-rejects",)
    assert beside.standings.worlds[0].order == ["uniform", "successive-rejects"]


def test_an_estimate_counts_what_is_not_known(monkeypatch):
    from bestdo.research.suite import suite

    monkeypatch.setattr(suite, "read", lambda: suite.Archive([], {}, []))
    assert estimated_seconds("uniform", ["bow"]) == (0.0, len(WORLDS["bow"].horizons))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: bestdo.suite_run([]), "name a learner"),
        (lambda: bestdo.suite_run("nope"), "unknown learner"),
        (lambda: bestdo.suite_run(7), "is not a learner"),
        (lambda: bestdo.suite_run("uniform", "bows"), "did you mean 'bow'"),
        (lambda: bestdo.suite_run("uniform", kinds="hiden causes"), "did you mean 'hidden causes'"),
        (lambda: bestdo.suite_run("uniform", "bow", kinds="parallel"), "no world of these names is parallel"),
        (lambda: bestdo.suite_run("uniform", effort="fast"), "unknown effort"),
        (lambda: bestdo.suite_run("uniform", seed=-1), "seed"),
        (lambda: bestdo.suite_run("uniform", "bow", workers=0), "workers"),
        (lambda: bestdo.suite_run("uniform", folder=7), "the folder is a path"),
        (lambda: bestdo.suite_run("uniform", folder=__file__), "is a file; give a folder"),
    ],
)
def test_bad_calls(call, said):
    with pytest.raises(BestdoError, match=said):
        call()
