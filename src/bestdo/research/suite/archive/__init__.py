"""The archive: results of all learners in all worlds of the suite, which ship with the package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bestdo.errors import BestdoError
from bestdo.research.suite.suite_rows import Cost, SuiteRow, read_costs, read_rows

__all__ = ["Archive", "read", "read_manifest"]


class Archive(NamedTuple):
    """Results of the suite, and how they came about."""

    rows: list[SuiteRow]
    manifest: Mapping[str, Any]
    """Commit, versions, seed, simulations and the command; empty where there are no results yet."""
    costs: list[Cost]


def read(folder: Path | None = None) -> Archive:
    """The archive that ships with the package, or that in a folder; without any row where none was made yet."""
    return _shipped() if folder is None else _read(folder)


@cache
def _shipped() -> Archive:
    """The archive of the package, read once in a process: it never changes meanwhile."""
    return _read(Path(__file__).parent)


def _read(folder: Path) -> Archive:
    """The archive in a folder."""
    if not (folder / "archive.json").exists():
        return Archive([], {}, [])
    manifest = read_manifest(folder / "archive.json")
    results = folder / "results.csv"
    results = results if results.exists() else folder / "results.csv.gz"
    return Archive(read_rows(results), manifest, read_costs(folder / "costs.csv"))


def read_manifest(path: Path) -> Mapping[str, Any]:
    """The origin of results, from the file beside them."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BestdoError(f"{path} cannot be read: {error}") from None
    if not isinstance(manifest, dict):
        raise BestdoError(f"{path} is no JSON object, as bestdo suite run writes it")
    return manifest
