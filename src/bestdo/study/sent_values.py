"""The values told to a server, as JSON can hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bestdo.arguments import mapping

__all__ = ["plain", "sent_contexts"]


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as JSON can hold them: numbers of numpy as numbers, and empty text for what was not seen, None or NaN."""
    return {str(name): _plain(v) for name, v in mapping("what was seen", values, "{'yield': 'good'}").items()}


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    value = value.item() if hasattr(value, "item") else value
    if value is None or value != value:  # NaN is not equal to itself
        return ""
    return value if isinstance(value, str | int | float) else str(value)


def sent_contexts(context: object) -> object:
    """A context, or a list of them, as JSON can hold them; what is neither is sent as text, which the server refuses."""
    if isinstance(context, Mapping):
        return plain(context)
    if isinstance(context, str) or not isinstance(context, Iterable):
        return str(context)
    return [plain(each) if isinstance(each, Mapping) else str(each) for each in context]
