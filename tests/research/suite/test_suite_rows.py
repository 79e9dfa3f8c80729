"""Rows of results: they are read as they were written."""

import gzip

import pytest

from bestdo.errors import BestdoError
from bestdo.research.suite.suite_rows import Cost, SuiteRow, read_costs, read_rows, table_bytes

ROWS = [
    SuiteRow("w", 1, "parallel", "find", "ucb", "UCB", 50.0, "regret", 0.1, 1 / 3, 0.5, 100),
    SuiteRow("w", 1, "parallel", "earn", "mine:A", "A, b", 0.5, "regret", None, None, None, 0, 'not "this", says it'),
]


def test_rows_are_read_as_they_were_written(tmp_path):
    written = table_bytes(SuiteRow._fields, ROWS)
    (tmp_path / "results.csv").write_bytes(written)
    (tmp_path / "results.csv.gz").write_bytes(gzip.compress(written))
    assert read_rows(tmp_path / "results.csv") == read_rows(tmp_path / "results.csv.gz") == ROWS
    costs = [Cost("w", 1, "ucb", 50.0, 100, 0.25)]
    (tmp_path / "costs.csv").write_bytes(table_bytes(Cost._fields, costs))
    assert read_costs(tmp_path / "costs.csv") == costs


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "line 1: the columns are"),
        (b"a,b\n", "not world,version"),
        (table_bytes(SuiteRow._fields, ROWS) + b"w,one\n", "line 4: 2 values for 13 columns"),
        (table_bytes(SuiteRow._fields, ROWS).replace(b",50,", b",fifty,"), "line 2: horizon is 'fifty', not a number"),
        (table_bytes(SuiteRow._fields, ROWS).replace(b",0.1,", b",nan,"), "line 2: regret is 'nan', not a number"),
        (table_bytes(SuiteRow._fields, ROWS).replace(b"w,1,", b"w,,"), "line 2: version is '', not a whole number"),
        (
            table_bytes(SuiteRow._fields, ROWS).replace(b",earn,", b",win,"),
            "line 3: unknown goal 'win'; allowed: 'find'",
        ),
    ],
)
def test_a_damaged_file_is_an_error_that_says_where(tmp_path, text, said):
    (tmp_path / "results.csv").write_bytes(text)
    with pytest.raises(BestdoError, match=said):
        read_rows(tmp_path / "results.csv")


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(BestdoError, match="cannot be read"):
        read_rows(tmp_path / "results.csv")
