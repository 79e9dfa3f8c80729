"""The horizon of a study: an amount of rounds or of money, and its words in every sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestdo.text import counted

__all__ = ["MONEY", "ROUNDS", "SLACK", "UNITS", "Horizon", "Unit"]

SLACK = 1e-9
"""The rounding error by which costs may exceed a budget: so ten rounds at 0.1 fit into a budget of 1."""


@dataclass(frozen=True)
class Unit:
    """The unit of a horizon. In its words {n} is an amount, {rounds} the amount with the noun: 1 round, 1,000 rounds."""

    name: str
    """The unit's name in logs, JSON and the database."""
    argument: str
    """The argument in Python and in the JSON interface, and the option of the command line, that says a horizon."""
    whole: str
    """The whole horizon."""
    part: str
    """A part of the horizon, as what is left."""
    taken: str
    """A part of the horizon that is used up or handed out."""
    handed_out: str
    """The whole horizon, at the beginning of a sentence that goes on with "handed out"."""
    spent: str
    """The amount used, and the number of rounds told."""
    spent_in_table: str
    """The amount used and the rounds told in a table, whose heading names the unit."""
    heading: str
    """The heading above the amount used, in a table."""
    planned: str
    """An amount that a plan takes."""
    new: str
    """The amount after a change."""
    bill: str
    """The cost of the rounds of a fixed plan, in a parenthesis."""
    ended: str
    """The sentence that nothing is left."""
    axis: str
    """The label of an axis with horizons; {more} is " more" where rounds were played before."""
    asked: str
    """The label of a field for the horizon of a new study."""
    asked_again: str
    """The label of a field for the horizon of a running study."""
    price_asked: tuple[str, ...]
    """The label of a field for what a round of a further action takes; none where every round takes 1."""
    step: str
    """The step between two horizons in such a field."""
    least: str
    """The least number in the field of a new study."""
    remark: str
    """A remark on a problem whose horizons have this unit."""
    per: str
    """The measure by which an action is the best."""
    same: str
    """The words behind a comparison with the earnings of the rounds: for the same money, or none."""
    thrift: str
    """The price that a round is chosen by, beside the information that it gives."""
    times: Callable[[Any], Any]
    """Moments between the beginning and the end of a horizon (float[K]), as they are counted."""

    def words(self, text: str, n: float, noun: str = "round", **more: str) -> str:
        """The text with an amount filled in."""
        return text.format(n=f"{n:g}", rounds=counted(int(n), noun), **more)

    def left(self, n: float) -> str:
        """A part of the horizon, as what is left: 7 rounds, or 7.5 of the budget."""
        return self.words(self.part, n)

    def bill_of(self, total: float) -> str:
        """The cost of all rounds of a plan, to be added to a sentence; empty where rounds are counted."""
        return self.words(self.bill, total)


ROUNDS = Unit(
    name="rounds",
    argument="rounds",
    whole="{rounds}",
    part="{rounds}",
    taken="{n} rounds of the horizon",
    handed_out="all {n} rounds are",
    spent="{used} of {rounds} used, {told} told",
    spent_in_table="{used} of {n}, {told} told",
    heading="Rounds",
    planned="{n} rounds were planned",
    new="{n} rounds",
    bill="",
    ended="All rounds are used.",
    axis="number of{more} rounds",
    asked="Rounds that can be played",
    asked_again="Rounds of the whole study",
    price_asked=(),
    step="1",
    least="1",
    remark="",
    per="",
    same="",
    thrift="",
    times=np.ceil,
)
"""Rounds are counted: the unit where actions have no costs."""
MONEY = Unit(
    name="cost",
    argument="budget",
    whole="a budget of {n}",
    part="{n} of the budget",
    taken="{n} of the budget",
    handed_out="the whole budget of {n} is",
    spent="{used} of a budget of {n} spent, {told_rounds} told",
    spent_in_table="{used} of {n} of the budget, {told} told",
    heading="Used",
    planned="{n} was to be spent",
    new="{n}",
    bill=", which cost {n}",
    ended="The budget is spent.",
    axis="what may be spent",
    asked="Budget: what all rounds may cost",
    asked_again="Budget for the whole study",
    price_asked=("What a round of it costs",),
    step="any",
    least="0",
    remark=", with costs",
    per=" per money",
    same=" for the same money",
    thrift=", for its cost",
    times=np.asarray,
)
"""The unit where actions have costs: the cost of rounds is counted."""
UNITS = {unit.name: unit for unit in (ROUNDS, MONEY)}
"""The units by their names."""


@dataclass(frozen=True)
class Horizon:
    """The amount that a whole study may use, in its unit.

    >>> str(Horizon(60, ROUNDS)), Horizon(60, ROUNDS).used(7), Horizon(200, MONEY).used(7.5)
    ('60 rounds', '7 of 60 rounds used', '7.5 of a budget of 200 used')
    """

    amount: float
    unit: Unit

    @classmethod
    def of_status(cls, status: Mapping[str, Any]) -> Horizon:
        """The horizon of a study by its status."""
        return cls(status["horizon"], UNITS[status["unit"]])

    @classmethod
    def of_number(cls, amount: float) -> Horizon:
        """The horizon of a simulated study, as a table of results has it: a whole number of rounds, or else a budget."""
        return cls(amount, MONEY if isinstance(amount, float) else ROUNDS)

    def __str__(self) -> str:
        return self.words()

    def words(self, noun: str = "round") -> str:
        """The whole horizon in words; `noun` is what a round is called."""
        return self.unit.words(self.unit.whole, self.amount, noun)

    @property
    def handed_out(self) -> str:
        """The whole horizon, at the beginning of a sentence that goes on with "handed out"."""
        return self.unit.words(self.unit.handed_out, self.amount)

    @property
    def now(self) -> str:
        """The amount after a change."""
        return self.unit.words(self.unit.new, self.amount)

    def taken(self, used: float) -> str:
        """The part that is used up or handed out."""
        return self.unit.words(self.unit.taken, used)

    def spent(self, used: float, told: int) -> str:
        """The amount used, and the number of rounds told."""
        return self._spent(self.unit.spent, used, told)

    def spent_in_table(self, used: float, told: int) -> str:
        """The amount used, and the number of rounds told, for a cell of a table."""
        return self._spent(self.unit.spent_in_table, used, told)

    def _spent(self, text: str, used: float, told: int) -> str:
        """The text with the amount used and the rounds told filled in."""
        more = {"used": f"{used:g}", "told": str(told), "told_rounds": counted(told, "round")}
        return self.unit.words(text, self.amount, **more)

    def used(self, used: float) -> str:
        """The amount used: "4 of 4 rounds used, and 1 more told late" where results came after their time."""
        return self._used(used, str(self))

    def used_in_full(self, used: float) -> str:
        """The amount used, with the name of the unit: "4 of 4 (rounds) used"."""
        return self._used(used, f"{self.amount:g} ({self.unit.name})")

    def _used(self, used: float, whole: str) -> str:
        late = f", and {used - self.amount:g} more told late" if used > self.amount else ""
        return f"{min(used, self.amount):g} of {whole} used{late}"
