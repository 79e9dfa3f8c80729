"""Files that hold tables, as people have them: what is read, and what is refused with line and column."""

import datetime
import gzip
import io
import zipfile

import polars as pl
import pytest
import xlsxwriter

from bestdo import Actions, Graph, Problem
from bestdo.bandit.reading import Reading
from bestdo.causal.number import Number
from bestdo.causal.variable import Variable
from bestdo.data import csv_scan, workbook
from bestdo.data.counting import observed
from bestdo.data.plan_sheet import read_sheet
from bestdo.data.table_files import LINE, open_file
from bestdo.data.workbook import sheet_names
from bestdo.errors import BestdoError

GRAPH = Graph.parse(
    "soil -> ertrag", reward="ertrag", success="gut", values={"soil": ("dry", "wet"), "ertrag": ("schlecht", "gut")}
)
PROBLEM = Problem(GRAPH, Actions.single(GRAPH))
WANTED = ("soil", "ertrag")


def opened(path, wanted=WANTED, **said):
    frame, notes = open_file(str(path), Reading(**said), wanted)
    return frame.lazy().collect(), notes


def book(path, **sheets):
    """Writes a workbook; a sheet is a mapping of cells, or a list of rows."""
    with xlsxwriter.Workbook(path) as made:
        day = made.add_format({"num_format": "dd.mm.yyyy"})
        for name, rows in sheets.items():
            sheet = made.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if isinstance(cell, datetime.date):
                        sheet.write_datetime(i, j, cell, day)
                    elif isinstance(cell, str) and not cell.startswith("="):
                        sheet.write_string(i, j, cell)
                    elif cell is not None:
                        sheet.write(i, j, cell)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "soil,ertrag\ndry,gut\nwet,schlecht\n",
        "\ufeffsoil;ertrag\r\ndry;gut\r\nwet;schlecht",
        "sep=;\nsoil;ertrag\ndry;gut\nwet;schlecht\n",
        "\n\n;;\nsoil\tertrag\ndry\tgut\n\nwet\tschlecht\n\n",
        'soil|"ertrag"\n"dry"|"gut"\nwet|schlecht|\n',
        '"id ""x""\nlong",soil,ertrag\n"a, b\nc",dry,gut\n"",wet,schlecht\n',
        ",soil,ertrag,\n0,dry,gut,\n1,wet,schlecht,\n",
        "soil\rertrag".replace("\r", ";") + "\rdry;gut\rwet;schlecht\r",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_csv_of_every_kind(text, encoding, tmp_path):
    (tmp_path / "a.csv").write_bytes(text.replace("gut", "GÜT").encode(encoding, errors="ignore"))
    frame, notes = opened(tmp_path / "a.csv")
    found = frame.select(pl.col("soil", "ertrag").str.to_lowercase()).drop_nulls().rows()
    assert found == [("dry", "güt"), ("wet", "schlecht")]
    assert ("without a name" in " ".join(notes)) == text.startswith(",")


