"""Doubtful arrows of a study: probabilities from all rounds and old data, how they moved, in every form."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from bestdo import Doubts, Problem, Study
from bestdo.bandit.arrow_chance import ArrowChance
from bestdo.cli import bestdo as command
from bestdo.report.sections.arrows import arrows_in_words, arrows_table, matter_in_words, status_of_arrows
from bestdo.report.sections.check import words
from bestdo.study.arrow_chances import arrows_of
from bestdo.study.default_learner import choose
from bestdo.study.fold import Row, rounds_of
from bestdo.usecases.check import check

TEXT = "shade -> moisture -> yield; shade ?0.3-> yield; rain ?-? moisture"


def doubted(text=TEXT):
    return Problem(Doubts.parse(text, reward="yield", success="1"), set=["shade", "moisture"])


def rows(n, seed=0):
    """Rounds in which shade decides the yield."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        shade, moisture, rain = (str(int(rng.random() < 0.5)) for _ in range(3))
        action = "do()" if i % 3 else f"do(shade={shade})"
        found.append(Row(action, {"shade": shade, "moisture": moisture, "rain": rain, "yield": shade}, deviated=False))
    return found


def test_probabilities_move_with_the_rounds_and_end_where_all_rounds_say():
    problem = doubted()
    rounds = rounds_of(rows(40), problem)
    found = arrows_of(problem, rounds, points=4)
    assert [str(one) for one in found] == ["shade -> yield", "moisture -> rain", "rain -> moisture"]
    direct = found[0]
    assert direct.before == pytest.approx(0.3)
    assert direct.told == (0, 10, 20, 30, 40)
    assert direct.chance[0] == pytest.approx(0.3)
    assert direct.now > 0.99
    (other,) = [one for one in arrows_of(problem, rounds, points=1) if str(one) == "shade -> yield"]
    assert other.now == pytest.approx(direct.now)


def test_old_data_move_them_before_the_first_round():
    problem = doubted()
    old = rounds_of([Row("do()", row.values, deviated=False) for row in rows(30)], problem)
    (direct, *_) = arrows_of(problem, rounds_of([], problem), old)
    assert direct.told == (0,)
    assert direct.now > 0.9


def test_a_hidden_common_cause_is_weighed_too_and_graphs_that_are_too_large_keep_what_was_stated():
    problem = doubted("shade -> moisture -> yield; shade ?<-> yield; rain")
    rounds = rounds_of(rows(20), problem)
    (only,) = arrows_of(problem, rounds)
    assert (str(only), only.before) == ("shade <-> yield", 0.5)
    assert only.now != 0.5
    assert arrows_of(Problem(problem.graph), rounds) == []
    wide = Problem(Doubts.parse("; ".join(f"X{i} ?-> yield" for i in range(12)), reward="yield", success="1"))
    found = arrows_of(wide, rounds_of([], wide))
    assert {(one.chance, one.now) for one in found} == {((), 0.5)}


def test_they_are_the_same_after_json():
    one = ArrowChance("a b", "->", "c", 0.5, (0, 3), (0.5, 0.25))
    assert ArrowChance.of_data(json.loads(json.dumps(one.as_data()))) == one
    assert str(one) == '"a b" -> c'


