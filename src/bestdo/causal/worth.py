"""The worth of a reward's values: a number for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bestdo.causal.number import LARGEST
from bestdo.causal.variable import Variable
from bestdo.errors import GraphError, shown, unknown

__all__ = ["Worth", "checked_worth"]

Worth = tuple[tuple[str, float], ...]
"""The values of the reward, in their order, with the number that each is worth."""


def checked_worth(reward: Variable, worth: Mapping[str, float] | Iterable[tuple[str, float]]) -> Worth:
    """The worth of each value of the reward, checked: finite numbers, not the same one for all."""
    given = {str(value): number for value, number in dict(worth).items()}
    for value, number in given.items():
        if value not in reward.values:
            raise GraphError(unknown("value", value, reward.values, of=f" of the reward {shown(reward.name)}"))
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not abs(number) <= LARGEST:
            raise GraphError(
                f"the worth of {shown(reward.name)} = {shown(value)} is {number!r:.30}; it must be a number, "
                f"at most {LARGEST:g} in size"
            )
    missing = [value for value in reward.values if value not in given]
    if missing:
        raise GraphError(f"what is {shown(reward.name)} = {shown(missing[0])} worth? Each of its values needs a number")
    if len(set(given.values())) < 2:
        raise GraphError(f"all values of the reward {shown(reward.name)} are worth the same; then no action is better")
    return tuple((value, float(given[value])) for value in reward.values)
