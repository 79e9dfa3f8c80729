"""What people tell is read as tables of old data are; the hint that `ask` prints can be pasted."""

import re
import subprocess
import sys

import pytest

from bestdo import Actions, Graph, Problem
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
        ({"ill": "yes", "ILL": "no"}, r"'ill' is told twice"),
        ({"ill": "no", "kg": float("nan")}, r"'kg' is 'nan'; it must be"),
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
