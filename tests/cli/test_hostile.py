"""Names with markup, bidi and control characters, and values that look like formulas: harmless wherever they appear."""

import csv
import json
import re
import subprocess
import sys

import pytest

import bestdo
from bestdo import Actions, Graph, Problem, Variable
from bestdo.cli import main
from bestdo.study import Study
from support import ROOT

NASTY = '=HYPERLINK("x")[bold red]\x1b[31m\x07\u202e\u2066<script>alert(1)</script>\r\n{{7*7}}%s'
CALC = "=cmd|' /C calc'!A0"
GRAPH = Graph.of(
    [
        Variable("=A1+A2", ("-2+3", "@SUM(1)")),
        Variable("[bold]x", ("[red]", "<b>")),
        Variable("<script>alert('1')</script> & $(id)", ("'; rm -rf .", "1")),
        Variable("Y", ("0", CALC)),
    ],
    [("=A1+A2", "Y"), ("[bold]x", "Y"), ("<script>alert('1')</script> & $(id)", "Y")],
    [],
    reward="Y",
    success=CALC,
)


@pytest.fixture
def run(tmp_path, monkeypatch, capsysbinary):
    """The command line in this process, in an empty folder, in colour: exit code and all that is written, as bytes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("BESTDO_STORAGE", raising=False)

    def once(*arguments):
        monkeypatch.setattr(sys, "argv", ["bestdo", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        printed = capsysbinary.readouterr()
        return done.value.code, printed.out.decode() + printed.err.decode()

    return once


def harmless(text):
    """Nothing in it steers a terminal: no control characters but new lines, and bestdo's own colours."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text) if "\x1b[31m\x07" not in text else text
    return all(c == "\n" or c.isprintable() for c in text)


def test_a_whole_study_with_nasty_names(run, tmp_path):
    bestdo.write(Problem(GRAPH, Actions.single(GRAPH)), tmp_path / "nasty.toml")
    made, said = run("new", "nasty.toml", "--rounds", 6, "--learner", "uniform", "--name", '=HYPERLINK("x")[bold]<b>')
    assert made == 0, said
    seen = ["=A1+A2=-2+3", "[bold]x=<b>", f"Y={CALC}"]
    code, text = run("ask", "-n", 3, "--worker", NASTY, "-f", "json")
    assert code == 0, text
    first = json.loads(text)[0]
    told = [s for s in seen if not any(s.startswith(f"{n}=") for n in first["set"])]
    assert run("tell", first["number"], *told, "--who", NASTY, "--key", NASTY) == (0, f"told round {first['number']}\n")
    assert run("amend", first["number"], *told, "--why", NASTY, "--who", NASTY)[0] == 0
    assert run("note", NASTY, "--who", NASTY)[0] == 0
    for command in (
        ["status"],
        ["history"],
        ["best"],
        ["studies"],
        ["ask", "--worker", NASTY],
        ["check", "nasty.toml"],
    ):
        code, text = run(*command)
        assert code == 0, text
        assert harmless(text), (command, text)
        assert "[bold" in text or command[0] == "history"  # markup is shown, not obeyed
    for command in (["tell", 99, *told], ["tell", 1, "=A1+A2=\x1b[31m"], ["ask", "--study", NASTY], ["tell", 2, NASTY]):
        code, text = run(*command)
        assert code == 1
        assert harmless(text), (command, text)
    for command in (["history"], ["best"], ["status"], ["studies"]):
        code, text = run(*command, "-f", "json")
        assert json.loads(text) is not None
        assert harmless(text)  # escaped


def test_tables_for_spreadsheets(run, tmp_path):
    bestdo.write(Problem(GRAPH, Actions.single(GRAPH)), tmp_path / "nasty.toml")
    run("new", "nasty.toml", "--rounds", 6, "--learner", "uniform")
    for asked in json.loads(run("ask", "-n", 6, "--worker", NASTY, "-f", "json")[1]):
        assert run("tell", asked["number"], f"Y={CALC}")[0] == 0
    assert run("export", "-o", "t.csv")[0] == 0
    with (tmp_path / "t.csv").open(newline="") as stream:
        rows = list(csv.reader(stream))
    assert len(rows) == 7
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")), cell
    assert rows[0].count("'=A1+A2") == 1
    assert run("export", "-o", "t.parquet")[0] == 0
    assert run("export", "-o", "t.json")[0] == 0
    assert run("import", "t.json", "--name", "again")[0] == 0
    assert run("best", "--study", "again")[1] == run("best", "--study", "nasty")[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "--worker"],
        ["note"],
        ["note", "x", "--who"],
        ["tell", "1", "Y=0", "--key"],
        ["ask", "--study"],
        ["tell", "1"],
    ],
)
def test_bytes_that_are_no_text(tmp_path, arguments):
    """As an old terminal may send them; refused in words, never a traceback."""
    storage = f"sqlite:///{tmp_path}/x.db"
    study = Study.create(Problem(GRAPH, Actions.single(GRAPH)), 5, learner="uniform", name="x", storage=storage)
    study.ask("ann")
    before = study.history()
    command = [sys.executable, "-m", "bestdo", *arguments, b"\xff\xfe", "--storage", storage]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr
    assert study.history() == before


@pytest.mark.parametrize("name", ["x" * 201, "a\0b"])
def test_names_that_no_column_takes(tmp_path, name):
    study = Study.create(
        Problem(GRAPH, Actions.single(GRAPH)), 5, learner="uniform", name="x", storage=f"sqlite:///{tmp_path}/x.db"
    )
    (asked,) = study.ask("ann")
    for attempt in (
        lambda: study.ask(name),
        lambda: study.tell(asked.number, {"Y": "0"}, key=name),
        lambda: study.note("x", who=name),
    ):
        with pytest.raises(bestdo.BestdoError, match="at most 200 characters"):
            attempt()
    assert len(study.history()) == 3


def test_nothing_stored_or_read_is_ever_run():
    """No pickle, eval or exec, and nothing that loads objects from data, anywhere in the package."""
    forbidden = re.compile(
        r"\b(pickle|cPickle|marshal|shelve|dill|joblib)\b|\b(eval|exec)\(|yaml\.load|allow_pickle=True"
    )
    for path in sorted((ROOT / "src").rglob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert not forbidden.search(line), f"{path.relative_to(ROOT)}:{number}: {line}"
    assert forbidden.search("pickle.loads(x)")
