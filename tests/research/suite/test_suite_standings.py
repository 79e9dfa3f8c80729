"""Where learners stand: places, verdicts and strengths, worked out by hand on rows that were made up."""

import math

import numpy as np
import pytest

from bestdo.errors import BestdoError
from bestdo.research.report.suite_summary import show_run
from bestdo.research.suite.leaderboard import leaderboard
from bestdo.research.suite.published_numbers import beside_ours
from bestdo.research.suite.suite import Suite
from bestdo.research.suite.suite_rows import SuiteRow, table_bytes
from bestdo.research.suite.suite_run import SuiteRun
from bestdo.research.suite.suite_standings import standings
from suite_rows_made_up import archive_of, row


def test_places_are_by_the_share_of_players_beaten():
    found = standings(
        [
            *(row("a", name, regret) for name, regret in (("good", 0.1), ("fair", 0.2), ("bad", 0.3))),
            *(row("b", name, regret) for name, regret in (("good", 0.1), ("fair", 0.2), ("bad", None))),
            *(row("c", name, regret) for name, regret in (("good", 0.2), ("fair", 0.2), ("bad", None))),
        ]
    ).ranks("find")
    places = {rank.learner: (rank.place, rank.worlds) for rank in found}
    assert places == {"good": (1, 3), "fair": (2, 3), "bad": (None, 1)}  # one of three worlds is too few for a place
    beaten = {rank.learner: rank.beaten for rank in found}
    assert beaten == pytest.approx({"good": (1 + 1 + 1 / 2) / 3, "fair": (1 / 2 + 0 + 1 / 2) / 3, "bad": 0.0})


def test_the_interval_of_a_place_is_wide_where_worlds_disagree():
    rows = []
    for i in range(12):
        rows += [
            row(f"w{i}", "best", 0.0),
            row(f"w{i}", "x", 0.1 + 0.1 * (i % 2)),
            row(f"w{i}", "y", 0.2 - 0.1 * (i % 2)),
        ]
    ranks = {rank.learner: rank for rank in standings(rows).ranks("find")}
    assert (ranks["best"].low, ranks["best"].high) == (1, 1)
    assert (ranks["x"].low, ranks["x"].high) == (2, 3) == (ranks["y"].low, ranks["y"].high)


def test_a_refused_world_does_not_count_against_who_refuses_it():
    rows = [row("a", "x", 0.1), row("a", "y", 0.2), row("b", "x", None), row("b", "y", 0.2), row("b", "z", 0.1)]
    (x,) = [rank for rank in standings(rows).ranks("find") if rank.learner == "x"]
    assert x.beaten == 1.0
    assert x.worlds == 1
    assert x.place == 1


def test_who_is_first_by_chance_counts_against_nobody():
    """Twenty learners with the same mean: each is called worse on at most one world in twenty (4 sigma; without the
    correction it is one in three)."""
    rng = np.random.default_rng(3)
    worlds, learners, error = 400, 20, 0.01
    regrets = 0.5 + error * rng.standard_normal((worlds, learners))
    found = standings(row(f"w{w}", f"l{i}", regrets[w, i], error) for w in range(worlds) for i in range(learners))
    verdicts = [found.verdict(world, "l0") for world in found.worlds]
    assert sum(v.worse for v in verdicts) <= worlds * 0.05 + 4 * math.sqrt(worlds * 0.05 * 0.95)
    assert sum(v.worse_than_the_first for v in verdicts) > worlds * 0.2


def test_a_learner_that_is_worse_is_found():
    found = standings([row("a", "x", 0.1), row("a", "y", 0.2), row("a", "z", None)])
    (world,) = found.worlds
    verdicts = {name: found.verdict(world, name) for name in "xyz"}
    assert verdicts["x"].is_first
    assert not verdicts["x"].worse
    assert verdicts["y"].worse
    assert verdicts["y"].first == "x"
    assert verdicts["y"].ratio == pytest.approx(2)
    assert verdicts["z"].worse
    assert verdicts["z"].cell is None


def test_few_simulations_are_said():
    found = standings(
        [row("a", "x", 0.1, 0.03), row("a", "y", 0.12, 0.03), row("b", "x", 0.1, 0.001), row("b", "y", 0.1, 0.001)]
    )
    blind = [found.verdict(world, "y").blind for world in found.worlds]
    assert blind == [True, False]  # one rival: 1.645 √2 × 0.03 is above half of 0.1


