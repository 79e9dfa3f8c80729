"""The JSON that programs receive."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bestdo.study.marks import Marks

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
        "unusual",
        "waiting",
    ]


class Open(_Out):
    """A round that is out."""

    number: int
    action: str
    worker: str
    context: dict[str, str] = {}
    """The values seen before the action was chosen."""


class Status(_Out, Marks):  # type: ignore[misc]  # the fields alone are inherited: a model is not frozen
    """The state of a study, with its marks."""

    name: str
    learner: str
    parameters: dict[str, Any]
    horizon: float
    used: float
    unit: str
    told: int
    open: list[Open]
    finished: bool
    any_time: bool
    """Whether the learner is asked at any time, whatever is out; otherwise it goes from phase to phase."""
    at_once: int | None
    """The most rounds that may be out at once; null: as many as the horizon allows."""
    sure: str | None
    """In words, how sure it is which action is best, once that is settled."""
    alarms: list[str]
    """The claims of the graph that rounds contradict, and no hidden common cause explains: since then only plays count."""
    repairs: list[dict[str, Any]] = []
    """The additions to the graph after rounds contradicted it (`added`), with the `evidence`, and in a sentence (`about`)."""
    about_alarm: str = ""
    """The error of the graph that the alarm would have found by now in the recommendation, in a sentence."""
    alarm: dict[str, Any] = {}
    """The reach of the alarm as data: the `action`, and the least `error` in its chance found four times in five; or null."""
    first: list[str] = []
    """The variables seen before the action is chosen."""
    goal: str = "find"
    """The purpose of rounds: to find the best action, or to earn while learning it."""
    about_learner: str = ""
    """A sentence where the learner is made for another goal."""
    cautions: list[str] = []
    """The cautions about the problem as it is stated, in words."""
    earned: dict[str, Any] | None = None
    """The sum of all rewards, where the goal is to earn, and the sum that the best action as known now would have brought."""
    arrows: list[dict[str, Any]] = []
    """The doubtful arrows, each with its probability now and how it moved."""


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
    """The values seen before the action was chosen."""
    reason: str
    expires: str


class AskedRounds(_Out):
    """Rounds to be played."""

    rounds: list[Asked]
    fewer: str | None
    """The reason why there are fewer than were asked for."""


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
    """The reward's name, where it is a number or has a worth."""
    unit: str | None = None
    """Then, the unit of all means."""
    aim: str | None = None
    """Then, whether larger or smaller means are better: maximise or minimise."""
    rule: dict[str, Any] | None = None
    """The action for each context, where something is seen first, and beside it the best single one for everybody."""
    earned: dict[str, Any] | None = None
    """The sum of all rewards, where the goal is to earn, and the sum that the best action as known now would have brought."""
    arrows: list[dict[str, Any]] = []
    """The doubtful arrows, each with its probability now and how it moved."""
    certainty: str = ""
    """The certainty which action is the best, in words, where the study goes on until it is sure."""


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
    """The values seen before the action was chosen."""
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
    """The reason why it was not taken; null when it was, now or before."""


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
    """The fingerprint by which the data can be taken back."""


class Old(_Out):
    """Old data of a study."""

    fingerprint: str
    rows: int
