import csv
import io
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestdo
from bestdo.data.plan_sheet import in_words, read_sheet, sheet
from bestdo.errors import BestdoError
from bestdo.learners.fixed_plan import plan
from support import ROOT

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
NAMES = list(FARM.graph.names)


def problem_of(values, reward=("bad", "good"), success="good", name="x"):
    variables = [bestdo.Variable(name, values), bestdo.Variable("y", reward)]
    graph = bestdo.Graph.of(variables, [(name, "y")], reward="y", success=success)
    return bestdo.Problem(graph, bestdo.Actions.single(graph))


def filled(problem, rows, separator=",", encoding="utf-8", heading=None, end="\r\n"):
    """A sheet with these lines (action, values by column), as bytes."""
    heading = heading or ["round", "action", "what to do", *problem.graph.observed]
    lines = [heading, *([str(i), a, "", *values] for i, (a, *values) in enumerate(rows, 1))]
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, lineterminator=end).writerows(lines)
    return stream.getvalue().encode(encoding)


def read_back(problem, data, tmp_path):
    path = tmp_path / "filled.csv"
    path.write_bytes(data)
    return read_sheet(problem, path)


def test_a_plan_has_a_line_per_round_with_what_is_set_filled_in():
    text = sheet(FARM.problem, np.array([1, 0, 6])).decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    assert list(lines[0]) == ["round", "action", "what to do", *NAMES]
    assert [line["action"] for line in lines] == ["do(temperature=low)", "do()", "do(moisture=wet)"]
    assert lines[2]["what to do"] == "set moisture to wet"
    assert lines[2]["moisture"] == "wet"
    assert lines[1]["what to do"] == "set nothing, only watch"
    assert [lines[1][n] for n in NAMES] == ["", "", "", ""]
    assert in_words(bestdo.do(a=1, b=2, c="x y")) == "set a to 1, b to 2 and c to x y"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_whatever_a_spreadsheet_saves_is_read(tmp_path, separator, encoding, end):
    problem = problem_of(("0.5", "6", "später"))
    rows = [("do()", "0,5", "good"), ("do(x=6)", "6", " bad"), ("do()", " SPÄTER ", "Good"), ("do()", "6.0", "BAD ")]
    data = filled(problem, rows, separator, encoding, end=end)
    found = read_back(problem, data, tmp_path)
    assert found.rounds.x[:, 0].tolist() == [0, 1, 2, 1]
    assert found.rounds.y.tolist() == [True, False, True, False]
    assert found.rounds.action.tolist() == [problem.actions.index(a) for a, *_ in rows]
    assert (found.lines, found.empty, found.half, found.without_cause) == (4, 0, (), ())


def test_columns_in_another_order_more_of_them_and_empty_ones(tmp_path):
    problem = FARM.problem
    heading = ["Notes", " Yield ", "moisture", "nutrient", "temperature", "ACTION", "", ""]
    rows = [
        ["fine", "good", "dry", "poor", "low", "do()", "", ""],
        [""] * 8,
        ["", "bad", "wet", "rich", "high", "do(moisture=wet)"],
    ]
    text = "\n".join(";".join(row) for row in [heading, *rows]) + "\n;;;;;;;\n\n\n"
    found = read_back(problem, b"sep=;\r\n" + text.encode(), tmp_path)
    assert found.passed_over == ("Notes",)
    assert found.rounds.x.tolist() == [[0, 0, 0, 1], [1, 1, 1, 0]]
    assert found.lines == 2


def test_lines_left_empty_are_missing_and_half_filled_ones_are_named(tmp_path):
    rows = [
        ("do()", "low", "poor", "dry", "good"),
        ("do()", "", "", "", ""),
        ("do(moisture=wet)", "", "", "wet", ""),  # what was set is no result
        ("do(moisture=wet)", "low", "", "wet", ""),
        ("do(moisture=wet)", "low", "NA", "", "bad"),
        ("do(moisture=wet)", "#N/A", "", "", ""),
    ]
    found = read_back(FARM.problem, filled(FARM.problem, rows), tmp_path)
    assert (found.lines, found.empty, found.half, found.without_cause) == (6, 3, (5,), (6,))
    assert found.rounds.x.tolist() == [[0, 0, 0, 1], [0, -1, 1, 0]]
    assert found.rounds.y.tolist() == [True, False]


