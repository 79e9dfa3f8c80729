"""What people tell is read as tables of old data are; the hint that `ask` prints can be pasted."""

import math
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from bestdo import Actions, Graph, Problem, Study
from bestdo.bandit.reading import Reading
from bestdo.causal.number import Number
from bestdo.causal.variable import Variable
from bestdo.errors import BestdoError
from bestdo.files import Contents
from bestdo.files.toml import write
from bestdo.study.round import checked, understood

GRAPH = Graph.of(
    [
        Variable("blood pressure", ("low", "high")),
        Variable("$HOME; (x)", ("No", "Yes")),
        Variable("case", ("Low", "low", "other")),
        Variable("dose", cut=(5.0,), values=("little", "much")),
        Variable("kg", number=Number(0, 100)),
        Variable("ill", ("no", "yes")),
    ],
    [*((name, "ill") for name in ("blood pressure", "$HOME; (x)", "case", "dose")), ("ill", "kg")],
    reward="ill",
    success="no",
)
PROBLEM = Problem(
    GRAPH, Actions.single(GRAPH, ["blood pressure"]), reading=Reading(same={"gesund": "no"}, missing=("?",))
)
ROW = {"blood pressure": "low", "$HOME; (x)": "No", "case": "other", "dose": 3.5, "kg": 70.5, "ill": "no"}


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ({"ill": "YES"}, {"ill": "yes"}),
        ({"ILL ": True}, {"ill": "yes"}),
        ({"ill": "0"}, {"ill": "no"}),
        ({"ill": 1.0}, {"ill": "yes"}),
        ({"ill": "nein", "Blood Pressure": " hoch "}, {"blood pressure": "high", "ill": "no"}),
        ({"ill": "gesund", "case": "NA", "kg": "?"}, {"ill": "no"}),
        ({"ill": "no", "kg": "1,5", "dose": "MUCH"}, {"dose": "much", "kg": "1,5", "ill": "no"}),
        ({"ill": "no", "dose": "7,25", "case": "low"}, {"case": "low", "dose": "7,25", "ill": "no"}),
    ],
)
def test_what_is_told_is_read_as_in_tables(told, kept):
    assert checked(PROBLEM, "do()", understood(PROBLEM, told), False) == (kept, False)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (
            {"ill": "no", "case": "LOW"},
            r"'case' is 'LOW', and several values can be meant: did you mean 'Low' or 'low'\?",
        ),
        ({"ill": "yess"}, r"unknown value 'yess' of the variable 'ill' \(did you mean 'yes'\?\)"),
        ({"il": "yes"}, r"unknown variable 'il' \(did you mean 'ill'\?\)"),
        ({"ill": "NA"}, r"unknown value 'NA' of the variable 'ill'"),
        ({"ill": None, "case": "low"}, r"the reward 'ill' must be told"),
        ({"ill": "…"}, r"put what was seen of 'ill' in the place of …: no or yes"),
        ({"ill": "no", "kg": float("inf")}, r"'kg' is 'inf'; it must be"),
        ({"ill": float("nan")}, "unknown value 'nan' of the variable 'ill'"),
        ({"ill": "yes", "ILL": "no"}, r"'ill' is told twice"),
    ],
)
def test_what_cannot_be_understood_is_an_error(told, words):
    with pytest.raises(BestdoError, match=words):
        checked(PROBLEM, "do()", understood(PROBLEM, told), False)


def test_the_hint_of_ask_can_be_pasted_into_a_shell(tmp_path):
    (tmp_path / "a.toml").write_text(write(Contents(GRAPH, PROBLEM)))

    def sh(line):
        line = line.replace("bestdo ", f"{sys.executable} -m bestdo ", 1)
        return subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True)

    assert sh("bestdo new a.toml --rounds 5 --learner uniform --name 'my study'").returncode == 0
    said = sh("bestdo ask --study 'my study'")
    hint = re.search(r"then: (.*)", said.stdout)[1]
    assert "'$HOME; (x)=…'" in hint
    pasted = sh(hint)
    assert (pasted.returncode, "put what was seen of" in pasted.stderr) == (1, True)
    values = {"pressure": "HIGH", "x)": "ja", "case": "other", "dose": "5,5", "kg": "3", "ill": "No"}
    for name, value in values.items():
        hint = hint.replace(f"{name}=…", f"{name}={value}")
    told = sh(hint)
    assert (told.returncode, told.stderr) == (0, "told round 1\n")


def test_a_round_is_told_by_itself_and_nan_is_a_missing_value(tmp_path):
    study = Study.create(PROBLEM, rounds=9, storage=f"sqlite:///{tmp_path}/s.db")
    asked = study.ask("Ann")
    assert asked.number == asked[0].number == 1
    assert asked.action == asked[0].action
    study.tell(asked, {"ill": "no", "case": math.nan, "dose": np.float32("nan"), "kg": math.nan})
    assert not {"case", "dose", "kg"} & set(study.rounds()[0]["values"])
    study.amend(asked[0], {"ill": "yes"}, "misread")
    study.withdraw(asked[0], "hail")
    with pytest.raises(AttributeError, match="these are 2 rounds"):
        study.ask("Ann", n=2).number  # noqa: B018
    with pytest.raises(BestdoError, match=r"5 is no worker's name: .*n=5"):
        study.ask(5)


def test_old_data_are_one_line_and_no_packed_numbers_are_in_the_history(tmp_path):
    study = Study.create(PROBLEM, rounds=9, storage=f"sqlite:///{tmp_path}/s.db")
    old = study.observe(pl.DataFrame([ROW] * 3))
    assert repr(old) == f"OldData(3 rows; fingerprint {old.fingerprint})"
    assert "numbers" not in study.history()[-1]


def test_what_is_hidden_is_not_told():
    graph = Graph.of([Variable("mood", hidden=True), Variable("y")], [("mood", "y")], reward="y", success="1")
    with pytest.raises(BestdoError, match="'mood' is hidden"):
        understood(Problem(graph), {"y": "1", "mood": "1"})


def test_names_are_those_of_columns_and_need_no_spaces():
    graph = Graph.parse('"Device type" -> Revenue', reward="Revenue", success="1")
    problem = Problem(graph, reading=Reading(columns={"Revenue": "Revenue (EUR)"}))
    assert understood(problem, {"device_type": 0, "Revenue (EUR)": 1}) == {"Device type": "0", "Revenue": "1"}
