"""`bestdo init` on what people have, each time up to the first round and the old data: files, options, a terminal."""

import os
import re
import shlex
import sys
from importlib.resources import files

import numpy as np
import pexpect
import polars as pl
import pytest
import xlsxwriter

import bestdo as library
import fork_server
from bestdo.bandit.rounds import Plan
from bestdo.cli import main
from bestdo.simulate import World
from support import ROOT

DAGITTY = """dag {
bb="0,0,1,1"
"Größe" [pos="0.1,0.2"]
Alter [pos="0.2,0.1"]
Dosis [exposure,pos="0.4,0.5"]
Blutdruck [pos="0.5,0.5"]
Raucher [pos="0.3,0.3"]
Infarkt [outcome,pos="0.9,0.5"]
Alter -> Blutdruck
Alter -> Infarkt
"Größe" -> Blutdruck
Dosis -> Blutdruck -> Infarkt
Raucher -> Infarkt
}
"""
ALARM = "HYPOVOLEMIA,LVFAILURE,ANAPHYLAXIS,INSUFFANESTH"


def patients(rows=300):
    """Patients as a German spreadsheet holds them: decimal commas, ja and nein, a dash for what is not known."""
    rng = np.random.default_rng(1)
    age, dose, smoker = rng.normal(63, 11, rows).round(), rng.choice([0, 2.5, 5], rows), rng.random(rows) < 0.3
    pressure = rng.normal(138, 15, rows) + (age - 63) * 0.4 - 3 * dose
    infarct = rng.random(rows) < 1 / (1 + np.exp(2 - (pressure - 138) / 12 - smoker))

    def comma(numbers):
        return [f"{n:g}".replace(".", ",") for n in numbers]

    return pl.DataFrame(
        {
            "Patienten-ID": [f"P{i:04}" for i in range(rows)],
            "Datum": [f"{1 + i % 28:02}.03.2024" for i in range(rows)],
            "Alter (Jahre)": comma(age),
            "Größe (cm)": comma(rng.normal(172, 9, rows).round(1)),
            "Dosis": comma(dose),
            "Raucher": np.where(smoker, "ja", "nein"),
            "Blutdruck (mmHg)": ["-" if i % 40 == 0 else text for i, text in enumerate(comma(pressure.round(1)))],
            "Infarkt": np.where(infarct, "Ja", "nein"),
        }
    )


