"""The formats of graphs in files, by name: for help texts, which do not import what reads them."""

from __future__ import annotations

__all__ = ["FORMATS", "format_names"]

FORMATS = {"toml": "TOML", "bif": "BIF", "dagitty": "DAGitty", "dot": "DOT", "gml": "GML", "node_link": "JSON"}
"""The name of each format, by its module in `bestdo.files`. The first whose `STARTS` matches a text reads it, otherwise the
one with the file's extension."""


def format_names(*without: str, last: str = ", ") -> str:
    """The names of all formats but those that are left out, with other words before the last one if these are given."""
    *names, end = [name for name in FORMATS.values() if name not in without]
    return f"{', '.join(names)}{last}{end}"
