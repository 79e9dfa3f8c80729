"""The libraries for tables and pictures, which not everybody has installed."""

from __future__ import annotations

import importlib
from types import ModuleType

from bestdo.errors import BestdoError

__all__ = ["matplotlib", "polars"]


def polars() -> ModuleType:
    """Polars, for tables; or one sentence about what to install."""
    return _needed("polars", "tables need polars")


def matplotlib() -> ModuleType:
    """Matplotlib, for pictures, drawing to files only; or one sentence about what to install."""
    found = _needed("matplotlib", "pictures need matplotlib")
    _needed("matplotlib.figure", "pictures need matplotlib")
    return found


def _needed(module: str, why: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise BestdoError(f"{why}, which is not installed: pip install 'bestdo[research]'") from None
