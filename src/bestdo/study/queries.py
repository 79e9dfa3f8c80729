"""Queries of a study, which change nothing: the recommendation, estimates, status, rounds and history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import bestdo.display as display
from bestdo.arguments import whole_number
from bestdo.bandit.estimate import Estimate, Estimates, of_each
from bestdo.bandit.learner import certainty
from bestdo.bandit.limit import SURE, Limit, about_limits
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Progress
from bestdo.bandit.rule import Rule
from bestdo.bandit.statistic import rests_on_graph
from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError, shown
from bestdo.evidence.alarm import Alarm
from bestdo.evidence.alarm_reach import reach_of
from bestdo.learners import reservations
from bestdo.learners.cautions import cautions
from bestdo.learners.contextual import Contextual
from bestdo.learners.rule_found import rule_of
from bestdo.study import blocks, contradiction
from bestdo.study.arrow_chances import ArrowChance, arrows
from bestdo.study.book import Book
from bestdo.study.context_rounds import context_of, reason_in
from bestdo.study.earned import Earned, earned_by
from bestdo.study.fold import rounds_of
from bestdo.study.log import as_event
from bestdo.study.old_data import old_rounds
from bestdo.study.round import reasons

if TYPE_CHECKING:
    from bestdo.study.study import Study
from bestdo.text import chance, with_interval

__all__ = [
    "Best",
    "Findings",
    "alarms",
    "best",
    "estimates",
    "findings",
    "history",
    "near_miss",
    "part_of",
    "progress",
    "reason",
    "rounds",
    "rule",
    "status",
]


@dataclass(frozen=True)
class Best:
    """The recommended action with its estimate, and what is left of the horizon."""

    action: Intervention
    mean: float
    low: float
    high: float
    p_best: float
    played: int
    seen: float
    left: float
    """The number of rounds that can still be handed out; with costs, what can still be spent."""
    keeps: float | None = None
    """The probability that it keeps all limits; None where there are none."""
    limits: tuple[Limit, ...] = ()
    """The limits of the problem."""
    sure: float = SURE
    """The probability with which a recommended action must keep all limits."""
    rule: Rule | None = None
    """Where variables are seen first: an action for each context. The action here is the best single one for everybody."""
    near_miss: Estimate | None = None
    """The action that is likelier to be the best, but too unlikely to keep the limits; None if there is none."""
    earned: Earned | None = None
    """What the rounds have earned so far; None where the goal is to find the best action."""

    def __repr__(self) -> str:
        if self.rule is not None:
            value = self.rule.value
            return f"Best({self.rule}: {with_interval(value.mean, value.low, value.high)}; {self.left:g} left)"
        estimate = with_interval(self.mean, self.low, self.high)
        return f"Best({self.action}: {estimate}; P(best) {chance(self.p_best)}, {self.left:g} left)"

    @property
    def in_words(self) -> str:
        """The action with its mean, its 95 % interval and the probability that it is the best, for one line."""
        estimate = with_interval(self.mean, self.low, self.high)
        return f"{self.action}: {estimate}, the best with probability {chance(self.p_best)}"

    @classmethod
    def of(cls, problem: Problem, index: int, found: Estimates, left: float) -> Best:
        """The action of this index, with its estimate."""
        lines = of_each(found, problem.actions)
        one = lines[index]
        limits = one.keeps, problem.limits, problem.sure
        missed = near_miss(lines, one, problem.sure)
        estimate = one.mean, one.low, one.high, one.p_best, one.played, one.seen
        return cls(one.action, *estimate, left, *limits, near_miss=missed)

    @property
    def differs_by_context(self) -> bool:
        """Whether what is recommended is a rule that does different things in different contexts, not one action."""
        return self.rule is not None and not (self.rule.is_single and self.rule.single == self.action)

    @property
    def within_limits(self) -> bool:
        """Whether it keeps all limits with the probability asked for; if not, no action does, and it is the nearest.

        Where variables are seen first: whether the rule does in each context.
        """
        if self.rule is not None:
            return not self.rule.beyond_limits
        return self.keeps is None or self.keeps >= self.sure

    @property
    def about_limits(self) -> str:
        """One sentence for people: whether it, or the rule, keeps all limits; empty where there are none."""
        if self.rule is not None:
            return self.rule.about_limits
        return "" if self.keeps is None else about_limits(self.action, self.keeps, self.sure) + self._about_near_miss()

    def _about_near_miss(self) -> str:
        """What is to be said of an action that is likelier to be the best; empty where there is none."""
        other = self.near_miss
        if other is None or other.keeps is None:
            return ""
        return (
            f"; {other.action} is likelier to be the best (P(best) {chance(other.p_best)}), but keeps all limits with "
            f"probability {chance(other.keeps)}, below {self.sure:g}"
        )


def near_miss(lines: Sequence[Estimate], best: Estimate, sure: float) -> Estimate | None:
    """Of the actions that keep the limits with less than `sure`, the likeliest to be the best, if likelier than `best`."""
    if best.keeps is None or best.keeps < sure:
        return None
    open_ = [one for one in lines if one.contender and not one.dropped and one.keeps is not None and one.keeps < sure]
    found = max(open_, key=lambda one: one.p_best, default=None)
    return found if found is not None and found.p_best > best.p_best else None


@dataclass(frozen=True)
class Findings:
    """The recommendation, the estimates of all actions and the problem, all read at the same time."""

    problem: Problem
    best: Best
    estimates: Estimates
    arrows: tuple[ArrowChance, ...] = ()
    """The doubtful arrows, with their probabilities; none where no arrow is in doubt."""

    def __repr__(self) -> str:
        return f"Findings({self.best!r}, {self.estimates!r})"

    _repr_html_ = display.html
    plot = display.plot
    to_frame = display.to_frame


def findings(study: Study) -> Findings:
    """The results of `best` and `estimates`, read at the same time: between two calls another person may add an action.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="found")
    >>> found = study.findings()
    >>> found.best.left, len(found.problem.actions)
    (60, 7)
    """
    with study.reading() as log:
        book = study.book(log)
        state = blocks.current_state(log, book)
        told = log.all_rows() if book.setup.problem.goal == "earn" else []
    problem, learner = book.setup
    found, action = study.found(learner, state)
    left = max(0, book.settings.horizon - book.used)
    best = Best.of(problem, action, found, left)
    if isinstance(learner, Contextual):
        best = replace(best, rule=rule_of(learner, state))
    if problem.goal == "earn":
        best = replace(best, earned=earned_by(told, problem, of_each(found, problem.actions), action, best.rule))
    doubted = () if problem.doubts is None else tuple(arrows(study))
    return Findings(problem, best, found._replace(actions=problem.actions, best=action), doubted)


def best(study: Study) -> Best:
    """The recommended action by the rounds so far, before the first one too; where variables are seen first, with a rule.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="best")
    >>> (asked,) = study.ask("Ann")
    >>> seen = {"temperature": "low", "nutrient": "rich", "moisture": "dry", "yield": "good"}
    >>> study.tell(asked.number, {**seen, **asked.action})
    >>> study.best().left
    59
    """
    return study.findings().best


def rule(study: Study) -> Rule:
    """The rule by the rounds so far, an action for each context.

    Raises BestdoError where nothing is seen first.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("device -> sale; photo -> sale", reward="sale", success="1")
    >>> problem = bestdo.Problem(graph, set=["photo"], first=["device"])
    >>> study = bestdo.Study.create(problem, rounds=60, name="rule")
    >>> type(study.rule()).__name__
    'Rule'
    """
    found = study.findings().best.rule
    if found is None:
        raise BestdoError(f"nothing is seen first in the study {shown(study.name)}: its answer is one action (best)")
    return found


def estimates(study: Study) -> Estimates:
    """The estimates of all actions by the rounds so far (one lane).

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="estimated")
    >>> (asked,) = study.ask("Ann")
    >>> seen = {"temperature": "low", "nutrient": "rich", "moisture": "dry", "yield": "good"}
    >>> study.tell(asked.number, {**seen, **asked.action})
    >>> int(study.estimates().played.sum())
    1
    """
    state, book = _now(study)
    found, action = study.found(book.setup.learner, state)
    return found._replace(actions=book.setup.problem.actions, best=action)


def reason(study: Study, number: int) -> str:
    """Why an open round is asked for, in a sentence; nothing if it is not open.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="reason")
    >>> (asked,) = study.ask("Ann")
    >>> study.reason(asked.number) == asked.reason
    True
    """
    number = whole_number("the number of a round", number)
    with study.reading() as log:
        book = study.book(log)
        rows = [row for row in log.open() if row.number == number]
    actions, extra = [Intervention.parse(row.action) for row in rows], [row.block < 0 for row in rows]
    problem, learner = book.setup
    if not rows:
        return ""
    if isinstance(learner, Contextual):
        return reason_in(learner, book.state, actions[0], context_of(rows[0]))
    return "".join(reasons(learner, book.state, problem, actions, extra, study.found(learner, book.state)))


def alarms(study: Study) -> list[Alarm]:
    """The claims of the graph that the rounds so far contradict, the strongest evidence first.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="alarms")
    >>> study.alarms()
    []
    """
    with study.reading() as log:
        book = study.book(log)
        level = book.settings.alarm
        return contradiction.find_alarms(log, book.setup.problem, level) if level else []


def history(study: Study, after: int = 0, most: int | None = None) -> list[dict[str, Any]]:
    """The events of the log with a larger number than `after`, oldest first, at most so many.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="history")
    >>> [event["kind"] for event in study.history()]
    ['created']
    """
    with study.reading() as log:
        return [as_event(e) for e in log.events(*part_of(after, most))]


def status(study: Study) -> dict[str, Any]:
    """The status of a study: its learner, how much of the horizon is used, rounds told and open, whether it has finished.

    Where the goal is to earn, `earned` is what the rounds have earned so far, as `best` has it.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="status")
    >>> study.status()["unit"]
    'rounds'
    """
    with study.reading() as log:
        book = study.book(log)
        seen = [{"context": dict(c)} if (c := context_of(r)) else {} for r in log.open()]
        rows = zip(log.open(), seen, strict=True)
        open_ = [{"number": r.number, "action": r.action, "worker": r.worker, **more} for r, more in rows]
        told = log.told()
    settings, sure = book.settings, certainty(book.setup.learner, book.state)
    done = not book.left and not open_ and (book.closed or blocks.plan_block(book) is None)
    earned = study.best().earned if book.setup.problem.goal == "earn" else None
    return {
        "name": study.name,
        "learner": settings.learner,
        "parameters": settings.parameters,
        "any_time": settings.any_time,
        "at_once": settings.at_once,
        "horizon": settings.horizon,
        "unit": book.unit,
        "used": book.used,
        "told": told,
        "open": open_,
        "closed": book.closed,
        "archived": book.archived,
        "finished": done,
        "sure": sure,
        "alarms": settings.contradicted,
        "repairs": [
            {**repair, "about": contradiction.in_words(repair["added"], not settings.contradicted)}
            for repair in settings.repairs
        ],
        **_about_alarm(study, book),
        "first": list(book.setup.problem.first),
        "goal": book.setup.problem.goal,
        "about_learner": reservations(settings.learner, book.setup.problem.goal),
        "cautions": cautions(book.setup.problem).in_words(settings.learner),
        **({} if earned is None else {"earned": earned.as_data()}),
        **({} if study.problem.doubts is None else {"arrows": [one.as_data() for one in arrows(study)]}),
    }


def _about_alarm(study: Study, book: Book) -> dict[str, Any]:
    """How large an error of the graph the alarm would have found by now in what is recommended, as a sentence and as data.

    Nothing is said where nothing rests on the graph, and before the first round.
    """
    settings, (problem, learner) = book.settings, book.setup
    if settings.contradicted or not rests_on_graph(learner.statistic(problem, settings.horizon)):
        return {"about_alarm": "", "alarm": {}}
    if not settings.alarm:
        return {"about_alarm": "the alarm is off: nothing compares the rounds with the graph", "alarm": {}}
    state, _ = _now(study)
    found = learner.by_pair(state) if isinstance(learner, Contextual) else study.found(learner, state)[0]
    shape = -1, len(problem.actions)  # contexts × actions
    seen, played = found.seen[0].reshape(shape), found.played[0].reshape(shape)
    if not seen.any() and not played.any():
        return {"about_alarm": "", "alarm": {}}
    kept = learner.rule(state)[0] if isinstance(learner, Contextual) else [study.found(learner, state)[1]]
    mean = 0.5 if problem.graph.success is None else float(np.nan_to_num(found.mean[0].mean(), nan=0.5))
    reaches = [
        reach_of(problem, settings.alarm, problem.actions[a], played[:, a], (seen - played)[:, a], mean)
        for a in sorted({int(a) for a in kept})
    ]
    least = max(reaches, key=lambda reach: reach.error)
    return {"about_alarm": least.in_words, "alarm": {"level": settings.alarm, **least.as_data()}}


def rounds(study: Study, after: int = 0, most: int | None = None) -> list[dict[str, Any]]:
    """The rounds with a larger number than `after`: number, action, worker, status and what was told.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="rounds")
    >>> (asked,) = study.ask("Ann")
    >>> [(row["number"], row["worker"], row["status"]) for row in study.rounds()]
    [(1, 'Ann', 'open')]
    """
    with study.reading() as log:
        return [
            {"number": r.number, "action": r.action, "worker": r.worker, "status": r.status, **json.loads(r.body)}
            for r in log.rounds(*part_of(after, most))
        ]


def part_of(after: Any, most: Any) -> tuple[int, int | None]:
    """The arguments that say which part of a list is wanted, checked."""
    return whole_number("after", after, 0), None if most is None else whole_number("most", most)


def progress(study: Study) -> Progress:
    """The complete blocks, the results of the open one and what is left of it, and old data.

    It is what `bestdo.rehearse` takes as `given`.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="progress")
    >>> bestdo.rehearse(study, rounds=20, worlds=50).rows[0]["rounds_before"]
    0.0
    """
    with study.reading() as log:
        book = study.book(log)
        problem = book.setup.problem
        old = old_rounds(log, problem)
        left = [
            problem.actions.index(action) for action in (*book.plan[book.given :], *(row.action for row in log.open()))
        ]
        counts = np.bincount(np.array(left, np.int64), minlength=len(problem.actions))
        if book.settings.any_time:
            told = log.all_rows()
            return Progress((), rounds_of(told, problem), counts, old) if told or counts.any() else Progress(old=old)
        whole = tuple(rounds_of(log.rows(block), problem) for block in range(book.blocks_told))
        if book.blocks_told == book.blocks:
            return Progress(whole, old=old)
        return Progress(whole, rounds_of(log.rows(book.blocks_told), problem), counts, old)


def _now(study: Study) -> tuple[Any, Book]:
    """The state with the results so far of the open block, and the book."""
    with study.reading() as log:
        book = study.book(log)
        return blocks.current_state(log, book), book
