"""What is told to a server, as JSON can hold it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["plain", "sent_contexts"]


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as JSON can hold them: numbers of numpy as numbers, everything else as text."""
    return {name: v if isinstance(v, str) else (v.item() if hasattr(v, "item") else v) for name, v in values.items()}


def sent_contexts(context: object) -> object:
    """A context, or a list of them, as JSON can hold them; what is neither is sent as text, which the server refuses."""
    if isinstance(context, Mapping):
        return plain(context)
    if isinstance(context, str) or not isinstance(context, Iterable):
        return str(context)
    return [plain(each) if isinstance(each, Mapping) else str(each) for each in context]
