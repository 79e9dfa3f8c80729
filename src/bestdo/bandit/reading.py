"""How tables of old data are read: other names of columns and values, what counts as missing, what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bestdo.causal.graph import Graph
from bestdo.errors import GraphError, shown, unknown

__all__ = ["Reading"]


@dataclass(frozen=True)
class Reading:
    """How a table of old data is read for a problem; what options say of one table goes before it."""

    columns: Mapping[str, str] = field(default_factory=dict)
    """The name of a variable's column, where it differs from that of the variable."""
    same: Mapping[str, str] = field(default_factory=dict)
    """What stands in the table, and the value that it means: {"ja": "yes"}; for every variable that has this value."""
    missing: tuple[str, ...] = ()
    """What means that a value is missing, beside empty cells and NA: ("-", "999")."""
    ignore: tuple[str, ...] = ()
    """Columns that are not taken, and not named as left out."""
    sheet: str = ""
    """The sheet of an Excel file; empty where the file has one alone."""

    def __bool__(self) -> bool:
        """Whether anything is said."""
        return bool(self.columns or self.same or self.missing or self.ignore or self.sheet)

    def check(self, graph: Graph) -> None:
        """Raises GraphError for a variable or a value that the graph does not have."""
        for name in self.columns:
            if name not in graph.observed:
                raise GraphError(unknown("variable", name, graph.observed))
        values = list(dict.fromkeys(v for name in graph.observed for v in graph.variable(name).values))
        for text, value in self.same.items():
            if value not in values:
                raise GraphError(f"{shown(text)} cannot mean {shown(value)}: {unknown('value', value, values)}")

    def with_options(
        self,
        columns: Mapping[str, str] | None = None,
        same: Mapping[str, str] | None = None,
        missing: Iterable[str] = (),
        ignore: Iterable[str] = (),
        sheet: str | None = None,
    ) -> Reading:
        """The same with what is said of one table added; that goes before."""
        return Reading(
            {**self.columns, **(columns or {})},
            {**self.same, **(same or {})},
            tuple(dict.fromkeys((*self.missing, *missing))),
            tuple(dict.fromkeys((*self.ignore, *ignore))),
            sheet or self.sheet,
        )
