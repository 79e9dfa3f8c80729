"""Reads the sheets of workbooks, Excel and OpenDocument, as cells of text, through Polars' own reader."""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Collection
from typing import Any

from bestdo.data.headings import find_heading
from bestdo.data.optional_libraries import for_data
from bestdo.data.spreadsheet import clean
from bestdo.errors import BestdoError, shown, unknown
from bestdo.files.atomic_io import read_bytes

__all__ = ["SPREADSHEETS", "is_workbook", "sheet_lines", "sheet_names", "sheet_table"]

SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""The endings of the names of workbooks."""
_MOST_UNPACKED = 512 * 2**20
"""The most bytes of a workbook once it is unpacked, which is checked before that is done. A sheet of 100,000 rows and 6
columns has 28 MB. Chosen as a limit of memory."""
_MOST_ABOVE = 50
"""The number of rows of a sheet that are looked at for its heading. Chosen, not measured."""
_ZIP, _OLD_EXCEL = b"PK", b"\xd0\xcf\x11\xe0"
_PARTS = ("xl/", "content.xml")  # of Excel and of OpenDocument

logging.getLogger("fastexcel").addHandler(
    logging.NullHandler()
)  # charts are no sheets: nothing to be told on a terminal
logging.getLogger("calamine").addHandler(logging.NullHandler())


def is_workbook(start: bytes) -> bool:
    """Whether a file that begins with these bytes is a workbook, or a zip archive that may be one."""
    return start.startswith((_ZIP, _OLD_EXCEL))


def sheet_names(name: str) -> list[str]:
    """The names of the sheets that hold anything, in their order."""
    data = _workbook(name)
    return [sheet for sheet in _all_sheets(name, data) if _cells(name, data, sheet, 1).height]


def sheet_table(name: str, sheet: str = "", wanted: Collection[str] = ()) -> tuple[int, list[str], Any]:
    """A sheet with the number of its heading's row, the texts in the heading, and the rows below as a Polars frame of text.

    Without the name of a sheet there must be one alone that holds anything. The heading is the row with most of the wanted
    names; without any, the first that fills more than half of the columns. An empty cell in it takes the text that stands
    above, as in headings of two rows. Rows that are empty are left out; the first column has the number of each row.
    """
    pl = for_data("polars")
    data = _workbook(name)
    frame = _cells(name, data, _chosen(name, data, sheet))
    first = [[clean(cell or "") for cell in row] for row in frame.head(_MOST_ABOVE).rows()]
    at = find_heading(first, wanted)
    if at is None:
        raise BestdoError(f"{shown(name, 300)} is empty: a heading and at least one line are needed")
    heading = [_above(first, at, i) for i in range(frame.width)]
    rows = frame.with_row_index("\0line", offset=1).slice(at + 1)
    rows = rows.filter(pl.any_horizontal(pl.exclude("\0line").is_not_null()))
    return at + 1, heading, rows


def sheet_lines(name: str, sheet: str, wanted: Collection[str]) -> list[tuple[int, list[str]]]:
    """The rows of a sheet from its heading on, each with its number; empty cells are empty texts."""
    at, heading, rows = sheet_table(name, sheet, wanted)
    return [(at, heading), *((row[0], [cell or "" for cell in row[1:]]) for row in rows.iter_rows())]


def _above(rows: list[list[str]], at: int, column: int) -> str:
    """The text of a heading in a column; where its cell is empty, the next one above without an empty row between."""
    for i in range(at, -1, -1):
        if rows[i][column] or not any(rows[i]):
            return rows[i][column]
    return ""


def _workbook(name: str) -> bytes:
    """The bytes of a workbook, after a check that unpacking them does not need too much memory."""
    data = read_bytes(name)
    if not data.startswith(_ZIP):
        if not data.startswith(_OLD_EXCEL):
            raise BestdoError(f"{shown(name, 300)} is no workbook, whatever its name says")
        if name.lower().endswith((".xlsx", ".xlsm", ".ods")):
            raise BestdoError(f"{shown(name, 300)} is locked with a password, or no .xlsx: save it without a password")
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            infos = parts.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise BestdoError(f"{shown(name, 300)} is damaged: {error}") from None
    if not any(info.filename.startswith(_PARTS) for info in infos):
        raise BestdoError(
            f"{shown(name, 300)} is a zip archive without a workbook: unpack it, and name the table in it"
        )
    if sum(info.file_size for info in infos) > _MOST_UNPACKED:
        raise BestdoError(
            f"{shown(name, 300)} has more than {_MOST_UNPACKED // 2**20} MB once it is unpacked: save the table as CSV or "
            "Parquet, which are read part by part"
        )
    return data


def _all_sheets(name: str, data: bytes) -> list[str]:
    """The names of all sheets of a workbook."""
    fastexcel = for_data("fastexcel")
    try:
        return list(fastexcel.read_excel(data).sheet_names)
    except Exception as error:  # the reader has errors of its own
        raise BestdoError(f"{shown(name, 300)} cannot be read: {_first_line(error)}") from None


def _chosen(name: str, data: bytes, sheet: str) -> str:
    """The name of the sheet that is meant: without regard to capitals and outer spaces, or the only one with anything."""
    every = _all_sheets(name, data)
    if sheet:
        meant = [s for s in every if s == sheet] or [s for s in every if clean(s).casefold() == clean(sheet).casefold()]
        if len(meant) != 1:
            raise BestdoError(f"{shown(name, 300)}: {unknown('sheet', sheet, every)}")
        return meant[0]
    filled = every if len(every) == 1 else [s for s in every if _cells(name, data, s, 1).height]
    if len(filled) > 1:
        raise BestdoError(
            f"{shown(name, 300)} has {len(filled)} sheets with data: {', '.join(map(shown, filled))}; say which one "
            "(--sheet NAME on the command line; reading={'sheet': NAME} in Python; Sheet on the page)"
        )
    if not filled:
        raise BestdoError(f"{shown(name, 300)} is empty: no sheet holds anything")
    return filled[0]


def _cells(name: str, data: bytes, sheet: str, most: int | None = None) -> Any:
    """The cells of a sheet as text: a Polars frame without a heading, from the first row on; of `most` filled rows."""
    pl = for_data("polars")
    where = {"skip_rows": 0} if most is None else {"n_rows": most}
    try:
        return pl.read_excel(
            io.BytesIO(data),
            sheet_name=sheet,
            engine="calamine",
            has_header=False,
            infer_schema_length=0,
            drop_empty_rows=False,
            drop_empty_cols=False,
            raise_if_empty=False,
            read_options=where,
        ).with_columns(pl.all().str.strip_suffix(" 00:00:00"))
    except Exception as error:  # the reader has errors of its own
        raise BestdoError(f"{shown(name, 300)}, sheet {shown(sheet)}, cannot be read: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    """The first line of an error's message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]
