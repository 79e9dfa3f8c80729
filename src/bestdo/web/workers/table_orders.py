"""Orders about tables from which a new study begins, carried out in the sandbox."""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestdo.bandit.reading import Reading
from bestdo.data.profile import TableProfile
from bestdo.data.workbook import SPREADSHEETS
from bestdo.errors import BestdoError
from bestdo.report.init_report import commented, notes
from bestdo.usecases.init import begun, opened_table
from bestdo.usecases.init_draft import Draft, contents_of_draft, graph_of_draft
from bestdo.usecases.init_source import Base, base_of_text
from bestdo.web.graph_form_contents import WHICH_WAY
from bestdo.web.workers.graph_orders import asked, checked

__all__ = ["started"]

_EXTENSIONS = (".csv.gz", ".tsv", ".parquet", *SPREADSHEETS)
"""Endings of names that tell how a file is read; others are taken for CSV."""


def started(order: Mapping[str, Any]) -> dict[str, Any]:
    """The answer for a graph, or none, whose variables have the values that a table of old data shows."""
    text = str(order["text"])
    base = base_of_text(text) if text.strip() else None
    draft = begun(base, _table(order, base))
    answer = _answer(order, draft)
    return {**answer, "words": [*(f"{note[0].upper()}{note[1:]}." for note in notes(draft)), *answer.get("words", ())]}


def _table(order: Mapping[str, Any], base: Base | None) -> TableProfile:
    """The contents of the columns of the table in an order."""
    name = os.path.basename(str(order["name"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{next((e for e in _EXTENSIONS if name.lower().endswith(e)), '.csv')}"
        path.write_bytes(base64.b64decode(order["data"]))
        try:
            return replace(opened_table(path, Reading(sheet=str(order.get("sheet") or "")), base), name=name)
        except BestdoError as error:
            raise BestdoError(str(error).replace(str(path), name)) from None


def _answer(order: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """The answer for a draft: the form with what is still to be chosen, or the check."""
    base = draft.base
    said = bool(base.good)
    whole = base.reward is not None and bool(base.settable)
    text = commented(draft, None if whole and said else graph_of_draft(draft))
    if said or not whole or base.reward is None:
        return checked({"text": text, "rounds": order["rounds"], "graph_only": order["graph_only"]})
    field, choices = draft.graph.variable(base.reward).kind.wishes
    first: dict[str, Any] = {field: choices[0]}
    wishes = replace(draft.wishes, **first)
    return asked(contents_of_draft(replace(draft, wishes=wishes)), text, WHICH_WAY[field], field)
