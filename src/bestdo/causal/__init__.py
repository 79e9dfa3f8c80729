"""What causes what: graphs, interventions, models, and what can be learned from what. No bandits here."""

from __future__ import annotations

import importlib


def __getattr__(name: str) -> object:
    """The files of this room open when first used: `bestdo.causal.where`."""
    try:
        return importlib.import_module(f"bestdo.causal.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"module 'bestdo.causal' has no attribute {name!r}") from None