def test_umlauts_of_windows_beyond_the_start_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr("bestdo.data.table_files._START", 40)
    (tmp_path / "a.csv").write_bytes(b"soil;ertrag;wo\n" + "dry;gut;Köln\n".encode("cp1252") * 5)
    frame, _ = opened(tmp_path / "a.csv")
    assert frame["wo"].to_list() == ["Köln"] * 5


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"soil,ertrag\ndry,gut\nwet\n", r"line 3, column 2: the line has 1 cell, the heading 2; the last is 'wet'"),
        (
            b"soil,ertrag\ndry,gut,7\n",
            r"line 2, column 3: the line has 3 cells, the heading 2; the first too many is '7'",
        ),
        (b'soil,ertrag\n"a\nb",gut\ndry,gut,7\n', r"line 4, column 3"),
        ("soil,ertrag\nö,gut\nwet\n".encode("cp1252"), r"line 3, column 2: the line has 1 cell"),
        (b"soil,ertrag,soil\ndry,gut,wet\n", r"line 1, column 3: 'soil' is also the name of column 1; rename"),
        (b"Soil,SOIL,ertrag\ndry,gut,wet\n", r"the columns 'Soil', 'SOIL' could all be 'soil'"),
        (b'soil,ertrag\ndry,gut\n"wet,gut\nwet,gut\n', r"line 3: the quotes that open in this line are never closed"),
        ('soil,ertrag\nö,gut\n"we"t,gut\n'.encode("cp1252"), r"line 3: a cell goes on after its closing quotes"),
        ('soil,ertrag\nö,gut\n"wet,gut\nwet,gut\n'.encode("cp1252"), r"line 3: the quotes that open .* never closed"),
        (b"soil,ertrag\ndry,gut\nw\0t,gut\n", r"line 3, column 2: a zero byte"),
        (b"\0" * 50, r"line 1, column 1: a zero byte"),
        (b"", r"is empty"),
        (b"\n\n,,\n", r"is empty"),
        (b"<!DOCTYPE html><table>", r"is a web page"),
        (b"PK\x03\x04damaged", r"is damaged"),
        (b"\xd0\xcf\x11\xe0damaged", r"cannot be read"),
        (gzip.compress(b"soil,ertrag\ndry,gut\n", mtime=0)[:-9], r"cannot read"),
        (gzip.compress(b"soil,ertrag\ndry\n", mtime=0), r"line 2, column 2"),
    ],
)
def test_what_cannot_be_right_is_an_error_with_its_place(data, words, tmp_path):
    (tmp_path / "a.csv").write_bytes(data)
    with pytest.raises(BestdoError, match=words) as error:
        observed(tmp_path / "a.csv", PROBLEM)
    assert str(error.value).startswith((f"'{tmp_path}/a.csv'", "cannot read"))


def test_a_doubled_column_that_is_ignored_is_no_error(tmp_path):
    (tmp_path / "a.csv").write_text("id,soil,id,ertrag\n1,dry,2,gut\n")
    assert observed(tmp_path / "a.csv", PROBLEM, {"ignore": ["id"]}).rows == 1


def test_every_part_of_a_long_file_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_scan, "_PART", 7)  # bytes
    path = tmp_path / "a.csv"
    good = "soil,ertrag\n" + 'dry,gut\n"a, ""b""\nc",gut\n"",""\n' * 20
    path.write_text(good)
    assert csv_scan.scan(str(path), 1, ",", 2) == (True, True)
    for wrong, words in [
        ("wet\n", "line 82, column 2"),
        ("a,b,c\n", "line 82, column 3"),
        ('"', "line 82: the quotes"),
    ]:
        path.write_text(good + wrong + "dry,gut\n" * 3)
        with pytest.raises(BestdoError, match=words):
            csv_scan.scan(str(path), 1, ",", 2)
    path.write_text(good + "\n\n")
    assert csv_scan.scan(str(path), 1, ",", 2) == (True, False)
    monkeypatch.setattr(csv_scan, "_MOST_UNPACKED", 100)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(good.encode()))
    with pytest.raises(BestdoError, match="once unpacked"):
        csv_scan.scan(str(tmp_path / "a.csv.gz"), 1, ",", 2)


def test_a_sheet_with_a_title_two_rows_of_heading_and_gaps(tmp_path):
    day = datetime.datetime(2024, 5, 1)
    path = book(
        tmp_path / "a.xlsx",
        Tabelle1=[
            ["Unser Hof"],
            [],
            ["Tag", "Boden", None, "Ertrag", None],
            [None, "soil", "pH", "ertrag", "n"],
            [day, "dry", 6.5, "gut", "007"],
            [],
            [day, "WET", 7, "schlecht", 12],
            [day, None, "=1+1", None, True],
            [],
        ],
        Leer=[],
    )
    assert sheet_names(str(path)) == ["Tabelle1"]
    frame, notes = opened(path)
    assert frame.columns == [LINE, "Tag", "soil", "pH", "ertrag", "n"]
    assert frame.rows() == [
        (5, "2024-05-01", "dry", "6.5", "gut", "007"),
        (7, "2024-05-01", "WET", "7", "schlecht", "12"),
        (8, "2024-05-01", None, "0", None, "true"),  # a formula has the value that was computed when the file was saved
    ]
    assert notes == []
    assert opened(path, ())[0].columns == frame.columns
    old = observed(path, PROBLEM)
    assert (old.rows, old.without_reward) == (3, 1)
    path.rename(tmp_path / "a.csv")
    assert opened(tmp_path / "a.csv")[1] == ["the file is a workbook, whatever its name says"]
    (tmp_path / "b.xlsx").write_text("soil;ertrag\ndry;gut\n")
    assert opened(tmp_path / "b.xlsx")[1] == ["the file is CSV, whatever its name says"]


