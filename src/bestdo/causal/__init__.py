"""Causal graphs, interventions, models and identification. Nothing here knows about bandits."""

from __future__ import annotations

import importlib


def __getattr__(name: str) -> object:
    """Imports a module of this package when it is first used, as in `bestdo.causal.where`."""
    try:
        return importlib.import_module(f"bestdo.causal.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"module 'bestdo.causal' has no attribute {name!r}") from None
