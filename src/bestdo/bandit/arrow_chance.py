"""A doubtful arrow of the graph: how probable it is by the rounds so far, and how that moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bestdo.text import quoted

__all__ = ["ArrowChance", "arrows_as_data"]


class ArrowChance(NamedTuple):
    """A doubtful arrow and its probability, before the first round and after some numbers of rounds."""

    cause: str
    kind: str
    """`->`, or `<->` for a hidden common cause."""
    effect: str
    before: float
    """The probability that was stated."""
    told: tuple[int, ...] = ()
    """The numbers of rounds after which a probability was noted; 0 is after old data alone."""
    chance: tuple[float, ...] = ()
    """The probability then; nothing where the tables of all graphs are too large to weigh them."""
    matters: bool | None = None
    """Whether the action with the best mean would be another one by the same rounds if the arrow were known to be there, or
    that it is not; None where that is not worked out: with limits, contexts, or graphs that are not listed, and before
    anything is known."""

    def __str__(self) -> str:
        return f"{quoted(self.cause)} {self.kind} {quoted(self.effect)}"

    @property
    def now(self) -> float:
        """The probability by all rounds so far."""
        return self.chance[-1] if self.chance else self.before

    def as_data(self) -> dict[str, Any]:
        """The arrow as data for JSON."""
        moved = [{"told": told, "probability": chance} for told, chance in zip(self.told, self.chance, strict=True)]
        own = {"arrow": str(self), "cause": self.cause, "kind": self.kind, "effect": self.effect}
        return {**own, "before": self.before, "now": self.now, "moved": moved, "matters": self.matters}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> ArrowChance:
        """The arrow from its data for JSON."""
        moved = data["moved"]
        told, chance = tuple(int(m["told"]) for m in moved), tuple(float(m["probability"]) for m in moved)
        return cls(data["cause"], data["kind"], data["effect"], data["before"], told, chance, data.get("matters"))


def arrows_as_data(arrows: Sequence[ArrowChance]) -> dict[str, Any]:
    """The doubtful arrows as data for JSON, under their name; nothing where no arrow is in doubt."""
    return {"arrows": [arrow.as_data() for arrow in arrows]} if arrows else {}
