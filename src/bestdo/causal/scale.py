"""The scale of a reward: what 0 and 1 of the learners' means are in its own unit, and which means are better."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Scale"]


class _Direction(NamedTuple):
    """The better direction of means, in the reward's own unit, in words."""

    sign: float
    """1 where larger means are better, otherwise -1."""
    end: str
    """The better end of an interval."""
    extreme: str
    """The best of several."""
    side: str
    """The side of a mean on which better means lie."""
    most: str
    """The extreme that a mean should be."""
    much: str


_UP = _Direction(1.0, "upper", "highest", "above", "largest", "large")
_DOWN = _Direction(-1.0, "lower", "lowest", "below", "smallest", "small")


class Scale(NamedTuple):
    """The reward's own unit at 0 and 1 of the learners' means; more is always better for learners."""

    worst: float
    best: float

    @property
    def direction(self) -> _Direction:
        """The better direction of means in the reward's own unit."""
        return _UP if self.best > self.worst else _DOWN

    @property
    def sign(self) -> float:
        """1 where larger means are better in the reward's own unit, otherwise -1."""
        return self.direction.sign

    def in_unit(self, mean: Any) -> Any:
        """Means as learners have them, in the reward's own unit."""
        return self.worst + mean * (self.best - self.worst)

    def for_learners(self, means: Any) -> Any:
        """Means in the reward's own unit, as learners have them."""
        return (means - self.worst) / (self.best - self.worst)
