"""The goal of a problem: to find the best action for afterwards, or to earn as much as possible while learning it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from bestdo.errors import BestdoError, unknown

__all__ = ["EARN", "FIND", "GOALS", "KEPT", "SUMMED", "Goal", "Measure", "checked_goal", "measure_of"]


_T = TypeVar("_T")


@dataclass(frozen=True)
class Measure:
    """The regret by which finished studies are judged. In its words {answer} is "action", or "rule" with contexts."""

    name: str
    """The measure's name in the archive of results."""
    column: str
    """The column in tables of results."""
    error: str
    """The column of its standard error."""
    noted: int
    """The number of times at which the summed regret is noted until the end of a study."""
    title: str
    """The title of a picture."""
    label: str
    """The label of an axis."""
    heading: str
    """The heading of a table."""
    often: str
    """The share in brackets in such a table."""
    behind: str
    """The disadvantage of a learner against the best, at the beginning of a sentence."""
    lost: str
    """The heading of a column with the regret."""
    buys: str
    """The verb after "What rounds"."""
    in_words: str
    """The measure after "what is measured is"; {kept} is what is kept at the end."""
    each: str
    """The scope in which the best rule is better than the best single action."""

    def of(self, row: Mapping[str, Any]) -> tuple[float, float]:
        """The regret of a row of results, and its standard error."""
        return row[self.column], row[self.error]


KEPT = Measure(
    name="regret",
    column="regret",
    error="standard_error",
    noted=0,
    title="Regret by the number of rounds",
    label="regret of the action kept",
    heading="Regret of the {answer} kept",
    often="how often it was a best one",
    behind="what it keeps is worse than the best",
    lost="Worse than the best by",
    buys="buy",
    in_words="the regret of the {kept}",
    each="",
)
"""The regret of what is kept at the end."""
SUMMED = Measure(
    name="summed regret",
    column="summed_regret",
    error="summed_error",
    noted=1,
    title="Regret of all rounds together, by their number",
    label="regret summed over all rounds",
    heading="Regret summed over all rounds",
    often="how often the {answer} kept at the end was a best one",
    behind="it earns less than the best",
    lost="Lost in all rounds together",
    buys="lose while learning",
    in_words="the regret summed over all rounds",
    each="in each round ",
)
"""The regret of every round together."""


def measure_of(row: Mapping[str, Any]) -> Measure:
    """The measure of a table of results, by one of its rows."""
    return next(measure for measure in (SUMMED, KEPT) if measure.column in row)


class Goal(StrEnum):
    """The purpose of rounds; equal to its text in files and JSON.

    >>> EARN.learner, EARN == "earn"
    ('causal-thompson', True)
    """

    measure: Measure
    """The regret by which a finished study is judged."""
    learner: str
    """The learner that this library would take."""
    plain_learner: str
    """The learner that takes over where nothing may rest on the graph."""
    every_round: bool
    """Whether every round counts, not only the action kept at the end."""
    question: str
    """The end of the question which action is the best, before its question mark."""
    aside: str
    """The end of what is wanted of the reward."""
    remark: str
    """A remark on a problem with this goal."""
    choice: str
    """The goal as a person chooses it in a form."""
    reservation: str
    """The objection to a {learner} that is made for another goal."""

    def __new__(cls, text: str, terms: Mapping[str, Any]) -> Goal:
        """The goal of this text, with what differs between goals."""
        goal = str.__new__(cls, text)
        goal._value_ = text
        goal.__dict__.update(terms)
        return goal

    FIND = (
        "find",
        {
            "measure": KEPT,
            "learner": "causal-top-two",
            "plain_learner": "top-two",
            "every_round": False,
            "question": "",
            "aside": "",
            "remark": "",
            "choice": "the action that is kept at the end",
            "reservation": "{learner} is made to earn while it learns; causal-top-two is made to find the best action",
        },
    )
    """The best action is to be found for afterwards: what is kept at the end counts."""
    EARN = (
        "earn",
        {
            "measure": SUMMED,
            "learner": "causal-thompson",
            "plain_learner": "thompson",
            "every_round": True,
            "question": ", while every round counts",
            "aside": ", while learning",
            "remark": "; goal: earn",
            "choice": "what every round earns",
            "reservation": (
                "{learner} is made to find the best action, whatever its rounds earn; causal-thompson is made to earn"
            ),
        },
    )
    """The goal to earn as much as possible while learning: the reward of every round counts."""

    def columns(self, *columns: _T) -> tuple[_T, ...]:
        """Parts of a text or of a table that are there only where every round counts."""
        return columns if self.every_round else ()

    def rules_out_by_graph(self, prices: tuple[float, ...]) -> bool:
        """Whether an action whose mean is never the best by the graph cannot be the best with these prices."""
        return not self.every_round or len(set(prices)) == 1


FIND, EARN = Goal
GOALS = FIND, EARN
"""The goals."""


def checked_goal(goal: Any) -> Goal:
    """The goal, checked: "find" or "earn"."""
    if goal not in GOALS:
        raise BestdoError(unknown("goal", goal, GOALS))
    return GOALS[GOALS.index(goal)]
