"""The section [data] of a file: how tables of old data are read."""

import polars as pl
import pytest

from bestdo import Study
from bestdo.bandit.reading import Reading
from bestdo.data.counting import observed
from bestdo.errors import FileError
from bestdo.files import parse
from bestdo.files.toml import write

TEXT = """bestdo = 1

[variables."blood pressure"]
values = ["low", "high"]

[variables.infarct]
values = ["no", "yes"]

[graph]
edges = [
    '"blood pressure" -> infarct',
]
reward = "infarct"
success = "no"

[actions]
set = ["blood pressure"]
at_most = 1

[data]
sheet = "2024"
missing = ["-", "999"]
ignore = ["id"]
columns."blood pressure" = "RR (mmHg)"
same.nein = "no"
same."ja!" = "yes"
"""
READING = Reading(
    {"blood pressure": "RR (mmHg)"}, {"nein": "no", "ja!": "yes"}, missing=("-", "999"), ignore=("id",), sheet="2024"
)


def test_read_and_written_again():
    contents = parse(TEXT.encode(), "a.toml")
    assert contents.reading == READING
    assert contents.problem.reading == READING
    assert write(contents) == TEXT
    without = parse(TEXT.replace('[actions]\nset = ["blood pressure"]\nat_most = 1\n', "").encode(), "a.toml")
    assert without.problem is None
    assert without.reading == READING


def test_columns_are_found_and_kept_by_a_study(tmp_path):
    problem = parse(TEXT.encode(), "a.toml").problem
    frame = pl.DataFrame({"RR (mmHg)": ["low", "high", "high"], "infarct": ["no", "no", "yes"]})
    assert observed(frame, problem).x.tolist() == [[0, 0], [1, 0], [1, 1]]
    study = Study.create(problem, 4, learner="uniform", name="a", storage=f"sqlite:///{tmp_path}/a.db")
    assert study.problem.reading == READING
    assert study.observe(frame).rows == 3
    study.storage.close()


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('columns."blood pressure"', "columns.presure", 24, "unknown variable 'presure'"),
        ('same.nein = "no"', 'same.nein = "never"', 25, "'nein' cannot mean 'never'"),
        ('missing = ["-", "999"]', 'missing = "-"', 22, "data.missing must be a list"),
        ("ignore =", "ignored =", 23, "unknown key 'ignored' (did you mean 'ignore'?)"),
    ],
)
def test_mistakes_have_their_place(old, new, line, words):
    with pytest.raises(FileError, match=r"a\.toml") as error:
        parse(TEXT.replace(old, new).encode(), "a.toml")
    assert error.value.line == line
    assert words in str(error.value)
