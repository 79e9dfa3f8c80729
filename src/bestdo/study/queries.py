"""Queries of a study, which change nothing: the recommendation, estimates, status, rounds and history."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bestdo.arguments import whole_number
from bestdo.bandit.answer import Answer, Best
from bestdo.bandit.earned import Earned
from bestdo.bandit.estimate import Estimates, of_each
from bestdo.bandit.rounds import Progress
from bestdo.bandit.rule import Rule
from bestdo.bandit.statistic import rests_on_graph
from bestdo.errors import BestdoError, shown
from bestdo.evidence.alarm import Alarm
from bestdo.evidence.alarm_reach import reach_of
from bestdo.learners import reservations
from bestdo.learners.cautions import cautions
from bestdo.study import blocks, contradiction
from bestdo.study.arrow_chances import arrows_of
from bestdo.study.context_rounds import context_of, why_open
from bestdo.study.earned import earned_by
from bestdo.study.fold import rounds_of
from bestdo.study.log import as_event
from bestdo.study.moment import Moment, read_moment, rounds_in
from bestdo.study.old_data import old_rounds
from bestdo.study.round import reason_of as round_reason

if TYPE_CHECKING:
    from bestdo.study.study import Study

__all__ = [
    "alarms",
    "answer_of",
    "best",
    "estimates",
    "findings",
    "history",
    "part_of",
    "progress",
    "reason",
    "reason_of",
    "rounds",
    "rule",
    "status",
    "status_of",
]


def findings(study: Study) -> Answer:
    """The results of `best` and `estimates`, read at the same time: between two calls another person may add an action.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="found")
    >>> found = study.findings()
    >>> found.best.left, len(found.problem.actions)
    (60, 7)
    """
    return answer_of(study, _read(study))


def answer_of(study: Study, moment: Moment) -> Answer:
    """The answer of a study at a moment, worked out once for as long as nothing happens."""
    if moment.known is not None:
        return moment.known
    book, state, game = moment.book, moment.state, moment.book.game
    problem, (found, action) = game.problem, study.found(game, state)
    found = found._replace(actions=problem.actions, best=action, joint=found.p_best, words=problem.contexts.words)
    found = found._replace(retired=problem.retired)
    rule = game.rule(state, found)
    earned = Earned.nothing(problem)
    if problem.goal.every_round:
        earned = earned_by(moment.rows, problem, of_each(found, problem.actions), action, rule)
    doubted = tuple(arrows_of(problem, rounds_of(moment.rows, problem), moment.old))
    left = max(0, book.settings.horizon - book.used)
    made = Answer(problem, rule, found, left, earned, doubted, game.certainty(book.state))
    study.kept_answer = moment.position, made
    return made


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
    found = study.findings()
    single = f"nothing is seen first in the study {shown(study.name)}: its answer is one action (best)"
    found.problem.contexts.several(BestdoError(single))
    return found.rule


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
    return findings(study).estimates


def reason(study: Study, number: int) -> str:
    """The reason why an open round is asked for, in a sentence; empty if it is not open.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="reason")
    >>> (asked,) = study.ask("Ann")
    >>> study.reason(asked.number) == asked.reason
    True
    """
    number = whole_number("the number of a round", number)
    return reason_of(study, _read(study), number)


def reason_of(study: Study, moment: Moment, number: int) -> str:
    """The reason why a round that is open at a moment is asked for, in a sentence; empty if it is not open."""
    game, state = moment.book.game, moment.book.state
    for row in moment.open:
        if row.number == number:
            return round_reason(game, state, *why_open(row), partial(study.found, game, state))
    return ""


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
        return contradiction.find_alarms(log, book.game.problem, level) if level else []


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
    return status_of(study, _read(study))


def status_of(study: Study, moment: Moment) -> dict[str, Any]:
    """The status of a study at a moment."""
    book, settings = moment.book, moment.book.settings
    contexts = [{"context": dict(c)} if (c := context_of(r)) else {} for r in moment.open]
    rows = zip(moment.open, contexts, strict=True)
    open_ = [{"number": r.number, "action": r.action, "worker": r.worker, **more} for r, more in rows]
    done = not book.left and not open_ and (book.marks.closed or blocks.plan_block(book) is None)
    answer = answer_of(study, moment)
    return {
        "name": study.name,
        "learner": settings.learner,
        "parameters": settings.parameters,
        "any_time": settings.pace.any_time,
        "at_once": settings.at_once,
        "horizon": settings.horizon,
        "unit": book.horizon.unit.name,
        "used": book.used,
        "told": moment.told,
        "open": open_,
        **asdict(book.marks),
        "finished": done,
        "sure": answer.certainty or None,
        "alarms": settings.contradicted,
        "repairs": [
            {**repair, "about": contradiction.in_words(repair["added"], not settings.contradicted)}
            for repair in settings.repairs
        ],
        **_about_alarm(study, moment),
        "first": list(book.game.problem.first),
        "goal": str(book.game.problem.goal),
        "about_learner": reservations(settings.learner, book.game.problem.goal),
        "cautions": [*cautions(book.game.problem).in_words(settings.learner), *book.game.problem.about_retired],
        **answer.earned.fields(),
        **answer.arrows_as_data(),
    }


def _about_alarm(study: Study, moment: Moment) -> dict[str, Any]:
    """The error of the graph that the alarm would have found by now in the recommendation, as a sentence and as data.

    Nothing is said where nothing rests on the graph, and before the first round.
    """
    settings, state, game = moment.book.settings, moment.state, moment.book.game
    if settings.contradicted or not rests_on_graph(game.statistic(settings.horizon)):
        return {"about_alarm": "", "alarm": {}}
    if not settings.alarm:
        return {"about_alarm": "the alarm is off: nothing compares the rounds with the graph", "alarm": {}}
    problem, found = game.problem, game.by_pair(state, study.found(game, state).estimates)
    shape = -1, len(problem.actions)  # contexts × actions
    seen, played = game.counted(state, found)[0].reshape(shape), found.played[0].reshape(shape)
    if not found.seen.any() and not played.any():
        return {"about_alarm": "", "alarm": {}}
    kept = game.recommended(state)[0][0]
    mean = 0.5 if problem.graph.success is None else float(np.nan_to_num(found.mean[0].mean(), nan=0.5))
    reaches = [
        reach_of(problem, settings.alarm, problem.actions[a], played[:, a], np.maximum(seen - played, 0.0)[:, a], mean)
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
        return rounds_in(log, *part_of(after, most))


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
        problem = book.game.problem
        old = old_rounds(log, problem)
        left = [
            problem.actions.index(action) for action in (*book.plan[book.given :], *(row.action for row in log.open()))
        ]
        counts = np.bincount(np.array(left, np.int64), minlength=len(problem.actions))
        blocks_, rows = book.pace.whole_and_open(log, book.blocks, book.blocks_told, bool(counts.any()))
        whole = tuple(rounds_of(block, problem) for block in blocks_)
        return Progress(whole, old=old) if rows is None else Progress(whole, rounds_of(rows, problem), counts, old)


def _read(study: Study) -> Moment:
    """The study as it is now."""
    with study.reading() as log:
        return read_moment(study, log)
