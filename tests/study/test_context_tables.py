"""Rounds asked for by a table of contexts: every column is found or missed aloud, and an error says which row it means."""

import polars as pl
import pytest
from click.testing import CliRunner

from bestdo import Actions, Graph, Limit, Problem
from bestdo.cli import bestdo as command
from bestdo.errors import BestdoError, GraphError
from bestdo.study import Study

GRAPH = Graph.parse(
    "age -> pain; cure -> pain; cure -> cost", reward="pain", success="0", values={"age": ("old", "young")}
)
PROBLEM = Problem(GRAPH, Actions.single(GRAPH, ["cure"]), first=("age",), limits=[Limit("cost", "1", at_most=0.2)])


@pytest.fixture
def study(tmp_path):
    return Study.create(PROBLEM, 20, learner="causal-top-two", name="pain", storage=f"sqlite:///{tmp_path}/study.db")


def ask(folder, text, *more):
    (folder / "queue.csv").write_text(text)
    arguments = ["ask", "--contexts", str(folder / "queue.csv"), *more, "--storage", f"sqlite:///{folder}/study.db"]
    return CliRunner().invoke(command, arguments)


def test_a_column_that_is_missing_is_an_error_and_others_are_named(study, tmp_path):
    done = ask(tmp_path, "years;Name\nold;Ann\n")
    assert done.exit_code == 1
    assert "has no column 'age' among 'years', 'Name'; --column age=NAME says" in str(done.exception) + done.output
    assert study.rounds() == []
    done = ask(tmp_path, "years;Name\nold;Ann\n;Bob\n", "--column", "age=years")
    assert done.exit_code == 0, done.output
    assert "not seen first, and left out: 'Name'" in done.output
    assert [row["context"] for row in study.rounds()] == [{"age": "old"}, {}]
    for text, more, words in (
        ("age\n", [], "has no row below the heading"),
        ("age\nold\nelderly\n", [], "context 2 of 2: unknown value 'elderly'"),
        ("age;Age\nold;old\n", ["--column", "age=AGE"], "could all be 'AGE'"),
        ("age\nold\n", ["--column", "cure=x"], "unknown variable that is seen first 'cure'"),
    ):
        done = ask(tmp_path, text, *more)
        assert done.exit_code == 1
        assert words in str(done.exception) + done.output
    assert len(study.rounds()) == 2


def test_a_data_frame_is_a_list_of_contexts(study):
    asked = study.ask(context=pl.DataFrame({"Age": ["old", None, "young"]}))
    assert [each.context for each in asked] == [{"age": "old"}, {}, {"age": "young"}]
    assert " where age=old; until " in repr(asked[0])
    with pytest.raises(BestdoError, match="no column 'age' among 'years'"):
        study.ask(context=pl.DataFrame({"years": ["old"]}))
    with pytest.raises(BestdoError, match="list of contexts is empty"):
        study.ask(context=[])
    with pytest.raises(GraphError, match="context 2 of 3: unknown value 'elderly'"):
        study.ask(context=[{}, {"age": "elderly"}, {}])
    with pytest.raises(BestdoError, match="context 1 of 1: a context is given by its values"):
        study.ask(context=["old"])


def test_a_limited_outcome_that_is_not_told_is_named(study, tmp_path):
    study.ask(context={"age": "old"})
    study.ask(context={"age": "old"})
    storage = ["--storage", f"sqlite:///{tmp_path}/study.db"]
    done = CliRunner().invoke(command, ["tell", "1", "pain=0", *storage])
    assert (
        "'cost' was not told: the round says little or nothing about the limit P(cost = 1) at most 0.2" in done.output
    )
    done = CliRunner().invoke(command, ["amend", "1", "cost=0", "--why", "later", *storage])
    assert done.exit_code == 0, done.output
    assert "was not told" not in CliRunner().invoke(command, ["tell", "2", "pain=0", "cost=1", *storage]).output


def test_the_reason_for_a_round_says_how_surely_it_keeps_the_limit(study):
    (first,) = study.ask(context={"age": "old"})
    study.tell(first.number, {"cure": first.action.get("cure", "1"), "cost": "1", "pain": "0"})
    assert "it keeps the limit here with probability 0." in study.ask(context={"age": "old"}).reason
