"""Reads and writes how tables of old data are read, in a TOML file: [data]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bestdo.bandit.reading import Reading
from bestdo.causal.graph import Graph
from bestdo.files.declarations import Source
from bestdo.files.toml_positions import Path
from bestdo.files.toml_values import label, sequence, table, text

__all__ = ["reading_as_lines", "reading_of"]

_KEYS = ("columns", "same", "missing", "ignore", "sheet", "probability", "chosen")


def reading_of(source: Source, data: dict[str, Any], graph: Graph) -> Reading:
    """The reading of tables, from [data]; the default where the file has no such section."""
    if "data" not in data:
        return Reading()
    about = table(source, ("data",), data["data"], _KEYS)
    columns = {
        name: text(source, ("data", "columns", name), column)
        for name, column in table(source, ("data", "columns"), about.get("columns", {})).items()
    }
    same = {
        seen: _meant(source, ("data", "same", seen), value)
        for seen, value in table(source, ("data", "same"), about.get("same", {})).items()
    }
    missing, ignore, chosen = (
        tuple(label(source, ("data", key, i), item) for i, item in enumerate(items))
        for key in ("missing", "ignore", "chosen")
        for items in [sequence(source, ("data", key), about.get(key, []))]
    )
    sheet, probability = (text(source, ("data", key), about.get(key, "")) for key in ("sheet", "probability"))
    with source.at(("data", "chosen")):
        Reading(chosen=chosen).check(graph)
    for name, column in columns.items():
        with source.at(("data", "columns", name)):
            Reading(columns={name: column}).check(graph)
    for seen, value in same.items():
        with source.at(("data", "same", seen)):
            Reading(same={seen: value}).check(graph)
    return Reading(columns, same, missing, ignore, sheet, probability, chosen)


def _meant(source: Source, path: Path, value: object) -> str | tuple[str, ...]:
    """The value that a text means, or several where it means something else for each variable."""
    if not isinstance(value, list):
        return label(source, path, value)
    return tuple(label(source, (*path, i), item) for i, item in enumerate(value))


def _written(meant: str | tuple[str, ...], quoted: Callable[[str], str]) -> str:
    """A string of TOML, or a list of some."""
    return quoted(meant) if isinstance(meant, str) else f"[{', '.join(map(quoted, meant))}]"


def reading_as_lines(reading: Reading, key: Callable[[str], str], quoted: Callable[[str], str]) -> Iterator[list[str]]:
    """The section [data], as a list of lines; `key` and `quoted` make a key and a string of TOML."""
    if not reading:
        return
    lines = ["[data]"]
    lines += [f"sheet = {quoted(reading.sheet)}"] if reading.sheet else []
    lines += [f"probability = {quoted(reading.probability)}"] if reading.probability else []
    for name, texts in (("missing", reading.missing), ("ignore", reading.ignore), ("chosen", reading.chosen)):
        lines += [f"{name} = [{', '.join(map(quoted, texts))}]"] if texts else []
    for name, pairs in (("columns", reading.columns), ("same", reading.same)):
        lines += [f"{name}.{key(one)} = {_written(other, quoted)}" for one, other in pairs.items()]
    yield lines
