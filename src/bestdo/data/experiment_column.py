"""Finds a column that says what somebody did in each row: such rows are an experiment's, and are not read as watching.

The rule is about what stands in the columns that no variable takes. One cell `do(X=1)` is enough, in a column of any name:
ordinary columns hold no such text. In a column that is called action, arm, intervention or treatment, `X=1` is enough too.
`do()` says that nobody set anything: rows with that alone were watched, and are read.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from bestdo.data.optional_libraries import for_data
from bestdo.data.spreadsheet import clean
from bestdo.data.table_files import with_numbers
from bestdo.errors import BestdoError, shown

__all__ = ["refuse_experiment"]

_DONE = r"^\s*do\s*\(.*=.*\)\s*$"
"""An action that sets something, whatever it is called in the graph."""
_SET = r"^\s*[^=,();]+=[^=,();]+(?:[,;][^=,();]+=[^=,();]+)*$"
"""The setting, without `do(…)` around it."""
_NAMES = {"action", "arm", "intervention", "treatment"}
"""Names of columns, in singular, in which what is set counts without `do(…)` around it."""


def refuse_experiment(frame: Any, columns: Sequence[str], name: str) -> None:
    """Raises an error where one of these columns of a frame (narwhals) says what somebody set; `name` is the table's."""
    nw = for_data("narwhals")
    schema = frame.collect_schema()
    texts = [c for c in columns if schema[c] in (nw.String, nw.Categorical, nw.Enum, nw.Object)]
    if not texts:
        return
    numbered, what = with_numbers(frame)
    done = [nw.col(c).cast(nw.String).str.contains(_pattern(c)).fill_null(False) for c in texts]
    kept = [*(["row number"] if what else []), *texts]
    rows = numbered.filter(reduce(or_, done)).select(*kept).head(1)
    rows = rows.collect() if isinstance(rows, nw.LazyFrame) else rows
    if not len(rows):
        return
    native = rows.select(*(each.alias(c) for c, each in zip(texts, done, strict=True)))
    column = next(c for c in texts if native[c].to_list()[0])
    where = f" in {what} {rows['row number'].to_list()[0] + 1:,}" if what else ""
    raise BestdoError(_in_words(name, column, str(rows[column].to_list()[0]).strip(), where))


def _pattern(column: str) -> str:
    """The pattern of a cell of the column that names a setting."""
    plain = clean(str(column)).casefold()
    return f"(?:{_DONE})|(?:{_SET})" if plain in _NAMES or plain.removesuffix("s") in _NAMES else _DONE


def _in_words(name: str, column: str, example: str, where: str) -> str:
    """The error: what the column looks like and where, what follows, and what to do."""
    return (
        f"{shown(name, 300)}: column {shown(column)} looks like the actions of an experiment: {shown(example)}{where}.\n"
        "Rows in which somebody set something are not watching, and rows of an experiment cannot be read yet. Nothing was "
        "taken.\n"
        "Keep the rows in which nobody set anything, those with do(). To read all rows as if nobody had, leave the column "
        f"out: --ignore {shlex.quote(column)} (reading={{'ignore': [{column!r}]}} in Python; ignore in REST and under [data] "
        "of a problem; Columns to leave out on the page)"
    )
