"""A round that was handed out, with the reason why it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from bestdo.causal.action import Intervention

__all__ = ["Asked", "AskedRounds", "number_of"]


_OF_A_ROUND = ("number", "action", "expires", "context", "reason")


@dataclass(frozen=True)
class Asked:
    """A round that was handed out, to be played."""

    number: int
    action: Intervention
    expires: datetime
    _reason: Callable[[], str] = field(repr=False, compare=False)
    context: Mapping[str, str] = field(default_factory=dict)
    """The values seen before the action was chosen."""

    @cached_property
    def reason(self) -> str:
        """The reason why this round is asked for, by the knowledge at that time; computed when it is read."""
        return self._reason()

    def __repr__(self) -> str:
        seen = f" where {', '.join(f'{n}={v}' for n, v in self.context.items())}" if self.context else ""
        return f"Asked(round {self.number}: {self.action}{seen}; until {self.expires:%Y-%m-%d %H:%M} UTC)"


class AskedRounds(list[Asked]):
    """Rounds that were handed out."""

    fewer: str | None = None
    """The reason why there are fewer rounds than were asked for; empty otherwise."""

    def __getattr__(self, name: str) -> Any:
        """The attribute of the only round, so that `study.ask().number` is enough."""
        if name not in _OF_A_ROUND:
            raise AttributeError(f"AskedRounds has no attribute {name!r}")
        if len(self) != 1:
            raise AttributeError(f"these are {len(self)} rounds, and each has its {name}: for asked in study.ask(n=…)")
        return getattr(self[0], name)


def number_of(asked: int | Asked | AskedRounds) -> int:
    """The number of a round: itself, or that of a round that was handed out."""
    return asked.number if isinstance(asked, Asked | AskedRounds) else asked
