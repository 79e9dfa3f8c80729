"""The JSON that programs receive."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

__all__ = [
    "Action",
    "Asked",
    "AskedRounds",
    "Best",
    "Event",
    "Known",
    "Observed",
    "Old",
    "Open",
    "Plan",
    "Problem",
    "Rehearsal",
    "Round",
    "Status",
    "ToldOne",
    "Trouble",
    "Version",
]


class _Out(BaseModel):
    """Base of what is answered."""

    model_config = ConfigDict(extra="forbid")


class Trouble(_Out):
    """Why something was not done, as RFC 9457 has it."""

    type: str
    """urn:bestdo: and the kind."""
    title: str
    status: int
    detail: str
    """The words of the command line."""
    kind: Literal[
        "conflict",
        "deviates",
        "finished",
        "host",
        "invalid",
        "large",
        "method",
        "missing",
        "origin",
        "slow",
        "storage",
        "token",
        "waiting",
    ]


class Open(_Out):
    """A round that is out."""

    number: int
    action: str
    worker: str
    context: dict[str, str] = {}
    """What was seen before the action was chosen."""


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
    """What in the graph the rounds contradict, and no hidden common cause explains: since then only plays count."""
    repairs: list[dict[str, Any]] = []
    """What was `added` to the graph because rounds contradicted it, with the `evidence`, and in a sentence (`about`)."""
    about_alarm: str = ""
    """How large an error of the graph the alarm would have found by now in what is recommended, in a sentence."""
    alarm: dict[str, Any] = {}
    """The same as data: the `action`, and the least `error` in its chance that is found four times in five; null: none is."""
    first: list[str] = []
    """What is seen before the action is chosen."""
    goal: str = "find"
    """What rounds are for: to find the best action, or to earn while learning it."""
    about_learner: str = ""
    """A sentence where the learner is made for another goal."""
    cautions: list[str] = []
    """What can go wrong with the problem as it is stated, in words."""
    earned: dict[str, Any] | None = None
    """Where the goal is to earn: the sum of all rewards, and what the best action as known now would have brought."""
    arrows: list[dict[str, Any]] = []
    """Where arrows are in doubt: each of them, with its probability now and how it moved."""


class Problem(_Out):
    """The problem of a study, in bestdo's own format."""

    problem: str


class Version(_Out):
    """A text that changes whenever anything happens in the study."""

    version: str


class Asked(_Out):
    """A round to be played."""

    number: int
    action: str
    set: dict[str, str]
    context: dict[str, str] = {}
    """What was seen before the action was chosen."""
    reason: str
    expires: str


class AskedRounds(_Out):
    """Rounds to be played."""

    rounds: list[Asked]
    fewer: str | None
    """Where there are fewer than were asked for: why."""


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
    retired: bool = False
    """Whether it is neither played nor recommended any more; missing where it is not."""


class Recommendation(BaseModel):
    """What to keep: an action, or a rule with a line for each group of contexts, the last for all others."""

    model_config = ConfigDict(extra="allow")
    kind: Literal["action", "rule"]
    within_limits: bool = True
    """Whether it keeps all limits as surely as asked for."""


class Best(_Out):
    """The recommendation, and what is known of all actions.

    The fields from `action` to `keeps_limits` are those of the recommended action; a rule that does different things in
    different contexts has none of them.
    """

    recommendation: Recommendation
    action: str | None = None
    set: dict[str, str] | None = None
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    p_best: float | None = None
    seen: float | None = None
    played: int | None = None
    keeps_limits: float | None = None
    left: float
    limits: list[str] = []
    """The limits of the problem, in words."""
    sure: float | None = None
    """The probability with which a recommended action must keep all limits."""
    within_limits: bool = True
    """Whether the recommendation keeps all limits with that probability; if not, it is the nearest to it."""
    actions: list[ListedAction]
    reward: str | None = None
    """Where the reward is a number or has a worth: its name."""
    unit: str | None = None
    """Then, the unit of all means."""
    aim: str | None = None
    """Then, whether larger or smaller means are better: maximise or minimise."""
    rule: dict[str, Any] | None = None
    """Where something is seen first: an action for each context, and beside it the best single one for everybody."""
    earned: dict[str, Any] | None = None
    """Where the goal is to earn: the sum of all rewards, and what the best action as known now would have brought."""
    arrows: list[dict[str, Any]] = []
    """Where arrows are in doubt: each of them, with its probability now and how it moved."""
    certainty: str = ""
    """Where the study goes on until it is sure: how sure it is which action is the best, in words."""


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
    context: dict[str, str] = {}
    """What was seen before the action was chosen."""
    told: Known | None


class Event(BaseModel):
    """A line of the log; what else it holds depends on its kind."""

    model_config = ConfigDict(extra="allow")
    number: int
    at: str
    who: str
    kind: str


class ToldOne(_Out):
    """What became of one of several results."""

    number: int
    trouble: Trouble | None
    """Why it was not taken; null when it was, now or before."""


class Plan(BaseModel):
    """A fixed plan: how often each action is played, with its proof of optimality, and the sheet to fill in."""

    model_config = ConfigDict(extra="allow")
    sheet: str


class Rehearsal(_Out):
    """A rehearsal: its progress, and its answer once there is one."""

    key: str
    running: bool
    share: float
    answer: dict[str, Any] | None


class Observed(BaseModel):
    """What was found in a table of old data."""

    model_config = ConfigDict(extra="allow")
    rows: int
    notes: list[str]
    fingerprint: str
    """By it the data can be taken back."""


class Old(_Out):
    """Old data of a study."""

    fingerprint: str
    rows: int
