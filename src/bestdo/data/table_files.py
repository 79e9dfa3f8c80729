"""Opens files that hold tables: CSV of any kind, Excel, Parquet; told apart by what is in them."""

from __future__ import annotations

import gzip
import os
from collections.abc import Collection
from typing import Any, NamedTuple

from bestdo.bandit.reading import Reading
from bestdo.data.csv_scan import check_width, scan
from bestdo.data.headings import UNNAMED, column_names
from bestdo.data.optional_libraries import for_data
from bestdo.data.spreadsheet import clean, heading_of, lines_of
from bestdo.data.workbook import SPREADSHEETS, is_workbook, sheet_table
from bestdo.errors import BestdoError, shown
from bestdo.files.atomic_io import MOST_BYTES, read_bytes, unpack

__all__ = ["LINE", "is_table", "open_file", "with_numbers"]

LINE = f"{UNNAMED}line"
"""The column with the number of the line in the file, where it is known."""
_CSV = (".csv", ".tsv", ".txt", ".tab", ".csv.gz", ".tsv.gz", ".txt.gz", ".tab.gz")
_START = 2**20
"""The number of bytes of a file that are looked at for its format, encoding, separator and heading. Chosen, not measured."""


class _OpenedFile(NamedTuple):
    """A table in a file."""

    frame: Any
    """A Polars frame; lazy where the file is read part by part. Of CSV and Excel all columns are text."""
    notes: list[str]
    """Notes for a person on how the file was read."""


def open_file(name: str, reading: Reading, wanted: Collection[str] = ()) -> _OpenedFile:
    """Opens a file that holds a table; the names of wanted columns tell where the heading is, and what separates cells.

    Nothing but the heading is kept in memory of CSV in UTF-8 and of Parquet; CSV is looked through once for lines that
    cannot be right. Other files are read whole. Columns without a name are left out.
    """
    pl = for_data("polars")
    local = "://" not in name and not any(c in name for c in "*?[")
    if local and not os.path.exists(name):
        raise BestdoError(f"there is no file {shown(name, 300)}")
    if local and os.path.isdir(name):
        return _OpenedFile(pl.scan_parquet(os.path.join(name, "**", "*.parquet")), [])
    lower = name.lower()
    start = _start(name) if local else b""
    if start.startswith(b"PAR1") or lower.endswith((".parquet", ".pq")):
        return _OpenedFile(pl.scan_parquet(name), [])
    if is_workbook(start):
        return _sheet(name, reading, wanted)
    if start.lstrip()[:100].lower().startswith((b"<!doctype", b"<html", b"<table", b"<?xml")):
        raise BestdoError(
            f"{shown(name, 300)} is a web page or XML: open it with a spreadsheet, and save it as CSV or .xlsx"
        )
    if not lower.endswith((*_CSV, *SPREADSHEETS)):
        raise BestdoError(
            f"{shown(name, 300)}: tables are read from CSV (.csv, .tsv), Excel (.xlsx, .xls, .ods) or Parquet (.parquet)"
        )
    if not local:
        return _OpenedFile(pl.scan_csv(name, infer_schema=False), [])
    opened = _csv(name, start, reading, wanted)
    if lower.endswith(SPREADSHEETS):
        opened.notes.append("the file is CSV, whatever its name says")
    return opened


def is_table(name: str, data: bytes) -> bool:
    """Whether a file, with this name and these bytes, holds a table and no graph."""
    return data.startswith(b"PAR1") or is_workbook(data[:_START]) or name.lower().endswith((".csv", ".tsv", ".csv.gz"))


def with_numbers(frame: Any) -> tuple[Any, str]:
    """The frame (narwhals) with the column "row number", which begins with 0, and what it counts: "line" or "row".

    The frame as it is, and nothing, where an engine does not know the order of its rows.
    """
    nw = for_data("narwhals")
    if LINE in frame.collect_schema():
        return frame.with_columns(nw.col(LINE).alias("row number") - 1), "line"
    if frame.implementation.is_polars():
        return nw.from_native(nw.to_native(frame).with_row_index("row number")), "row"
    if isinstance(frame, nw.DataFrame):
        return frame.with_row_index("row number"), "row"
    return frame, ""


def _start(name: str) -> bytes:
    """The first bytes of a file, unpacked where it is packed with gzip."""
    try:
        with open(name, "rb") as file:
            start = file.read(_START)
        if start.startswith(b"\x1f\x8b"):
            with gzip.open(name, "rb") as packed:
                start = packed.read(_START)
    except (OSError, EOFError) as error:
        raise BestdoError(f"cannot read {shown(name, 300)}: {error}") from None
    return start


def _sheet(name: str, reading: Reading, wanted: Collection[str]) -> _OpenedFile:
    """A sheet of a workbook."""
    at, heading, rows = sheet_table(name, reading.sheet, wanted)
    while heading and not heading[-1] and rows[rows.columns[len(heading)]].null_count() == len(rows):
        heading.pop()  # an empty column at the end
    names, notes = column_names(name, at, heading, reading.ignore)
    if not name.lower().endswith(SPREADSHEETS):
        notes.append("the file is a workbook, whatever its name says")
    rows = rows.select(rows.columns[: len(names) + 1]).rename(dict(zip(rows.columns, (LINE, *names), strict=False)))
    return _OpenedFile(_named(rows, names), notes)


def _csv(name: str, start: bytes, reading: Reading, wanted: Collection[str]) -> _OpenedFile:
    """A CSV file: part by part where it is UTF-8 and regular, otherwise whole."""
    pl = for_data("polars")
    if _utf8(start):
        text = start.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
        separator, lines, heading = heading_of(text, wanted)
        if not any(map(clean, heading)):
            raise BestdoError(f"{shown(name, 300)} is empty: a heading and at least one line are needed")
        names, notes = column_names(name, lines, heading, reading.ignore)
        result = scan(name, lines, separator, len(names))
        if result.regular or (result.utf8 and os.path.getsize(name) > MOST_BYTES):
            schema = dict.fromkeys(names, pl.String)
            rows = pl.scan_csv(
                name, has_header=False, skip_lines=lines, separator=separator, schema=schema, truncate_ragged_lines=True
            )
            return _OpenedFile(_named(rows, names), notes)
    every = lines_of(name, unpack(name, read_bytes(name)), wanted)
    at, heading = every[0]
    names, notes = column_names(name, at, heading, reading.ignore)
    for number, cells in every[1:]:
        check_width(name, number, cells, len(names))
    table: list[list[object]] = [[number, *cells[: len(names)]] for number, cells in every[1:]]
    schema = {LINE: pl.Int64, **dict.fromkeys(names, pl.String)}
    return _OpenedFile(_named(pl.DataFrame(table, schema, orient="row"), names), notes)


def _named(rows: Any, names: list[str]) -> Any:
    """The columns that have a name, and that of the lines where there is one."""
    pl = for_data("polars")
    unnamed = [n for n in names if n.startswith(UNNAMED)]
    return rows.select(pl.exclude(unnamed)) if unnamed else rows


def _utf8(start: bytes) -> bool:
    """Whether the complete lines among these bytes are UTF-8, without zeros as in UTF-16, and end as usual."""
    try:
        start[: start.rfind(b"\n") + 1 or len(start)].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in start and (b"\r" not in start or b"\n" in start)