def test_which_sheet_is_meant(tmp_path):
    rows = [["soil", "ertrag"], ["dry", "gut"]]
    path = book(tmp_path / "a.xlsx", Hof=rows, Feld=[*rows, ["wet", "gut"]], Leer=[])
    with pytest.raises(BestdoError, match=r"has 2 sheets with data: 'Hof', 'Feld'; say which one .--sheet NAME"):
        observed(path, PROBLEM)
    assert observed(path, PROBLEM, {"sheet": "feld "}).rows == 2
    with pytest.raises(BestdoError, match=r"unknown sheet 'Felt' .did you mean 'Feld'"):
        observed(path, PROBLEM, {"sheet": "Felt"})
    with pytest.raises(BestdoError, match="is empty"):
        observed(path, PROBLEM, {"sheet": "Leer"})


def test_wrong_values_in_a_sheet_are_named_with_their_row(tmp_path):
    path = book(tmp_path / "a.xlsx", A=[["farm"], [], ["soil", "ertrag"], ["dry", "gut"], [], ["moist", "gut"]])
    with pytest.raises(
        BestdoError, match="1 row with a value of 'soil' that the graph does not know: 'moist' in line 6"
    ):
        observed(path, PROBLEM)
    twice = book(tmp_path / "b.xlsx", A=[["soil", "ertrag", "soil"], ["dry", "gut", "wet"]])
    with pytest.raises(BestdoError, match="line 1, column 3: 'soil' is also the name of column 1"):
        observed(twice, PROBLEM)


def test_numbers_with_decimal_commas_in_a_sheet_and_in_german_csv(tmp_path):
    numbers = Graph(
        (Variable("soil", ("dry", "wet")), Variable("kg", number=Number(0, 100))),
        {"kg": ("soil",)},
        "kg",
        aim="maximise",
    )
    problem = Problem(numbers, Actions.single(numbers))
    (tmp_path / "a.csv").write_bytes("Soil;kg;Größe\r\nDRY;1,5;ä\r\nwet;2;ö\r\nwet;-;ü\r\n".encode("cp1252"))
    book(tmp_path / "a.xlsx", A=[["Soil", "kg"], ["DRY", "1,5"], ["wet", 2], ["wet", "-"]])
    found = [observed(tmp_path / name, problem, {"missing": "-"}) for name in ("a.csv", "a.xlsx")]
    assert [sorted(old.numbers["kg"].tolist()) for old in found] == [[1.5, 2.0]] * 2
    assert found[0].fingerprint == found[1].fingerprint


def test_a_workbook_is_not_unpacked_where_it_is_too_large(tmp_path, monkeypatch):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("xl/worksheets/sheet1.xml", b"0" * 2**20)
    (tmp_path / "a.xlsx").write_bytes(packed.getvalue())
    monkeypatch.setattr(workbook, "_MOST_UNPACKED", 2**19)
    with pytest.raises(BestdoError, match="once it is unpacked: save the table as CSV or Parquet"):
        observed(tmp_path / "a.xlsx", PROBLEM)
    (tmp_path / "b.xlsx").write_bytes(packed.getvalue().replace(b"xl/worksheets", b"no/worksheets"))
    with pytest.raises(BestdoError, match="a zip archive without a workbook"):
        observed(tmp_path / "b.xlsx", PROBLEM)


def test_a_plan_filled_in_with_a_spreadsheet(tmp_path):
    rows = [
        ["round", "action", "what to do", "soil", "ertrag"],
        [1, "do(soil=dry)", "", "dry", "GUT"],
        [2, "do()", "", "Wet", None],
    ]
    filled = read_sheet(PROBLEM, book(tmp_path / "a.xlsx", Plan=rows, Notes=[["x"]]), {"sheet": "Plan"})
    assert (filled.lines, len(filled.rounds.action), filled.half) == (2, 1, (3,))
