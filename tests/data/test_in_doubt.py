"""Several files, each of which may have the right graph; studies, limits and contexts of problems in doubt."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bestdo
from bestdo import BestdoError, Doubts, Problem
from bestdo.bandit.request import Request
from bestdo.learners.unfolding import unfolded
from bestdo.study.default_learner import choose
from support import bestdo as command

TEXT = """bestdo = 1
[variables.shade]
[variables.moisture]
[variables.yield]
[graph]
edges = ["shade -> moisture", "moisture -> yield"%s]
reward = "yield"
%s
"""
ACTIONS = '[actions]\nset = ["shade", "moisture"]'


@pytest.fixture
def files(tmp_path):
    """Two files that differ in one arrow, of which the first names actions."""
    (tmp_path / "through.toml").write_text(TEXT % ("", ACTIONS))
    (tmp_path / "beside.toml").write_text(TEXT % (', "shade -> yield"', ""))
    return [str(tmp_path / "through.toml"), str(tmp_path / "beside.toml")]


def test_files_that_differ_in_an_arrow_are_one_problem_with_a_doubt(files):
    found = bestdo.in_doubt(files, [3, 1])
    assert str(found.problem.doubts) == "shade -> moisture; moisture -> yield; shade ?0.25-> yield"
    assert len(found.problem.actions) == 5
    assert found.actions_given
    third = bestdo.in_doubt([*files, found])
    np.testing.assert_allclose(third.problem.doubts.prior @ third.problem.doubts.there, [(0 + 1 + 0.25) / 3])


def test_a_file_that_is_in_doubt_itself_may_be_one_of_them(files, tmp_path):
    other = tmp_path / "hidden.toml"
    other.write_text(TEXT % (', "shade ?0.3-> yield", "moisture ?<-> yield"', ""))
    found = bestdo.in_doubt([files[0], other]).problem.doubts
    assert [str(each) for each in found.arrows] == ["shade ?0.15-> yield", "moisture ?0.25<-> yield"]
    assert found.count == 4


def test_files_must_agree_in_all_but_arrows(files, tmp_path):
    other = tmp_path / "other.toml"
    other.write_text((TEXT % ("", "")).replace("moisture", "water"))
    with pytest.raises(
        BestdoError, match=r"'moisture' is in .*through.toml and not in .*other.toml; a variable may be there without"
    ):
        bestdo.in_doubt([files[0], other])
    other.write_text(TEXT % (', "shade -> yield"', '[actions]\nset = ["shade"]'))
    with pytest.raises(BestdoError, match="allow different actions"):
        bestdo.in_doubt([files[0], other])
    other.write_text(TEXT % (', "shade -> yield"', ACTIONS + "\n[costs]\ndefault = 2.0"))
    with pytest.raises(BestdoError, match=r"have different costs: say the same in both, or leave out \[actions\]"):
        bestdo.in_doubt([files[0], other])
    with pytest.raises(BestdoError, match="two or more"):
        bestdo.in_doubt(files[:1])
    with pytest.raises(BestdoError, match="all the same"):
        bestdo.in_doubt([files[0], files[0]])
    with pytest.raises(BestdoError, match="it is above 0"):
        bestdo.in_doubt(files, [1, 0])
    with pytest.raises(BestdoError, match="1 probabilities for 2 graphs"):
        bestdo.in_doubt(files, [1])


def test_check_on_the_command_line_says_what_holds_in_both(files):
    done = command("check", *files, "--in-doubt", "-f", "json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["doubts"]["graphs"] == 2
    assert [arrow["changes"] for arrow in data["doubts"]["arrows"]] == ["rounds"]
    assert {action["learned_by_watching_in"] for action in data["actions"]} == {"all"}
    words = " ".join(command("check", *files, "--in-doubt").stdout.split())
    assert "1 arrow in doubt: 2 graphs are possible, and what is said here holds in every one of them." in words
    assert (
        "The answer depends on none of the doubtful arrows: enough data recommend the same action, there or not."
        in words
    )


def test_a_study_keeps_the_doubts(files, tmp_path):
    problem = bestdo.in_doubt(files).problem
    study = bestdo.Study.create(problem, rounds=20, learner="ucb", name="farm", storage=f"sqlite:///{tmp_path}/s.db")
    assert study.problem == problem
    round_ = study.ask("Ann")[0]
    study.tell(round_.number, {**round_.action, "shade": "0", "moisture": "1", "yield": "1"} | dict(round_.action))
    assert bestdo.Study.open("farm", f"sqlite:///{tmp_path}/s.db").problem.doubts == problem.doubts


ONE = "shade -> moisture -> yield; shade ?-> yield"
TWO = "shade ?<-> moisture; moisture -> yield; shade -> yield; moisture ?-? shade"


@pytest.mark.parametrize("name", ["ucb", "top-two", "successive-rejects", "uniform", "thompson"])
def test_classical_learners_take_every_problem_in_doubt(name):
    for text in (ONE, TWO):
        problem = Problem(Doubts.parse(text, reward="yield"), set=["shade", "moisture"])
        learner, rng = bestdo.learner(name), np.random.default_rng(0)
        assert learner.ask(learner.start(problem, 20, 1, rng), Request(), rng) is not None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("algorithm-2", "the law of the reward's parents, which belongs to one graph, and arrows are in doubt"),
        ("c-ucb", "belongs to one graph, and arrows are in doubt"),
        ("watch-then-act", "uses one graph, and of 6 that are possible none has all arrows of the others"),
        ("algorithm-1", "needs seeing to be as good as doing for every action"),
    ],
)
def test_learners_that_need_one_graph_say_so(name, message):
    problem = Problem(Doubts.parse(TWO, reward="yield"), set=["shade", "moisture"])
    with pytest.raises(BestdoError, match=message):
        bestdo.learner(name).start(problem, 20, 1, np.random.default_rng(0))
    assert choose(problem, 60)[0] == "causal-top-two"


def test_a_learner_may_use_the_graph_that_has_all_arrows():
    problem = Problem(Doubts.parse("z -> x -> y; z ?-> y; x ?<-> z", reward="y"), set=["x"])
    assert len(problem.doubts.largest) == 1
    bestdo.learner("watch-then-act").start(problem, 20, 1, np.random.default_rng(0))


def test_init_keeps_the_doubts(tmp_path):
    table = tmp_path / "seen.csv"
    table.write_text("a,b,y\nlow,1,no\nhigh,0,yes\nlow,1,yes\nhigh,1,no\n")
    made = bestdo.init("a ?0.3-> y; b -> y; a ?<-> b", data=table, reward="y", success="yes", set=["a"])
    found = made.problem if isinstance(made.problem, Problem) else made.contents.problem
    assert [str(doubt) for doubt in found.doubts.arrows] == ["a ?0.3-> y", "a ?<-> b"]
    assert {graph.variable("a").values for graph in found.doubts.candidates} == {("low", "high")}
    with pytest.raises(BestdoError, match="found 'c', expected"):
        bestdo.init("a ?-> b c", reward="b", success="1")


def test_contexts_keep_the_doubts():
    doubts = Doubts.parse("device -> sale; price -> sale; device ?-> mood; mood -> sale", reward="sale")
    problem = Problem(doubts, set=["price"], first=["device"])
    assert len(unfolded(problem).doubts.candidates) == 2
    about_context = Doubts.parse("device -- mood; mood -> sale; price -> sale", reward="sale")
    turned = Problem(
        about_context, set=["price"], first=["device"]
    )  # which of the two is the cause makes no difference
    assert len(turned.doubts.candidates) == 2
    assert unfolded(turned).doubts is None


def test_more_values_in_a_running_study_keep_the_doubts():
    from bestdo.study.problem_changes import recut_problem

    sure = bestdo.Graph.of(
        [bestdo.Variable("warm", ("no", "yes"), cut=(20.0,)), bestdo.Variable("x"), bestdo.Variable("y")],
        [("x", "y")],
        reward="y",
    )
    problem = Problem(Doubts.of(sure, [("warm", "?->", "y", 0.3)]), set=["x"])
    changed = recut_problem(problem, "warm", [18.0], [])
    assert changed.graph.variable("warm").cut == (18.0,)
    assert changed.doubts.arrows == problem.doubts.arrows
