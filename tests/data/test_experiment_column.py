"""A column that says what somebody did: such rows are not read as watching, wherever a table is read."""

import os

import narwhals as nw
import pandas as pd
import polars as pl
import pytest

import bestdo
from bestdo.data.experiment_column import refuse_experiment
from support import bestdo as command
from support import problem_text

ARROWS = "X -> Y; Z -> Y; W -> Z"
ROWS = [("do(X=1)", "1", str(i % 2), "0", "1" if i % 3 else "0") for i in range(60)]
TEXT = "action,X,Z,W,Y\n" + "".join(f"{','.join(row)}\n" for row in ROWS)
PROBLEM = problem_text(
    {"X": ["0", "1"], "Z": ["0", "1"], "W": ["0", "1"], "Y": ["0", "1"]},
    "X -> Y; Z -> Y; W -> Z",
    'reward = "Y"; success = "1"',
    ["X", "Z"],
)


def problem():
    return bestdo.Problem(bestdo.Graph.parse(ARROWS, reward="Y", success="1"), set=["X", "Z"])


def frame(action):
    return pl.DataFrame({"action": action, "X": ["1", "0"], "Z": ["0", "1"], "W": ["0", "0"], "Y": ["1", "0"]})


@pytest.fixture
def export(tmp_path):
    """The library's own export of a study in which rounds were played, as a file."""
    study = bestdo.Study.create(problem(), 6, name="played", storage=f"sqlite:///{tmp_path}/own.db", learner="uniform")
    for asked in study.ask(n=6):
        study.tell(asked.number, {"X": "1", "Z": "0", "W": "0", "Y": "1", **asked.action})
    here = {"cwd": tmp_path, "path": os.environ.get("PYTHONPATH", "")}
    done = command("export", "--storage", f"sqlite:///{tmp_path}/own.db", "-o", "export.csv", **here)
    assert done.returncode == 0, done.stderr
    return tmp_path / "export.csv"


def test_the_librarys_own_export_is_not_watching(export, tmp_path):
    study = bestdo.Study.create(problem(), 60, name="new", storage=f"sqlite:///{tmp_path}/new.db")
    with pytest.raises(bestdo.BestdoError, match=r"'action' looks like the actions of an experiment: 'do\("):
        study.observe(export)
    assert study.old_data() == []


def test_on_the_command_line(tmp_path):
    (tmp_path / "p.toml").write_text(PROBLEM)
    (tmp_path / "rows.csv").write_text(TEXT)
    here = {"cwd": tmp_path, "path": os.environ.get("PYTHONPATH", "")}
    assert command("new", "p.toml", "--rounds", "40", **here).returncode == 0
    for verb in (
        ("observe", "rows.csv"),
        ("check", "p.toml", "--data", "rows.csv"),
        ("design", "p.toml", "--rounds", "10", "--data", "rows.csv"),
        ("init", ARROWS, "--data", "rows.csv", "--reward", "Y", "--success", "1", "--set", "X", "-o", "made.toml"),
        ("init", "--data", "rows.csv", "--reward", "Y", "--success", "1", "--set", "X", "-o", "made.toml"),
    ):
        done = command(*verb, **here)
        assert done.returncode == 1, (verb, done.stderr)
        assert "looks like" in done.stderr, (verb, done.stderr)
        first, second, third = done.stderr.rstrip().split("\n")
        assert (
            first == "error: 'rows.csv': column 'action' looks like the actions of an experiment: 'do(X=1)' in row 1."
        )
        assert "rows of an experiment cannot be read yet" in second
        assert "--ignore action" in third
        assert not (tmp_path / "made.toml").exists()
    done = command("observe", "rows.csv", "--ignore", "action", **here)
    assert "observed 60 rows" in done.stdout
    left_out = command(
        *("init", ARROWS, "--data", "rows.csv", "--reward", "Y", "--success", "1", "--set", "X", "--ignore", "action"),
        *("-o", "made.toml"),
        **here,
    )
    assert left_out.returncode == 0, left_out.stderr


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "objects", "arrow", "categories"])
def test_frames_of_python(kind):
    made = frame(["do()", "do(X=0)"])
    given = {
        "polars": lambda: made,
        "lazy": made.lazy,
        "pandas": made.to_pandas,
        "objects": lambda: pd.DataFrame({**made.to_dict(as_series=False), "action": [bestdo.do(), bestdo.do(X=0)]}),
        "arrow": made.to_arrow,
        "categories": lambda: made.with_columns(pl.col("action").cast(pl.Categorical)),
    }[kind]()
    with pytest.raises(bestdo.BestdoError, match=r"'do\(X=0\)' in row 2"):
        bestdo.check(problem(), data=given)
    found = bestdo.check(problem(), data=given, reading={"ignore": ["action"]})
    assert found.data.rows == 2


def test_engines_that_do_not_know_the_order_of_rows():
    import duckdb

    made = frame(["do()", "do(X=0)"])  # noqa: F841  # DuckDB finds it by its name
    with pytest.raises(bestdo.BestdoError, match=r"experiment: 'do\(X=0\)'\."):
        bestdo.check(problem(), data=duckdb.sql("select * from made"))


@pytest.mark.parametrize(
    ("name", "values", "refused"),
    [
        ("action", ["do()", "do()"], False),  # nobody set anything
        ("action", [None, "do(X=1)"], True),
        ("action", ["-", ' DO( "soil pH" = 6.5 ) '.lower()], True),
        ("note", ["fine", "do(X=1, Z=0)"], True),
        ("Arms", ["X=1", "X=0"], True),
        ("Treatment", ["X=1; Z=0", ""], True),
        ("note", ["a = b", "x=1"], False),
        ("action", ["click", "view"], False),
        ("action", ["1", "0"], False),
        ("todo", ["do (it) today", "do()"], False),
        ("note", ["we did do(X=1) then", "redo(X=1)"], False),
    ],
)
def test_what_looks_like_an_action(name, values, refused):
    made = nw.from_native(pl.DataFrame({name: values}))
    if refused:
        with pytest.raises(bestdo.BestdoError, match="looks like the actions of an experiment"):
            refuse_experiment(made, [name], "rows.csv")
    else:
        refuse_experiment(made, [name], "rows.csv")


def test_a_variable_may_have_such_values():
    graph = bestdo.Graph.parse("plan -> Y", reward="Y", success="1")
    plan = bestdo.Variable("plan", ("do(A=1)", "do(A=2)"))
    made = bestdo.Graph((plan, graph.variable("Y")), graph.parents, "Y", "1")
    rows = pl.DataFrame({"plan": ["do(A=1)", "do(A=2)"], "Y": ["0", "1"]})
    assert bestdo.check(bestdo.Problem(made, set=["plan"]), data=rows).data.rows == 2


def test_rows_of_a_policy_with_known_probabilities_are_plays(tmp_path):
    study = bestdo.Study.create(problem(), 60, name="logged", storage=f"sqlite:///{tmp_path}/new.db")
    rows = frame(["do(X=1)", "do(X=0)"]).with_columns(p=pl.lit(0.5))
    assert study.observe(rows, reading={"probability": "p", "chosen": ["X"]}).rows == 2
