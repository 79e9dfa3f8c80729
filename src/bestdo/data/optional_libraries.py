"""Imports the libraries for tables and pictures, which are optional dependencies."""

from __future__ import annotations

import importlib
from types import ModuleType

from bestdo.errors import BestdoError

__all__ = ["dask_distributed", "for_data", "matplotlib", "polars"]


def polars() -> ModuleType:
    """Imports Polars, for tables; an error that says what to install where it is missing."""
    return _import("polars", "tables need polars")


def matplotlib() -> ModuleType:
    """Imports Matplotlib, for pictures in files; an error that says what to install where it is missing."""
    library = _import("matplotlib", "pictures need matplotlib")
    _import("matplotlib.figure", "pictures need matplotlib")
    return library


def dask_distributed() -> ModuleType:
    """Imports Dask's library for clusters; an error that says what to install where it is missing."""
    return _import("distributed", "a Dask cluster needs distributed", "dask")


def for_data(module: str) -> ModuleType:
    """Imports a library that reads tables of data; an error that says what to install where it is missing."""
    return _import(module, f"tables of data need {module}", "data")


def _import(module: str, why: str, extra: str = "research") -> ModuleType:
    """Imports a module; `why` begins the error where it is missing, and `extra` is what to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise BestdoError(f"{why}, which is not installed: pip install 'bestdo[{extra}]'") from None
