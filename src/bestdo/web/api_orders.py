"""The JSON that programs send, but for the verbs of a study. It is strict: unknown fields and wrong types are errors.

The limits on lengths and numbers keep requests small; they were chosen, not measured.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

__all__ = [
    "NO_NUL",
    "Amount",
    "Beginning",
    "Budget",
    "Checking",
    "Context",
    "Estimating",
    "Horizon",
    "Importing",
    "Label",
    "Number",
    "Observing",
    "Order",
    "Parameters",
    "Planning",
    "Rehearsing",
    "Text",
    "Values",
    "Who",
    "Why",
]

NO_NUL = r"^[^\x00]*$"
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Who = Annotated[str, StringConstraints(max_length=100, pattern=NO_NUL)]
Text = Annotated[str, StringConstraints(max_length=10_000, pattern=NO_NUL)]
Why = Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=NO_NUL)]
Label = Annotated[str, StringConstraints(max_length=400, pattern=NO_NUL)]
Amount = int | Annotated[float, Field(allow_inf_nan=False)]
Values = Annotated[dict[Label, Label | bool | Amount], Field(max_length=20_000)]
"""The values that were seen; a number as such or as text, with a decimal point or comma; true and false for yes and no."""
Context = Annotated[dict[Label, Label | bool | Amount | None], Field(max_length=100)]
Worth = Annotated[dict[Label, Amount], Field(max_length=20_000)]
Budget = Annotated[float, Field(gt=0, le=1e12, allow_inf_nan=False)]
Horizon = Annotated[int, Field(ge=1, le=1_000_000)]
Problem = Annotated[str, StringConstraints(min_length=1, max_length=2 * 2**20)]
Parameters = Annotated[dict[Label, int | float | str | bool | None], Field(max_length=100)]
Aim = Literal["maximise", "minimise"]


class Order(BaseModel):
    """Base of all JSON that is sent."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Beginning(Order):
    """A study to begin."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)]
    problem: Problem
    """The text of a file in any format of `bestdo.formats`."""
    rounds: Horizon | None = None
    """The number of rounds that can be played; this or a budget."""
    budget: Budget | None = None
    """The most that all rounds together may cost, where actions have costs."""
    learner: Label | None = None
    """Chosen when not said."""
    parameters: Parameters = Field(default_factory=dict)
    """Parameters of the learner that differ from its own."""
    at_once: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """The most rounds that may be out at once."""
    wait: bool = False
    """Whether a new phase waits for all results of the last one."""
    until_sure: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Stop as soon as one action is the best with this confidence."""
    alarm: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """The chance that rounds seem to contradict a graph that is right; 0: no alarm."""
    lease: Annotated[float, Field(gt=0, le=36_500)] = 7.0
    """The number of days after which a round that nobody told is handed out again."""
    reward: Label | None = None
    success: Label | None = None
    worth: Worth | None = None
    """Instead of a success: the number that each value of the reward is worth."""
    aim: Aim | None = None
    """The aim for the mean of a reward that is a number, or a worth."""
    goal: Literal["find", "earn"] | None = None
    """The purpose of rounds: to find the best action, or to earn while learning it; the problem's when not given."""
    graph_only: bool = False
    """Whether the tables that the problem gives are left unused."""
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    who: Who = ""


class Checking(Order):
    """A problem to check."""

    problem: Problem
    reward: Label | None = None
    success: Label | None = None
    worth: Worth | None = None
    """Instead of a success: the number that each value of the reward is worth."""
    aim: Aim | None = None
    """The aim for the mean of a reward that is a number, or a worth."""
    graph_only: bool = False
    """Whether the tables that the problem gives are left unused."""
    rounds: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """The number of rounds for which guarantees are wanted."""


class Importing(Order):
    """A study as `export` gave it."""

    study: dict[str, Any]
    name: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)] | None = None
    """Another name than the one it had."""


class Reading(Order):
    """How a table is read: columns of other names, what means the same, what is missing, what is left out."""

    columns: Annotated[dict[Label, Label], Field(max_length=20_000)] = {}
    """The name of a variable's column, where it differs."""
    same: Annotated[dict[Label, Label | list[Label]], Field(max_length=20_000)] = {}
    """The meaning of a text; several values, where it means something else for each variable."""
    missing: Annotated[list[Label], Field(max_length=1_000)] = []
    """The texts for a missing value, beside empty cells and NA."""
    ignore: Annotated[list[Label], Field(max_length=20_000)] = []
    """Columns that are left out."""
    probability: Label | None = None
    """The column with the probability of what a policy chose in each row: these count as plays."""
    chosen: Annotated[list[Label], Field(max_length=1_000)] = []
    """The variables that the policy chose, where these are not all that can be set."""


class Observing(Order):
    """A table of old data: rows that were seen while nobody set anything, or with what was set."""

    table: Annotated[str, StringConstraints(min_length=1, max_length=15 * 2**20, pattern=NO_NUL)]
    """CSV, with the names of the variables in its first line."""
    reading: Reading = Reading()
    """The reading of the table."""
    force: bool = False
    """Whether the same rows are taken once more."""
    who: Who = ""


class Rehearsing(Order):
    """Numbers of rounds, or budgets, to rehearse the rest of a study with; four around what is left when not given."""

    rounds: Annotated[list[Budget], Field(min_length=1, max_length=8)] | None = None


class Planning(Order):
    """A problem and the rounds of its fixed plan."""

    problem: Problem
    rounds: Annotated[int, Field(ge=1, le=100_000)]
    separator: Literal["comma", "semicolon", "tab"] = "comma"


class Estimating(Order):
    """A problem, and the sheet of its fixed plan with results."""

    problem: Problem
    sheet: Annotated[str, StringConstraints(min_length=1, max_length=15 * 2**20, pattern=NO_NUL)]
    """CSV as `plan` gave it, filled in."""
