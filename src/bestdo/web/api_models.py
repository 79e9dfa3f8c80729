"""The JSON that programs send and receive. What is sent is strict: unknown fields and wrong types are errors.

The limits on lengths and numbers keep requests small; they were chosen, not measured.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

__all__ = [
    "Action",
    "Amended",
    "Asked",
    "Asking",
    "Begun",
    "Best",
    "Checking",
    "Closed",
    "Event",
    "Extended",
    "Known",
    "Noted",
    "Number",
    "Open",
    "Round",
    "Status",
    "Told",
    "Trouble",
    "Version",
    "Withdrawn",
]

_NO_NUL = r"^[^\x00]*$"
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Who = Annotated[str, StringConstraints(max_length=100, pattern=_NO_NUL)]
Text = Annotated[str, StringConstraints(max_length=10_000, pattern=_NO_NUL)]
Why = Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=_NO_NUL)]
Label = Annotated[str, StringConstraints(max_length=400, pattern=_NO_NUL)]
Amount = int | Annotated[float, Field(allow_inf_nan=False)]
Values = Annotated[dict[Label, Label | Amount], Field(max_length=20_000)]
"""The values that were seen; a number as such or as text, with a decimal point or comma."""
Worth = Annotated[dict[Label, Amount], Field(max_length=20_000)]
Aim = Literal["maximise", "minimise"]


class _In(BaseModel):
    """Base of what is sent."""

    model_config = ConfigDict(strict=True, extra="forbid")


class _Out(BaseModel):
    """Base of what is answered."""

    model_config = ConfigDict(extra="forbid")


class Trouble(_Out):
    """Why something was not done."""

    error: str
    kind: Literal[
        "conflict", "finished", "invalid", "large", "method", "missing", "origin", "host", "storage", "token", "waiting"
    ]


class Begun(_In):
    """A study to begin."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_NO_NUL)]
    problem: Annotated[str, StringConstraints(min_length=1, max_length=2 * 2**20)]
    """TOML, BIF, DAGitty, DOT or GML."""
    rounds: Annotated[int, Field(ge=1, le=1_000_000)]
    """The horizon; a budget where actions have costs."""
    learner: Label | None = None
    """Chosen when not said."""
    reward: Label | None = None
    success: Label | None = None
    worth: Worth | None = None
    """Instead of a success: the number that each value of the reward is worth."""
    aim: Aim | None = None
    """For a reward that is a number, or a worth: what is wanted of its mean."""
    graph_only: bool = False
    """Whether the tables that the problem gives are left unused."""
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    who: Who = ""


class Checking(_In):
    """A problem to check."""

    problem: Annotated[str, StringConstraints(min_length=1, max_length=2 * 2**20)]
    reward: Label | None = None
    success: Label | None = None
    worth: Worth | None = None
    """Instead of a success: the number that each value of the reward is worth."""
    aim: Aim | None = None
    """For a reward that is a number, or a worth: what is wanted of its mean."""
    graph_only: bool = False
    """Whether the tables that the problem gives are left unused."""
    rounds: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """After how many rounds guarantees are wanted."""


class Asking(_In):
    """Who asks for how many rounds."""

    worker: Who = ""
    n: Annotated[int, Field(ge=1, le=1_000)] = 1


class Told(_In):
    """What a round showed."""

    values: Values
    key: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_NO_NUL)] | None = None
    happened: bool = False
    who: Who = ""


class Amended(_In):
    """What a round showed, corrected: all its values anew."""

    values: Values
    why: Why
    happened: bool = False
    who: Who = ""


class Withdrawn(_In):
    """Why a round is taken back, and whether its place is used up."""

    why: Why
    lost: bool = True
    who: Who = ""


class Noted(_In):
    """A remark."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=10_000, pattern=_NO_NUL)]
    round: Number | None = None
    who: Who = ""


class Extended(_In):
    """Another number of rounds for the whole study."""

    rounds: Annotated[int, Field(ge=1, le=1_000_000)]
    why: Why
    who: Who = ""


class Closed(_In):
    """Why no more rounds are handed out."""

    why: Text = ""
    who: Who = ""


class Open(_Out):
    """A round that is out."""

    number: int
    action: str
    worker: str


class Status(_Out):
    """The state of a study."""

    name: str
    learner: str
    parameters: dict[str, Any]
    horizon: float
    used: float
    unit: str
    told: int
    open: list[Open]
    closed: bool
    finished: bool
    archived: bool
    any_time: bool
    """Whether the learner is asked at any time, whatever is out; otherwise it goes from phase to phase."""
    at_once: int | None
    """The most rounds that may be out at once; null: as many as the horizon allows."""
    sure: str | None
    """In words, how sure it is which action is best, once that is settled."""
    alarms: list[str]
    """What in the graph the rounds contradict."""


class Version(_Out):
    """A text that changes whenever anything happens in the study."""

    version: str


class Asked(_Out):
    """A round to be played."""

    number: int
    action: str
    set: dict[str, str]
    reason: str
    expires: str


class Action(_Out):
    """What is known of an action; null where nothing is."""

    action: str
    set: dict[str, str]
    mean: float | None
    low: float | None
    high: float | None
    p_best: float | None
    seen: float | None
    played: int
    keeps_limits: float | None = None
    """The probability that it keeps all limits; missing where there are none."""


class ListedAction(Action):
    """What is known of an action; one that the learner has dropped, or that cannot be the best, is not recommended."""

    dropped: bool
    can_be_best: bool


class Best(Action):
    """The recommended action, and all of them."""

    left: float
    limits: list[str] = []
    """The limits of the problem, in words."""
    sure: float | None = None
    """The probability with which a recommended action must keep all limits."""
    within_limits: bool = True
    """Whether it keeps all limits with that probability; if not, no action does, and it is the nearest."""
    actions: list[ListedAction]
    reward: str | None = None
    """Where the reward is a number or has a worth: its name."""
    unit: str | None = None
    """Then, the unit of all means."""
    aim: str | None = None
    """Then, whether larger or smaller means are better: maximise or minimise."""


class Known(_Out):
    """What was told of a round."""

    values: dict[str, str]
    deviated: bool
    late: bool


class Round(_Out):
    """A round and what became of it."""

    number: int
    action: str
    worker: str
    status: str
    told: Known | None


class Event(BaseModel):
    """A line of the log; what else it holds depends on its kind."""

    model_config = ConfigDict(extra="allow")
    number: int
    at: str
    who: str
    kind: str