def test_wrong_lines_are_counted_and_three_are_shown(tmp_path):
    rows = [
        ("do()", "warm", "poor", "dry", "good"),
        ("do(moisture=wet)", "low", "poor", "dry", "good"),
        ("do(moisture=moist)", "low", "poor", "dry", "good"),
        ("", "low", "", "", ""),
        ("do()", "low", "poor", "dry", "1"),
    ]
    with pytest.raises(BestdoError) as error:
        read_back(FARM.problem, filled(FARM.problem, rows), tmp_path)
    text = str(error.value)
    assert "5 lines cannot be used, so nothing is estimated" in text
    assert "line 2, column 'temperature': unknown value 'warm'; allowed: 'low', 'high'" in text
    assert "line 3, column 'moisture': it was set to 'wet', but 'dry' is filled in" in text
    assert "line 4, column 'action': unknown action 'do(moisture=moist)' (did you mean 'do(moisture=wet)'?)" in text
    assert "line 5" not in text
    assert "5 errors in all" in text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\r\n;;;\r\n", "is empty"),
        (b"round,action\n1,do()\n", "the heading has no column 'temperature', 'nutrient', 'moisture', 'yield'"),
        (b"action,yield,Yield,temperature,nutrient,moisture\n", "the column 'yield' is there twice"),
        (b"\x00\xff\x00", "is empty|no column"),
        (b'action,"temperature\n', "no column|unexpected end"),
        (b"\x1f\x8bnot gzip", "gzip"),
    ],
)
def test_what_is_no_sheet_is_refused_in_words(tmp_path, data, message):
    with pytest.raises(BestdoError, match=message):
        read_back(FARM.problem, data, tmp_path)


def test_a_round_on_two_lines_is_refused(tmp_path):
    data = filled(FARM.problem, [("do()", "low", "poor", "dry", "good")] * 2).replace(b"\n2,", b"\n1,")
    with pytest.raises(BestdoError, match="line 3, round 1 is filled in on line 2, too"):
        read_back(FARM.problem, data, tmp_path)


def test_case_and_numbers_count_only_where_one_value_can_be_meant(tmp_path):
    for values, cell in ((("a", "A"), "á"), (("Hot", "hot"), "HOT"), (("1", "1.0"), "1,00"), (("1", "2"), "1.5")):
        problem = problem_of(values)
        with pytest.raises(BestdoError, match="unknown value"):
            read_back(problem, filled(problem, [("do()", cell, "good")]), tmp_path)
    problem = problem_of(("Hot", "hot"))
    assert read_back(problem, filled(problem, [("do()", "hot", "good")]), tmp_path).rounds.x[0, 0] == 1
    problem = problem_of(("0", "1"), ("no", "yes"), "yes")
    found = read_back(problem, filled(problem, [("do()", "TRUE", "1"), ("do()", "no", "FALSE")]), tmp_path)
    assert (found.rounds.x[:, 0].tolist(), found.rounds.y.tolist()) == ([1, 0], [True, False])
    problem = problem_of(("NA", "EU"))  # a value may be called so
    assert read_back(problem, filled(problem, [("do()", "NA", "good")]), tmp_path).rounds.x[0, 0] == 0


def test_names_and_values_that_a_spreadsheet_would_run(tmp_path):
    problem = problem_of(("=1+1", "-1", "+x"), name="@x")
    data = sheet(problem, np.array([1, 2, 3]))
    lines = data.decode().splitlines()
    assert lines[0].split(",")[3] == "'@x"
    assert [line.split(",")[3] for line in lines[1:]] == ["'=1+1", "-1", "'+x"]
    found = read_back(problem, data.replace(b",\r\n", b",good\r\n"), tmp_path)
    assert found.rounds.x[:, 0].tolist() == [0, 1, 2]


def test_variables_may_be_called_like_columns(tmp_path):
    problem = problem_of(("0", "1"), name="action")
    data = sheet(problem, np.array([1]))
    assert data.decode().splitlines()[0] == "round,action (plan),what to do,action,y"
    found = read_back(problem, data.replace(b",\r\n", b",good\r\n"), tmp_path)
    assert found.rounds.action.tolist() == [1]


def test_hidden_variables_have_no_column(tmp_path):
    graph = bestdo.Graph.parse("x -> y; x <-> y", reward="y")
    problem = bestdo.Problem(graph, bestdo.Actions.single(graph))
    data = sheet(problem, np.array([0, 1]))
    assert data.decode().splitlines()[0] == "round,action,what to do,x,y"
    text = data.decode().splitlines()
    found = read_back(problem, "\n".join([text[0], text[1].rstrip(",") + ",1,0", text[2] + "1"]).encode(), tmp_path)
    assert found.rounds.x[:, [graph.names.index("x"), graph.names.index("y")]].tolist() == [[1, 0], [0, 1]]


@given(st.binary(max_size=400), st.booleans())
def test_any_bytes_end_in_words(tmp_path_factory, data, with_heading):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes((b"action,temperature,nutrient,moisture,yield\n" if with_heading else b"") + data)
    with suppress(BestdoError):
        read_sheet(FARM.problem, path)


def test_the_same_seed_gives_the_same_plan():
    known = bestdo.compose(FARM).problem
    assert plan(known, 50, 3).tolist() == plan(known, 50, 3).tolist()
    assert plan(known, 50, 3).tolist() != plan(known, 50, 4).tolist()
