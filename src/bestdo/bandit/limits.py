"""The limits of a problem as one value; where there are none, every action keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from bestdo.bandit.limit import CONTEXT, EVERYBODY, SURE, Limit
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.graph import Graph
from bestdo.errors import BestdoError, GraphError, shown

__all__ = ["NO_LIMITS", "Limits", "checked_limits", "checked_sure"]

_T = TypeVar("_T")


class Limits(tuple[Limit, ...]):
    """The limits of a problem, in their order: a tuple that also knows what is to be said of them.

    Without limits there is nothing to say: no words, no field and no column.
    """

    __slots__ = ()

    @property
    def words(self) -> str:
        """The limits as one text; empty where there are none."""
        return "; ".join(map(str, self))

    @property
    def all_words(self) -> str:
        """The limits together, as the object of a sentence."""
        return "the limit" if len(self) == 1 else "all limits"

    @property
    def never(self) -> tuple[Intervention, ...]:
        """The actions that are known beforehand to break a limit."""
        return tuple(action for limit in self for action in limit.never)

    @property
    def in_each(self) -> Limits:
        """The limits that hold in each context."""
        return Limits(limit for limit in self if limit.over != EVERYBODY)

    @property
    def over_everybody(self) -> Limits:
        """The limits that hold on average over everybody who gets the recommended rule."""
        return Limits(limit for limit in self if limit.over == EVERYBODY)

    @property
    def for_one(self) -> Limits:
        """The limits where nothing is seen first: everybody is in the one context that there is."""
        return Limits(replace(limit, over=CONTEXT) for limit in self) if self.over_everybody else self

    @property
    def always(self) -> Limits:
        """The limits that hold while exploring, too."""
        return Limits(limit for limit in self if limit.always)

    @property
    def safe(self) -> tuple[Intervention, ...]:
        """The actions that are known beforehand to keep every limit that always holds."""
        named = [limit.safe for limit in self.always]
        return tuple(action for action in (named or [()])[0] if all(action in safe for safe in named))

    @property
    def measured(self) -> tuple[str, ...]:
        """The variables whose numbers are limited, each once."""
        return tuple(dict.fromkeys(limit.variable for limit in self if limit.kind.measured))

    def while_exploring(self, sure: float, retired: Sequence[Intervention] = ()) -> str:
        """The actions that a round may play where some limits always hold; empty where none does."""
        always, safe = self.always, [action for action in self.safe if action not in retired]
        return "".join(
            always.columns(
                f"rounds play {', '.join(map(str, safe))}, named as safe, and what keeps {always.words} with "
                f"probability {sure:g} or more by what is known then"
            )
        )

    def fields(self, fields: Mapping[str, _T]) -> dict[str, _T]:
        """Fields of data that are there only with limits."""
        return dict(fields) if self else {}

    def columns(self, *columns: _T) -> tuple[_T, ...]:
        """Columns of a table, cells of a line or parts of a text that are there only with limits."""
        return columns if self else ()


NO_LIMITS = Limits()
"""The empty limits, which every action keeps with probability 1."""


def checked_limits(graph: Graph, actions: Actions, limits: Sequence[Limit], first: tuple[str, ...] = ()) -> Limits:
    """The limits of a problem, after checking each against the graph and the actions, and that none is given twice.

    What is seen before the action is chosen (`first`) cannot be limited: no action changes it.
    """
    for place, limit in enumerate(limits):
        limit.check(graph)
        if limit.variable in first:
            raise GraphError(
                f"the limit is on {shown(limit.variable)}, which is seen before the action is chosen: no action can change "
                "it, so leave out the limit"
            )
        limit.check_actions(actions)
        if any(limit.same_but_bound(other) for other in limits[:place]):
            raise GraphError(f"{limit.outcome} has two limits on the same side; say one of them")
    found = Limits(limits)
    if found.always and not found.safe:
        raise GraphError(
            "several limits hold while exploring, too (always), and no action is named as safe in all of them: name one"
        )
    return found


def checked_sure(sure: float) -> float:
    """The probability with which a recommended action must keep all limits, checked: above 0 and below 1."""
    if isinstance(sure, bool) or not isinstance(sure, (int, float)) or not 0 < sure < 1:
        raise BestdoError(f"sure is {sure!r:.30}; it is a probability, above 0 and below 1, such as {SURE}")
    return float(sure)
