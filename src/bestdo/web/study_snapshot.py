"""The contents of the page of a study, read once for each state of its log."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bestdo.bandit.answer import Answer
from bestdo.bandit.arrow_chance import ArrowChance
from bestdo.bandit.estimate import Estimate
from bestdo.bandit.horizon import Horizon
from bestdo.bandit.prices import Costs, RoundPrices
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.causal.graph import BOTH
from bestdo.report.document_blocks import Remark
from bestdo.report.reward_scale import RewardScale
from bestdo.report.sections.actions import ranked
from bestdo.report.sections.arrows import ArrowsShown, arrows_shown
from bestdo.report.sections.certainty import Contradiction, contradictions
from bestdo.report.sections.contexts import asked_for, beside_rule
from bestdo.report.sections.earned import earned_in_words
from bestdo.report.sections.limits import reported
from bestdo.report.sections.recommendation import Recommendation
from bestdo.study import Study
from bestdo.study.log import as_event
from bestdo.study.moment import Moment, read_moment, rounds_in
from bestdo.study.queries import answer_of, status_of
from bestdo.text import counted, percent
from bestdo.usecases.forecast import forecast
from bestdo.web.estimate_history import MOST_LINES
from bestdo.web.study_cache import StudyCache

__all__ = ["SnapshotCache", "StudySnapshot"]

_MOST_KEPT = 32
"""Snapshots that are kept. Chosen, not measured."""

_EVENTS, _ROUNDS = 12, 10
"""The numbers of lines of the log and of rounds on the page of a study. Chosen, not measured."""

_EVENTS_READ = 4 * _EVENTS
"""Lines of the log that are read to find these, as some are not shown. Chosen, not measured."""


@dataclass(frozen=True)
class StudySnapshot:
    """The contents of the page of a study, equal for everybody."""

    version: str
    study: Study
    moment: Moment
    """The facts read from the study."""
    status: dict[str, Any]
    lines: tuple[Estimate, ...]
    """The recommended action first, then by mean."""
    rounds: tuple[dict[str, Any], ...]
    """The last ones, newest first."""
    events: tuple[dict[str, Any], ...]
    """The last ones, newest first."""
    recommendation: Recommendation
    """The recommendation in words."""
    prices: RoundPrices | Costs
    """The part of the horizon that a round of each action takes."""
    answer: Answer
    """The answer of the study."""
    chances: Mapping[tuple[str, str, bool], float] = field(default_factory=dict)
    """The probability of each doubtful arrow now, by its ends and whether it stands for a hidden common cause."""

    @property
    def problem(self) -> Problem:
        """The problem at that moment."""
        return self.moment.problem

    @property
    def over(self) -> bool:
        """Whether the study has ended, so that nothing is "so far" any more."""
        return bool(self.status["closed"] or self.status["finished"])

    @property
    def scale(self) -> RewardScale:
        """The display of means."""
        return self.recommendation.scale

    @property
    def recommends(self) -> bool:
        """Whether anything was seen, and anything is known of what would be recommended."""
        return self.recommendation.known

    @property
    def limits(self) -> list[Remark]:
        """The limits, and whether what is recommended keeps them; nothing where there are none."""
        return reported(self.answer, self.recommends)

    @property
    def contradictions(self) -> list[Contradiction]:
        """The contradictions between rounds and graph."""
        return contradictions(self.status)

    @property
    def earned(self) -> tuple[str, ...]:
        """The earnings of the rounds; empty where the goal is to find the best action."""
        return earned_in_words(self.answer)

    @property
    def arrows(self) -> list[ArrowsShown]:
        """The table of arrows in doubt; nothing where there are none."""
        return arrows_shown(self.answer.arrows)

    @property
    def beside_rule(self) -> tuple[str, ...]:
        """The heading of the table of single actions beside a rule."""
        return beside_rule(self.problem)

    @property
    def asked_for(self) -> tuple[str, ...]:
        """The subject of the answer, where something is seen first."""
        return asked_for(self.problem)

    @property
    def charts(self) -> tuple[str, ...]:
        """The words about the chart of the estimates; empty where there is none, because estimates differ by context."""
        return self.problem.contexts.without(self.left_out)

    @property
    def drawn_under(self) -> tuple[Intervention, ...]:
        """The action under which a report draws the graph: the recommended one, where it is for all contexts."""
        return self.problem.contexts.without(self.best.action) if self.recommends else ()

    @property
    def left_out(self) -> str:
        """In words, which actions the chart of the estimates leaves out; empty where it has all of them."""
        left = len(self.lines) - MOST_LINES
        if left <= 0:
            return ""
        shown = f"{MOST_LINES} of {len(self.lines)}"
        return f"The recommended action and those with the best means: {shown}, {left} are left out."

    @property
    def used(self) -> str:
        """In words, how much is used: rounds, or money where rounds cost it."""
        return self.horizon.spent(self.status["used"], self.status["told"])

    @property
    def used_in_table(self) -> str:
        """In words, how much is used, for a cell of a table."""
        return self.horizon.spent_in_table(self.status["used"], self.status["told"])

    @property
    def horizon(self) -> Horizon:
        """The horizon of the whole study."""
        return Horizon.of_status(self.status)

    @property
    def best(self) -> Estimate:
        """The recommended action."""
        return self.lines[0]

    @property
    def left(self) -> float:
        """The part of the horizon that is left."""
        return float(max(0, self.status["horizon"] - self.status["used"]))

    @property
    def buys(self) -> str:
        """In words, how precise the estimate of the best action would become with the rounds that are left."""
        if not self.left:
            return "Nothing is left: this is the answer."
        out = len(self.status["open"])
        left = f"{self.prices.unit.left(self.left)} left" + (f", {counted(out, 'round')} out" if out else "")
        for best in self.problem.contexts.without(self.best):
            expected = forecast(best, self.status["told"], self.left)
            if expected is not None:
                return (
                    f"{left}. The best action is known to about ±{self.scale.with_unit(expected.now)} now; at the same pace "
                    f"it would be about ±{self.scale.with_unit(expected.at_the_end)} at the end."
                )
        return f"{left}: enough for {self.left / sum(self.prices.each):.1f} plays of each action."


def take_snapshot(study: Study) -> StudySnapshot:
    """The snapshot of a study, read from its log in one transaction."""
    with study.reading() as log:
        moment, version = read_moment(study, log), f"{log.study}.{log.position}"
        recent = map(as_event, log.events(max(0, moment.position - _EVENTS_READ)))
        rounds = rounds_in(log, max(0, moment.book.next - 1 - _ROUNDS))
    events = [e for e in recent if e["kind"] != "planned"][-_EVENTS:]
    found = answer_of(study, moment)
    scale = RewardScale.of(found.problem.graph, found.lines)
    return StudySnapshot(
        version,
        study,
        moment,
        status_of(study, moment),
        ranked(found.lines, found.best.action, scale),
        tuple(reversed(rounds)),
        tuple(reversed(events)),
        Recommendation.of(found, scale, percent),
        found.problem.price_list,
        found,
        chances=_chances(found.arrows),
    )


def _chances(arrows: Iterable[ArrowChance]) -> dict[tuple[str, str, bool], float]:
    """The probability of each doubtful arrow now, by cause, effect and whether the cause is hidden."""
    return {(arrow.cause, arrow.effect, arrow.kind == BOTH): arrow.now for arrow in arrows}


class SnapshotCache:
    """The latest snapshots of studies, so that many browsers that ask at once cause one reading."""

    def __init__(self, cache: StudyCache) -> None:
        self._cache = cache
        self._known: OrderedDict[str, StudySnapshot] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, name: str) -> StudySnapshot:
        """The current snapshot of a study."""
        version, study = self._cache.at_version(name)
        with self._lock:
            known = self._known.get(name)
            if known is None or known.version != version:
                known = take_snapshot(study)
                self._known[name] = known
            self._known.move_to_end(name)
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
            return known