def test_best_and_status_show_them(tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    study = Study.create(doubted(), rounds=30, name="field", storage=storage)
    for row in rows(6):
        (asked,) = study.ask("Ann")
        study.tell(asked.number, {**row.values, **asked.action})
    assert study.arrows()[0].told[-1] == 6
    run = CliRunner()
    shown = run.invoke(command, ["best", "--storage", storage], catch_exceptions=False).output
    assert "arrow in doubt" in shown
    assert "6 told" in shown
    data = json.loads(run.invoke(command, ["best", "--storage", storage, "-f", "json"]).output)
    assert data["arrows"][0]["arrow"] == "shade -> yield"
    assert data["arrows"][0]["now"] == pytest.approx(study.arrows()[0].now)
    status = " ".join(run.invoke(command, ["status", "--storage", storage]).output.split())
    assert "in doubt: shade -> yield, there with probability" in status
    assert matter_in_words(study.arrows()) in status


def test_a_status_names_the_arrows_that_moved_most():
    arrows = [ArrowChance(f"a{i}", "->", "y", 0.5, (3,), (0.5 + i / 100,)) for i in range(20)]
    lines = status_of_arrows([each.as_data() for each in arrows])
    assert lines[0] == "in doubt: a8 -> y, there with probability 0.58 (stated: 0.50)"
    assert "… and 8 arrows in doubt that moved less; bestdo best shows more" in lines


def test_old_data_say_how_far_they_can_go_and_what_to_set(tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    table = tmp_path / "old.csv"
    table.write_text("\n".join(["shade,yield", *["1,1"] * 20, *["0,0"] * 20, *["0,1"] * 5]))
    problem = Problem(Doubts.parse("shade ?-? yield", reward="yield", success="1"))
    study = Study.create(problem, rounds=30, name="field", storage=storage)
    run = CliRunner()
    said = run.invoke(command, ["observe", str(table), "--storage", storage]).output
    assert "3 graphs are possible; data in which nothing is set can tell 2 groups of them apart" in said
    assert "Setting shade in some rounds would settle most: 0.0 bits would be left." in said
    found = study.settling()
    assert found.watching == pytest.approx(1, abs=0.01)  # one of two directions, which data cannot tell
    assert [round(one.now, 2) for one in study.arrows()] == [0.5, 0.5]
    assert matter_in_words(study.arrows()).startswith("By the old data the same action is the best")
    study.unobserve(study.old_data()[0].fingerprint)
    data = json.loads(run.invoke(command, ["observe", str(table), "--storage", storage, "-f", "json"]).output)
    assert data["settling"]["setting"] == ["shade"]
    assert Study.create(Problem(problem.graph), rounds=9, name="sure", storage=storage).settling() is None


def test_with_nothing_known_the_directions_that_stay_open_are_counted(tmp_path):
    """Six variables and no order: watching leaves directions open, and setting one of them leaves fewer."""
    storage = f"sqlite:///{tmp_path}/s.db"
    names = ["a", "b", "c", "d", "e", "y"]
    doubts = Doubts.in_order([names], reward="y", success="1")
    study = Study.create(Problem(doubts, set=["a", "b"]), rounds=30, name="unknown", storage=storage)
    rows = np.random.default_rng(0).integers(2, size=(60, 1)) ^ (np.random.default_rng(1).random((60, 6)) < 0.2)
    table = tmp_path / "old.csv"
    table.write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows.astype(int))]))
    said = CliRunner().invoke(command, ["observe", str(table), "--storage", storage]).output
    found = study.settling()
    assert found.unit == "arrows"
    assert 0 < found.left < found.watching < found.doubt
    assert "by watching, in another way in each graph" in " ".join(said.split())  # as check says
    assert f"leave the direction of {found.watching:.1f} of {found.doubt:.1f} arrows open" in " ".join(said.split())
    assert f"would settle most: {found.left:.1f} directions would be left" in " ".join(said.split())


def test_a_column_of_old_data_only_where_there_are_some_and_improbable_is_explained(tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    problem = Problem(Doubts.parse("x -> y; z -> y; z ?0.3<-> y", reward="y", success="1"))
    Study.create(problem, rounds=30, name="field", storage=storage)
    run = CliRunner()
    before = run.invoke(command, ["best", "--storage", storage], catch_exceptions=False).output
    assert "arrow in doubt  stated\n" in before
    assert "old data" not in before
    assert "improbable" not in before
    table = tmp_path / "old.csv"
    table.write_text("\n".join(["x,z,y", *["1,0,1"] * 20, *["0,1,0"] * 20]))
    said = run.invoke(command, ["observe", str(table), "--storage", storage], catch_exceptions=False).output
    assert "old data" in said
    assert "How far data alone can settle the doubts is not said: which graphs with hidden causes" in said
    assert "improbable" not in run.invoke(command, ["status", "--storage", storage]).output
    told = [ArrowChance("z", "->", "y", 0.3, (0,), (0.01,))]
    assert arrows_in_words(told).startswith("improbable means: if it is there, it does little")
    assert arrows_table(told)[0] == ("arrow in doubt", "stated", "old data")


def test_what_a_round_teaches_is_said_of_every_possible_graph():
    doubts = Doubts.parse("x -> y; z -> y; z ?0.3<-> y", reward="y", success="1")
    _, why = choose(Problem(doubts), 40)
    assert why.startswith(
        "in 1 of 2 possible graphs all causes of the reward are seen, so that every round teaches about"
    )
    sure = Doubts.parse("x -> y; z ?-> y", reward="y", success="1")
    assert choose(Problem(sure), 40)[1].startswith("all causes of the reward are seen, so every round")


def test_check_says_where_watching_is_enough_and_both_ends_of_an_arrow_in_either_direction():
    doubts = Doubts.parse("a ?-? b; a -> y; b -> y; b ?<-> y", reward="y", success="1")
    found = check(Problem(doubts))
    ways = {str(way.intervention): way.in_words for way in found.ways}
    assert ways["do(b=1)"] == "by watching in some graphs"
    assert ways["do()"] == "by watching alone"
    said = " ".join(words(found))
    assert "in a way that depends on the graph" in said
    assert "the others only by doing" not in said


def test_check_says_what_data_answer_where_a_direction_is_in_doubt(tmp_path):
    table = tmp_path / "old.csv"
    table.write_text("\n".join(["x,z,y", *["1,0,1"] * 20, *["0,1,0"] * 20, *["1,1,1"] * 9, *["0,0,1"] * 9]))
    problem = Problem(Doubts.parse("x ?-? z; z -> y", reward="y", success="1"))
    found = check(problem, data=str(table))
    ways = {str(answer.action): answer.in_words for answer in found.data.answers}
    assert ways["do(z=1)"] == "by watching alone"
    assert ways["do(x=1)"] == "by watching, with 2 formulas for different possible graphs"