def as_csv(frame):
    lines = [frame.columns, *frame.rows()]
    return "".join(f"{';'.join(line)}\r\n" for line in lines)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command line in this process: what it prints, on standard error where it ends with another code than 0."""
    monkeypatch.chdir(tmp_path)
    for name, value in {"COLUMNS": "120", "NO_COLOR": "1", "BESTDO_STORAGE": f"sqlite:///{tmp_path}/bestdo.db"}.items():
        monkeypatch.setenv(name, value)

    def once(*arguments, code=0):
        monkeypatch.setattr(sys, "argv", ["bestdo", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        said = capsys.readouterr()
        assert (done.value.code or 0) == code, said.err
        return said.err if code else said.out

    return once


def go_on(run, said, data):
    """Follows the commands that were said, then asks for a round and takes the data in; what is said to the data."""
    first, second, third = (shlex.split(line)[1:] for line in said.splitlines() if line.startswith("  bestdo "))
    checked = run(*first)
    assert f"The data: {rows_in(checked)} rows" in checked
    run(*second)
    assert run("ask").startswith("round 1: ")
    assert third == ["observe", str(data)]
    observed = run(*third)
    assert f"observed {rows_in(checked)} rows" in observed
    return observed


def rows_in(checked):
    return re.search(r"The data: ([\d,]+) rows", checked)[1]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig"])
def test_dagitty_with_positions_and_a_german_table(run, tmp_path, encoding):
    (tmp_path / "psa.txt").write_text(DAGITTY, encoding="utf-8")
    (tmp_path / "patienten.csv").write_bytes(as_csv(patients()).encode(encoding))
    missing = run("init", "psa.txt", "--data", "patienten.csv", code=1)
    assert missing == "error: Which value of 'Infarkt' is good? Say --success VALUE, one of 'nein', 'Ja'\n"
    said = run("init", "psa.txt", "--data", "patienten.csv", "--success", "NEIN", "-o", "psa.toml")
    assert "note: the column 'Datum' is left out: it is a date or time" in said
    assert "note: counted as missing: '-'" in said
    if encoding == "cp1252":
        go_on(run, said, "patienten.csv")
    text = (tmp_path / "psa.toml").read_text(encoding="utf-8")
    for line in (
        "# Column 'Blutdruck (mmHg)': 300 rows, 8 rows without it.",
        "# Cut at 130 (a round number near the middle; choose what makes sense): low 50 %, high 50 %.",
        "# Seen: nein 72 %, ja 28 %.",
        'values = ["0", "2.5", "5"]',
        'columns."Größe" = "Größe (cm)"',
        "Infarkt = [0.9, 0.5]",
    ):
        assert line in text.splitlines()
    made = library.read(tmp_path / "psa.toml")
    assert made.graph.variable("Blutdruck").unit == "mmHg"
    assert made.problem.reading.ignore == ("Patienten-ID", "Datum")
    assert "already: --force" in run("init", "psa.txt", "-o", "psa.toml", code=1)
    assert (tmp_path / "psa.toml").read_text(encoding="utf-8") == text


def test_excel_with_five_sheets(run, tmp_path):
    (tmp_path / "psa.txt").write_text(DAGITTY, encoding="utf-8")
    with xlsxwriter.Workbook(tmp_path / "klinik.xlsx") as book:
        for sheet in ("Deckblatt", "2022", "2023", "2024", "Hinweise"):
            frame = patients() if sheet == "2024" else pl.DataFrame({"Text": [sheet]})
            frame.write_excel(book, worksheet=sheet)
    said = run("init", "psa.txt", "--data", "klinik.xlsx", code=1)
    assert "has 5 sheets with data: 'Deckblatt', '2022', '2023', '2024', 'Hinweise'" in said
    assert "--sheet NAME" in said
    said = run("init", "psa.txt", "--data", "klinik.xlsx", "--sheet", "2024", "--success", "nein")
    go_on(run, said, "klinik.xlsx")
    assert 'sheet = "2024"' in (tmp_path / "problem.toml").read_text(encoding="utf-8")


def alarm(tmp_path, rows):
    """The alarm network as pgmpy ships it, and rows of it in Parquet."""
    packed = files("pgmpy").joinpath("utils", "example_models", "alarm.bif.gz").read_bytes()
    (tmp_path / "alarm.bif.gz").write_bytes(packed)
    model = library.read(tmp_path / "alarm.bif.gz", reward="BP", success="NORMAL").model
    world = World(library.Problem(model.graph, library.Actions(model.graph, [library.do()])), model)
    x = world.rounds(Plan(np.array([[rows]])), np.random.default_rng(0)).x
    values = [np.array(variable.values) for variable in model.graph.variables]
    frame = pl.DataFrame({n: values[i][x[:, i]] for i, n in enumerate(model.graph.names)})
    frame.write_parquet(tmp_path / "log.parquet")


@pytest.mark.parametrize("rows", [20_000, pytest.param(1_000_000, marks=pytest.mark.campaign)])
def test_the_alarm_network_and_many_rows_of_parquet(run, tmp_path, rows):
    alarm(tmp_path, rows)
    missing = run("init", "alarm.bif.gz", "--data", "log.parquet", code=1)
    assert "Say --reward NAME, one of 'HISTORY', 'CVP'" in missing
    assert "and 25 more" in missing
    said = run("init", "alarm.bif.gz", "--data", "log.parquet", "--reward", "BP", "--success", "NORMAL", "--set", ALARM)
    assert "note" not in said
    go_on(run, said, "log.parquet")
    made = library.read(tmp_path / "problem.toml")
    assert len(made.graph.names) == 37
    assert made.model is not None
    assert len(made.problem.actions) == 9


def test_names_that_do_not_match_the_columns(run, tmp_path):
    frame = patients().rename({"Raucher": "raucht_ja_nein", "Infarkt": "Herzinfarkt", "Dosis": "Dosierung"})
    (tmp_path / "log.csv").write_text(as_csv(frame), encoding="utf-8")
    (tmp_path / "g.dot").write_text(
        "digraph { alter -> blutdruck -> Herz_Infarkt; dosis -> blutdruck; Rauchen -> Herz_Infarkt; sport -> Herz_Infarkt }"
    )
    options = ["--reward", "herzinfarkt", "--success", "nein", "--set", "dosis", "--hidden", "sport"]
    wrong = run("init", "g.dot", "--data", "log.csv", *options, code=1)
    assert "no column is called like 2 variables: 'dosis' (did you mean the column 'Dosierung'?); 'Rauchen'" in wrong
    assert "Say --column dosis=Dosierung --column Rauchen=raucht_ja_nein, or --column NAME=" in wrong
    proposed = shlex.split(wrong.partition("Say ")[2].partition(", or")[0])
    said = run("init", "g.dot", "--data", "log.csv", *options, *proposed)
    assert "note: not in the graph, and left out: 'Größe (cm)'" in said
    go_on(run, said, "log.csv")
    made = library.read(tmp_path / "problem.toml")
    assert made.graph.hidden == ("sport",)
    assert made.problem.reading.columns == {
        "alter": "Alter (Jahre)",
        "blutdruck": "Blutdruck (mmHg)",
        "Herz_Infarkt": "Herzinfarkt",
        "dosis": "Dosierung",
        "Rauchen": "raucht_ja_nein",
    }


def test_without_a_graph_there_is_a_place_for_arrows(run, tmp_path):
    (tmp_path / "log.csv").write_text(as_csv(patients()), encoding="utf-8")
    said = run("init", "--data", "log.csv", "--reward", "Infarkt", "--success", "nein", "--set", "Dosis,Raucher")
    assert "note: there are no arrows yet" in said
    text = (tmp_path / "problem.toml").read_text(encoding="utf-8")
    assert '#     "Alter -> Infarkt",\n' in text
    assert library.read(tmp_path / "problem.toml").graph.names == (
        "Alter", "Größe", "Dosis", "Raucher", "Blutdruck", "Infarkt",
    )  # fmt: skip
    (tmp_path / "problem.toml").write_text(text.replace("edges = []", "edges = [\n    'Dosis -> Infarkt',\n]"))
    go_on(run, said, "log.csv")
    printed = run("init", "Dosis -> Infarkt", "--data", "log.csv", "--success", "nein", "--reward", "Infarkt",
                  "--set", "Dosis", "-o", "-")  # fmt: skip
    assert printed.startswith("# A problem for bestdo, made by bestdo init from the arrows given and log.csv.\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give a graph, or a table of old data, or both"),
        (["nothing.dot"], "there is no file of that name, and 'nothing.dot' is no graph"),
        (["a -> "], "expected a variable"),
        (["a -> b", "--data", "none.csv"], "there is no file 'none.csv'"),
        (["a -> b", "-o", "problem.txt"], "must end in .toml"),
        (["a -> b; b -> a"], "the arrows form a cycle"),
        (["a -> b", "--cut", "a"], "'a' is not of the form NAME=NUMBER"),
        (["a -> b", "--cut", "a=low"], "it must be a number"),
        (["a -> b", "--values", "c=1,2"], "--values: unknown variable 'c'"),
        (["a -> b", "--reward", "b", "--success", "1", "--set", "b"], "b"),
        (
            ["a -> b", "--reward", "b", "--success", "1", "--set", "a", "--at-most", "2", "-o", "no/where.toml"],
            "no/where",
        ),
        (["a -> b", "--reward", "a"], "Which value of 'a' is good?"),
        (["a -> b", "--reward", "a", "--success", "1"], "nothing that is seen causes 'a'"),
    ],
)
def test_what_cannot_be_done_is_said(run, tmp_path, arguments, words):
    assert words in run("init", *arguments, code=1)
    assert not list(tmp_path.glob("*.toml"))


class Terminal:
    """A person at a terminal, who waits for words and types answers."""

    def __init__(self, folder, *arguments):
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "TERM": "xterm",
            "COLUMNS": "120",
            "NO_COLOR": "1",
        }
        program = str(fork_server.shim(folder / "bin") / "bestdo")
        self.process = pexpect.spawn(
            program,
            list(arguments),
            cwd=str(folder),
            env=environment,
            encoding="utf-8",
            timeout=60,
            dimensions=(40, 120),
        )

    def answer(self, words, answer):
        self.process.expect(f"{re.escape(words)}(?s:.*)\n> (?![^\r\n]*\r)")
        self.process.sendline(answer)

    def end(self):
        self.process.expect(pexpect.EOF)
        said = self.process.before
        self.process.close()
        assert self.process.exitstatus == 0, said
        return said


def test_at_a_terminal(run, tmp_path):
    frame = patients().rename({"Dosis": "Dosierung"}).with_columns(pl.col("Alter (Jahre)").replace("63", "999"))
    (tmp_path / "log.csv").write_text(as_csv(frame), encoding="utf-8")
    person = Terminal(tmp_path, "init", "--data", "log.csv", "-o", "mine.toml")
    person.answer("What causes what?", "Alter -> Blutdruck -> Infarkt")
    person.answer("", "Dosis -> ")
    person.answer("expected a variable", "Dosis -> Blutdruck")
    person.answer("", "")
    person.answer("No column is called 'Dosis': is it 'Dosierung'?", "")
    person.answer("Can nobody see some of the variables?", "")
    person.answer("Which variable is the reward, that matters in the end?", "")
    person.answer("is 999 in", "")
    person.answer("Which value of 'Infarkt' is good?", "vielleicht")
    person.answer("unknown answer 'vielleicht'", "nein")
    person.answer("Which variables may be set?", "dosis")
    person.answer("Are some of the others seen before an action is chosen?", "")
    person.answer("Numbers are cut near their middle: Alter at", "Blutdruck=140")
    said = person.end().replace("\r\n", "\n")
    assert "wrote mine.toml; now:" in said
    made = library.read(tmp_path / "mine.toml")
    assert made.graph.variable("Blutdruck").cut == (140.0,)
    assert made.graph.variable("Alter").cut[0] < 100
    assert made.problem.reading.missing == ("999", "-")
    assert (made.graph.reward, made.graph.success) == ("Infarkt", "nein")
    go_on(run, said, "log.csv")


def test_a_dialogue_that_is_left_writes_nothing(tmp_path):
    person = Terminal(tmp_path, "init", "a -> b")
    person.answer("Can nobody see some of the variables?", "")
    person.process.expect("Which values does .a. have(?s:.*)\n> ")
    person.process.sendeof()
    person.process.expect_exact("interrupted")
    person.process.expect(pexpect.EOF)
    assert not (tmp_path / "problem.toml").exists()


def test_nothing_is_asked_at_a_terminal_where_the_options_say_it(tmp_path):
    person = Terminal(tmp_path, "init", "a -> b", "--reward", "b", "--success", "1", "--set", "a")
    assert "wrote problem.toml" in person.end()