def test_every_explained_world_is_one_of_the_suite():
    from bestdo.research.suite.lost_worlds import REASONS
    from bestdo.research.suite.suite_worlds import WORLDS

    assert set(REASONS) <= set(WORLDS)


def test_strengths_are_geometric_means_of_multiples_of_the_first():
    rows = [row("a", "x", 0.0), row("a", "y", 1.0), row("b", "x", 0.2), row("b", "y", 0.2), row("c", "x", None)]
    strengths = standings([*rows, row("c", "y", 0.3)]).strengths("find")
    assert strengths["x"]["parallel"] == pytest.approx((1.0, 2, 3))
    assert strengths["y"]["parallel"].value == pytest.approx((1.01 / 0.01) ** (1 / 3))


def test_a_report_about_somebody_is_at_the_horizons_that_they_played():
    rows = [row("a", "old", r, horizon=h) for h, r in ((50.0, 0.3), (100.0, 0.1))] + [row("b", "old", 0.1)]
    found = standings([*rows, row("a", "mine:X", 0.2, horizon=50.0)], own=["mine:X"])
    (world,) = found.worlds
    assert world.horizon == 50
    assert world.order == ["mine:X", "old"]


def test_worlds_that_the_learner_of_the_report_refuses_are_apart():
    rows = [row("a", "old", 0.1), row("b", "old", 0.1), row("a", "mine:X", 0.2), row("b", "mine:X", None)]
    found = standings(rows, own=["mine:X"])
    assert [world.name for world in found.worlds] == ["a"]
    assert [world.name for world in found.refused] == ["b"]
    (mine,) = [rank for rank in found.ranks("find") if rank.learner == "mine:X"]
    assert (mine.place, mine.worlds) == (2, 1)


def test_a_run_stands_beside_the_archive(tmp_path):
    kept = archive_of([row("a", "old", 0.1), row("b", "old", 0.1)])
    mine = [row("a", "mine:X", 0.2), row("b", "mine:X", 0.2, version=2)]
    (tmp_path / "results.csv").write_bytes(table_bytes(SuiteRow._fields, mine))
    board = leaderboard([tmp_path], kept)
    assert board.standing.own == ("mine:X",)
    assert [set(world.cells) for world in board.standing.worlds] == [{"old", "mine:X"}, {"mine:X"}]
    (note,) = board.notes
    assert "another version of b" in note
    (tmp_path / "results.csv").write_bytes(table_bytes(SuiteRow._fields, [row("a", "old", 0.3)]))
    again = leaderboard([tmp_path], kept).standing
    assert again.own == ("old",)
    assert [(world.name, world.cells["old"].regret) for world in again.worlds] == [("a", 0.3)]  # b was not run


def test_a_run_is_told_as_the_report_tells_it(capsys):
    kept = archive_of([row(world, name, 0.1) for world in "abc" for name in ("other", "third")])
    rows = [row("a", "mine:X", 0.1), row("b", "mine:X", 0.05), row("c", "mine:X", None)]
    show_run(Suite(SuiteRun(rows, []), kept, {}))
    said = capsys.readouterr().out
    assert "mine:X: plays 2 worlds and refuses 1" in said
    assert "75%" in said  # half of those with the same regret in a, all in b
    assert "a, b" in said


def test_without_any_result_it_is_said_what_to_do():
    with pytest.raises(BestdoError, match="bestdo suite run"):
        leaderboard([], archive_of([]))


def test_published_numbers_stand_beside_ours():
    from bestdo.research.suite.suite_world import Published
    from bestdo.research.suite.suite_worlds import WORLDS

    world = WORLDS["pomis-iv"]
    number = Published("thompson", 5000, 20.0, 3.0, "paper", "here")
    named = {"w": type(world)("w", 1, world.kind, world.make, (5000,), "", "", (number,))}
    (one,) = beside_ours(named, [row("w", "thompson", 30.0, 4.0, horizon=5000.0)])
    assert one.difference == pytest.approx(2.0)
    (none,) = beside_ours(named, [])
    assert none.difference is None
    assert none.missing == "not in the archive"
